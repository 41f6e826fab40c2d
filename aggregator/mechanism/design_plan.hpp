// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_DESIGN_PLAN_HPP
#define SOTTO_AGGREGATOR_MECHANISM_DESIGN_PLAN_HPP

#include "aggregator/mechanism/plan_option.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace sotto::aggregator {

// A difference set by its parameters: `width` of `answers` support a category.
struct design_shape {
    std::uint32_t answers = 0, width = 0;

    bool operator==(const design_shape &) const = default;
};

// The one that tools/registry/design.py chooses; nothing where there is none.
std::optional<design_shape> best_design(std::uint32_t categories, double epsilon);

// A category by design response: one way, or none.
std::vector<plan_option> design_options(const plan_request &request, double epsilon);

} // namespace sotto::aggregator
#endif
