// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SIMULATE_CELL_VALUE_HPP
#define SOTTO_AGGREGATOR_SIMULATE_CELL_VALUE_HPP

#include "aggregator/registry/registry.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sotto::aggregator {

// A true value as the SDK takes it. A boolean, the index of a category, the indices of members, or
// a string. An integer (also for a mean), or the numbers of a vector.
using cell_value = std::variant<bool, std::uint32_t, std::vector<std::uint16_t>, std::string,
                                std::int32_t, std::vector<std::int32_t>>;

// Texts of a boolean's column that the user told apart with --true or --false.
struct listed_texts {
    std::map<std::string, bool, std::less<>> seen; // listed: has any row had it?
    bool value = true; // a listed text's; any other text's is the opposite
};

// Reads the cells of one metric's column.
class cell_reader {
  public:
    explicit cell_reader(const metric &m);

    // The value of a cell that is not empty. Errors: std::invalid_argument, saying what the cell
    // is not.
    cell_value read(const std::string &cell);

    // False for booleans, categories, sets and strings.
    bool has_numbers() const;

    static constexpr std::uint32_t scale_max = 1'000'000'000;

    listed_texts listed;     // booleans: texts that mean true or false
    std::uint32_t scale = 1; // numbers: a cell times this, rounded to a whole number

  private:
    std::optional<std::int32_t> number(std::string_view text) const;
    std::vector<std::int32_t> numbers(const std::string &cell, const std::string &list) const;
    std::vector<std::int32_t> fixed_numbers(const std::string &cell) const;
    std::vector<std::int32_t> pairs(const std::string &cell) const;
    const char *wanted() const; // a number's name in messages
    bool boolean(const std::string &cell);
    std::uint32_t named(const std::string &name) const;

    const metric *m_;
    std::map<std::string, std::uint32_t, std::less<>> index_; // categories or members by name
};

} // namespace sotto::aggregator
#endif
