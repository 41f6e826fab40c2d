// SPDX-License-Identifier: Apache-2.0
// Writes a man page for each command, and the completions. Part of the build, not installed.
//   sotto_man DESCRIPTIONS OUT     COMMAND.roff in DESCRIPTIONS is what a person wrote about it
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/file.hpp"
#include "aggregator/man/page.hpp"
#include "aggregator/program/command_line.hpp"

#include <cstdio>

namespace {

using namespace sotto::aggregator;

constexpr std::size_t description_bytes_max = 1 << 20;

// Without the line that says whose it is; "" where nobody has written one.
std::string description(const std::filesystem::path &directory, const std::string &command) {
    const std::filesystem::path path = directory / (command + ".roff");
    if (!std::filesystem::exists(path)) {
        return "";
    }
    const std::string text = read_whole(path.string(), description_bytes_max);
    return text.substr(text.find('\n') + 1);
}

void write_all(const std::filesystem::path &from, const std::filesystem::path &target) {
    CLI::App program;
    std::function<exit_code()> chosen;
    declare_commands(program, chosen);
    make_directory(target);
    for (const CLI::App *command : program.get_subcommands({})) {
        write_atomically(target / ("sotto-" + command->get_name() + ".1"),
                         command_page(*command, description(from, command->get_name())));
    }
    write_atomically(target / "sotto.bash", bash_completion(program));
    write_atomically(target / "_sotto", zsh_completion(program));
    write_atomically(target / "sotto.fish", fish_completion(program));
    write_atomically(target / "sotto.1", program_page(program, description(from, "sotto")));
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: sotto_man DESCRIPTIONS OUT\n");
        return 2;
    }
    try {
        write_all(argv[1], argv[2]);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "sotto_man: %s\n", error.what());
        return 3;
    }
    return 0;
}
