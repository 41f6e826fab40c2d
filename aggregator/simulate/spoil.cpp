// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/spoil.hpp"

#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/report/check.hpp"
#include "aggregator/report/wire_tags.hpp"
#include "aggregator/report/write_batch.hpp"

#include <limits>
#include <protozero/pbf_writer.hpp>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t no_metric = 65536, no_level = 255; // ids end below, ladders long before

// No value of this metric, where its bits have room for one.
void leave_range(report_view &r, const metric &m) {
    const published_values values = mechanism_of(m).published(m);
    const value_layout layout = layout_of(values);
    if (layout.cohort_bits > 0) {
        r.cohort = (std::uint32_t{1} << layout.cohort_bits) - 1;
    }
    if (values.kind == value_kind::number) {
        const bool above = values.most < std::numeric_limits<std::int32_t>::max();
        r.scalar = static_cast<std::uint32_t>(above ? values.most + 1 : values.least - 1);
    } else if (values.kind == value_kind::index) {
        r.scalar = static_cast<std::uint32_t>((std::uint64_t{1} << layout.index_bits) - 1);
    }
}

} // namespace

std::optional<report_view> spoilt(report_view r, const metric &m, reason why) {
    if (why == reason::unknown_level) {
        r.level = no_level;
    } else {
        leave_range(r, m);
    }
    return report_rules(m).check(r) == why ? std::optional(r) : std::nullopt;
}

std::string spoilt_batch(report_view r, std::uint32_t epoch, const value_layouts &layouts,
                         reason why) {
    switch (why) {
    case reason::unknown_metric:
        r.metric = no_metric;
        break;
    case reason::epoch_range:
        r.epoch = epoch + 1; // its age is less than nothing
        break;
    case reason::missing_field: {
        std::string batch;
        const std::uint32_t metrics[] = {r.metric};
        protozero::pbf_writer(batch).add_packed_uint32(batch_tag::metrics, std::begin(metrics),
                                                       std::end(metrics));
        return batch;
    }
    default:
        break;
    }
    std::string batch = write_batch(epoch, {&r, 1}, layouts);
    if (why == reason::not_canonical) {
        protozero::pbf_writer(batch).add_uint32(batch_tag::padding + 1, 1);
    } else if (why == reason::malformed) {
        batch.pop_back(); // the values end too early
    }
    return batch;
}

} // namespace sotto::aggregator
