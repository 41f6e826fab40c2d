// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_TESTS_FLEET_HPP
#define SOTTO_TESTS_FLEET_HPP

#include "client/derive.hpp"
#include "client/internal.hpp"

#include "../mechanisms.hpp"
#include "metrics.h"
#include "sotto_testing.h"
#include "statistics.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

// Devices of tests/mechanisms.toml, what they publish, and what the tables say of bits. Bits are
// looked at as flips, published xor true, of whichever true value was reported.
namespace sotto::test {

inline constexpr uint32_t reports = 20000;

// The channel that draws `level` from the level above, or from the true bit.
inline bit_law step_law(const sotto_metric &m, uint32_t level) {
    return mechanism_of(m).step(m, level).value();
}

// P(clamp(u + DLap(q)) = y), by its closed form.
inline double clamped_laplace(double q, int32_t u, int32_t y, int32_t low, int32_t high) {
    const auto tail = [&](int32_t k) {
        return k <= 0 ? 1 - std::pow(q, 1 - k) / (1 + q) : std::pow(q, k) / (1 + q);
    };
    if (y == high) {
        return tail(high - u);
    }
    if (y == low) {
        return tail(u - low);
    }
    return (1 - q) / (1 + q) * std::pow(q, std::abs(y - u));
}

inline bit_law marginal(const sotto_metric &m, uint32_t level) {
    bit_law law = {0, 1};
    for (uint32_t i = m.level_count; i-- > level;) {
        law = then(law, step_law(m, i));
    }
    return law;
}

inline std::vector<uint16_t> ids(std::initializer_list<unsigned> list) {
    std::vector<uint16_t> result;
    for (const unsigned id : list) {
        result.push_back(static_cast<uint16_t>(id));
    }
    return result;
}

inline const sotto_metric &metric(uint16_t id) { return *sotto::device::find(every_registry, id); }

// One device that reports a value in each epoch, and what it publishes at each level.
class device {
  public:
    explicit device(uint64_t seed) {
        sotto_testing_init(&testing_, reinterpret_cast<const uint8_t *>(&seed), sizeof seed, 0);
        port_ = sotto_testing_port(&testing_);
        EXPECT_EQ(every_init(&memory_, &port_), SOTTO_OK);
    }

    // From here on its metrics are these, which have the same shapes.
    sotto_client *operator()(uint32_t epoch) {
        EXPECT_EQ(sotto_advance(&memory_.client, epoch), SOTTO_OK);
        return &memory_.client;
    }

    std::vector<uint32_t> published(uint16_t id, uint32_t level) {
        const sotto_metric &m = metric(id);
        std::vector<uint32_t> words(every_registry.metric_count * size_t{64});
        for (const sotto_release &release : memory_.state.releases) {
            if (release.flags != 0 && release.epoch == memory_.state.head.epoch &&
                release.metric_id == id) {
                EXPECT_EQ(sotto::device::derive(memory_.client, release, level, words.data()),
                          SOTTO_OK);
            }
        }
        words.resize(m.value_words);
        return words;
    }

    // The words that stay on the device: the top level, already noised.
    std::vector<uint32_t> kept(uint16_t id) {
        std::vector<uint32_t> words;
        for (const sotto_release &release : memory_.state.releases) {
            if (release.flags != 0 && release.metric_id == id) {
                const uint32_t *from = sotto::device::release_words(memory_.client, release);
                words.assign(from, from + metric(id).value_words);
            }
        }
        return words;
    }

    void acknowledge() { EXPECT_EQ(sotto_acknowledge(&memory_.client), SOTTO_OK); }
    void flush() {
        std::array<uint8_t, 4096> buffer{};
        size_t length = 0;
        EXPECT_EQ(sotto_flush(&memory_.client, buffer.data(), buffer.size(), &length), SOTTO_OK);
    }

