// SPDX-License-Identifier: Apache-2.0
/// @file
/// The C API with types. A metric's handle knows its registry and its type. Reporting a number to a
/// boolean metric, or to another registry's, does not compile. C++11 and up, no library.
#ifndef SOTTO_SOTTO_HPP
#define SOTTO_SOTTO_HPP

#include "sotto/sotto.h"

/// The C API with types.
namespace sotto {

/// Before a declaration: the compiler warns where the answer is ignored.
#if defined(__cplusplus) && __cplusplus >= 201703L
#define SOTTO_HPP_NODISCARD [[nodiscard]]
#else
#define SOTTO_HPP_NODISCARD SOTTO_NODISCARD
#endif

/// A metric whose value is true or false; the generated header declares one for each.
template <class Registry> struct boolean_metric {
    uint16_t id; ///< 1 to 65535
};
/// A metric whose value is the index of a category; the generated header declares one for each.
template <class Registry> struct category_metric {
    uint16_t id; ///< 1 to 65535
};
/// A metric whose value is indices of members; the generated header declares one for each.
template <class Registry> struct set_metric {
    uint16_t id; ///< 1 to 65535
};
/// A metric whose value is bytes; the generated header declares one for each.
template <class Registry> struct string_metric {
    uint16_t id; ///< 1 to 65535
};
/// A metric whose value is an int32_t; the generated header declares one for each.
template <class Registry> struct integer_metric {
    uint16_t id; ///< 1 to 65535
};
/// A metric whose value is a fixed number of int32_t; the generated header declares one for each.
template <class Registry> struct vector_metric {
    uint16_t id; ///< 1 to 65535
};
/// A metric whose value is an int32_t; the generated header declares one for each.
template <class Registry> struct mean_metric {
    uint16_t id; ///< 1 to 65535
};
/// A metric whose value is an int32_t; the generated header declares one for each.
template <class Registry> struct distribution_metric {
    uint16_t id; ///< 1 to 65535
};
/// A metric that counts events; the generated header declares one for each.
template <class Registry> struct counter_metric {
    uint16_t id; ///< 1 to 65535
};

/// A metric that counts points by bin; the generated header declares one for each.
template <class Registry> struct histogram_metric {
    uint16_t id; ///< 1 to 65535
};

/// A metric that counts points by two numbers; the generated header declares one for each.
template <class Registry> struct location_metric {
    uint16_t id; ///< 1 to 65535
};

/// A metric of a quantile of points; the generated header declares one for each.
template <class Registry> struct quantile_metric {
    uint16_t id; ///< 1 to 65535
};

/// One device of a registry; the object is all the memory it uses. Each function is the one of
/// sotto.h that it names, with the same errors and thread-safety. It can't be copied: two devices
/// with one generator would share their noise. It has no destructor, which a static object would
/// need a runtime for. Where its memory is used again, call deinit(), which zeroes secrets and
/// releases.
template <class Registry> class client {
  public:
    client() = default;                         ///< All zero; init() comes next.
    client(const client &) = delete;            ///< Two copies would share their noise.
    client &operator=(const client &) = delete; ///< Two copies would share their noise.

    /// sotto_init(), with this object's memory.
    SOTTO_HPP_NODISCARD sotto_status init(const sotto_port &port) {
        return Registry::init(&memory_, &port);
    }
    /// sotto_advance()
    SOTTO_HPP_NODISCARD sotto_status advance(uint32_t epoch) {
        return sotto_advance(&memory_.client, epoch);
    }
    /// sotto_advance_far()
    SOTTO_HPP_NODISCARD sotto_status advance_far(uint32_t epoch) {
        return sotto_advance_far(&memory_.client, epoch);
    }

    /// sotto_report_boolean()
    SOTTO_HPP_NODISCARD sotto_status report(boolean_metric<Registry> metric, bool value) {
        return sotto_report_boolean(&memory_.client, metric.id, value);
    }
    /// Deleted: only a bool is a boolean.
    template <class Value> sotto_status report(boolean_metric<Registry>, Value) = delete;
    /// sotto_report_category()
    SOTTO_HPP_NODISCARD sotto_status report(category_metric<Registry> metric, uint32_t category) {
        return sotto_report_category(&memory_.client, metric.id, category);
    }
    /// sotto_report_set()
    SOTTO_HPP_NODISCARD sotto_status report(set_metric<Registry> metric, const uint16_t *members,
                                            size_t count) {
        return sotto_report_set(&memory_.client, metric.id, members, count);
    }
    /// sotto_report_string()
    SOTTO_HPP_NODISCARD sotto_status report(string_metric<Registry> metric, const char *text,
                                            size_t length_bytes) {
        return sotto_report_string(&memory_.client, metric.id, text, length_bytes);
    }
    /// sotto_report_integer()
    SOTTO_HPP_NODISCARD sotto_status report(integer_metric<Registry> metric, int32_t value) {
        return sotto_report_integer(&memory_.client, metric.id, value);
    }
    /// sotto_report_integer()
    SOTTO_HPP_NODISCARD sotto_status report(mean_metric<Registry> metric, int32_t value) {
        return sotto_report_integer(&memory_.client, metric.id, value);
    }
    /// sotto_report_integer()
    SOTTO_HPP_NODISCARD sotto_status report(distribution_metric<Registry> metric, int32_t value) {
        return sotto_report_integer(&memory_.client, metric.id, value);
    }
    /// sotto_report_vector()
    SOTTO_HPP_NODISCARD sotto_status report(vector_metric<Registry> metric, const int32_t *values,
                                            size_t length) {
        return sotto_report_vector(&memory_.client, metric.id, values, length);
    }

    /// sotto_report_points()
    SOTTO_HPP_NODISCARD sotto_status report(histogram_metric<Registry> metric,
                                            const int32_t *points, size_t count) {
        return sotto_report_points(&memory_.client, metric.id, points, count);
    }
    /// sotto_report_points(): points[0 .. 2 * count)
    SOTTO_HPP_NODISCARD sotto_status report(location_metric<Registry> metric, const int32_t *points,
                                            size_t count) {
        return sotto_report_points(&memory_.client, metric.id, points, count);
    }
    /// sotto_report_quantile()
    SOTTO_HPP_NODISCARD sotto_status report(quantile_metric<Registry> metric, const int32_t *points,
                                            size_t count) {
        return sotto_report_quantile(&memory_.client, metric.id, points, count);
    }

    /// sotto_count()
    SOTTO_HPP_NODISCARD sotto_status count(counter_metric<Registry> metric, int32_t amount = 1) {
        return sotto_count(&memory_.client, metric.id, amount);
    }
    /// sotto_reopen()
    SOTTO_HPP_NODISCARD sotto_status reopen(counter_metric<Registry> metric) {
        return sotto_reopen(&memory_.client, metric.id);
    }

    /// sotto_relax()
    template <template <class> class Metric>
    SOTTO_HPP_NODISCARD sotto_status relax(Metric<Registry> metric, uint32_t epoch, uint8_t level) {
        return sotto_relax(&memory_.client, metric.id, epoch, level);
    }
    /// sotto_request()
    SOTTO_HPP_NODISCARD sotto_status request(const uint8_t *bytes, size_t length_bytes,
                                             sotto_consent *consent, void *context,
                                             sotto_request_result &result) {
        return sotto_request(&memory_.client, bytes, length_bytes, consent, context, &result);
    }
    /// sotto_close()
    template <template <class> class Metric>
    SOTTO_HPP_NODISCARD sotto_status close(Metric<Registry> metric, uint32_t epoch) {
        return sotto_close(&memory_.client, metric.id, epoch);
    }

    /// sotto_extend_boolean()
    SOTTO_HPP_NODISCARD sotto_status extend(boolean_metric<Registry> metric, uint32_t epoch,
                                            bool value) {
        return sotto_extend_boolean(&memory_.client, metric.id, epoch, value);
    }
    /// Deleted: only a bool is a boolean.
    template <class Value> sotto_status extend(boolean_metric<Registry>, uint32_t, Value) = delete;
    /// sotto_extend_category()
    SOTTO_HPP_NODISCARD sotto_status extend(category_metric<Registry> metric, uint32_t epoch,
                                            uint32_t category) {
        return sotto_extend_category(&memory_.client, metric.id, epoch, category);
    }
    /// sotto_extend_set()
    SOTTO_HPP_NODISCARD sotto_status extend(set_metric<Registry> metric, uint32_t epoch,
                                            const uint16_t *members, size_t count) {
        return sotto_extend_set(&memory_.client, metric.id, epoch, members, count);
    }
    /// sotto_extend_string()
    SOTTO_HPP_NODISCARD sotto_status extend(string_metric<Registry> metric, uint32_t epoch,
                                            const char *text, size_t length_bytes) {
        return sotto_extend_string(&memory_.client, metric.id, epoch, text, length_bytes);
    }
    /// sotto_extend_integer()
    SOTTO_HPP_NODISCARD sotto_status extend(integer_metric<Registry> metric, uint32_t epoch,
                                            int32_t value) {
        return sotto_extend_integer(&memory_.client, metric.id, epoch, value);
    }
    /// sotto_extend_integer()
    SOTTO_HPP_NODISCARD sotto_status extend(mean_metric<Registry> metric, uint32_t epoch,
                                            int32_t value) {
        return sotto_extend_integer(&memory_.client, metric.id, epoch, value);
    }
    /// sotto_extend_vector()
    SOTTO_HPP_NODISCARD sotto_status extend(vector_metric<Registry> metric, uint32_t epoch,
                                            const int32_t *values, size_t length) {
        return sotto_extend_vector(&memory_.client, metric.id, epoch, values, length);
    }

    /// sotto_pending()
    size_t pending() const { return sotto_pending(&memory_.client); }
    /// sotto_flush()
    SOTTO_HPP_NODISCARD sotto_status flush(uint8_t *buffer, size_t capacity_bytes,
                                           size_t &length_bytes) {
        return sotto_flush(&memory_.client, buffer, capacity_bytes, &length_bytes);
    }
    /// sotto_resend()
    SOTTO_HPP_NODISCARD sotto_status resend(uint8_t *buffer, size_t capacity_bytes,
                                            size_t &length_bytes) {
        return sotto_resend(&memory_.client, buffer, capacity_bytes, &length_bytes);
    }
    /// sotto_acknowledge()
    SOTTO_HPP_NODISCARD sotto_status acknowledge() { return sotto_acknowledge(&memory_.client); }

    /// sotto_pause()
    SOTTO_HPP_NODISCARD sotto_status pause() { return sotto_pause(&memory_.client); }
    /// sotto_resume()
    SOTTO_HPP_NODISCARD sotto_status resume() { return sotto_resume(&memory_.client); }
    /// sotto_is_paused()
    bool is_paused() const { return sotto_is_paused(&memory_.client); }
    /// sotto_get_stores()
    uint32_t stores() const { return sotto_get_stores(&memory_.client); }
    /// sotto_get_account() of a metric.
    template <template <class> class Metric>
    SOTTO_HPP_NODISCARD sotto_status account(Metric<Registry> metric,
                                             sotto_account &account) const {
        return sotto_get_account(&memory_.client, metric.id, &account);
    }
    /// sotto_get_account() of the device.
    SOTTO_HPP_NODISCARD sotto_status account(sotto_account &account) const {
        return sotto_get_account(&memory_.client, 0, &account);
    }
    /// sotto_get_release()
    SOTTO_HPP_NODISCARD sotto_status release(size_t index, sotto_release_info &info) const {
        return sotto_get_release(&memory_.client, index, &info);
    }

    /// sotto_inspect_batch()
    SOTTO_HPP_NODISCARD sotto_status inspect_batch(void (*show)(void *, const sotto_sent_report *),
                                                   void *context) const {
        return sotto_inspect_batch(&memory_.client, show, context);
    }

    /// sotto_deinit()
    void deinit() { sotto_deinit(&memory_.client); }
    /// sotto_wipe()
    SOTTO_HPP_NODISCARD sotto_status wipe() { return sotto_wipe(&memory_.client); }

  private:
    typename Registry::memory memory_ = {};
};

} // namespace sotto
#endif
