// SPDX-License-Identifier: Apache-2.0
// The host's place of a board's semihosting.
#include <cstdint>
#include <cstdio>

extern "C" void host_print(const char *text) { std::fputs(text, stdout); }
extern "C" void host_print_number(uint32_t number) { std::printf("%u", number); }
