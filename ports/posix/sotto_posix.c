/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "sotto_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 10, WAITS_MAX = 1000 };

static int32_t take(void *context, uint8_t *bytes, size_t length_bytes) {
    (void)context;
    size_t have = 0;
    int waits = 0;
    while (have < length_bytes) {
        const ssize_t got = getrandom(bytes + have, length_bytes - have, GRND_NONBLOCK);
        if (got > 0) {
            have += (size_t)got;
        } else if (got < 0 && errno == EAGAIN) {
            const struct timespec pause = {.tv_sec = 0, .tv_nsec = WAIT_MS * 1000000L};
            if (++waits > WAITS_MAX) {
                return SOTTO_ERR_ENTROPY_TIMEOUT;
            }
            (void)nanosleep(&pause, NULL);
        } else if (got == 0 || errno != EINTR) {
            return SOTTO_ERR_ENTROPY_FAILED;
        }
    }
    return (int32_t)have;
}

const sotto_entropy sotto_posix_entropy = {.read = take, .source = SOTTO_SOURCE_CSPRNG};

/* By slot; a new file is written under the second name. */
static const char *const file_names[SOTTO_SLOT_COUNT][2] = {
    {"secret", "secret.next"}, {"state_a", "state_a.next"}, {"state_b", "state_b.next"}};

/* Answers -1 with errno when there is no such directory. */
static int open_directory(const sotto_posix *posix) {
    return open(posix->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int32_t read_whole(int file, uint8_t *bytes, size_t capacity_bytes) {
    struct stat about;
    if (fstat(file, &about) != 0 || about.st_size > INT32_MAX) {
        return SOTTO_ERR_STORAGE;
    }
    const size_t length = (size_t)about.st_size;
    const size_t wanted = length < capacity_bytes ? length : capacity_bytes;
    size_t have = 0;
    while (have < wanted) {
        const ssize_t got = read(file, bytes + have, wanted - have);
        if (got > 0) {
            have += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return SOTTO_ERR_STORAGE;
        }
    }
    return (int32_t)length;
}

static int32_t load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    const int directory = open_directory((const sotto_posix *)context);
    if (directory < 0) {
        return SOTTO_ERR_STORAGE;
    }
    int32_t answer = SOTTO_ERR_STORAGE;
    if (slot < SOTTO_SLOT_COUNT) {
        const int file = openat(directory, file_names[slot][0], O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            answer = read_whole(file, bytes, capacity_bytes);
            (void)close(file);
        } else if (errno == ENOENT) {
            answer = 0;
        }
    }
    (void)close(directory);
    return answer;
}

static int write_whole(int file, const uint8_t *bytes, size_t length_bytes) {
    size_t written = 0;
    while (written < length_bytes) {
        const ssize_t now = write(file, bytes + written, length_bytes - written);
        if (now >= 0) {
            written += (size_t)now;
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return fsync(file);
}

/* A new file under another name takes the place of the old one only when its bytes are durable. */
static int replace(int directory, const char *const names[2], const uint8_t *bytes,
                   size_t length_bytes) {
    const char *const next = names[1];
    if (unlinkat(directory, next, 0) != 0 && errno != ENOENT) {
        return -1;
    }
    const int file = openat(directory, next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return -1;
    }
    int failed = write_whole(file, bytes, length_bytes);
    failed |= close(file);
    if (failed == 0) {
        failed = renameat(directory, next, directory, names[0]);
    }
    if (failed != 0) {
        (void)unlinkat(directory, next, 0);
    }
    return failed;
}

static int erase(int directory, const char *name) {
    return unlinkat(directory, name, 0) == 0 || errno == ENOENT ? 0 : -1;
}

static sotto_status store(void *context, uint32_t slot, const uint8_t *bytes, size_t length_bytes) {
    const sotto_posix *posix = (const sotto_posix *)context;
    const int directory = slot < SOTTO_SLOT_COUNT ? open_directory(posix) : -1;
    if (directory < 0) {
        return SOTTO_ERR_STORAGE;
    }
    int failed = length_bytes == 0 ? erase(directory, file_names[slot][0])
                                   : replace(directory, file_names[slot], bytes, length_bytes);
    failed |= fsync(directory);
    failed |= close(directory);
    return failed == 0 ? SOTTO_OK : SOTTO_ERR_STORAGE;
}

/* A thread that has it already gets an error, not a deadlock. */
static sotto_status lock(void *context) {
    sotto_posix *posix = (sotto_posix *)context;
    return pthread_mutex_lock(&posix->mutex) == 0 ? SOTTO_OK : SOTTO_ERR_BUSY;
}

static void unlock(void *context) {
    sotto_posix *posix = (sotto_posix *)context;
    (void)pthread_mutex_unlock(&posix->mutex);
}

static void make_mutex(pthread_mutex_t *mutex) {
    pthread_mutexattr_t kind;
    (void)pthread_mutexattr_init(&kind);
    (void)pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    (void)pthread_mutex_init(mutex, &kind);
    (void)pthread_mutexattr_destroy(&kind);
}

sotto_port sotto_posix_port(sotto_posix *posix, const char *directory) {
    posix->directory = directory;
    make_mutex(&posix->mutex);
    const sotto_port port = {.context = posix,
                             .load = load,
                             .store = store,
                             .lock = lock,
                             .unlock = unlock,
                             .entropy = &sotto_posix_entropy};
    return port;
}
