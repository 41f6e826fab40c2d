// SPDX-License-Identifier: Apache-2.0
// The flip rate, and independence of everything that is drawn one behind the other. Seeds are
// fixed, so the outcome repeats; for a new seed each check has a false-alarm rate below 1e-9.
#include "mechanism/randomized_response.hpp"
#include "metrics.h"
#include "sotto_testing.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <vector>

SOTTO_TEST_PROGRAM();

namespace {

// P(|Z| > 6.8) = 1.0e-11 for a standard normal Z: fifty such checks stay below 1e-9 together.
constexpr double z_limit = 6.8;

double marginal(const sotto_metric &metric, uint32_t level) {
    double p = 0;
    for (uint32_t i = metric.level_count; i-- > level;) {
        const sotto_threshold &t = metric.table.randomized_response->flip[i];
        const double s = (t.limb[1] * 4294967296.0 + t.limb[0]) / 18446744073709551616.0;
        p = p * (1 - s) + (1 - p) * s;
    }
    return p;
}

double rate_z(const std::vector<int> &flips, double p) {
    double sum = 0;
    for (const int f : flips) {
        sum += f;
    }
    const auto n = static_cast<double>(flips.size());
    return (sum - n * p) / std::sqrt(n * p * (1 - p));
}

// Correlation of a[i] with b[i + lag], standardised.
double correlation_z(const std::vector<int> &a, const std::vector<int> &b, size_t lag, double pa,
                     double pb) {
    const size_t n = a.size() - lag;
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
        sum += (a[i] - pa) * (b[i + lag] - pb);
    }
    return sum / std::sqrt(static_cast<double>(n) * pa * (1 - pa) * pb * (1 - pb));
}

double worst_serial_z(const std::vector<int> &flips, double p) {
    double worst = 0;
    for (size_t lag = 1; lag <= 8; ++lag) {
        worst = std::fmax(worst, std::fabs(correlation_z(flips, flips, lag, p, p)));
    }
    return worst;
}

// What a device publishes, through the whole client, as flips against an alternating true value.
std::map<uint16_t, std::vector<int>> published_flips(uint64_t seed, uint32_t epochs) {
    sotto_testing testing;
    sotto_testing_init(&testing, reinterpret_cast<const uint8_t *>(&seed), sizeof seed, 0);
    const sotto_port port = sotto_testing_port(&testing);
    test_fleet_client device;
    EXPECT_EQ(test_fleet_init(&device, &port), SOTTO_OK);
    std::map<uint16_t, std::vector<int>> flips;
    std::array<uint8_t, 512> buffer{};
    for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
        const bool value = epoch % 2 == 1;
        EXPECT_EQ(sotto_advance(&device.client, epoch), SOTTO_OK);
        for (uint16_t i = 0; i < test_fleet_registry.metric_count; ++i) {
            EXPECT_EQ(
                sotto_report_boolean(&device.client, test_fleet_registry.metrics[i].id, value),
                SOTTO_OK);
        }
        for (uint16_t i = 0; i < device.client.queue_length; ++i) {
            const sotto_release &release = device.queue[i];
            flips[release.metric_index].push_back(static_cast<int>(release.value) != value);
        }
        size_t length = 0;
        EXPECT_EQ(sotto_flush(&device.client, buffer.data(), buffer.size(), &length), SOTTO_OK);
    }
    return flips;
}

TEST(Flips, RateAndIndependenceThroughTheClient) {
    const auto flips = published_flips(20261120, 200000);
    ASSERT_EQ(flips.size(), 3u);
    for (const auto &[i, f] : flips) {
        const double p = marginal(test_fleet_registry.metrics[i], 0);
        EXPECT_LT(std::fabs(rate_z(f, p)), z_limit) << "metric " << i;
        // For each true value by itself: epsilon bounds both rates, not their mean.
        std::vector<int> of_value[2];
        for (size_t k = 0; k < f.size(); ++k) {
            of_value[k % 2].push_back(f[k]);
        }
        EXPECT_LT(std::fabs(rate_z(of_value[0], p)), z_limit) << "metric " << i;
        EXPECT_LT(std::fabs(rate_z(of_value[1], p)), z_limit) << "metric " << i;
        EXPECT_LT(worst_serial_z(f, p), z_limit) << "metric " << i;
        for (const auto &[j, g] : flips) {
            if (i < j) {
                const double q = marginal(test_fleet_registry.metrics[j], 0);
                EXPECT_LT(std::fabs(correlation_z(f, g, 0, p, q)), z_limit) << i << ", " << j;
                EXPECT_LT(std::fabs(correlation_z(f, g, 1, p, q)), z_limit) << i << ", " << j;
            }
        }
    }
}

// The core alone, over a table and over bytes that a caller may have spoiled.
std::vector<int> core_flips(const sotto_metric &metric, const std::vector<uint8_t> &stream) {
    std::vector<int> flips;
    for (size_t at = 0; at < stream.size(); at += 8) {
        uint32_t bit = 0;
        EXPECT_EQ(sotto::randomized_response(metric, 0, 0, {stream.data() + at, 8}, &bit),
                  SOTTO_OK);
        flips.push_back(static_cast<int>(bit));
    }
    return flips;
}

TEST(Flips, TheChecksBite) {
    const sotto_metric &honest = test_fleet_registry.metrics[0];
    const double p = marginal(honest, 0);
    sotto_testing testing;
    const uint8_t seed = 3;
    sotto_testing_init(&testing, &seed, 1, 0);
    const sotto_port port = sotto_testing_port(&testing);
    std::vector<uint8_t> stream(8 * 200000);
    ASSERT_EQ(port.entropy(port.context, stream.data(), stream.size()),
              static_cast<int32_t>(stream.size()));
    EXPECT_LT(std::fabs(rate_z(core_flips(honest, stream), p)), z_limit);
    EXPECT_LT(worst_serial_z(core_flips(honest, stream), p), z_limit);

    // A probability kept in four bits, as 4/16.
    const sotto_threshold quarter = {{0, 0x40000000u}};
    const sotto_randomized_response coarse_table = {&quarter};
    sotto_metric coarse = honest;
    coarse.table.randomized_response = &coarse_table;
    EXPECT_GT(std::fabs(rate_z(core_flips(coarse, stream), p)), z_limit);

    // A helper that takes one byte, the most significant, from the neighbour.
    for (size_t at = 8; at < stream.size(); at += 16) {
        stream[at + 7] = stream[at - 1];
    }
    EXPECT_GT(worst_serial_z(core_flips(honest, stream), p), z_limit);
}

} // namespace
