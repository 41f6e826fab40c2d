// SPDX-License-Identifier: Apache-2.0
// The C API with types: a metric's handle knows its registry and its type, so that reporting a
// number to a boolean metric, or to another registry's, does not compile. C++11 and up, no library.
#ifndef SOTTO_SOTTO_HPP
#define SOTTO_SOTTO_HPP

#include "sotto/sotto.h"

namespace sotto {

#if defined(__cplusplus) && __cplusplus >= 201703L
#define SOTTO_HPP_NODISCARD [[nodiscard]]
#else
#define SOTTO_HPP_NODISCARD SOTTO_NODISCARD
#endif

template <class Registry> struct boolean_metric { uint16_t id; };
template <class Registry> struct category_metric { uint16_t id; };
template <class Registry> struct set_metric { uint16_t id; };
template <class Registry> struct string_metric { uint16_t id; };
template <class Registry> struct integer_metric { uint16_t id; };
template <class Registry> struct vector_metric { uint16_t id; };
template <class Registry> struct mean_metric { uint16_t id; };

// One device of a registry; the object is all the memory it uses. See sotto.h for errors and
// thread-safety. It can't be copied: two devices with one generator would share their noise. It has
// no destructor, which a static object would need a runtime for: where its memory is used again,
// call deinit(), which zeroes secrets and releases.
template <class Registry> class client {
  public:
    client() = default;
    client(const client &) = delete;
    client &operator=(const client &) = delete;

    SOTTO_HPP_NODISCARD sotto_status init(const sotto_port &port) {
        return Registry::init(&memory_, &port);
    }
    SOTTO_HPP_NODISCARD sotto_status advance(uint32_t epoch) {
        return sotto_advance(&memory_.client, epoch);
    }
    SOTTO_HPP_NODISCARD sotto_status advance_far(uint32_t epoch) {
        return sotto_advance_far(&memory_.client, epoch);
    }

    SOTTO_HPP_NODISCARD sotto_status report(boolean_metric<Registry> metric, bool value) {
        return sotto_report_boolean(&memory_.client, metric.id, value);
    }
    template <class Value> sotto_status report(boolean_metric<Registry>, Value) = delete;
    SOTTO_HPP_NODISCARD sotto_status report(category_metric<Registry> metric, uint32_t category) {
        return sotto_report_category(&memory_.client, metric.id, category);
    }
    SOTTO_HPP_NODISCARD sotto_status report(set_metric<Registry> metric, const uint16_t *members,
                                            size_t count) {
        return sotto_report_set(&memory_.client, metric.id, members, count);
    }
    SOTTO_HPP_NODISCARD sotto_status report(string_metric<Registry> metric, const char *text,
                                            size_t length_bytes) {
        return sotto_report_string(&memory_.client, metric.id, text, length_bytes);
    }
    SOTTO_HPP_NODISCARD sotto_status report(integer_metric<Registry> metric, int32_t value) {
        return sotto_report_integer(&memory_.client, metric.id, value);
    }
    SOTTO_HPP_NODISCARD sotto_status report(mean_metric<Registry> metric, int32_t value) {
        return sotto_report_integer(&memory_.client, metric.id, value);
    }
    SOTTO_HPP_NODISCARD sotto_status report(vector_metric<Registry> metric, const int32_t *values,
                                            size_t length) {
        return sotto_report_vector(&memory_.client, metric.id, values, length);
    }

    template <template <class> class Metric>
    SOTTO_HPP_NODISCARD sotto_status relax(Metric<Registry> metric, uint32_t epoch, uint8_t level) {
        return sotto_relax(&memory_.client, metric.id, epoch, level);
    }
    SOTTO_HPP_NODISCARD sotto_status request(const uint8_t *bytes, size_t length_bytes,
                                             sotto_consent *consent, void *context,
                                             sotto_request_result &result) {
        return sotto_request(&memory_.client, bytes, length_bytes, consent, context, &result);
    }
    template <template <class> class Metric>
    SOTTO_HPP_NODISCARD sotto_status close(Metric<Registry> metric, uint32_t epoch) {
        return sotto_close(&memory_.client, metric.id, epoch);
    }

    SOTTO_HPP_NODISCARD sotto_status extend(boolean_metric<Registry> metric, uint32_t epoch,
                                            bool value) {
        return sotto_extend_boolean(&memory_.client, metric.id, epoch, value);
    }
    template <class Value> sotto_status extend(boolean_metric<Registry>, uint32_t, Value) = delete;
    SOTTO_HPP_NODISCARD sotto_status extend(category_metric<Registry> metric, uint32_t epoch,
                                            uint32_t category) {
        return sotto_extend_category(&memory_.client, metric.id, epoch, category);
    }
    SOTTO_HPP_NODISCARD sotto_status extend(set_metric<Registry> metric, uint32_t epoch,
                                            const uint16_t *members, size_t count) {
        return sotto_extend_set(&memory_.client, metric.id, epoch, members, count);
    }
    SOTTO_HPP_NODISCARD sotto_status extend(string_metric<Registry> metric, uint32_t epoch,
                                            const char *text, size_t length_bytes) {
        return sotto_extend_string(&memory_.client, metric.id, epoch, text, length_bytes);
    }
    SOTTO_HPP_NODISCARD sotto_status extend(integer_metric<Registry> metric, uint32_t epoch,
                                            int32_t value) {
        return sotto_extend_integer(&memory_.client, metric.id, epoch, value);
    }
    SOTTO_HPP_NODISCARD sotto_status extend(mean_metric<Registry> metric, uint32_t epoch,
                                            int32_t value) {
        return sotto_extend_integer(&memory_.client, metric.id, epoch, value);
    }
    SOTTO_HPP_NODISCARD sotto_status extend(vector_metric<Registry> metric, uint32_t epoch,
                                            const int32_t *values, size_t length) {
        return sotto_extend_vector(&memory_.client, metric.id, epoch, values, length);
    }

    size_t pending() const { return sotto_pending(&memory_.client); }
    SOTTO_HPP_NODISCARD sotto_status flush(uint8_t *buffer, size_t capacity_bytes,
                                           size_t &length_bytes) {
        return sotto_flush(&memory_.client, buffer, capacity_bytes, &length_bytes);
    }
    SOTTO_HPP_NODISCARD sotto_status resend(uint8_t *buffer, size_t capacity_bytes,
                                            size_t &length_bytes) {
        return sotto_resend(&memory_.client, buffer, capacity_bytes, &length_bytes);
    }
    SOTTO_HPP_NODISCARD sotto_status acknowledge() { return sotto_acknowledge(&memory_.client); }

    SOTTO_HPP_NODISCARD sotto_status pause() { return sotto_pause(&memory_.client); }
    SOTTO_HPP_NODISCARD sotto_status resume() { return sotto_resume(&memory_.client); }
    bool is_paused() const { return sotto_is_paused(&memory_.client); }
    template <template <class> class Metric>
    SOTTO_HPP_NODISCARD sotto_status account(Metric<Registry> metric,
                                             sotto_account &account) const {
        return sotto_get_account(&memory_.client, metric.id, &account);
    }
    SOTTO_HPP_NODISCARD sotto_status account(sotto_account &account) const {
        return sotto_get_account(&memory_.client, 0, &account);
    }
    SOTTO_HPP_NODISCARD sotto_status release(size_t index, sotto_release_info &info) const {
        return sotto_get_release(&memory_.client, index, &info);
    }

    void deinit() { sotto_deinit(&memory_.client); }
    SOTTO_HPP_NODISCARD sotto_status wipe() { return sotto_wipe(&memory_.client); }

  private:
    typename Registry::memory memory_ = {};
};

} // namespace sotto
#endif
