// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_SHARE_HPP
#define SOTTO_AGGREGATOR_TALLY_SHARE_HPP

#include "aggregator/store/row_list.hpp"
#include "aggregator/tally/tally_file.hpp"

namespace sotto::aggregator {

// Counts of all rows whose release hash lies in one partition, by somebody who has no others. The
// tallies say the rows and the digest of the partition alone, and add up to those of the whole.
struct tally_share {
    partition part;
    std::vector<partial_tally> tallies;
};

// Tallies of rows of one metric, in order of epoch. Rows twice count once. Errors: usage_error when
// the metric can't have one of them.
std::vector<partial_tally> tally_rows(const metric &m, const row_list &rows, const partition &part);

// "SOTTOSHR" 8, format 4, partition's index 4 and count 4, entries as in a tally file, checksum 8.
std::string share_text(const tally_share &share);
// Errors: usage_error when it is none or is damaged.
tally_share read_share(std::string_view text);

// Adds all partitions up, in order of metric and epoch. The same share twice counts once. Errors:
// usage_error when one is missing, two contradict each other, or one is of a metric that is not
// among these.
std::vector<partial_tally> add_shares(std::vector<tally_share> shares,
                                      const std::vector<metric> &metrics);

} // namespace sotto::aggregator
#endif
