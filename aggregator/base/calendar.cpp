// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/calendar.hpp"

#include "aggregator/base/text.hpp"

#include <array>
#include <chrono>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::uint64_t days_max = 2'932'896; // 9999-12-31

std::optional<std::string> day_text(std::uint64_t day) {
    if (day > days_max) {
        return std::nullopt;
    }
    const year_month_day date(sys_days(days(static_cast<int>(day))));
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::uint64_t day_of(const calendar &from, std::uint64_t epoch) {
    return from.start + epoch * from.epoch_days;
}

std::optional<std::string> last_day(const calendar &from, std::uint32_t epoch) {
    return day_text(day_of(from, std::uint64_t{epoch} + 1) - 1);
}

// The epochs `first` to `last`; nothing where they have no dates.
std::optional<std::string> span_text(const calendar &from, std::uint32_t first,
                                     std::uint32_t last) {
    const auto begin = from.first_day(first), end = last_day(from, last);
    if (!begin || !end) {
        return std::nullopt;
    }
    return *begin == *end ? *begin : *begin + " to " + *end;
}

} // namespace

std::optional<std::uint32_t> day_number(std::string_view text) {
    std::array<unsigned, 3> number = {};
    std::size_t at = 0;
    for (const char c : text) {
        if (c == '-') {
            ++at;
        } else if (at < number.size() && '0' <= c && c <= '9') {
            number[at] = (10 * number[at] + static_cast<unsigned>(c - '0')) % 10'000;
        } else {
            return std::nullopt;
        }
    }
    const year_month_day date(std::chrono::year(static_cast<int>(number[0])),
                              std::chrono::month(number[1]), std::chrono::day(number[2]));
    if (!date.ok() || date.year() < std::chrono::year(1970)) {
        return std::nullopt;
    }
    const auto day = static_cast<std::uint32_t>(sys_days(date).time_since_epoch().count());
    return day_text(day) == text ? std::optional(day) : std::nullopt;
}

std::optional<std::string> calendar::first_day(std::uint32_t epoch) const {
    return day_text(day_of(*this, epoch));
}

std::string epoch_text(const std::optional<calendar> &days, std::uint32_t epoch) {
    const auto dates = days ? span_text(*days, epoch, epoch) : std::nullopt;
    return dates ? *dates : fmt::format("epoch {}", epoch);
}

std::string epochs_text(const std::optional<calendar> &days,
                        const std::set<std::uint32_t> &epochs) {
    if (!days || epochs.empty() || !last_day(*days, *epochs.rbegin())) {
        return in_runs("epoch", epochs);
    }
    std::vector<std::string> texts;
    const auto runs = runs_of(epochs);
    for (const auto &[first, last] : runs) {
        texts.push_back(*span_text(*days, first, last));
    }
    if (runs.back()[1] != *epochs.rbegin()) {
        texts.emplace_back("...");
    }
    return joined(texts);
}

} // namespace sotto::aggregator
