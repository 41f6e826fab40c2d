/* SPDX-License-Identifier: Apache-2.0 */
#include "sotto_littlefs.h"

/* Answers a negative error of littlefs, or the length of the file. */
static int32_t read_open_file(const sotto_littlefs *files, lfs_file_t *file, uint8_t *bytes,
                              size_t capacity_bytes) {
    const lfs_soff_t length = lfs_file_size(files->lfs, file);
    if (length < 0) {
        return length;
    }
    const lfs_size_t wanted =
        (size_t)length < capacity_bytes ? (lfs_size_t)length : (lfs_size_t)capacity_bytes;
    const lfs_ssize_t got = lfs_file_read(files->lfs, file, bytes, wanted);
    return got < 0 || (lfs_size_t)got == wanted ? (got < 0 ? got : length) : LFS_ERR_IO;
}

int32_t sotto_littlefs_load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    const sotto_littlefs *const files = (const sotto_littlefs *)context;
    if (slot >= SOTTO_SLOT_COUNT) {
        return SOTTO_ERR_STORAGE;
    }
    const struct lfs_file_config config = {.buffer = files->cache};
    lfs_file_t file;
    const int opened =
        lfs_file_opencfg(files->lfs, &file, files->paths[slot], LFS_O_RDONLY, &config);
    if (opened != 0) {
        return opened == LFS_ERR_NOENT ? 0 : SOTTO_ERR_STORAGE;
    }
    const int32_t length = read_open_file(files, &file, bytes, capacity_bytes);
    const int closed = lfs_file_close(files->lfs, &file);
    return length < 0 || closed != 0 ? SOTTO_ERR_STORAGE : length;
}

static sotto_status erase(const sotto_littlefs *files, uint32_t slot) {
    const int removed = lfs_remove(files->lfs, files->paths[slot]);
    return removed == 0 || removed == LFS_ERR_NOENT ? SOTTO_OK : SOTTO_ERR_STORAGE;
}

/* The file has its old bytes until it is closed. */
sotto_status sotto_littlefs_store(void *context, uint32_t slot, const uint8_t *bytes,
                                  size_t length_bytes) {
    const sotto_littlefs *const files = (const sotto_littlefs *)context;
    if (slot >= SOTTO_SLOT_COUNT || length_bytes > LFS_FILE_MAX) {
        return SOTTO_ERR_STORAGE;
    }
    if (length_bytes == 0) {
        return erase(files, slot);
    }
    const struct lfs_file_config config = {.buffer = files->cache};
    lfs_file_t file;
    if (lfs_file_opencfg(files->lfs, &file, files->paths[slot],
                         LFS_O_WRONLY | LFS_O_CREAT | LFS_O_TRUNC, &config) != 0) {
        return SOTTO_ERR_STORAGE;
    }
    const lfs_ssize_t written = lfs_file_write(files->lfs, &file, bytes, (lfs_size_t)length_bytes);
    const int closed = lfs_file_close(files->lfs, &file);
    return written == (lfs_ssize_t)length_bytes && closed == 0 ? SOTTO_OK : SOTTO_ERR_STORAGE;
}
