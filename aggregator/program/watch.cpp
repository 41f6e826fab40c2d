// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/stop_signal.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace sotto::aggregator {
namespace {

namespace fs = std::filesystem;

// Of one round: the names fit in memory, and the page is not far behind.
constexpr std::size_t files_max = 10'000;

// A writer gives a file its name when it is whole; until then it starts with a dot or ends in .tmp.
bool is_whole(const fs::directory_entry &entry) {
    const std::string name = entry.path().filename().string();
    std::error_code gone;
    return !name.starts_with('.') && !name.ends_with(".tmp") && entry.is_regular_file(gone) &&
           ::access(entry.path().c_str(), R_OK) == 0;
}

// In order of name.
std::vector<fs::path> whole_files(const fs::path &directory) {
    std::vector<fs::path> files;
    for (const fs::directory_entry &entry : fs::directory_iterator(directory)) {
        if (files.size() < files_max && is_whole(entry)) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

class watcher {
  public:
    explicit watcher(const watch_options &options) : options_(options) {
        make_directory(taken_);
        make_directory(refused_);
    }

    // What came since the last time. The disk may be full or the store held by another program: the
    // files stay where they are, for the next round.
    void round() {
        try {
            const std::vector<fs::path> files = whole_files(options_.in);
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
            fmt::print(stderr, "sotto: {}; tried again in {} s\n", error.what(),
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
            fs::rename(file, (refused ? refused_ : taken_) / file.filename());
        }
    }

    const watch_options &options_;
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
