/* SPDX-License-Identifier: Apache-2.0 */
/* The part of Zephyr that the sample reaches when it runs: on Linux, with NVS in RAM. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <zephyr/drivers/flash.h>
#include <zephyr/fs/nvs.h>
#include <zephyr/kernel.h>
#include <zephyr/random/random.h>
#include <zephyr/storage/flash_map.h>

#ifdef CONFIG_MBEDTLS
#include <mbedtls/memory_buffer_alloc.h>
#include <psa/crypto.h>
#endif

enum { PAGE_BYTES = 4096, IDS = 4 };

const struct device storage_partition_device = {"flash"};

int flash_get_page_info_by_offs(const struct device *dev, off_t offset,
                                struct flash_pages_info *info) {
    info->start_offset = offset;
    info->size = PAGE_BYTES;
    return dev == &storage_partition_device && offset == storage_partition_offset ? 0 : -EINVAL;
}

static uint8_t bytes_of[IDS][PAGE_BYTES];
static size_t length_of[IDS];

int nvs_mount(struct nvs_fs *fs) {
    fs->is_mounted = fs->flash_device == &storage_partition_device &&
                     fs->sector_size == PAGE_BYTES && fs->sector_count >= 2;
    return fs->is_mounted ? 0 : -EINVAL;
}

ssize_t nvs_write(struct nvs_fs *fs, uint16_t id, const void *data, size_t len) {
    if (!fs->is_mounted || id >= IDS || len > PAGE_BYTES) {
        return -EINVAL;
    }
    memcpy(bytes_of[id], data, len);
    length_of[id] = len;
    return (ssize_t)len;
}

int nvs_delete(struct nvs_fs *fs, uint16_t id) {
    (void)fs;
    length_of[id] = 0;
    return 0;
}

ssize_t nvs_read(struct nvs_fs *fs, uint16_t id, void *data, size_t len) {
    if (!fs->is_mounted || id >= IDS || length_of[id] == 0) {
        return -ENOENT;
    }
    memcpy(data, bytes_of[id], len < length_of[id] ? len : length_of[id]);
    return (ssize_t)length_of[id];
}

int sys_csrand_get(void *bytes, size_t length) {
    return getrandom(bytes, length, 0) == (ssize_t)length ? 0 : -EIO;
}

bool k_is_in_isr(void) { return false; }

int k_mutex_lock(struct k_mutex *mutex, int timeout) {
    (void)timeout;
    ++mutex->held;
    return 0;
}

int k_mutex_unlock(struct k_mutex *mutex) {
    --mutex->held;
    return 0;
}

void printk(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

#ifdef CONFIG_MBEDTLS_PSA_CRYPTO_EXTERNAL_RNG
psa_status_t mbedtls_psa_external_get_random(mbedtls_psa_external_random_context_t *context,
                                             uint8_t *output, size_t output_size,
                                             size_t *output_length) {
    (void)context;
    *output_length = output_size;
    return sys_csrand_get(output, output_size) == 0 ? PSA_SUCCESS : PSA_ERROR_INSUFFICIENT_ENTROPY;
}
#endif

#ifdef CONFIG_MBEDTLS_ENABLE_HEAP
/* A block's header is eight pointers, and boards have pointers of four bytes. */
static unsigned char heap[CONFIG_MBEDTLS_HEAP_SIZE / 4 * sizeof(void *)];

__attribute__((constructor)) static void begin(void) {
    mbedtls_memory_buffer_alloc_init(heap, sizeof heap);
}
#endif
