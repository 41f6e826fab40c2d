// SPDX-License-Identifier: Apache-2.0
// Releases that share permanent noise, beside others, in the accounts of a client. They are held
// against a list of all that was ever published, with every window's worst case enumerated.
#include "client/account.hpp"
#include "client/adopt.hpp"
#include "client/permanent_value.hpp"
#include "generator.hpp"
#include "mechanism/code.hpp"
#include "privacy/shared_noise.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace {

namespace device = sotto::device;

constexpr uint32_t levels = 3, counts = 12, metric_count = 3;

// The loss of n releases of one value at each level, concave. Every split is tried for the most
// that they can lose on `values` values.
struct losses {
    std::array<std::array<uint32_t, counts + 1>, levels> alone{}, worst{};

    losses(generator &random, uint32_t values) {
        std::array<uint32_t, counts> rises{};
        for (uint32_t level = 0; level < levels; ++level) {
            uint32_t more = 2 + random.below(12);
            for (uint32_t n = 0; n < counts; ++n) {
                rises[n] += more;
                alone[level][n + 1] = alone[level][n] + rises[n];
                more = n + 2 < counts ? random.below(more + 1) : 0; // no more from here on
            }
            for (uint32_t value = 0; value < values; ++value) {
                add_value(level);
            }
        }
    }
    void add_value(uint32_t level) {
        const auto before = worst[level];
        for (uint32_t n = 0; n <= counts; ++n) {
            for (uint32_t own = 0; own <= n; ++own) {
                worst[level][n] = std::max(worst[level][n], before[n - own] + alone[level][own]);
            }
        }
    }
};

// A client's accounts: two metrics whose releases share their noise and one whose charges add up.
struct accounts {
    std::vector<losses> lost;
    std::array<std::vector<uint32_t>, metric_count> cost;
    std::array<sotto_rappor, metric_count> rappor{};
    std::array<sotto_metric, metric_count> metrics{};
    sotto_registry registry{};
    sotto_state_head head{};
    std::vector<uint32_t> words;
    sotto_client client{};

    explicit accounts(generator &random) {
        for (uint32_t i = 0; i < metric_count; ++i) {
            sotto_metric &m = metrics[i];
            const uint32_t values = 1 + random.below(3);
            lost.emplace_back(random, values);
            const bool is_shared = i < 2;
            for (uint32_t level = 0; level < levels; ++level) {
                const auto &worst = lost[i].worst[level];
                // The last number is for any number of releases.
                const uint32_t most = values * lost[i].alone[level][counts];
                for (uint32_t n = 1; is_shared && n < counts; ++n) {
                    cost[i].push_back(worst[n]);
                }
                cost[i].push_back(is_shared ? most : worst[1]);
            }
            rappor[i].max_values = static_cast<uint16_t>(values);
            m.id = static_cast<uint16_t>(i + 1);
            m.mechanism = is_shared ? SOTTO_MECHANISM_BASIC_RAPPOR : SOTTO_MECHANISM_UNARY;
            m.level_count = levels;
            m.cost_reports = is_shared ? counts : 0;
            m.cost = cost[i].data();
            m.table.rappor = &rappor[i];
            m.code = is_shared ? &sotto_code_basic_rappor : &sotto_code_unary;
            m.client = is_shared ? &sotto_client_code_kept_values : nullptr;
            m.window_epochs = static_cast<uint8_t>(random.below(6));
            m.budget = m.window_epochs == 0 ? 0 : m.cost[0] + random.below(60);
        }
        registry.metrics = metrics.data();
        registry.metric_count = metric_count;
        registry.window_epochs = static_cast<uint8_t>(random.below(6));
        registry.budget = registry.window_epochs == 0 ? 0 : 20 + random.below(120);
        client.registry = &registry;
        place();
    }
    void place() {
        size_t count = device::account_words(registry, nullptr);
        for (const sotto_metric &m : metrics) {
            count += device::account_words(registry, &m);
        }
        words.resize(count);
        client.memory.account_words = static_cast<uint16_t>(words.size());
        client.memory.head = &head;
        client.memory.accounts = words.data();
        device::begin_accounts(client);
    }
    void advance(uint32_t epochs) { device::pass_epochs(client, epochs); }
    // `paid` levels before, `upto` now; each of several is charged at once.
    bool spend(uint32_t metric, uint32_t age, uint32_t paid, uint32_t upto, uint32_t count) {
        device::charge more(client, metrics[metric], age);
        for (uint32_t i = 0; i < count; ++i) {
            more.add(paid, upto);
        }
        if (more.fits()) {
            more.keep();
            return true;
        }
        return false;
    }
    uint32_t frees_in(uint32_t metric) {
        for (uint32_t epochs = 0;; ++epochs) {
            accounts later = *this;
            later.rebase();
            later.advance(epochs);
            if (later.spend(metric, 0, 0, 1, 1)) {
                return epochs;
            }
        }
    }
    void rebase() {
        for (uint32_t i = 0; i < metric_count; ++i) {
            metrics[i].cost = cost[i].data();
            metrics[i].table.rappor = &rappor[i];
        }
        registry.metrics = metrics.data();
        client.registry = &registry;
        client.memory.head = &head;
        client.memory.accounts = words.data();
    }
};

