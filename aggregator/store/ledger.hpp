// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_LEDGER_HPP
#define SOTTO_AGGREGATOR_STORE_LEDGER_HPP

#include "aggregator/report/reason.hpp"
#include "aggregator/store/database.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// A segment file that counts. A file that is not recorded was never acknowledged.
struct segment_record {
    std::string name;         // within the store's segments/
    std::uint32_t metric = 0; // fingerprint, as everywhere here
    std::uint64_t rows = 0;
    std::uint32_t epoch_min = 0, epoch_max = 0;
    std::uint64_t checksum = 0;
};

// Rows of one metric and epoch in the store. `digest` is the sum of the rows' checksums: it depends
// on the set of rows, not on their order or segments. An attacker can choose rows that leave the
// sum as it was; then `rows` tells, since rows are only ever added.
struct epoch_record {
    std::uint32_t metric = 0, epoch = 0;
    std::uint64_t rows = 0, conflicts = 0, digest = 0;
};

// Counts that were made of so many rows with this digest.
struct tally_record {
    std::uint32_t metric = 0, epoch = 0;
    std::uint64_t rows = 0, digest = 0; // rows: 0 when an older program made it, which kept none
    std::vector<std::uint8_t> counts;   // see estimate/tally_bytes.hpp
    std::uint64_t checksum = 0;
};

// A report file that was taken in, by its content.
struct file_record {
    std::uint64_t digest = 0, bytes = 0, envelopes = 0;
    std::uint64_t head = 0; // see envelope_file; 0 also where an older program kept none
    rejections rejected;    // none where another file's account holds them, see account.hpp
};

// A registry that was kept, as its file's bytes were then.
struct registry_record {
    std::uint32_t fingerprint = 0;
    std::uint64_t checksum = 0;
};

// A line of the store's history, for each change that was made durable as a whole.
struct commit_record {
    std::uint64_t number = 0;
    std::string command;
    std::uint64_t reports = 0;
};

// The database of a store: which segments, tallies and files count. One writer at a time, and
// readers see the last commit. Its kinds: sqlite_ledger.hpp, postgres_ledger.hpp. Errors:
// environment_error.
class ledger {
  public:
    explicit ledger(std::unique_ptr<database> kept_in) : database_(std::move(kept_in)) {}

    // All in order of what identifies them, so that the answer is a function of the content.
    std::vector<segment_record> segments();
    std::vector<segment_record> segments(std::uint32_t metric);
    std::vector<epoch_record> epochs(std::uint32_t metric);
    std::vector<std::uint32_t> metrics();                   // metrics with epochs
    std::map<std::uint32_t, std::uint64_t> rows_by_epoch(); // all metrics', also expired rows
    std::vector<tally_record> tallies();
    std::optional<tally_record> tally(std::uint32_t metric, std::uint32_t epoch);
    std::vector<commit_record> commits();
    std::uint64_t next_commit(); // its number: none before had it
    std::vector<registry_record> registries();
    rejections rejected();     // over all files
    std::uint64_t conflicts(); // over all epochs
    std::optional<std::uint32_t> closed_through(), expired_through();
    // Faults in the ledger itself, one line each: its pages, and records that contradict each
    // other. Whether a count in it is right, only segments, tallies and registries can say.
    std::vector<std::string> contradictions();

    std::string name() const { return database_->name(); }
    // As of its database.
    std::string file_prefix() const { return database_->file_prefix(); }
    void without_readers(bool wait, const std::function<void()> &act) {
        database_->without_readers(wait, act);
    }

    // Within a transaction.
    transaction begin() { return transaction(*database_); }
    void add(const segment_record &s);
    void remove(const segment_record &s);
    void add(const epoch_record &more); // to what is there
    void put(const tally_record &t);
    void put(const registry_record &r);
    void put(const file_record &f); // in place of what is there of it
    void log(const char *command, std::uint64_t reports);
    void close_through(std::uint32_t epoch);
    void expire_through(std::uint32_t epoch);

  private:
    friend class kept_files;
    std::optional<std::uint32_t> limit(const char *name);
    void raise(const char *name, std::uint32_t epoch);

    std::unique_ptr<database> database_;
};

// The files of a ledger, one at a time. The ledger must stay in its place.
class kept_files {
  public:
    explicit kept_files(ledger &book);

    // The least of the lengths above this one of those with this head, or with none.
    std::optional<std::uint64_t> next_length(std::uint64_t above_bytes, std::uint64_t head);
    std::optional<file_record> find(std::uint64_t bytes, std::uint64_t digest);

  private:
    statement next_length_, file_, rejected_;
};

} // namespace sotto::aggregator
#endif
