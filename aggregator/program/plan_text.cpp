// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/plan_text.hpp"

#include "aggregator/program/columns.hpp"
#include "aggregator/program/numbers.hpp"

#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

bool is_mean(const plan &made) { return made.request.min.has_value(); }

// What is asked of the fleet, in a word.
const char *estimand(const plan &made) {
    return is_mean(made)                     ? "of the range, the mean"
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

std::string costs(const plan_option &o) {
    std::string text = fmt::format("  costs    epsilon {} a release, {} a day",
                                   rounded_up(o.epsilon), rounded_up(o.epsilon_day));
    if (o.epsilon_forever) {
        text += fmt::format(", {} for one value however often it is reported",
                            rounded_up(*o.epsilon_forever));
    }
    return text + fmt::format("\n           {} random bytes and a report of {} bytes a release\n",
                              o.random_bytes, o.report_bytes);
}

std::string shows(const plan &made) {
    const plan_option &o = made.chosen();
    std::string text = fmt::format("  shows    {} ± {} (95 %), of one report from each device\n",
                                   estimand(made), percent(o.half_width()));
    if (const auto found = o.floor(made.questions)) {
        text += fmt::format(
            "  finds    a share of {} ({} devices) with 90 % probability; {}\n", percent(*found),
            rounded(two_digits_up(*found * made.request.devices)),
            made.questions > 1 ? fmt::format("a false alarm in 5 % of rounds over {:.0f} questions",
                                             made.questions)
                               : "a false alarm in 5 % of rounds");
    }
    if (!o.remark.empty()) {
        text += "  note     " + o.remark + "\n";
    }
    return text;
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
    if (ways.empty()) {
        return "  wanted   is NOT reached, by no epsilon up to 32; the noise of a count grows with "
               "the fleet\n";
    }
    return fmt::format("  wanted   is NOT reached; it takes {}\n", fmt::join(ways, ", or "));
}

std::string alternatives(const plan &made) {
    std::vector<std::vector<std::string>> table = {{"  mechanism", "epsilon", "forever", "± (95 %)",
                                                    "finds", "random", "report", "parameters"}};
    for (std::size_t i = 0; i < made.options.size(); ++i) {
        const plan_option &o = made.options[i];
        const auto found = o.floor(made.questions);
        table.push_back({(i == made.best ? "* " : "  ") + o.mechanism, rounded_up(o.epsilon),
                         o.epsilon_forever ? rounded_up(*o.epsilon_forever) : "-",
                         percent(o.half_width()), found ? percent(*found) : "-",
                         fmt::format("{} B", o.random_bytes), fmt::format("{} B", o.report_bytes),
                         o.parameters + (o.remark.empty() ? "" : "; " + o.remark)});
    }
    return aligned(table);
}

// --- JSON

std::string number_or_null(const std::optional<double> &value) {
    return value && std::isfinite(*value) ? fmt::format("{}", *value) : "null";
}

std::string option_json(const plan &made, const plan_option &o) {
    return fmt::format(
        "{{\"type\": \"{}\", \"mechanism\": \"{}\", \"parameters\": {}, \"epsilon\": {}, "
        "\"epsilon_per_day\": {}, \"epsilon_forever\": {}, \"random_bytes\": {}, "
        "\"report_bytes\": {}, \"std_error\": {}, \"half_width\": {}, \"floor\": {}, \"remark\": "
        "{}}}",
        o.type, o.mechanism, json_text(o.parameters), o.epsilon, o.epsilon_day,
        number_or_null(o.epsilon_forever), o.random_bytes, o.report_bytes, o.std_error,
        o.half_width(), number_or_null(o.floor(made.questions)), json_text(o.remark));
}

} // namespace

std::string plan_table(const plan &made) {
    const plan_option &o = made.chosen();
    return opening(made) + fmt::format("\nuse {}: {}\n", o.mechanism, o.parameters) + costs(o) +
           shows(made) + verdict(made) + "\n" + alternatives(made) + "\nfor metrics.toml:\n\n" +
           made.toml();
}

std::string plan_json(const plan &made) {
    std::vector<std::string> all;
    for (const plan_option &o : made.options) {
        all.push_back("    " + option_json(made, o));
    }
    const plan_request &r = made.request;
    return fmt::format(R"({{
  "request": {{"type": "{}", "devices": {}, "reports_per_day": {}, "epsilon": {}, "epsilon_per_day": {}}},
  "recommended": {},
  "alternatives": [
{}
  ],
  "wanted": {{"accuracy": {}, "floor": {}, "reached": {}, "devices": {}, "epsilon": {}}},
  "metrics_toml": {}
}}
)",
                       r.type, r.devices, r.reports_per_day, number_or_null(r.epsilon),
                       number_or_null(r.epsilon_per_day), option_json(made, made.chosen()),
                       fmt::join(all, ",\n"), number_or_null(r.accuracy), number_or_null(r.floor),
                       r.accuracy || r.floor ? (made.reached ? "true" : "false") : "null",
                       number_or_null(made.devices_needed), number_or_null(made.epsilon_needed),
                       json_text(made.toml()));
}

} // namespace sotto::aggregator
