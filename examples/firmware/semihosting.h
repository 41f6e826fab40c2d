/* SPDX-License-Identifier: Apache-2.0 */
/* The host's files and terminal, by Arm and RISC-V semihosting ("Semihosting for AArch32 and
 * AArch64" 2.0; RISC-V Semihosting 0.4). Emulators and debuggers only. */
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HOST_READ = 1, HOST_WRITE = 5 }; /* "rb", "wb" */

/* A handle, or negative. */
int host_open(const char *path, int mode);
/* How many bytes were read: fewer than asked at the end of the file. */
int32_t host_read(int handle, void *bytes, size_t length_bytes);
bool host_write(int handle, const void *bytes, size_t length_bytes);
bool host_close(int handle);
/* In bytes, of an open file; negative on failure. */
int32_t host_length(int handle);
/* On the emulators' hosts it replaces what is there, at once. */
bool host_rename(const char *from, const char *target);
bool host_remove(const char *path);
void host_print(const char *text);
void host_print_number(uint32_t number);
/* Splits what follows the program's name at blanks into `line`; returns how many there are. */
int host_arguments(char *line, size_t line_bytes, char **argument, int argument_max);
_Noreturn void host_exit(int code);

#endif
