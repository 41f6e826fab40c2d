// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_SLABS_HPP
#define SOTTO_AGGREGATOR_BASE_SLABS_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace sotto::aggregator {

// Memory that is handed out piece by piece and taken back all at once. It comes from the system in
// slabs that grow; a large one takes few, large pages, and what was not handed out takes none.
class slabs {
  public:
    // Begins where a cache line does. Not cleared. Errors: std::bad_alloc.
    std::uint8_t *take(std::size_t bytes);
    std::size_t taken_bytes() const { return taken_bytes_; }
    void clear();

  private:
    struct freer {
        void operator()(std::uint8_t *bytes) const { std::free(bytes); }
    };

    std::vector<std::unique_ptr<std::uint8_t[], freer>> slabs_;
    std::size_t slab_bytes_ = 0; // the last slab's
    std::size_t used_bytes_ = 0; // in the last slab
    std::size_t taken_bytes_ = 0;
};

} // namespace sotto::aggregator
#endif
