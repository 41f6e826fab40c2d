// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/mechanism.hpp"

#include "sotto/registry.h"

#include <array>

namespace sotto::aggregator {
namespace {

// One line a table: without it nothing compiles.
const mechanism &owner(const randomized_response_table &) { return randomized_response(); }
const mechanism &owner(const laplace_threshold_table &) { return laplace_threshold(); }
const mechanism &owner(const k_randomized_response_table &) { return k_randomized_response(); }
const mechanism &owner(const unary_table &) { return symmetric_unary(); }
const mechanism &owner(const rappor_table &) { return rappor(); }
const mechanism &owner(const discrete_laplace_table &) { return discrete_laplace(); }
const mechanism &owner(const one_bit_mean_table &) { return one_bit_mean(); }
const mechanism &owner(const noised_sum_table &) { return noised_sum(); }
const mechanism &owner(const exponential_table &) { return exponential(); }
const mechanism &owner(const noised_points_table &) { return noised_points(); }
const mechanism &owner(const window_response_table &) { return window_response(); }
const mechanism &owner(const hashed_table &) { return hashed(); }
const mechanism &owner(const inverse_sensitivity_table &) { return inverse_sensitivity(); }
const mechanism &owner(const design_table &) { return design(); }
const mechanism &owner(const sorted_points_table &) { return sorted_points(); }
const mechanism &owner(const window_mean_table &) { return window_mean(); }
const mechanism &owner(const pad_and_sample_table &) { return pad_and_sample(); }

} // namespace

const mechanism &mechanism_of(const metric &m) {
    return std::visit([](const auto &table) -> const mechanism & { return owner(table); }, m.table);
}

std::span<const known_mechanism> known_mechanisms() {
    static const std::array mechanisms = {
        known_mechanism{"boolean", SOTTO_TYPE_BOOLEAN, "randomized_response",
                        SOTTO_MECHANISM_RANDOMIZED_RESPONSE, &randomized_response()},
        known_mechanism{"boolean", SOTTO_TYPE_BOOLEAN, "laplace_threshold",
                        SOTTO_MECHANISM_LAPLACE_THRESHOLD, &laplace_threshold()},
        known_mechanism{"category", SOTTO_TYPE_CATEGORY, "k_randomized_response",
                        SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE, &k_randomized_response()},
        known_mechanism{"category", SOTTO_TYPE_CATEGORY, "optimized_unary",
                        SOTTO_MECHANISM_OPTIMIZED_UNARY, &optimized_unary()},
        known_mechanism{"category", SOTTO_TYPE_CATEGORY, "unary", SOTTO_MECHANISM_UNARY,
                        &symmetric_unary()},
        known_mechanism{"category", SOTTO_TYPE_CATEGORY, "basic_rappor",
                        SOTTO_MECHANISM_BASIC_RAPPOR, &basic_rappor()},
        known_mechanism{"category", SOTTO_TYPE_CATEGORY, "exponential", SOTTO_MECHANISM_EXPONENTIAL,
                        &exponential()},
        known_mechanism{"category", SOTTO_TYPE_CATEGORY, "design", SOTTO_MECHANISM_DESIGN,
                        &design()},
        known_mechanism{"category", SOTTO_TYPE_CATEGORY, "hashed", SOTTO_MECHANISM_HASHED,
                        &hashed()},
        known_mechanism{"set", SOTTO_TYPE_SET, "optimized_unary", SOTTO_MECHANISM_OPTIMIZED_UNARY,
                        &optimized_unary()},
        known_mechanism{"set", SOTTO_TYPE_SET, "unary", SOTTO_MECHANISM_UNARY, &symmetric_unary()},
        known_mechanism{"set", SOTTO_TYPE_SET, "pad_and_sample", SOTTO_MECHANISM_PAD_AND_SAMPLE,
                        &pad_and_sample()},
        known_mechanism{"string", SOTTO_TYPE_STRING, "rappor", SOTTO_MECHANISM_RAPPOR, &rappor()},
        known_mechanism{"string", SOTTO_TYPE_STRING, "hashed", SOTTO_MECHANISM_HASHED, &hashed()},
        known_mechanism{"integer", SOTTO_TYPE_INTEGER, "discrete_laplace",
                        SOTTO_MECHANISM_DISCRETE_LAPLACE, &discrete_laplace()},
        known_mechanism{"vector", SOTTO_TYPE_VECTOR, "discrete_laplace",
                        SOTTO_MECHANISM_DISCRETE_LAPLACE, &discrete_laplace()},
        known_mechanism{"vector", SOTTO_TYPE_VECTOR, "sorted_points", SOTTO_MECHANISM_SORTED_POINTS,
                        &sorted_points()},
        known_mechanism{"mean", SOTTO_TYPE_MEAN, "one_bit_mean", SOTTO_MECHANISM_ONE_BIT_MEAN,
                        &one_bit_mean()},
        known_mechanism{"mean", SOTTO_TYPE_MEAN, "window_mean", SOTTO_MECHANISM_WINDOW_MEAN,
                        &window_mean()},
        known_mechanism{"counter", SOTTO_TYPE_COUNTER, "noised_sum", SOTTO_MECHANISM_NOISED_SUM,
                        &noised_sum()},
        known_mechanism{"quantile", SOTTO_TYPE_QUANTILE, "inverse_sensitivity",
                        SOTTO_MECHANISM_INVERSE_SENSITIVITY, &inverse_sensitivity()},
        known_mechanism{"histogram", SOTTO_TYPE_HISTOGRAM, "noised_points",
                        SOTTO_MECHANISM_NOISED_POINTS, &noised_points()},
        known_mechanism{"location", SOTTO_TYPE_LOCATION, "noised_points",
                        SOTTO_MECHANISM_NOISED_POINTS, &noised_points()},
        known_mechanism{"distribution", SOTTO_TYPE_DISTRIBUTION, "window_response",
                        SOTTO_MECHANISM_WINDOW_RESPONSE, &window_response()},
    };
    return mechanisms;
}

std::vector<std::string> known_types() {
    std::vector<std::string> types;
    for (const known_mechanism &known : known_mechanisms()) {
        if (types.empty() || types.back() != known.type) {
            types.emplace_back(known.type);
        }
    }
    return types;
}

std::vector<level_law> laws_of(const metric &m) {
    std::vector<level_law> laws;
    for (std::size_t level = 0; level < m.level_count(); ++level) {
        laws.push_back(m.law(level));
    }
    return laws;
}

protected_unit protects(const metric &m) { return mechanism_of(m).protects(m); }
answer_shape answers(const metric &m) { return mechanism_of(m).answers(m); }
bool has_strings(const metric &m) { return answers(m) == answer_shape::strings; }
bool has_texts(const metric &m) {
    const bloom_shape *shape = mechanism_of(m).strings(m);
    return shape != nullptr && shape->categories == 0;
}

std::vector<bit_channel> channels_of(const metric &m) {
    std::vector<bit_channel> out;
    for (std::size_t level = 0; level < m.level_count(); ++level) {
        if (const auto channel = mechanism_of(m).channel(m, m.law(level))) {
            out.push_back(*channel);
        }
    }
    return out;
}

} // namespace sotto::aggregator
