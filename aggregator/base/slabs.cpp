// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/slabs.hpp"

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace sotto::aggregator {
namespace {

constexpr std::size_t line_bytes = 64, page_bytes = std::size_t{1} << 21; // a large page
constexpr std::size_t first_bytes = std::size_t{1} << 14, last_bytes = std::size_t{1} << 25;

std::size_t rounded_up(std::size_t bytes, std::size_t multiple) {
    return (bytes + multiple - 1) / multiple * multiple;
}

} // namespace

std::uint8_t *slabs::take(std::size_t bytes) {
    bytes = rounded_up(bytes, line_bytes);
    if (slab_bytes_ - used_bytes_ < bytes) {
        const std::size_t next = std::clamp(2 * slab_bytes_, first_bytes, last_bytes);
        const std::size_t size = rounded_up(std::max(next, bytes), line_bytes);
        const bool large = size >= page_bytes;
        auto *slab =
            static_cast<std::uint8_t *>(std::aligned_alloc(large ? page_bytes : line_bytes, size));
        if (slab == nullptr) {
            throw std::bad_alloc();
        }
        slabs_.emplace_back(slab);
        if (large) {
            (void)madvise(slab, size, MADV_HUGEPAGE); // filling it takes much less time
        }
        slab_bytes_ = size;
        used_bytes_ = 0;
    }
    std::uint8_t *taken = slabs_.back().get() + used_bytes_;
    used_bytes_ += bytes;
    taken_bytes_ += bytes;
    return taken;
}

void slabs::clear() {
    slabs_.clear();
    slab_bytes_ = used_bytes_ = taken_bytes_ = 0;
}

} // namespace sotto::aggregator
