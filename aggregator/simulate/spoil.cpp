// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/spoil.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/bytes.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/report/wire_tags.hpp"

#include <array>
#include <limits>
#include <protozero/pbf_writer.hpp>
#include <stdexcept>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t no_metric = 65536, no_level = 255; // ids end below, ladders long before

// A report to be written; sound until it is changed.
struct loose_report {
    report_view view;
    std::uint32_t epoch_age = 0;
    std::size_t release_bytes = 8;
    bool has_value = true, has_unknown = false;
};

std::string encode(const loose_report &r) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    const auto put = [&](std::uint32_t tag, std::uint32_t value) {
        if (value != 0) {
            writer.add_uint32(tag, value);
        }
    };
    std::array<std::uint8_t, 8> release;
    put_big_endian(release.data(), r.view.release);
    writer.add_bytes(report_tag::release, text_of(std::span(release).first(r.release_bytes)).data(),
                     r.release_bytes);
    writer.add_uint32(report_tag::metric, r.view.metric);
    put(report_tag::level, r.view.level);
    put(report_tag::epoch_age, r.epoch_age);
    if (r.view.has_cohort) {
        writer.add_fixed32(report_tag::cohort, r.view.cohort);
    }
    put(report_tag::flags, r.view.flags);
    if (!r.has_value) {
        return bytes;
    }
    const std::string_view value = text_of(r.view.bytes);
    switch (r.view.kind) {
    case value_kind::index:
        writer.add_fixed32(report_tag::index, r.view.scalar);
        break;
    case value_kind::number:
        writer.add_sfixed32(report_tag::number, static_cast<std::int32_t>(r.view.scalar));
        break;
    case value_kind::bits:
        writer.add_bytes(report_tag::bits, value.data(), value.size());
        break;
    case value_kind::numbers:
        writer.add_bytes(report_tag::numbers, value.data(), value.size());
        break;
    }
    if (r.has_unknown) {
        writer.add_uint32(report_tag::numbers + 1, 1);
    }
    return bytes;
}

// No value of this metric, in its own kind.
void leave_range(report_view &r, const metric &m) {
    r.bytes = {};
    r.scalar = std::numeric_limits<std::uint32_t>::max();
    const published_values values = mechanism_of(m).published(m);
    if (values.least < values.most) {
        const bool above = values.most < std::numeric_limits<std::int32_t>::max();
        r.scalar = static_cast<std::uint32_t>(above ? values.most + 1 : values.least - 1);
    }
}

void change(loose_report &r, std::uint32_t batch_epoch, const registry &with, reason why) {
    switch (why) {
    case reason::missing_field:
        r.has_value = false;
        break;
    case reason::not_canonical:
        r.has_unknown = true;
        break;
    case reason::release_length:
        --r.release_bytes;
        break;
    case reason::unknown_metric:
        r.view.metric = no_metric;
        break;
    case reason::unknown_level:
        r.view.level = no_level;
        break;
    case reason::wrong_value_type:
        r.view.kind = r.view.kind == value_kind::index ? value_kind::number : value_kind::index;
        break;
    case reason::value_range:
        leave_range(r.view, *with.find(r.view.metric));
        break;
    case reason::epoch_range:
        r.epoch_age = batch_epoch + 1;
        break;
    default: // malformed: cut afterwards
        break;
    }
}

} // namespace

std::string spoilt(std::string_view report, std::uint32_t batch_epoch, const registry &with,
                   reason why) {
    loose_report r;
    if (parse_report(bytes_of(report), batch_epoch, r.view)) {
        throw std::logic_error("the SDK wrote a report that is not sound");
    }
    r.epoch_age = batch_epoch - r.view.epoch;
    change(r, batch_epoch, with, why);
    std::string out = encode(r);
    if (why == reason::malformed) {
        out.pop_back(); // the value ends too early
    }
    return out;
}

} // namespace sotto::aggregator
