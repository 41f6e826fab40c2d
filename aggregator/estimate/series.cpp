// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/series.hpp"

#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/mechanism/totals_apart.hpp"
#include "aggregator/statistics/closed_rows.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"
#include "aggregator/statistics/rising.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// The furthest from 0 that an honest device's number is; noise lies outside once in 10^13.
double furthest(const sums_over_time &counter, std::size_t at, std::uint32_t epoch,
                double unit_epsilon) {
    constexpr double noise_end = 30;
    if (!counter.plausible_max) {
        return 0x1p31;
    }
    return std::min(0x1p31, counter.of_units(at, epoch, *counter.plausible_max) +
                                noise_end * counter.noises(epoch) / unit_epsilon);
}

// The bits that such a number has at most.
std::size_t plausible_size(double furthest_number) {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(furthest_number)));
}

// The distance of two numbers that still count, at most: sums are kept by their bits.
double widest_move(double furthest_number) {
    return 2 * std::min(0x1p31, std::ldexp(1, static_cast<int>(plausible_size(furthest_number))));
}

// The plausible sums of a class that closed in one epoch.
struct class_sums {
    double reports = 0, sum = 0, squares = 0;

    double mean() const { return sum / reports; }
    // Between devices: that of the noise is taken off.
    double spread(double noise) const {
        return reports < 2 ? 0
                           : std::max(0.0, (squares - sum * sum / reports) / (reports - 1) - noise);
    }
};

class series {
  public:
    series(const metric &m, const series_tallies &tallies, const series_request &request,
           const said_of &say)
        : metric_(m), counter_(*mechanism_of(m).over_time(m)), tallies_(tallies), request_(request),
          say_(say), unit_(*mechanism_of(m).unit_epsilon(m, m.law(0))),
          noise_(mechanism_of(m).noise_variance(m, m.law(0))), rows_(spans()) {
        read();
        remark();
    }

    std::vector<estimate_row> finish() {
        if (counter_.is_decayed()) {
            add_decayed();
        } else if (counter_.is_running_total()) {
            add_totals();
        } else {
            add_sums();
        }
        add_monotone();
        return std::move(out_);
    }

  private:
    std::vector<std::uint32_t> spans() const {
        if (counter_.is_running_total()) {
            return {1};
        }
        std::vector<std::uint32_t> steps;
        for (const row_class &kind : counter_.classes) {
            steps.push_back(kind.step);
        }
        return steps;
    }

    class_sums sums(const level_tally &at, std::size_t level, std::uint32_t epoch) {
        class_sums out;
        const std::size_t most = plausible_size(furthest(counter_, level, epoch, unit_));
        for (std::size_t size = 0; size < row_sums::sizes; ++size) {
            const row_sums &some = at.rows[level * row_sums::sizes + size];
            numbers_ += some.reports;
            if (size > most) {
                dropped_ += some.reports;
                continue;
            }
            out.reports += static_cast<double>(some.reports);
            out.sum += static_cast<double>(some.sum);
            out.squares += some.squares();
        }
        return out;
    }

    void read() {
        for (const auto &[epoch, tally] : tallies_) {
            for (std::size_t level = 0; level < counter_.numbers(); ++level) {
                const class_sums found = sums(tally, level, epoch);
                if (found.reports > 0) {
                    add(level, epoch, found);
                }
            }
        }
    }

    void add(std::size_t level, std::uint32_t epoch, const class_sums &found) {
        const double own = counter_.noises(epoch) * noise_ / found.reports;
        if (level == 0) {
            devices_[epoch] = found.reports;
            each_[epoch] = 1;
            spreads_[epoch] = found.spread(0);
        }
        const double moved = widest_move(furthest(counter_, level, epoch, unit_));
        rows_.add(level, epoch,
                  {found.mean(), own + deviation(level, epoch, found),
                   moved * static_cast<double>(request_.coalition) / found.reports});
    }

    // Between the mean of these devices and that of all who counted in the row's epochs.
    double deviation(std::size_t level, std::uint32_t epoch, const class_sums &found) {
        if (level == 0) {
            return 0;
        }
        double apart = 0;
        const auto last = devices_.upper_bound(epoch);
        for (auto at = devices_.lower_bound(epoch - (counter_.classes[level].step - 1)); at != last;
             ++at) {
            apart = std::max(apart, std::abs(1 / found.reports - 1 / at->second));
        }
        ++longer_rows_;
        of_fewer_ += apart > 0 ? 1 : 0;
        return apart * found.spread(noise_);
    }

    void remark() {
        if (!counter_.plausible_max) {
            say_(sums_without_bound{});
        } else if (dropped_ > 0) {
            say_(implausible_sums{dropped_, numbers_, *counter_.plausible_max});
        }
        if (of_fewer_ > 0) {
            say_(rows_of_fewer{of_fewer_, longer_rows_});
        }
        if (counter_.is_running_total()) {
            remark_lost_devices();
        }
        if (counter_.is_decayed() && (request_.window || request_.decay)) {
            say_(decayed_on_device{});
        }
        if (counter_.is_running_total() && (request_.decay || request_.smoothed)) {
            say_(total_on_device{});
        }
        remark_gaps();
    }

