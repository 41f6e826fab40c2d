// SPDX-License-Identifier: Apache-2.0
#include "mechanism/bits.hpp"
#include "mechanism/code.hpp"
#include "mechanism/table_check.hpp"

namespace sotto {
namespace {

size_t step_bytes(const sotto_metric &m, uint32_t step) {
    return forward_bits_bytes(m.forward.bits[step]);
}

uint32_t draw_step(const sotto_metric &m, uint32_t step, uint32_t index, uint32_t last,
                   uint32_t true_word, const uint8_t *random) {
    const uint32_t kept =
        m.code->shows == shown::bits ? members_of_word(m.code->size(m), index) : 1;
    return forward_bits(m.forward.bits[step], last, true_word, random) & kept;
}

bool are_steps(const sotto_metric &m) {
    for (uint8_t i = 0; m.forward.bits != nullptr && i < m.forward_count; ++i) {
        if (!are_channels(m.forward.bits[i].given, 2)) {
            return false;
        }
    }
    return m.forward.bits != nullptr;
}

} // namespace
} // namespace sotto

const sotto_forward_code sotto_forward_code_bits = {sotto::steps::bits, sotto::step_bytes,
                                                    sotto::draw_step, sotto::are_steps};
