// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_TALLY_FILE_HPP
#define SOTTO_AGGREGATOR_TALLY_TALLY_FILE_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/store/merge.hpp"
#include "aggregator/tally/epoch_tally.hpp"

#include <filesystem>
#include <optional>

namespace sotto::aggregator {

// Reading takes up to twenty times as much memory.
inline constexpr std::size_t tally_file_bytes_max = std::size_t{1} << 28;

// Counts of one metric and epoch: of those of so many rows with this digest (see epoch_record)
// whose release hash lies in the partition.
struct partial_tally {
    std::uint32_t metric = 0, epoch = 0; // fingerprint
    std::uint64_t rows = 0, digest = 0;
    partition part;
    std::vector<std::uint8_t> counts; // tally_bytes
};

// "SOTTOTLY" 8, format 4, then each: metric 4, epoch 4, rows 8, digest 8, partition's index 4 and
// count 4, bytes 4, counts; then checksum 8. Big-endian, in order of metric, epoch and partition.
// The same tallies give the same bytes. Errors: usage_error "path: what" when it is more than
// tally_file_bytes_max.
std::string tally_file_text(const std::vector<partial_tally> &tallies, const std::string &path);
// Errors: those, and environment_error.
void write_tallies(const std::filesystem::path &path, const std::vector<partial_tally> &tallies);
// The text of such a file. Errors: usage_error "path: what" when it is none or is damaged.
std::vector<partial_tally> read_tallies(const std::string &path, std::string_view text);

// The entries of such a file alone, as others hold them, too.
std::string entries_text(const std::vector<partial_tally> &tallies);
// Nothing when they are damaged.
std::optional<std::vector<partial_tally>> read_entries(std::span<const std::uint8_t> bytes);

// Adds partitions up to wholes; the same one twice counts once. Errors: usage_error when some are
// missing, are of different rows, contradict each other or are not of a metric of this registry.
std::vector<partial_tally> merge_tallies(std::vector<partial_tally> tallies, const registry &with);

} // namespace sotto::aggregator
#endif
