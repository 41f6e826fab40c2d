// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_DECODE_HPP
#define SOTTO_AGGREGATOR_REPORT_DECODE_HPP

#include "aggregator/report/parse.hpp"
#include "aggregator/report/reason.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace sotto::aggregator {

// As it crossed the wire.
using release_id = std::array<std::uint8_t, 8>;
using bit_string = std::vector<std::uint8_t>; // bit i is byte[i / 8] >> (i % 8) & 1
using number_list = std::vector<std::int32_t>;

// One report as it crossed the wire. Nothing here was held against a registry yet.
struct report {
    release_id release = {};
    std::uint32_t metric = 0;
    std::uint32_t level = 0;
    std::uint32_t epoch = 0;             // the measurement's, 0 to 2^32 - 2
    std::uint32_t flags = 0;             // see report_flags
    std::optional<std::uint32_t> cohort; // strings only
    // index, number, bits, numbers
    std::variant<std::uint32_t, std::int32_t, bit_string, number_list> value;
};

// A report as the parser gives it; `bytes` holds what it points to.
report_view view_of(const report &r, std::vector<std::uint8_t> &bytes);

// An envelope as it crossed the wire, still sealed if it was. Views point into the input.
struct envelope {
    std::uint32_t registry = 0;
    bool sealed = false;
    std::string_view batch; // empty when sealed
    // Empty unless sealed. The header is all that stands before enc.
    std::uint32_t key_id = 0;
    std::string_view header, enc, ciphertext;
};

// Strict: a field of the wrong wire type, out of its type's range, missing, given twice or not in
// report.proto is not read around. `bytes` must outlive the envelope. Anybody can send millions
// that are none: those cost no exception.
std::variant<envelope, reason> decode_envelope(std::string_view bytes) noexcept;

std::variant<std::vector<report>, reason> decode_batch(std::string_view bytes,
                                                       const value_layouts &layouts);

} // namespace sotto::aggregator
#endif
