// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/epsilon_places.hpp"

#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

std::string move_in_words(const metric &m) {
    const sums_over_places *shape = mechanism_of(m).over_places(m);
    const std::string apart = counted(shape->delta, shape->unit()) + " apart at most" +
                              (shape->axes > 1 ? " in each of its numbers" : "");
    return shape->sources == 1 ? "any two places of a point that are " + apart
                               : fmt::format("any two places of each of a source's {} points that "
                                             "are {}",
                                             shape->sources, apart);
}

// A long way is made of steps of delta (Lemma 1); rows that don't change any more bound it, too.
std::string places_text(const metric &m) {
    const sums_over_places *shape = mechanism_of(m).over_places(m);
    const std::uint32_t width = shape->places - 1;
    const std::uint32_t steps = (width + shape->delta - 1) / shape->delta;
    const double change = static_cast<double>(shape->sensitivity(width)) /
                          static_cast<double>(shape->sensitivity(shape->delta));
    return fmt::format(
        "  A point that moves further loses this for every {} of the way. From end to end{} "
        "there are {} steps, epsilon {}; as the rows are made, {} at most.\n"
        "  Not hidden: how many points there are. The gateway is trusted with all points: it has "
        "them before they are counted, and epsilon holds against all who see its reports.\n",
        counted(shape->delta, shape->unit()), shape->axes > 1 ? " of both numbers" : "", steps,
        rounded_up(steps * m.joint.value), rounded_up(change * m.joint.value));
}

} // namespace sotto::aggregator
