// SPDX-License-Identifier: Apache-2.0
// sotto epsilon --horizon: all that a device can publish of so many epochs. It is held against
// every way to spend a small budget, and by hand against every_type.json.
#include "aggregator/base/columns.hpp"
#include "aggregator/promise/epsilon_text.hpp"
#include "aggregator/promise/horizon.hpp"
#include "aggregator/text/format.hpp"
#include "run_program.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

class Horizon : public testing::Test {
  protected:
    const horizon_loss &row(const horizon_table &table, const std::string &name) const {
        return *std::ranges::find(table.metrics, name, &horizon_loss::name);
    }
    std::uint64_t value(const horizon_table &table, const std::string &name,
                        std::uint32_t epochs) const {
        const auto at = std::ranges::find(table.epochs, epochs) - table.epochs.begin();
        const horizon_loss &loss = name.empty() ? table.device : row(table, name);
        return loss.values.at(static_cast<std::size_t>(at)).value_or(0);
    }

    registry registry_ = parse_registry(every_type_text(), "M.json");
};

TEST_F(Horizon, HasAColumnForAnEpochEachWindowAYearAndWhatIsAsked) {
    EXPECT_EQ(horizon_of(registry_, 10).epochs, (std::vector<std::uint32_t>{1, 7, 10, 30, 365}));
    EXPECT_EQ(horizon_of(registry_, 365).epochs, (std::vector<std::uint32_t>{1, 7, 30, 365}));
    EXPECT_EQ(horizon_of(registry_, 365).metrics.size(), registry_.metrics.size());
}

TEST_F(Horizon, ComposesEpochsWithinABudget) {
    const horizon_table table = horizon_of(registry_, 10);
    const metric &damage = *registry_.find("damage"); // 8 in any 7 epochs, 3 at the most in one
    const std::uint64_t top = damage.costs.back();
    EXPECT_EQ(value(table, "damage", 1), top);
    EXPECT_EQ(value(table, "damage", 7), 8u << 20);
    EXPECT_EQ(value(table, "damage", 10),
              (16u << 20) - (8u << 20) + std::min(3 * top, std::uint64_t{8} << 20));
    EXPECT_EQ(value(table, "damage", 365), 52 * (std::uint64_t{8} << 20) + top);
    const metric &phase = *registry_.find("phase"); // no budget of its own
    EXPECT_EQ(value(table, "phase", 365), 365 * std::uint64_t{phase.costs.back()});
}

// A life of remembered noise is charged once, however long.
TEST_F(Horizon, OfRememberedNoiseEnds) {
    const horizon_table table = horizon_of(registry_, 1'000'000);
    const metric &aircraft = *registry_.find("aircraft");
    const std::size_t top = aircraft.level_count() - 1;
    EXPECT_EQ(value(table, "aircraft", 1), aircraft.cost(top, 1));
    EXPECT_EQ(value(table, "aircraft", 1'000'000), aircraft.costs.back());
    EXPECT_LT(value(table, "aircraft", 1'000'000), 2000u << 20);
}

// The device's budget is for what its ledger adds up; remembered noise stands beside it.
TEST_F(Horizon, OfTheDeviceKeepsItsBudget) {
    const horizon_table table = horizon_of(registry_, 60);
    std::uint64_t remembered = 0;
    for (const metric &m : registry_.metrics) {
        remembered += has_lifetime(m) ? value(table, m.name, 60) : 0;
    }
    EXPECT_GT(remembered, 0u);
    EXPECT_EQ(value(table, "", 60), 2 * std::uint64_t{registry_.device->units} + remembered);
    EXPECT_LT(value(table, "", 1), value(table, "", 30));
}

// Every sequence of charges, a cost an epoch or none, that keeps all windows.
std::uint64_t most_spent(const std::vector<std::uint32_t> &costs, std::uint32_t budget_units,
                         std::size_t window, std::size_t epochs) {
    std::uint64_t most = 0;
    std::vector<std::uint32_t> spent(epochs);
    const auto go = [&](const auto &self, std::size_t at) -> void {
        if (at == epochs) {
            most = std::max(most, std::accumulate(spent.begin(), spent.end(), std::uint64_t{0}));
            return;
        }
        for (std::size_t i = 0; i <= costs.size(); ++i) {
            spent[at] = i == 0 ? 0 : costs[i - 1];
            const auto first =
                spent.begin() + static_cast<std::ptrdiff_t>(at + 1 - std::min(at + 1, window));
            const auto end = spent.begin() + static_cast<std::ptrdiff_t>(at + 1);
            if (std::accumulate(first, end, std::uint64_t{0}) <= budget_units) {
                self(self, at + 1);
            }
        }
        spent[at] = 0;
    };
    go(go, 0);
    return most;
}

