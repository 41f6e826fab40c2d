// SPDX-License-Identifier: Apache-2.0
// The laws of numbers through the whole client: marginals, and the joint law of levels.
#include "fleet.hpp"

#include <cstdlib>
#include <map>

using namespace sotto::test;

namespace {

TEST(Laws, Integers) {
    for (const auto id : ids({EVERY_SPEED, EVERY_SPEED_WITH_MARGIN})) {
        const sotto_metric &m = metric(id);
        const sotto_discrete_laplace &table = *m.table.discrete_laplace;
        for (const int32_t value : {table.min, (table.min + table.max) / 2, table.max - 1}) {
            std::vector<std::map<int32_t, double>> seen(m.level_count);
            lanes above(m.level_count);
            device d(static_cast<uint64_t>(value) * 31 + id);
            for (uint32_t epoch = 0; epoch < reports; ++epoch) {
                ASSERT_EQ(sotto_report_integer(d(epoch), id, value), SOTTO_OK);
                for (uint32_t level = 0; level < m.level_count; ++level) {
                    const auto y = static_cast<int32_t>(d.published(id, level)[0]);
                    ASSERT_GE(y, table.publish_min);
                    ASSERT_LE(y, table.publish_max);
                    seen[level][y] += 1;
                    above[level].push_back(y > value);
                }
                d.flush();
            }
            for (uint32_t level = 0; level < m.level_count; ++level) {
                const double q = ratio_of(table.noise[level].size);
                // Cells of equal width, so that each expects enough.
                const int32_t width = std::max(1, (table.publish_max - table.publish_min) / 40);
                std::map<int32_t, double> expected, observed;
                for (int32_t y = table.publish_min; y <= table.publish_max; ++y) {
                    // The ends are cells of their own.
                    const int32_t cell = y == table.publish_min   ? -2
                                         : y == table.publish_max ? -1
                                                                  : (y - table.publish_min) / width;
                    expected[cell] += reports * clamped_laplace(q, value, y, table.publish_min,
                                                                table.publish_max);
                    observed[cell] += seen[level].contains(y) ? seen[level][y] : 0;
                }
                std::vector<double> o, e;
                for (const auto &[cell, count] : expected) {
                    e.push_back(count);
                    o.push_back(observed[cell]);
                }
                EXPECT_LT(chi_square_z(o, e), z_limit)
                    << id << " at " << value << ", level " << level;
            }
            worst_of successive;
            for (uint32_t level = 0; level < m.level_count; ++level) {
                const double q = ratio_of(table.noise[level].size), p = q / (1 + q);
                successive.add(rate_z(ones(above[level]), reports, p), "above");
                for (size_t lag = 1; lag <= 4; ++lag) {
                    successive.add(correlation_z(above[level], above[level], lag, p, p),
                                   "level " + std::to_string(level));
                }
            }
            EXPECT_LT(successive.z(), z_limit) << id << " at " << value << successive.what();
        }
    }
}

// P(level = y | the number above), for every y: a number at an end moves outward first.
std::vector<double> step_law(const sotto_discrete_laplace &table, uint32_t level, int32_t above) {
    const sotto_laplace_noise &noise = table.noise[level];
    const double q = ratio_of(noise.size), out = ratio_of(table.noise[level + 1].size);
    const double moved = probability(noise.nonzero, 64);
    const auto beyond = [&](int32_t k) { return moved / 2 * std::pow(q, k - 1); }; // W >= k > 0
    const int32_t low = table.publish_min, high = table.publish_max;
    std::vector<double> law(static_cast<size_t>(high - low + 1));
    const auto add = [&](int32_t from, double weight) {
        for (int32_t y = low; y <= high; ++y) {
            const int32_t distance = std::abs(y - from);
            double p = 1 - moved;
            if (distance != 0) {
                p = moved / 2 * (1 - q) * std::pow(q, distance - 1);
            }
            if (y == high) {
                p = from < high ? beyond(high - from) : 1 - beyond(from - high + 1);
            } else if (y == low) {
                p = from > low ? beyond(from - low) : 1 - beyond(low - from + 1);
            }
            law[static_cast<size_t>(y - low)] += weight * p;
        }
    };
    if (above != low && above != high) {
        add(above, 1);
        return law;
    }
    double left = 1;
    for (int32_t further = 0; left > 1e-12; ++further) {
        add(above == high ? high + further : low - further, left * (1 - out));
        left *= out;
    }
    return law;
}

// The law of every two levels of a release: of the lower one given the higher, summed over cells.
TEST(Laws, LevelsOfIntegers) {
    const sotto_metric &m = metric(EVERY_SPEED);
    const sotto_discrete_laplace &table = *m.table.discrete_laplace;
    const auto numbers = static_cast<size_t>(table.publish_max - table.publish_min + 1);
    constexpr size_t cells = 10; // and the ends, each a cell of its own
    const auto cell = [&](size_t i) {
        return i == 0 ? cells : i + 1 == numbers ? cells + 1 : i * cells / numbers;
    };
    std::vector<std::vector<std::vector<double>>> kernel(m.level_count - 1u);
    for (uint32_t level = 0; level + 1 < m.level_count; ++level) {
        for (size_t i = 0; i < numbers; ++i) {
            kernel[level].push_back(
                step_law(table, level, table.publish_min + static_cast<int32_t>(i)));
        }
    }
    for (const int32_t value : {table.min, 150}) {
        std::vector<std::vector<size_t>> seen(m.level_count);
        device d(77 + static_cast<uint64_t>(value));
        for (uint32_t epoch = 0; epoch < reports; ++epoch) {
            ASSERT_EQ(sotto_report_integer(d(epoch), EVERY_SPEED, value), SOTTO_OK);
            for (uint32_t level = 0; level < m.level_count; ++level) {
                const auto y = static_cast<int32_t>(d.published(EVERY_SPEED, level)[0]);
                seen[level].push_back(static_cast<size_t>(y - table.publish_min));
            }
            d.flush();
        }
        for (uint32_t high = 1; high < m.level_count; ++high) {
            const double q = ratio_of(table.noise[high].size);
            // By the cell of the higher level: the law of the levels below it, weighed.
            std::vector<std::vector<double>> below(cells + 2, std::vector<double>(numbers));
            for (size_t i = 0; i < numbers; ++i) {
                below[cell(i)][i] =
                    clamped_laplace(q, value, table.publish_min + static_cast<int32_t>(i),
                                    table.publish_min, table.publish_max);
            }
            for (uint32_t low = high; low-- > 0;) {
                std::vector<double> observed((cells + 2) * (cells + 2)), expected(observed.size());
                for (size_t row = 0; row < below.size(); ++row) {
                    std::vector<double> next(numbers);
                    for (size_t i = 0; i < numbers; ++i) {
                        for (size_t j = 0; below[row][i] > 0 && j < numbers; ++j) {
                            next[j] += below[row][i] * kernel[low][i][j];
                        }
                    }
                    below[row] = next;
                    for (size_t j = 0; j < numbers; ++j) {
                        expected[row * (cells + 2) + cell(j)] += reports * next[j];
                    }
                }
                for (size_t k = 0; k < reports; ++k) {
                    observed[cell(seen[high][k]) * (cells + 2) + cell(seen[low][k])] += 1;
                }
                EXPECT_LT(chi_square_z(observed, expected), z_limit)
                    << "levels " << low << " and " << high << " of " << value;
                // The control: levels drawn each on its own, with the same laws.
                std::vector<double> apart(expected.size());
                for (size_t k = 0; k < reports; ++k) {
                    apart[cell(seen[high][k]) * (cells + 2) + cell(seen[low][(k + 1) % reports])] +=
                        1;
                }
                EXPECT_GT(chi_square_z(apart, expected), z_limit);
            }
        }
    }
}

TEST(Laws, VectorsHaveIndependentNumbers) {
    const std::array<int32_t, 3> values = {1, -1, 0};
    std::vector<std::vector<int>> above(3);
    device d(17);
    for (uint32_t epoch = 0; epoch < reports; ++epoch) {
        ASSERT_EQ(sotto_report_vector(d(epoch), EVERY_AXES, values.data(), 3), SOTTO_OK);
        const auto words = d.published(EVERY_AXES, 0);
        for (size_t i = 0; i < 3; ++i) {
            above[i].push_back(static_cast<int32_t>(words[i]) > values[i]);
        }
        d.flush();
    }
    const double q = ratio_of(metric(EVERY_AXES).table.discrete_laplace->noise[0].size);
    const double p = q / (1 + q);
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_LT(std::fabs(rate_z(ones(above[i]), reports, p)), z_limit);
        for (size_t j = i + 1; j < 3; ++j) {
            EXPECT_LT(std::fabs(correlation_z(above[i], above[j], 0, p, p)), z_limit);
        }
        EXPECT_LT(std::fabs(correlation_z(above[i], above[(i + 1) % 3], 1, p, p)), z_limit);
    }
}