    void remark_lost_devices() {
        totals_of_fewer found;
        double most = 0;
        std::optional<std::uint32_t> last_block;
        for (const auto &[epoch, reports] : devices_) {
            const std::uint32_t own_block = epoch / counter_.block;
            most = last_block == own_block ? std::max(most, reports) : reports;
            last_block = own_block;
            ++found.totals;
            found.fewer += reports < most ? 1 : 0;
        }
        if (found.fewer > 0) {
            say_(found);
        }
    }

    void remark_gaps() {
        epochs_without_reports gaps;
        std::optional<std::uint32_t> last;
        for (const auto &[epoch, reports] : devices_) {
            if (last && epoch - *last > 1) {
                gaps.first = gaps.epochs == 0 ? *last + 1 : gaps.first;
                gaps.epochs += epoch - *last - 1;
            }
            last = epoch;
        }
        if (gaps.epochs > 0) {
            say_(gaps);
        }
    }

    // A sum that the devices made: in units of an event that is new.
    void add_decayed() {
        const double unit = counter_.classes.front().weights.front();
        for (const auto &[epoch, reports] : devices_) {
            const row_reading &row = *rows_.find(0, epoch);
            const weighed_sum mean = {row.value / unit, row.variance / (unit * unit), 1,
                                      row.reach / unit};
            const weighed_sum total = {mean.value * reports, mean.variance * reports * reports, 1,
                                       0};
            add_row("decayed", epoch, mean, total);
        }
    }

    // The devices' own sums since their block began.
    void add_totals() {
        for (const auto &[epoch, reports] : devices_) {
            const row_reading &row = *rows_.find(0, epoch);
            const std::uint32_t epochs = epoch % counter_.block + 1;
            add_row("running total", epoch, {row.value, row.variance, epochs, row.reach},
                    {row.value * reports, row.variance * reports * reports, epochs, 0});
            if (request_.window) {
                add_window_of_totals(epoch, *request_.window);
            }
        }
    }

    // Differences of totals, block by block. Blocks without reports are in no sum; where the total
    // before the window is missing there is none.
    void add_window_of_totals(std::uint32_t epoch, std::uint32_t epochs) {
        const std::uint32_t span = counter_.block;
        weighed_sum mean, total;
        std::uint64_t first = epoch - std::min(epoch, epochs - 1), next = 0;
        for (; first <= epoch; first = next) {
            next = (first / span + 1) * span;
            const auto begin = static_cast<std::uint32_t>(first);
            const auto last = static_cast<std::uint32_t>(std::min<std::uint64_t>(epoch, next - 1));
            const auto any = devices_.lower_bound(begin);
            if (any == devices_.end() || any->first > last) {
                continue;
            }
            const std::optional<weighed_sum> some = difference(begin, last);
            if (!some) {
                return;
            }
            const double devices = devices_.at(last);
            mean.add(*some);
            total.add({some->value * devices, some->variance * devices * devices, some->epochs, 0});
        }
        add_row(fmt::format("window {}", epochs), epoch, mean, total);
    }

    // The events from `first` to `last`, which lie in one block.
    std::optional<weighed_sum> difference(std::uint32_t first, std::uint32_t last) const {
        const bool is_whole = first % counter_.block == 0;
        const row_reading *const after = rows_.find(0, last);
        const row_reading *const before = is_whole ? nullptr : rows_.find(0, first - 1);
        if (after == nullptr || (before == nullptr && !is_whole)) {
            return std::nullopt;
        }
        weighed_sum sum = {after->value, after->variance, last - first + 1, after->reach};
        if (before != nullptr) {
            // Devices that were lost meanwhile count as the others do, with noise of their own.
            const double then = devices_.at(first - 1), now = devices_.at(last);
            const double spread = std::max(spreads_.at(first - 1), spreads_.at(last));
            sum.value -= before->value;
            sum.variance =
                noises_between(counter_, first - 1, last) * noise_ / std::min(then, now) +
                std::abs(1 / now - 1 / then) * spread;
            sum.reach += before->reach;
        }
        return sum;
    }

