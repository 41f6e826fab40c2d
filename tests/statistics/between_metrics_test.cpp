// SPDX-License-Identifier: Apache-2.0
// Independence of what one device says of two metrics, however alike these are.
#include "fleet.hpp"

#include <algorithm>

SOTTO_TEST_PROGRAM();

using namespace sotto::test;

namespace {

constexpr uint32_t categories = 40, category = 3;
constexpr std::array<uint16_t, 2> twins = {EVERY_ROUTE, EVERY_ROUTE_AGAIN};

// Permanent noise of two metrics of the same value, and its step to the level below. Numbers and
// bits stand beside it, over many devices. `registry` is the device's.
worst_of permanent_noise(bool is_shared) {
    constexpr uint32_t devices = 4000;
    const sotto_metric &m = metric(EVERY_ROUTE);
    const sotto_rappor &table = *m.table.rappor;
    std::array<lanes, 2> kept, below;
    kept.fill(lanes(categories));
    below.fill(lanes(categories));
    std::vector<int> flag, above;
    for (uint32_t k = 0; k < devices; ++k) {
        device d(40000 + k), same_secret(40000 + k);
        sotto_client *client = d(0);
        for (size_t t = 0; t < twins.size(); ++t) {
            const uint16_t id = is_shared ? twins[0] : twins[t];
            device &at = is_shared && t == 1 ? same_secret : d;
            EXPECT_EQ(sotto_report_category(&at == &d ? client : at(0), id, category), SOTTO_OK);
            const auto top = at.kept(id), low = at.published(id, 0);
            for (uint32_t i = 0; i < categories; ++i) {
                kept[t][i].push_back(static_cast<int>(top[i / 32] >> (i % 32) & 1));
                below[t][i].push_back(static_cast<int>(low[i / 32] >> (i % 32) & 1));
            }
        }
        EXPECT_EQ(sotto_report_boolean(client, EVERY_FLAG, false), SOTTO_OK);
        EXPECT_EQ(sotto_report_integer(client, EVERY_SPEED, 200), SOTTO_OK);
        flag.push_back(static_cast<int>(d.published(EVERY_FLAG, 1)[0]));
        above.push_back(static_cast<int32_t>(d.published(EVERY_SPEED, 1)[0]) > 200);
    }
    const bit_law top = law_of(table.permanent[1]);
    const bit_law low = then(then(top, law_of(table.permanent[0])), law_of(table.instantaneous[0]));
    const auto rate = [](const bit_law &law, uint32_t lane) {
        return lane == category ? law.one_if_one : law.one_if_zero;
    };
    const double flips = marginal(metric(EVERY_FLAG), 1).one_if_zero;
    const double q = ratio_of(metric(EVERY_SPEED).table.discrete_laplace->noise[1].size);
    worst_of worst;
    for (uint32_t i = 0; i < categories; ++i) {
        worst.add(rate_z(ones(kept[1][i]), devices, rate(top, i)), "rate of a permanent bit");
        worst.add(rate_z(ones(below[1][i]), devices, rate(low, i)), "rate of a report");
        for (uint32_t j = 0; j < categories; ++j) {
            worst.add(correlation_z(kept[0][i], kept[1][j], 0, rate(top, i), rate(top, j)),
                      "permanent bits");
            worst.add(correlation_z(below[0][i], below[1][j], 0, rate(low, i), rate(low, j)),
                      "reports");
        }
        worst.add(correlation_z(kept[0][i], flag, 0, rate(top, i), flips), "permanent and flag");
        worst.add(correlation_z(kept[0][i], above, 0, rate(top, i), q / (1 + q)),
                  "permanent and number");
    }
    return worst;
}

TEST(Metrics, PermanentNoiseIsTheirOwn) {
    const worst_of worst = permanent_noise(false);
    EXPECT_LT(worst.z(), z_limit) << worst.what();
}

// The control: one metric for both, on two devices of one secret.
TEST(Metrics, SharedPermanentNoiseIsCaught) {
    const worst_of worst = permanent_noise(true);
    EXPECT_GT(worst.z(), z_limit);
    EXPECT_EQ(worst.what(), "permanent bits");
}

// Fresh noise in every report: a bit of each metric at both of its levels.
struct lane {
    uint16_t id;
    uint32_t level;
    double p;
    std::vector<int> bits;
};

TEST(Metrics, NumbersAndBitsAreIndependent) {
    std::vector<lane> lanes;
    for (uint16_t id = EVERY_FLAG; id <= EVERY_FAULTS; ++id) {
        for (uint32_t level = 0; level < 2; ++level) {
            const sotto_metric &m = metric(id);
            lanes.push_back({id, level, *mechanism_of(m).chance(m, level, first_word(m)), {}});
        }
    }
    device d(71);
    for (uint32_t epoch = 0; epoch < reports; ++epoch) {
        sotto_client *client = d(epoch);
        for (uint16_t id = EVERY_FLAG; id <= EVERY_FAULTS; ++id) {
            ASSERT_GE(report_one(client, metric(id)), SOTTO_OK);
        }
        for (lane &l : lanes) {
            const sotto_metric &m = metric(l.id);
            l.bits.push_back(mechanism_of(m).bit(d.published(l.id, l.level)[0], first_word(m)));
        }
        d.flush();
    }
    worst_of worst;
    for (const lane &a : lanes) {
        worst.add(rate_z(ones(a.bits), reports, a.p), "rate of " + std::to_string(a.id));
        for (const lane &b : lanes) {
            for (size_t lag = 0; lag <= 2 && a.id != b.id; ++lag) {
                worst.add(correlation_z(a.bits, b.bits, lag, a.p, b.p),
                          std::to_string(a.id) + " and " + std::to_string(b.id));
            }
        }
    }
    EXPECT_LT(worst.z(), z_limit) << worst.what();
    EXPECT_GT(worst.z(), 1) << "something was looked at";
    // The control: the levels of one metric share its noise.
    EXPECT_GT(correlation_z(lanes[0].bits, lanes[1].bits, 0, lanes[0].p, lanes[1].p), z_limit);
}

} // namespace
