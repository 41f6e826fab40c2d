// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/averaged.hpp"
#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/keeps.hpp"
#include "aggregator/mechanism/lattice.hpp"
#include "aggregator/mechanism/level_text.hpp"
#include "aggregator/mechanism/memoryless.hpp"
#include "aggregator/mechanism/windows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t mean_bins = 64;
constexpr std::uint32_t rounding_bytes = 4;
// A number between two bins is rounded to one of them: at most this variance, in bins.
constexpr double rounding_variance = 0.25;

// One report's, in bins: were all numbers at an end, and where they are spread evenly.
double worst_variance(const window_channel &by) {
    const double end = (static_cast<double>(by.bins) - 1) / 2;
    return by.variance(end * end) / (by.keep * by.keep);
}
double even_variance(const window_channel &by) {
    const double most = static_cast<double>(by.bins) - 1; // the highest bin
    return by.variance((most * most + 2) / 12) / (by.keep * by.keep);
}

// As tools/registry/window_mean.py has it.
std::size_t best_half(double epsilon, std::uint32_t bins) {
    window_channel best = channel_at(epsilon, bins, 0);
    for (std::size_t half = 1; half <= bins; ++half) {
        const window_channel by = channel_at(epsilon, bins, half);
        best = even_variance(by) < even_variance(best) ? by : best;
    }
    return best.half;
}