TEST(Laws, OneBitMean) {
    constexpr int32_t value = 17;
    const sotto_metric &m = metric(EVERY_TEMPERATURE);
    const sotto_one_bit_mean &table = *m.table.one_bit_mean;
    const double rounded = (value - table.min) * static_cast<double>(table.scale) / 4294967296.0;
    device d(23);
    std::vector<std::vector<int>> seen(m.level_count);
    for (uint32_t epoch = 0; epoch < reports; ++epoch) {
        ASSERT_EQ(sotto_report_integer(d(epoch), EVERY_TEMPERATURE, value), SOTTO_OK);
        for (uint32_t level = 0; level < m.level_count; ++level) {
            seen[level].push_back(static_cast<int>(d.published(EVERY_TEMPERATURE, level)[0]));
        }
        d.flush();
    }
    for (uint32_t level = 0; level < m.level_count; ++level) {
        const bit_law law = marginal(m, level);
        const double p = rounded * law.one_if_one + (1 - rounded) * law.one_if_zero;
        EXPECT_LT(std::fabs(rate_z(ones(seen[level]), reports, p)), z_limit);
        EXPECT_LT(std::fabs(correlation_z(seen[level], seen[level], 1, p, p)), z_limit);
        for (uint32_t low = 0; low < level; ++low) {
            bit_law step = {0, 1};
            for (uint32_t i = level; i-- > low;) {
                step = then(step, sotto::test::step_law(m, i));
            }
            std::vector<double> observed(4),
                expected = {(1 - p) * (1 - step.one_if_zero) * reports,
                            (1 - p) * step.one_if_zero * reports,
                            p * (1 - step.one_if_one) * reports, p * step.one_if_one * reports};
            for (size_t k = 0; k < reports; ++k) {
                observed[static_cast<size_t>(2 * seen[level][k] + seen[low][k])] += 1;
            }
            EXPECT_LT(chi_square_z(observed, expected), z_limit) << low << " and " << level;
        }
    }
}

} // namespace
