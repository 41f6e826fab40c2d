// SPDX-License-Identifier: Apache-2.0
#include "client/measurement.hpp"
#include "random/fixed_time.hpp"

using namespace sotto;
using namespace sotto::device;

// A failed draw ends the call. Otherwise the sums would stand without noise.
sotto_status measurement::publish_rows(const given &value) {
    draw_top(*this, true_words());
    if (!ok()) {
        return status_;
    }
    const uint32_t told = code().encode(*metric_, value, true_words());
    set_row_count(release_, metric_->value_words);
    draw_ = keep_rows;
    return publish() == SOTTO_OK ? static_cast<sotto_status>(declassified(told)) : status_;
}

void measurement::keep_rows(measurement &m, uint32_t *words) {
    for (uint32_t i = 0; i < m.metric().value_words; ++i) {
        words[i] = m.true_words()[i];
    }
}

extern "C" sotto_status sotto_report_points(sotto_client *client, uint16_t metric_id,
                                            const int32_t *points, size_t count) {
    measurement m(client, metric_id,
                  uint32_t{1} << SOTTO_TYPE_HISTOGRAM | uint32_t{1} << SOTTO_TYPE_LOCATION);
    if (!m.ok()) {
        return m.status();
    }
    if (points == nullptr && count > 0) {
        return SOTTO_ERR_ARGUMENT;
    }
    return m.publish_rows({points, count, nullptr});
}
