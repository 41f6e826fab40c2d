// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/simulation.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/progress.hpp"

namespace sotto::aggregator {
namespace {

// "12 values adapted: ...", and what was not reported; "" when there is nothing to say.
std::string adapted_text(const adapted_values &a) {
    std::vector<std::string> parts;
    if (a.clamped > 0) {
        parts.push_back(grouped(a.clamped) + " clamped to the range");
    }
    if (a.too_long > 0) {
        parts.push_back(grouped(a.too_long) + " too long, reported as one reserved value");
    }
    if (a.too_many > 0) {
        parts.push_back(grouped(a.too_many) + " with too many members, the first ones kept");
    }
    const std::uint64_t total = a.clamped + a.too_long + a.too_many;
    std::string text;
    if (total > 0) {
        text = fmt::format("{} adapted: {}\n", counted(total, "value"), joined(parts));
    }
    if (a.not_counted > 0) {
        text += fmt::format("{} not counted: of epoch 0, in which a device starts; of a block "
                            "that had begun; or of an epoch without budget\n",
                            counted(a.not_counted, "event"));
    }
    if (a.repeated > 0) {
        text += fmt::format("{} not reported: their device had reported one in that epoch\n",
                            counted(a.repeated, "value"));
    }
    if (a.over_budget > 0) {
        text += fmt::format("{} not made: the budget of metric or device was spent\n",
                            counted(a.over_budget, "report"));
    }
    return text;
}

std::string answers_text(const request_answers &a) {
    std::string text = counted(a.relaxed, "release") + " relaxed as requested";
    if (a.not_selected > 0) {
        text += ", " + grouped(a.not_selected) + " not selected";
    }
    if (a.over_budget > 0) {
        text += ", " + grouped(a.over_budget) + " without the budget for it";
    }
    return text + "\n";
}

// "malformed 3 in all: 1 missing field, ..." and what comes twice.
std::string wrong_text(const wrong_reports &wrong) {
    const rejections &spoilt = wrong.spoilt;
    std::string text;
    if (spoilt.total() > 0) {
        text = fmt::format("{} malformed: {}\n", counted(spoilt.total(), "report"), spoilt.text());
    }
    if (wrong.duplicates > 0) {
        text += fmt::format("{} duplicated\n", counted(wrong.duplicates, "report"));
    }
    return text;
}

} // namespace

exit_code simulate(const simulate_options &options) {
    const stopwatch watch;
    progress shown("devices");
    const simulated made = simulate_table(
        options, [&](std::uint64_t devices, double share) { shown.show(devices, share); });
    shown.clear();
    for (const std::string &line : made.unseen) {
        fmt::print(stderr, "sotto: {}\n", line);
    }
    const std::string epochs =
        made.epochs ? fmt::format(", epochs {} to {}", made.epochs->first, made.epochs->second)
                    : "";
    fmt::print("{}{}, {}, {} -> {}\n{}", counted(made.devices, "device"), epochs,
               counted(made.reports, "report"), bytes_text(made.bytes), options.out,
               adapted_text(made.adapted));
    if (made.answers) {
        fmt::print("{}", answers_text(*made.answers));
    }
    if (made.wrong) {
        fmt::print("{}", wrong_text(*made.wrong));
    }
    if (const double seconds = watch.seconds(); seconds >= 1 && !made.epochs) {
        const double rate = static_cast<double>(made.reports) / seconds;
        fmt::print("{}, {}/s\n", seconds_text(seconds),
                   counted(static_cast<std::uint64_t>(rate), "report"));
    }
    return exit_code::done;
}

} // namespace sotto::aggregator
