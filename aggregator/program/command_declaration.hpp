// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_COMMAND_DECLARATION_HPP
#define SOTTO_AGGREGATOR_PROGRAM_COMMAND_DECLARATION_HPP

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/program/formats.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace sotto::aggregator {

// The chosen command with its options, to be run.
using action = std::function<exit_code()>;

// Adds a subcommand and the options object that its options are bound to.
template <typename Options>
std::pair<CLI::App *, Options *> add_command(CLI::App &program, action &chosen, const char *name,
                                             const char *about, exit_code (*run)(const Options &)) {
    CLI::App *sub = program.add_subcommand(name, about);
    auto options = std::make_shared<Options>();
    sub->callback([&chosen, run, options] { chosen = [run, options] { return run(*options); }; });
    return {sub, options.get()};
}

// Where an empty text would mean "not given".
inline std::string not_empty(const std::string &text) {
    return text.empty() ? "must not be empty" : "";
}

// Options that several commands share; each sets `path`.
inline void add_registry(CLI::App *sub, std::string &path) {
    sub->add_option("--registry", path, "metrics.json, as sotto-registry compile wrote it")
        ->type_name("M.json")
        ->required();
}

inline void add_private_key(CLI::App *sub, std::string &path) {
    sub->add_option("--key", path,
                    "Private key, or a directory of keys that end in .key: opens what is sealed")
        ->type_name("FILE-OR-DIR")
        ->check(not_empty);
}

// The formats that have the answer: "table, csv or json", and what is to be said of the last.
template <typename Answer>
void add_format(CLI::App *sub, std::string &name, Answer output_format::*answer,
                const std::string &on_last = "") {
    const std::vector<std::string> names = format_names(answer);
    const std::vector<std::string> first(names.begin(), names.end() - 1);
    sub->add_option("--format", name, joined(first) + " or " + names.back() + on_last)
        ->type_name("FORMAT")
        ->check(CLI::IsMember(names));
}

inline void add_store(CLI::App *sub, std::string &path) {
    sub->add_option("--store", path, "Directory that sotto ingest filled")
        ->type_name("DIR")
        ->required();
}

// The commands that change a store or prove it, ingest apart.
void declare_store_commands(CLI::App &program, action &chosen);
void declare_datasheet(CLI::App &program, action &chosen);
void declare_schedule(CLI::App &program, action &chosen);

} // namespace sotto::aggregator
#endif
