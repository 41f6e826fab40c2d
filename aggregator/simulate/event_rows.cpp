// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/event_rows.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t epoch_max = 0xfffffffe, epochs_max = 1'000'000;

std::size_t column_of(const csv_file &from, const std::string &name, const char *option) {
    const std::vector<std::string> &header = from.header();
    const auto at = std::ranges::find(header, name);
    if (at == header.end()) {
        throw usage_error(fmt::format("{}: no column {}", option, in_quotes(name)));
    }
    if (std::find(at + 1, header.end(), name) != header.end()) {
        throw usage_error(
            fmt::format("{}: several columns are called {}", option, in_quotes(name)));
    }
    return static_cast<std::size_t>(at - header.begin());
}

template <typename Number> std::optional<Number> whole(std::string_view text) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole ? std::optional(number) : std::nullopt;
}

// The epoch of a day; a registry without dates has days from 1970-01-01 for epochs.
std::optional<std::uint32_t> epoch_of(const registry &with, std::uint32_t day) {
    const calendar days = with.days.value_or(calendar{});
    return day < days.start ? std::nullopt : std::optional((day - days.start) / days.epoch_days);
}

// Where amounts of a metric come from; nothing: a row is an event of 1.
struct counted_column {
    const metric *subject;
    std::optional<std::size_t> column;
};

counted_column read_column(const std::string &text, const csv_file &from, const registry &with) {
    const std::size_t at = text.find('=');
    const std::string name = text.substr(0, at);
    const metric *subject = with.find(name);
    if (subject == nullptr) {
        throw usage_error(fmt::format("--map: no metric {}; the registry has {}", in_quotes(name),
                                      joined(with.metric_names())));
    }
    if (protects(*subject) != protected_unit::event) {
        throw usage_error(fmt::format("--map: {} is of type {}; rows that are events need a "
                                      "counter",
                                      in_quotes(name), subject->type_name));
    }
    return {subject, at == std::string::npos
                         ? std::nullopt
                         : std::optional(column_of(from, text.substr(at + 1), "--map"))};
}

class event_reader {
  public:
    event_reader(csv_file &from, const event_columns &columns, const registry &with)
        : from_(from), with_(with), device_(column_of(from, columns.device, "--device")),
          epoch_(column_of(from, columns.epoch, "--epoch-column")) {
        for (const std::string &list : columns.map) {
            for (const std::string &mapping : split(list, ',')) {
                counted_.push_back(read_column(mapping, from, with));
            }
        }
        check_once();
    }

    event_table read() {
        std::vector<std::string> cells;
        table_.first = epoch_max;
        while (from_.next(cells)) {
            add(cells);
        }
        if (table_.devices.empty()) {
            throw usage_error("--input: no row is an event");
        }
        if (table_.last - table_.first >= epochs_max) {
            throw usage_error(fmt::format("--epoch-column: epochs {} to {}; {} at most are allowed",
                                          table_.first, table_.last, grouped(epochs_max)));
        }
        for (device_life &life : table_.devices) {
            std::ranges::stable_sort(life.events, {}, &counted_event::epoch);
        }
        return std::move(table_);
    }

  private:
    void check_once() const {
        for (std::size_t i = 0; i < counted_.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (counted_[i].subject == counted_[j].subject) {
                    throw usage_error(fmt::format("--map: {} is mapped twice",
                                                  in_quotes(counted_[i].subject->name)));
                }
            }
        }
    }

    [[noreturn]] void fail(std::size_t column, const std::string &cell, const char *what) const {
        from_.fail(fmt::format("column {}: {} is {}", in_quotes(from_.header()[column]),
                               in_quotes(cell), what));
    }

    std::uint32_t epoch(const std::string &cell) const {
        const bool is_date = cell.find('-') != std::string::npos;
        const auto number = is_date ? day_number(cell) : whole<std::uint32_t>(cell);
        if (!number || *number > epoch_max - 1) {
            fail(epoch_, cell, "no epoch: a number, or a date as 1990-01-08");
        }
        const auto now = is_date ? epoch_of(with_, *number) : number;
        if (!now) {
            fail(epoch_, cell, "before epoch_start of the registry");
        }
        return *now;
    }

    std::int32_t amount(std::size_t column, const std::string &cell) const {
        const auto number = whole<std::int64_t>(cell);
        if (!number) {
            fail(column, cell, "no whole number");
        }
        using limits = std::numeric_limits<std::int32_t>;
        return static_cast<std::int32_t>(
            std::clamp<std::int64_t>(*number, limits::min(), limits::max()));
    }

    device_life &device(const std::string &name) {
        const auto [at, is_new] = numbers_.try_emplace(name, table_.devices.size());
        if (is_new) {
            table_.devices.push_back({at->second + 1, {}});
        }
        return table_.devices[at->second];
    }

    // A device without a name is none; an empty cell is no amount.
    void add(const std::vector<std::string> &cells) {
        if (cells[device_].empty()) {
            fail(device_, "", "no device");
        }
        const std::uint32_t now = epoch(cells[epoch_]);
        table_.first = std::min(table_.first, now);
        table_.last = std::max(table_.last, now);
        device_life &life = device(cells[device_]);
        for (const counted_column &source : counted_) {
            if (!source.column) {
                life.events.push_back({now, source.subject, 1});
            } else if (!cells[*source.column].empty()) {
                life.events.push_back(
                    {now, source.subject, amount(*source.column, cells[*source.column])});
            }
        }
    }

    csv_file &from_;
    const registry &with_;
    std::size_t device_, epoch_;
    std::vector<counted_column> counted_;
    std::map<std::string, std::uint64_t> numbers_;
    event_table table_;
};

} // namespace

event_table read_events(csv_file &from, const event_columns &columns, const registry &with) {
    return event_reader(from, columns, with).read();
}

} // namespace sotto::aggregator
