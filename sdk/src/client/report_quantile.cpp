// SPDX-License-Identifier: Apache-2.0
#include "client/client_code.hpp"
#include "client/measurement.hpp"
#include "mechanism/ladder.hpp"
#include "random/fixed_time.hpp"

using namespace sotto;
using namespace sotto::device;

// Counts, steps and weights stand in the metric's room, which is zero before and after.
sotto_status measurement::publish_answer(const given &points) {
    uint32_t *room = rows_of(*client_, *metric_);
    if (room == nullptr) {
        return SOTTO_ERR_ARGUMENT;
    }
    uint8_t *random = client_->memory.random;
    status_ = draw_noise(random, level_bytes(*metric_, 0));
    if (!ok()) {
        return status_;
    }
    const uint32_t told = code().encode(*metric_, {points.value, points.count, random}, room);
    true_words()[0] = room[0];
    wipe_words(room, row_words_of(*metric_));
    draw_ = keep_rows;
    return publish() == SOTTO_OK ? static_cast<sotto_status>(declassified(told)) : status_;
}

extern "C" sotto_status sotto_report_quantile(sotto_client *client, uint16_t metric_id,
                                              const int32_t *points, size_t count) {
    measurement m(client, metric_id, uint32_t{1} << SOTTO_TYPE_QUANTILE);
    if (!m.ok()) {
        return m.status();
    }
    if (points == nullptr || count == 0 || count > SOTTO_QUANTILE_POINTS_MAX) {
        return SOTTO_ERR_ARGUMENT;
    }
    return m.publish_answer({points, count, nullptr});
}

namespace {

uint32_t words_of_room(const sotto_metric &metric) { return metric.code->size(metric); }
bool is_of_answers(const sotto_metric &metric) { return metric.code->shows == shown::index; }

} // namespace

const sotto_client_code sotto_client_code_room = {no_words, words_of_room, nullptr,
                                                  nullptr,  nullptr,       is_of_answers};
