// SPDX-License-Identifier: Apache-2.0
#ifndef PUBLISHED_HPP
#define PUBLISHED_HPP

#include "../unit/read_batch.hpp"
#include "metrics.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

struct release {
    uint16_t metric;
    uint32_t epoch;
    std::map<uint32_t, std::string> levels; // its words at each level
};

// All that has left a device, as the aggregator would see it: the model that it is held to.
class published {
  public:
    std::string wrong; // the first thing that must not be

    void add(const uint8_t *bytes, size_t length, const sotto_registry &registry) {
        const read_batch batch(bytes, length, registry);
        for (const read_report &r : batch.reports) {
            const std::string id(r.release.begin(), r.release.end());
            release &found =
                releases_
                    .try_emplace(
                        id, release{static_cast<uint16_t>(r.metric), batch.epoch - r.epoch_age, {}})
                    .first->second;
            if (found.metric != r.metric || found.epoch != batch.epoch - r.epoch_age) {
                fail("a release changed its metric or epoch");
                continue; // its level may be none of that metric
            }
            const auto [said, is_new] = found.levels.try_emplace(r.level, text_of(r));
            if (!is_new && said->second != text_of(r)) {
                fail("a release said two things at one level");
            }
        }
    }

    // In no window of epochs may more have left than the budgets allow, whatever was cut.
    void check_budgets() {
        for (const auto &[id, r] : releases_) {
            const sotto_metric &m = metric_of(r.metric);
            uint64_t total = 0;
            for (uint16_t i = 0; i < budgets_registry.metric_count; ++i) {
                total += cost(budgets_registry.metrics[i], r.epoch, budgets_registry.window_epochs);
            }
            if (total > budgets_registry.budget ||
                (m.window_epochs != 0 && cost(m, r.epoch, m.window_epochs) > m.budget)) {
                fail("more was published in a window than its budget");
            }
        }
    }

    // The device says that it has spent at least as much as has left it.
    void check_account(const sotto_client &client, uint32_t epoch) {
        for (uint16_t i = 0; i < budgets_registry.metric_count; ++i) {
            const sotto_metric &m = budgets_registry.metrics[i];
            sotto_account account{};
            if (m.window_epochs == 0 || sotto_get_account(&client, m.id, &account) != SOTTO_OK) {
                continue;
            }
            const uint32_t first = epoch < m.window_epochs ? 0 : epoch + 1 - m.window_epochs;
            if (cost(m, first, m.window_epochs) > account.spent) {
                fail("a charge was lost");
            }
        }
    }

    void fail(const std::string &what) {
        if (wrong.empty()) {
            wrong = what;
        }
    }
    size_t count() const { return releases_.size(); }

  private:
    // The loss of all that was published of so many epochs. Releases that share permanent noise are
    // counted, at the highest level of any; the charges of others add up.
    uint64_t cost(const sotto_metric &m, uint32_t first, uint32_t epochs) const {
        uint32_t count = 0, highest = 0;
        uint64_t sum = 0;
        for (const auto &[id, r] : releases_) {
            if (r.metric == m.id && r.epoch >= first && r.epoch < first + epochs) {
                const uint32_t level = r.levels.rbegin()->first;
                sum += m.cost[level];
                highest = std::max(highest, level);
                ++count;
            }
        }
        const uint32_t n = std::min<uint32_t>(count, m.cost_reports);
        return m.cost_reports == 0 || n == 0 ? sum : m.cost[highest * m.cost_reports + n - 1];
    }
    static const sotto_metric &metric_of(uint32_t id) {
        for (uint16_t i = 0; i < budgets_registry.metric_count; ++i) {
            if (budgets_registry.metrics[i].id == id) {
                return budgets_registry.metrics[i];
            }
        }
        throw std::out_of_range("no such metric");
    }
    static std::string text_of(const read_report &r) {
        const std::string flags = std::to_string(r.flags) + ' ';
        if (r.shown == sotto::shown::bits) {
            return flags + std::string(r.bytes.begin(), r.bytes.end());
        }
        return flags + std::to_string(static_cast<int>(r.shown)) + ' ' + std::to_string(r.index);
    }
    std::map<std::string, release> releases_;
};

#endif
