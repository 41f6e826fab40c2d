// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/row_list.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace sotto::aggregator {
namespace {

constexpr std::size_t piece_rows_min = 16, piece_rows_max = 512;
constexpr std::size_t split_rows = 4096; // fewer need no buckets
constexpr std::size_t few_rows = 256;    // are not worth counting digits

// Sorting moves this about in place of a row.
struct key {
    std::uint64_t hash;
    const std::uint8_t *row;
};

// The lower bits of a hash are left to comparisons: few keys get that far.
constexpr unsigned digit_shifts[] = {40, 48, 56};
constexpr std::size_t digit_values = 256;

std::size_t digit(const key &k, unsigned shift) { return k.hash >> shift & (digit_values - 1); }

bool same_digits(const key &a, const key &b) {
    return a.hash >> digit_shifts[0] == b.hash >> digit_shifts[0];
}

// From the least digit to the highest, each keeping the order of the ones before.
void radix_sort(std::vector<key> &keys, std::vector<key> &other) {
    other.resize(keys.size());
    for (const unsigned shift : digit_shifts) {
        std::array<std::uint32_t, digit_values> at = {};
        for (const key &k : keys) {
            ++at[digit(k, shift)];
        }
        if (at[digit(keys.front(), shift)] == keys.size()) {
            continue; // the same in all
        }
        std::exclusive_scan(at.begin(), at.end(), at.begin(), std::uint32_t{0});
        for (const key &k : keys) {
            other[at[digit(k, shift)]++] = k;
        }
        keys.swap(other);
    }
}

} // namespace

template <typename Visit> void row_list::for_each_piece(const bucket &in, Visit visit) {
    const std::uint8_t *end = in.at;
    for (piece *part = in.newest; part != nullptr; part = part->older) {
        visit(reinterpret_cast<const std::uint8_t *>(part + 1),
              part == in.newest ? end : static_cast<const std::uint8_t *>(part->end));
    }
}

class row_list::sorter {
  public:
    explicit sorter(std::size_t width) : width_(width) {}

    std::span<std::uint8_t> sort(const bucket &rows) {
        keys_.clear();
        for_each_piece(rows, [&](const std::uint8_t *row, const std::uint8_t *end) {
            for (; row != end; row += width_) {
                keys_.push_back({get_big_endian<std::uint64_t>(row + 4), row});
            }
        });
        if (keys_.size() < few_rows) {
            sort_by_comparing(keys_.begin(), keys_.end());
        } else {
            radix_sort(keys_, other_);
            for (auto begin = keys_.begin(); begin != keys_.end();) {
                auto end = begin + 1;
                while (end != keys_.end() && same_digits(*begin, *end)) {
                    ++end;
                }
                sort_by_comparing(begin, end);
                begin = end;
            }
        }
        sorted_.resize(std::max(sorted_.size(), keys_.size() * width_));
        std::uint8_t *place = sorted_.data();
        for (const key &k : keys_) {
            std::memcpy(place, k.row, width_);
            place += width_;
        }
        return std::span(sorted_).first(keys_.size() * width_);
    }

  private:
    void sort_by_comparing(std::vector<key>::iterator begin, std::vector<key>::iterator end) const {
        if (end - begin < 2) {
            return;
        }
        std::sort(begin, end, [&](const key &a, const key &b) {
            return a.hash != b.hash ? a.hash < b.hash : std::memcmp(a.row, b.row, width_) < 0;
        });
    }

    std::size_t width_;
    std::vector<key> keys_, other_;
    std::vector<std::uint8_t> sorted_;
};

row_list::bucket &row_list::grow(std::uint64_t hash) {
    if (here_->buckets.size() == 1 && here_->capacity >= split_rows) {
        split();
        bucket &room = here_->bucket_of(hash);
        if (room.at != room.end) {
            return room;
        }
    }
    bucket &room = here_->bucket_of(hash);
    std::size_t rows = piece_rows_min;
    if (room.newest != nullptr) {
        const auto *full = reinterpret_cast<const std::uint8_t *>(room.newest + 1);
        rows = std::min(2 * static_cast<std::size_t>(room.end - full) / width_, piece_rows_max);
    }
    std::uint8_t *memory = memory_.take(sizeof(piece) + rows * width_);
    room.at = memory + sizeof(piece);
    room.end = room.at + rows * width_;
    room.newest = new (memory) piece{room.newest, room.end};
    here_->capacity += rows;
    return room;
}

void row_list::split() {
    const bucket whole = here_->buckets.front();
    here_->buckets.assign(std::size_t{1} << bucket_bits, {});
    here_->mask = here_->buckets.size() - 1;
    for_each_piece(whole, [&](const std::uint8_t *row, const std::uint8_t *end) {
        for (; row != end; row += width_) {
            --size_;
            add(row_view(row, width_));
        }
    });
}

void row_list::clear() {
    epochs_.clear();
    here_ = nullptr;
    memory_.clear();
    size_ = 0;
}

void row_list::for_each_sorted(const std::function<void(std::span<std::uint8_t>)> &visit) const {
    sorter some(width_);
    for (const auto &[epoch, rows] : epochs_) {
        for (const bucket &b : rows.buckets) {
            if (b.newest != nullptr) {
                visit(some.sort(b));
            }
        }
    }
}

} // namespace sotto::aggregator
