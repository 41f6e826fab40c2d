// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/epsilon_promise.hpp"

#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/promise/epsilon_events.hpp"
#include "aggregator/promise/epsilon_places.hpp"
#include "aggregator/promise/epsilon_spending.hpp"
#include "aggregator/promise/event_words.hpp"

#include "sotto/registry.h"

#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace sotto::aggregator {

std::string odds(double epsilon) {
    const double factor = std::exp(epsilon);
    const std::string power = "e^" + rounded_up(epsilon);
    return factor < 1e7 ? fmt::format("{:.10g} ({})", ceiling(factor, 100), power) : power;
}

namespace {

std::string any_two_numbers(const metric &m, const number_range &range) {
    if (m.type != SOTTO_TYPE_VECTOR) {
        return fmt::format("any two {} from {} to {}",
                           m.type == SOTTO_TYPE_INTEGER ? "integers" : "numbers", range.min,
                           range.max);
    }
    return fmt::format("any two {}vectors of {} numbers from {} to {}",
                       range.l1_half ? "clipped " : "", m.value_size(), range.min, range.max);
}

std::string clipping(const metric &m) {
    const std::optional<number_range> range = m.range();
    return range && range->l1_half
               ? fmt::format("  A vector is first clipped until its distances from the middle add "
                             "up to {} at most.\n",
                             *range->l1_half)
               : "";
}

std::string any_two_values(const metric &m) {
    switch (m.type) {
    case SOTTO_TYPE_BOOLEAN:
        return "true and false";
    case SOTTO_TYPE_CATEGORY:
        return fmt::format("any two of the {} categories", grouped(m.value_size()));
    case SOTTO_TYPE_SET:
        return fmt::format("any two sets of at most {} of the {} members",
                           mechanism_of(m).published(m).max_members, m.value_size());
    case SOTTO_TYPE_STRING:
        return "any two strings";
    case SOTTO_TYPE_INTEGER:
    case SOTTO_TYPE_VECTOR:
    case SOTTO_TYPE_MEAN:
    case SOTTO_TYPE_DISTRIBUTION:
        return any_two_numbers(m, *m.range());
    default:
        throw std::logic_error("a type whose values have no words");
    }
}

// "1.2 for 2", "3.4 for 10", ...
std::vector<std::string> by_count(const repeated_loss &r) {
    std::vector<std::string> parts;
    for (std::size_t k = 1; k < r.counts.size(); ++k) {
        parts.push_back(fmt::format("{} for {}", rounded_up(r.after[k].value), r.counts[k]));
    }
    return parts;
}

// It is about values or hash values.
std::string remembered_text(const metric &m, std::uint32_t remembered) {
    if (!mechanism_of(m).words(m).remembers_hashes) {
        return fmt::format(
            "  This holds for each of at most {} that one device ever reports; for later ones it "
            "reports a dummy.\n  When a value changed is not hidden.\n",
            counted(remembered, "value"));
    }
    return fmt::format(
        "  Same value means same hash value: a device has {} at most, so that its whole life loses "
        "epsilon {} at most.\n  When a hash value changed is not hidden: this compares lives whose "
        "hash values are equal at the same times.\n",
        remembered, rounded_up(remembered * m.levels.back().repeated->infinity->value));
}

} // namespace

std::string repeats(const metric &m) {
    const auto remembered = mechanism_of(m).remembered(m);
    if (!remembered) {
        return "  Nothing is remembered: every report costs this again, whether or not the value "
               "is the same.\n";
    }
    std::string text =
        "  Reports of a value that comes again count together: one of them, beside the "
        "others, can say more than that.\n";
    for (std::size_t i = 0; i < m.level_count(); ++i) {
        const repeated_loss &r =
            i < m.levels.size() ? *m.levels[i].repeated : *m.forward[i - m.levels.size()].repeated;
        std::vector<std::string> parts = by_count(r);
        if (r.infinity) {
            parts.push_back(fmt::format("{} however many", rounded_up(r.infinity->value)));
        }
        text += fmt::format("  Reports of the same value, all at level {}, together: epsilon {}.\n",
                            i, joined(parts));
    }
    if (m.repeated && m.levels.size() > 1) {
        text += fmt::format("  Each of them relaxed to every level up to {}: epsilon {}.\n",
                            m.levels.size() - 1, joined(by_count(*m.repeated)));
    }
    for (std::size_t i = 0; i < m.forward.size(); ++i) {
        text += fmt::format("  Each of them relaxed to every level up to {}: epsilon {}.\n",
                            m.levels.size() + i, joined(by_count(*m.forward[i].repeated_joint)));
    }
    return text + remembered_text(m, *remembered);
}

