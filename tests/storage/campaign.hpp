// SPDX-License-Identifier: Apache-2.0
// The contract of sotto/port.h for load and store, whatever is cut. An acknowledged store stays. A
// cut one concerns its slot alone. Bytes that were handed out once are handed out again.
#ifndef STORAGE_CAMPAIGN_HPP
#define STORAGE_CAMPAIGN_HPP

#include "sotto/port.h"

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

struct storage_cut {
    size_t step, kind;
};

// Device has: step counting and cuts as nor_flash, restart(), load(), store().
template <class Device> class storage_campaign {
  public:
    storage_campaign(Device &device, uint32_t seed) : device_(device), dice_(seed) {}

    // Lives through some stores for each cut, and some more; what went wrong, or nothing.
    std::string run(const std::vector<storage_cut> &cuts, size_t stores) {
        for (const storage_cut &cut : cuts) {
            device_.cut(cut.step, cut.kind);
            check();
            for (size_t i = 0; i < stores && device_.has_power(); ++i) {
                change();
            }
            device_.restart();
        }
        check();
        for (size_t i = 0; i < stores; ++i) {
            change();
            check();
        }
        device_.restart();
        check();
        return wrong_;
    }
    size_t retries() const { return retries_; }

  private:
    using bytes = std::vector<uint8_t>;

    void fail(const std::string &what) { wrong_ = wrong_.empty() ? what : wrong_; }

    // The client's pattern, mostly: the two states by turns.
    void change() {
        const uint32_t slot = dice_() % 8 == 0 ? uint32_t{SOTTO_SLOT_SECRET} : 1 + turn_++ % 2;
        const uint32_t length =
            slot == SOTTO_SLOT_SECRET ? 40 : 48 + static_cast<uint32_t>(dice_() % 16);
        bytes next(dice_() % 16 == 0 ? 0 : length);
        for (uint8_t &b : next) {
            b = dice_() % 4 == 0 ? 0xff : static_cast<uint8_t>(dice_());
        }
        pending_ = slot;
        next_ = next;
        sotto_status status = SOTTO_ERR_STORAGE;
        for (int i = 0; i < tries && status != SOTTO_OK && device_.has_power(); ++i) {
            status = device_.store(slot, next.data(), next.size());
        }
        if (status == SOTTO_OK) {
            kept_[slot] = next;
            pending_.reset();
        } else if (device_.has_power()) {
            fail("a store failed with the power on");
        }
    }
    void check() {
        for (uint32_t slot = 0; slot < SOTTO_SLOT_COUNT && device_.has_power(); ++slot) {
            check(slot);
        }
    }
    void check(uint32_t slot) {
        bytes found(128);
        int32_t length = SOTTO_ERR_STORAGE;
        for (int i = 0; i < tries && length < 0 && device_.has_power(); ++i) {
            length = device_.load(slot, found.data(), found.size());
            retries_ += length < 0 ? 1 : 0;
        }
        if (!device_.has_power()) {
            return;
        }
        if (length < 0) {
            return fail("a load failed with the power on");
        }
        found.resize(static_cast<size_t>(length));
        const bool is_open = pending_ == slot;
        if (found != kept_[slot] && !(is_open && found == next_)) {
            fail("slot " + std::to_string(slot) + (is_open ? ", stored last," : "") +
                 " is neither old nor new");
        }
        if (is_open) {
            kept_[slot] = found;
            pending_.reset();
        }
    }

    static constexpr int tries = 40;
    Device &device_;
    std::mt19937 dice_;
    std::array<bytes, SOTTO_SLOT_COUNT> kept_;
    std::optional<uint32_t> pending_; // was being stored when power went
    bytes next_;
    uint32_t turn_ = 0;
    size_t retries_ = 0;
    std::string wrong_;
};

#endif
