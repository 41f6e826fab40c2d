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

constexpr std::uint32_t bins_planned = 64;

// As tools/registry/window_response.py has it.
std::uint32_t planned_half(double epsilon, std::uint32_t bins) {
    const double factor = std::exp(epsilon);
    return static_cast<std::uint32_t>(bins * (epsilon * factor - std::expm1(epsilon)) /
                                      (2 * factor * (std::expm1(epsilon) - epsilon)));
}

// Numbers by bin: a window around the bin, or any answer.
class window_mechanism final : public memoryless<averaged_mechanism> {
  public:
    static const window_response_table &table_of(const metric &m) {
        return std::get<window_response_table>(m.table);
    }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const json_node table = node.at("table");
        window_response_table t;
        t.keep = read_keeps(table, levels);
        t.min = node.at("min").signed_integer(-SOTTO_NUMBER_MAX, SOTTO_NUMBER_MAX - 1);
        t.max = node.at("max").signed_integer(t.min + 1, SOTTO_NUMBER_MAX);
        t.bins = node.at("bins").integer(
            2, static_cast<std::uint32_t>(std::min<std::int64_t>(SOTTO_BINS_MAX, t.numbers())));
        t.half = table.at("half").integer(0, t.bins);
        (void)node.at("best_level").integer(0, static_cast<std::uint32_t>(levels - 1));
        m.table = std::move(t);
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        table.fail("not possible with windows");
    }
    ladder_rules rules(const metric &) const override { return {.has_forward = false}; }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &) const override { return answer_shape::distribution; }

    std::vector<level_law> laws(const metric &m) const override {
        return keep_laws(table_of(m).keep);
    }
    // There is no step forward; a registry with one is refused before.
    level_law next_law(const metric &, const forward_table &,
                       const level_law &last) const override {
        return last;
    }
    double loss(const metric &m, const level_law &law) const override {
        return loss_of(channel_of(m, law));
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        const window_response_table &t = table_of(m);
        const std::int64_t numbers = t.numbers();
        const auto narrow = [](auto n) { return static_cast<std::uint16_t>(n); };
        image.table.window_response = memory.keep(sotto_window_response{
            memory.thresholds(t.keep), t.min, t.max, narrow(t.bins), narrow(t.half),
            narrow(numbers % t.bins), static_cast<std::uint32_t>(numbers / t.bins)});
    }
    std::size_t more_random_bytes(const sotto_metric &) const override { return 0; }

    published_values published(const metric &m) const override {
        return {.kind = value_kind::index, .size = table_of(m).answers()};
    }
    const binned_numbers *bins(const metric &m) const override { return &table_of(m); }
    distribution_fit fit(const metric &m, std::span<const level_tally> levels,
                         std::span<const double> parts) const override {
        return fit_distribution(counts_of(levels, channels_of(m, laws_of(m))), parts);
    }

    std::optional<number_range> range(const metric &m) const override {
        return number_range{table_of(m).min, table_of(m).max, std::nullopt};
    }
    // The mean; estimate/distribution.hpp has the shape.
    estimated estimate(const metric &m, std::span<const level_tally> levels,
                       std::span<const level_law> laws, std::size_t) const override {
        estimated out = pooled_window_mean(counts_of(levels, channels_of(m, laws)));
        out.value = table_of(m).min - 0.5 + table_of(m).unit() * (out.value + 0.5);
        out.std_error *= table_of(m).unit();
        return out;
    }
    // Were all values the mean.
    double error(const metric &m, const level_law &law, const estimated &found) const override {
        const window_channel by = channel_of(m, law);
        const double away = distance(m, found.value);
        return table_of(m).unit() / by.keep *
               std::sqrt(by.variance(away * away) / static_cast<double>(found.reports));
    }
    double usual_variance(const metric &m, const level_law &law,
                          const reports_again &again) const override {
        const double width = range(m)->width(), unit = table_of(m).unit();
        const window_channel by = channel_of(m, law);
        return unit * unit * by.variance(0) / (by.keep * by.keep) +
               again.of_a_device * width * width / 4;
    }
    double spread(const metric &m, double mean, const reports_again &again) const override {
        return again.of_a_device * variance_at_most(m, mean);
    }
    double reach(const metric &m, const level_law &law) const override {
        const window_channel by = channel_of(m, law);
        return table_of(m).unit() * (static_cast<double>(by.size()) - 1) / by.keep;
    }
    void check(const metric &m, const level_law &law, const level_tally &at, double,
               quality_sums &sums) const override {
        check_windows(channel_of(m, law), at, sums);
    }

    // The error is that of the mean, were all numbers at an end.
    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        const std::int64_t numbers = *request.max - *request.min + 1;
        const auto bins = static_cast<std::uint32_t>(std::min<std::int64_t>(bins_planned, numbers));
        const window_channel by =
            channel_at(epsilon, bins, planned_half(request.best_epsilon.value_or(epsilon), bins));
        plan_option out = costing(request, epsilon, "distribution", "window_response");
        const double end = (bins - 1.0) / 2;
        out.std_error = std::sqrt(by.variance(end * end) / request.devices) / (by.keep * bins);
        out.parameters = fmt::format("{} bins, window of {}", bins, by.width());
        out.random_bytes = 24;
        out.report_bytes = planned_report_bytes({});
        out.keys = number_keys(request, out, fmt::format("bins = {}\n", bins));
        return {out};
    }

    std::string table_text(const metric &m) const override {
        const window_response_table &t = table_of(m);
        return fmt::format("out of 2^64; the value is first one of {} bins, and any of {} answers "
                           "from there on supports it:\n",
                           t.bins, t.width()) +
               keep_lines(t.keep, "an answer that supports it", t.answers());
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        return {{"bits", 64}, {"half", table_of(m).half}, {"keep", digits_of(table_of(m).keep)}};
    }
    mechanism_words words(const metric &) const override { return {}; }

  private:
    static window_channel channel_of(const metric &m, const level_law &law) {
        return {table_of(m).bins, table_of(m).half, keep_of(law)};
    }
    static std::vector<window_channel> channels_of(const metric &m,
                                                   std::span<const level_law> laws) {
        std::vector<window_channel> channels;
        for (const level_law &law : laws) {
            channels.push_back(channel_of(m, law));
        }
        return channels;
    }
    // From the middle of the range, in bins.
    static double distance(const metric &m, double number) {
        const window_response_table &t = table_of(m);
        return (std::clamp(number, t.lowest(), t.highest()) - t.min -
                (static_cast<double>(t.numbers()) - 1) / 2) /
               t.unit();
    }
};

} // namespace

const mechanism &window_response() {
    static const window_mechanism object;
    return object;
}

} // namespace sotto::aggregator
