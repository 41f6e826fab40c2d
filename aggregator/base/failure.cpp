// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/failure.hpp"

#include <cerrno>
#include <system_error>

namespace sotto::aggregator {
namespace {

// Advice for a person. A file that was taken in before is known by its content, so that it is not
// counted again.
const char *advice(int error_number) {
    switch (error_number) {
    case ENOSPC:
    case EDQUOT:
        return "; make room and run this again: nothing is counted twice";
    case EACCES:
    case EPERM:
    case EROFS:
        return "; with the right to it, run this again: nothing is counted twice";
    case EISDIR:
        return "; name the files in it, as DIR/*";
    default:
        return "";
    }
}

std::string line(const std::string &path, int error_number) {
    return path + ": " + std::generic_category().message(error_number) + advice(error_number);
}

} // namespace

environment_error::environment_error(const std::string &path, int error_number)
    : failure(exit_code::environment, line(path, error_number)), error_number_(error_number) {}

void fail_input(const std::string &path, int error_number) {
    if (error_number == ENOENT || error_number == ENOTDIR || error_number == EISDIR) {
        throw usage_error(line(path, error_number));
    }
    throw environment_error(path, error_number);
}

} // namespace sotto::aggregator
