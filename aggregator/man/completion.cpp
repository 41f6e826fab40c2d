// SPDX-License-Identifier: Apache-2.0
#include "aggregator/man/page.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::string flag_words(const CLI::App &command) {
    std::string words;
    for (const CLI::Option *option : flags_of(command)) {
        for (const std::string &name : option->get_lnames()) {
            words += (words.empty() ? "--" : " --") + name;
        }
    }
    return words;
}

// "FORMAT:{csv,json}" -> "csv json"; "" where anything is allowed.
std::string choices(const CLI::Option &option) {
    const std::string text = option.get_type_name();
    const std::size_t begin = text.find('{'), end = text.find('}');
    if (begin == std::string::npos || end == std::string::npos) {
        return "";
    }
    std::string words = text.substr(begin + 1, end - begin - 1);
    std::replace(words.begin(), words.end(), ',', ' ');
    return words;
}

// In single quotes, for a shell that knows no escape there.
std::string quoted(const std::string &text) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return out + "'";
}

// With a backslash before each of `special`.
std::string escaped(const std::string &text, std::string_view special) {
    std::string out;
    for (const char c : text) {
        out += (special.find(c) == std::string_view::npos ? "" : "\\") + std::string(1, c);
    }
    return out;
}

bool takes_value(const CLI::Option &option) { return option.get_items_expected_max() > 0; }

// "FORMAT:{csv,json}" -> "FORMAT".
std::string value_name(const CLI::Option &option) {
    const std::string text = option.get_type_name();
    return text.substr(0, text.find(':'));
}

// '--format[How]:FORMAT:(csv json)', for _arguments.
std::string zsh_argument(const CLI::Option &option, const std::string &name) {
    const std::string words = choices(option);
    const std::string value = fmt::format(":{}:{}", escaped(value_name(option), ":\\"),
                                          words.empty() ? "_files" : "(" + words + ")");
    return quoted(fmt::format("--{}{}[{}]{}", name, takes_value(option) ? "=" : "",
                              escaped(option.get_description(), "[]\\:"),
                              takes_value(option) ? value : ""));
}

std::string fish_option(const CLI::Option &option, const std::string &name) {
    const std::string words = choices(option);
    return fmt::format("-l {}{} -d '{}'", name,
                       !takes_value(option) ? ""
                       : words.empty()      ? " -r -F"
                                            : " -x -a '" + words + "'",
                       escaped(option.get_description(), "'\\"));
}

} // namespace

std::string bash_completion(const CLI::App &program) {
    std::string commands, words_of, values_of;
    for (const CLI::App *command : program.get_subcommands({})) {
        const std::string &name = command->get_name();
        commands += (commands.empty() ? "" : " ") + name;
        words_of += fmt::format("    {}) flags='{}' ;;\n", name, flag_words(*command));
        for (const CLI::Option *option : flags_of(*command)) {
            if (const std::string words = choices(*option); !words.empty()) {
                values_of +=
                    fmt::format("    '{} {}') words='{}' ;;\n", name, option->get_name(), words);
            }
        }
    }
    return fmt::format(
        R"(# Completion of sotto for bash; made by the build from the program's own options.
_sotto() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
    local command=${{COMP_WORDS[1]}} flags='' words=''
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W '{0} {1}' -- "$current")
        return
    fi
    case $command in
{2}    esac
    case "$command $before" in
{3}    esac
    if [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
    fi
}}
complete -o default -F _sotto sotto
)",
        commands, flag_words(program), words_of, values_of);
}

std::string zsh_completion(const CLI::App &program) {
    std::string commands, arguments;
    for (const CLI::App *command : program.get_subcommands({})) {
        commands +=
            fmt::format("            {}\n", quoted(command->get_name() + ":" +
                                                   escaped(command->get_description(), ":\\")));
        arguments += fmt::format("        {}) _arguments", command->get_name());
        for (const CLI::Option *option : flags_of(*command)) {
            for (const std::string &name : option->get_lnames()) {
                arguments += " \\\n            " + zsh_argument(*option, name);
            }
        }
        arguments += " \\\n            '*:file:_files' ;;\n";
    }
    return fmt::format(R"(#compdef sotto
# Completion of sotto for zsh; made by the build from the program's own options.
_sotto() {{
    local line state
    local -a commands
    _arguments -C '1:command:->command' '*::argument:->argument'
    case $state in
    command)
        commands=(
{0}        )
        _describe command commands
        ;;
    argument)
        case $line[1] in
{1}        esac
        ;;
    esac
}}
if [ "$funcstack[1]" = _sotto ]; then
    _sotto "$@"
else
    compdef _sotto sotto
fi
)",
                       commands, arguments);
}

std::string fish_completion(const CLI::App &program) {
    std::string text = "# Completion of sotto for fish; made by the build from the program's own "
                       "options.\n";
    for (const CLI::App *command : program.get_subcommands({})) {
        const std::string &name = command->get_name();
        text += fmt::format("complete -c sotto -n __fish_use_subcommand -f -a {} -d '{}'\n", name,
                            escaped(command->get_description(), "'\\"));
        for (const CLI::Option *option : flags_of(*command)) {
            for (const std::string &flag : option->get_lnames()) {
                text += fmt::format("complete -c sotto -n '__fish_seen_subcommand_from {}' {}\n",
                                    name, fish_option(*option, flag));
            }
        }
    }
    return text;
}

} // namespace sotto::aggregator