  private:
    sotto_testing testing_{};
    sotto_port port_{};
    every_client memory_{};
};

// A value of the metric's type, and its first true word.
inline sotto_status report_one(sotto_client *client, const sotto_metric &m) {
    static constexpr uint16_t member = 1;
    const std::vector<int32_t> ones(m.value_words, 1);
    switch (m.type) {
    case SOTTO_TYPE_BOOLEAN:
        return sotto_report_boolean(client, m.id, true);
    case SOTTO_TYPE_CATEGORY:
        return sotto_report_category(client, m.id, 1);
    case SOTTO_TYPE_SET:
        return sotto_report_set(client, m.id, &member, 1);
    case SOTTO_TYPE_VECTOR:
        return sotto_report_vector(client, m.id, ones.data(), ones.size());
    case SOTTO_TYPE_MEAN: // the least of its range, which is rounded to a zero
        return sotto_report_integer(client, m.id, INT32_MIN);
    default:
        return sotto_report_integer(client, m.id, 1);
    }
}
inline uint32_t first_word(const sotto_metric &m) {
    return m.type == SOTTO_TYPE_MEAN ? 0 : m.code->shows == shown::bits ? 2 : 1;
}

using lanes = std::vector<std::vector<int>>; // [lane][report]

// The bits that each lane published at every level, for true bits that are `truth`.
struct observation {
    std::vector<lanes> level;
    std::vector<uint32_t> truth; // words
    uint32_t size = 0;
};

template <typename Report>
observation observe(uint16_t id, uint32_t size, std::vector<uint32_t> truth, Report report,
                    uint64_t seed) {
    const sotto_metric &m = metric(id);
    observation seen;
    seen.truth = std::move(truth);
    seen.size = size;
    seen.level.assign(m.level_count, lanes(size));
    device d(seed);
    for (uint32_t epoch = 0; epoch < reports; ++epoch) {
        EXPECT_EQ(report(d(epoch)), SOTTO_OK);
        for (uint32_t level = 0; level < m.level_count; ++level) {
            const std::vector<uint32_t> words = d.published(id, level);
            for (uint32_t i = 0; i < size; ++i) {
                seen.level[level][i].push_back(static_cast<int>(words[i / 32] >> (i % 32) & 1));
            }
        }
        d.flush();
    }
    return seen;
}

inline double ones(const std::vector<int> &bits) {
    double sum = 0;
    for (const int b : bits) {
        sum += b;
    }
    return sum;
}

class worst_of {
  public:
    // Anything but a number, from a lane that was never drawn say, is worse than any number.
    void add(double z, const std::string &what) {
        const double size = std::isfinite(z) ? std::fabs(z) : HUGE_VAL;
        if (size > z_) {
            z_ = size;
            what_ = what;
        }
    }
    double z() const { return z_; }
    const std::string &what() const { return what_; }

  private:
    double z_ = 0;
    std::string what_;
};

inline double one_rate(const observation &seen, const sotto_metric &m, uint32_t level,
                       uint32_t lane) {
    const bit_law law = marginal(m, level);
    return (seen.truth[lane / 32] >> (lane % 32) & 1) != 0 ? law.one_if_one : law.one_if_zero;
}

// Marginals, and the law of each level with the one below it.
inline void check_laws(const observation &seen, const sotto_metric &m, worst_of &worst) {
    for (uint32_t level = 0; level < m.level_count; ++level) {
        for (uint32_t i = 0; i < seen.size; ++i) {
            const double p = one_rate(seen, m, level, i);
            worst.add(rate_z(ones(seen.level[level][i]), reports, p),
                      "rate of lane " + std::to_string(i));
            if (level + 1 == m.level_count) {
                continue;
            }
            const double above = one_rate(seen, m, level + 1, i);
            const bit_law step = step_law(m, level);
            std::vector<double> observed(4),
                expected = {(1 - above) * (1 - step.one_if_zero) * reports,
                            (1 - above) * step.one_if_zero * reports,
                            above * (1 - step.one_if_one) * reports,
                            above * step.one_if_one * reports};
            for (size_t k = 0; k < reports; ++k) {
                observed[static_cast<size_t>(2 * seen.level[level + 1][i][k] +
                                             seen.level[level][i][k])] += 1;
            }
            worst.add(chi_square_z(observed, expected), "levels of lane " + std::to_string(i));
        }
    }
}

// Bits of one report, of a byte and of two, and one bit in successive reports.
inline void check_independence(const observation &seen, const sotto_metric &m, worst_of &worst) {
    for (uint32_t level = 0; level < m.level_count; ++level) {
        for (uint32_t i = 0; i < seen.size; ++i) {
            const double p = one_rate(seen, m, level, i);
            for (uint32_t j = i + 1; j < seen.size; ++j) {
                worst.add(correlation_z(seen.level[level][i], seen.level[level][j], 0, p,
                                        one_rate(seen, m, level, j)),
                          (i / 8 == j / 8 ? "bits of a byte, " : "bits of two bytes, ") +
                              std::to_string(i) + " and " + std::to_string(j));
            }
            for (size_t lag = 1; lag <= 4; ++lag) {
                worst.add(correlation_z(seen.level[level][i], seen.level[level][i], lag, p, p),
                          "successive reports");
            }
        }
    }
}

// Categories of successive reports, each with its probability.
inline void check_successive(const std::vector<uint32_t> &seen, const std::vector<double> &law,
                             worst_of &worst) {
    lanes is(law.size());
    for (uint32_t i = 0; i < law.size(); ++i) {
        for (const uint32_t value : seen) {
            is[i].push_back(value == i);
        }
    }
    for (size_t i = 0; i < law.size(); ++i) {
        for (size_t j = 0; j < law.size(); ++j) {
            for (size_t lag = 1; lag <= 4; ++lag) {
                worst.add(correlation_z(is[i], is[j], lag, law[i], law[j]),
                          std::to_string(i) + " and then " + std::to_string(j));
            }
        }
    }
}

inline void check(const observation &seen, const sotto_metric &m) {
    worst_of laws, independence;
    check_laws(seen, m, laws);
    check_independence(seen, m, independence);
    EXPECT_LT(laws.z(), z_limit) << laws.what();
    EXPECT_LT(independence.z(), z_limit) << independence.what();
    EXPECT_GT(laws.z(), 0.5) << "something was looked at";
}

} // namespace sotto::test
#endif