namespace {

// Measurements of one epoch add up.
double of_an_epoch(const metric &m, const decimal &loss) { return m.per_epoch * loss.value; }

std::string first_reports(const metric &m) {
    const decimal &single = m.realised(m.highest_start());
    const std::string epoch = odds(of_an_epoch(m, single));
    if (m.per_epoch == 1) {
        return fmt::format("the report of one epoch changes the odds between {} by a factor of at "
                           "most {}.\n",
                           what_is_hidden(m), epoch);
    }
    return fmt::format("the {} reports of any epoch together change the odds between {} by a "
                       "factor of at most {}. One of them changes the odds by {}.\n",
                       m.per_epoch, what_is_hidden(m), epoch, odds(single.value));
}

std::string together(const metric &m) {
    std::string text;
    if (m.levels.size() > 1) {
        text +=
            fmt::format("  Relaxed to every level up to {}, all of them together: at most {}.\n",
                        m.levels.size() - 1, odds(of_an_epoch(m, m.joint)));
    }
    for (std::size_t i = 0; i < m.forward.size(); ++i) {
        text += fmt::format("  Drawn forward to level {} as well: at most {}.\n",
                            m.levels.size() + i, odds(of_an_epoch(m, m.forward[i].joint)));
    }
    return text;
}

std::string promise_of_values(const metric &m) {
    return fmt::format(
               "  Promised to each person measured: {}"
               "  This holds against everyone who sees reports, the aggregator included, whatever "
               "else they know. The noise is pseudo-random: the promise is against everyone who "
               "can't break AES-128, ChaCha20 or SHA-256.\n",
               first_reports(m) + clipping(m)) +
           together(m) + (m.levels.front().repeated ? repeats(m) : std::string()) +
           (has_lifetime(m)
                ? "  Not promised: metrics that say the same of a person add up, and epochs do, up "
                  "to what a device's life loses. The fact and the time of a report are not "
                  "hidden.\n"
                : "  Not promised: epochs add up, and so do metrics that say the same of a person. "
                  "The fact and the time of a report are not hidden.\n");
}

// A source of points has this epsilon; a person's other data are not in it.
std::string promise_of_sources(const metric &m) {
    return fmt::format(
               "  Promised to each source of points: {}"
               "  This holds against everyone who sees the gateway's reports, whatever else they "
               "know. The noise is pseudo-random: the promise is against everyone who can't break "
               "AES-128, ChaCha20 or SHA-256.\n",
               first_reports(m)) +
           places_text(m) +
           "  Not promised: epochs add up, and so do metrics that count points of the same "
           "source. The fact and the time of a report are not hidden.\n";
}

} // namespace

std::string what_is_hidden(const metric &m) {
    switch (protects(m)) {
    case protected_unit::event:
        return event_in_words(m) + " and none";
    case protected_unit::source:
        return move_in_words(m);
    case protected_unit::value:
        break;
    }
    return any_two_values(m) + (!has_lifetime(m) ? ""
                                : mechanism_of(m).words(m).remembers_hashes
                                    ? " whose hash values the device reports in no other epoch"
                                    : " that the device reports in no other epoch");
}

std::string promise(const metric &m) {
    switch (protects(m)) {
    case protected_unit::event:
        return promise_of_events(m);
    case protected_unit::source:
        return promise_of_sources(m);
    case protected_unit::value:
        break;
    }
    return promise_of_values(m);
}

} // namespace sotto::aggregator
