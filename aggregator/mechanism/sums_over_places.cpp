// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/sums_over_places.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {

double place_class::added(std::uint32_t row, std::uint32_t place) const {
    const std::uint64_t first = std::uint64_t{row} * step;
    if (place < first || place - first >= length) {
        return 0;
    }
    return place - first < half ? weight : -static_cast<double>(weight);
}

std::uint64_t place_class::change(std::uint32_t from, std::uint32_t until) const {
    const std::uint32_t first = std::min(from, until), last = std::max(from, until);
    if (length > step) { // to the end: the rows that begin between the two
        return std::uint64_t{weight} *
               (std::min(last / step, rows - 1) - std::min(first / step, rows - 1));
    }
    if (first / step != last / step) {
        return 2 * std::uint64_t{weight};
    }
    return (first % step < half) != (last % step < half) ? 2 * std::uint64_t{weight} : 0;
}

std::size_t sums_over_places::rows() const {
    std::size_t count = 0;
    for (const place_class &some : classes) {
        count += std::size_t{some.rows} * some.lines;
    }
    return count;
}

std::vector<std::vector<double>> sums_over_places::matrix() const {
    std::vector<std::vector<double>> lines;
    for (const place_class &some : classes) {
        for (std::uint32_t row = 0; row < some.rows; ++row) {
            std::vector<double> &line = lines.emplace_back(places);
            for (std::uint32_t place = 0; place < places; ++place) {
                line[place] = some.added(row, place);
            }
        }
    }
    return lines;
}

std::uint64_t sums_over_places::change(std::uint32_t from, std::uint32_t until) const {
    std::uint64_t sum = 0;
    for (const place_class &some : classes) {
        sum += some.change(from, until);
    }
    return sum;
}

// The classes whose row changes where one number of a point moves so far: every way there is.
std::set<std::vector<bool>> sums_over_places::moves(std::uint32_t distance) const {
    std::set<std::vector<bool>> found;
    for (std::uint32_t from = 0; from < places; ++from) {
        for (std::uint32_t until = from; until < places && until - from <= distance; ++until) {
            std::vector<bool> changed;
            for (const place_class &some : classes) {
                changed.push_back(some.row_of(from) != some.row_of(until));
            }
            found.insert(std::move(changed));
        }
    }
    return found;
}

std::uint64_t sums_over_places::sensitivity(std::uint32_t distance) const {
    std::uint64_t most = 0;
    for (std::uint32_t from = 0; axes == 1 && from < places; ++from) {
        for (std::uint32_t until = from; until < places && until - from <= distance; ++until) {
            most = std::max(most, change(from, until));
        }
    }
    const auto every = axes == 2 ? moves(distance) : std::set<std::vector<bool>>();
    for (const std::vector<bool> &x : every) {
        for (const std::vector<bool> &y : every) {
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < classes.size(); ++i) {
                sum += x[i] || y[i] ? 2 : 0;
            }
            most = std::max(most, sum);
        }
    }
    return most;
}

} // namespace sotto::aggregator
