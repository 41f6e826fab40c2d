// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/epsilon_theft.hpp"

#include "aggregator/base/numbers.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/promise/epsilon_events.hpp"
#include "aggregator/promise/event_words.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

bool secret_tells(const metric &m) { return mechanism_of(m).remembered(m).has_value(); }

std::string theft_text(const metric &m) {
    switch (protects(m)) {
    case protected_unit::event:
        return theft_of_events(m);
    case protected_unit::value:
    case protected_unit::source:
        break;
    }
    std::string text = fmt::format(
        "  Who takes the device learns each open release as it stands at the top, noised: epsilon "
        "{} at most.\n",
        rounded_up(m.open_release.value));
    if (secret_tells(m)) {
        text += "  With the device secret the permanent noise comes off, and a dictionary can be "
                "tried on the value tags. Values that can be guessed are found, those of closed "
                "releases too.\n";
    }
    return text;
}

} // namespace sotto::aggregator
