// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/decode.hpp"

#include "aggregator/report/strict_message.hpp"

#include <algorithm>
#include <optional>
#include <protozero/exception.hpp>

namespace sotto::aggregator {
namespace {

// Field numbers of sdk/proto/report.proto.
namespace report_tag {
enum : std::uint32_t {
    release = 1,
    metric,
    level,
    epoch_age,
    cohort,
    flags,
    index,
    number,
    bits,
    numbers
};
}
namespace batch_tag {
enum : std::uint32_t { epoch = 1, reports, padding };
}
namespace envelope_tag {
enum : std::uint32_t { version = 1, registry, batch, key_id, enc, ciphertext };
}

constexpr std::uint32_t wire_version = 1;
constexpr std::uint32_t epoch_max = 0xfffffffe;
constexpr std::size_t enc_bytes = 32;

release_id read_release(std::string_view bytes) {
    release_id id;
    if (bytes.size() != id.size()) {
        throw rejected{reason::release_length};
    }
    std::copy(bytes.begin(), bytes.end(), id.begin());
    return id;
}

number_list read_numbers(std::string_view bytes) {
    if (bytes.size() % 4 != 0) {
        throw rejected{reason::malformed};
    }
    number_list numbers;
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
        std::uint32_t number = 0;
        for (std::size_t k = 4; k-- > 0;) {
            number = number << 8 | static_cast<unsigned char>(bytes[i + k]);
        }
        numbers.push_back(static_cast<std::int32_t>(number));
    }
    return numbers;
}

report read_report(std::string_view bytes, std::uint32_t batch_epoch) {
    report r;
    std::uint32_t epoch_age = 0;
    int values = 0;
    strict_message message(bytes, report_tag::numbers);
    while (message.next()) {
        switch (message.tag()) {
        case report_tag::release:
            r.release = read_release(message.bytes());
            break;
        case report_tag::metric:
            r.metric = message.varint();
            break;
        case report_tag::level:
            r.level = message.varint();
            break;
        case report_tag::epoch_age:
            epoch_age = message.varint();
            break;
        case report_tag::cohort:
            r.cohort = message.fixed32(); // always written or never: its width tells nothing
            break;
        case report_tag::flags:
            r.flags = message.varint();
            break;
        case report_tag::index:
            r.value = message.fixed32();
            ++values;
            break;
        case report_tag::number:
            r.value = static_cast<std::int32_t>(message.fixed32());
            ++values;
            break;
        case report_tag::bits: {
            const std::string_view bits = message.bytes();
            r.value = bit_string(bits.begin(), bits.end());
            ++values;
            break;
        }
        case report_tag::numbers:
            r.value = read_numbers(message.bytes());
            ++values;
            break;
        }
    }
    message.require_canonical();
    message.require(report_tag::release);
    message.require(report_tag::metric);
    if (values == 0) {
        throw rejected{reason::missing_field};
    }
    if (values > 1 || (r.flags & ~report_flags::known) != 0) {
        throw rejected{reason::not_canonical};
    }
    if (epoch_age > batch_epoch || batch_epoch > epoch_max) {
        throw rejected{reason::epoch_range};
    }
    r.epoch = batch_epoch - epoch_age;
    return r;
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

batch read_batch(std::string_view bytes) {
    std::uint32_t epoch = 0;
    std::vector<std::string_view> reports;
    strict_message message(bytes, batch_tag::padding, batch_tag::reports);
    while (message.next()) {
        switch (message.tag()) {
        case batch_tag::epoch:
            epoch = message.varint();
            break;
        case batch_tag::reports:
            reports.push_back(message.bytes());
            break;
        default: { // padding
            const std::string_view padding = message.bytes();
            if (std::any_of(padding.begin(), padding.end(), [](char c) { return c != 0; })) {
                throw rejected{reason::not_canonical};
            }
        }
        }
    }
    message.require_canonical();

    batch b;
    for (const std::string_view one : reports) {
        auto read = guarded<report>([&] { return read_report(one, epoch); });
        if (report *r = std::get_if<report>(&read)) {
            b.reports.push_back(std::move(*r));
        } else {
            b.rejected.push_back(std::get<reason>(read));
        }
    }
    return b;
}

} // namespace

std::variant<envelope, reason> decode_envelope(std::string_view bytes) {
    return guarded<envelope>([&] { return read_envelope(bytes); });
}

std::variant<batch, reason> decode_batch(std::string_view bytes) {
    return guarded<batch>([&] { return read_batch(bytes); });
}

} // namespace sotto::aggregator
