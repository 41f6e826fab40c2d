// SPDX-License-Identifier: Apache-2.0
// The reports of one metric that sotto tighten goes on with, and what it writes of them.
#ifndef SOTTO_AGGREGATOR_TIGHTEN_CHOSEN_REPORTS_HPP
#define SOTTO_AGGREGATOR_TIGHTEN_CHOSEN_REPORTS_HPP

#include "aggregator/store/admitted_batches.hpp"
#include "aggregator/tighten/report_writer.hpp"
#include "aggregator/tighten/tightening.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace sotto::aggregator {

// The report of each release to go on with. It is the wanted level itself where it was published,
// so that nobody gets another drawing of it. Otherwise it is the lowest level above it, or else the
// highest below it. Never a level that a request selected by the release's own value: those are no
// sample.
class chosen_reports {
  public:
    // By epoch, then by release: which reports came together is forgotten. Nothing: none will do.
    using by_release = std::map<std::pair<std::uint32_t, release_id>, std::optional<report>>;

    // Metric and way must outlive it.
    chosen_reports(const metric &m, std::uint32_t level, const tightening &way)
        : m_(m), level_(level), way_(way) {}

    // Reports of other metrics are passed over.
    void add(const std::vector<admitted_report> &batch);

    const by_release &releases() const { return releases_; }
    std::uint32_t level() const { return level_; }
    const tightening &way() const { return way_; }

  private:
    void add(const report &r);
    std::optional<std::size_t> rank_of(const report &r) const;

    const metric &m_;
    std::uint32_t level_;
    const tightening &way_;
    by_release releases_;
};

// Releases: those that were tightened, those at the wanted level or below it, and those without a
// report that will do.
struct tightened_counts {
    std::uint64_t tightened = 0, as_they_are = 0, left_out = 0;
};

// Writes them in the order of the ids that they go on with: their own show in nothing that is
// written. Errors: environment_error.
tightened_counts write_tightened(const chosen_reports &chosen, report_writer &writer);

} // namespace sotto::aggregator
#endif
