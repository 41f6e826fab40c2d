/* SPDX-License-Identifier: Apache-2.0 */
#include "semihosting.h"

enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITE0 = 0x04,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_FLEN = 0x0C,
    SYS_REMOVE = 0x0E,
    SYS_RENAME = 0x0F,
    SYS_GET_CMDLINE = 0x15,
    SYS_EXIT_EXTENDED = 0x20,
    APPLICATION_EXIT = 0x20026
};

static intptr_t call(intptr_t operation, const void *block) {
#if defined(__riscv)
    register intptr_t a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = block;
    /* The three must be uncompressed and in one page, or it is an ordinary breakpoint. */
    __asm__ volatile(".balign 16\n.option push\n.option norvc\n"
                     "slli zero, zero, 0x1f\nebreak\nsrai zero, zero, 7\n.option pop\n"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
    return a0;
#else
    register intptr_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = block;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
#endif
}

static size_t text_length(const char *text) {
    size_t length = 0;
    while (text[length] != '\0') {
        ++length;
    }
    return length;
}

int host_open(const char *path, int mode) {
    const uintptr_t block[3] = {(uintptr_t)path, (uintptr_t)mode, text_length(path)};
    return (int)call(SYS_OPEN, block);
}

int32_t host_read(int handle, void *bytes, size_t length_bytes) {
    const uintptr_t block[3] = {(uintptr_t)handle, (uintptr_t)bytes, length_bytes};
    const intptr_t missing = call(SYS_READ, block);
    return missing < 0 ? -1 : (int32_t)(length_bytes - (size_t)missing);
}

bool host_write(int handle, const void *bytes, size_t length_bytes) {
    const uintptr_t block[3] = {(uintptr_t)handle, (uintptr_t)bytes, length_bytes};
    return call(SYS_WRITE, block) == 0;
}

bool host_close(int handle) {
    const uintptr_t block[1] = {(uintptr_t)handle};
    return call(SYS_CLOSE, block) == 0;
}

int32_t host_length(int handle) {
    const uintptr_t block[1] = {(uintptr_t)handle};
    return (int32_t)call(SYS_FLEN, block);
}

bool host_rename(const char *from, const char *target) {
    const uintptr_t block[4] = {(uintptr_t)from, text_length(from), (uintptr_t)target,
                                text_length(target)};
    return call(SYS_RENAME, block) == 0;
}

bool host_remove(const char *path) {
    const uintptr_t block[2] = {(uintptr_t)path, text_length(path)};
    return call(SYS_REMOVE, block) == 0;
}

void host_print(const char *text) { (void)call(SYS_WRITE0, text); }

void host_print_number(uint32_t number) {
    char digits[11];
    char *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    host_print(at);
}

int host_arguments(char *line, size_t line_bytes, char **argument, int argument_max) {
    uintptr_t block[2] = {(uintptr_t)line, line_bytes};
    if (call(SYS_GET_CMDLINE, block) != 0) {
        return 0;
    }
    int count = -1; /* the first word is the program's name */
    bool inside = false;
    for (char *at = line; *at != '\0'; ++at) {
        if (*at == ' ') {
            *at = '\0';
            inside = false;
        } else if (!inside) {
            inside = true;
            if (++count > argument_max) {
                return argument_max;
            }
            if (count > 0) {
                argument[count - 1] = at;
            }
        }
    }
    return count < 0 ? 0 : count;
}

void host_exit(int code) {
    const uintptr_t block[2] = {APPLICATION_EXIT, (uintptr_t)code};
    (void)call(SYS_EXIT_EXTENDED, block);
    for (;;) {
    }
}
