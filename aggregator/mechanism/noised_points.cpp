// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/laplace_law.hpp"
#include "aggregator/mechanism/lattice.hpp"
#include "aggregator/mechanism/modular_sums.hpp"
#include "aggregator/mechanism/places_plan.hpp"
#include "aggregator/mechanism/squares_plan.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t weight_max = 65535, sources_max = 1000;

// Rows are parts of a line side by side, each perhaps in two halves, or go on to its end.
place_class read_places(const json_node &node, std::uint32_t places) {
    place_class some = {
        node.at("rows").integer(1, SOTTO_SUM_ROWS_MAX), node.at("step").integer(1, places * 2),
        node.at("length").integer(1, places * 2), node.at("half").integer(1, places * 2),
        node.at("weight").integer(1, weight_max)};
    (void)node.at("lines").integer(1, 1);
    (void)node.at("shift").integer(0, 0);
    if (some.half > some.length || (some.length != some.step && some.length != places)) {
        node.fail("neither side by side nor to the end");
    }
    if (some.rows != (places + some.step - 1) / some.step ||
        (some.length > some.step && some.half != some.length)) {
        node.fail("not the rows of all places");
    }
    return some;
}

// A grid of squares that lie side by side, shifted by less than one of them.
place_class read_grid(const json_node &node, std::uint32_t places) {
    const std::uint32_t width = node.at("step").integer(1, places - 1);
    place_class grid = {node.at("rows").integer(1, SOTTO_SUM_ROWS_MAX),
                        width,
                        width,
                        width,
                        1,
                        node.at("lines").integer(1, SOTTO_SUM_ROWS_MAX),
                        node.at("shift").integer(0, width - 1)};
    for (const char *same : {"length", "half"}) {
        (void)node.at(same).integer(width, width);
    }
    (void)node.at("weight").integer(1, 1);
    if (grid.rows != grid.row_of(places - 1) + 1 || grid.lines != grid.rows) {
        node.fail("not the squares of all cells");
    }
    return grid;
}

// The estimates rely on borders that no two grids share, and on the first grid's begin.
void check_grids(const json_node &node, const std::vector<place_class> &grids) {
    std::set<std::uint32_t> shifts;
    for (const place_class &grid : grids) {
        if (grid.step != grids.front().step || !shifts.insert(grid.shift).second) {
            node.fail("grids of other squares, or one twice");
        }
    }
    if (grids.front().shift != 0) {
        node.fail("the first grid is shifted");
    }
}

