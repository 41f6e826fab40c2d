// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/epsilon_theft.hpp"

#include "aggregator/program/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {

double open_release_loss(const metric &m) {
    if (const auto *t = std::get_if<rappor_table>(&m.table)) {
        // The permanent bits of the highest level, from which every report of it is drawn.
        const double flip = m.law(m.level_count() - 1).permanent_flip;
        return 2 * std::max<int>(1, t->hashes) * std::log((1 - flip) / flip);
    }
    if (const auto *t = std::get_if<laplace_threshold_table>(&m.table)) {
        // The number on the grid, of which the published bit says a part only. nonzero is
        // 2q / (1 + q).
        const double nonzero =
            std::ldexp(static_cast<double>(t->lattice.noise.back().nonzero), -64);
        return t->grid * std::log((2 - nonzero) / nonzero);
    }
    return m.forward.empty() ? m.joint.value : m.forward.back().joint.value;
}

bool secret_tells(const metric &m) {
    const auto *t = std::get_if<rappor_table>(&m.table);
    return t != nullptr && !t->protects_sequence;
}

std::string theft_text(const metric &m) {
    std::string text = fmt::format(
        "  Who takes the device learns each open release as it stands at the top, noised: epsilon "
        "{} at most.\n",
        rounded_up(open_release_loss(m)));
    if (secret_tells(m)) {
        text += "  With the device secret the permanent noise comes off, and a dictionary can be "
                "tried on the value\n  tags: values that can be guessed are found, those of closed "
                "releases too.\n";
    }
    return text;
}

} // namespace sotto::aggregator
