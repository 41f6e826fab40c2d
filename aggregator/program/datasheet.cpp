// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/datasheet.hpp"

#include "aggregator/program/command_declaration.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/number_option.hpp"
#include "aggregator/store/store.hpp"
#include "aggregator/tally/count.hpp"

#include <fmt/format.h>
#include <set>

namespace sotto::aggregator {
namespace {

held_epochs epochs_of(const store &from) {
    std::set<std::uint32_t> found;
    for (const metric &m : from.metrics()) {
        for (const epoch_record &record : metric_epochs(from, m).epochs()) {
            found.insert(record.epoch);
        }
    }
    return found.empty() ? held_epochs()
                         : held_epochs{*found.begin(), *found.rbegin(), found.size()};
}

} // namespace

exit_code print_datasheet(const datasheet_options &options) {
    const registry known = load_registry(options.registry).content;
    std::optional<held_epochs> held;
    if (!options.store.empty()) {
        held = epochs_of(store::to_read(options.store));
    }
    fmt::print("{}", format_of(options.format)
                         .datasheet(datasheet_of(known, options.registry, held, options.shuffled)));
    return exit_code::done;
}

void declare_datasheet(CLI::App &program, action &chosen) {
    const auto [sub, options] = add_command(
        program, chosen, "datasheet",
        "Write a data sheet to sign: promise, spending, trust, accuracy", print_datasheet);
    add_registry(sub, options->registry);
    sub->add_option("--store", options->store, "Say which epochs this store holds")
        ->type_name("DIR")
        ->check(not_empty);
    add_number(sub, "--shuffled", options->shuffled,
               "Say what a relay that mixes reports of N devices adds; never charged", 2,
               shuffled_devices_max)
        ->type_name("N");
    add_format(sub, options->format, &output_format::datasheet);
}

} // namespace sotto::aggregator