TEST_F(Horizon, BoundsEveryWayToSpendAndIsReached) {
    registry alone = registry_;
    alone.device.reset();
    alone.metrics.resize(1);
    metric &m = alone.metrics[0];
    m.forward.clear();
    m.levels.resize(2);
    bool is_reached = false;
    for (std::uint32_t window = 1; window <= 4; ++window) {
        for (const std::uint32_t units : {2u, 3u, 5u, 6u, 20u}) {
            m.costs = {1, 2};
            m.window = budget{window, {"1", 1}, units};
            for (std::uint32_t epochs = 1; epochs <= 7; ++epochs) {
                const std::uint64_t bound = value(horizon_of(alone, epochs), m.name, epochs);
                const std::uint64_t most = most_spent(m.costs, units, window, epochs);
                EXPECT_LE(most, bound) << window << " " << units << " " << epochs;
                is_reached |= most == bound && epochs > window;
                EXPECT_EQ(value(horizon_of(alone, epochs), "", epochs), bound);
            }
        }
    }
    EXPECT_TRUE(is_reached);
}

TEST_F(Horizon, IsOneTableInTwoFormats) {
    const horizon_table table = horizon_of(registry_, 365);
    const std::string text = table_format.horizon(registry_, table, any_width);
    EXPECT_NE(text.find("measured in"), std::string::npos);
    EXPECT_NE(text.find("365 epochs  one event\n"), std::string::npos) << text;
    EXPECT_NE(text.find("the whole device"), std::string::npos);
    EXPECT_NE(text.find("The two kinds are never added."), std::string::npos);
    const json said = json::parse(json_format.horizon(registry_, table, any_width));
    EXPECT_EQ(said.at("epochs"), (json{1, 7, 30, 365}));
    EXPECT_EQ(said.at("metrics")[0].at("name"), "damage");
    EXPECT_EQ(said.at("metrics")[0].at("values")[1], 8);
    EXPECT_EQ(said.at("metrics")[0].at("event"), nullptr);
    EXPECT_EQ(said.at("device").at("name"), nullptr);
    EXPECT_EQ(said.at("device").at("values")[3].get<double>(),
              std::ldexp(static_cast<double>(value(table, "", 365)), -20));
}

TEST_F(Horizon, EventsStandApart) {
    horizon_table table = horizon_of(registry_, 365);
    table.metrics[0] = {"doors", {}, spending::units(1u << 20), protected_unit::event};
    const std::string text = horizon_text(registry_, table, any_width);
    EXPECT_NE(text.find("doors"), std::string::npos);
    const std::string line =
        text.substr(text.find("doors"), text.find('\n', text.find("doors")) - text.find("doors"));
    EXPECT_EQ(std::count(line.begin(), line.end(), '-'), 4) << line;
    EXPECT_EQ(line.back(), '1') << line;
    const json said = json::parse(json_format.horizon(registry_, table, any_width));
    EXPECT_EQ(said.at("metrics")[0].at("values"), nullptr);
    EXPECT_EQ(said.at("metrics")[0].at("event"), 1);
}

TEST_F(Horizon, IsPrintedByTheProgram) {
    const temporary_directory directory;
    std::ofstream(directory / "M.json") << every_type_text();
    const program_result r = run_program(directory, "epsilon --registry M.json --horizon 90");
    EXPECT_EQ(r.exit, 0) << r.err;
    EXPECT_EQ(r.out, horizon_text(registry_, horizon_of(registry_, 90), any_width));
    const program_result wrong = run_program(directory, "epsilon --registry M.json --horizon 0");
    EXPECT_EQ(wrong.exit, 2);
    EXPECT_NE(wrong.err.find("not a whole number from 1 to 1000000"), std::string::npos);
}

// Metric privacy: "speed" has integers -20 to 80 at 1 and 2, and 3 above.
TEST_F(Horizon, NearNumbersAreHiddenBetter) {
    const std::string text =
        std::regex_replace(epsilon_table(registry_, any_width), std::regex("\\s+"), " ");
    EXPECT_NE(text.find("Near numbers are hidden better: two at a distance of d lose d times 0.01 "
                        "at level 0, 0.02 at level 1, 0.03 at level 2. An epoch"),
              std::string::npos);
}

} // namespace
} // namespace sotto::aggregator::test
