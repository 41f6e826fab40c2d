// SPDX-License-Identifier: Apache-2.0
// Storage that loses power in the middle of a store, at any byte. It is left as flash, a file or a
// key-value store can be left, in each of the ways.
#ifndef CUT_STORAGE_HPP
#define CUT_STORAGE_HPP

#include "../storage/nor_flash.hpp"
#include "../storage/planted.hpp"
#include "sotto/port.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

enum class tear {
    overwritten, // the new bytes as far as it came, the old ones behind them
    erased,      // the new bytes as far as it came, then what erased flash reads as
    shortened,   // the new bytes as far as it came, and no more
    kinds
};

struct cut_storage {
    std::array<std::vector<uint8_t>, SOTTO_SLOT_COUNT> slots;
    size_t stores = 0;           // asked for, since power came
    size_t cut_store = SIZE_MAX; // during which of them power goes
    size_t cut_byte = 0;         // behind how many of its bytes; all of them is allowed
    tear kind = tear::overwritten;
    bool has_power = true;
    size_t failing_store = SIZE_MAX; // answers an error, with its bytes stored or not, and goes on
    size_t loads = 0;                // asked for, since power came
    size_t failing_load = SIZE_MAX;  // answers an error once
    uint32_t count = 0;              // a hardware counter's
    bool has_counter = false, has_mac = false;
    bool is_lying = false; // says that it is durable before it is: what the test must notice
    // Where its slots are in flash: a cut comes `cut_byte` programs or erases after its store
    // began.
    nor_flash *flash = nullptr;
    storage_functions in_flash = {};
    // Asked at each store, if there is an attacker: is it one that fails, its bytes kept?
    std::function<bool(uint32_t slot, std::vector<uint8_t> bytes)> steals;

    void switch_on() {
        stores = loads = 0;
        cut_store = failing_store = failing_load = SIZE_MAX;
        has_power = true;
        if (flash != nullptr) {
            flash->switch_on();
            unit_.assign(SOTTO_FLASH_UNIT_BYTES_MAX, 0);
            pages_ = {};
            pages_.driver = flash->driver();
            pages_.unit = unit_.data();
        }
    }
    sotto_port port(const sotto_entropy &entropy) {
        sotto_port port = {};
        port.context = this;
        port.load = load;
        port.store = store;
        port.counter = has_counter ? raise : nullptr;
        port.mac = has_mac ? mac : nullptr;
        port.entropy = &entropy;
        return port;
    }

  private:
    static int32_t load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
        auto &self = *static_cast<cut_storage *>(context);
        const std::vector<uint8_t> &from = self.slots[slot];
        if (!self.has_power || self.loads++ == self.failing_load) {
            return SOTTO_ERR_STORAGE;
        }
        if (self.flash != nullptr) {
            const int32_t length = self.in_flash.load(&self.pages_, slot, bytes, capacity_bytes);
            self.has_power = self.flash->has_power;
            return length;
        }
        std::copy_n(from.begin(), std::min(from.size(), capacity_bytes), bytes);
        return static_cast<int32_t>(from.size());
    }
    // Without power nothing is stored and nothing said: what the caller does with the error no
    // longer matters, and the device's memory is thrown away.
    static sotto_status store(void *context, uint32_t slot, const uint8_t *bytes,
                              size_t length_bytes) {
        auto &self = *static_cast<cut_storage *>(context);
        if (!self.has_power) {
            return SOTTO_ERR_STORAGE;
        }
        if (self.flash != nullptr) {
            return self.store_in_flash(slot, bytes, length_bytes);
        }
        if (self.stores++ == self.cut_store) {
            self.has_power = false;
            self.leave(self.slots[slot], bytes, length_bytes);
            return self.is_lying ? SOTTO_OK : SOTTO_ERR_STORAGE;
        }
        if (self.steals && self.steals(slot, {bytes, bytes + length_bytes})) {
            return SOTTO_ERR_STORAGE;
        }
        const bool fails = self.stores - 1 == self.failing_store;
        if (!fails || self.cut_byte % 2 == 0) {
            self.slots[slot].assign(bytes, bytes + length_bytes);
        }
        return fails ? SOTTO_ERR_STORAGE : SOTTO_OK;
    }
    sotto_status store_in_flash(uint32_t slot, const uint8_t *bytes, size_t length_bytes) {
        if (stores++ == cut_store) {
            flash->cut_step = flash->steps + cut_byte;
            flash->cut_kind = static_cast<size_t>(kind);
        }
        const sotto_status status = in_flash.store(&pages_, slot, bytes, length_bytes);
        has_power = flash->has_power;
        return status;
    }
    static sotto_status raise(void *context, uint32_t *value, uint32_t raise_to) {
        auto &self = *static_cast<cut_storage *>(context);
        if (!self.has_power) {
            return SOTTO_ERR_STORAGE;
        }
        self.count = std::max(self.count, raise_to);
        *value = self.count;
        return SOTTO_OK;
    }
    static sotto_status mac(void *, const uint8_t *digest, uint8_t *tag) {
        static constexpr std::array<uint8_t, 32> key = {1, 2, 3};
        return sotto_hmac_sha256(key.data(), digest, tag);
    }
    void leave(std::vector<uint8_t> &slot, const uint8_t *bytes, size_t length_bytes) const {
        if (is_lying) {
            return; // nothing of it ever arrived
        }
        const size_t done = std::min(cut_byte, length_bytes);
        if (done == length_bytes || kind == tear::shortened) {
            slot.assign(bytes, bytes + done);
            return;
        }
        if (kind == tear::erased) {
            slot.assign(length_bytes, 0xff);
        }
        slot.resize(std::max(slot.size(), done));
        std::copy_n(bytes, done, slot.begin());
    }

    sotto_flash pages_{};
    std::vector<uint8_t> unit_;
};

#endif
