// SPDX-License-Identifier: Apache-2.0
// Tightened reports against those that devices make of the same level.
#include "aggregator/base/failure.hpp"
#include "aggregator/registry/tables.hpp"
#include "aggregator/report/envelope_file.hpp"
#include "aggregator/simulate/host_device.hpp"
#include "aggregator/tighten/report_writer.hpp"
#include "aggregator/tighten/tightening.hpp"
#include "support.hpp"

#include "sotto_testing.h"

#include <cmath>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

// A little of each value, the same for all levels: few cells, every kind of word.
struct summary {
    std::uint64_t operator()(std::uint32_t index) const { return index; }
    std::uint64_t operator()(std::int32_t number) const {
        return static_cast<std::uint64_t>(number / 100 + 10);
    }
    std::uint64_t operator()(const bit_string &bits) const {
        return (bits.front() & 7u) | (bits.back() & 8u); // all bytes are in use
    }
    std::uint64_t operator()(const number_list &numbers) const {
        return static_cast<std::uint64_t>(numbers.back() + 1000);
    }
};

using pair_counts = std::map<std::pair<std::uint64_t, std::uint64_t>, std::array<double, 2>>;

// Homogeneity of two samples of one size, as a standard normal number (Wilson and Hilferty 1931).
double difference_z(const pair_counts &counts) {
    double sum = 0, cells = -1, few[2] = {};
    const auto add = [&](double a, double b) {
        sum += (a - b) * (a - b) / (a + b);
        ++cells;
    };
    for (const auto &[pair, n] : counts) {
        if (n[0] + n[1] < 40) {
            few[0] += n[0];
            few[1] += n[1];
        } else {
            add(n[0], n[1]);
        }
    }
    if (few[0] + few[1] >= 40) {
        add(few[0], few[1]);
    }
    return (std::cbrt(sum / cells) - (1 - 2 / (9 * cells))) / std::sqrt(2 / (9 * cells));
}

constexpr double z_limit = 6.7; // P = 2e-11: twenty checks stay below 1e-9
constexpr std::uint64_t devices = 8000;

class Tightening : public testing::Test {
  protected:
    // Calls visit(top, lower) with what each device said of a metric at both levels.
    template <typename Visit>
    void live(std::uint8_t seed, const metric &m, const cell_value &value, std::uint32_t top,
              std::uint32_t level, Visit visit) const {
        host_device device(registry_, tables_.get());
        for (std::uint64_t i = 0; i < devices; ++i) {
            std::map<std::uint32_t, report> said;
            sotto_testing testing;
            sotto_testing_init(&testing, &seed, 1, i);
            const measured_value measured{&m, value, top};
            (void)device.run(testing.entropy, 3, {&measured, 1}, {}, [&](std::string_view file) {
                const std::string_view message = file.substr(file[0] < 0 ? 2 : 1);
                const envelope e = std::get<envelope>(decode_envelope(message));
                for (const report &r : reports_of(e.batch, layouts_)) {
                    said[r.level] = r;
                }
            });
            visit(said.at(top), said.at(level));
        }
    }

    const sotto_metric &table_of(const metric &m) const {
        return tables_.get().metrics[&m - registry_.metrics.data()];
    }

    registry registry_ = parse_registry(read_file(SOTTO_COMPILED_REGISTRY), "M.json");
    value_layouts layouts_{registry_};
    tables tables_{registry_};
};