// Histograms and locations: sums of points modulo 2^32, over sets of places, each of which began as
// its noise.
class points_mechanism final : public noised_numbers {
  public:
    static const noised_points_table &table_of(const metric &m) {
        return std::get<noised_points_table>(m.table);
    }
    static std::uint32_t axes_of(const metric &m) { return m.type == SOTTO_TYPE_LOCATION ? 2 : 1; }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        noised_points_table t;
        static_cast<sums_over_places &>(t) = read_shape(node, axes_of(m));
        t.noise = read_row_noise(node, levels);
        m.table = std::move(t);
    }
    protected_unit protects(const metric &) const override { return protected_unit::source; }
    answer_shape answers(const metric &) const override { return answer_shape::sums_over_places; }
    // Rows that don't change any more bound a long way.
    std::optional<point_moves> moves(const metric &m) const override {
        const noised_points_table &t = table_of(m);
        const auto changed = [&](std::uint32_t by) {
            return static_cast<double>(t.sensitivity(by));
        };
        return point_moves{t.delta,   t.places - 1, t.axes,
                           t.sources, t.unit(),     changed(t.places - 1) / changed(t.delta)};
    }

    // The loss of a source, whose points each move by delta at most.
    double loss(const metric &m, const level_law &law) const override {
        const noised_points_table &t = table_of(m);
        return unit_epsilon_of(law) * t.sources * static_cast<double>(t.sensitivity(t.delta));
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        const noised_points_table &t = table_of(m);
        sotto_noised_points out = {};
        out.noise = memory.keep(in_flash(t.noise, memory));
        out.classes = memory.each<sotto_place_class>(t.classes, [](const place_class &some) {
            const auto narrow = [](std::uint32_t n) { return static_cast<std::uint16_t>(n); };
            return sotto_place_class{narrow(some.rows),   narrow(some.lines), narrow(some.step),
                                     narrow(some.length), narrow(some.half),  narrow(some.shift),
                                     narrow(some.weight)};
        });
        out.places = static_cast<std::uint16_t>(t.places);
        out.class_count = static_cast<std::uint8_t>(t.classes.size());
        out.axes = static_cast<std::uint8_t>(t.axes);
        image.table.noised_points = memory.keep(out);
    }

    published_values published(const metric &m) const override {
        return any_numbers(table_of(m).rows());
    }
    const sums_over_places *over_places(const metric &m) const override { return &table_of(m); }

    std::optional<number_range> range(const metric &) const override {
        return number_range{0, std::numeric_limits<std::int32_t>::max(), std::nullopt};
    }
    // Counts are never below 0: noise alone is.
    void check(const metric &m, const level_law &law, const level_tally &at, double,
               quality_sums &sums) const override {
        const double noise = honest_noise(static_cast<double>(at.reports), law);
        auto row = at.numbers.begin();
        for (const place_class &some : table_of(m).classes) {
            for (std::uint32_t i = 0; i < some.rows * some.lines; ++i, ++row) {
                sums.count(some.half == some.length && static_cast<double>(row->sum) < -noise);
            }
        }
    }

    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        return request.cells ? plan_squares(request, epsilon) : plan_places(request, epsilon);
    }

    std::string table_text(const metric &m) const override {
        const noised_points_table &t = table_of(m);
        std::string text = row_noise_text(t.noise);
        for (const place_class &some : t.classes) {
            if (t.axes == 2) {
                text += fmt::format("    {} times {} squares of {} times {} cells, the first one "
                                    "from {} on\n",
                                    some.rows, some.lines, some.step, some.step,
                                    -static_cast<int>(some.shift));
                continue;
            }
            text += fmt::format("    {} of {}, one from each {}: a point adds {}{}\n",
                                counted(some.rows, "row"), counted(some.length, "bin"),
                                counted(some.step, "bin"), some.weight,
                                some.half < some.length
                                    ? fmt::format(", beyond {} of them -{}", some.half, some.weight)
                                    : "");
        }
        return text;
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        const noised_points_table &t = table_of(m);
        nlohmann::ordered_json classes = nlohmann::ordered_json::array();
        for (const place_class &some : t.classes) {
            classes.push_back({{"rows", some.rows},
                               {"step", some.step},
                               {"length", some.length},
                               {"half", some.half},
                               {"weight", some.weight},
                               {"lines", some.lines},
                               {"shift", some.shift}});
        }
        return {{"noise", nlohmann::ordered_json::array({noise_json(t.noise)})},
                {"classes", classes},
                {"places", t.places},
                {"strategy", t.strategy}};
    }

  private:
    const laplace_noise_table &noise_of(const metric &m) const override {
        return table_of(m).noise;
    }

    static sums_over_places read_shape(const json_node &metric_node, std::uint32_t axes) {
        const json_node table = metric_node.at("table");
        sums_over_places shape;
        shape.axes = table.at("axes").integer(axes, axes);
        shape.strategy = axes == 1 ? read_strategy(metric_node.at("strategy"),
                                                   {"identity", "suffix", "tree", "haar", "hybrid"})
                                   : "squares";
        shape.places = table.at("places").integer(2, SOTTO_SUM_ROWS_MAX);
        shape.delta = metric_node.at("delta").integer(1, shape.places - 1);
        shape.sources = metric_node.at("sources").integer(1, sources_max);
        for (const json_node &some : table.at("classes").elements(1, SOTTO_SUM_CLASSES_MAX)) {
            shape.classes.push_back(axes == 1 ? read_places(some, shape.places)
                                              : read_grid(some, shape.places));
        }
        if (axes == 2) {
            check_grids(table.at("classes"), shape.classes);
        }
        if (shape.rows() > SOTTO_SUM_ROWS_MAX) {
            table.at("classes").fail(fmt::format("more than {} rows", SOTTO_SUM_ROWS_MAX));
        }
        return shape;
    }
};

} // namespace

const mechanism &noised_points() {
    static const points_mechanism object;
    return object;
}

} // namespace sotto::aggregator
