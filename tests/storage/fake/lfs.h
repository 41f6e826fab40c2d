/* SPDX-License-Identifier: Apache-2.0 */
/* The part that ports/storage uses of littlefs 2.11's lfs.h, as its comments say. */
#ifndef FAKE_LFS_H
#define FAKE_LFS_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef uint32_t lfs_size_t;
typedef int32_t lfs_ssize_t;
typedef int32_t lfs_soff_t;
enum { LFS_ERR_IO = -5, LFS_ERR_NOENT = -2 };
enum { LFS_O_RDONLY = 1, LFS_O_WRONLY = 2, LFS_O_CREAT = 0x0100, LFS_O_TRUNC = 0x0400 };
#define LFS_FILE_MAX 2147483647
typedef struct lfs {
    int is_mounted;
} lfs_t;
typedef struct lfs_file {
    const char *path;
    uint8_t bytes[128];
    lfs_size_t length, at;
    int flags;
} lfs_file_t;
struct lfs_file_config {
    void *buffer;
};
int lfs_file_opencfg(lfs_t *lfs, lfs_file_t *file, const char *path, int flags,
                     const struct lfs_file_config *config);
lfs_soff_t lfs_file_size(lfs_t *lfs, lfs_file_t *file);
lfs_ssize_t lfs_file_read(lfs_t *lfs, lfs_file_t *file, void *buffer, lfs_size_t size);
lfs_ssize_t lfs_file_write(lfs_t *lfs, lfs_file_t *file, const void *buffer, lfs_size_t size);
int lfs_file_close(lfs_t *lfs, lfs_file_t *file);
int lfs_remove(lfs_t *lfs, const char *path);
#ifdef __cplusplus
}
#endif
#endif
