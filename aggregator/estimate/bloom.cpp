// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/bloom.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/own_candidates.hpp"
#include "aggregator/mechanism/mechanism.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <mbedtls/sha256.h>
#include <string_view>

namespace sotto::aggregator {
namespace {

constexpr std::string_view label = "\x0esotto bloom v1";

std::vector<std::uint32_t> bloom_bits(const bloom_shape &shape, const std::string &text,
                                      std::uint32_t cohort) {
    const bool fits = text.size() <= shape.max_bytes;
    std::vector<std::uint8_t> input(label.begin(), label.end());
    input.resize(label.size() + 8 + shape.max_bytes);
    put_big_endian(&input[label.size()], cohort);
    put_big_endian(&input[label.size() + 4],
                   fits ? static_cast<std::uint32_t>(text.size()) : 0xffffffffu);
    if (fits) {
        std::copy(text.begin(), text.end(), &input[label.size() + 8]);
    }
    std::array<std::uint8_t, 32> digest;
    if (mbedtls_sha256(input.data(), input.size(), digest.data(), 0) != 0) {
        throw environment_error("SHA-256 failed");
    }
    std::vector<std::uint32_t> bits;
    for (std::size_t i = 0; i < shape.hashes; ++i) {
        const std::uint64_t d = get_big_endian<std::uint32_t>(&digest[4 * i]);
        bits.push_back(static_cast<std::uint32_t>(d * shape.bits >> 32));
    }
    std::sort(bits.begin(), bits.end());
    bits.erase(std::unique(bits.begin(), bits.end()), bits.end());
    return bits;
}

} // namespace

bloom_function bloom_of(const bloom_shape &shape) {
    return [shape](const std::string &text, std::uint32_t cohort) {
        return bloom_bits(shape, text, cohort);
    };
}

bloom_function bloom_of(const metric &m) {
    const bloom_shape &shape = *mechanism_of(m).strings(m);
    if (shape.categories == 0) {
        return bloom_of(shape);
    }
    return [shape, known = category_texts(m)](const std::string &text, std::uint32_t cohort) {
        std::string bytes(4, '\0');
        put_big_endian(reinterpret_cast<std::uint8_t *>(bytes.data()),
                       known.index_of(text).value());
        return bloom_bits(shape, bytes, cohort);
    };
}

rappor_shape shape_of(const bloom_shape &shape) {
    return {shape.bits, shape.hashes, shape.cohorts, shape.one_answer};
}

std::string any_longer_string(const bloom_shape &shape) {
    return std::string(shape.max_bytes + std::size_t{1}, ' ');
}

std::string longer_than(std::uint32_t max_bytes) {
    return "longer than " + counted(max_bytes, "byte");
}

} // namespace sotto::aggregator
