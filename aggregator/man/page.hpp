// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MAN_PAGE_HPP
#define SOTTO_AGGREGATOR_MAN_PAGE_HPP

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sotto::aggregator {

// The options that have a name, as they are declared.
std::vector<const CLI::Option *> flags_of(const CLI::App &command);

// Man pages in roff, of a command and of the program. `description` is what a person wrote, in
// roff; where it ends with an EXIT STATUS that stands in place of the usual one.
std::string command_page(const CLI::App &command, const std::string &description);
std::string program_page(const CLI::App &program, const std::string &description);

// Shell scripts that complete commands, options and their choices.
std::string bash_completion(const CLI::App &program);
std::string zsh_completion(const CLI::App &program);
std::string fish_completion(const CLI::App &program);

} // namespace sotto::aggregator
#endif
