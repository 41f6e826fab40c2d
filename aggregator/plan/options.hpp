// SPDX-License-Identifier: Apache-2.0
// The options of plan.cpp: every mechanism of a type at a given epsilon, with its costs and
// errors.
#ifndef SOTTO_AGGREGATOR_PLAN_OPTIONS_HPP
#define SOTTO_AGGREGATOR_PLAN_OPTIONS_HPP

#include "aggregator/estimate/bit_channel.hpp"
#include "aggregator/plan/plan.hpp"

namespace sotto::aggregator {

// The request has been checked, and `epsilon` is of a release and may be spent in full.
std::vector<plan_option> share_options(const plan_request &request, double epsilon);
std::vector<plan_option> number_options(const plan_request &request, double epsilon);
std::vector<plan_option> string_options(const plan_request &request, double epsilon);

// Options for the request's type.
std::vector<plan_option> options_at(const plan_request &request, double epsilon);
// The index of the option to use.
std::size_t best_of(const plan_request &request, const std::vector<plan_option> &options,
                    double questions);

// Adds the chosen option at less epsilon, and at another pace.
void add_levels(plan &to);
void add_paces(plan &to);

// The largest epsilon of a registry.
inline constexpr double epsilon_max = 32;

// Strings that are told apart unless --size says how many: enough for any list made by hand.
inline constexpr std::uint32_t candidates_default = 100;

// For a bit of thresholded Laplace noise, on a grid of so many steps, that flips with this
// probability.
std::uint32_t fine_grid_random_bytes(std::uint32_t grid, double flip);

// A decimal that metrics.toml reads as no more than this: 1.0986 for ln 3.
std::string epsilon_text(double epsilon);

// A report in a batch (WIRE.md) whose value takes value_bytes with its tag and length.
std::uint32_t planned_report_bytes(std::uint32_t value_bytes, bool with_cohort);
// `bytes` behind a tag and a length.
std::uint32_t delimited_bytes(std::uint32_t bytes);
// Random bytes for `bits` bits through a channel: 4 for each bit of a threshold and 32 bits.
std::uint32_t channel_random_bytes(std::uint32_t bits, const bit_channel &channel);

} // namespace sotto::aggregator
#endif