// The joint law of what was tightened and what it was made of is that of the device's two levels.
// The control hands the higher level on as if it were the lower.
TEST_F(Tightening, HasTheJointLawOfADevicesLevels) {
    const struct {
        const char *name;
        cell_value value;
        std::uint32_t top, level;
    } cases[] = {
        {"damage", true, 2, 0},
        {"damage", false, 2, 1},
        {"smoke", true, 1, 0},
        {"phase", std::uint32_t{2}, 1, 0},
        {"hour", std::uint32_t{1}, 1, 0},
        {"parts", std::vector<std::uint16_t>{0, 3}, 1, 0},
        {"aircraft", std::string("B-737"), 1, 0},
        {"speed", std::int32_t{420}, 2, 0},
        {"axes", std::vector<std::int32_t>{1, -2, 5}, 1, 0},
        {"height", std::int32_t{10000}, 1, 0},
    };
    for (const auto &c : cases) {
        SCOPED_TRACE(c.name);
        const metric &m = *registry_.find(c.name);
        const tightening way(m, table_of(m), c.level, noise_key_of({9}));
        pair_counts honest, control;
        const auto cell = [](const report &top, std::uint64_t lower) {
            return std::pair{std::visit(summary{}, top.value), lower};
        };
        live(1, m, c.value, c.top, c.level, [&](const report &top, const report &lower) {
            const auto here = cell(top, std::visit(summary{}, lower.value));
            ++honest[here][0];
            ++control[here][0];
        });
        live(2, m, c.value, c.top, c.level, [&](const report &top, const report &) {
            const std::vector<std::uint32_t> words = way.tightened(top);
            report made = top; // as it would be sent
            if (auto *index = std::get_if<std::uint32_t>(&made.value)) {
                *index = words[0];
            } else if (auto *number = std::get_if<std::int32_t>(&made.value)) {
                *number = static_cast<std::int32_t>(words[0]);
            } else if (auto *bits = std::get_if<bit_string>(&made.value)) {
                for (std::size_t i = 0; i < bits->size(); ++i) {
                    (*bits)[i] = static_cast<std::uint8_t>(words[i / 4] >> 8 * (i % 4));
                }
            } else {
                std::get<number_list>(made.value).assign(words.begin(), words.end());
            }
            ++honest[cell(top, std::visit(summary{}, made.value))][1];
            ++control[cell(top, std::visit(summary{}, top.value))][1];
        });
        EXPECT_LT(difference_z(honest), z_limit);
        EXPECT_GT(difference_z(control), z_limit);
    }
}

// Every kind of value, from a device through words and back: the report that it was.
TEST_F(Tightening, WhatIsPassedOnIsAsItWas) {
    const std::vector<measured_value> values = {
        {registry_.find("damage"), true, 1},
        {registry_.find("phase"), std::uint32_t{2}, 1},
        {registry_.find("hour"), std::uint32_t{23}, 1},
        {registry_.find("parts"), std::vector<std::uint16_t>{0, 3}, 1},
        {registry_.find("aircraft"), std::string("B-737"), 1},
        {registry_.find("speed"), std::int32_t{420}, 1},
        {registry_.find("axes"), std::vector<std::int32_t>{1, -2, 5}, 1},
        {registry_.find("height"), std::int32_t{10000}, 1},
    };
    std::vector<report> sent, seen;
    const auto read = [&](std::string_view message, std::vector<report> &reports) {
        const envelope e = std::get<envelope>(decode_envelope(message));
        const auto found = reports_of(e.batch, layouts_);
        reports.insert(reports.end(), found.begin(), found.end());
    };
    host_device device(registry_, tables_.get());
    for (std::uint8_t seed = 0; seed < 40; ++seed) {
        sotto_testing testing;
        sotto_testing_init(&testing, &seed, 1, 0);
        (void)device.run(testing.entropy, seed / 20u, values, {}, [&](std::string_view file) {
            read(file.substr(file[0] < 0 ? 2 : 1), sent);
        });
    }
    ASSERT_EQ(sent.size(), 40 * 2 * values.size());
    const temporary_directory directory;
    for (const measured_value &value : values) {
        const metric *m = value.subject;
        atomic_file out(directory / m->name);
        report_writer writer(tables_.get(), table_of(*m), out);
        const tightening way(*m, table_of(*m), 0, noise_key{});
        std::vector<report> expected;
        for (const report &r : sent) {
            if (r.metric == m->id) {
                expected.push_back(r);
                writer.add(r, r.release, r.level, way.words(r));
            }
        }
        writer.finish();
        out.commit();
        seen.clear();
        envelope_file file(directory / m->name);
        while (const auto bytes = file.next()) {
            read(*bytes, seen);
        }
        ASSERT_EQ(seen.size(), expected.size()) << m->name;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            EXPECT_EQ(row_of(*m, seen[i]), row_of(*m, expected[i])) << m->name << ' ' << i;
            EXPECT_EQ(seen[i].cohort, expected[i].cohort) << m->name;
        }
    }
}

