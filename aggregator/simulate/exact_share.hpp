// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SIMULATE_EXACT_SHARE_HPP
#define SOTTO_AGGREGATOR_SIMULATE_EXACT_SHARE_HPP

#include <cstdint>
#include <random>

namespace sotto::aggregator {

// Picks a share of what comes by, exactly: of n things share * n, to within one. They are cut into
// stretches in which one is due, and in each one is picked at a place that the seed decides.
class exact_share {
  public:
    // In millionths, below a million.
    exact_share(std::uint32_t millionths, std::uint64_t seed)
        : millionths_(millionths), random_(seed) {}

    // Whether the next one is picked.
    bool next() {
        if (millionths_ == 0) {
            return false;
        }
        if (at_ == end_) {
            const std::uint64_t begin = end_;
            ++stretches_;
            end_ = (stretches_ * 1'000'000 + millionths_ - 1) / millionths_;
            picked_ = begin + random_() % (end_ - begin);
        }
        return at_++ == picked_;
    }

  private:
    std::uint64_t millionths_;
    std::mt19937_64 random_;
    std::uint64_t at_ = 0, end_ = 0, picked_ = 0, stretches_ = 0;
};

} // namespace sotto::aggregator
#endif
