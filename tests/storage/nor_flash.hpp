// SPDX-License-Identifier: Apache-2.0
// Two pages of NOR flash that lose power in any program or erase. Bits that were under way are
// neither 0 nor 1 then: they read anew after each start, or at each read.
#ifndef NOR_FLASH_HPP
#define NOR_FLASH_HPP

#include "sotto_flash.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

// The programming that a part allows over a unit that a cut left half programmed.
enum class over_torn { nothing, zeros, anything };

struct nor_shape {
    uint32_t page_bytes, unit_bytes;
    over_torn takes;
    bool flickers_on_reads; // not only from start to start
};

class nor_flash {
  public:
    nor_flash(const nor_shape &shape, uint32_t seed) : shape_(shape), dice_(seed) {
        for (page &p : pages_) {
            // A factory leaves what it likes: here, what an older firmware left.
            p.now = p.other = std::vector<uint8_t>(shape.page_bytes, seed % 2 == 0 ? 0xff : 0x5a);
            p.is_touched.assign(shape.page_bytes / shape.unit_bytes, seed % 2 != 0);
        }
        driver_ = {this, shape.page_bytes, shape.unit_bytes, erase, program, read};
    }
    nor_flash(const nor_flash &) = delete;
    nor_flash &operator=(const nor_flash &) = delete;

    size_t steps = 0;           // programs and erases since power came
    size_t cut_step = SIZE_MAX; // during which of them power goes
    size_t cut_kind = 0;        // in which way
    size_t erases = 0;
    bool has_power = true;
    std::string wrong; // the first thing that a driver must not be asked for

    const sotto_flash_driver *driver() const { return &driver_; }
    void switch_on() {
        has_power = true;
        steps = 0;
        cut_step = SIZE_MAX;
        for (page &p : pages_) {
            static constexpr std::array<uint32_t, 6> likely = {0, 1, 20, 500, 980, 1000};
            p.likely_per_mille = likely[dice_() % likely.size()];
            p.seed = static_cast<uint32_t>(dice_());
        }
    }

  private:
    // A bit on which `now` and `other` differ is under way.
    struct page {
        std::vector<uint8_t> now, other;
        std::vector<bool> is_touched; // by unit, since it was erased
        uint32_t likely_per_mille = 500, seed = 0;
    };

    static bool is_cut(nor_flash &self) {
        self.has_power = self.steps++ != self.cut_step;
        return !self.has_power;
    }
    static sotto_status erase(void *context, uint32_t number) {
        nor_flash &self = *static_cast<nor_flash *>(context);
        if (!self.has_power) {
            return SOTTO_ERR_STORAGE;
        }
        page &p = self.pages_[number];
        if (is_cut(self)) {
            self.leave_half_erased(p);
            return SOTTO_ERR_STORAGE;
        }
        ++self.erases;
        std::fill(p.now.begin(), p.now.end(), uint8_t{0xff});
        p.other = p.now;
        std::fill(p.is_touched.begin(), p.is_touched.end(), false);
        return SOTTO_OK;
    }
    // Parts erase one sector behind the other, or program all bits before they erase them.
    void leave_half_erased(page &p) const {
        const auto half = static_cast<ptrdiff_t>(p.now.size() / 2);
        switch (cut_kind % 4) {
        case 0:
            std::fill(p.other.begin(), p.other.end(), uint8_t{0xff});
            break;
        case 1:
            std::fill(p.now.begin(), p.now.begin() + half, uint8_t{0xff});
            std::fill(p.other.begin(), p.other.begin() + half, uint8_t{0xff});
            break;
        case 2:
            std::fill(p.other.begin(), p.other.end(), uint8_t{0});
            break;
        default:
            std::fill(p.now.begin(), p.now.end(), uint8_t{0});
            std::fill(p.other.begin(), p.other.end(), uint8_t{0xff});
        }
        p.is_touched.assign(p.is_touched.size(), true);
    }
    static sotto_status program(void *context, uint32_t number, uint32_t offset,
                                const uint8_t *unit) {
        nor_flash &self = *static_cast<nor_flash *>(context);
        const uint32_t size = self.shape_.unit_bytes;
        if (!self.has_power) {
            return SOTTO_ERR_STORAGE;
        }
        if (number > 1 || offset % size != 0 || offset >= self.shape_.page_bytes) {
            self.wrong = "a program outside of the pages";
            return SOTTO_ERR_STORAGE;
        }
        page &p = self.pages_[number];
        const bool is_zeros = std::all_of(unit, unit + size, [](uint8_t b) { return b == 0; });
        if (p.is_touched[offset / size] && !self.may_program(p, offset, is_zeros)) {
            return SOTTO_ERR_STORAGE;
        }
        p.is_touched[offset / size] = true;
        const bool ends = is_cut(self);
        for (uint32_t i = offset; i < offset + size; ++i) {
            p.other[i] = static_cast<uint8_t>(p.other[i] & unit[i - offset]);
            p.now[i] = ends ? p.now[i] : static_cast<uint8_t>(p.now[i] & unit[i - offset]);
        }
        return ends ? SOTTO_ERR_STORAGE : SOTTO_OK;
    }
    // A unit with a bit that is 0 for certain was programmed, and seen to be.
    bool may_program(const page &p, uint32_t offset, bool is_zeros) {
        for (uint32_t i = offset; i < offset + shape_.unit_bytes; ++i) {
            if ((p.now[i] | p.other[i]) != 0xff) {
                wrong = "a unit was programmed twice";
            }
        }
        return shape_.takes == over_torn::anything ||
               (is_zeros && shape_.takes == over_torn::zeros);
    }
    static sotto_status read(void *context, uint32_t number, uint32_t offset, uint8_t *bytes,
                             size_t length_bytes) {
        nor_flash &self = *static_cast<nor_flash *>(context);
        if (!self.has_power) {
            return SOTTO_ERR_STORAGE;
        }
        if (number > 1 || offset + length_bytes > self.shape_.page_bytes) {
            self.wrong = "a read outside of the pages";
            return SOTTO_ERR_STORAGE;
        }
        for (size_t i = 0; i < length_bytes; ++i) {
            bytes[i] = self.look(self.pages_[number], offset + i);
        }
        return SOTTO_OK;
    }
    uint8_t look(const page &p, size_t at) {
        const auto open = static_cast<uint8_t>(p.now[at] ^ p.other[at]);
        uint8_t taken = 0;
        if (open != 0) {
            std::minstd_rand bits(shape_.flickers_on_reads
                                      ? static_cast<uint32_t>(dice_())
                                      : p.seed + static_cast<uint32_t>(at) * 0x9e3779b9u);
            bits.discard(3);
            for (unsigned bit = 0; bit < 8; ++bit) {
                taken |= static_cast<uint8_t>((bits() / 7 % 1000 < p.likely_per_mille) << bit);
            }
        }
        return static_cast<uint8_t>(p.now[at] ^ (open & taken));
    }

    nor_shape shape_;
    sotto_flash_driver driver_{};
    std::array<page, 2> pages_;
    std::mt19937 dice_;
};

#endif
