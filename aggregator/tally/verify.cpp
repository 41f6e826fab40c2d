// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/verify.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/tally/count.hpp"
#include "aggregator/tally/recount.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace sotto::aggregator {
namespace {

class verifier {
  public:
    explicit verifier(const store &what) : store_(what) {}

    verification run() {
        for (const std::string &line : store_.book().contradictions()) {
            problem(store_.book().name(), line);
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
        for (const segment_record &record : store_.book().segments()) {
            if (!known.contains(record.metric)) {
                problem(record.name, "no registry of the store has its metric");
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
        for (const segment &file : segments) {
            file.verify();
            out_.rows += file.rows().size();
            ++out_.segments;
        }
        std::ranges::move(row_problems(store_, segments, m), std::back_inserter(out_.problems));
        for (const epoch_record &held : store_.book().epochs(m.fingerprint)) {
            check_tally(segments, m, held);
        }
    }

    void check_tally(std::span<const segment> segments, const metric &m, const epoch_record &held) {
        const bool gone = is_expired(store_.book(), held.epoch);
        const std::string where = fmt::format("{}, epoch {}", m.name, held.epoch);
        const auto stored = store_.book().tally(m.fingerprint, held.epoch);
        if (!stored || !is_of(store_.book(), *stored, held)) {
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
    verification out_;
};

} // namespace

verification verify(const store &what) { return verifier(what).run(); }

} // namespace sotto::aggregator