// A planted fault, the former rule: the bound of a life's releases rises, and the epoch is charged
// the difference, in slots that add up. From the last number of the table on all is free.
struct life_accounts : accounts {
    std::array<uint32_t, metric_count> life{}, highest{};
    std::array<std::vector<uint32_t>, metric_count> counted = cost;

    explicit life_accounts(generator &random) : accounts(random) {
        for (sotto_metric &m : metrics) {
            m.cost_reports = 0; // slots that add up
        }
        place();
    }
    uint32_t bound(uint32_t metric, uint32_t level, uint32_t n) const {
        return n == 0 ? 0 : counted[metric][level * counts + std::min(n, counts) - 1];
    }
    bool spend(uint32_t metric, uint32_t age, uint32_t paid, uint32_t upto, uint32_t count) {
        if (metric == 2) {
            return accounts::spend(metric, age, paid, upto, count);
        }
        const uint32_t n = life[metric] + (paid == 0 ? count : 0);
        const uint32_t level = std::max(highest[metric], upto - 1);
        const uint32_t rise =
            bound(metric, level, n) - bound(metric, highest[metric], life[metric]);
        const uint32_t as_if[] = {rise};
        metrics[metric].cost = as_if;
        const bool fits = accounts::spend(metric, age, 0, 1, 1);
        metrics[metric].cost = counted[metric].data();
        life[metric] = fits ? n : life[metric];
        highest[metric] = fits ? level : highest[metric];
        return fits;
    }
};

// Another: releases are not counted for the windows of the device.
struct own_accounts : accounts {
    explicit own_accounts(generator &random) : accounts(random) {}
    bool spend(uint32_t metric, uint32_t age, uint32_t paid, uint32_t upto, uint32_t count) {
        const sotto_registry given = registry;
        registry.budget = metric < 2 ? sotto::ledger::budget_max : given.budget;
        const bool fits = accounts::spend(metric, age, paid, upto, count);
        registry = given;
        return fits;
    }
};

// All that was ever published.
struct model {
    struct release {
        uint32_t metric, epoch, level;
    };
    const accounts &ours;
    std::vector<release> releases;
    uint32_t now = 1000;

    uint64_t cost(uint32_t metric, uint32_t first, uint32_t epochs) const {
        uint32_t count = 0, highest = 0;
        uint64_t sum = 0;
        for (const release &r : releases) {
            if (r.metric == metric && r.epoch >= first && r.epoch < first + epochs) {
                ++count;
                highest = std::max(highest, r.level);
                sum += ours.lost[metric].worst[r.level][1];
            }
        }
        if (metric == 2) {
            return sum;
        }
        return count < counts
                   ? ours.lost[metric].worst[highest][count]
                   : ours.rappor[metric].max_values * ours.lost[metric].alone[highest][counts];
    }
    bool is_kept(uint32_t epoch) const {
        for (uint32_t metric = 0; metric < metric_count; ++metric) {
            const uint32_t window = ours.metrics[metric].window_epochs;
            for (uint32_t back = 0; back < window; ++back) {
                if (cost(metric, epoch - back, window) > ours.metrics[metric].budget) {
                    return false;
                }
            }
        }
        const uint32_t window = ours.registry.window_epochs;
        for (uint32_t back = 0; back < window; ++back) {
            uint64_t sum = 0;
            for (uint32_t metric = 0; metric < metric_count; ++metric) {
                sum += cost(metric, epoch - back, window);
            }
            if (sum > ours.registry.budget) {
                return false;
            }
        }
        return true;
    }
    bool is_kept_always() const {
        return std::all_of(releases.begin(), releases.end(),
                           [&](const release &r) { return is_kept(r.epoch); });
    }
    bool is_near(uint32_t metric, uint32_t age) const {
        const uint32_t own = ours.metrics[metric].window_epochs,
                       device = ours.registry.window_epochs;
        return (own == 0 || age < own) && (device == 0 || age < device);
    }
    bool measure(uint32_t metric) {
        releases.push_back({metric, now, 0});
        return take_back_unless(is_kept(now), releases.size() - 1);
    }
    bool take_back_unless(bool kept, size_t index) {
        if (!kept) {
            releases.erase(releases.begin() + static_cast<std::ptrdiff_t>(index));
        }
        return kept;
    }
    // All releases of an epoch that stand at `from`.
    std::vector<size_t> standing(uint32_t metric, uint32_t age, uint32_t from) const {
        std::vector<size_t> found;
        for (size_t i = 0; i < releases.size(); ++i) {
            const release &r = releases[i];
            if (r.metric == metric && r.epoch == now - age && r.level == from) {
                found.push_back(i);
            }
        }
        return found;
    }
    bool raise(const std::vector<size_t> &which, uint32_t age, uint32_t level) {
        const auto before = releases;
        for (const size_t i : which) {
            releases[i].level = level;
        }
        const bool fits = is_near(before[which[0]].metric, age) && is_kept(now - age);
        releases = fits ? releases : before;
        return fits;
    }
    uint32_t frees_in(uint32_t metric) const {
        for (uint32_t epochs = 0;; ++epochs) {
            model later = *this;
            later.now += epochs;
            if (later.measure(metric)) {
                return epochs;
            }
        }
    }
};

