// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/places.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"
#include "aggregator/statistics/joined_grids.hpp"
#include "aggregator/statistics/joined_rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace sotto::aggregator {
namespace {

estimated known_to(double value, double variance, std::uint64_t reports) {
    estimated out;
    out.value = value;
    out.std_error = std::sqrt(std::max(0.0, variance));
    out.reports = reports;
    return out;
}

// The rows of one metric, added up over all reports.
class counted_rows {
  public:
    counted_rows(const metric &m, const level_tally &tally) : reports_(tally.reports) {
        for (const number_count &row : tally.numbers) {
            sums_.push_back(static_cast<double>(row.sum));
        }
        noise_ = static_cast<double>(reports_) * mechanism_of(m).noise_variance(m, m.law(0));
    }

    const std::vector<double> &sums() const { return sums_; }
    // `variance` is in variances of one row's noise.
    place_count count(row_value value, double sum, double variance) const {
        const auto n = static_cast<double>(reports_);
        return {std::move(value), known_to(sum / n, noise_ * variance / (n * n), reports_),
                known_to(sum, noise_ * variance, reports_)};
    }

  private:
    std::uint64_t reports_;
    std::vector<double> sums_;
    double noise_ = 0;
};

std::vector<place_count> estimate_bins(const metric &m, const level_tally &tally,
                                       std::span<const place_range> ranges) {
    const sums_over_places &shape = *mechanism_of(m).over_places(m);
    const joined_rows joined(shape.matrix());
    if (!joined.is_determined()) {
        throw usage_error(fmt::format("metric {}: its rows don't tell its bins apart; only "
                                      "sotto-registry makes registries",
                                      in_quotes(m.name)));
    }
    const counted_rows counted(m, tally);
    const std::vector<double> bins = joined.cells(counted.sums());
    std::vector<place_count> out;
    const auto add = [&](row_value value, std::uint32_t first, std::uint32_t last) {
        const double sum = std::accumulate(bins.begin() + first, bins.begin() + last + 1, 0.0);
        out.push_back(counted.count(std::move(value), sum, joined.variance(first, last)));
    };
    for (const auto &[first, last] : ranges) {
        if (last < shape.places) {
            add(fmt::format("{}:{}", first, last), first, last);
        }
    }
    for (std::uint32_t bin = 0; ranges.empty() && bin < shape.places; ++bin) {
        add(bin, bin, bin);
    }
    return out;
}

std::vector<cell_box> first_grid(const sums_over_places &shape) {
    std::vector<cell_box> squares;
    const std::uint32_t width = shape.classes.front().step;
    const auto from = [&](std::uint32_t first) {
        return std::pair(first, std::min(first + width, shape.places) - 1);
    };
    for (std::uint32_t y = 0; y < shape.places; y += width) {
        for (std::uint32_t x = 0; x < shape.places; x += width) {
            squares.push_back({from(x), from(y)});
        }
    }
    return squares;
}

joined_grids grids_of(const sums_over_places &shape) {
    std::vector<square_grid> grids;
    for (const place_class &some : shape.classes) {
        grids.push_back({some.step, some.shift, some.lines});
    }
    return joined_grids(shape.places, std::move(grids));
}

std::vector<place_count> estimate_boxes(const metric &m, const level_tally &tally,
                                        std::span<const cell_box> boxes) {
    const sums_over_places &shape = *mechanism_of(m).over_places(m);
    const joined_grids joined = grids_of(shape);
    const counted_rows counted(m, tally);
    const Eigen::Map<const Eigen::VectorXd> sums(counted.sums().data(),
                                                 static_cast<Eigen::Index>(counted.sums().size()));
    const std::vector<cell_box> squares = first_grid(shape);
    std::vector<place_count> out;
    for (const cell_box &box : boxes.empty() ? std::span<const cell_box>(squares) : boxes) {
        if (std::max(box.x.second, box.y.second) >= shape.places) {
            continue;
        }
        const box_weights weights = joined.weights(box);
        out.push_back(counted.count(
            fmt::format("{}:{},{}:{}", box.x.first, box.x.second, box.y.first, box.y.second),
            weights.by_square.dot(sums), weights.variance()));
        out.back().is_cut = !weights.is_exact;
    }
    return out;
}

} // namespace

std::vector<place_count> estimate_places(const metric &m, const level_tally &tally,
                                         std::span<const place_range> ranges,
                                         std::span<const cell_box> boxes) {
    return mechanism_of(m).over_places(m)->axes == 1 ? estimate_bins(m, tally, ranges)
                                                     : estimate_boxes(m, tally, boxes);
}

void check_ranges(const std::vector<const metric *> &metrics,
                  const std::vector<place_range> &ranges) {
    for (const auto &[first, last] : ranges) {
        std::uint32_t bins = 0;
        for (const metric *m : metrics) {
            const sums_over_places *shape = mechanism_of(*m).over_places(*m);
            bins = std::max(bins, shape == nullptr || shape->axes > 1 ? 0 : shape->places);
        }
        if (last >= bins) {
            throw usage_error(bins == 0 ? "--range: no metric that is asked for is a histogram"
                                        : fmt::format("--range: {}:{}: the last bin is {}", first,
                                                      last, bins - 1));
        }
    }
}

void check_boxes(const std::vector<const metric *> &metrics, const std::vector<cell_box> &boxes) {
    std::uint32_t cells = 0;
    for (const metric *m : metrics) {
        const sums_over_places *shape = mechanism_of(*m).over_places(*m);
        cells = std::max(cells, shape == nullptr || shape->axes == 1 ? 0 : shape->places);
    }
    if (!boxes.empty() && cells == 0) {
        throw usage_error("--box: no metric that is asked for is a location");
    }
    for (const auto &[x, y] : boxes) {
        if (std::max(x.second, y.second) >= cells) {
            throw usage_error(fmt::format("--box: {}:{},{}:{}: the last cell is {}", x.first,
                                          x.second, y.first, y.second, cells - 1));
        }
    }
}

} // namespace sotto::aggregator
