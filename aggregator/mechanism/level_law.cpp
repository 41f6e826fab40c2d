// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/level_law.hpp"

namespace sotto::aggregator {
namespace {

using named = std::vector<named_probability>;

struct namer {
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
    named operator()(number_law &law) const { return {{"nonzero", &law.nonzero}}; }
};

} // namespace

double flip_of(const level_law &law) { return std::get<flip_law>(law).flip; }

double keep_of(const level_law &law) { return std::get<keep_law>(law).keep; }

double unit_epsilon_of(const level_law &law) { return std::get<number_law>(law).unit_epsilon; }

double permanent_flip_of(const level_law &law) {
    const auto *permanent = std::get_if<permanent_law>(&law);
    return permanent == nullptr ? 0 : permanent->permanent_flip;
}

named probabilities_of(level_law &law) { return std::visit(namer{}, law); }

} // namespace sotto::aggregator
