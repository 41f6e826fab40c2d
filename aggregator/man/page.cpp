// SPDX-License-Identifier: Apache-2.0
#include "aggregator/man/page.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace sotto::aggregator {
namespace {

constexpr const char *exit_status_heading = ".SH EXIT STATUS\n";
// For a command without an exit status of its own.
constexpr const char *exit_status =
    ".TP\n.B 0\nDone.\n"
    ".TP\n.B 2\nBad usage, or an input in which nothing is readable.\n"
    ".TP\n.B 3\nThe environment: disk, permissions, memory, entropy.\n";
constexpr const char *errors_line =
    ".PP\nAn error is one line on standard error: what is wrong, where, and what is allowed.\n";

// A hand-written page in two parts: the text before the options, and the exit status with its
// heading.
std::pair<std::string, std::string> parts_of(const std::string &description) {
    const std::size_t at = std::min(description.find(exit_status_heading), description.size());
    const std::string own = description.substr(at);
    return {description.substr(0, at),
            (own.empty() ? std::string(exit_status_heading) + exit_status : own) + errors_line};
}

// Escapes roff's own characters.
std::string escaped(const std::string &text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else if (c == '\'' && (out.empty() || out.back() == '\n')) {
            out += "\\&'";
        } else if (c == '.' && (out.empty() || out.back() == '\n')) {
            out += "\\&.";
        } else {
            out += c;
        }
    }
    return out;
}

std::string title(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    return fmt::format(".TH \"{}\" 1 \"\" \"sotto " SOTTO_VERSION "\" \"Sotto\"\n", escaped(name));
}

// "FORMAT:{csv,json}" -> "FORMAT".
std::string value_name(const CLI::Option &option) {
    const std::string text = option.get_type_name();
    return text.substr(0, text.find(':'));
}

std::string option_item(const CLI::Option &option) {
    const std::string name =
        option.get_positional() ? option.get_name(true) : option.get_name(false, true);
    const std::string value = option.get_items_expected_max() > 0 ? value_name(option) : "";
    return fmt::format(".TP\n\\fB{}\\fR{}{}\n{}{}\n", escaped(name), value.empty() ? "" : " ",
                       value.empty() ? "" : "\\fI" + escaped(value) + "\\fR",
                       escaped(option.get_description()),
                       option.get_required() ? " (required)" : "");
}

std::string synopsis(const CLI::App &command) {
    std::string text = "\\fBsotto " + escaped(command.get_name()) + "\\fR";
    bool optional = false;
    std::string files;
    for (const CLI::Option *option : command.get_options()) {
        const std::string value = "\\fI" + escaped(value_name(*option)) + "\\fR";
        if (option->get_positional()) {
            files = " " + value + (option->get_items_expected_max() > 1 ? "..." : "");
        } else if (option->get_required()) {
            text += fmt::format(" \\fB{}\\fR {}", escaped(option->get_name()), value);
        } else {
            optional = true;
        }
    }
    return text + (optional ? " [\\fIoptions\\fR]" : "") + files + "\n";
}

} // namespace

std::vector<const CLI::Option *> flags_of(const CLI::App &command) {
    std::vector<const CLI::Option *> flags;
    for (const CLI::Option *option : command.get_options()) {
        if (!option->get_positional()) {
            flags.push_back(option);
        }
    }
    return flags;
}

std::string command_page(const CLI::App &command, const std::string &description) {
    const auto [before_options, exit] = parts_of(description);
    std::string text = title("sotto-" + command.get_name());
    text += fmt::format(".SH NAME\nsotto\\-{} \\- {}\n.SH SYNOPSIS\n{}{}.SH OPTIONS\n",
                        command.get_name(), escaped(command.get_description()), synopsis(command),
                        before_options);
    for (const CLI::Option *option : command.get_options()) {
        text += option_item(*option);
    }
    return text + exit + ".SH SEE ALSO\n.BR sotto (1)\n";
}

std::string program_page(const CLI::App &program, const std::string &description) {
    const auto [before_commands, exit] = parts_of(description);
    std::string text = title("sotto");
    text += fmt::format(".SH NAME\nsotto \\- {}\n.SH SYNOPSIS\n\\fBsotto\\fR \\fIcommand\\fR "
                        "[\\fIoptions\\fR]\n{}.SH COMMANDS\n",
                        escaped(program.get_description()), before_commands);
    for (const CLI::App *command : program.get_subcommands({})) {
        text += fmt::format(".TP\n.BR sotto\\-{} (1)\n{}\n", escaped(command->get_name()),
                            escaped(command->get_description()));
    }
    text += ".SH OPTIONS\n";
    for (const CLI::Option *option : flags_of(program)) {
        text += option_item(*option);
    }
    return text + exit;
}

} // namespace sotto::aggregator
