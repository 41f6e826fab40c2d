// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/printable.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/incoming.hpp"
#include "aggregator/program/stop_signal.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

namespace fs = std::filesystem;

class watcher {
  public:
    explicit watcher(const watch_options &options) : options_(options), coming_(options.in) {
        make_directory(taken_);
        make_directory(refused_);
    }

    // What came since the last time. The disk may be full or the store held by another program: the
    // files stay where they are, for the next round.
    void round() {
        try {
            const std::vector<fs::path> files = coming_.look();
            if (!files.empty()) {
                take(files);
                outdated_ = true;
            }
            if (outdated_ && fs::exists(options_.estimate.store)) {
                (void)print_estimate(options_.estimate);
                outdated_ = false;
            }
        } catch (const std::bad_alloc &) {
            fmt::print(stderr, "sotto: out of memory; tried again in {} s\n",
                       options_.interval_seconds);
        } catch (const std::exception &error) {
            fmt::print(stderr, "sotto: {}; tried again in {} s\n", printable(error.what()),
                       options_.interval_seconds);
        }
        (void)std::fflush(stdout);
    }

  private:
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
        std::vector<std::string> unreadable;
        if (ingest_files(ingest, unreadable) == exit_code::environment) {
            throw environment_error("some files could not be read");
        }
        for (const fs::path &file : files) {
            const bool refused =
                std::find(unreadable.begin(), unreadable.end(), file.string()) != unreadable.end();
            if (coming_.rests(file)) { // else the next round takes what was added meanwhile
                move_into(refused ? refused_ : taken_, file);
            }
        }
    }

    const watch_options &options_;
    incoming coming_;
    fs::path taken_ = fs::path(options_.in) / "ingested",
             refused_ = fs::path(options_.in) / "refused";
    bool outdated_ = true;
};

} // namespace

exit_code watch(const watch_options &options) {
    (void)load_registry(options.estimate.registry); // what is wrong now stays wrong
    if (!fs::is_directory(options.in)) {
        throw usage_error(options.in + ": no such directory");
    }
    const stop_signal stop;
    watcher w(options);
    do {
        w.round();
    } while (!stop.within(std::chrono::seconds(options.interval_seconds)));
    return exit_code::done;
}

} // namespace sotto::aggregator
