// SPDX-License-Identifier: Apache-2.0
// libFuzzer's own edits, of the target's seeds now and then: no corpus has to be kept.
#include "target.hpp"

#include <algorithm>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    static const std::vector<std::string> all = seeds();
    if (size <= 1 || seed % 256 == 0) {
        const std::string &one = all[seed / 256 % all.size()];
        size = std::min(one.size(), max_size);
        std::copy_n(one.begin(), size, data);
    }
    return LLVMFuzzerMutate(data, size, max_size);
}
