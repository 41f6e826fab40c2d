// SPDX-License-Identifier: Apache-2.0
// Commands on a store that has its reports: tally, merge, close, expire, verify.
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/file.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/holdings.hpp"
#include "aggregator/estimate/stray_epochs.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/store/store.hpp"
#include "aggregator/tally/tallies_alone.hpp"
#include "aggregator/tally/update.hpp"
#include "aggregator/tally/verify.hpp"
#include "aggregator/text/remark_words.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <set>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t parts_max = 65536;
constexpr std::size_t region_key_bytes_min = 16, region_key_bytes_max = 1 << 16;

// "2/8"; "" is the whole.
partition read_part(const std::string &text) {
    if (text.empty()) {
        return {};
    }
    partition part;
    const char *end = text.data() + text.size();
    const auto [slash, error] = std::from_chars(text.data(), end, part.index);
    if (error == std::errc() && slash != end && *slash == '/') {
        const auto [stop, two] = std::from_chars(slash + 1, end, part.count);
        if (two == std::errc() && stop == end && part.index < part.count &&
            part.count <= parts_max) {
            return part;
        }
    }
    throw usage_error(fmt::format("--part: {} is not I/N, I from 0 to N - 1, N at most {}",
                                  in_quotes(text), parts_max));
}

std::uint64_t reports_in(const std::vector<partial_tally> &tallies, const registry &with) {
    std::uint64_t sum = 0;
    for (const partial_tally &tally : tallies) {
        for (const metric &m : with.metrics) {
            if (const auto read =
                    m.fingerprint == tally.metric ? read_tally(m, tally.counts) : std::nullopt) {
                for (const level_tally &at : read->highest) {
                    sum += at.reports;
                }
            }
        }
    }
    return sum;
}

// An end is for ever: one typed too high would refuse all that is still to come. A wrong clock's
// report of a far epoch is no reason to let it pass.
void check_end(const store &held, std::uint32_t epoch, std::optional<std::uint64_t> epoch_reports) {
    const std::map<std::uint32_t, std::uint64_t> rows = held.book().rows_by_epoch();
    if (rows.empty()) {
        throw usage_error("--epoch: the store has no reports, so there is nothing to end");
    }
    const auto expired = held.book().expired_through();
    std::vector<std::uint64_t> reports;
    std::uint64_t most = 0; // reports of the largest epoch that can still be expired
    for (const auto &[of_epoch, count] : rows) {
        reports.push_back(count);
        most = expired && of_epoch <= *expired ? most : std::max(most, count);
    }
    const std::uint64_t usual = epoch_reports.value_or(size_to_end_by(reports, most));
    auto newest = std::prev(rows.end());
    std::set<std::uint32_t> stray;
    std::uint64_t stray_rows = 0;
    for (; newest != rows.begin() && is_stray(newest->second, usual); --newest) {
        stray.insert(newest->first);
        stray_rows += newest->second;
    }
    if (epoch <= newest->first) {
        return;
    }
    std::string line = fmt::format("--epoch: {} is above {}, the newest that the store has reports "
                                   "of",
                                   epoch, newest->first);
    if (!stray.empty()) {
        line += fmt::format("; not counted: {} with {}, {} (wrong clocks, or forged){}",
                            in_runs("epoch", stray), counted(stray_rows, "report"), stray_in_words,
                            epoch_reports ? "" : "; --epoch-reports says what an epoch has");
    }
    throw usage_error(line);
}

// "closed: epochs up to 9, expired: epochs up to 3"; "" for an open store.
std::string ends_text(ledger &book) {
    std::vector<std::string> ends;
    if (const auto closed = book.closed_through()) {
        ends.push_back(fmt::format("closed: epochs up to {}", *closed));
    }
    if (const auto expired = book.expired_through()) {
        ends.push_back(fmt::format("expired: epochs up to {}", *expired));
    }
    return joined(ends);
}

void print_tallied(const std::vector<partial_tally> &tallies, const registry &with) {
    fmt::print("{} of {}\n", counted(tallies.size(), "tally", "tallies"),
               counted(reports_in(tallies, with), "release"));
}

sample_key read_region_key(const std::string &path) {
    const std::string secret = read_whole(path, region_key_bytes_max);
    if (secret.size() < region_key_bytes_min) {
        throw usage_error(fmt::format("{}: {}; a region's key has {} at least, which nobody can "
                                      "guess: openssl rand -hex 32",
                                      path, bytes_text(secret.size()), region_key_bytes_min));
    }
    return sample_key(secret);
}

// Tallies in files: parts of one store, or the whole of several.
struct tallies_read {
    std::vector<partial_tally> parts;
    std::vector<region_tallies> regions;
};

tallies_read read_tally_files(const std::vector<std::string> &files) {
    tallies_read read;
    for (const std::string &file : files) {
        const std::string text = read_whole(file, tally_file_bytes_max); // once: it may be a pipe
        if (is_region(text)) {
            read.regions.push_back(read_region(file, text));
        } else {
            std::ranges::move(read_tallies(file, text), std::back_inserter(read.parts));
        }
        if (!read.regions.empty() && !read.parts.empty()) {
            throw usage_error(file + ": regions' tallies are added to each other alone; write all "
                                     "with --region-key");
        }
    }
    return read;
}

} // namespace

