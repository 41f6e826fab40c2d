// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_COMMAND_MISTAKE_HPP
#define SOTTO_AGGREGATOR_PROGRAM_COMMAND_MISTAKE_HPP

#include <string>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace sotto::aggregator {

// Says in one line what is wrong with a command line, and what was meant where that is clear. CLI11
// may say more than one, and may complain of what is missing before it gets to what it does not
// know. Errors: usage_error, always.
[[noreturn]] void fail_parse(const CLI::App &program, const CLI::ParseError &error);
// Complains of a word that is no command. Errors: usage_error, always.
[[noreturn]] void fail_command(const CLI::App &program, const std::string &unknown);

} // namespace sotto::aggregator
#endif
