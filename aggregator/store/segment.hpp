// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_SEGMENT_HPP
#define SOTTO_AGGREGATOR_STORE_SEGMENT_HPP

#include "aggregator/base/file.hpp"
#include "aggregator/store/rows.hpp"

#include <filesystem>

namespace sotto::aggregator {

// An immutable file of sorted, distinct rows of one metric. Integers are big-endian:
//   "SOTTOSEG" 8, format 4, metric fingerprint 4, row bytes 4, zero 4, rows 8, checksum 8, rows
// The checksum covers everything else; it finds damage, not malice.
class segment {
  public:
    // Errors: environment_error when it can't be read, is damaged, or is not of this metric.
    segment(const std::filesystem::path &path, const metric &of);

    row_range rows() const noexcept { return rows_; }
    // Reads it all. Errors: environment_error.
    void verify() const;

  private:
    [[noreturn]] void fail(const char *what) const;

    std::filesystem::path path_;
    mapped_file file_;
    row_range rows_;
};

// Writes rows, sorted and distinct, under a name made from the content. Errors: environment_error.
void write_segment(const std::filesystem::path &directory, std::uint32_t fingerprint,
                   row_range rows);

inline constexpr const char *segment_extension = ".seg";

} // namespace sotto::aggregator
#endif
