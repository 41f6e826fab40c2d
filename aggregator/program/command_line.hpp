// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_COMMAND_LINE_HPP
#define SOTTO_AGGREGATOR_PROGRAM_COMMAND_LINE_HPP

#include "aggregator/base/failure.hpp"

#include <functional>

namespace CLI {
class App;
}

namespace sotto::aggregator {

// The command that was called; --help and --version print and ask for nothing more.
// Errors: usage_error.
std::function<exit_code()> parse_command_line(int argc, char **argv);

// All commands and their options; the one that is called is put into `chosen`. Both must outlive
// the parsing.
void declare_commands(CLI::App &program, std::function<exit_code()> &chosen);

} // namespace sotto::aggregator
#endif
