// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_TESTS_AGGREGATOR_RUN_PROGRAM_HPP
#define SOTTO_TESTS_AGGREGATOR_RUN_PROGRAM_HPP

#include "support.hpp"

#include <cstdlib>
#include <string>
#include <sys/wait.h>

namespace sotto::aggregator::test {

struct program_result {
    int exit = -1; // -1: ended by a signal
    std::string out, err;
};

// Runs `before; sotto arguments` in the directory, and leaves nothing of its own there.
inline program_result run_program(const temporary_directory &in, const std::string &arguments,
                                  const std::string &before = ":") {
    const temporary_directory said;
    const std::string out = said / "out", err = said / "err";
    const int status =
        std::system(("cd " + (in / "").string() + "; " + before + "; exec " SOTTO_PROGRAM " " +
                     arguments + " >" + out + " 2>" + err)
                        .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

} // namespace sotto::aggregator::test
#endif
