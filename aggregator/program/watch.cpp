// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/log.hpp"
#include "aggregator/base/printable.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/candidates.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/stop_signal.hpp"
#include "aggregator/seal/key.hpp"
#include "aggregator/store/incoming.hpp"
#include "aggregator/store/store.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace sotto::aggregator {
namespace {

namespace fs = std::filesystem;

class watcher {
  public:
    watcher(const watch_options &options, std::function<bool()> stops)
        : options_(options), coming_(options.in, std::move(stops)) {
        (void)own_directory(taken_);
        (void)own_directory(refused_);
    }

    // Files since the last time. The disk may be full or the store held by another program: the
    // files stay where they are, for the next round.
    void round() {
        try {
            look_for_store();
            if (const std::vector<fs::path> files = coming_.look(); !files.empty()) {
                take(files);
                look_for_store();
            }
            const std::string now = store::stamp(store_);
            if (fs::exists(store_) && (now != drawn_ || !fs::exists(options_.estimate.out))) {
                tell(write_estimate(options_.estimate));
                drawn_ = now;
            }
        } catch (const std::bad_alloc &) {
            log_line(fmt::format("out of memory; tried again in {} s", options_.interval_seconds));
        } catch (const std::exception &error) {
            log_line(
                fmt::format("{}; tried again in {} s", error.what(), options_.interval_seconds));
        }
        (void)std::fflush(stdout);
        std::clearerr(stdout); // lost output changes no exit code
    }

  private:
    // One that was moved, or whose disk is not mounted any more, is not begun anew.
    void look_for_store() {
        const bool is_there = fs::exists(store_ / "store.json");
        if (has_been_there_ && !is_there) {
            throw environment_error(store_.string() + ": was there and is gone");
        }
        has_been_there_ = is_there;
    }

    // Everything is in the store before any file is moved: whoever is killed in between takes the
    // same reports again, as duplicates.
    void take(const std::vector<fs::path> &files) {
        ingest_options ingest;
        ingest.registry = options_.estimate.registry;
        ingest.store = options_.estimate.store;
        ingest.key = options_.key;
        for (const fs::path &file : files) {
            ingest.files.push_back(file.string());
        }
        const ingested_files ingested = ingest_found(ingest);
        std::set<fs::path> unfinished(ingested.unfinished.begin(), ingested.unfinished.end()),
            failed;
        for (const auto &[file, why] : ingested.failed) {
            coming_.complain(file, why);
            failed.insert(file);
        }
        std::uint64_t refused = 0;
        for (const fs::path &file : files) {
            if (unfinished.contains(file)) {
                refused += coming_.move(file, refused_) ? 1 : 0;
            } else if (!failed.contains(file)) {
                (void)coming_.move(file, taken_);
            }
        }
        if (refused > 0) {
            say(fmt::format("{} moved to {}\n", counted(refused, "file"),
                            printable(refused_.string())));
        }
    }

    // Remarks on the estimates, once as long as they stay the same.
    void tell(const std::vector<std::string> &remarks) {
        for (const std::string &remark : remarks) {
            if (!told_.contains(remark)) {
                log_line(remark);
            }
        }
        told_ = {remarks.begin(), remarks.end()};
    }

    const watch_options &options_;
    incoming coming_;
    fs::path taken_ = fs::path(options_.in) / "ingested",
             refused_ = fs::path(options_.in) / "refused";
    fs::path store_ = options_.estimate.store;
    bool has_been_there_ = false;
    std::optional<std::string> drawn_; // the store's stamp when the page was drawn
    std::set<std::string> told_;
};

// Whether the file of this path is in the directory, or the one that it leads to.
bool is_file_in(const fs::path &directory, const fs::path &path) {
    std::error_code none;
    const auto parent_is_it = [&](const fs::path &file) {
        return fs::equivalent(file.has_parent_path() ? file.parent_path() : ".", directory, none);
    };
    return parent_is_it(path) || parent_is_it(fs::weakly_canonical(path, none));
}

// Every file in --in is moved away from there: none may be the operator's own.
void check_apart(const watch_options &options) {
    std::error_code none;
    const auto refuse = [&](const char *option, const std::string &path) {
        throw usage_error(fmt::format("{} {}: in the directory of --in, from where every file is "
                                      "moved away; it must be elsewhere",
                                      option, path));
    };
    const estimate_options &page = options.estimate;
    for (const auto &[option, path] : std::initializer_list<std::pair<const char *, std::string>>{
             {"--registry", page.registry},
             {"--key", options.key},
             {"--candidates", page.candidates},
             {"--out", page.out}}) {
        if (fs::is_directory(path, none) ? fs::equivalent(path, options.in, none)
                                         : !path.empty() && is_file_in(options.in, path)) {
            refuse(option, path);
        }
    }
    if (fs::equivalent(page.store, options.in, none)) {
        refuse("--store", page.store);
    }
    check_is_no_input(page.out, {page.registry, page.candidates, options.key});
    check_outside_stores("--in", options.in);
}

} // namespace

exit_code watch(const watch_options &options) {
    log_as(options.log_style == "json" ? log_format::json : log_format::text);
    // An error at the start would stay.
    (void)load_registry(options.estimate.registry);
    if (!options.key.empty()) {
        (void)read_private_keys(options.key);
    }
    if (!options.estimate.candidates.empty()) {
        (void)read_candidates(options.estimate.candidates);
    }
    if (!fs::is_directory(options.in)) {
        throw usage_error(options.in + ": no such directory");
    }
    check_apart(options);
    outlive_readers();
    const stop_signal stop;
    watcher w(options, [&stop] { return stop.has_come(); });
    do {
        w.round();
    } while (!stop.within(std::chrono::seconds(options.interval_seconds)));
    return exit_code::done;
}

} // namespace sotto::aggregator
