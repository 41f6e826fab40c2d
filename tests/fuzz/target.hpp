// SPDX-License-Identifier: Apache-2.0
// The parts of a fuzz target. Under clang libFuzzer drives it; elsewhere driver.cpp does, with
// random edits of the seeds, so that every compiler runs it.
#ifndef SOTTO_TESTS_FUZZ_TARGET_HPP
#define SOTTO_TESTS_FUZZ_TARGET_HPP

#include "aggregator/base/failure.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// libFuzzer's name. Stops the program when something is wrong with what was made of the bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

// Sound inputs to begin from.
std::vector<std::string> seeds();

inline void expect(bool held, const char *what) {
    if (!held) {
        std::fprintf(stderr, "fuzz: not so: %s\n", what);
        std::abort();
    }
}

template <typename Read> void read_or_refuse(const Read &read) {
    try {
        read();
    } catch (const sotto::aggregator::failure &error) {
        expect(std::string(error.what()).find('\n') == std::string::npos, "a refusal is one line");
    }
}

#endif
