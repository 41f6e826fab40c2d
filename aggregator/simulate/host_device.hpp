// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SIMULATE_HOST_DEVICE_HPP
#define SOTTO_AGGREGATOR_SIMULATE_HOST_DEVICE_HPP

#include "aggregator/simulate/device_lives.hpp"

#include "sotto/sotto.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// How many values the SDK had to adapt, by its answer, and how many levels it did not publish.
struct adapted_values {
    std::uint64_t clamped = 0, too_long = 0, too_many = 0, over_budget = 0;
    std::uint64_t not_counted = 0; // events of counters
    std::uint64_t repeated = 0;    // values of an epoch that had one
};

// The devices' answers to a request, in measurements.
struct request_answers {
    std::uint64_t relaxed = 0, not_selected = 0, over_budget = 0;
};

// A value that is measured, and published at levels 0 to `levels`, as far as its metric has them,
// those above its ladder included.
struct measured_value {
    const metric *subject;
    cell_value value;
    std::uint32_t levels = 0;
};

// A device that lives on the host: the SDK as it is in firmware, with the memory it needs. One
// after the other, the same memory serves any number of devices.
class host_device {
  public:
    using sender = std::function<void(std::string_view envelope)>;

    // Both must outlive it, and be of one registry.
    host_device(const registry &known, const sotto_registry &tables);
    host_device(const host_device &) = delete; // the client points into it
    host_device &operator=(const host_device &) = delete;
    ~host_device() { sotto_deinit(&client_); }

    // A new device, in its only epoch. It reports each value at level 0, then publishes the same
    // releases again at their other levels, one after the other. Then it obeys the signed request,
    // unless that is empty. Hands every envelope to `send` and returns how many reports were in
    // them. Counts the measurements that the budget does not allow. Errors: usage_error, for a
    // request that is not obeyed; environment_error; with the SDK's sentence.
    std::uint64_t run(const sotto_entropy &entropy, std::uint32_t epoch,
                      std::span<const measured_value> measured,
                      std::span<const std::uint8_t> request, const sender &send);

    // A new device that lives from the epoch before `first`, so that `first` counts, to the one
    // behind `last`, in which its rows close. It keeps its memory and its budget. In an epoch it
    // counts, reports a first value of each metric, and publishes these at levels up to `levels`.
    // Hands on and returns as run(). Errors: environment_error.
    std::uint64_t live(const sotto_entropy &entropy, std::uint32_t first, std::uint32_t last,
                       const device_life &life, std::uint32_t levels, const sender &send);

    // Over all devices that were run.
    const adapted_values &adapted() const { return adapted_; }
    const request_answers &answers() const { return answers_; }

  private:
    void start(const sotto_entropy &entropy, std::uint32_t epoch);
    void report(const measured_value &measured);
    void count(const metric &m, std::int32_t amount);
    std::uint64_t publish_levels(std::span<const measured_value> measured, std::uint32_t epoch,
                                 const sender &send);
    void relax(const measured_value &measured, std::uint32_t epoch, std::uint32_t level);
    void obey(std::span<const std::uint8_t> request);
    void count(sotto_status status);
    std::uint64_t flush(const sender &send);

    const sotto_registry &tables_;
    sotto_client client_ = {};
    std::vector<std::uint32_t> state_, work_, rows_;
    std::vector<std::uint8_t> random_, buffer_;
    sotto_memory memory_ = {};
    adapted_values adapted_;
    request_answers answers_;
};

} // namespace sotto::aggregator
#endif
