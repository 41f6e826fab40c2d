// SPDX-License-Identifier: Apache-2.0
#include "aggregator/page/privacy.hpp"

#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/page/html.hpp"
#include "aggregator/promise/epsilon_events.hpp"
#include "aggregator/promise/epsilon_promise.hpp"
#include "aggregator/promise/epsilon_spending.hpp"
#include "aggregator/promise/event_words.hpp"

#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::string epsilon_text(double epsilon, bool at_most) {
    return fmt::format("epsilon {}{}", at_most ? "at most " : "", rounded_up(epsilon));
}

// Infinite where the registry's tables don't hold it.
std::string at_most_text(double epsilon) {
    return std::isfinite(epsilon) ? "at most " + epsilon_text(epsilon, false)
                                  : "possibly more than epsilon 2048";
}

// Nothing where every epoch is a row of its own, or there is only one.
const pooled_loss *in_one(const metric_findings &found) {
    return found.rows.empty() || !found.rows.front().all_epochs ? nullptr
                                                                : &*found.rows.front().all_epochs;
}

// How many epochs are in one is known only of estimates.
std::optional<double> loss_of_all(const metric_findings &found,
                                  std::span<const answered_epoch> epochs) {
    if (const pooled_loss *pooled = in_one(found)) {
        return pooled->epsilon;
    }
    if (found.rows.empty() && !epochs.front().epoch) {
        return std::nullopt;
    }
    const metric &m = *found.subject;
    if (!found.stages.empty()) {
        return loss_of_stages(found.stages,
                              static_cast<std::uint32_t>(epochs.size()) * m.per_epoch);
    }
    std::uint32_t level = 0;
    double sum = 0;
    for (const answered_epoch &epoch : epochs) {
        level = std::max(level, epoch.level);
        sum += m.per_epoch * joint_epsilon(m, epoch.level);
    }
    const auto answers = static_cast<std::uint32_t>(epochs.size()) * m.per_epoch;
    return has_lifetime(m) ? loss_of_life(m, level, answers) : sum;
}

bool is_of_several(const metric_findings &found, std::span<const answered_epoch> epochs) {
    return in_one(found) != nullptr || epochs.size() > 1 || found.subject->per_epoch > 1;
}

std::string those_epochs(const metric_findings &found, std::span<const answered_epoch> epochs) {
    const pooled_loss *pooled = in_one(found);
    return (pooled != nullptr      ? fmt::format("all {} epochs", pooled->epochs)
            : epochs.front().epoch ? epochs_text(found.subject->words.days, epoch_numbers(epochs))
                                   : "one epoch") +
           (found.subject->per_epoch > 1
                ? fmt::format(", up to {} in each,", found.subject->per_epoch)
                : "");
}

std::string budget_text(const std::optional<budget> &b, bool remembers) {
    return b ? fmt::format(" The device refuses to lose more than epsilon {} in any {}{}.",
                           b->epsilon.text, counted(b->epochs, "epoch"),
                           remembers ? ", where noise is remembered by values that it reports in "
                                       "no others"
                                     : "")
             : "";
}

// Repeated answers: they add up, or they reach a cap.
std::string over_epochs_text(const metric_findings &found, std::span<const answered_epoch> epochs,
                             std::uint32_t level) {
    const metric &m = *found.subject;
    const std::optional<double> loss = loss_of_all(found, epochs);
    const std::vector<stage_read> only = {{&m, level}};
    const std::span<const stage_read> metrics = found.stages.empty() ? only : found.stages;
    const bool has_cap =
        std::ranges::all_of(metrics, has_lifetime, [](auto &metric_found) -> const metric & {
            return *metric_found.subject;
        });
    const bool several = is_of_several(found, epochs);
    std::string text = has_cap ? "Epochs add up only to a cap" : "Epochs add up";
    if (loss && several) {
        text += fmt::format(": answers of one device in {} lose {} together",
                            those_epochs(found, epochs), at_most_text(*loss));
    } else if (!has_cap) {
        text += ": each further answer costs as much again";
    }
    if (has_cap) {
        text += fmt::format("{} however many epochs come{}: {}", loss && several ? ";" : ",",
                            level + 1 < m.level_count() ? " at these levels" : "",
                            at_most_text(loss_of_stages(metrics, any_number_of_releases)));
    }
    return "<p>" + text + "." + (metrics.size() == 1 ? budget_text(m.window, has_cap) : "") +
           "</p>\n";
}

} // namespace

