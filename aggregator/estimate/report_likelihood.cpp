// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/report_likelihood.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/estimate/bloom.hpp"
#include "aggregator/mechanism/mechanism.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {

report_likelihood::report_likelihood(const metric &m, std::vector<std::string> candidates)
    : metric_(m), strings_(has_strings(m)), channels_(channels_of(m)) {
    if (channels_.empty() && !m.range()) {
        throw usage_error(m.name + ": " + m.mechanism_name +
                          " has no joint distribution with another metric here");
    }
    if (strings_) {
        if (candidates.empty()) {
            throw usage_error(fmt::format("{}: {} need --candidates {}=FILE", m.name,
                                          has_texts(m) ? "strings" : "so many categories", m.name));
        }
        const bloom_shape &shape = *mechanism_of(m).strings(m);
        for (std::string &text : candidates) {
            values_.push_back({value_class::named, std::move(text)});
        }
        if (has_texts(m)) {
            values_.push_back({value_class::too_long, longer_than(shape.max_bytes)});
        }
        bloom_ = bloom_of(m);
    } else if (m.type == SOTTO_TYPE_BOOLEAN) {
        values_ = {{value_class::named, "false"}, {value_class::named, "true"}};
    } else if (m.type == SOTTO_TYPE_CATEGORY) {
        for (std::size_t v = 0; v < m.value_size(); ++v) {
            values_.push_back(
                {value_class::named, v < m.names.size() ? m.names[v] : std::to_string(v)});
        }
    } else {
        throw usage_error(m.name +
                          ": only booleans, categories and strings have a joint "
                          "distribution; its type is " +
                          m.type_name);
    }
    if (const auto most = mechanism_of(m).remembered(m);
        most && !mechanism_of(m).words(m).remembers_hashes) {
        values_.push_back({value_class::dummy, fmt::format("beyond max_values ({})", *most)});
    }
    if (strings_ && (has_texts(m) || values_.size() < m.value_size())) {
        values_.push_back({value_class::other, "any other"});
    }
}

std::vector<float> report_likelihood::of_report(std::uint32_t level, std::uint32_t cohort,
                                                std::span<const std::uint8_t> value) {
    const bit_channel &channel = channels_[level];
    if (metric_.kind() == value_kind::bits) {
        return of_bits(channel, cohort, value);
    }
    const auto index = get_big_endian<std::uint32_t>(value.data());
    if (strings_) {
        return of_answer(channel, cohort, index);
    }
    if (const difference_set *set = mechanism_of(metric_).supports(metric_)) {
        return of_support(*set, channel, index);
    }
    std::vector<float> out(values_.size());
    for (std::size_t v = 0; v < out.size(); ++v) {
        // A boolean's channel is to true, a category's to the category that was published.
        const double truth = metric_.type == SOTTO_TYPE_BOOLEAN
                                 ? (v == 1 ? channel.one_if_one : channel.one_if_zero)
                                 : (v == index ? channel.one_if_one : channel.one_if_zero);
        out[v] = static_cast<float>(metric_.type == SOTTO_TYPE_BOOLEAN && index == 0 ? 1 - truth
                                                                                     : truth);
    }
    const float most = *std::max_element(out.begin(), out.end());
    for (float &p : out) {
        p /= most;
    }
    return out;
}

std::vector<float> report_likelihood::of_support(const difference_set &set,
                                                 const bit_channel &channel,
                                                 std::uint32_t index) const {
    const bit_channel answer = set.answer_channel(channel);
    const auto other = static_cast<float>(answer.one_if_zero / answer.one_if_one);
    std::vector<float> out;
    for (std::uint32_t v = 0; v < values_.size(); ++v) {
        out.push_back(set.supports(index, v) ? 1.0F : other);
    }
    return out;
}

// Any other string has the hash value with the chance of a random one.
std::vector<float> report_likelihood::of_answer(const bit_channel &channel, std::uint32_t cohort,
                                                std::uint32_t index) {
    std::vector<double> chances;
    for (const std::vector<std::uint32_t> &bits : bits_of(cohort)) {
        chances.push_back(bits.front() == index ? channel.one_if_one : channel.one_if_zero);
    }
    if (values_.back().is == value_class::other) {
        const double density = 1.0 / mechanism_of(metric_).strings(metric_)->bits;
        chances.push_back(density * channel.one_if_one + (1 - density) * channel.one_if_zero);
    }
    std::vector<float> out;
    for (const double chance : chances) {
        out.push_back(static_cast<float>(chance / channel.one_if_one));
    }
    return out;
}

// Beside a value without any bit, each of its bits counts with the ratio of its two chances.
std::vector<float> report_likelihood::of_bits(const bit_channel &channel, std::uint32_t cohort,
                                              std::span<const std::uint8_t> value) {
    const double ratio[] = {(1 - channel.one_if_one) / (1 - channel.one_if_zero),
                            channel.one_if_one / channel.one_if_zero};
    const auto bit = [&](std::uint32_t j) { return value[j / 8] >> (j % 8) & 1; };
    std::vector<double> logs;
    for (const std::vector<std::uint32_t> &bits : bits_of(cohort)) {
        double log = 0;
        for (const std::uint32_t j : bits) {
            log += std::log(ratio[bit(j)]);
        }
        logs.push_back(log);
    }
    if (strings_) {
        const bloom_shape &shape = *mechanism_of(metric_).strings(metric_);
        const double density = 1 - std::pow(1 - 1.0 / shape.bits, shape.hashes);
        double log = 0;
        for (std::uint32_t j = 0; j < shape.bits; ++j) {
            log += std::log(1 - density + density * ratio[bit(j)]);
        }
        logs.push_back(log);
    }
    const double most = *std::max_element(logs.begin(), logs.end());
    std::vector<float> out;
    for (const double log : logs) {
        out.push_back(static_cast<float>(std::exp(log - most)));
    }
    return out;
}

const std::vector<std::vector<std::uint32_t>> &report_likelihood::bits_of(std::uint32_t cohort) {
    auto &bits = bits_[cohort];
    if (bits.empty()) {
        for (std::uint32_t v = 0; v < values_.size(); ++v) {
            switch (values_[v].is) {
            case value_class::named:
                bits.push_back(strings_ ? bloom_(values_[v].text, cohort)
                                        : std::vector<std::uint32_t>{v});
                break;
            case value_class::too_long:
                bits.push_back(
                    bloom_(any_longer_string(*mechanism_of(metric_).strings(metric_)), cohort));
                break;
            case value_class::dummy:
                bits.emplace_back();
                break;
            case value_class::other:
                break;
            }
        }
    }
    return bits;
}

} // namespace sotto::aggregator
