// SPDX-License-Identifier: Apache-2.0
// Devices that report strings, drawn by textbook.
#ifndef SOTTO_TESTS_AGGREGATOR_RAPPOR_FLEET_HPP
#define SOTTO_TESTS_AGGREGATOR_RAPPOR_FLEET_HPP

#include "aggregator/statistics/rappor.hpp"
#include "trials.hpp"

#include <map>
#include <memory>
#include <set>

namespace sotto::aggregator::test {

// Stands in for the hash of the SDK: any function of string and cohort that looks random will do.
inline std::vector<std::uint32_t> bloom_bits(const rappor_shape &shape, const std::string &text,
                                             std::uint32_t cohort) {
    std::seed_seq seed(text.begin(), text.end());
    std::vector<std::uint32_t> words(2 * (cohort + 1) * shape.hashes);
    seed.generate(words.begin(), words.end());
    std::set<std::uint32_t> bits;
    for (std::uint32_t i = 0; i < shape.hashes; ++i) {
        bits.insert(words[2 * cohort * shape.hashes + i] % shape.bits);
    }
    return {bits.begin(), bits.end()};
}

// Remembers what it was asked: the same strings are asked for in every round.
inline bloom_function bloom_of(const rappor_shape &shape) {
    using key = std::pair<std::string, std::uint32_t>;
    const auto known = std::make_shared<std::map<key, std::vector<std::uint32_t>>>();
    return [shape, known](const std::string &text, std::uint32_t cohort) {
        const auto [at, is_new] = known->try_emplace({text, cohort});
        if (is_new) {
            at->second = bloom_bits(shape, text, cohort);
        }
        return at->second;
    };
}

struct held {
    std::string text;
    std::uint64_t releases;
};

// One round of a fleet: a device's cohort is random, then every bit is.
inline std::vector<cohort_count> round_of(generator &random, const std::vector<held> &devices,
                                          const rappor_shape &shape, const bit_channel &channel,
                                          const bloom_function &bloom) {
    std::vector<cohort_count> counts(shape.cohorts);
    std::vector<std::vector<std::uint64_t>> truth(shape.cohorts,
                                                  std::vector<std::uint64_t>(shape.bits));
    for (const held &h : devices) {
        std::uint64_t left = h.releases;
        for (std::uint32_t c = 0; c < shape.cohorts; ++c) {
            const std::uint64_t here = binomial(random, left, 1.0 / (shape.cohorts - c));
            left -= here;
            counts[c].reports += here;
            for (const std::uint32_t j : bloom(h.text, c)) {
                truth[c][j] += here;
            }
        }
    }
    for (std::uint32_t c = 0; c < shape.cohorts; ++c) {
        for (const std::uint64_t t : truth[c]) {
            counts[c].ones.push_back(through(random, counts[c].reports, t, channel).ones);
        }
    }
    return counts;
}

} // namespace sotto::aggregator::test
#endif
