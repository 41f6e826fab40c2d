// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SIMULATE_SIMULATED_ROWS_HPP
#define SOTTO_AGGREGATOR_SIMULATE_SIMULATED_ROWS_HPP

#include "aggregator/simulate/exact_share.hpp"
#include "aggregator/simulate/mapping.hpp"
#include "aggregator/simulate/simulated_fleet.hpp"

#include <vector>

namespace sotto::aggregator {

// The devices that the rows of a table stand for, some at a time.
class simulated_rows {
  public:
    struct plan {
        std::uint64_t repeat = 1; // devices a row
        std::uint32_t levels = 0; // highest level that each value is published at, from 0
        // Values with a second level that are published at it: in millionths, 0 to 999,999.
        std::uint32_t relaxed = 0;
    };

    // `from` and `columns` must outlive it. Equal seeds relax equal devices.
    simulated_rows(csv_file &from, std::vector<mapped_column> &columns, const plan &how,
                   std::uint64_t seed)
        : from_(from), columns_(columns), plan_(how), relaxed_(how.relaxed, seed) {}

    // Replaces `block` by the next devices, 4,096 at most; false at the end of the table.
    // Errors: usage_error naming row and column; environment_error where the table can't be read.
    bool next(std::vector<simulated_device> &block);

    // So many came so far.
    std::uint64_t devices() const noexcept { return devices_; }
    // The share of the table, 0 to 1; 0 when nobody knows.
    double done_share() const;

  private:
    bool read_row();
    std::uint32_t levels_of(const metric &m);

    csv_file &from_;
    std::vector<mapped_column> &columns_;
    plan plan_;
    exact_share relaxed_;
    std::vector<std::string> cells_;
    std::vector<measured_value> values_; // the present row's
    std::uint64_t left_ = 0;             // devices of it
    std::uint64_t row_begin_ = 0;        // in bytes
    std::uint64_t devices_ = 0;
};

} // namespace sotto::aggregator
#endif