    // Amounts are never below 0, so neither are totals, and none falls. A running total begins anew
    // with its block.
    void add_monotone() {
        std::map<std::pair<std::string, std::uint32_t>, std::vector<estimate_row *>> totals;
        for (estimate_row &row : out_) {
            const auto &name = std::get<std::string>(row.value);
            if (name == "running total" || name.starts_with("prefix")) {
                totals[{name, counter_.is_running_total() ? *row.epoch / counter_.block : 0}]
                    .push_back(&row);
            }
        }
        for (const auto &[key, rows] : totals) {
            std::vector<double> sums_so_far;
            for (const estimate_row *row : rows) {
                sums_so_far.push_back(row->result.value);
            }
            sums_so_far = rising(sums_so_far);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                rows[i]->monotone = std::max(0.0, sums_so_far[i]);
            }
        }
    }

    // A weighed sum twice: of the mean of a device, and of all devices.
    struct both {
        weighed_sums mean, total;
        weighed_sum mean_before = {}, total_before = {}; // all rows at the top that are over
        std::uint32_t begin = 0;                         // begin of the row that is not over
        double rate = 1;
    };
    both weighed_by(double rate) {
        return {
            {rows_, each_, rate}, {rows_, devices_, rate}, {}, {}, devices_.begin()->first, rate};
    }

    void add_sums() {
        if (devices_.empty()) {
            return;
        }
        last_ = devices_.rbegin()->first;
        add_each(false);
        if (request_.smoothed) {
            add_each(true);
        }
        std::ranges::stable_sort(out_, {}, &estimate_row::epoch);
    }

    void add_each(bool smoothed) {
        const std::string suffix = smoothed ? ", smoothed" : "";
        both plain = weighed_by(1), running = weighed_by(1),
             decayed = weighed_by(request_.decay.value_or(1));
        for (const auto &[epoch, reports] : devices_) {
            const std::uint32_t known = smoothed ? last_ : epoch;
            add_window("epoch" + suffix, plain, epoch, 1, known);
            if (request_.window) {
                add_window(fmt::format("window {}{}", *request_.window, suffix), plain, epoch,
                           *request_.window, known);
            }
            add_prefix("prefix" + suffix, running, epoch, known);
            if (request_.decay) {
                add_prefix(fmt::format("decay {}{}", *request_.decay, suffix), decayed, epoch,
                           known);
            }
        }
    }

    void add_window(const std::string &name, both &weighed, std::uint32_t epoch,
                    std::uint32_t epochs, std::uint32_t known) {
        const std::uint32_t first = epoch - std::min(epoch, epochs - 1);
        add_row(name, epoch, weighed.mean.sum(first, epoch, known),
                weighed.total.sum(first, epoch, known));
    }

    // Rows at the top share nothing: those that are over are added once.
    void add_prefix(const std::string &name, both &weighed, std::uint32_t epoch,
                    std::uint32_t known) {
        const std::uint32_t span = counter_.classes.back().step, begin = epoch - epoch % span;
        if (begin > weighed.begin) {
            carry(weighed, begin - 1, known);
        }
        const double times = std::pow(weighed.rate, epoch - (static_cast<double>(begin) - 1));
        weighed_sum mean, total;
        mean.add(weighed.mean_before, times);
        total.add(weighed.total_before, times);
        mean.add(weighed.mean.sum(weighed.begin, epoch, known));
        total.add(weighed.total.sum(weighed.begin, epoch, known));
        add_row(name, epoch, mean, total);
    }

    void carry(both &weighed, std::uint32_t end, std::uint32_t known) {
        const std::uint32_t span = counter_.classes.back().step;
        const std::uint32_t before = weighed.begin - weighed.begin % span;
        const double times = std::pow(weighed.rate, static_cast<double>(end) - (before - 1.0));
        for (auto [sums, sum] : {std::pair{&weighed.mean, &weighed.mean_before},
                                 std::pair{&weighed.total, &weighed.total_before}}) {
            weighed_sum carried;
            carried.add(*sum, times);
            carried.add(sums->sum(weighed.begin, end, known));
            *sum = carried;
        }
        weighed.begin = end + 1;
    }

    void add_row(std::string name, std::uint32_t epoch, const weighed_sum &mean,
                 const weighed_sum &total) {
        estimate_row row;
        row.subject = &metric_;
        row.epoch = epoch;
        row.epsilon = row.joint_epsilon = metric_.realised(0).value;
        row.value = std::move(name);
        row.result = result(mean, epoch);
        row.consistent = std::max(0.0, mean.value);
        row.summed = summed_epochs{result(total, epoch), mean.epochs};
        if (request_.coalition > 0) {
            row.coalition = {request_.coalition, mean.reach};
        }
        out_.push_back(std::move(row));
    }

    estimated result(const weighed_sum &sum, std::uint32_t epoch) const {
        estimated out;
        out.value = sum.value;
        out.std_error = std::sqrt(std::max(0.0, sum.variance));
        out.reports = static_cast<std::uint64_t>(devices_.at(epoch));
        return out;
    }

    const metric &metric_;
    const sums_over_time &counter_;
    const series_tallies &tallies_;
    const series_request &request_;
    const said_of &say_;
    double unit_, noise_; // noise: the variance of a row
    closed_rows rows_;
    weighed_sums::weights devices_, each_;    // by epoch: how many counted; 1
    std::map<std::uint32_t, double> spreads_; // by epoch: between devices, noise included
    std::uint32_t last_ = 0;
    std::uint64_t numbers_ = 0, dropped_ = 0, longer_rows_ = 0, of_fewer_ = 0;
    std::vector<estimate_row> out_;
};

} // namespace

std::vector<estimate_row> estimate_series(const metric &m, const series_tallies &tallies,
                                          const series_request &request, const said_of &say) {
    return series(m, tallies, request, say).finish();
}

} // namespace sotto::aggregator
