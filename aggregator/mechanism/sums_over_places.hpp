// SPDX-License-Identifier: Apache-2.0
// Sums of points over sets of places (docs/STREAMS.md#places), as metrics.json says them.
#ifndef SOTTO_AGGREGATOR_MECHANISM_SUMS_OVER_PLACES_HPP
#define SOTTO_AGGREGATOR_MECHANISM_SUMS_OVER_PLACES_HPP

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace sotto::aggregator {

// Rows of one kind: row i counts `length` places from i * step on, beyond `half` of them -weight.
// A location's are squares, row by line, which begin `shift` places before 0.
struct place_class {
    std::uint32_t rows = 1, step = 1, length = 1, half = 1, weight = 1, lines = 1, shift = 0;

    bool operator==(const place_class &) const = default;

    // A point at that place adds so much to a row.
    double added(std::uint32_t row, std::uint32_t place) const;
    // The row of a line that has the place, where they lie side by side.
    std::uint32_t row_of(std::uint32_t place) const { return (place + shift) / step; }
    // How far rows change together where a point moves from one place to another.
    std::uint64_t change(std::uint32_t from, std::uint32_t until) const;
};

// A histogram's rows, or a location's.
struct sums_over_places {
    std::string strategy;             // "squares" of a location
    std::uint32_t axes = 1;           // numbers of a point: 2 for a location
    std::uint32_t places = 2;         // each is 0 to places - 1
    std::uint32_t delta = 1;          // each moves by so many at most
    std::uint32_t sources = 1;        // points of a source
    std::vector<place_class> classes; // published in this order

    bool operator==(const sums_over_places &) const = default;

    std::size_t rows() const;
    const char *unit() const { return axes == 1 ? "bin" : "cell"; }
    // By row and place, of a histogram.
    std::vector<std::vector<double>> matrix() const;
    // The most that rows change together where one point moves by `distance` at most.
    std::uint64_t sensitivity(std::uint32_t distance) const;

  private:
    std::uint64_t change(std::uint32_t from, std::uint32_t until) const;
    std::set<std::vector<bool>> moves(std::uint32_t distance) const;
};

} // namespace sotto::aggregator
#endif
