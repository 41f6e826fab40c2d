// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_MEASUREMENT_HPP
#define SOTTO_CLIENT_MEASUREMENT_HPP

#include "client/entry.hpp"
#include "client/internal.hpp"
#include "client/permanent_value.hpp"
#include "mechanism/code.hpp"

namespace sotto::device {

// Turns a value into a release: what may refuse comes first, then the caller writes the true words,
// then publish() draws the noise. Wipes what it worked with when it goes.
class measurement {
  public:
    // A new one, of a metric of one of the types (a bit each), in this epoch.
    measurement(sotto_client *client, uint16_t metric_id, uint32_t types);
    // For a release that stands at the top of its ladder, or above it: the next level is drawn
    // forward.
    measurement(sotto_client *client, uint16_t metric_id, uint32_t types, uint32_t epoch);
    measurement(const measurement &) = delete;
    measurement &operator=(const measurement &) = delete;
    ~measurement();

    bool ok() const { return status_ == SOTTO_OK; }
    sotto_status status() const { return status_; }
    void set_status(sotto_status status) { status_ = status; }
    const sotto_metric &metric() const { return *metric_; }
    const sotto_client &client() const { return *client_; }
    const sotto_code &code() const { return *metric_->code; }
    uint32_t *true_words() const { return work_words(*client_, 0); }

    // Bytes to round a value with, as many as its mechanism takes. They are the same for a step
    // above the ladder; a mechanism without such steps gets fresh ones, which nothing keeps.
    uint8_t *rounding();
    // Draws from the true words and queues the report.
    sotto_status publish();
    // Publishes with the noise that stays with the value of this digest, if the metric remembers
    // values. Publishes a dummy once the device may not tell one more value from others.
    sotto_status publish_value(const uint8_t digest[crypto::digest_bytes]);
    // Rows begin as their noise, and the value adds to them. Returns SOTTO_OK, a note or an error,
    // as the caller is told.
    sotto_status publish_rows(const given &value); // report_points.cpp
    // One answer is drawn of all points, in room of the metric's own. Returns as publish_rows().
    sotto_status publish_answer(const given &points); // report_quantile.cpp

  private:
    sotto_status begin(uint16_t metric_id, uint32_t types);
    sotto_status begin_new();
    sotto_status begin_forward(uint32_t epoch);
    bool pays(bool is_kept) const;
    sotto_status publish_above(const uint32_t tag[2]);
    sotto_status draw_noise(uint8_t *random, size_t size);
    static void draw_top(measurement &m, uint32_t *words);
    static void draw_next(measurement &m, uint32_t *words);
    static void keep_rows(measurement &m, uint32_t *words);

    entry entry_;
    sotto_client *client_;
    const sotto_metric *metric_ = nullptr;
    sotto_release *place_ = nullptr;
    sotto_status status_ = SOTTO_OK;
    bool is_forward_ = false;
    crypto::stream *noise_ = nullptr; // the published value's, if it lasts
    // By pointer, so that a program that never draws forward does not link it.
    void (*draw_)(measurement &m, uint32_t *words);
    sotto_release release_ = {};
};

} // namespace sotto::device
#endif
