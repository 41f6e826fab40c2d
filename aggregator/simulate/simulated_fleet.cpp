// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/simulated_fleet.hpp"

#include "aggregator/base/parallel.hpp"

#include "sotto_posix.h"
#include "sotto_testing.h"

namespace sotto::aggregator {
namespace {

// Numbers of devices stay below.
constexpr std::uint64_t batch_numbers = std::uint64_t{1} << 63;

// The randomness of one device or batch.
class randomness {
  public:
    randomness(const std::optional<std::vector<std::uint8_t>> &seed, std::uint64_t number)
        : is_seeded_(seed.has_value()) {
        if (seed) {
            sotto_testing_init(&testing_, seed->data(), seed->size(), number);
        }
    }
    randomness(const randomness &) = delete; // points into itself
    randomness &operator=(const randomness &) = delete;

    const sotto_entropy &get() const { return is_seeded_ ? testing_.entropy : sotto_posix_entropy; }

  private:
    bool is_seeded_;
    sotto_testing testing_ = {};
};

} // namespace

simulated_fleet::simulated_fleet(const registry &known, const sotto_registry &tables,
                                 who_seals where,
                                 const std::optional<std::vector<std::uint8_t>> &seed,
                                 std::uint32_t epoch, const std::vector<std::uint8_t> &request)
    : tables_(tables), of_devices_(tables), seed_(seed), epoch_(epoch), request_(request) {
    if (where == who_seals::gateway) {
        of_devices_.sealing = nullptr;
    }
    while (workers_.size() < core_count()) {
        workers_.push_back({std::make_unique<host_device>(known, of_devices_)});
    }
}

std::vector<std::string> simulated_fleet::run(const std::vector<simulated_device> &devices) {
    std::vector<std::string> envelopes(devices.size());
    for_each_in_parallel(workers_, devices.size(), [&](worker &w, std::size_t i) {
        const randomness random(seed_, devices[i].number);
        w.reports += w.device->run(random.get(), epoch_, devices[i].values, request_,
                                   [&](std::string_view envelope) { envelopes[i] += envelope; });
    });
    add_up();
    return envelopes;
}

std::vector<std::string> simulated_fleet::live(std::span<const device_life> devices,
                                               std::uint32_t first, std::uint32_t last,
                                               std::uint32_t levels) {
    std::vector<std::string> envelopes(devices.size());
    for_each_in_parallel(workers_, devices.size(), [&](worker &w, std::size_t i) {
        const randomness random(seed_, devices[i].number);
        w.reports += w.device->live(random.get(), first, last, devices[i], levels,
                                    [&](std::string_view envelope) { envelopes[i] += envelope; });
    });
    add_up();
    return envelopes;
}

void simulated_fleet::add_up() {
    reports_ = 0;
    for (const worker &w : workers_) {
        reports_ += w.reports;
    }
}

std::vector<std::string> simulated_fleet::write(std::vector<packed_batch> batches,
                                                std::uint64_t first) {
    std::vector<std::string> envelopes(batches.size());
    const envelope_writer writer(tables_);
    for_each_in_parallel(workers_, batches.size(), [&](worker &, std::size_t i) {
        const randomness random(seed_, batch_numbers + first + i);
        envelopes[i] = writer.write(std::move(batches[i]), random.get());
    });
    return envelopes;
}

adapted_values simulated_fleet::adapted() const {
    adapted_values sum;
    for (const worker &w : workers_) {
        const adapted_values &part = w.device->adapted();
        sum.clamped += part.clamped;
        sum.too_long += part.too_long;
        sum.too_many += part.too_many;
        sum.over_budget += part.over_budget;
        sum.not_counted += part.not_counted;
        sum.repeated += part.repeated;
    }
    return sum;
}

request_answers simulated_fleet::answers() const {
    request_answers sum;
    for (const worker &w : workers_) {
        const request_answers &part = w.device->answers();
        sum.relaxed += part.relaxed;
        sum.not_selected += part.not_selected;
        sum.over_budget += part.over_budget;
    }
    return sum;
}

} // namespace sotto::aggregator