exit_code tally(const tally_options &options) {
    check_is_no_input(options.out, {options.registry, options.region_key});
    if (!options.out.empty()) {
        check_outside_stores("--out", options.out);
    }
    const registry given = load_registry(options.registry).content;
    const partition part = read_part(options.part);
    if (!options.part.empty() && options.out.empty()) {
        throw usage_error("--part: a partial tally goes to a file, so --out is needed");
    }
    const bool whole = options.part.empty();
    std::optional<sample_key> key;
    if (!options.region_key.empty()) {
        if (options.out.empty() || !whole) {
            throw usage_error("--region-key: a region's whole tallies go to a file, so --out is "
                              "needed and --part is not allowed");
        }
        key = read_region_key(options.region_key);
    }
    // A directory that is no store must not become one.
    store::check_admissible(options.store, store::to_read(options.store).registries(), given);
    const store held = whole ? store::to_write(options.store) : store::to_read(options.store);
    const registry with = held.completed(given);
    const std::vector<partial_tally> tallies = make_tallies(held, with, options.epoch, part);
    if (whole) {
        (void)commit_tallies(held, tallies, tallied::here);
    }
    if (key) {
        write_region(options.out, sampled(held, with, tallies, *key));
    } else if (!options.out.empty()) {
        write_tallies(options.out, tallies);
    }
    print_tallied(tallies, with);
    std::vector<const metric *> metrics;
    for (const metric &m : with.metrics) {
        metrics.push_back(&m);
    }
    for (const remark &r : what_is_not_counted(held, with, metrics, options.epoch)) {
        fmt::print(stderr, "sotto: {}\n", line_of(r));
    }
    return exit_code::done;
}

exit_code merge(const merge_options &options) {
    if ((options.store.empty() ? 0 : 1) + (options.into.empty() ? 0 : 1) +
            (options.out.empty() ? 0 : 1) !=
        1) {
        throw usage_error("merge: one of --store, --into and --out says where to");
    }
    check_is_no_input(options.out, options.files);
    check_is_no_input(options.out, {options.registry});
    if (!options.out.empty()) {
        check_outside_stores("--out", options.out);
    }
    registry_file file = load_registry(options.registry);
    registry &with = file.content;
    tallies_read read = read_tally_files(options.files);
    if (!options.store.empty()) {
        if (!read.regions.empty()) {
            throw usage_error(
                "--store: it has the reports of one region; --into says where the sum "
                "of regions goes");
        }
        const store held = store::to_read(options.store);
        check_current(held, read.parts); // before anything of a file that anybody may have made
        with = held.completed(std::move(with));
    }
    region_tallies sum;
    if (read.regions.empty()) {
        sum.tallies = merge_tallies(std::move(read.parts), with);
    } else {
        sum = merge_regions(std::move(read.regions), with);
    }
    if (!options.store.empty()) {
        (void)commit_tallies(store::to_write(options.store), sum.tallies);
    } else if (!options.into.empty()) {
        store target = store::to_write(options.into);
        (void)add_tallies_alone(target, file, sum.tallies);
    } else if (sum.samples.empty()) {
        write_tallies(options.out, sum.tallies);
    } else {
        write_region(options.out, sum);
    }
    print_tallied(sum.tallies, with);
    return exit_code::done;
}

exit_code close_store(const close_options &options) {
    check_end(store::to_read(options.store), options.epoch, options.epoch_reports);
    const store held = store::to_write(options.store);
    const auto before = held.book().closed_through();
    close_epochs(held, options.epoch);
    fmt::print("{}{}\n", ends_text(held.book()),
               before && options.epoch <= *before ? ", as before" : "");
    return exit_code::done;
}

exit_code expire(const expire_options &options) {
    check_end(store::to_read(options.store), options.epoch, options.epoch_reports);
    const store held = store::to_write(options.store);
    const std::uint64_t removed = expire_epochs(held, options.epoch);
    fmt::print("{}: {} removed, tallies kept\n", ends_text(held.book()),
               counted(removed, "report"));
    return exit_code::done;
}

exit_code verify_store(const verify_options &options) {
    const store held = store::to_read(options.store);
    if (!std::filesystem::exists(std::filesystem::path(options.store) / "store.json")) {
        throw usage_error(options.store + ": no store: nothing was ever ingested");
    }
    const verification found = verify(held);
    for (const std::string &line : found.problems) {
        fmt::print(stderr, "sotto: {}\n", line);
    }
    if (!found.problems.empty()) {
        fmt::print(stderr,
                   "sotto: {}: {}; but for what is said of each, restore it from a copy, or ingest "
                   "all report files into a new store\n",
                   options.store, counted(found.problems.size(), "problem"));
        return exit_code::environment;
    }
    fmt::print("{} in {}, {}: all is as it was written\n", counted(found.rows, "report"),
               counted(found.segments, "segment"), counted(found.tallies, "tally", "tallies"));
    if (const std::string ends = ends_text(held.book()); !ends.empty()) {
        fmt::print("{}\n", ends);
    }
    if (found.outdated > 0) {
        fmt::print("{} older than the reports; sotto tally makes them again\n",
                   counted(found.outdated, "tally", "tallies"));
    }
    if (found.unrecorded > 0) {
        fmt::print("{} left by a run that was cut; the next ingest removes it\n",
                   counted(found.unrecorded, "file"));
    }
    return exit_code::done;
}

} // namespace sotto::aggregator
