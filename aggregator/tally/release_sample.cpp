// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/release_sample.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <openssl/evp.h>
#include <string>

namespace sotto::aggregator {
namespace {

void keep_least(release_sample &sample) {
    std::ranges::sort(sample);
    sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
    sample.resize(std::min(sample.size(), sample_releases_max));
}

} // namespace

sample_key::sample_key(std::string_view secret) {
    const std::string text = "sotto releases v1" + std::string(secret);
    std::array<std::uint8_t, 32> digest;
    if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1) {
        throw environment_error("OpenSSL can't do SHA-256 here");
    }
    seed_ = get_big_endian<std::uint64_t>(&digest[0]);
    check_ = get_big_endian<std::uint64_t>(&digest[8]);
}

std::uint64_t sample_key::hash(const metric &m, row_view row) const {
    std::array<std::uint8_t, 4 + release_key_bytes> text;
    put_big_endian(text.data(), m.fingerprint);
    std::copy_n(row.begin(), release_key_bytes, text.begin() + 4);
    return XXH3_64bits_withSeed(text.data(), text.size(), seed_);
}

release_sample sample_of(std::span<const segment> segments, const metric &m, std::uint32_t epoch,
                         const sample_key &key) {
    release_sample least;
    std::uint64_t limit = UINT64_MAX; // none above it can be among the least
    for_each_release(merged_rows(segments, epoch), [&](release_levels levels) {
        const std::uint64_t hash = key.hash(m, levels.front());
        if (hash > limit) {
            return;
        }
        least.push_back(hash);
        if (least.size() == 2 * sample_releases_max) {
            keep_least(least);
            limit = least.back();
        }
    });
    keep_least(least);
    return least;
}

release_sample joined(const release_sample &a, const release_sample &b) {
    release_sample both = a;
    both.insert(both.end(), b.begin(), b.end());
    keep_least(both);
    return both;
}

std::size_t shared(const release_sample &a, const release_sample &b) {
    release_sample both;
    std::ranges::set_intersection(a, b, std::back_inserter(both));
    return both.size();
}

} // namespace sotto::aggregator
