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

// One device of a registry; the object is all the memory it uses. See sotto.h for errors and
// thread-safety. It can't be copied: two devices with one generator would share their noise.
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
    SOTTO_HPP_NODISCARD sotto_status report(boolean_metric<Registry> metric, bool value) {
        return sotto_report_boolean(&memory_.client, metric.id, value);
    }
    template <class Value> sotto_status report(boolean_metric<Registry>, Value) = delete;

    size_t pending() const { return sotto_pending(&memory_.client); }
    SOTTO_HPP_NODISCARD sotto_status flush(uint8_t *buffer, size_t capacity_bytes,
                                           size_t &length_bytes) {
        return sotto_flush(&memory_.client, buffer, capacity_bytes, &length_bytes);
    }
    void wipe() { sotto_wipe(&memory_.client); }

  private:
    typename Registry::memory memory_ = {};
};

} // namespace sotto
#endif
