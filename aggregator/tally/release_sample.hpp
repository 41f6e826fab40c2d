// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TALLY_RELEASE_SAMPLE_HPP
#define SOTTO_AGGREGATOR_TALLY_RELEASE_SAMPLE_HPP

#include "aggregator/store/merge.hpp"

#include <string_view>
#include <vector>

namespace sotto::aggregator {

// The least keyed hashes of an epoch's releases, ascending: all of them where they are few. Two
// stores share s releases, and the larger has n. Their samples have none in common with a
// probability of about (1 - sample_releases_max / n)^s; for s = 1 that is right to 1 %. Samples of
// stores that share none have a hash in common with about n * sample_releases_max / 2^64.
using release_sample = std::vector<std::uint64_t>;
inline constexpr std::size_t sample_releases_max = 4096;

// Nobody without the secret can choose which releases are sampled.
class sample_key {
  public:
    // Errors: environment_error when OpenSSL can't do SHA-256.
    explicit sample_key(std::string_view secret);

    std::uint64_t hash(const metric &m, row_view row) const;
    // Says whether two samples can be compared. A secret that can be guessed can be tried with it.
    std::uint64_t check() const { return check_; }

  private:
    std::uint64_t seed_, check_;
};

// The segments must be verified.
release_sample sample_of(std::span<const segment> segments, const metric &m, std::uint32_t epoch,
                         const sample_key &key);

// The sample of both sets of releases together.
release_sample joined(const release_sample &a, const release_sample &b);
// How many releases are in both samples.
std::size_t shared(const release_sample &a, const release_sample &b);

} // namespace sotto::aggregator
#endif
