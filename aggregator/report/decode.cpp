// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/decode.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/bytes.hpp"
#include "aggregator/base/little_endian.hpp"
#include "aggregator/report/cursor.hpp"
#include "aggregator/report/wire_tags.hpp"

namespace sotto::aggregator {
namespace {

using namespace wire;

constexpr std::size_t enc_bytes = 32;

report owned(const report_view &v) {
    report r;
    put_big_endian(r.release.data(), v.release);
    r.metric = v.metric;
    r.level = v.level;
    r.epoch = v.epoch;
    r.flags = v.flags;
    if (v.has_cohort) {
        r.cohort = v.cohort;
    }
    number_list numbers;
    switch (v.kind) {
    case value_kind::index:
        r.value = v.scalar;
        break;
    case value_kind::number:
        r.value = static_cast<std::int32_t>(v.scalar);
        break;
    case value_kind::bits:
        r.value = bit_string(v.bytes.begin(), v.bytes.end());
        break;
    case value_kind::numbers:
        for (std::size_t i = 0; i < v.bytes.size(); i += 4) {
            numbers.push_back(static_cast<std::int32_t>(get_little_endian(&v.bytes[i])));
        }
        r.value = std::move(numbers);
        break;
    }
    return r;
}

struct value_viewer {
    report_view &target;
    std::vector<std::uint8_t> &bytes;

    void operator()(std::uint32_t index) const { scalar(value_kind::index, index); }
    void operator()(std::int32_t number) const {
        scalar(value_kind::number, static_cast<std::uint32_t>(number));
    }
    void operator()(const bit_string &bits) const { span(value_kind::bits, bits); }
    void operator()(const number_list &numbers) const {
        std::vector<std::uint8_t> little;
        for (const std::int32_t number : numbers) {
            for (int shift = 0; shift < 32; shift += 8) {
                little.push_back(static_cast<std::uint8_t>(number >> shift));
            }
        }
        span(value_kind::numbers, little);
    }

  private:
    void scalar(value_kind kind, std::uint32_t value) const {
        target.kind = kind;
        target.scalar = value;
    }
    void span(value_kind kind, const std::vector<std::uint8_t> &value) const {
        bytes = value;
        target.kind = kind;
        target.bytes = bytes;
    }
};

// Nothing when all is well. Fields that are unknown or come again are noted, not yet refused: a
// later version may mean something by them.
std::optional<reason> parse_envelope(std::string_view bytes, envelope &e) {
    namespace field = envelope_tag;
    cursor in(bytes_of(bytes));
    std::uint32_t version = 0, seen = 0; // a bit for each field
    bool canonical = true;
    bool in_order = true; // the sealed bytes vouch for all fields before them
    const auto has = [&](unsigned number) { return (seen >> number & 1) != 0; };
    while (!in.at_end()) {
        const std::uint8_t first = in.byte();
        switch (first) {
        case key(field::version, varint):
            version = in.word();
            break;
        case key(field::registry, fixed32):
            e.registry = in.fixed();
            break;
        case key(field::batch, delimited):
            e.batch = text_of(in.bytes());
            break;
        case key(field::key_id, fixed32):
            e.key_id = in.fixed();
            break;
        case key(field::enc, delimited):
            in_order = in_order && has(field::key_id) && has(field::registry);
            e.enc = text_of(in.bytes());
            break;
        case key(field::ciphertext, delimited):
            in_order = in_order && has(field::enc);
            e.ciphertext = text_of(in.bytes());
            break;
        default:
            canonical = false;
            if (!in.unknown_field(first, field::ciphertext + 1)) {
                return reason::malformed;
            }
            continue;
        }
        const std::uint32_t bit = std::uint32_t{1} << (first >> 3);
        canonical = canonical && (seen & bit) == 0;
        seen |= bit;
    }
    if (!in.sound) {
        return reason::malformed;
    }
    if (version != wire_version) {
        return reason::unknown_version;
    }
    const bool plain = has(field::batch);
    e.sealed = has(field::enc) || has(field::ciphertext);
    if (!canonical || !in.is_shortest) {
        return reason::not_canonical;
    }
    if (!has(field::registry)) {
        return reason::missing_field;
    }
    if (plain && (e.sealed || has(field::key_id))) {
        return reason::not_canonical;
    }
    if (!plain && !e.sealed) {
        return reason::missing_field;
    }
    if (e.sealed) {
        // A sealed envelope has every field, in the order of their numbers.
        if (!has(field::key_id) || !has(field::enc) || !has(field::ciphertext)) {
            return reason::missing_field;
        }
        if (!in_order || e.enc.size() != enc_bytes) {
            return reason::not_canonical;
        }
        // Before enc stand its tag and its length, a byte each.
        e.header = bytes.substr(0, static_cast<std::size_t>(e.enc.data() - 2 - bytes.data()));
    }
    return std::nullopt;
}

} // namespace

std::variant<envelope, reason> decode_envelope(std::string_view bytes) noexcept {
    envelope e;
    if (const auto why = parse_envelope(bytes, e)) {
        return *why;
    }
    return e;
}

std::variant<std::vector<report>, reason> decode_batch(std::string_view bytes,
                                                       const value_layouts &layouts) {
    batch_reader reader;
    const batch_view &batch = reader.read(bytes_of(bytes), layouts);
    if (batch.refused) {
        return *batch.refused;
    }
    std::vector<report> reports;
    for (const report_view &found : batch.reports) {
        reports.push_back(owned(found));
    }
    return reports;
}

report_view view_of(const report &r, std::vector<std::uint8_t> &bytes) {
    report_view v;
    v.release = get_big_endian<std::uint64_t>(r.release.data());
    v.metric = r.metric;
    v.level = r.level;
    v.epoch = r.epoch;
    v.flags = r.flags;
    v.cohort = r.cohort.value_or(0);
    v.has_cohort = r.cohort.has_value();
    std::visit(value_viewer{v, bytes}, r.value);
    return v;
}

} // namespace sotto::aggregator
