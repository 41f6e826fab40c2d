// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_REGION_TALLY_HPP
#define SOTTO_AGGREGATOR_TALLY_REGION_TALLY_HPP

#include "aggregator/tally/release_sample.hpp"
#include "aggregator/tally/tally_file.hpp"

namespace sotto::aggregator {

// One store's part of a sum over stores that have no report in common: whole tallies, and samples
// of their releases.
struct region_tallies {
    std::string name; // the file's, for messages
    std::uint64_t key_check = 0;
    std::vector<partial_tally> tallies;
    std::vector<release_sample> samples; // one a tally
};

// "SOTTOREG" 8, format 4, key check 8, bytes of entries 8, entries as in a tally file. Each entry
// then has its number of hashes 4 and the hashes 8. A checksum 8 is last. Errors: usage_error
// "path: what" when it is more than tally_file_bytes_max.
std::string region_text(const region_tallies &region, const std::string &path);
// Errors: those, and environment_error.
void write_region(const std::filesystem::path &path, const region_tallies &region);
bool is_region(std::string_view text);
// The text of such a file. Errors: usage_error "path: what" when it is none or is damaged.
region_tallies read_region(const std::string &path, std::string_view text);

// Adds regions up: the counts of a store that has all of their reports. The same tally twice counts
// once. Errors: usage_error when samples show that two share releases, or when keys differ. Also
// when a tally is not possible, or not of a metric of this registry.
region_tallies merge_regions(std::vector<region_tallies> regions, const registry &with);

} // namespace sotto::aggregator
#endif
