// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_FAILURE_HPP
#define SOTTO_AGGREGATOR_BASE_FAILURE_HPP

#include <stdexcept>
#include <string>

namespace sotto::aggregator {

// The program's answer to scripts.
enum class exit_code : int { done = 0, rejects = 1, usage = 2, environment = 3 };

// Stops a command. what() is one line for a person: where, what, and what is allowed.
class failure : public std::runtime_error {
  public:
    failure(exit_code code, const std::string &line) : std::runtime_error(line), code_(code) {}
    exit_code code() const noexcept { return code_; }

  private:
    exit_code code_;
};

// Bad usage, or an input in which nothing is readable.
struct usage_error : failure {
    explicit usage_error(const std::string &line) : failure(exit_code::usage, line) {}
};

// The disk, permissions, entropy: what the command can't help.
struct environment_error : failure {
    explicit environment_error(const std::string &line) : failure(exit_code::environment, line) {}
    // "path: text of the errno value", and what helps when that can be said.
    environment_error(const std::string &path, int error_number);
    int error_number() const noexcept { return error_number_; } // 0 where there is none

  private:
    int error_number_ = 0;
};

// For a path that the user named as an input: a usage_error when there is no such file, else an
// environment_error.
[[noreturn]] void fail_input(const std::string &path, int error_number);

} // namespace sotto::aggregator
#endif
