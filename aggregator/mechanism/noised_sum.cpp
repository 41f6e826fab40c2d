// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/laplace_law.hpp"
#include "aggregator/mechanism/lattice.hpp"
#include "aggregator/mechanism/modular_sums.hpp"
#include "aggregator/mechanism/sums_plan.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace sotto::aggregator {
namespace {

row_class read_class(const json_node &node) {
    row_class kind = {node.at("step").integer(1, SOTTO_SUM_SPAN_MAX),
                      node.at("rows").integer(1, SOTTO_SUM_ROWS_MAX),
                      {}};
    if (std::uint64_t{kind.step} * kind.rows > SOTTO_SUM_SPAN_MAX) {
        node.fail(fmt::format("more than {} epochs", SOTTO_SUM_SPAN_MAX));
    }
    for (const json_node &weight : node.at("weights").elements(0, SOTTO_SUM_SPAN_MAX)) {
        kind.weights.push_back(static_cast<std::uint16_t>(weight.integer(1, 65535)));
    }
    if (!kind.weights.empty() && kind.weights.size() != kind.span()) {
        node.at("weights").fail(fmt::format("not {}, the epochs of a row", kind.span()));
    }
    return kind;
}

// Counters: sums of events modulo 2^32, over rows of epochs, each of which began as its noise.
class sum_mechanism final : public modular_sums {
  public:
    static const noised_sum_table &table_of(const metric &m) {
        return std::get<noised_sum_table>(m.table);
    }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const json_node table = node.at("table");
        noised_sum_table t;
        t.strategy = read_strategy(node.at("strategy"),
                                   {"identity", "tree", "weights", "balanced", "pan_private"});
        t.event = table.at("event").integer(1, SOTTO_EVENT_MAX);
        for (const json_node &kind : table.at("classes").elements(1, SOTTO_SUM_CLASSES_MAX)) {
            t.classes.push_back(read_class(kind));
        }
        if (table.has("block")) {
            t.block = table.at("block").integer(1, SOTTO_SUM_SPAN_MAX);
        }
        check_rows(table, t);
        if (node.has("plausible_max")) {
            t.plausible_max = node.at("plausible_max").integer(1, INT32_MAX);
        }
        t.noise = read_row_noise(node, levels);
        m.table = std::move(t);
    }
    protected_unit protects(const metric &) const override { return protected_unit::event; }
    answer_shape answers(const metric &) const override { return answer_shape::sums_over_time; }

    // The loss of one event: two streams that differ in it, whatever else they hold.
    double loss(const metric &m, const level_law &law) const override {
        const noised_sum_table &t = table_of(m);
        return unit_epsilon_of(law) * t.event * static_cast<double>(t.total());
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        const noised_sum_table &t = table_of(m);
        sotto_noised_sum out = {};
        out.noise = memory.keep(in_flash(t.noise, memory));
        out.classes = memory.each<sotto_row_class>(t.classes, [&](const row_class &kind) {
            return sotto_row_class{
                kind.step, static_cast<std::uint16_t>(kind.rows),
                memory.each<std::uint16_t>(kind.weights, [](std::uint16_t w) { return w; })};
        });
        out.event = t.event;
        out.block = t.block;
        out.shows = t.strategy == "balanced"      ? SOTTO_SHOWS_BALANCED
                    : t.strategy == "pan_private" ? SOTTO_SHOWS_PAN_PRIVATE
                                                  : SOTTO_SHOWS_ROWS;
        out.class_count = static_cast<std::uint8_t>(t.classes.size());
        image.table.noised_sum = memory.keep(out);
        image.client = &sotto_client_code_open_rows;
    }

    published_values published(const metric &m) const override {
        return {.kind = value_kind::numbers,
                .size = static_cast<std::uint32_t>(table_of(m).numbers()),
                .least = std::numeric_limits<std::int32_t>::min(),
                .most = std::numeric_limits<std::int32_t>::max(),
                .may_be_fewer = true};
    }
    const sums_over_time *over_time(const metric &m) const override { return &table_of(m); }

