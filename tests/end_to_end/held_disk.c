// SPDX-License-Identifier: Apache-2.0
// A disk to test `sotto serve` on, by LD_PRELOAD. Every sync adds a byte to the file SOTTO_SYNCS,
// and waits while the file SOTTO_HELD exists. It finds no room for a file above SOTTO_ROOM bytes.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void count(void) {
    const char *const path = getenv("SOTTO_SYNCS");
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (file >= 0 && (write(file, "s", 1) != 1 || close(file) != 0)) {
        abort();
    }
}

static void wait_while_held(void) {
    const char *const path = getenv("SOTTO_HELD");
    while (path && access(path, F_OK) == 0) {
        usleep(1000);
    }
}

static int has_room(int file) {
    const char *const room = getenv("SOTTO_ROOM");
    struct stat about;
    return !room || fstat(file, &about) != 0 || !S_ISREG(about.st_mode) ||
           about.st_size <= atol(room);
}

static int sync_by(long call, int file) {
    count();
    wait_while_held();
    if (!has_room(file)) { // a disk that allocates late says so here
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(call, file);
}

int fsync(int file) { return sync_by(SYS_fsync, file); }
int fdatasync(int file) { return sync_by(SYS_fdatasync, file); }
int syncfs(int file) { return sync_by(SYS_syncfs, file); }
