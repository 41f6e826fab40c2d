// SPDX-License-Identifier: Apache-2.0
// A port whose random source fails in every way that a random source can, and whose storage can be
// looked at, changed and broken.
#ifndef FAKE_PORT_HPP
#define FAKE_PORT_HPP

#include "sotto/port.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

struct fake_port {
    enum class fault {
        none,
        error,
        unnamed_error,
        few,
        none_at_all,
        too_many,
        stuck,
        stuck_word,
        silent,
        timeout
    };
    fault now = fault::none;
    int calls = 0;
    uint64_t state = 1;
    std::array<std::vector<uint8_t>, SOTTO_SLOT_COUNT> slots;
    int stores = 0;
    bool storage_fails = false;

    sotto_entropy source = {.context = this,
                            .read = entropy,
                            .source = SOTTO_SOURCE_CSPRNG,
                            .sample_bits = 0,
                            .min_entropy_millibits = 0};

    fake_port() = default;
    fake_port(const fake_port &) = delete; // the source points into it
    fake_port &operator=(const fake_port &) = delete;

    sotto_port port() const {
        sotto_port port = {};
        port.context = const_cast<fake_port *>(this);
        port.load = load;
        port.store = store;
        port.entropy = &source;
        return port;
    }
    void forget() {
        for (std::vector<uint8_t> &slot : slots) {
            slot.clear();
        }
    }

  private:
    static int32_t load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
        const auto &self = *static_cast<fake_port *>(context);
        if (self.storage_fails) {
            return SOTTO_ERR_STORAGE;
        }
        const std::vector<uint8_t> &from = self.slots[slot];
        std::copy_n(from.begin(), std::min(from.size(), capacity_bytes), bytes);
        return static_cast<int32_t>(from.size());
    }
    static sotto_status store(void *context, uint32_t slot, const uint8_t *bytes,
                              size_t length_bytes) {
        auto &self = *static_cast<fake_port *>(context);
        if (self.storage_fails) {
            return SOTTO_ERR_STORAGE;
        }
        ++self.stores;
        self.slots[slot].assign(bytes, bytes + length_bytes);
        return SOTTO_OK;
    }
    static int32_t entropy(void *context, uint8_t *bytes, size_t length_bytes) {
        auto &self = *static_cast<fake_port *>(context);
        ++self.calls;
        std::generate_n(bytes, length_bytes, [&self] {
            self.state = self.state * 6364136223846793005u + 1442695040888963407u;
            return static_cast<uint8_t>(self.state >> 56);
        });
        const auto length = static_cast<int32_t>(length_bytes);
        switch (self.now) {
        case fault::none:
            return length;
        case fault::error:
            return SOTTO_ERR_ENTROPY_FAILED;
        case fault::unnamed_error:
            return -9999;
        case fault::few:
            return length - 1;
        case fault::none_at_all:
            return 0;
        case fault::too_many:
            return length + 1;
        case fault::stuck:
            std::fill_n(bytes, length_bytes, uint8_t{0x5a});
            return length;
        case fault::stuck_word:
            std::generate_n(bytes, length_bytes, [i = 0]() mutable {
                return static_cast<uint8_t>("\x12\x9a\x07\xc4"[i++ % 4]);
            });
            return length;
        case fault::silent:
            std::fill_n(bytes, length_bytes, uint8_t{0});
            return length;
        case fault::timeout:
            return SOTTO_ERR_ENTROPY_TIMEOUT;
        }
        return -1;
    }
};

#endif
