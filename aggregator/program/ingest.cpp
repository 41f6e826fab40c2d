// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/ingest.hpp"
#include "aggregator/base/log.hpp"
#include "aggregator/base/printable.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/progress.hpp"
#include "aggregator/seal/open.hpp"
#include "aggregator/store/named_store.hpp"

#include <algorithm>
#include <filesystem>
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

class ingest_command {
  public:
    ingest_command(named_store &target, const keyring *keys, const std::vector<std::string> &files,
                   chosen_by whom)
        : store_(target), whom_(whom),
          ingest_(target.admitted(), [&target]() -> const store & { return target.open(); }) {
        target.tell(ingest_);
        if (keys != nullptr) {
            ingest_.open_with([keys] {
                return [keyed = std::make_shared<opener>(*keys)](
                           const envelope &e) -> std::variant<std::string, reason> {
                    const auto opened = keyed->open(e);
                    if (const reason *why = std::get_if<reason>(&opened)) {
                        return *why;
                    }
                    return std::string(std::get<std::string_view>(opened));
                };
            });
        }
        for (const std::string &file : files) {
            std::error_code unreadable; // is complained about when its turn comes
            const auto size = std::filesystem::file_size(file, unreadable);
            all_bytes_ += unreadable ? 0 : size;
        }
    }

    void add(const std::string &path) {
        file_result result;
        try {
            envelope_file file(path, whom_);
            result = ingest_.add(file, [&] {
                progress_.show(ingest_.envelopes() + ++envelopes_,
                               share_of(read_bytes_ + file.read_bytes(), all_bytes_));
            });
            read_bytes_ += file.size_bytes();
        } catch (const failure &error) {
            if (whom_ == chosen_by::anybody) {
                files_.failed.emplace_back(path, error.what());
            } else {
                complain(error.code(), error.what());
            }
            return;
        }
        envelopes_ = 0;
        if (result.readable) {
            (void)store_.open();
        } else {
            const std::string why = result.rejected.text();
            complain(exit_code::usage,
                     path + ": nothing readable: " + (why.empty() ? "empty" : why));
        }
        if (result.is_unfinished()) {
            files_.unfinished.push_back(path);
        }
        if (result.rejected.total() > 0) {
            rejected_.emplace_back(path, result.rejected);
        }
    }

    ingested_files take_files() { return std::move(files_); }

    exit_code finish(bool strict, std::size_t names_max) {
        ingest_.finish();
        progress_.clear();
        if (code_ != exit_code::done && ingest_.envelopes() == 0) {
            return code_; // no file had any; the errors said why
        }
        say(fmt::format("{} from {} in {}{}\n", counted(ingest_.reports(), "report"),
                        counted(ingest_.envelopes(), "envelope"), seconds_text(watch_.seconds()),
                        store_.is_new() ? ", new store: " + printable(store_.path()) : ""));
        rejections rejected = ingest_.rejected();
        // No rejects: a run that was stopped is simply repeated.
        if (const std::uint64_t again = rejected.count(reason::duplicate); again > 0) {
            say(fmt::format("{}, not counted again\n", counted(again, "duplicate")));
            rejected.forget(reason::duplicate);
        }
        if (rejected.total() > 0) {
            say(fmt::format("rejected {}: {}\n", grouped(rejected.total()), rejected.text()));
        }
        if (names_max > 0) {
            print_files(rejected_, names_max);
        }
        if (code_ == exit_code::done && strict && rejected.total() > 0) {
            return exit_code::rejects;
        }
        return code_;
    }

  private:
    void complain(exit_code code, const std::string &line) {
        progress_.clear();
        log_line(line);
        code_ = std::max(code_, code);
    }

    named_store &store_;
    chosen_by whom_;
    ingest ingest_;
    stopwatch watch_;
    progress progress_{"envelopes"};
    std::uint64_t envelopes_ = 0; // in the file that is being read
    std::uint64_t read_bytes_ = 0, all_bytes_ = 0;
    std::vector<std::pair<std::string, rejections>> rejected_;
    ingested_files files_;
    exit_code code_ = exit_code::done;
};

exit_code ingest_all(const ingest_options &options, chosen_by whom, ingested_files &files) {
    named_store target(options.store, load_registry(options.registry));
    std::optional<keyring> keys;
    if (!options.key.empty()) {
        keys.emplace(read_private_keys(options.key));
    }
    ingest_command command(target, keys ? &*keys : nullptr, options.files, whom);
    for (const std::string &file : options.files) {
        command.add(file);
    }
    const std::size_t names_max = whom == chosen_by::anybody ? options.files.size()
                                  : options.files.size() > 1 ? 20
                                                             : 0;
    const exit_code code = command.finish(options.strict, names_max);
    files = command.take_files();
    return code;
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
