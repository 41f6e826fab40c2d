// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/command_mistake.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto::aggregator {
namespace {

// Changes of one letter, or of two neighbours into each other's place, that make one word the
// other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), last;
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        last = std::exchange(before, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min(
                {before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], last[j - 2] + 1);
            }
        }
    }
    return row.back();
}

// A command that is near to this word.
std::string near_command(const CLI::App &program, const std::string &unknown) {
    for (const CLI::App *command : program.get_subcommands([](const CLI::App *) { return true; })) {
        if (distance(unknown, command->get_name()) <= 2) {
            return fmt::format("; did you mean {}?", command->get_name());
        }
    }
    return "";
}

// A guess at the unknown argument: a command that is near, or one that stands behind it.
std::string hint(const CLI::App &program, const std::string &unknown) {
    const auto called = program.get_subcommands();
    if (called.empty()) {
        return near_command(program, unknown);
    }
    return program.remaining().empty()
               ? ""
               : fmt::format("; the command comes first: sotto {} ...", called.front()->get_name());
}

} // namespace

void fail_parse(const CLI::App &program, const CLI::ParseError &error) {
    const auto called = program.get_subcommands();
    const std::vector<std::string> unknown = program.remaining(true);
    const bool missing = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
    const std::string message =
        missing && !unknown.empty()
            ? "unexpected argument: " + in_quotes(unknown.front()) + hint(program, unknown.front())
            : error.what();
    throw usage_error(fmt::format("{} (see sotto {}--help)", message.substr(0, message.find('\n')),
                                  called.empty() ? "" : called.front()->get_name() + " "));
}

void fail_command(const CLI::App &program, const std::string &unknown) {
    throw usage_error(fmt::format("no command {}{} (see sotto --help)", in_quotes(unknown),
                                  near_command(program, unknown)));
}

} // namespace sotto::aggregator
