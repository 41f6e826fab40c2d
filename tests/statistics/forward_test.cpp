// SPDX-License-Identifier: Apache-2.0
// The laws of the first level above a ladder through the whole client. The level is tested by
// itself, with the top that it is drawn from, and in successive reports.
#include "fleet.hpp"

#include <algorithm>
#include <functional>

using namespace sotto::test;

namespace {

using call = std::function<sotto_status(sotto_client *)>;
using words = std::vector<std::vector<uint32_t>>; // by report

// Each report as published at the top, and above it.
struct raised {
    words top, above;
};

raised raise(uint16_t id, const call &report, const std::function<call(uint32_t epoch)> &extend,
             uint64_t seed) {
    const sotto_metric &m = metric(id);
    const uint32_t top = m.level_count - 1u;
    raised seen;
    device d(seed);
    for (uint32_t epoch = 0; epoch < reports; ++epoch) {
        sotto_client *client = d(epoch);
        EXPECT_EQ(report(client), SOTTO_OK);
        EXPECT_EQ(sotto_relax(client, id, epoch, static_cast<uint8_t>(top)), SOTTO_OK);
        seen.top.push_back(d.published(id, top));
        d.flush();
        d.acknowledge();
        EXPECT_EQ(extend(epoch)(client), SOTTO_OK);
        seen.above.push_back(d.published(id, top + 1));
        d.flush();
        d.acknowledge();
    }
    return seen;
}

// Each lane of a metric of bits: the four cells of the top and the level above it. The latter's
// lanes are held against each other, also in successive reports.
void check_bits(const raised &seen, uint16_t id, uint32_t size, std::vector<uint32_t> truth) {
    const sotto_metric &m = metric(id);
    const sotto_forward_bits &step = m.forward.bits[0];
    const bit_law top = marginal(m, m.level_count - 1u);
    lanes bits(size);
    std::vector<double> rates;
    worst_of worst;
    for (uint32_t i = 0; i < size; ++i) {
        const uint32_t word = i / 32, shift = i % 32;
        const bool is_one = (truth[word] >> shift & 1) != 0;
        const bit_law given = law_of(step.given[is_one]);
        const double p = is_one ? top.one_if_one : top.one_if_zero;
        std::vector<double> observed(4),
            expected = {(1 - p) * (1 - given.one_if_zero) * reports,
                        (1 - p) * given.one_if_zero * reports, p * (1 - given.one_if_one) * reports,
                        p * given.one_if_one * reports};
        for (size_t k = 0; k < reports; ++k) {
            const uint32_t last = seen.top[k][word] >> shift & 1;
            const uint32_t next = seen.above[k][word] >> shift & 1;
            bits[i].push_back(static_cast<int>(next));
            observed[2 * last + next] += 1;
        }
        worst.add(chi_square_z(observed, expected), "top and above, lane " + std::to_string(i));
        rates.push_back((1 - p) * given.one_if_zero + p * given.one_if_one);
        worst.add(rate_z(ones(bits[i]), reports, rates[i]), "rate of lane " + std::to_string(i));
        for (size_t lag = 1; lag <= 4; ++lag) {
            worst.add(correlation_z(bits[i], bits[i], lag, rates[i], rates[i]), "successive");
        }
        for (uint32_t j = 0; j < i; ++j) {
            worst.add(correlation_z(bits[i], bits[j], 0, rates[i], rates[j]),
                      "lanes " + std::to_string(j) + " and " + std::to_string(i));
        }
    }
    EXPECT_LT(worst.z(), z_limit) << "metric " << id << ": " << worst.what();
}

TEST(Forward, Booleans) {
    for (const bool value : {false, true}) {
        const raised seen = raise(
            EVERY_FLAG, [=](sotto_client *c) { return sotto_report_boolean(c, EVERY_FLAG, value); },
            [=](uint32_t epoch) {
                return [=](sotto_client *c) {
                    return sotto_extend_boolean(c, EVERY_FLAG, epoch, value);
                };
            },
            31);
        check_bits(seen, EVERY_FLAG, 1, {static_cast<uint32_t>(value)});
    }
}

TEST(Forward, Sets) {
    static const std::array<uint16_t, 2> members = {5, 1};
    const raised seen = raise(
        EVERY_FAULTS,
        [](sotto_client *c) { return sotto_report_set(c, EVERY_FAULTS, members.data(), 2); },
        [](uint32_t epoch) {
            return [=](sotto_client *c) {
                return sotto_extend_set(c, EVERY_FAULTS, epoch, members.data(), 2);
            };
        },
        33);
    check_bits(seen, EVERY_FAULTS, 6, {0b100010u});
}

// The least number is rounded to zero, the greatest to one.
TEST(Forward, Means) {
    for (const int32_t value : {-40, 60}) {
        const raised seen = raise(
            EVERY_TEMPERATURE,
            [=](sotto_client *c) { return sotto_report_integer(c, EVERY_TEMPERATURE, value); },
            [=](uint32_t epoch) {
                return [=](sotto_client *c) {
                    return sotto_extend_integer(c, EVERY_TEMPERATURE, epoch, value);
                };
            },
            34);
        check_bits(seen, EVERY_TEMPERATURE, 1, {value == 60});
    }
}

// By `chance` of the last word and `given` it of the next.
template <typename Chance, typename Given>
void check_words(const raised &seen, uint32_t size, Chance chance, Given given) {
    std::vector<double> expected(size_t{size} * size), observed(expected.size()), law(size);
    for (uint32_t last = 0; last < size; ++last) {
        for (uint32_t next = 0; next < size; ++next) {
            const double p = chance(last) * given(last, next);
            expected[last * size + next] = reports * p;
            law[next] += p;
        }
    }
    std::vector<uint32_t> above;
    for (size_t i = 0; i < reports; ++i) {
        above.push_back(seen.above[i][0]);
        ASSERT_LT(std::max(seen.top[i][0], above.back()), size);
        observed[seen.top[i][0] * size + above.back()] += 1;
    }
    EXPECT_LT(chi_square_z(observed, expected), z_limit);
    worst_of successive;
    check_successive(above, law, successive);
    EXPECT_LT(successive.z(), z_limit) << successive.what();
}

raised raise_category(uint16_t id, uint32_t value, uint32_t seed) {
    return raise(
        id, [=](sotto_client *c) { return sotto_report_category(c, id, value); },
        [=](uint32_t epoch) {
            return [=](sotto_client *c) { return sotto_extend_category(c, id, epoch, value); };
        },
        seed);
}

TEST(Forward, UnaryCategories) {
    check_bits(raise_category(EVERY_PHASE_OPTIMIZED, 37, 32), EVERY_PHASE_OPTIMIZED, 40,
               {0, 1u << 5});
}

TEST(Forward, Categories) {
    const sotto_metric &m = metric(EVERY_PHASE);
    const sotto_forward_category &step = *m.forward.category;
    const sotto_k_randomized_response &table = *m.table.k_randomized_response;
    constexpr uint32_t value = 3;
    const double keep = probability(table.keep[m.level_count - 1u], 64), k = table.size;
    check_words(
        raise_category(EVERY_PHASE, value, 35), table.size,
        [&](uint32_t last) { return (1 - keep) / k + (last == value ? keep : 0); },
        [&](uint32_t last, uint32_t next) {
            const bool same = last == value;
            const double direct = probability(step.to_value[same], 64);
            const double kept = same ? 0 : probability(step.keep_last, 64) - direct;
            return (next == value ? direct : 0) + (next == last ? kept : 0) +
                   (1 - direct - kept) / k;
        });
}

// The ladder's keeps and a step, for a value that some answers support.
void check_support(const raised &seen, const std::vector<bool> &supports, double keep,
                   const sotto_forward_support &step) {
    const auto size = static_cast<double>(supports.size());
    const auto width = static_cast<double>(std::count(supports.begin(), supports.end(), true));
    const auto chance = [&](double kept, uint32_t answer) {
        return kept * supports[answer] / width + (1 - kept) / size;
    };
    check_words(
        seen, static_cast<uint32_t>(supports.size()),
        [&](uint32_t last) { return chance(keep, last); },
        [&](uint32_t last, uint32_t next) {
            const double stays = probability(step.keep_last[supports[last]], 64);
            return (next == last ? stays : 0) +
                   (1 - stays) * chance(probability(step.keep, 64), next);
        });
}

TEST(Forward, Designs) {
    const sotto_metric &m = metric(EVERY_PHASE_DESIGN);
    const sotto_design &table = *m.table.design;
    constexpr uint32_t value = 3;
    std::vector<bool> supports(table.answers);
    for (uint32_t j = 0; j < table.count; ++j) {
        supports[(table.design[j] + table.answers - value) % table.answers] = true;
    }
    check_support(raise_category(EVERY_PHASE_DESIGN, value, 36), supports,
                  probability(table.keep[m.level_count - 1u], 64), *m.forward.support);
}

// The least number is in bin 0, whatever its rounding.
TEST(Forward, WindowsOfAMean) {
    const sotto_metric &m = metric(EVERY_WARMTH);
    const sotto_window_mean &table = *m.table.window_mean;
    std::vector<bool> supports(table.bins + 2u * table.half);
    std::fill_n(supports.begin(), 2 * table.half + 1, true);
    const raised seen = raise(
        EVERY_WARMTH, [](sotto_client *c) { return sotto_report_integer(c, EVERY_WARMTH, -3); },
        [](uint32_t epoch) {
            return
                [=](sotto_client *c) { return sotto_extend_integer(c, EVERY_WARMTH, epoch, -3); };
        },
        38);
    check_support(seen, supports, probability(table.keep[m.level_count - 1u], 64),
                  *m.forward.support);
}

// Alone it has the law of discrete Laplace noise of its own epsilon. The digits beyond the last
// number tell so: their ratio is that of the top times its own.
void check_numbers(const raised &seen, uint16_t id, const std::vector<int32_t> &values) {
    const sotto_metric &m = metric(id);
    const sotto_discrete_laplace &table = *m.table.discrete_laplace;
    const double q =
        ratio_of(m.forward.laplace->beyond) / ratio_of(table.noise[m.level_count - 1u].size);
    const int32_t width = std::max(1, (table.publish_max - table.publish_min) / 80);
    const double p = q / (1 + q);
    worst_of worst;
    for (size_t i = 0; i < values.size(); ++i) {
        std::vector<double> observed(84), expected(84);
        const auto cell = [&](int32_t y) -> size_t {
            return y == table.publish_min   ? 82
                   : y == table.publish_max ? 83
                                            : static_cast<size_t>((y - table.publish_min) / width);
        };
        for (int32_t y = table.publish_min; y <= table.publish_max; ++y) {
            expected[cell(y)] +=
                reports * clamped_laplace(q, values[i], y, table.publish_min, table.publish_max);
        }
        std::vector<int> above;
        for (const auto &report : seen.above) {
            const auto y = static_cast<int32_t>(report[i]);
            ASSERT_TRUE(y >= table.publish_min && y <= table.publish_max);
            observed[cell(y)] += 1;
            above.push_back(y > values[i]);
        }
        worst.add(chi_square_z(observed, expected), "law of number " + std::to_string(i));
        worst.add(rate_z(ones(above), reports, p), "above");
        for (size_t lag = 1; lag <= 4; ++lag) {
            worst.add(correlation_z(above, above, lag, p, p), "successive");
        }
    }
    EXPECT_LT(worst.z(), z_limit) << "metric " << id << ": " << worst.what();
}

TEST(Forward, Integers) {
    for (const int32_t value : {0, 150}) {
        const raised seen = raise(
            EVERY_SPEED,
            [=](sotto_client *c) { return sotto_report_integer(c, EVERY_SPEED, value); },
            [=](uint32_t epoch) {
                return [=](sotto_client *c) {
                    return sotto_extend_integer(c, EVERY_SPEED, epoch, value);
                };
            },
            36);
        check_numbers(seen, EVERY_SPEED, {value});
    }
}

TEST(Forward, Vectors) {
    static const std::array<int32_t, 3> values = {1, -2, 3};
    const raised seen = raise(
        EVERY_AXES,
        [](sotto_client *c) { return sotto_report_vector(c, EVERY_AXES, values.data(), 3); },
        [](uint32_t epoch) {
            return [=](sotto_client *c) {
                return sotto_extend_vector(c, EVERY_AXES, epoch, values.data(), 3);
            };
        },
        37);
    check_numbers(seen, EVERY_AXES, {1, -2, 3});
}

} // namespace
