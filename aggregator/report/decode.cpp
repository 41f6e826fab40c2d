// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/decode.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/little_endian.hpp"
#include "aggregator/report/strict_message.hpp"
#include "aggregator/report/wire_tags.hpp"

#include <protozero/exception.hpp>

namespace sotto::aggregator {
namespace {

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
    report_view &to;
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
        to.kind = kind;
        to.scalar = value;
    }
    void span(value_kind kind, const std::vector<std::uint8_t> &value) const {
        bytes = value;
        to.kind = kind;
        to.bytes = bytes;
    }
};

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

template <typename Result, typename Read> std::variant<Result, reason> guarded(Read read) {
    try {
        return read();
    } catch (const rejected &rejection) {
        return rejection.why;
    } catch (const protozero::exception &) {
        return reason::malformed;
    }
}

// A sealed envelope has every field, in the order of their numbers.
void read_sealed(std::string_view bytes, const strict_message &message, bool in_order,
                 envelope &e) {
    message.require(envelope_tag::key_id);
    message.require(envelope_tag::enc);
    message.require(envelope_tag::ciphertext);
    if (!in_order || e.enc.size() != enc_bytes) {
        throw rejected{reason::not_canonical};
    }
    // Before enc stand its tag and its length, a byte each.
    e.header = bytes.substr(0, static_cast<std::size_t>(e.enc.data() - 2 - bytes.data()));
}

envelope read_envelope(std::string_view bytes) {
    envelope e;
    std::uint32_t version = 0;
    bool in_order = true; // what is sealed vouches for what stands before it
    strict_message message(bytes, envelope_tag::ciphertext);
    while (message.next()) {
        switch (message.tag()) {
        case envelope_tag::version:
            version = message.varint();
            break;
        case envelope_tag::registry:
            e.registry = message.fixed32();
            break;
        case envelope_tag::batch:
            e.batch = message.bytes();
            break;
        case envelope_tag::key_id:
            e.key_id = message.varint();
            break;
        case envelope_tag::enc:
            in_order &= message.seen(envelope_tag::key_id) && message.seen(envelope_tag::registry);
            e.enc = message.bytes();
            break;
        default: // ciphertext
            in_order &= message.seen(envelope_tag::enc);
            e.ciphertext = message.bytes();
        }
    }
    if (version != wire_version) {
        throw rejected{reason::unknown_version};
    }
    message.require_canonical();
    message.require(envelope_tag::registry);
    const bool plain = message.seen(envelope_tag::batch);
    e.sealed = message.seen(envelope_tag::enc) || message.seen(envelope_tag::ciphertext);
    if (plain && (e.sealed || message.seen(envelope_tag::key_id))) {
        throw rejected{reason::not_canonical};
    }
    if (!plain && !e.sealed) {
        throw rejected{reason::missing_field};
    }
    if (e.sealed) {
        read_sealed(bytes, message, in_order, e);
    }
    return e;
}

} // namespace

std::variant<envelope, reason> decode_envelope(std::string_view bytes) {
    return guarded<envelope>([&] { return read_envelope(bytes); });
}

std::variant<batch, reason> decode_batch(std::string_view bytes) {
    batch_parts parts;
    if (const auto why = split_batch(bytes_of(bytes), parts)) {
        return *why;
    }
    batch b;
    for (const std::span<const std::uint8_t> one : parts.reports) {
        report_view found;
        if (const auto why = parse_report(one, parts.epoch, found)) {
            b.rejected.push_back(*why);
        } else {
            b.reports.push_back(owned(found));
        }
    }
    return b;
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
