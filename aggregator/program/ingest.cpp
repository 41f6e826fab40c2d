// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/log.hpp"
#include "aggregator/base/printable.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/progress.hpp"

#include <algorithm>
#include <optional>

namespace sotto::aggregator {
namespace {

// The files that rejects came from.
void print_files(const std::vector<std::pair<std::string, rejections>> &rejected,
                 std::size_t names_max) {
    for (std::size_t i = 0; i < std::min(rejected.size(), names_max); ++i) {
        say(fmt::format("  {}: {}\n", printable(rejected[i].first), rejected[i].second.text()));
    }
    if (rejected.size() > names_max) {
        say(fmt::format("  and {} more\n", counted(rejected.size() - names_max, "file")));
    }
}

exit_code print(const ingested &made, const named_store &target, bool strict, std::size_t names_max,
                double seconds) {
    if (made.code != exit_code::done && made.envelopes == 0) {
        return made.code; // no file had any; the errors said why
    }
    say(fmt::format("{} from {} in {}{}\n", counted(made.reports, "report"),
                    counted(made.envelopes, "envelope"), seconds_text(seconds),
                    target.is_new() ? ", new store: " + printable(target.path()) : ""));
    rejections rejected = made.rejected;
    // No rejects: a run that was stopped is simply repeated.
    if (const std::uint64_t again = rejected.count(reason::duplicate); again > 0) {
        say(fmt::format("{}, not counted again\n", counted(again, "duplicate")));
        rejected.forget(reason::duplicate);
    }
    if (rejected.total() > 0) {
        say(fmt::format("rejected {}: {}\n", grouped(rejected.total()), rejected.text()));
    }
    if (names_max > 0) {
        print_files(made.rejected_of, names_max);
    }
    if (made.code == exit_code::done && strict && rejected.total() > 0) {
        return exit_code::rejects;
    }
    return made.code;
}

exit_code ingest_all(const ingest_options &options, chosen_by whom, ingested_files &files) {
    named_store target(options.store, load_registry(options.registry), options.ledger);
    std::optional<keyring> keys;
    if (!options.key.empty()) {
        keys.emplace(read_private_keys(options.key));
    }
    const stopwatch watch;
    progress shown("envelopes");
    ingested made = ingest_files_into(
        target, keys ? &*keys : nullptr, options.files, whom,
        {[&](std::uint64_t envelopes, double share) { shown.show(envelopes, share); },
         [&](exit_code, const std::string &line) {
             shown.clear();
             log_line(line);
         }});
    shown.clear();
    files = std::move(made.files);
    const std::size_t names_max = whom == chosen_by::anybody ? options.files.size()
                                  : options.files.size() > 1 ? 20
                                                             : 0;
    return print(made, target, options.strict, names_max, watch.seconds());
}

} // namespace

exit_code ingest_files(const ingest_options &options) {
    ingested_files files;
    return ingest_all(options, chosen_by::user, files);
}

ingested_files ingest_found(const ingest_options &options) {
    ingested_files files;
    (void)ingest_all(options, chosen_by::anybody, files);
    return files;
}

} // namespace sotto::aggregator