TEST_F(Tightening, RefusesWhereNoWayLeadsDown) {
    const auto refusal = [&](const char *name, std::uint32_t level) -> std::string {
        const metric &m = *registry_.find(name);
        try {
            const tightening way(m, table_of(m), level, noise_key{});
        } catch (const usage_error &error) {
            return error.what();
        }
        return "taken";
    };
    EXPECT_EQ(refusal("damage", 1), "taken");
    EXPECT_EQ(refusal("damage", 2), "--level: 2 is not 0 to 1, the levels of damage below its top");
    EXPECT_EQ(refusal("city", 0), "--metric: city has one level: there is none below it");
    EXPECT_NE(refusal("lights", 0).find("fine Laplace grid"), std::string::npos);
    EXPECT_NE(refusal("species", 0).find("permanent noise"), std::string::npos);
}

// Values at the top of damage's ladder of three, tightened by any key.
TEST_F(Tightening, EveryWayDownIsTheSame) {
    const metric &m = *registry_.find("damage");
    const auto down = [&](const noise_key &key, const report &r, std::uint32_t level) {
        report made = r;
        made.value = tightening(m, table_of(m), level, key).tightened(r).at(0);
        made.level = level;
        return made;
    };
    const noise_key key = noise_key_of({1}), other = noise_key_of({2});
    report r;
    r.metric = m.id;
    r.level = 2;
    std::uint32_t differ_by_key = 0, differ_by_epoch = 0;
    for (std::uint32_t i = 0; i < 4000; ++i) {
        r.release[0] = static_cast<std::uint8_t>(i);
        r.release[7] = static_cast<std::uint8_t>(i >> 8);
        r.value = i & 1u;
        const auto once = down(key, r, 0).value;
        EXPECT_EQ(down(key, down(key, r, 1), 0).value, once) << "by way of level 1";
        differ_by_key += down(other, r, 0).value != once ? 1 : 0;
        r.epoch = 1;
        differ_by_epoch += down(key, r, 0).value != once ? 1 : 0;
        r.epoch = 0;
    }
    EXPECT_GT(differ_by_key, 1000u);
    EXPECT_GT(differ_by_epoch, 1000u);
}

// Who has one value of his own counted for a release does not see the noise of the true one by it.
TEST_F(Tightening, AnotherValueHasOtherNoise) {
    const metric &m = *registry_.find("damage");
    const tightening way(m, table_of(m), 1, noise_key_of({1})); // one step
    report r;
    r.metric = m.id;
    r.level = 2;
    double ones = 0, zeros = 0, both = 0; // errors of a zero, a one, a release
    constexpr double count = 4000;
    for (std::uint32_t i = 0; i < count; ++i) {
        r.release[0] = static_cast<std::uint8_t>(i);
        r.release[7] = static_cast<std::uint8_t>(i >> 8);
        r.value = std::uint32_t{0};
        const bool is_one = way.tightened(r).at(0) == 1;
        r.value = std::uint32_t{1};
        const bool is_zero = way.tightened(r).at(0) == 0;
        ones += is_one ? 1 : 0;
        zeros += is_zero ? 1 : 0;
        both += is_one && is_zero ? 1 : 0;
    }
    const double expected = ones * zeros / count; // independent; 0 or all of them with equal noise
    EXPECT_GT(expected, 100);
    EXPECT_NEAR(both, expected, 6.2 * std::sqrt(expected));
}

} // namespace
} // namespace sotto::aggregator::test
