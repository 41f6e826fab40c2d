// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/rappor_design.hpp"

#include <map>

namespace sotto::aggregator {
namespace {

// The diagonal of a choice among the bits; bit_channel_variance() is that of a coin each.
double answer_variance(double reports, double total, const bit_channel &channel) {
    const double gain = channel.one_if_one - channel.one_if_zero;
    return (reports * channel.one_if_zero + total * gain * (1 - gain)) / (gain * gain);
}

// One answer's third moment is that of one coin, whose factor is 1 / (1 - 1/bits) beside others. As
// a sum over bits it is less, by the cubes of their factors. Two bits have none: the coin is fair.
double skewness_factor(const rappor_shape &shape) {
    if (!shape.one_answer || shape.bits == 2) {
        return 1;
    }
    const double others = shape.bits - 1.0;
    return std::pow(1 + 1 / others, 3) / (1 - 1 / (others * others));
}

} // namespace

rappor_design::rappor_design(std::span<const std::vector<cohort_count>> counts,
                             std::span<const bit_channel> channels, const rappor_shape &shape,
                             const bloom_function &bloom, std::span<const std::string> candidates,
                             const repeated_reports &repeated, levels how)
    : shape_(shape), density_(1 - std::pow(1 - 1.0 / shape.bits, shape.hashes)),
      candidates_(candidates.size()) {
    const std::size_t step = how == levels::pooled ? 1 : std::max<std::size_t>(1, counts.size());
    for (std::uint32_t c = 0; c < shape.cohorts; ++c) {
        const std::size_t before = cohorts_.size();
        for (std::size_t first = 0; first < counts.size(); first += step) {
            cohort made = make_cohort(counts, channels, c, repeated, first, first + step);
            if (made.reports > 0) {
                add_bits(c, bloom, candidates);
                reports_ += made.reports;
                cohorts_.push_back(std::move(made));
            }
        }
        distinct_ += cohorts_.size() > before ? 1 : 0;
    }
}

rappor_design::cohort rappor_design::make_cohort(std::span<const std::vector<cohort_count>> counts,
                                                 std::span<const bit_channel> channels,
                                                 std::uint32_t number,
                                                 const repeated_reports &repeated,
                                                 std::size_t first, std::size_t end) const {
    const auto bits = static_cast<Eigen::Index>(shape_.bits);
    cohort out;
    out.share = out.noise = out.noise_once = out.of_bit = Eigen::VectorXd::Zero(bits);
    double typical = 0; // variance of a bit's total at the density of unknown strings
    for (std::size_t level = first; level < end; ++level) {
        const cohort_count &count = counts[level][number];
        const bit_channel &channel = channels[level];
        if (count.reports == 0) {
            continue;
        }
        const auto n = static_cast<double>(count.reports);
        const double permanent =
            repeated.of_a_value > 1
                ? repeated_variance(n, repeated.of_a_value, repeated.permanent_flip[level])
                : 0;
        const double gain = channel.one_if_one - channel.one_if_zero;
        const double usual = channel.one_if_zero + density_ * gain;
        out.reports += n;
        out.third +=
            n * usual * (1 - usual) * (1 - 2 * usual) / std::pow(gain, 3) * skewness_factor(shape_);
        out.gain = std::min(out.gain, gain);
        out.of_sum += n * std::pow(channel.one_if_zero / gain, 2);
        typical += bit_channel_variance(n, density_ * n, channel) + permanent +
                   n * repeated.of_a_value * density_ * (1 - density_);
        for (Eigen::Index j = 0; j < bits; ++j) {
            const level_count bit_count[] = {
                {count.reports, count.ones[static_cast<std::size_t>(j)]}};
            const double total = estimate_bit_channel(bit_count, {&channel, 1}).value;
            out.share[j] += total;
            // The sum over many bits counts: so it is not kept above zero, but right on average.
            out.noise_once[j] +=
                std::max(0.0, shape_.one_answer ? answer_variance(n, total, channel)
                                                : bit_channel_variance(n, total, channel));
            out.of_bit[j] += 2 * channel.one_if_zero / gain * total;
            out.noise[j] += permanent;
        }
    }
    if (out.reports > 0) {
        out.share /= out.reports;
        out.noise = (out.noise + out.noise_once) / (out.reports * out.reports);
        out.noise_once /= out.reports * out.reports;
        out.third /= std::pow(out.reports, 3);
        out.of_sum /= out.reports * out.reports;
        out.of_bit /= out.reports * out.reports;
        const double apart = shape_.one_answer ? 1 - density_ : 1;
        out.weight = out.reports * out.reports * apart * apart / typical;
    }
    return out;
}

void rappor_design::add_bits(std::uint32_t number, const bloom_function &bloom,
                             std::span<const std::string> candidates) {
    for (const std::string &text : candidates) {
        const std::vector<std::uint32_t> bits = bloom(text, number);
        sizes_.push_back(static_cast<std::uint8_t>(bits.size()));
        for (std::size_t i = 0; i < shape_.hashes; ++i) {
            bits_.push_back(i < bits.size() ? static_cast<std::uint16_t>(bits[i]) : 0);
        }
    }
}

std::vector<std::vector<std::size_t>> rappor_design::collisions() const {
    std::map<std::vector<std::uint16_t>, std::vector<std::size_t>> by_column;
    for (std::size_t k = 0; k < candidates_ && !cohorts_.empty(); ++k) {
        std::vector<std::uint16_t> column;
        for (std::size_t c = 0; c < cohorts_.size(); ++c) {
            const auto here = bits(c, k);
            column.insert(column.end(), here.begin(), here.end());
            column.push_back(0xffff); // ends a cohort: bits are fewer
        }
        by_column[std::move(column)].push_back(k);
    }
    std::vector<std::vector<std::size_t>> out;
    for (auto &[column, those] : by_column) {
        if (those.size() > 1) {
            out.push_back(std::move(those));
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace sotto::aggregator
