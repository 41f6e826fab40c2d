// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/level_law.hpp"

#include <cmath>

namespace sotto::aggregator {
namespace {

using named = std::vector<law_number>;

struct probability_namer {
    named operator()(flip_law &law) const { return {{"flip", &law.flip}}; }
    named operator()(keep_law &law) const { return {{"keep", &law.keep}}; }
    named operator()(bit_channel &law) const {
        return {{"one_if_zero", &law.one_if_zero}, {"one_if_one", &law.one_if_one}};
    }
    named operator()(permanent_law &law) const {
        return {{"one_if_zero", &law.one_if_zero},
                {"one_if_one", &law.one_if_one},
                {"permanent_flip", &law.permanent_flip}};
    }
    named operator()(two_keeps_law &law) const {
        return {{"keep", &law.keep}, {"permanent_keep", &law.permanent_keep}};
    }
    named operator()(number_law &law) const { return {{"nonzero", &law.nonzero}}; }
    named operator()(table_law &law) const {
        return {{"least_kept", &law.least_kept}, {"most_kept", &law.most_kept}};
    }
    named operator()(steps_law &) const { return {}; }
};

struct parameter_namer {
    named operator()(auto &) const { return {}; }
    named operator()(number_law &law) const { return {{"unit_epsilon", &law.unit_epsilon}}; }
    named operator()(steps_law &law) const { return {{"step_epsilon", &law.step_epsilon}}; }
};

// A permanent answer is another hash value with (1 - keep) / size. Over keep^2 that is the variance
// of a debiased one. A flip f has f (1 - f) / (1 - 2f)^2.
double flip_like(const two_keeps_law &law) {
    const double variance =
        (1 - law.permanent_keep) / law.size / (law.permanent_keep * law.permanent_keep);
    return (1 - 1 / std::sqrt(1 + 4 * variance)) / 2;
}

} // namespace

double flip_of(const level_law &law) { return std::get<flip_law>(law).flip; }

double keep_of(const level_law &law) { return std::get<keep_law>(law).keep; }

double unit_epsilon_of(const level_law &law) { return std::get<number_law>(law).unit_epsilon; }

double permanent_flip_of(const level_law &law) {
    if (const auto *keeps = std::get_if<two_keeps_law>(&law)) {
        return flip_like(*keeps);
    }
    const auto *permanent = std::get_if<permanent_law>(&law);
    return permanent == nullptr ? 0 : permanent->permanent_flip;
}

std::optional<double> released_flip(const level_law &law) {
    const auto *bit = std::get_if<flip_law>(&law);
    return bit == nullptr ? std::nullopt : std::optional(bit->flip);
}

named probabilities_of(level_law &law) { return std::visit(probability_namer{}, law); }

named parameters_of(level_law &law) { return std::visit(parameter_namer{}, law); }

} // namespace sotto::aggregator
