// SPDX-License-Identifier: Apache-2.0
// libFuzzer's own edits, of the target's seeds now and then: no corpus has to be kept.
#include "target.hpp"

#include <algorithm>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    static const std::vector<std::string> texts = seeds();
    if (size <= 1 || seed % 256 == 0) {
        const std::string &text = texts[seed / 256 % texts.size()];
        size = std::min(text.size(), max_size);
        std::copy_n(text.begin(), size, data);
    }
    return LLVMFuzzerMutate(data, size, max_size);
}
