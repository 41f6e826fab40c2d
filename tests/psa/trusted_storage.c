/* SPDX-License-Identifier: Apache-2.0 */
/* PSA's internal trusted storage, in RAM: what persistent keys are kept in. */
#include <psa/crypto.h>

#include "psa_crypto_its.h"

#include <string.h>

enum { FILES = 4, FILE_BYTES = 256 };
static struct {
    psa_storage_uid_t uid; /* 0: none */
    struct psa_storage_info_t info;
    uint8_t bytes[FILE_BYTES];
} files[FILES];

static int find(psa_storage_uid_t uid) {
    for (int i = 0; i < FILES; ++i) {
        if (files[i].uid == uid) {
            return i;
        }
    }
    return -1;
}

psa_status_t psa_its_set(psa_storage_uid_t uid, uint32_t data_length, const void *p_data,
                         psa_storage_create_flags_t create_flags) {
    const int old = find(uid), i = old >= 0 ? old : find(0);
    if (i < 0 || data_length > FILE_BYTES) {
        return PSA_ERROR_INSUFFICIENT_STORAGE;
    }
    files[i].uid = uid;
    files[i].info.size = data_length;
    files[i].info.flags = create_flags;
    memcpy(files[i].bytes, p_data, data_length);
    return PSA_SUCCESS;
}

psa_status_t psa_its_get(psa_storage_uid_t uid, uint32_t data_offset, uint32_t data_length,
                         void *p_data, size_t *p_data_length) {
    const int i = find(uid);
    if (i < 0 || data_offset + data_length > files[i].info.size) {
        return PSA_ERROR_DOES_NOT_EXIST;
    }
    memcpy(p_data, files[i].bytes + data_offset, data_length);
    *p_data_length = data_length;
    return PSA_SUCCESS;
}

psa_status_t psa_its_get_info(psa_storage_uid_t uid, struct psa_storage_info_t *p_info) {
    const int i = find(uid);
    if (i < 0) {
        return PSA_ERROR_DOES_NOT_EXIST;
    }
    *p_info = files[i].info;
    return PSA_SUCCESS;
}

psa_status_t psa_its_remove(psa_storage_uid_t uid) {
    const int i = find(uid);
    if (i < 0) {
        return PSA_ERROR_DOES_NOT_EXIST;
    }
    files[i].uid = 0;
    return PSA_SUCCESS;
}
