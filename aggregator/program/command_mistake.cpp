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

// "; did you mean NAME?", of the first that is near to this word.
std::string near_name(const std::vector<std::string> &names, const std::string &unknown) {
    for (const std::string &name : names) {
        if (distance(unknown, name) <= 2) {
            return fmt::format("; did you mean {}?", name);
        }
    }
    return "";
}

std::string near_command(const CLI::App &program, const std::string &unknown) {
    std::vector<std::string> names;
    for (const CLI::App *sub : program.get_subcommands([](const CLI::App *) { return true; })) {
        names.push_back(sub->get_name());
    }
    return near_name(names, unknown);
}

std::string near_option(const CLI::App &command, const std::string &unknown) {
    std::vector<std::string> names;
    for (const CLI::Option *option : command.get_options()) {
        if (!option->get_positional()) {
            names.push_back(option->get_name());
        }
    }
    return near_name(names, unknown.substr(0, unknown.find('=')));
}

// A guess at the unknown argument: a command or option that is near, or a command behind it.
std::string hint(const CLI::App &program, const std::string &unknown) {
    const auto called = program.get_subcommands();
    if (called.empty()) {
        return near_command(program, unknown);
    }
    return program.remaining().empty()
               ? near_option(*called.front(), unknown)
               : fmt::format("; the command comes first: sotto {} ...", called.front()->get_name());
}

// "; expected: sotto COMMAND --NAME TYPE... FILE...": all that the command can't do without.
std::string required_by(const CLI::App &command) {
    std::string options, files;
    for (const CLI::Option *option : command.get_options()) {
        if (option->get_required() && option->get_positional()) {
            files += fmt::format(" {}{}", option->get_type_name(),
                                 option->get_items_expected_max() > 1 ? "..." : "");
        } else if (option->get_required()) {
            options += fmt::format(" {} {}", option->get_name(), option->get_type_name());
        }
    }
    return fmt::format("; expected: sotto {}{}{}", command.get_name(), options, files);
}

std::string line_of(const CLI::App &program, const CLI::ParseError &error) {
    const auto called = program.get_subcommands();
    const std::vector<std::string> unknown = program.remaining(true);
    const auto is = [&](CLI::ExitCodes code) {
        return error.get_exit_code() == static_cast<int>(code);
    };
    const bool missing = is(CLI::ExitCodes::RequiredError);
    if ((missing || is(CLI::ExitCodes::ExtrasError)) && !unknown.empty()) {
        return "unexpected argument: " + in_quotes(unknown.front()) +
               hint(program, unknown.front());
    }
    const std::string message = error.what();
    return message.substr(0, message.find('\n')) +
           (missing && !called.empty() ? required_by(*called.front()) : "");
}

} // namespace

void fail_parse(const CLI::App &program, const CLI::ParseError &error) {
    const auto called = program.get_subcommands();
    throw usage_error(fmt::format("{} (see sotto {}--help)", line_of(program, error),
                                  called.empty() ? "" : called.front()->get_name() + " "));
}

void fail_command(const CLI::App &program, const std::string &unknown) {
    throw usage_error(fmt::format("no command {}{} (see sotto --help)", in_quotes(unknown),
                                  near_command(program, unknown)));
}

} // namespace sotto::aggregator
