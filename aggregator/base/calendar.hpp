// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_CALENDAR_HPP
#define SOTTO_AGGREGATOR_BASE_CALENDAR_HPP

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace sotto::aggregator {

// Days from 1970-01-01 to a day as ISO 8601 has it, "2024-10-04"; nothing where the text is none,
// or the day is before 1970.
std::optional<std::uint32_t> day_number(std::string_view text);

// When epochs begin and end, where a registry says so. Pure; safe to share by threads.
struct calendar {
    std::uint32_t start = 0;      // the first day of epoch 0, from 1970-01-01
    std::uint32_t epoch_days = 1; // 1 to 366

    // "2024-10-04", the first day; nothing after the year 9999.
    std::optional<std::string> first_day(std::uint32_t epoch) const;
};

// "2024-10-04", "2024-10-03 to 2024-10-09"; without dates "epoch 20000".
std::string epoch_text(const std::optional<calendar> &days, std::uint32_t epoch);
// "2024-10-01 to 2024-10-05, 2024-10-09"; without dates as in_runs (text.hpp).
std::string epochs_text(const std::optional<calendar> &days, const std::set<std::uint32_t> &epochs);

} // namespace sotto::aggregator
#endif
