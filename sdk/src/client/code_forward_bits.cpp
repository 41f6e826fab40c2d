// SPDX-License-Identifier: Apache-2.0
#include "client/table_check.hpp"
#include "mechanism/code.hpp"
#include "mechanism/draws.hpp"

namespace sotto {
namespace {

bool is_of_bits(uint8_t mechanism) {
    switch (mechanism) {
    case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
    case SOTTO_MECHANISM_ONE_BIT_MEAN:
    case SOTTO_MECHANISM_OPTIMIZED_UNARY:
    case SOTTO_MECHANISM_UNARY:
    case SOTTO_MECHANISM_RAPPOR:
    case SOTTO_MECHANISM_BASIC_RAPPOR:
        return true;
    default:
        return false;
    }
}

bool are_forward_bits(const sotto_metric &m) {
    for (uint8_t i = 0; m.forward.bits != nullptr && i < m.forward_count; ++i) {
        if (!are_channels(m.forward.bits[i].given, 2)) {
            return false;
        }
    }
    return m.forward.bits != nullptr && is_of_bits(m.mechanism);
}

} // namespace
} // namespace sotto

using namespace sotto;

const sotto_forward_code sotto_forward_code_bits = {forward_bits_bytes, draw_forward_bits,
                                                    are_forward_bits};
