// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/one_bit_mean.hpp"

#include "aggregator/mechanism/averaged.hpp"
#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/counted.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/flips.hpp"
#include "aggregator/mechanism/lattice.hpp"
#include "aggregator/mechanism/level_text.hpp"
#include "aggregator/mechanism/memoryless.hpp"

#include "mechanism/one_bit_mean.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// A number that is rounded to a bit, once a release; the bit is flipped.
class mean_mechanism final : public memoryless<averaged_mechanism> {
  public:
    static const one_bit_mean_table &table_of(const metric &m) {
        return std::get<one_bit_mean_table>(m.table);
    }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const json_node table = node.at("table");
        one_bit_mean_table t;
        t.flip = read_flips(table, levels);
        t.min = node.at("min").signed_integer(-SOTTO_NUMBER_MAX, SOTTO_NUMBER_MAX - 1);
        t.max = node.at("max").signed_integer(t.min + 1, SOTTO_NUMBER_MAX);
        const auto width = static_cast<std::uint32_t>(t.max - t.min);
        t.scale = static_cast<std::uint32_t>(
            table.at("scale").integer_text(0xffffffff / width, 0xffffffff / width));
        m.table = std::move(t);
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        return read_forward_bits(table);
    }
    ladder_rules rules(const metric &) const override { return {}; }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &) const override { return answer_shape::means; }

    std::vector<level_law> laws(const metric &m) const override {
        return flip_laws(table_of(m).flip);
    }
    level_law next_law(const metric &, const forward_table &step,
                       const level_law &last) const override {
        return next_flip_law(step, last);
    }
    double loss(const metric &, const level_law &law) const override { return flip_loss(law); }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        const one_bit_mean_table &t = table_of(m);
        image.table.one_bit_mean =
            memory.keep(sotto_one_bit_mean{memory.thresholds(t.flip), t.min, t.max, t.scale});
        image.forward.bits = memory.forward_bits(m.forward);
    }
    std::size_t more_random_bytes(const sotto_metric &) const override {
        return one_bit_mean_bytes;
    }

    published_values published(const metric &) const override { return {}; }

    std::optional<number_range> range(const metric &m) const override {
        return number_range{table_of(m).min, table_of(m).max, std::nullopt};
    }
    estimated estimate(const metric &m, std::span<const level_tally> levels,
                       std::span<const level_law> laws, std::size_t) const override {
        return estimate_one_bit_mean(counts_at(levels, 1), by_level(laws, flip_of),
                                     {table_of(m).min, table_of(m).scale});
    }
    double error(const metric &m, const level_law &law, const estimated &found) const override {
        const double unit = unit_of(m), flip = flip_of(law);
        const double bit = std::clamp((found.value - table_of(m).min) / unit, 0.0, 1.0);
        const double if_one = flip + (1 - 2 * flip) * bit;
        return unit * std::sqrt(if_one * (1 - if_one) / static_cast<double>(found.reports)) /
               (1 - 2 * flip);
    }
    // The variance of a bit, in the place of a number's: levels are weighted by it alone.
    double usual_variance(const metric &, const level_law &law,
                          const reports_again &again) const override {
        const double gain = 1 - 2 * flip_of(law);
        return 1 / (4 * gain * gain) + (again.of_a_device - 1) / 4; // bits are drawn anew
    }
    // Their errors hold who is at which level, did nobody report twice: bits are drawn anew.
    double spread(const metric &m, double mean, const reports_again &again) const override {
        return (again.of_a_device - 1) * variance_at_most(m, mean);
    }
    double reach(const metric &m, const level_law &law) const override {
        return unit_of(m) / (1 - 2 * flip_of(law));
    }
    void check(const metric &m, const level_law &law, const level_tally &at, double,
               quality_sums &sums) const override {
        // A bit is one most often for the largest value, which is rounded down a little.
        const one_bit_mean_table &t = table_of(m);
        const double top = std::ldexp(static_cast<double>(t.max) - t.min, -32) * t.scale;
        sums.count(is_beyond(static_cast<double>(at.ones[1]), static_cast<double>(at.reports),
                             {flip_of(law), flip_of(law) + (1 - 2 * flip_of(law)) * top}, 0));
    }

    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        plan_option out = costing(request, epsilon, "mean", "one_bit_mean");
        // A bit that is a one half of the time: variance 1/4 before the flips are taken back.
        out.std_error = 0.5 / std::tanh(epsilon / 2) / std::sqrt(request.devices);
        out.parameters = fmt::format("flip {:.4g}", 1 / (1 + std::exp(epsilon)));
        out.random_bytes = 4 + 8;
        out.own_instructions = 5000;
        out.report_bytes = planned_report_bytes({});
        out.keys = number_keys(request, out, "");
        out.remark = plan_remark::mean_only;
        return {out};
    }

    std::string table_text(const metric &m) const override {
        const one_bit_mean_table &t = table_of(m);
        return fmt::format("out of 2^64; the value is first rounded to a bit, 1 by (value - {}) * "
                           "{} / 2^32:\n",
                           t.min, t.scale) +
               flip_lines(t.flip);
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        const one_bit_mean_table &t = table_of(m);
        return {{"bits", 64}, {"flip", digits_of(t.flip)}, {"scale", std::to_string(t.scale)}};
    }
    mechanism_words words(const metric &) const override { return {}; }

  private:
    static double unit_of(const metric &m) { // one bit's, in units of the value
        return std::ldexp(1, 32) / table_of(m).scale;
    }
};

} // namespace

const mechanism &one_bit_mean() {
    static const mean_mechanism object;
    return object;
}

} // namespace sotto::aggregator
