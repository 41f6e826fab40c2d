// SPDX-License-Identifier: Apache-2.0
// Independence of ids and of metrics; and noise that is shared or coarse is caught.
#include "fleet.hpp"
#include "spoilt_noise.hpp"

#include <algorithm>
#include <gtest/gtest-spi.h>
#include <utility>

using namespace sotto::test;

namespace {

TEST(Statistics, WhatIsNoNumberIsTheWorst) {
    worst_of worst;
    worst.add(-3, "three");
    EXPECT_EQ(worst.z(), 3);
    worst.add(rate_z(0, 0, 0.5), "nothing drawn");
    worst.add(100, "large");
    EXPECT_GT(worst.z(), z_limit);
    EXPECT_EQ(worst.what(), "nothing drawn");
}

// The release's id must tell nothing of its noise.
TEST(Laws, ReleaseIdsAndMetricsAreIndependent) {
    constexpr uint32_t n = reports;
    std::vector<int> flips[2];
    std::vector<std::vector<int>> id_bits(64);
    sotto_testing testing;
    const uint8_t seed = 9;
    sotto_testing_init(&testing, &seed, 1, 0);
    const sotto_port port = sotto_testing_port(&testing);
    static every_client memory;
    ASSERT_EQ(every_init(&memory, &port), SOTTO_OK);
    std::array<uint8_t, 4096> buffer{};
    size_t length = 0;
    for (uint32_t epoch = 0; epoch < n; ++epoch) {
        ASSERT_EQ(sotto_advance(&memory.client, epoch), SOTTO_OK);
        ASSERT_EQ(sotto_report_boolean(&memory.client, EVERY_FLAG, true), SOTTO_OK);
        ASSERT_EQ(sotto_report_boolean(&memory.client, EVERY_FLAG_UNIT_GRID, true), SOTTO_OK);
        for (const sotto_release &release : memory.state.releases) {
            if (release.flags == 0 || release.epoch != epoch) {
                continue;
            }
            uint32_t word = 0;
            ASSERT_EQ(sotto::device::derive(memory.client, release, 0,
                                            sotto::device::work_words(memory.client, 0)),
                      SOTTO_OK);
            word = sotto::device::work_words(memory.client, 0)[0];
            flips[release.metric_id == EVERY_FLAG ? 0 : 1].push_back(word == 0);
        }
        // Ids are born here.
        ASSERT_EQ(sotto_flush(&memory.client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        for (const sotto_release &release : memory.state.releases) {
            const bool is_it = release.epoch == epoch && release.metric_id == EVERY_FLAG;
            for (size_t i = 0; is_it && i < 64; ++i) {
                id_bits[i].push_back(release.id[i / 8] >> (i % 8) & 1);
            }
        }
    }
    const double p = marginal(metric(EVERY_FLAG), 0).one_if_zero;
    worst_of worst;
    for (size_t i = 0; i < 64; ++i) {
        worst.add(rate_z(ones(id_bits[i]), n, 0.5), "id bit");
        worst.add(correlation_z(id_bits[i], flips[0], 0, 0.5, p), "id bit and flip");
        worst.add(correlation_z(id_bits[i], flips[0], 1, 0.5, p), "id bit and the next flip");
    }
    worst.add(correlation_z(flips[0], flips[1], 0, p, p), "metrics");
    worst.add(correlation_z(flips[0], flips[1], 1, p, p), "metrics, one report later");
    EXPECT_LT(worst.z(), z_limit) << worst.what();
    // The control: an id whose first bit is the highest of the noise that decided the flip.
    std::vector<int> leaked, decided;
    std::array<uint8_t, 8> noise{};
    for (uint32_t k = 0; k < n; ++k) {
        ASSERT_EQ(port.entropy->read(port.entropy->context, noise.data(), noise.size()), 8);
        uint32_t word = 0;
        ASSERT_EQ(sotto::draw_word(metric(EVERY_FLAG), 2, 0, 0, {noise.data(), 8}, &word),
                  SOTTO_OK);
        decided.push_back(static_cast<int>(word));
        leaked.push_back(noise[7] >> 7);
    }
    EXPECT_GT(std::fabs(correlation_z(leaked, decided, 0, 0.5,
                                      marginal(metric(EVERY_FLAG), 2).one_if_zero)),
              z_limit);
}

// A probability kept in four bits, as 4/16, in place of 1 / (1 + e).
TEST(Laws, ACoarseProbabilityIsCaught) {
    sotto_metric coarse = metric(EVERY_FLAG);
    const sotto_threshold quarter = {{0, 0x40000000u}};
    const sotto_randomized_response table = {&quarter};
    coarse.level_count = 1;
    coarse.table.randomized_response = &table;
    sotto_testing testing;
    const uint8_t seed = 5;
    sotto_testing_init(&testing, &seed, 1, 0);
    const sotto_port port = sotto_testing_port(&testing);
    constexpr uint32_t draws = 10 * reports;
    double flips = 0;
    for (uint32_t k = 0; k < draws; ++k) {
        std::array<uint8_t, 8> random{};
        ASSERT_EQ(port.entropy->read(port.entropy->context, random.data(), random.size()), 8);
        uint32_t word = 0;
        ASSERT_EQ(sotto::draw_word(coarse, 0, 0, 0, {random.data(), 8}, &word), SOTTO_OK);
        flips += word;
    }
    EXPECT_LT(std::fabs(rate_z(flips, draws, 0.25)), z_limit);
    EXPECT_GT(std::fabs(rate_z(flips, draws, marginal(metric(EVERY_FLAG), 1).one_if_zero)),
              z_limit);
}

observation categories(uint64_t seed) {
    return observe(
        EVERY_PHASE_OPTIMIZED, 40, {0, 1u << 5},
        [](sotto_client *c) { return sotto_report_category(c, EVERY_PHASE_OPTIMIZED, 37); }, seed);
}

// A test that honest devices pass, on a device with a fault in its randomness.
void expect_caught(const fault &f, const char *how) {
    observation seen;
    {
        const planted spoilt(f);
        seen = categories(3);
    }
    testing::TestPartResultArray failures;
    {
        const testing::ScopedFakeTestPartResultReporter quiet(
            testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
        check(seen, metric(EVERY_PHASE_OPTIMIZED));
    }
    std::string messages;
    for (int i = 0; i < failures.size(); ++i) {
        messages += failures.GetTestPartResult(i).message();
    }
    EXPECT_NE(messages.find(how), std::string::npos) << messages;
}

TEST(Laws, PlantedFaultsAreWhatFails) {
    size_t bytes_seen = 0;
    const planted looking([&](uint8_t *, size_t length_bytes) { bytes_seen += length_bytes; });
    check(categories(3), metric(EVERY_PHASE_OPTIMIZED));
    EXPECT_GT(bytes_seen, reports) << "all noise comes this way";
}

// Fuchsia Cobalt's fault: a random helper that reads a neighbouring byte, so that bits share noise.
TEST(Laws, ANeighbouringByteIsCaught) {
    expect_caught(
        [](uint8_t *bytes, size_t length_bytes) {
            for (size_t i = 0; i + 1 < length_bytes; i += 4) {
                bytes[i + 1] = bytes[i];
            }
        },
        "bits of two bytes");
}

// Bits of a byte that are the other bits of it.
TEST(Laws, ANeighbouringBitIsCaught) {
    expect_caught(
        [](uint8_t *bytes, size_t length_bytes) {
            for (size_t i = 0; i < length_bytes; ++i) {
                const unsigned even = bytes[i] & 0x55u;
                bytes[i] = static_cast<uint8_t>(even | even << 1);
            }
        },
        "bits of a byte");
}

// Noise that is handed out twice: every second report gets that of the one before. A report begins
// where a release's key is drawn.
TEST(Laws, NoiseOfTheLastReportIsCaught) {
    std::vector<std::vector<uint8_t>> last;
    size_t reports_seen = 0, place = 0;
    expect_caught(
        [&](uint8_t *bytes, size_t length_bytes) {
            if (length_bytes == sizeof(sotto_release::key)) {
                ++reports_seen;
                place = 0;
            }
            if (reports_seen % 2 == 0) {
                last.resize(place);
                last.emplace_back(bytes, bytes + length_bytes);
            } else if (place < last.size() && last[place].size() == length_bytes) {
                std::copy(last[place].begin(), last[place].end(), bytes);
            }
            ++place;
        },
        "successive reports");
}

} // namespace