    std::optional<number_range> range(const metric &m) const override {
        const std::uint32_t most = table_of(m).plausible_max.value_or(INT32_MAX);
        return number_range{0, static_cast<std::int32_t>(most), std::nullopt};
    }
    // Rows of class `at` alone; estimate/series.hpp joins them.
    estimated estimate(const metric &m, std::span<const level_tally> levels,
                       std::span<const level_law> laws, std::size_t at) const override {
        row_sums closed;
        for (const level_tally &level : levels) {
            for (std::size_t bits = 0; bits < row_sums::sizes; ++bits) {
                const row_sums &some = level.rows[at * row_sums::sizes + bits];
                closed.reports += some.reports;
                closed.sum += some.sum;
            }
        }
        estimated out;
        out.reports = closed.reports;
        out.value = static_cast<double>(closed.sum) / static_cast<double>(closed.reports);
        out.std_error = error(m, laws.front(), out);
        return out;
    }
    double error(const metric &m, const level_law &law, const estimated &found) const override {
        return std::sqrt(usual_variance(m, law, {}) / static_cast<double>(found.reports));
    }
    double usual_variance(const metric &m, const level_law &law,
                          const reports_again &) const override {
        return table_of(m).usual_noises() * noise_variance(m, law);
    }
    // A number can be any of 2^32, or as far as what is plausible goes.
    double reach(const metric &m, const level_law &law) const override {
        return 2 * (range(m)->width() + noise_end / unit_epsilon_of(law));
    }
    // Sums of events are never below 0: noise alone is, as of a number in discrete_laplace.cpp.
    void check(const metric &m, const level_law &law, const level_tally &at, double,
               quality_sums &sums) const override {
        const auto noises = static_cast<double>(open_rows(table_of(m)));
        for (std::size_t i = 0; i < at.rows.size(); i += row_sums::sizes) {
            row_sums closed;
            for (std::size_t bits = 0; bits < row_sums::sizes; ++bits) {
                closed.reports += at.rows[i + bits].reports;
                closed.sum += at.rows[i + bits].sum;
            }
            const double n = noises * static_cast<double>(closed.reports);
            sums.count(static_cast<double>(closed.sum) < -honest_noise(n, law));
        }
    }

    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        return plan_sums(request, epsilon);
    }

    std::string table_text(const metric &m) const override {
        const noised_sum_table &t = table_of(m);
        return row_noise_text(t.noise) + (t.is_running_total() ? total_text(t) : rows_text(t));
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        const noised_sum_table &t = table_of(m);
        nlohmann::ordered_json classes = nlohmann::ordered_json::array();
        for (const row_class &kind : t.classes) {
            classes.push_back(
                {{"step", kind.step}, {"rows", kind.rows}, {"weights", kind.weights}});
        }
        nlohmann::ordered_json out = {
            {"noise", nlohmann::ordered_json::array({noise_json(t.noise)})},
            {"classes", classes},
            {"event", t.event},
            {"strategy", t.strategy}};
        if (t.is_running_total()) {
            out["block"] = t.block;
        }
        return out;
    }

  private:
    const laplace_noise_table &noise_of(const metric &m) const override {
        return table_of(m).noise;
    }

    // Rows whose noise a number has, at most.
    static std::uint32_t open_rows(const sums_over_time &t) {
        std::uint32_t count = 0;
        for (const row_class &kind : t.classes) {
            count += kind.rows;
        }
        return t.is_running_total() ? count : 1;
    }

    static std::string epochs(std::uint64_t count) { return counted(count, "epoch"); }

    static std::string rows_text(const noised_sum_table &t) {
        std::string text;
        for (const row_class &kind : t.classes) {
            text += fmt::format("    rows of {}: {} open at once, an event of {} adds {} to them\n",
                                epochs(kind.span()), kind.rows, t.event, t.event * kind.total());
        }
        return text;
    }

    static std::string total_text(const noised_sum_table &t) {
        return fmt::format("    running total of {} at most: noise of {:.3g} rows on average; an "
                           "event of {} lies in {}\n",
                           epochs(t.block), t.usual_noises(), t.event,
                           counted(t.classes.size(), "row"));
    }

    static void check_rows(const json_node &table, const sums_over_time &t) {
        const bool is_total = t.strategy == "balanced" || t.strategy == "pan_private";
        if (is_total != t.is_running_total()) {
            table.fail(is_total ? "no block of epochs" : "a block: the strategy has none");
        }
        if (!is_total) {
            check_classes(table.at("classes"), t);
        } else if (t.classes != (t.strategy == "balanced" ? balanced(t) : pan_private(t))) {
            table.at("classes").fail(
                fmt::format("not those of {} over {}", in_quotes(t.strategy), epochs(t.block)));
        }
    }

    // Events lie in whole rows from the shortest up; a row that closes has all below it beside it.
    static void check_classes(const json_node &node, const sums_over_time &t) {
        std::uint32_t span = 0;
        for (const row_class &kind : t.classes) {
            if (t.classes.size() > 1 && (kind.rows != 1 || !kind.weights.empty())) {
                node.fail("rows that overlap, beside others");
            }
            if (span > 0 && (kind.step <= span || kind.step % span != 0)) {
                node.fail("a row is not made of whole shorter rows");
            }
            span = kind.step;
        }
        if (t.classes.front().step != 1) {
            node.fail("no row of one epoch");
        }
    }

    // Nodes of a tree of odd fanout, of which the block is half; nothing: it is not.
    static std::vector<row_class> balanced(const sums_over_time &t) {
        const std::uint32_t digit = t.classes.front().rows;
        std::vector<row_class> levels;
        std::uint64_t step = 1;
        for (; step / 2 < t.block; step *= 2 * digit + 1) {
            levels.push_back({static_cast<std::uint32_t>(step), digit, {}});
        }
        return step / 2 == t.block ? levels : std::vector<row_class>();
    }

    // The block, and the nodes of its binary tree without the root.
    static std::vector<row_class> pan_private(const sums_over_time &t) {
        std::vector<row_class> levels = {{t.block, 1, {}}};
        for (std::uint32_t step = 1; step < t.block; step *= 2) {
            levels.push_back({step, 1, {}});
        }
        return std::has_single_bit(t.block) ? levels : std::vector<row_class>();
    }
};

} // namespace

const mechanism &noised_sum() {
    static const sum_mechanism object;
    return object;
}

} // namespace sotto::aggregator
