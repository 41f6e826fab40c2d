// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_CURSOR_HPP
#define SOTTO_AGGREGATOR_REPORT_CURSOR_HPP

#include "aggregator/base/little_endian.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

// Protobuf, read without an allocation or an exception.
namespace sotto::aggregator::wire {

// The lowest three bits of a field's key.
enum wire_type : std::uint8_t { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 };

// The first byte of a field below 16.
constexpr std::uint8_t key(unsigned field, wire_type type) {
    return static_cast<std::uint8_t>(field << 3 | type);
}

// Reads on in a message; once something was broken, `sound` is false and the values mean nothing.
class cursor {
  public:
    explicit cursor(std::span<const std::uint8_t> bytes)
        : at_(bytes.data()), end_(at_ + bytes.size()) {}

    bool at_end() const { return at_ == end_; }
    // Never at the end, and only an empty message is null.
    std::uint8_t byte() { return *at_++; } // NOLINT(clang-analyzer-core.NullDereference)
    const std::uint8_t *here() const { return at_; }
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    void skip(std::size_t size) { at_ += size; }

    // A varint of at most 32 bits.
    std::uint32_t word() {
        if (at_ != end_ && *at_ < 0x80) [[likely]] {
            return *at_++;
        }
        const std::uint64_t value = long_varint();
        sound = sound && value <= 0xffffffff;
        return static_cast<std::uint32_t>(value);
    }

    // Skips varints that are zero, at most so many. Returns how many.
    std::size_t zeros(std::size_t most) {
        const std::uint8_t *const first = at_, *const stop = at_ + std::min(most, left());
        while (stop - at_ >= 8) { // eight at a time
            const auto eight = get_little_endian<std::uint64_t>(at_);
            if (eight != 0) {
                at_ += std::countr_zero(eight) / 8;
                return static_cast<std::size_t>(at_ - first);
            }
            at_ += 8;
        }
        while (at_ != stop && *at_ == 0) {
            ++at_;
        }
        return static_cast<std::size_t>(at_ - first);
    }

    // Four bytes, little-endian; 0 where there are fewer.
    std::uint32_t fixed() {
        const std::uint8_t *here = take(4);
        return here != nullptr ? get_little_endian(here) : 0;
    }

    // Bytes after their length as a varint; none where there are fewer.
    std::span<const std::uint8_t> bytes() {
        const bool is_short = at_ != end_ && *at_ < 0x80;
        const std::uint64_t size = is_short ? *at_++ : long_varint();
        return take_bytes(size);
    }

    // So many bytes; none where there are fewer.
    std::span<const std::uint8_t> take_bytes(std::size_t size) {
        const std::uint8_t *here = take(size);
        return here != nullptr ? std::span(here, size) : std::span<const std::uint8_t>();
    }

    // Reads past a first byte that is no key of this message. True when it is at least a field that
    // could belong to a later version; no message has as many as `fields`.
    bool unknown_field(std::uint8_t first, unsigned fields) {
        std::uint64_t whole = first & 0x7f;
        if (first >= 0x80) {
            whole |= long_varint() << 7;
        }
        const std::uint64_t number = whole >> 3;
        // A known field in another wire type is broken; with a key longer than it needs, not ours.
        if (number == 0 || number > 0x1fffffff || (number < fields && first < 0x80)) {
            sound = false;
        }
        switch (whole & 7) {
        case wire_type::varint:
            (void)long_varint();
            break;
        case wire_type::fixed64:
            (void)take(8);
            break;
        case wire_type::delimited:
            (void)bytes();
            break;
        case wire_type::fixed32:
            (void)take(4);
            break;
        default:
            sound = false;
        }
        return sound;
    }

    bool sound = true;
    bool is_shortest = true; // each varint so far

  private:
    std::uint64_t long_varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
            const std::uint8_t next = *at_++;
            if (shift == 63 && next > 1) {
                break; // more than 64 bits
            }
            value |= std::uint64_t{next & 0x7fU} << shift;
            if (next < 0x80) {
                is_shortest = is_shortest && (next != 0 || shift == 0);
                return value;
            }
        }
        fail();
        return 0;
    }

    const std::uint8_t *take(std::uint64_t size) {
        if (static_cast<std::uint64_t>(end_ - at_) < size) {
            fail();
            return nullptr;
        }
        const std::uint8_t *here = at_;
        at_ += size;
        return here;
    }

    void fail() {
        sound = false;
        at_ = end_;
    }

    const std::uint8_t *at_, *end_;
};

} // namespace sotto::aggregator::wire
#endif
