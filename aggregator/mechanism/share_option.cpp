// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/share_option.hpp"

#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {

double share_error(const bit_channel &channel, double devices, double share) {
    return std::sqrt(bit_channel_variance(devices, share * devices, channel)) / devices;
}

plan_option channel_option(const plan_request &request, double epsilon, const char *mechanism,
                           const bit_channel &channel, double typical_share) {
    plan_option out = costing(request, epsilon, request.type, mechanism);
    out.parameters =
        fmt::format("yes to no {:.4g}, to yes {:.4g}", channel.one_if_zero, channel.one_if_one);
    out.std_error = share_error(channel, request.devices, typical_share);
    out.rare_error = share_error(channel, request.devices, 0);
    out.random_bytes = 8;
    out.report_bytes = planned_report_bytes({});
    return out;
}

plan_option boolean_option(const plan_request &request, double epsilon, const char *mechanism,
                           const std::string &own) {
    const double flip = 1 / (1 + std::exp(epsilon));
    plan_option out = channel_option(request, epsilon, mechanism, {flip, 1 - flip}, 0.5);
    out.parameters = fmt::format("flip {:.4g}", flip);
    out.keys = share_keys(request, out, own);
    return out;
}

plan_option bits_option(const plan_request &request, double epsilon, const char *mechanism,
                        const bit_channel &channel, std::uint32_t size, double typical_share,
                        const std::string &own) {
    plan_option out = channel_option(request, epsilon, mechanism, channel, typical_share);
    out.random_bytes = channel_random_bytes(size, channel);
    out.report_bytes = planned_report_bytes({.kind = value_kind::bits, .size = size});
    out.keys = share_keys(request, out, own);
    return out;
}

std::string share_keys(const plan_request &request, const plan_option &option,
                       const std::string &own) {
    return fmt::format("type = \"{}\"\n{}mechanism = \"{}\"\nepsilons = [{}]\n", request.type, own,
                       option.mechanism, epsilon_text(option.epsilon));
}

std::string set_keys(std::uint32_t size, std::uint32_t most) {
    std::string names;
    for (std::uint32_t i = 0; i < size; ++i) {
        names += fmt::format("{}\"member_{}\"", i > 0 ? ", " : "", i);
    }
    return fmt::format("members = [{}]\nmax_members = {}\n", names, most);
}

std::string category_keys(std::uint32_t size) { return fmt::format("size = {}\n", size); }

} // namespace sotto::aggregator
