// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/command_declaration.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/number_option.hpp"

namespace sotto::aggregator {
namespace {

void add_tally(CLI::App &program, action &chosen) {
    const auto [sub, options] =
        add_command(program, chosen, "tally",
                    "Count the reports of a store and keep the counts in it; or count one part of "
                    "the reports into a file, for sotto merge",
                    tally);
    add_registry(sub, options->registry);
    add_store(sub, options->store);
    add_number(sub, "--epoch", options->epoch, "Only this epoch")->type_name("E");
    sub->add_option("--part", options->part,
                    "Only part I of N, 0/N to N-1/N; changes nothing in the store")
        ->type_name("I/N")
        ->check(not_empty);
    sub->add_option("--out", options->out, "Also write the tallies here")
        ->type_name("FILE")
        ->check(not_empty);
    sub->add_option("--region-key", options->region_key,
                    "Write to --out what can be added to other stores' tallies; any file that all "
                    "of them have and no device")
        ->type_name("FILE")
        ->check(not_empty);
}

void add_merge(CLI::App &program, action &chosen) {
    const auto [sub, options] = add_command(
        program, chosen, "merge",
        "Add up tallies of parts, or of regions; the same one twice counts once", merge);
    add_registry(sub, options->registry);
    sub->add_option("--store", options->store, "The store that the parts were counted in")
        ->type_name("DIR")
        ->check(not_empty);
    sub->add_option("--into", options->into,
                    "Or a store without reports, made where there is none; it takes whole tallies")
        ->type_name("DIR")
        ->check(not_empty);
    sub->add_option("--out", options->out, "Or a file to write")
        ->type_name("FILE")
        ->check(not_empty);
    sub->add_option("files", options->files, "Tally files")->type_name("FILE")->required();
}

void add_epoch_reports(CLI::App *sub, close_options &options) {
    add_number(
        sub, "--epoch-reports", options.epoch_reports,
        "Reports that an epoch of this fleet usually has, where the store's epochs do not agree; "
        "an epoch with less than 1 % of it is not the newest",
        1)
        ->type_name("N");
}

void add_ends_of_epochs(CLI::App &program, action &chosen) {
    const auto [close_sub, to_close] =
        add_command(program, chosen, "close",
                    "Take no more reports of an epoch and of those before it: later ones are "
                    "rejected, and counted as too late",
                    close_store);
    add_store(close_sub, to_close->store);
    add_number(close_sub, "--epoch", to_close->epoch, "The last epoch to close")
        ->type_name("E")
        ->required();
    add_epoch_reports(close_sub, *to_close);
    const auto [expire_sub, to_expire] =
        add_command(program, chosen, "expire",
                    "Close an epoch and those before it, and remove their reports for good; their "
                    "tallies stay, so that estimates can still be made",
                    expire);
    add_store(expire_sub, to_expire->store);
    add_number(expire_sub, "--epoch", to_expire->epoch, "The last epoch to expire")
        ->type_name("E")
        ->required();
    add_epoch_reports(expire_sub, *to_expire);
}

void add_export(CLI::App &program, action &chosen) {
    const auto [sub, options] = add_command(
        program, chosen, "export",
        "Write estimates, or noised reports, as a file with typed columns", export_table);
    add_registry(sub, options->registry);
    add_store(sub, options->store);
    sub->add_option("--rows", options->rows, "The noised reports of this metric, not estimates")
        ->type_name("METRIC")
        ->check(not_empty);
    add_number(sub, "--epoch", options->epoch, "Only this epoch")->type_name("E");
    sub->add_option("--format", options->format, "As what; else as the file's name ends")
        ->check(CLI::IsMember({"parquet", "arrow"}));
    sub->add_option("--out", options->out, "The file to write")
        ->type_name("FILE")
        ->required()
        ->check(not_empty);
}

void add_verify(CLI::App &program, action &chosen) {
    const auto [sub, options] =
        add_command(program, chosen, "verify",
                    "Read every byte of a store, count again and compare; exit 3 when anything "
                    "differs",
                    verify_store);
    add_store(sub, options->store);
}

} // namespace

void declare_store_commands(CLI::App &program, action &chosen) {
    add_tally(program, chosen);
    add_merge(program, chosen);
    add_ends_of_epochs(program, chosen);
    add_export(program, chosen);
    add_verify(program, chosen);
}

} // namespace sotto::aggregator
