// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/event_words.hpp"

#include "aggregator/base/columns.hpp"
#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/promise/epsilon_events.hpp"
#include "aggregator/promise/epsilon_promise.hpp"

#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::size_t ages_shown_max = 24;
constexpr double bar_width = 30;

} // namespace

std::string event_in_words(const metric &m) {
    return fmt::format("one event of at most {}",
                       counted(mechanism_of(m).over_time(m)->event, "unit"));
}

std::string promise_of_events(const metric &m) {
    const double epsilon = m.joint.value;
    return fmt::format(
        "  Promised for each event: whether {} happened changes the odds of all that is ever "
        "published by a factor of at most {}.\n"
        "  This holds against everyone who sees all reports of the device, whatever else they "
        "know.\n"
        "  Protected is one event, and no person's day: k events lose k times as much together, "
        "10 of them epsilon {}. An event that two counters count loses both.\n"
        "  The noise is pseudo-random: this holds against everyone who can't break AES-128, "
        "ChaCha20 or SHA-256.\n"
        "  Not promised: that events happen at all, over years, is in the sums. The fact and the "
        "time of a report are not hidden; they follow from epochs, resets and budgets.\n",
        event_in_words(m), odds(epsilon), rounded_up(10 * epsilon));
}

std::string theft_of_events(const metric &m) {
    return fmt::format("  Who takes the device learns the rows that are open, noised: with all "
                       "that is published epsilon {} at most of each event before. Events after a "
                       "look are exact to the thief, until {}.\n",
                       rounded_up(m.open_release.value),
                       mechanism_of(m).over_time(m)->is_pan_private() ? "the epoch ends"
                                                                      : "sotto_reopen() is called");
}

std::string ages_text(const metric &m) {
    if (!mechanism_of(m).over_time(m)->is_decayed()) {
        return "";
    }
    const std::vector<loss_by_age> losses = losses_by_age(m);
    const std::size_t step = (losses.size() - 1) / ages_shown_max + 1;
    std::vector<std::vector<std::string>> table = {{"  age", "epsilon of an event", "share"}};
    const auto add = [&](const loss_by_age &loss) {
        const double share = loss.epsilon / losses.back().epsilon;
        table.push_back(
            {fmt::format("  {}", loss.age), rounded_up(loss.epsilon),
             std::string(static_cast<std::size_t>(std::lround(bar_width * share)), '#')});
    };
    for (std::size_t i = 0; i + 1 < losses.size(); i += step) {
        add(losses[i]);
    }
    add(losses.back());
    return aligned(table) + "  An event of that age, in epochs, has lost so much to all that was "
                            "published by then; the last line is all it ever loses.\n";
}

} // namespace sotto::aggregator
