// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/schedule_text.hpp"

#include "aggregator/base/columns.hpp"
#include "aggregator/base/text.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::size_t levels_a_line = 25;

std::string table_of(const offline_schedule &made) {
    std::vector<std::vector<std::string>> rows = {{"slot", "weight", "epsilon"}};
    for (std::size_t i = 0; i < made.weights.size(); ++i) {
        rows.push_back({std::to_string(i + 1), fmt::format("{}", made.weights[i]),
                        fmt::format("{}", made.epsilons[i])});
    }
    return fmt::format("{}, epsilon {} in any {}\n\n"
                       "sum of weight / epsilon^2\n"
                       "  best           {:.8g}, at most {:.1g} above the least\n"
                       "  equal shares   {:.8g}, {:.4g} times as much\n\n",
                       counted(made.weights.size(), "slot"), made.epsilon,
                       counted(made.window, "slot"), made.error, made.gap,
                       made.error_of_equal_shares, made.error_of_equal_shares / made.error) +
           aligned(rows);
}

std::vector<std::string> row(const char *what, double error, const std::string &remark) {
    return {what, fmt::format("{:.4g}", error), remark};
}

std::string table_of(const policy_schedule &made) {
    return fmt::format("{}: measured in an epoch with probability {}, epsilon {} in any {}\n\n",
                       made.metric, made.probability, made.window.epsilon.text,
                       counted(made.window.epochs, "epoch")) +
           "an epoch's mean of 1 / e^2, e as a share of the budget\n" +
           aligned({row("  best table", made.best.error,
                        fmt::format("{} in flash", counted(made.best.level.size(), "byte"))),
                    row("  equal shares", made.equal.error,
                        fmt::format("level {} in every epoch", made.equal.level[0] - 1)),
                    row("  linear rule, rounded", made.rounded.error, "to levels"),
                    row("  linear rule", made.error_of_linear,
                        "simulated; no device can: its epsilons are no levels")}) +
           "\nfor metrics.toml:\n\n" + policy_toml(made);
}

} // namespace

std::string schedule_table(const schedule &made) {
    return std::visit([](const auto &kind) { return table_of(kind); }, made);
}

std::string history_text(const policy_schedule &made, std::size_t state) {
    std::vector<std::string> levels(made.window.epochs - 1);
    const std::size_t base = made.level_count + 1;
    for (std::size_t i = levels.size(); i-- > 0; state /= base) {
        levels[i] = state % base == 0 ? "-" : std::to_string(state % base - 1);
    }
    return fmt::format("{}", fmt::join(levels, " "));
}

std::string policy_toml(const policy_schedule &made) {
    const std::vector<unsigned> levels = made.levels();
    std::string text = "policy = [";
    for (std::size_t i = 0; i < levels.size(); ++i) {
        text += i % levels_a_line == 0 ? "\n    " : " ";
        text += fmt::format("{},", levels[i]);
    }
    return text + "\n]\n";
}

} // namespace sotto::aggregator
