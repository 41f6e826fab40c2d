// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_SEGMENT_HPP
#define SOTTO_AGGREGATOR_STORE_SEGMENT_HPP

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/store/ledger.hpp"
#include "aggregator/store/rows.hpp"

#include <filesystem>
#include <memory>

namespace sotto::aggregator {

// An immutable file of sorted, distinct rows of one metric: a sorted run. Integers are big-endian:
//   "SOTTOSEG" 8, format 4, metric fingerprint 4, row bytes 4, zero 4, rows…, rows 8, checksum 8
// The checksum covers everything before it; it finds damage, not malice.
class segment {
  public:
    // Errors: environment_error when it can't be read, is damaged, or is not what the record says.
    segment(const std::filesystem::path &directory, const segment_record &as, const metric &m);
    // A segment of a file that is held already. Errors: as above.
    segment(const std::filesystem::path &directory, const segment_record &as, const metric &m,
            std::shared_ptr<const mapped_file> file);

    row_range rows() const noexcept { return rows_; }
    const segment_record &record() const noexcept { return record_; }
    // Reads it all. Errors: environment_error.
    void verify() const;
    // Gives the memory of the rows before `up_to` back.
    void release(row_view up_to) const noexcept;

  private:
    [[noreturn]] void fail(const char *what) const;

    std::filesystem::path path_;
    segment_record record_;
    std::shared_ptr<const mapped_file> file_;
    row_range rows_;
};

// Writes a segment, rows in their order, under a name of its own: no segment takes another's place,
// whatever is in it. Durable when `files` are. Errors: environment_error, and nothing is left
// behind.
class segment_writer {
  public:
    // `directory` is the store's; the metric's own within it is made when there is a row. The name
    // is the number of the ledger's next commit, or the next that is not taken.
    segment_writer(const std::filesystem::path &directory, const metric &m, ledger &book,
                   unsynced_files &files);
    ~segment_writer();

    // Rows of the metric, behind those added before in their order.
    void add(row_range rows);
    // Nothing when there was no row.
    std::optional<segment_record> commit();

  private:
    struct output;

    std::filesystem::path directory_;
    segment_record record_;
    std::size_t width_;
    std::string prefix_;
    std::uint64_t number_;
    unsynced_files &files_;
    std::unique_ptr<output> out_;
};

// Files of segments end so.
inline constexpr const char *segment_extension = ".seg";

} // namespace sotto::aggregator
#endif
