// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/squares_plan.hpp"

#include "aggregator/statistics/discrete_laplace.hpp"
#include "aggregator/statistics/joined_grids.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t grids_max = 20, begins = 4; // boxes a side, over the map

// As tools/registry/noised_points.py makes them.
struct planned_squares {
    std::uint32_t width, shift;

    bool operator<(const planned_squares &other) const {
        return std::pair(width, shift) < std::pair(other.width, other.shift);
    }
    std::uint32_t count() const { return width / shift; }
    std::uint32_t changes() const { return count() == 1 ? 2 : 4; }
    std::vector<square_grid> grids(std::uint32_t cells) const {
        std::vector<square_grid> out;
        for (std::uint32_t grid = 0; grid < count(); ++grid) {
            const std::uint32_t before = (width - grid * shift % width) % width;
            out.push_back({width, before, (cells + before + width - 1) / width});
        }
        return out;
    }
    std::uint32_t rows(std::uint32_t cells) const {
        std::uint32_t sum = 0;
        for (const square_grid &grid : grids(cells)) {
            sum += grid.lines * grid.lines;
        }
        return sum;
    }
};

// Widths from delta to a box, each a quarter wider. Wider squares serve evenly spread points alone.
std::set<planned_squares> every_grid(const plan_request &request) {
    const std::uint32_t cells = *request.cells, delta = *request.delta;
    std::set<planned_squares> out;
    for (std::uint32_t width = delta; width < cells && width <= std::max(delta, *request.range);
         width += std::max(1U, width / 4)) {
        for (const std::uint32_t grids : {1U, 2U, 3U, width / delta}) {
            if (grids >= 1 && grids <= std::min(grids_max, width / delta)) {
                out.insert({width, width / grids});
            }
        }
    }
    std::erase_if(out, [&](const planned_squares &some) {
        return some.rows(cells) > SOTTO_SUM_ROWS_MAX || some.count() > grids_max;
    });
    return out;
}

// How far a point at each cell counts otherwise than it should, squared and added up.
double cut_squares(const planned_squares &shape, std::uint32_t cells, const cell_box &box,
                   const box_weights &weights) {
    double sum = 0;
    for (std::uint32_t y = 0; y < cells; ++y) {
        for (std::uint32_t x = 0; x < cells; ++x) {
            const bool is_in =
                x >= box.x.first && x <= box.x.second && y >= box.y.first && y <= box.y.second;
            double counted = is_in ? -1 : 0;
            std::uint32_t before = 0;
            for (const square_grid &grid : shape.grids(cells)) {
                counted += weights.by_square[before + (y + grid.shift) / grid.width * grid.lines +
                                             (x + grid.shift) / grid.width];
                before += grid.lines * grid.lines;
            }
            sum += counted * counted;
        }
    }
    return sum;
}

struct box_error {
    double noise = 0, cut = 0; // in variances of a square's noise; in points of one cell
};

box_error mean_error(const planned_squares &shape, const plan_request &request) {
    const std::uint32_t cells = *request.cells, side = *request.range, free = cells - side;
    const joined_grids joined(cells, shape.grids(cells));
    box_error out;
    const auto begin = [&](std::uint32_t i) { return free * (2 * i + 1) / (2 * begins); };
    for (std::uint32_t i = 0; i < begins; ++i) {
        for (std::uint32_t j = 0; j < begins; ++j) {
            const cell_box box = {{begin(i), begin(i) + side - 1}, {begin(j), begin(j) + side - 1}};
            const box_weights weights = joined.weights(box);
            out.noise += weights.variance() / (begins * begins);
            out.cut +=
                weights.is_exact ? 0 : cut_squares(shape, cells, box, weights) / (begins * begins);
        }
    }
    return out;
}

} // namespace

std::vector<plan_option> plan_squares(const plan_request &request, double epsilon) {
    std::vector<plan_option> options;
    const double cells = *request.cells, points_of_cell = *request.points / (cells * cells);
    for (const planned_squares &shape : every_grid(request)) {
        const double unit = epsilon / shape.changes(), noise = discrete_laplace_variance(unit);
        const auto bytes = modular_noise_bytes(unit);
        if (!bytes) {
            continue;
        }
        const box_error error = mean_error(shape, request);
        plan_option out = costing(request, epsilon, "location", "noised_points");
        out.std_error =
            std::sqrt((noise * error.noise + points_of_cell * error.cut) / request.devices);
        out.single_error = std::sqrt(noise / request.devices);
        out.parameters = shape.count() == 1
                             ? fmt::format("one grid of {}", shape.width)
                             : fmt::format("{} grids of {}", shape.count(), shape.width);
        const std::uint32_t rows = shape.rows(*request.cells);
        out.random_bytes = rows * *bytes;
        out.report_bytes = planned_report_bytes({.kind = value_kind::numbers, .size = rows});
        out.keys = fmt::format("type = \"location\"\ncells = {}\ndelta = {}\nwidth = {}\n"
                               "shift = {}\nepsilons = [{}]\n",
                               *request.cells, *request.delta, shape.width, shape.shift,
                               epsilon_text(epsilon));
        options.push_back(std::move(out));
    }
    return options;
}

} // namespace sotto::aggregator
