// SPDX-License-Identifier: Apache-2.0
// The law of sorted points' noise through the whole client. The points are in order, and each has
// discrete Laplace noise of epsilon / delta a unit.
#include "fleet.hpp"

#include <algorithm>
#include <cstdlib>

using namespace sotto::test;

namespace {

using numbers = std::vector<int32_t>;

std::vector<numbers> noise_of(const numbers &points) {
    numbers in_order = points;
    std::sort(in_order.begin(), in_order.end());
    std::vector<numbers> noise(points.size());
    device d(5);
    for (uint32_t epoch = 0; epoch < reports; ++epoch) {
        EXPECT_EQ(sotto_report_vector(d(epoch), EVERY_ORDERED, points.data(), points.size()),
                  SOTTO_OK);
        const std::vector<uint32_t> words = d.published(EVERY_ORDERED, 0);
        for (size_t i = 0; i < words.size(); ++i) {
            noise.at(i).push_back(static_cast<int32_t>(words[i]) - in_order.at(i));
        }
        d.flush();
    }
    return noise;
}

double law_z(const numbers &noise, double unit_epsilon) {
    constexpr int32_t far = 20; // everything beyond it counts as one
    std::vector<double> observed(2 * far + 1), expected(2 * far + 1);
    for (const int32_t v : noise) {
        observed.at(static_cast<size_t>(std::clamp(v, -far, far) + far)) += 1;
    }
    const double q = std::exp(-unit_epsilon), whole = static_cast<double>(noise.size());
    for (int32_t v = -far; v <= far; ++v) {
        const double end = std::abs(v) == far ? 1 / (1 - q) : 1;
        expected[static_cast<size_t>(v + far)] =
            whole * end * (1 - q) / (1 + q) * std::pow(q, std::abs(v));
    }
    return chi_square_z(observed, expected);
}

// The law of a unit a fifth larger, which would lose more, is told apart.
TEST(SortedPointLaws, AreThoseOfTheUnitThatIsCharged) {
    const std::vector<numbers> noise = noise_of({4, -8, 1});
    ASSERT_EQ(noise.size(), 3u);
    const double unit = 1.0 / 2, q = std::exp(-unit), p = q / (1 + q);
    lanes above;
    for (const numbers &own : noise) {
        EXPECT_LT(law_z(own, unit), z_limit);
        EXPECT_GT(law_z(own, 1.2 * unit), z_limit) << "the control";
        above.emplace_back();
        for (const int32_t v : own) {
            above.back().push_back(v > 0);
        }
    }
    for (size_t i = 0; i < above.size(); ++i) {
        EXPECT_LT(std::abs(correlation_z(above[i], above[i], 1, p, p)), z_limit) << i;
        for (size_t j = 0; j < i; ++j) {
            EXPECT_LT(std::abs(correlation_z(above[i], above[j], 0, p, p)), z_limit) << i << j;
        }
    }
}

} // namespace
