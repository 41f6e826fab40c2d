// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/ingest.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/progress.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

constexpr std::size_t files_named_max = 20;

// Which files the rejects came from, when there are several.
void print_files(const std::vector<std::pair<std::string, rejections>> &rejected) {
    for (std::size_t i = 0; i < std::min(rejected.size(), files_named_max); ++i) {
        fmt::print("  {}: {}\n", rejected[i].first, rejected[i].second.text());
    }
    if (rejected.size() > files_named_max) {
        fmt::print("  and {} more\n", counted(rejected.size() - files_named_max, "file"));
    }
}

class ingest_command {
  public:
    explicit ingest_command(const store &to) : ingest_(to) {}

    void add(const std::string &path) {
        file_result result;
        try {
            envelope_file file(path);
            result = ingest_.add(file, [&] {
                progress_.show(ingest_.envelopes() + ++envelopes_,
                               share_of(file.read_bytes(), file.size_bytes()));
            });
        } catch (const failure &error) {
            complain(error.code(), error.what());
            return;
        }
        envelopes_ = 0;
        if (!result.readable) {
            const std::string why = result.rejected.text();
            complain(exit_code::usage,
                     path + ": nothing readable: " + (why.empty() ? "empty" : why));
        }
        if (result.rejected.total() > 0) {
            rejected_.emplace_back(path, result.rejected);
        }
    }

    exit_code finish(bool strict, bool several) {
        ingest_.finish();
        fmt::print("{} from {} in {}\n", counted(ingest_.reports(), "report"),
                   counted(ingest_.envelopes(), "envelope"), seconds_text(watch_.seconds()));
        const rejections &rejected = ingest_.rejected();
        if (rejected.total() > 0) {
            fmt::print("rejected {}: {}\n", grouped(rejected.total()), rejected.text());
        }
        if (several) {
            print_files(rejected_);
        }
        if (code_ == exit_code::done && strict && rejected.total() > 0) {
            return exit_code::rejects;
        }
        return code_;
    }

  private:
    void complain(exit_code code, const std::string &line) {
        fmt::print(stderr, "sotto: {}\n", line);
        code_ = std::max(code_, code);
    }

    ingest ingest_;
    stopwatch watch_;
    progress progress_{"envelopes"};
    std::uint64_t envelopes_ = 0; // of the file that is being read
    std::vector<std::pair<std::string, rejections>> rejected_;
    exit_code code_ = exit_code::done;
};

} // namespace

exit_code ingest_files(const ingest_options &options) {
    const registry_file registry = load_registry(options.registry);
    store to = store::to_write(options.store);
    to.keep(registry);
    ingest_command command(to);
    for (const std::string &file : options.files) {
        command.add(file);
    }
    return command.finish(options.strict, options.files.size() > 1);
}

} // namespace sotto::aggregator