std::string privacy_text(const estimate_row &r) {
    return epsilon_text(loss_of_an_answer(r), r.mixed || r.stages > 1);
}

std::string odds_text(const estimate_row &r) {
    const double loss = loss_of_an_answer(r), factor = std::exp(loss);
    return "odds change at most " + (factor < 1e7
                                         ? fmt::format("{:.10g} times", ceiling(factor, 100))
                                         : fmt::format("e^{} times", rounded_up(loss)));
}

namespace {

// One of it changes the odds; null: epsilon is not of a report.
const char *what_is_given(const metric &m) {
    switch (protects(m)) {
    case protected_unit::value:
        return "One answer of one device";
    case protected_unit::source:
        return "One report of one gateway";
    case protected_unit::event:
        break;
    }
    return nullptr;
}

} // namespace

std::string promise_text(const metric_findings &found) {
    const metric &m = *found.subject;
    if (what_is_given(m) == nullptr) {
        return fmt::format(
            "<p>How private: epsilon {} for each event. Whether {} happened changes the odds "
            "of all that is ever published by a factor of at most {}. Several "
            "events of one person add up.</p>\n",
            rounded_up(m.joint.value), html_text(event_in_words(m)), odds(m.joint.value));
    }
    const std::vector<answered_epoch> epochs = answered_epochs(found);
    const answered_epoch &least_private = *std::max_element(
        epochs.begin(), epochs.end(), [](auto &a, auto &b) { return a.level < b.level; });
    const std::uint32_t level = least_private.level;
    const std::size_t stages = found.stages.size();
    const double alone = m.realised(level).value;
    const double loss = stages > 1 ? loss_of_stages(found.stages) : joint_epsilon(m, level);
    const bool differ = std::any_of(epochs.begin(), epochs.end(), [&](auto &epoch) {
        return epoch.mixed || epoch.level != level;
    });
    std::string privacy = epsilon_text(loss, differ || stages > 1) + " for each answer";
    if (stages > 1) {
        privacy +=
            fmt::format(", if a device gives it to all {} metrics that texts are found by "
                        "({} alone: {})",
                        stages, html_name(m.shown_name()), rounded_up(joint_epsilon(m, level)));
    } else if (loss > alone) {
        privacy +=
            fmt::format(", all its levels together (level {} alone: {})", level, rounded_up(alone));
    }
    return fmt::format("<p>How private: {}. {} changes the odds between {} "
                       "by a factor of at most {}.</p>\n",
                       privacy, what_is_given(m), html_text(what_is_hidden(m)), odds(loss)) +
           over_epochs_text(found, epochs, level);
}

std::string epsilon_in_words() {
    return "<p><strong>How private?</strong> An answer with epsilon ε changes the odds between two "
           "truths. The factor is at most e<sup>ε</sup>: 1.65 for 0.5, 7.39 for 2. This holds for "
           "every reader who can't break its ciphers, whatever else they know. Each metric says "
           "its epsilon, and the truths that it is of, under <em>Numbers and privacy</em>.</p>\n";
}

std::string all_together_text(const std::vector<metric_findings> &metrics, const registry &known) {
    std::optional<double> sum = 0;
    std::size_t values = 0;
    for (const metric_findings &metric_found : metrics) {
        if (protects(*metric_found.subject) != protected_unit::value) {
            continue;
        }
        ++values;
        const std::optional<double> loss = loss_of_all(metric_found, answered_epochs(metric_found));
        sum = sum && loss ? std::optional(*sum + *loss) : std::nullopt;
    }
    if (values == 0) {
        return "<p>Events of one person add up, over time and over counters, and so do epochs of "
               "a source's points." +
               budget_text(known.device, false) + "</p>\n";
    }
    std::string text = "Answers add up, from epoch to epoch and from metric to metric";
    if (sum && values > 1) {
        text +=
            ": a device that gave every kind of answer counted here loses " + at_most_text(*sum);
    }
    if (values < metrics.size()) {
        text += ". Events of counters and sources of points are not added to that";
    }
    return "<p>" + text + "." + budget_text(known.device, remembers_noise(known)) + "</p>\n";
}

} // namespace sotto::aggregator
