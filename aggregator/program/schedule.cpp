// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/csv.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/program/command_declaration.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/number_option.hpp"
#include "aggregator/registry/registry.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::size_t slots_max = 1'000'000;
constexpr double weight_min = 1e-9, weight_max = 1e9; // as far apart as the search is tested
constexpr double epsilon_min = 0.001, epsilon_max = 2000, probability_min = 0.001;

double weight_of(const csv_file &file, const std::string &text) {
    double weight = 0;
    const char *end = text.data() + text.size();
    const auto [stop, wrong] = std::from_chars(text.data(), end, weight);
    if (wrong != std::errc() || stop != end ||
        !(weight == 0 || (weight >= weight_min && weight <= weight_max))) {
        file.fail(fmt::format("{} is no weight: 0, or {} to {}", in_quotes(text), weight_min,
                              weight_max));
    }
    return weight;
}

std::vector<double> read_weights(const std::string &path, const std::string &column) {
    csv_file file(path);
    const auto &names = file.header();
    const auto at = std::ranges::find(names, column);
    if (at == names.end()) {
        throw usage_error(
            fmt::format("{}: no column {}; there are {}", path, in_quotes(column), joined(names)));
    }
    std::vector<double> weights;
    for (std::vector<std::string> fields; file.next(fields);) {
        if (weights.size() == slots_max) {
            file.fail(fmt::format("{} slots at most", grouped(slots_max)));
        }
        weights.push_back(weight_of(file, fields[static_cast<std::size_t>(at - names.begin())]));
    }
    return weights;
}

const metric &metric_named(const registry &known, const std::string &path,
                           const std::string &name) {
    if (const metric *found = known.find(name)) {
        return *found;
    }
    throw usage_error(fmt::format("{}: no metric {}; there are {}", path, in_quotes(name),
                                  joined(known.metric_names())));
}

void check(double number, double min, double max, const char *option) {
    if (!(number >= min && number <= max)) {
        throw usage_error(fmt::format("{}: {} is not from {} to {}", option, number, min, max));
    }
}

schedule made_schedule(const schedule_options &o) {
    if (!o.weights.empty()) {
        check(o.epsilon, epsilon_min, epsilon_max, "--epsilon");
        return make_offline_schedule(read_weights(o.weights, o.column), o.window, o.epsilon);
    }
    if (o.registry.empty()) {
        throw usage_error("schedule: takes --registry, --metric and --probability, or --weights, "
                          "--window and --epsilon (see sotto schedule --help)");
    }
    check(o.probability, probability_min, 1, "--probability");
    const registry known = load_registry(o.registry).content;
    return make_policy_schedule(metric_named(known, o.registry, o.metric), o.probability);
}

} // namespace

exit_code print_schedule(const schedule_options &options) {
    fmt::print("{}", format_of(options.format).schedule(made_schedule(options)));
    return exit_code::done;
}

void declare_schedule(CLI::App &program, action &chosen) {
    const auto [sub, o] = add_command(
        program, chosen, "schedule",
        "Spend a sliding window's budget best: a metric's policy, or known slots", print_schedule);
    CLI::Option *weights =
        sub->add_option("--weights", o->weights, "Slots that are known in advance, a row each")
            ->type_name("WEIGHTS.csv")
            ->check(not_empty);
    sub->add_option("--column", o->column,
                    "Its column of weights, 0: no measurement; weight "
                    "unless said")
        ->type_name("NAME")
        ->needs(weights);
    CLI::Option *window =
        add_number(sub, "--window", o->window, "Slots of a window, 1 to 64", 1, 64)->type_name("N");
    CLI::Option *epsilon =
        add_number(sub, "--epsilon", o->epsilon, "Budget of a window, 0.001 to 2000")
            ->type_name("CAP");
    CLI::Option *registry =
        sub->add_option("--registry", o->registry,
                        "metrics.json: the policy of a metric with window_epochs")
            ->type_name("M.json")
            ->check(not_empty)
            ->excludes(weights);
    CLI::Option *metric =
        sub->add_option("--metric", o->metric, "The metric")->type_name("NAME")->needs(registry);
    CLI::Option *probability = add_number(sub, "--probability", o->probability,
                                          "Chance of a measurement in an epoch, 0.001 to 1")
                                   ->type_name("P")
                                   ->needs(registry);
    weights->needs(window)->needs(epsilon);
    window->needs(weights);
    epsilon->needs(weights);
    registry->needs(metric)->needs(probability);
    add_format(sub, o->format, &output_format::schedule);
}

} // namespace sotto::aggregator
