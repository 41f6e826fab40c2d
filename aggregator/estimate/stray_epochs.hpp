// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_STRAY_EPOCHS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_STRAY_EPOCHS_HPP

#include "aggregator/store/ledger.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// The most reports of an epoch that two others have 1 % of, among those with ten or more. If
// somebody floods one or two epochs, no other looks small. A few reports are no size of an epoch.
std::optional<std::uint64_t> shared_size(std::vector<std::uint64_t> of_epochs);

// The size that an epoch is compared with before an end that is for ever. Smaller epochs that bear
// each other out may be the fleet beside a flood, or forged beside the fleet. They count once all
// that are below 1 % of `most` have together as many reports as it; until then the size is `most`.
std::uint64_t size_to_end_by(const std::vector<std::uint64_t> &of_epochs, std::uint64_t most);

// The size that an epoch is compared with where nothing is lost by believing it. It is the size
// above, or for too few epochs the least of ten or more.
std::uint64_t usual_reports(std::vector<std::uint64_t> of_epochs);
std::uint64_t usual_reports(std::span<const epoch_record> of_epochs);

// A stray epoch has less than 1 % of that, or one report beside ten or more. Its reports are
// forged, or from devices whose clocks are wrong. It neither stands for what is new nor is put into
// one with others.
inline bool is_stray(std::uint64_t reports, std::uint64_t usual) {
    return reports < usual / 100 + (usual % 100 != 0 ? 1 : 0) || (reports <= 1 && usual >= 10);
}
inline constexpr std::string_view stray_in_words =
    "each with one report or less than 1 % of what epochs usually have";

// How many epochs of a metric are estimated one by one. Anybody can send reports of any number of
// epochs, and strings take up to seconds each.
struct epoch_limits {
    std::size_t newest = 0; // epochs that are not stray
    // A stray epoch counts as part of the fleet when it is no further than this from one that is
    // not stray. First and last epochs of a fleet may well be small.
    std::uint32_t nearby = 0;
};

// Epochs to estimate, and those left out with their reports.
struct epoch_choice {
    std::vector<epoch_record> each;     // rising
    std::set<std::uint32_t> stray, old; // left out
    std::uint64_t stray_reports = 0, old_reports = 0;
};

// `epochs` are a metric's, rising.
epoch_choice choose_epochs(std::span<const epoch_record> epochs, const epoch_limits &limits);

} // namespace sotto::aggregator
#endif
