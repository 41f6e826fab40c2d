// SPDX-License-Identifier: Apache-2.0
// The control of sotto_device_language: GCC and clang take this as an extension of C++17.
struct pair {
    int first;
    int second;
};
pair planted() { return {.first = 1, .second = 2}; }
