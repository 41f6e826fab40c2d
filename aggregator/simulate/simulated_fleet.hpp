// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SIMULATE_SIMULATED_FLEET_HPP
#define SOTTO_AGGREGATOR_SIMULATE_SIMULATED_FLEET_HPP

#include "aggregator/simulate/envelope_writer.hpp"
#include "aggregator/simulate/host_device.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sotto::aggregator {

// A row of the table: one device, and its values.
struct simulated_device {
    std::uint64_t number = 0; // no other has it
    std::vector<measured_value> values;
};

// Where the registry has a key.
enum class who_seals { device, gateway };

// Any number of devices on all cores. Their reports depend on their numbers and the seed, not on
// how many cores there are.
class simulated_fleet {
  public:
    // All must outlive it. Without a seed the noise is the operating system's.
    simulated_fleet(const registry &known, const sotto_registry &tables, who_seals where,
                    const std::optional<std::vector<std::uint8_t>> &seed, std::uint32_t epoch,
                    const std::vector<std::uint8_t> &request);

    // The envelopes of each device, in their order. Errors: as those of host_device::run.
    std::vector<std::string> run(const std::vector<simulated_device> &devices);
    // The envelopes of devices that live through epochs `first` to `last`. Errors: as run.
    std::vector<std::string> live(std::span<const device_life> devices, std::uint32_t first,
                                  std::uint32_t last, std::uint32_t levels);
    // Each batch as an envelope, numbered from `first` on. Errors: as run.
    std::vector<std::string> write(std::vector<packed_batch> batches, std::uint64_t first);

    adapted_values adapted() const;
    request_answers answers() const;
    std::uint64_t reports() const { return reports_; }

  private:
    struct worker {
        std::unique_ptr<host_device> device;
        std::uint64_t reports = 0;
    };

    void add_up();

    const sotto_registry &tables_;
    sotto_registry of_devices_;
    const std::optional<std::vector<std::uint8_t>> &seed_;
    std::uint32_t epoch_;
    const std::vector<std::uint8_t> &request_;
    std::vector<worker> workers_;
    std::uint64_t reports_ = 0;
};

} // namespace sotto::aggregator
#endif
