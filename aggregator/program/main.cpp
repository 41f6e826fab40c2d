// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/log.hpp"
#include "aggregator/program/command_line.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>

namespace {

using namespace sotto::aggregator;

int complain(exit_code code, const std::string &line) {
    log_line(line);
    return static_cast<int>(code);
}

} // namespace

int main(int argc, char **argv) {
    try {
        const exit_code code = parse_command_line(argc, argv)();
        errno = EIO; // for output that was lost before
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout.flush()) {
            throw environment_error("standard output", errno);
        }
        return static_cast<int>(code);
    } catch (const failure &error) {
        return complain(error.code(), error.what());
    } catch (const std::filesystem::filesystem_error &error) {
        const std::string where = error.path1().string();
        return complain(exit_code::environment,
                        environment_error(where, error.code().value()).what());
    } catch (const std::system_error &error) { // fmt, writing to standard output
        return complain(exit_code::environment, "standard output: " + error.code().message());
    } catch (const std::bad_alloc &) {
        return complain(exit_code::environment, "out of memory");
    } catch (const std::exception &error) {
        return complain(exit_code::environment, error.what());
    }
}
