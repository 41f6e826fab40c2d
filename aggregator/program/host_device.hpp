// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_HOST_DEVICE_HPP
#define SOTTO_AGGREGATOR_PROGRAM_HOST_DEVICE_HPP

#include "aggregator/base/failure.hpp"

#include "sotto/sotto.h"

#include <string_view>
#include <utility>
#include <vector>

namespace sotto::aggregator {

// A device that lives on the host: the SDK as it is in firmware, with the memory it needs. One
// after the other, the same memory serves any number of devices.
class host_device {
  public:
    // The tables must outlive it.
    explicit host_device(const sotto_registry &tables)
        : tables_(tables), next_epoch_(tables.metric_count), queue_(tables.metric_count),
          buffer_(envelope_bytes + report_bytes * queue_.size()) {}
    host_device(const host_device &) = delete; // the client points into it
    host_device &operator=(const host_device &) = delete;
    ~host_device() { sotto_wipe(&client_); }

    // A new device, in its only epoch: reports each value {metric id, value} and hands every
    // envelope to `send`. Errors: environment_error with the SDK's sentence.
    template <typename Send>
    void run(const sotto_port &port, std::uint32_t epoch,
             const std::vector<std::pair<std::uint16_t, bool>> &values, Send send) {
        const auto capacity = static_cast<std::uint16_t>(queue_.size());
        check(sotto_init(&client_, &tables_, &port, next_epoch_.data(), queue_.data(), capacity));
        check(sotto_advance(&client_, epoch));
        for (const auto &[id, value] : values) {
            check(sotto_report_boolean(&client_, id, value));
        }
        while (sotto_pending(&client_) > 0) {
            std::size_t length = 0;
            check(sotto_flush(&client_, buffer_.data(), buffer_.size(), &length));
            send(std::string_view(reinterpret_cast<const char *>(buffer_.data()), length));
        }
        sotto_wipe(&client_);
    }

  private:
    static constexpr std::size_t envelope_bytes = 128; // without reports, padding included
    static constexpr std::size_t report_bytes = 40;

    static void check(sotto_status status) {
        if (status != SOTTO_OK) {
            throw environment_error(sotto_status_text(status));
        }
    }

    const sotto_registry &tables_;
    sotto_client client_ = {};
    std::vector<std::uint32_t> next_epoch_;
    std::vector<sotto_release> queue_;
    std::vector<std::uint8_t> buffer_;
};

} // namespace sotto::aggregator
#endif
