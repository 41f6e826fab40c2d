// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/verify.hpp"

#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/tally/count.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace sotto::aggregator {
namespace {

class verifier {
  public:
    explicit verifier(const store &what) : store_(what), expired_(what.book().expired_through()) {}

    verification run() {
        for (const std::string &line : store_.book().contradictions()) {
            problem("ledger.sqlite", line);
        }
        std::vector<std::string> damaged = store_.damaged_registries();
        std::move(damaged.begin(), damaged.end(), std::back_inserter(out_.problems));
        std::set<std::uint32_t> known;
        for (const metric &m : metrics()) {
            known.insert(m.fingerprint);
            try {
                check(m);
            } catch (const failure &error) {
                out_.problems.emplace_back(error.what());
            }
        }
        for (const segment_record &one : store_.book().segments()) {
            if (!known.contains(one.metric)) {
                problem(one.name, "no registry of the store has its metric");
            }
        }
        out_.unrecorded = store_.unrecorded().size();
        return std::move(out_);
    }

  private:
    std::vector<metric> metrics() {
        try {
            return store_.metrics();
        } catch (const failure &error) {
            out_.problems.emplace_back(error.what());
            return {};
        }
    }

    void problem(const std::string &where, const std::string &what) {
        out_.problems.push_back(where + ": " + what);
    }

    void check(const metric &m) {
        const std::vector<segment> segments = store_.segments(m);
        for (const segment &one : segments) {
            one.verify();
            check_rows(one);
            ++out_.segments;
        }
        std::map<std::uint32_t, epoch_record> found = recount(segments, m);
        for (const epoch_record &held : store_.book().epochs(m.fingerprint)) {
            const bool gone = expired_ && held.epoch <= *expired_;
            const auto at = found.find(held.epoch);
            const std::string where = fmt::format("{}, epoch {}", m.name, held.epoch);
            const bool present = at != found.end();
            if (!gone && !present) {
                problem(where, fmt::format("{} in the ledger are in no segment",
                                           counted(held.rows, "report")));
            } else if (!gone) {
                compare(at->second, held, where);
            }
            if (present) {
                found.erase(at);
            }
            check_tally(segments, m, held, gone, where);
        }
        for (const auto &[epoch, unknown] : found) {
            problem(fmt::format("{}, epoch {}", m.name, epoch),
                    "reports that the ledger does not know");
        }
    }

    void compare(const epoch_record &found, const epoch_record &held, const std::string &where) {
        const auto differ = [&](std::uint64_t here, std::uint64_t there, const char *what) {
            problem(where, fmt::format("{} in segments are not the {} of the ledger",
                                       counted(here, what), grouped(there)));
        };
        if (found.rows != held.rows) {
            differ(found.rows, held.rows, "report");
        } else if (found.conflicts != held.conflicts) {
            differ(found.conflicts, held.conflicts, "conflict");
        } else if (found.digest != held.digest) {
            problem(where, "the reports in segments are others than the ledger's");
        }
    }

    void check_rows(const segment &one) {
        const row_range rows = one.rows();
        const segment_record &as = one.record();
        bool sound = !rows.empty() && epoch_of(rows.front()) == as.epoch_min &&
                     epoch_of(rows.back()) == as.epoch_max;
        for (std::size_t i = 1; i < rows.size(); ++i) {
            sound = sound && before(rows[i - 1], rows[i]);
        }
        if (!sound) {
            problem(as.name, "its rows are not in order");
        }
        out_.rows += rows.size();
    }

    std::map<std::uint32_t, epoch_record> recount(std::span<const segment> segments,
                                                  const metric &m) {
        std::map<std::uint32_t, epoch_record> epochs;
        epoch_record *here = nullptr; // of the last row
        merged_rows rows(segments, std::nullopt);
        row_view last;
        for (row_view one = rows.next(); !one.empty(); last = one, one = rows.next()) {
            if (!last.empty() && same(last, one)) {
                problem(fmt::format("{}, epoch {}", m.name, epoch_of(one)),
                        "a report is stored twice");
            }
            if (here == nullptr || here->epoch != epoch_of(one)) {
                here = &epochs[epoch_of(one)];
                here->epoch = epoch_of(one);
            }
            ++here->rows;
            here->conflicts += !last.empty() && same_level(last, one) ? 1 : 0;
            here->digest += checksum(one);
        }
        return epochs;
    }

    void check_tally(std::span<const segment> segments, const metric &m, const epoch_record &held,
                     bool gone, const std::string &where) {
        const auto stored = store_.book().tally(m.fingerprint, held.epoch);
        if (!stored || stored->digest != held.digest) {
            out_.outdated += stored ? 1 : 0;
            if (gone) {
                problem(where, "its reports are expired, and there is no tally of them");
            }
            return;
        }
        ++out_.tallies;
        const std::string mend =
            gone ? "" : fmt::format("; sotto tally --epoch {} counts it again", held.epoch);
        if (!stored_tally(store_.book(), m, held)) {
            problem(where, "its tally is damaged" + mend);
        } else if (!gone && tally_bytes(count_epoch(segments, m, held)) != stored->counts) {
            problem(where, "its tally is not what the segments say" + mend);
        }
    }

    const store &store_;
    std::optional<std::uint32_t> expired_;
    verification out_;
};

} // namespace

verification verify(const store &what) { return verifier(what).run(); }

} // namespace sotto::aggregator
