// SPDX-License-Identifier: Apache-2.0
#include "mechanism/every_code.hpp"

#include "mechanism/code.hpp"

namespace sotto {

const sotto_code *code_of(uint8_t mechanism) {
    static const sotto_code *const codes[] = {&sotto_code_randomized_response,
                                              &sotto_code_laplace_threshold,
                                              &sotto_code_k_randomized_response,
                                              &sotto_code_optimized_unary,
                                              &sotto_code_unary,
                                              &sotto_code_rappor,
                                              &sotto_code_basic_rappor,
                                              &sotto_code_discrete_laplace,
                                              &sotto_code_one_bit_mean,
                                              &sotto_code_noised_sum,
                                              &sotto_code_exponential,
                                              &sotto_code_noised_points,
                                              &sotto_code_window_response,
                                              &sotto_code_hashed,
                                              &sotto_code_inverse_sensitivity,
                                              &sotto_code_design,
                                              &sotto_code_sorted_points,
                                              &sotto_code_window_mean,
                                              &sotto_code_pad_and_sample};
    for (const sotto_code *code : codes) {
        if (code->mechanism == mechanism) {
            return code;
        }
    }
    return nullptr;
}

const sotto_forward_code *forward_code_of(uint8_t mechanism) {
    static const sotto_forward_code *const codes[] = {
        &sotto_forward_code_bits, &sotto_forward_code_category, &sotto_forward_code_laplace,
        &sotto_forward_code_design, &sotto_forward_code_window_mean};
    const sotto_code *const row = code_of(mechanism);
    for (const sotto_forward_code *code : codes) {
        if (row != nullptr && code->kind == row->forward) {
            return code;
        }
    }
    return nullptr;
}

} // namespace sotto
