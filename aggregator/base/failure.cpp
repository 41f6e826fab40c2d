// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/failure.hpp"

#include <cerrno>
#include <system_error>

namespace sotto::aggregator {
namespace {

std::string line(const std::string &path, int error_number) {
    return path + ": " + std::generic_category().message(error_number);
}

} // namespace

environment_error::environment_error(const std::string &path, int error_number)
    : failure(exit_code::environment, line(path, error_number)) {}

void fail_input(const std::string &path, int error_number) {
    if (error_number == ENOENT || error_number == ENOTDIR || error_number == EISDIR) {
        throw usage_error(line(path, error_number));
    }
    throw environment_error(path, error_number);
}

} // namespace sotto::aggregator
