// SPDX-License-Identifier: Apache-2.0
// Plans for booleans, categories and sets: shares of yes.
#ifndef SOTTO_AGGREGATOR_MECHANISM_SHARE_OPTION_HPP
#define SOTTO_AGGREGATOR_MECHANISM_SHARE_OPTION_HPP

#include "aggregator/mechanism/plan_option.hpp"

namespace sotto::aggregator {

// The standard error of a share, itself a share: `devices` report once, `share` of them a yes.
double share_error(const bit_channel &channel, double devices, double share);

// A report of one bit through the channel; the caller adds the keys. std_error is of
// `typical_share`.
plan_option channel_option(const plan_request &request, double epsilon, const char *mechanism,
                           const bit_channel &channel, double typical_share);
// A bit that flips, of `own` keys.
plan_option boolean_option(const plan_request &request, double epsilon, const char *mechanism,
                           const std::string &own);
// `size` bits, each through the channel.
plan_option bits_option(const plan_request &request, double epsilon, const char *mechanism,
                        const bit_channel &channel, std::uint32_t size, double typical_share,
                        const std::string &own);

// Lines of metrics.toml, each with its end: type, `own` lines, mechanism and epsilon; and `size`,
// the number of categories, at least 2.
std::string share_keys(const plan_request &request, const plan_option &option,
                       const std::string &own);
std::string category_keys(std::uint32_t size);
// Members and how many of them a set has at most.
std::string set_keys(std::uint32_t size, std::uint32_t most);

} // namespace sotto::aggregator
#endif
