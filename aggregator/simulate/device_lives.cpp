// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/device_lives.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t epoch_max = 0xfffffffe, epochs_max = 1'000'000;

std::optional<std::uint32_t> whole(std::string_view text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole ? std::optional(number) : std::nullopt;
}

// The epoch of a day; a registry without dates has days from 1970-01-01 for epochs.
std::optional<std::uint32_t> epoch_of(const registry &with, std::uint32_t day) {
    const calendar days = with.days.value_or(calendar{});
    return day < days.start ? std::nullopt : std::optional((day - days.start) / days.epoch_days);
}

class life_reader {
  public:
    life_reader(csv_file &from, std::vector<mapped_column> &mapped, const life_columns &columns,
                const registry &with)
        : from_(from), mapped_(mapped), with_(with),
          device_(find_column(columns.device, from, "--device")),
          epoch_(find_column(columns.epoch, from, "--epoch-column")) {}

    device_lives read() {
        std::vector<std::string> cells;
        lives_.first = epoch_max;
        while (from_.next(cells)) {
            add(cells);
        }
        if (lives_.devices.empty()) {
            throw usage_error("--input: there is no row");
        }
        if (lives_.last - lives_.first >= epochs_max) {
            throw usage_error(fmt::format("--epoch-column: epochs {} to {}; {} at most are allowed",
                                          lives_.first, lives_.last, grouped(epochs_max)));
        }
        for (device_life &life : lives_.devices) {
            std::ranges::stable_sort(life.values, {}, &dated_value::epoch);
        }
        return std::move(lives_);
    }

  private:
    [[noreturn]] void fail(std::size_t column, const std::string &cell, const char *what) const {
        from_.fail(fmt::format("column {}: {} is {}", in_quotes(from_.header()[column]),
                               in_quotes(cell), what));
    }

    std::uint32_t epoch(const std::string &cell) const {
        const bool is_date = cell.find('-') != std::string::npos;
        const auto number = is_date ? day_number(cell) : whole(cell);
        if (!number || *number > epoch_max - 1) {
            fail(epoch_, cell, "no epoch: a number, or a date as 1990-01-08");
        }
        const auto now = is_date ? epoch_of(with_, *number) : number;
        if (!now) {
            fail(epoch_, cell, "before epoch_start of the registry");
        }
        return *now;
    }

    device_life &device(const std::string &name) {
        const auto [at, is_new] = numbers_.try_emplace(name, lives_.devices.size());
        if (is_new) {
            lives_.devices.push_back({at->second + 1, {}});
        }
        return lives_.devices[at->second];
    }

    // A device without a name is none; an empty cell is no value.
    void add(const std::vector<std::string> &cells) {
        if (cells[device_].empty()) {
            fail(device_, "", "no device");
        }
        const std::uint32_t now = epoch(cells[epoch_]);
        lives_.first = std::min(lives_.first, now);
        lives_.last = std::max(lives_.last, now);
        device_life &life = device(cells[device_]);
        for (mapped_column &source : mapped_) {
            if (std::optional<cell_value> value = source.read(cells, from_)) {
                life.values.push_back({now, source.subject, std::move(*value)});
            }
        }
    }

    csv_file &from_;
    std::vector<mapped_column> &mapped_;
    const registry &with_;
    std::size_t device_, epoch_;
    std::map<std::string, std::uint64_t> numbers_;
    device_lives lives_;
};

} // namespace

device_lives read_lives(csv_file &from, std::vector<mapped_column> &mapped,
                        const life_columns &columns, const registry &with) {
    return life_reader(from, mapped, columns, with).read();
}

} // namespace sotto::aggregator