// A number that is rounded to a bin, once a release; a window around the bin, or any answer.
class window_mean_mechanism final : public memoryless<averaged_mechanism> {
  public:
    static const window_mean_table &table_of(const metric &m) {
        return std::get<window_mean_table>(m.table);
    }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const json_node table = node.at("table");
        window_mean_table t;
        t.keep = read_keeps(table, levels);
        t.min = node.at("min").signed_integer(-SOTTO_NUMBER_MAX, SOTTO_NUMBER_MAX - 1);
        t.max = node.at("max").signed_integer(t.min + 1, SOTTO_NUMBER_MAX);
        const auto width = static_cast<std::uint32_t>(t.max - t.min);
        t.scale = static_cast<std::uint32_t>(
            table.at("scale").integer_text(0xffffffff / width, 0xffffffff / width));
        t.bins = node.at("bins").integer(2, SOTTO_BINS_MAX);
        t.half = table.at("half").integer(0, t.bins);
        (void)node.at("best_level").integer(0, static_cast<std::uint32_t>(levels - 1));
        m.table = std::move(t);
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        return read_support_step(table);
    }
    ladder_rules rules(const metric &) const override { return {}; }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &) const override { return answer_shape::means; }

    std::vector<level_law> laws(const metric &m) const override {
        return keep_laws(table_of(m).keep);
    }
    level_law next_law(const metric &m, const forward_table &step,
                       const level_law &last) const override {
        const window_channel by = channel_of(m, last);
        return next_support_law(step, last,
                                static_cast<double>(by.width()) / static_cast<double>(by.size()));
    }
    double loss(const metric &m, const level_law &law) const override {
        return loss_of(channel_of(m, law));
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        const window_mean_table &t = table_of(m);
        image.table.window_mean = memory.keep(sotto_window_mean{
            memory.thresholds(t.keep), t.min, t.max, t.scale, static_cast<std::uint16_t>(t.bins),
            static_cast<std::uint16_t>(t.half)});
        image.forward.support = memory.forward_support(m.forward);
    }
    std::size_t more_random_bytes(const sotto_metric &) const override { return rounding_bytes; }
    published_values published(const metric &m) const override {
        return {.kind = value_kind::index, .size = table_of(m).answers()};
    }

    std::optional<number_range> range(const metric &m) const override {
        return number_range{table_of(m).min, table_of(m).max, std::nullopt};
    }
    estimated estimate(const metric &m, std::span<const level_tally> levels,
                       std::span<const level_law> laws, std::size_t) const override {
        std::vector<window_channel> channels;
        for (const level_law &law : laws) {
            channels.push_back(channel_of(m, law));
        }
        estimated out = pooled_window_mean(counts_of(levels, channels));
        const auto n = static_cast<double>(out.reports);
        out.value = table_of(m).min + unit_of(m) * out.value;
        out.std_error = unit_of(m) * std::hypot(out.std_error, std::sqrt(rounding_variance / n));
        return out;
    }
    // Were all values the mean.
    double error(const metric &m, const level_law &law, const estimated &found) const override {
        const window_mean_table &t = table_of(m);
        const double number =
            std::clamp(found.value, static_cast<double>(t.min), static_cast<double>(t.max));
        const double away = (number - t.min) / unit_of(m) - (t.bins - 1.0) / 2;
        return unit_of(m) *
               std::sqrt(variance(m, law, away * away) / static_cast<double>(found.reports));
    }
    double usual_variance(const metric &m, const level_law &law,
                          const reports_again &again) const override {
        const double width = range(m)->width(), unit = unit_of(m);
        return unit * unit * variance(m, law, 0) + again.of_a_device * width * width / 4;
    }
    double spread(const metric &m, double mean, const reports_again &again) const override {
        return again.of_a_device * variance_at_most(m, mean);
    }
    double reach(const metric &m, const level_law &law) const override {
        const window_channel by = channel_of(m, law);
        return unit_of(m) * (static_cast<double>(by.size()) - 1) / by.keep;
    }
    void check(const metric &m, const level_law &law, const level_tally &at, double,
               quality_sums &sums) const override {
        check_windows(channel_of(m, law), at, sums);
    }

    // The error is that of numbers at an end.
    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        const std::int64_t numbers = *request.max - *request.min + 1;
        const auto bins = static_cast<std::uint32_t>(std::min<std::int64_t>(mean_bins, numbers));
        const window_channel by =
            channel_at(epsilon, bins, best_half(request.best_epsilon.value_or(epsilon), bins));
        plan_option out = costing(request, epsilon, "mean", "window_mean");
        out.std_error =
            std::sqrt((worst_variance(by) + rounding_variance) / request.devices) / (bins - 1.0);
        out.parameters = fmt::format("{} bins, window of {}", bins, by.width());
        out.random_bytes = rounding_bytes + 24;
        out.own_instructions = 5000; // the stream that it is rounded with
        out.report_bytes = planned_report_bytes(
            {.kind = value_kind::index, .size = static_cast<std::uint32_t>(by.size())});
        out.keys = number_keys(request, out, "mechanism = \"window_mean\"\n");
        return {out};
    }

    std::string table_text(const metric &m) const override {
        const window_mean_table &t = table_of(m);
        return fmt::format("out of 2^64; the value is first rounded to one of {} bins, by (value - "
                           "{}) * {} * {} / 2^32. Any of {} answers from there on supports it:\n",
                           t.bins, t.min, t.scale, t.bins - 1, 2 * t.half + 1) +
               keep_lines(t.keep, "an answer that supports it", t.answers());
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        const window_mean_table &t = table_of(m);
        return {{"bits", 64},
                {"half", t.half},
                {"scale", std::to_string(t.scale)},
                {"keep", digits_of(t.keep)}};
    }
    mechanism_words words(const metric &) const override { return {}; }

  private:
    static window_channel channel_of(const metric &m, const level_law &law) {
        return {table_of(m).bins, table_of(m).half, keep_of(law)};
    }
    static double unit_of(const metric &m) { // one bin's, in units of the value
        return std::ldexp(1, 32) / table_of(m).scale / (table_of(m).bins - 1.0);
    }
    // One report's, in bins; the distance from the middle of all is squared.
    static double variance(const metric &m, const level_law &law, double squared_distance) {
        const window_channel by = channel_of(m, law);
        return by.variance(squared_distance + rounding_variance) / (by.keep * by.keep) +
               rounding_variance;
    }
};

} // namespace

const mechanism &window_mean() {
    static const window_mean_mechanism object;
    return object;
}

} // namespace sotto::aggregator
