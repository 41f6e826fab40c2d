/* SPDX-License-Identifier: Apache-2.0 */
/* As much of Arduino's header as a sketch of ours uses. */
#pragma once
#include <stdio.h>

struct HardwareSerial {
    void begin(unsigned long) {}
    void println(const char *text) { (void)puts(text); }
    void println(unsigned number) { (void)printf("%u\n", number); }
};
inline HardwareSerial Serial;
void setup();
void loop();
