// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/string_remarks.hpp"

#include "aggregator/mechanism/mechanism.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

// An interval of what can be: an estimate may be more than all.
longer_texts how_many_are_longer(const estimated &r, const metric &m) {
    const auto possible = [&](double count) {
        return static_cast<std::uint64_t>(std::clamp(count, 0.0, static_cast<double>(r.reports)));
    };
    return {possible(r.ci_low()), possible(std::ceil(r.ci_high())), r.reports,
            mechanism_of(m).strings(m)->max_bytes};
}

} // namespace

void note_stage(const said_of &say, const metric &m, const found_prefixes &found) {
    say(prefixes_detected{found.kept.size(), found.left_out});
    if (found.too_long) {
        say(how_many_are_longer(*found.too_long, m));
    }
    if (found.is_misfit) {
        say(other_texts{found.misfit * found.freedom, found.freedom});
    }
}

void note_strings(const said_of &say, const metric_estimate &found) {
    for (const std::vector<std::string> &those : found.collisions) {
        say(same_bits{named_strings(those)});
    }
    if (!found.undetermined.empty()) {
        say(candidates_undetermined{named_strings(found.undetermined)});
    }
    if (found.screened_out > 0) {
        say(candidates_screened_out{found.screened_out});
    }
    if (found.strings_are_missing) {
        say(strings_missing{found.misfit * found.freedom, found.freedom});
    }
}

} // namespace sotto::aggregator
