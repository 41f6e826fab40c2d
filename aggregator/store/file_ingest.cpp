// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/file_ingest.hpp"

#include "aggregator/store/ingest.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

namespace sotto::aggregator {
namespace {

class file_ingest {
  public:
    file_ingest(named_store &target, const keyring *keys, const std::vector<std::string> &files,
                chosen_by whom, const ingest_listener &listener)
        : store_(target), whom_(whom), listener_(listener),
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
            std::uint64_t envelopes = 0;
            result = ingest_.add(file, [&] {
                listener_.progress(ingest_.envelopes() + ++envelopes,
                                   share_done(read_bytes_ + file.read_bytes()));
            });
            read_bytes_ += file.size_bytes();
        } catch (const failure &error) {
            if (whom_ == chosen_by::anybody) {
                made_.files.failed.emplace_back(path, error.what());
            } else {
                complain(error.code(), error.what());
            }
            return;
        }
        if (result.readable) {
            (void)ingest_.opened();
        } else {
            const std::string why = result.rejected.text();
            complain(exit_code::usage,
                     path + ": nothing readable: " + (why.empty() ? "empty" : why));
        }
        if (result.is_unfinished()) {
            made_.files.unfinished.push_back(path);
        }
        if (result.rejected.total() > 0) {
            made_.rejected_of.emplace_back(path, result.rejected);
        }
    }

    ingested finish() {
        ingest_.finish();
        made_.envelopes = ingest_.envelopes();
        made_.reports = ingest_.reports();
        made_.rejected = ingest_.rejected();
        return std::move(made_);
    }

  private:
    void complain(exit_code code, const std::string &line) {
        listener_.complain(code, line);
        made_.code = std::max(made_.code, code);
    }

    double share_done(std::uint64_t bytes) const {
        return all_bytes_ == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(all_bytes_);
    }

    named_store &store_;
    chosen_by whom_;
    const ingest_listener &listener_;
    ingest ingest_;
    std::uint64_t read_bytes_ = 0, all_bytes_ = 0;
    ingested made_;
};

} // namespace

ingested ingest_files_into(named_store &target, const keyring *keys,
                           const std::vector<std::string> &files, chosen_by whom,
                           const ingest_listener &listener) {
    file_ingest run(target, keys, files, whom, listener);
    for (const std::string &file : files) {
        run.add(file);
    }
    return run.finish();
}

} // namespace sotto::aggregator
