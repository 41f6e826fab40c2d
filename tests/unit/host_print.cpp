// SPDX-License-Identifier: Apache-2.0
// What semihosting is on a board.
#include <cstdint>
#include <cstdio>

extern "C" void host_print(const char *text) { std::fputs(text, stdout); }
extern "C" void host_print_number(uint32_t number) { std::printf("%u", number); }
