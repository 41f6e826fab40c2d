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

} // namespace

std::string completion(const CLI::App &program) {
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

} // namespace sotto::aggregator
