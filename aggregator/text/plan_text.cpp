// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/plan_text.hpp"

#include "aggregator/base/columns.hpp"
#include "aggregator/base/numbers.hpp"
#include "aggregator/plan/options.hpp"
#include "aggregator/text/remark_words.hpp"

#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

bool is_mean(const plan &made) { return made.request.min.has_value(); }

bool has_points(const plan &made) { return made.request.points && !made.request.cells; }

bool has_places(const plan &made) { return made.request.is_over_places(); }

// Errors of a counter are in events of a device, those of a histogram in points of a report.
bool is_sum(const plan &made) { return made.request.is_over_time() || has_places(made); }

std::string error_text(const plan &made, double error) {
    return is_sum(made) ? fmt::format("{:.3g}", error) : percent(error);
}

// A mean also in its own units.
std::string in_units(const plan &made, double share) {
    const plan_request &r = made.request;
    if (is_sum(made)) {
        return fmt::format("{:.3g} {}, {:.3g} of all devices together", share,
                           has_places(made) ? "points" : "events", share * r.devices);
    }
    return is_mean(made) ? fmt::format("{:.3g}, {} of its range",
                                       share * static_cast<double>(*r.max - *r.min), percent(share))
                         : percent(share);
}

// The estimand, in a word.
const char *estimand(const plan &made) {
    if (made.request.cells) {
        return "a device's mean in a box, for points spread evenly,";
    }
    if (has_places(made)) {
        return made.request.range ? "a device's mean in so many bins"
                                  : "a device's mean in a range of bins";
    }
    if (is_sum(made)) {
        return made.request.window   ? "a device's mean in the last epochs of the window"
               : made.request.prefix ? "a device's mean of all so far, on average over epochs,"
                                     : "a device's mean of all, decayed,";
    }
    return has_points(made)                  ? "the mean answer, for points spread evenly,"
           : made.request.length             ? "the mean of each number"
           : is_mean(made)                   ? "the mean"
           : made.request.type == "boolean"  ? "the share of true"
           : made.request.type == "category" ? "the share of a category"
           : made.request.type == "set"      ? "the share of a member"
                                             : "the share of a string";
}

std::string opening(const plan &made) {
    const plan_request &r = made.request;
    return fmt::format("{} devices, {} a day from each, type {}\n", rounded(r.devices),
                       r.reports_per_day == 1 ? std::string("1 report")
                                              : fmt::format("{:.10g} reports", r.reports_per_day),
                       r.type);
}

std::string thousands(std::uint32_t instructions) {
    return fmt::format("{:.0f},000 instructions", instructions / 1000.0);
}

std::string costs(const plan &made) {
    const plan_option &o = made.chosen();
    if (is_sum(made)) {
        return fmt::format("  costs    epsilon {} of one {}\n"
                           "           {} random bytes and a report of {} bytes an epoch at most\n",
                           rounded_up(o.epsilon),
                           has_places(made) ? "point that moves by delta, a report"
                                            : "event, however long it is counted",
                           o.random_bytes, o.report_bytes);
    }
    std::string text = fmt::format("  costs    epsilon {} a release, {} a day",
                                   rounded_up(o.epsilon), rounded_up(o.epsilon_day));
    if (o.epsilon_forever) {
        text += fmt::format(", {} for one value however often it is reported",
                            rounded_up(*o.epsilon_forever));
    }
    text += fmt::format("\n           {} random bytes and a report of {} bytes a release",
                        o.random_bytes, o.report_bytes);
    if (const auto instructions = made.instructions_of(o)) {
        text += fmt::format(", some {} on Cortex-M0", thousands(*instructions));
    }
    return text + "\n";
}

std::string shows(const plan &made) {
    const plan_option &o = made.chosen();
    std::string text =
        fmt::format("  shows    {} ± {} (95 %){}\n", estimand(made), in_units(made, o.half_width()),
                    is_sum(made) ? "" : ", of one report from each device");
    if (const auto found = o.floor(made.questions)) {
        text += fmt::format(
            "  finds    a share of {} ({} devices) with 90 % probability; {}\n", percent(*found),
            rounded(two_digits_up(*found * made.request.devices)),
            made.questions > 1 ? fmt::format("a false alarm in 5 % of rounds over {:.0f} questions",
                                             made.questions)
                               : "a false alarm in 5 % of rounds");
    }
    if (o.remark) {
        text += "  note     " + words_of(*o.remark) + "\n";
    }
    return text;
}

std::string pace_text(double reports_per_day) {
    return reports_per_day < 1 ? fmt::format("1 in {:.0f} days", 1 / reports_per_day)
                               : fmt::format("{:.10g} a day", reports_per_day);
}

