// SPDX-License-Identifier: Apache-2.0
#include "aggregator/registry/law.hpp"

#include "aggregator/registry/laplace_law.hpp"

#include <algorithm>
#include <cmath>

namespace sotto::aggregator {
namespace {

double probability(threshold numerator, int bits = 64) {
    return std::ldexp(static_cast<double>(numerator), -bits);
}

// P(one), after the channel, of a bit that is one with probability p before it.
double through(const bit_channel_table &channel, double p) {
    return (1 - p) * probability(channel.one_if_zero, channel.bits) +
           p * probability(channel.one_if_one, channel.bits);
}

struct bit_law {
    double if_zero = 0, if_one = 1;

    bit_law after(const bit_channel_table &channel) const {
        return {through(channel, if_zero), through(channel, if_one)};
    }
};

std::vector<level_law> flip_laws(const std::vector<threshold> &flip) {
    std::vector<level_law> laws(flip.size());
    double p = 0;
    for (std::size_t i = flip.size(); i-- > 0;) {
        const double step = probability(flip[i]);
        p = p * (1 - step) + (1 - p) * step;
        laws[i].flip = p;
    }
    return laws;
}

std::vector<level_law> laws_of(const randomized_response_table &t) { return flip_laws(t.flip); }
std::vector<level_law> laws_of(const one_bit_mean_table &t) { return flip_laws(t.flip); }

std::vector<level_law> laws_of(const k_randomized_response_table &t) {
    std::vector<level_law> laws(t.keep.size());
    double keep = 1;
    for (std::size_t i = t.keep.size(); i-- > 0;) {
        keep *= probability(t.keep[i]);
        laws[i].keep = keep;
    }
    return laws;
}

std::vector<level_law> laws_of(const unary_table &t) {
    std::vector<level_law> laws(t.channel.size());
    bit_law bit;
    for (std::size_t i = t.channel.size(); i-- > 0;) {
        bit = bit.after(t.channel[i]);
        laws[i].one_if_zero = bit.if_zero;
        laws[i].one_if_one = bit.if_one;
    }
    return laws;
}

std::vector<level_law> laws_of(const rappor_table &t) {
    std::vector<level_law> laws(t.permanent.size());
    bit_law permanent, report;
    for (std::size_t i = t.permanent.size(); i-- > 0;) {
        permanent = permanent.after(t.permanent[i]);
        report = ((t.chained >> i & 1) != 0 ? report : permanent).after(t.instantaneous[i]);
        laws[i] = {.one_if_zero = report.if_zero,
                   .one_if_one = report.if_one,
                   .permanent_flip = permanent.if_zero};
    }
    return laws;
}

std::vector<level_law> laws_of(const discrete_laplace_table &t) {
    std::vector<level_law> laws(t.noise.size());
    for (std::size_t i = 0; i < laws.size(); ++i) {
        laws[i].unit_epsilon = epsilon_of(t.noise[i].size);
        laws[i].nonzero = laplace_nonzero(laws[i].unit_epsilon);
    }
    return laws;
}

// The lattice is 0 to D: false is wrong when the noise is T or more, true when it is D - T + 1 or
// more to the other side.
std::vector<level_law> laws_of(const laplace_threshold_table &t) {
    std::vector<level_law> laws(t.lattice.noise.size());
    for (std::size_t i = 0; i < laws.size(); ++i) {
        const double unit = epsilon_of(t.lattice.noise[i].size);
        const auto wrong = [&](double distance) {
            return std::exp(-unit * distance) / (1 + std::exp(-unit));
        };
        laws[i].one_if_zero = wrong(t.threshold);
        laws[i].one_if_one = 1 - wrong(t.grid - t.threshold + 1.0);
    }
    return laws;
}

// The next bit, from the true bit and the last one together.
bit_law next_bit(const forward_bits_table &step, const bit_law &last) {
    return {through(step.given[0], last.if_zero), through(step.given[1], last.if_one)};
}

level_law next_law(const randomized_response_table &, const forward_table &step,
                   const level_law &last) {
    const bit_law bit = next_bit(std::get<forward_bits_table>(step), {last.flip, 1 - last.flip});
    return {.flip = bit.if_zero};
}

level_law next_law(const one_bit_mean_table &, const forward_table &step, const level_law &last) {
    return next_law(randomized_response_table{}, step, last);
}

level_law next_law(const unary_table &, const forward_table &step, const level_law &last) {
    const bit_law bit =
        next_bit(std::get<forward_bits_table>(step), {last.one_if_zero, last.one_if_one});
    return {.one_if_zero = bit.if_zero, .one_if_one = bit.if_one};
}

level_law next_law(const k_randomized_response_table &of, const forward_table &step,
                   const level_law &last) {
    const auto &t = std::get<forward_category_table>(step);
    const double k = of.size;
    const double same = last.keep + (1 - last.keep) / k;
    const double to_value[] = {probability(t.to_value[0]), probability(t.to_value[1])};
    const double truth = same * (to_value[1] + (1 - to_value[1]) / k) +
                         (1 - same) * (to_value[0] + (1 - probability(t.keep_last)) / k);
    return {.keep = (k * truth - 1) / (k - 1)};
}

level_law next_law(const discrete_laplace_table &, const forward_table &step,
                   const level_law &last) {
    const double unit =
        last.unit_epsilon + epsilon_of(std::get<forward_laplace_table>(step).within);
    return {.unit_epsilon = unit, .nonzero = laplace_nonzero(unit)};
}

// Between reports the step goes by the permanent bits, which stay as they are; from permanent bits
// to others, reports are drawn anew.
level_law next_law(const rappor_table &, const forward_table &step, const level_law &last) {
    if (const auto *t = std::get_if<forward_permanent_table>(&step)) {
        const double lower = through(t->permanent.given[0], last.permanent_flip);
        const bit_law report = bit_law{lower, 1 - lower}.after(t->instantaneous);
        return {
            .one_if_zero = report.if_zero, .one_if_one = report.if_one, .permanent_flip = lower};
    }
    const double flip = last.permanent_flip;
    const auto spread = [&](double sign, const bit_law &report) {
        return sign * flip * (report.if_one - report.if_zero);
    };
    const bit_law both = {last.one_if_zero, last.one_if_one};
    const double out = spread(1 / (1 - 2 * flip), both);
    const bit_law report =
        next_bit(std::get<forward_bits_table>(step), {both.if_zero - out, both.if_one + out});
    return {.one_if_zero = report.if_zero + spread(1, report),
            .one_if_one = report.if_one - spread(1, report),
            .permanent_flip = flip};
}
// Has no lossless step forward; a registry with one is refused before.
level_law next_law(const laplace_threshold_table &, const forward_table &, const level_law &last) {
    return last;
}

double flip_loss(double flip) { return std::log1p(-flip) - std::log(flip); }
double loss_if_one(const level_law &law) { return std::log(law.one_if_one / law.one_if_zero); }
double loss_if_zero(const level_law &law) {
    return std::log1p(-law.one_if_zero) - std::log1p(-law.one_if_one);
}

double loss_of(const randomized_response_table &, const level_law &law) {
    return flip_loss(law.flip);
}
double loss_of(const laplace_threshold_table &, const level_law &law) {
    return std::max(loss_if_one(law), loss_if_zero(law));
}
double loss_of(const one_bit_mean_table &, const level_law &law) { return flip_loss(law.flip); }

double loss_of(const k_randomized_response_table &t, const level_law &law) {
    return std::log1p(law.keep * t.size / (1 - law.keep));
}

// MECHANISMS.md, I: sets of at most m of d members, two of which differ in as many bits as can be.
double loss_of(const unary_table &t, const level_law &law) {
    const double one = loss_if_one(law), zero = loss_if_zero(law);
    const double m = t.max_members, d = t.size;
    return d >= 2 * m ? m * (one + zero) : m * std::max(one, zero) + (d - m) * std::min(one, zero);
}

double loss_of(const rappor_table &t, const level_law &law) {
    return std::max<double>(t.hashes, 1) * (loss_if_one(law) + loss_if_zero(law));
}

double loss_of(const discrete_laplace_table &, const level_law &) { return 0; }

} // namespace

std::vector<level_law> ladder_laws(const mechanism_table &table) {
    return std::visit([](const auto &t) { return laws_of(t); }, table);
}

level_law forward_law(const mechanism_table &of, const forward_table &step, const level_law &last) {
    return std::visit([&](const auto &t) { return next_law(t, step, last); }, of);
}

double loss(const metric &m, const level_law &law) {
    if (std::holds_alternative<discrete_laplace_table>(m.table)) {
        return law.unit_epsilon * static_cast<double>(m.l1_sensitivity);
    }
    return std::visit([&](const auto &t) { return loss_of(t, law); }, m.table);
}

} // namespace sotto::aggregator
