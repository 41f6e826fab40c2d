// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_INGEST_HPP
#define SOTTO_AGGREGATOR_STORE_INGEST_HPP

#include "aggregator/report/check.hpp"
#include "aggregator/report/envelope_file.hpp"
#include "aggregator/report/reason.hpp"
#include "aggregator/store/account.hpp"
#include "aggregator/store/append.hpp"
#include "aggregator/store/row_list.hpp"
#include "aggregator/store/store.hpp"

#include <functional>
#include <map>

namespace sotto::aggregator {

// Counts of one file.
struct file_result {
    std::uint64_t envelopes = 0;
    bool readable = false; // at least one batch could be read, whatever was in it
    rejections rejected;   // duplicates and conflicts are known only in the end

    // May another key, another registry or a newer program read more of it?
    bool is_unfinished() const;
};

// Opens a sealed envelope: the bytes of its batch, or why not. Used by one thread.
using envelope_opener = std::function<std::variant<std::string, reason>(const envelope &)>;

// Takes report files into a store, in bounded memory. A file that add() took is in the store after
// finish(), or before. A run that was killed is simply repeated.
class ingest {
  public:
    // Admits reports of these registries. `open` is called for the store each time that there is
    // something to be added: until then it need not exist.
    ingest(std::vector<registry> admitted, std::function<const store &()> open);
    // Admits the registries that the store keeps; it must outlive this.
    explicit ingest(const store &home);

    // Before the first file: the store as it is until it is opened. It says which epochs are
    // closed, so that late reports are accounted for by their file, and which files are known.
    void know(store before);

    // Opens what is sealed, on all cores, with openers from here; without, it is rejected.
    void open_with(const std::function<envelope_opener()> &make);

    // Opens the store, and lets go of what it was before.
    const store &opened();

    // Reads a file to its end; `progress` is called now and then. The store keeps nothing of a file
    // in which nothing is readable. Errors: environment_error.
    file_result add(
        envelope_file &from, const std::function<void()> &progress = [] {});
    void finish();

    std::uint64_t envelopes() const noexcept { return envelopes_; }
    std::uint64_t reports() const noexcept { return reports_; } // new in the store
    const rejections &rejected() const noexcept { return rejected_; }

  private:
    struct pending_rows {
        const metric *subject;
        row_list rows;
        row_list ended; // closed epochs' rows of the file that is read
    };
    // A registry's rules for a metric id, and where its reports go.
    struct target {
        report_rules rules;
        pending_rows *rows;
    };
    struct admitted_registry {
        registry content;
        value_layouts layouts;
        std::vector<std::optional<target>> targets; // by metric id
    };

    using opened_batch = std::variant<std::string, reason>;
    // The file that is being read.
    struct reading {
        envelope_file &from;
        file_result result; // its rejects: since the last settling
        file_account account;
    };

    // Envelopes that are read together, one behind the other.
    class block {
      public:
        void put(std::string_view envelope, std::uint64_t end_in_file) {
            bytes_ += envelope;
            ends_.push_back({bytes_.size(), end_in_file});
        }
        void clear() {
            bytes_.clear();
            ends_.clear();
        }
        std::size_t size() const { return ends_.size(); }
        std::size_t bytes() const { return bytes_.size(); }
        std::string_view envelope(std::size_t i) const {
            const std::size_t begin = i == 0 ? 0 : ends_[i - 1].here;
            return std::string_view(bytes_).substr(begin, ends_[i].here - begin);
        }
        std::uint64_t end_in_file(std::size_t i) const { return ends_[i].in_file; }

      private:
        struct end {
            std::size_t here;
            std::uint64_t in_file;
        };
        std::string bytes_;
        std::vector<end> ends_;
    };
    // The batch that an envelope holds. Without a source it is refused: why, and by which id.
    struct incoming {
        const admitted_registry *source = nullptr;
        std::string_view batch;
        reason refused = reason::malformed;
        std::optional<std::uint32_t> id;
    };

    void add_in_blocks(reading &reading_now, const std::function<void()> &progress);
    void add_block(const block &from, reading &reading_now, const std::function<void()> &progress);
    void settle_before(std::uint64_t end_bytes, reading &reading_now);
    file_record settle_all(reading &reading_now);
    void keep(const file_record &record);
    std::vector<opened_batch> open_all(const block &from);
    incoming look_at(std::string_view bytes, const opened_batch &opened) const;
    void add_incoming(const incoming &envelope, const batch_view *batch, file_result &result);
    void add_batch(const batch_view &batch, const admitted_registry &source, file_result &result);

    void look_up_ended(file_result &result);
    void add_rows(std::span<const new_rows> rows);

    std::function<const store &()> open_;
    bool is_open_ = false;
    std::optional<store> before_;                           // the store as it was before
    known_accounts known_;                                  // accounts of either store
    std::optional<std::uint32_t> closed_;                   // through which epoch
    std::map<std::uint32_t, admitted_registry> registries_; // by fingerprint
    std::map<std::uint32_t, pending_rows> pending_;         // by metric fingerprint
    std::vector<envelope_opener> openers_;                  // one a thread
    batch_reader reader_;
    std::vector<batch_bytes> batches_; // its input
    std::size_t pending_bytes_ = 0;
    std::uint64_t envelopes_ = 0, reports_ = 0;
    rejections rejected_;
};

} // namespace sotto::aggregator
#endif
