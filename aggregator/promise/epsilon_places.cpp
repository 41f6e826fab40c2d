// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/epsilon_places.hpp"

#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

std::string move_in_words(const metric &m) {
    const point_moves by = *mechanism_of(m).moves(m);
    const std::string apart = counted(by.delta, by.unit) + " apart at most" +
                              (by.axes > 1 ? " in each of its numbers" : "");
    return by.sources == 1 ? "any two places of a point that are " + apart
                           : fmt::format("any two places of each of a source's {} points that "
                                         "are {}",
                                         by.sources, apart);
}

// A long way is made of steps of delta (Lemma 1); what is published bounds it, too.
std::string places_text(const metric &m) {
    const point_moves by = *mechanism_of(m).moves(m);
    const std::uint32_t steps = (by.width + by.delta - 1) / by.delta;
    return fmt::format(
        "  A point that moves further loses this for every {} of the way. From end to end{} "
        "there are {} steps, epsilon {}; by all that is published, {} at most.\n"
        "  Not hidden: how many points there are. The gateway is trusted with all points: it has "
        "them before they are counted, and epsilon holds against all who see its reports.\n",
        counted(by.delta, by.unit), by.axes > 1 ? " of both numbers" : "", steps,
        rounded_up(steps * m.joint.value), rounded_up(by.whole * m.joint.value));
}

} // namespace sotto::aggregator
