// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/recount.hpp"

#include "aggregator/base/checksum.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/store/merge.hpp"
#include "aggregator/tally/count.hpp"

#include <fmt/format.h>
#include <map>

namespace sotto::aggregator {
namespace {

class recounter {
  public:
    recounter(const store &in, const metric &m) : book_(in.book()), metric_(m) {}

    std::vector<std::string> run(std::span<const segment> segments) {
        for (const segment &file : segments) {
            check_order(file);
        }
        std::map<std::uint32_t, epoch_record> found = count(segments);
        for (const epoch_record &held : book_.epochs(metric_.fingerprint)) {
            const auto at = found.extract(held.epoch);
            if (!is_expired(book_, held.epoch)) {
                compare(at.empty() ? epoch_record{} : at.mapped(), held);
            }
        }
        for (const auto &[epoch, unknown] : found) {
            problem(epoch, "reports that the ledger does not know");
        }
        return std::move(problems_);
    }

  private:
    void problem(std::uint32_t epoch, const std::string &what) {
        problems_.push_back(fmt::format("{}, epoch {}: {}", metric_.name, epoch, what));
    }

    void check_order(const segment &file) {
        const row_range rows = file.rows();
        const segment_record &as = file.record();
        bool sound = !rows.empty() && epoch_of(rows.front()) == as.epoch_min &&
                     epoch_of(rows.back()) == as.epoch_max;
        for (std::size_t i = 1; i < rows.size(); ++i) {
            sound = sound && before(rows[i - 1], rows[i]);
        }
        if (!sound) {
            problems_.push_back(as.name + ": its rows are not in order");
        }
    }

    std::map<std::uint32_t, epoch_record> count(std::span<const segment> segments) {
        std::map<std::uint32_t, epoch_record> epochs;
        epoch_record *here = nullptr; // the last row's epoch
        merged_rows rows(segments, std::nullopt);
        row_view last;
        for (row_view row = rows.next(); !row.empty(); last = row, row = rows.next()) {
            if (!last.empty() && same(last, row)) {
                problem(epoch_of(row), "a report is stored twice");
            }
            if (here == nullptr || here->epoch != epoch_of(row)) {
                here = &epochs[epoch_of(row)];
                here->epoch = epoch_of(row);
            }
            ++here->rows;
            here->conflicts += !last.empty() && same_level(last, row) ? 1 : 0;
            here->digest += checksum(row);
        }
        return epochs;
    }

    void compare(const epoch_record &found, const epoch_record &held) {
        const auto differ = [&](std::uint64_t here, std::uint64_t there, const char *what) {
            problem(held.epoch, fmt::format("{} in segments are not the {} of the ledger",
                                            counted(here, what), grouped(there)));
        };
        if (found.rows == 0) {
            problem(held.epoch, fmt::format("{} in the ledger are in no segment",
                                            counted(held.rows, "report")));
        } else if (found.rows != held.rows) {
            differ(found.rows, held.rows, "report");
        } else if (found.conflicts != held.conflicts) {
            differ(found.conflicts, held.conflicts, "conflict");
        } else if (found.digest != held.digest) {
            problem(held.epoch, "the reports in segments are others than the ledger's");
        }
    }

    ledger &book_;
    const metric &metric_;
    std::vector<std::string> problems_;
};

} // namespace

std::vector<std::string> row_problems(const store &in, std::span<const segment> segments,
                                      const metric &m) {
    return recounter(in, m).run(segments);
}

} // namespace sotto::aggregator
