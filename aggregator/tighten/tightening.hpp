// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TIGHTEN_TIGHTENING_HPP
#define SOTTO_AGGREGATOR_TIGHTEN_TIGHTENING_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/report/decode.hpp"
#include "aggregator/tighten/noise_key.hpp"

#include "sotto/registry.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// From what a release published, what it would have published at a lower level of its ladder. It
// takes no data, only the steps by which a device makes that level (sdk/src/mechanism/ladder.hpp).
// The noise of each step is pseudo-random: of the key, the metric, the release, the step's level
// and what is made more private. So it is the same whenever it is asked again, and by whatever way
// down.
class tightening {
  public:
    // All must outlive it. Errors: usage_error when the metric has no such way down to the level.
    tightening(const metric &m, const sotto_metric &table, std::uint32_t level,
               const noise_key &key);

    // May reports of this level be tightened? Only of a higher one, up to the ladder's top.
    bool starts_at(std::uint32_t level) const;

    // The id that a release goes on with. Without the key nobody can tell which release it is, nor
    // send a report of that release. Errors: environment_error.
    release_id other_id(const report &r) const;

    // The value's words, as the core has them.
    std::vector<std::uint32_t> words(const report &r) const;
    // The value's words, tightened; the report's level must be one to start at. Errors:
    // environment_error.
    std::vector<std::uint32_t> tightened(const report &r) const;

  private:
    using digest = std::array<std::uint8_t, 32>;
    digest derived(std::string_view label, const report &r, std::uint32_t level,
                   const std::vector<std::uint32_t> &words) const;
    void step_down(const report &r, std::uint32_t to_level,
                   std::vector<std::uint32_t> &words) const;

    const metric &m_;
    const sotto_metric &table_;
    std::uint32_t level_;
    noise_key key_;
};

} // namespace sotto::aggregator
#endif