std::string verdict(const plan &made) {
    const plan_request &r = made.request;
    if (!r.accuracy && !r.floor) {
        return "";
    }
    if (made.reached) {
        return "  wanted   is reached\n";
    }
    std::vector<std::string> ways;
    if (made.devices_needed) {
        ways.push_back(fmt::format("about {} devices at this epsilon",
                                   rounded(two_digits_up(*made.devices_needed))));
    }
    if (made.epsilon_needed) {
        ways.push_back(fmt::format("epsilon {:.3g} a release with these devices",
                                   ceiling(*made.epsilon_needed, 100)));
    }
    for (const plan_pace &p : made.paces) {
        const auto devices = made.devices_for(p.option);
        if (devices && *devices <= r.devices) {
            ways.push_back(pace_text(p.reports_per_day) + " of more epsilon each");
            break;
        }
    }
    if (ways.empty()) {
        return "  wanted   is NOT reached, by no epsilon up to 32; the noise of a count grows with "
               "the fleet\n";
    }
    return fmt::format("  wanted   is NOT reached; it takes {}\n", fmt::join(ways, ", or "));
}

// An option's row, whatever it is compared by.
std::vector<std::string> shown(const plan &made, const plan_option &o) {
    const auto found = o.floor(made.questions);
    const auto devices = made.devices_for(o);
    std::vector<std::string> cells = {error_text(made, o.half_width())};
    if (!is_mean(made) && !is_sum(made)) {
        cells.push_back(found && *found <= 1 ? percent(*found) : "-");
    }
    if (is_sum(made)) {
        cells.push_back(error_text(made, o.half_width() * made.request.devices));
        cells.push_back(o.single_error ? error_text(made, normal_95 * *o.single_error) : "-");
    }
    if (!is_sum(made) || made.request.accuracy) {
        cells.push_back(devices ? rounded(two_digits_up(*devices)) : "-");
    }
    return cells;
}

std::vector<std::string> shown_heads(const plan &made) {
    const bool is_wanted = made.request.accuracy || made.request.floor;
    std::vector<std::string> heads = {"± (95 %)"};
    if (!is_mean(made) && !is_sum(made)) {
        heads.emplace_back("finds");
    }
    if (is_sum(made)) {
        heads.emplace_back("± of all devices");
        heads.emplace_back(made.request.cells ? "± of a square"
                           : has_places(made) ? "± of a bin"
                                              : "± of an epoch");
    }
    if (!is_sum(made) || is_wanted) {
        heads.emplace_back(is_wanted ? "devices for wanted" : "devices for ± 1 %");
    }
    return heads;
}

using cell_rows = std::vector<std::vector<std::string>>;

std::vector<std::string> row(std::vector<std::string> cells, const std::vector<std::string> &more,
                             const std::vector<std::string> &last) {
    cells.insert(cells.end(), more.begin(), more.end());
    cells.insert(cells.end(), last.begin(), last.end());
    return cells;
}

std::string alternatives(const plan &made) {
    cell_rows table = {row({"  mechanism", "epsilon", "forever"}, shown_heads(made),
                           {"random", "report", "on M0", "parameters"})};
    for (std::size_t i = 0; i < made.options.size(); ++i) {
        const plan_option &o = made.options[i];
        const auto instructions = made.instructions_of(o);
        table.push_back(
            row({(i == made.best ? "* " : "  ") + o.mechanism, rounded_up(o.epsilon),
                 o.epsilon_forever ? rounded_up(*o.epsilon_forever) : "-"},
                shown(made, o),
                {fmt::format("{} B", o.random_bytes), fmt::format("{} B", o.report_bytes),
                 instructions ? fmt::format("{:.0f} k", *instructions / 1000.0) : "-",
                 o.parameters + (o.remark ? "; " + words_of(*o.remark) : "")}));
    }
    return aligned(table);
}

std::string levels(const plan &made) {
    cell_rows table = {row({"  epsilon"}, shown_heads(made), {"parameters"})};
    std::vector<std::string> ladder;
    for (const plan_option &o : made.levels) {
        table.push_back(row({"  " + rounded_up(o.epsilon)}, shown(made, o), {o.parameters}));
        ladder.push_back(epsilon_text(o.epsilon));
    }
    return (made.is_ladder
                ? fmt::format("less at first, more of the same release when it is asked for: "
                              "epsilons = [{}] lose {} together\n",
                              fmt::join(ladder, ", "), ladder.back())
                : std::string("less epsilon, each a plan of its own:\n")) +
           aligned(table);
}

std::string paces(const plan &made) {
    if (made.paces.empty()) {
        return "";
    }
    cell_rows table = {row({"  reports", "epsilon", "a day"}, shown_heads(made),
                           {"± of a day's mean", "bytes a day", "mechanism"})};
    for (const plan_pace &p : made.paces) {
        table.push_back(row({"  " + pace_text(p.reports_per_day), rounded_up(p.option.epsilon),
                             rounded_up(p.option.epsilon_day)},
                            shown(made, p.option),
                            {p.reports_per_day < 1 ? "-" : percent(p.day_half_width),
                             fmt::format("{:.3g}", p.reports_per_day * p.option.report_bytes),
                             p.option.mechanism}));
    }
    return "\nfewer reports, within the same caps:\n" + aligned(table);
}

} // namespace

std::string plan_table(const plan &made) {
    const plan_option &o = made.chosen();
    return opening(made) + fmt::format("\nuse {}: {}\n", o.mechanism, o.parameters) + costs(made) +
           shows(made) + verdict(made) + "\n" + alternatives(made) +
           (made.levels.empty() ? "" : "\n" + levels(made)) + paces(made) +
           "\nfor metrics.toml:\n\n" + made.toml();
}

} // namespace sotto::aggregator