enum class seen { nothing, another_answer, a_broken_budget };

// One device's life.
template <typename Accounts> seen first_difference(uint64_t seed) {
    generator random{seed};
    Accounts ours(random);
    model theirs{ours, {}};
    bool same = true;
    for (uint32_t steps = 8 + random.below(40); same && steps > 0; --steps) {
        const uint32_t metric = random.below(metric_count);
        const uint32_t kind = random.below(8);
        if (kind < 3) {
            const uint32_t epochs = random.below(8) == 0 ? random.below(9) : 1;
            ours.advance(epochs);
            theirs.now += epochs;
        } else if (kind < 6) {
            const bool kept = ours.spend(metric, 0, 0, 1, 1);
            const uint32_t level = 0;
            same = kept == theirs.measure(metric);
            if (kept && !same) { // it was published all the same
                theirs.releases.push_back({metric, theirs.now, level});
            }
        } else if (kind == 6 && random.below(4) == 0) {
            same = ours.frees_in(metric) == theirs.frees_in(metric);
        } else {
            const uint32_t age = random.below(7), from = random.below(levels - 1);
            const uint32_t level = from + 1 + random.below(levels - 1 - from);
            const auto which = theirs.standing(metric, age, from);
            if (!which.empty()) {
                const bool kept = ours.spend(metric, age, from + 1, level + 1,
                                             static_cast<uint32_t>(which.size()));
                same = kept == theirs.raise(which, age, level);
                for (const size_t i : which) {
                    theirs.releases[i].level = kept ? level : from;
                }
            }
        }
    }
    return !theirs.is_kept_always() ? seen::a_broken_budget
           : same                   ? seen::nothing
                                    : seen::another_answer;
}

template <typename Accounts> uint32_t count(seen what, uint32_t histories) {
    uint32_t found = 0;
    for (uint32_t seed = 0; seed < histories; ++seed) {
        found += first_difference<Accounts>(seed) == what ? 1 : 0;
    }
    return found;
}

TEST(SharedNoise, HistoriesAgainstEveryWindowsWorstCase) {
    EXPECT_EQ(count<accounts>(seen::nothing, 100'000), 100'000u);
}

TEST(SharedNoise, TheSameHistoriesCatchPlantedFaults) {
    EXPECT_GT(count<life_accounts>(seen::a_broken_budget, 10'000), 500u) << "by the life alone";
    EXPECT_GT(count<own_accounts>(seen::a_broken_budget, 10'000), 500u) << "own windows alone";
}

TEST(SharedNoise, AnEvenSplitIsTheWorst) {
    for (uint64_t seed = 0; seed < 1000; ++seed) {
        generator random{seed};
        const uint32_t values = 1 + random.below(4);
        const losses made(random, values);
        for (uint32_t n = 0; n <= counts; ++n) {
            const auto &alone = made.alone[0];
            const uint32_t each = n / values, more = n % values;
            ASSERT_EQ(made.worst[0][n],
                      (values - more) * alone[each] + (more == 0 ? 0 : more * alone[each + 1]));
        }
    }
}

TEST(SharedNoise, SlotsKeepTheHighestLevel) {
    using sotto::ledger::with_releases;
    EXPECT_EQ(with_releases(0, 1, 0), 1u);
    EXPECT_EQ(with_releases(with_releases(0, 1, 2), 1, 1), 2u << 24 | 2);
    EXPECT_EQ(with_releases(UINT32_MAX, 1, 0), UINT32_MAX) << "what is spent stays so";
    EXPECT_EQ(with_releases(0x00ffffffu, 1, 0), UINT32_MAX);
    const std::array<uint32_t, 4> cost = {5, 8, 7, 11};
    const sotto::ledger::shared_costs costs = {cost.data(), 2, 2};
    const auto joint = [&](std::vector<uint32_t> slots) {
        return sotto::ledger::joint_cost(costs, slots.data(), static_cast<uint32_t>(slots.size()));
    };
    EXPECT_EQ(joint({0, 0}), 0u);
    EXPECT_EQ(joint({1, 0}), 5u);
    EXPECT_EQ(joint({1, 1}), 8u);
    EXPECT_EQ(joint({9, 1u << 24 | 1}), 11u);
    EXPECT_GT(joint({2u << 24 | 1}), sotto::ledger::budget_max) << "no such level";
    EXPECT_GT(joint({1, UINT32_MAX}), sotto::ledger::budget_max);
}

} // namespace
