// SPDX-License-Identifier: Apache-2.0
// Booleans, categories and sets: shares of yes.
#include "aggregator/estimate/k_randomized_response.hpp"
#include "aggregator/estimate/rappor.hpp"
#include "aggregator/plan/options.hpp"
#include "aggregator/plan/rappor_noise.hpp"
#include "aggregator/plan/unary_channel.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t unary_size_max = 1024;

double share_error(const bit_channel &channel, double devices, double share) {
    return std::sqrt(bit_channel_variance(devices, share * devices, channel)) / devices;
}

plan_option from_channel(const plan_request &request, double epsilon, const char *mechanism,
                         const bit_channel &channel, double typical_share) {
    plan_option out;
    out.type = request.type;
    out.mechanism = mechanism;
    out.parameters =
        fmt::format("yes to no {:.4g}, to yes {:.4g}", channel.one_if_zero, channel.one_if_one);
    out.epsilon = epsilon;
    out.epsilon_day = epsilon * request.reports_per_day;
    out.std_error = share_error(channel, request.devices, typical_share);
    out.rare_error = share_error(channel, request.devices, 0);
    out.random_bytes = 8;
    out.report_bytes = planned_report_bytes(1 + 4, false);
    return out;
}

std::string share_keys(const plan_request &request, const plan_option &option,
                       const std::string &own) {
    return fmt::format("type = \"{}\"\n{}mechanism = \"{}\"\nepsilons = [{}]\n", request.type, own,
                       option.mechanism, epsilon_text(option.epsilon));
}

plan_option unary(const plan_request &request, double epsilon, const char *mechanism,
                  const bit_channel &channel, std::uint32_t size, double typical_share,
                  const std::string &own_keys) {
    plan_option out = from_channel(request, epsilon, mechanism, channel, typical_share);
    out.random_bytes = channel_random_bytes(size, channel);
    out.report_bytes = planned_report_bytes(delimited_bytes((size + 7) / 8), false);
    out.keys = share_keys(request, out, own_keys);
    return out;
}

// One-hot RAPPOR, for a category that is reported again and again: the value is protected as long
// as it stays.
std::optional<plan_option> basic_rappor(const plan_request &request, double epsilon,
                                        std::uint32_t size, const std::string &own_keys) {
    const std::optional<rappor_noise> n =
        best_rappor_noise(caps_of(request, epsilon), 1, [&](const bit_channel &channel) {
            return share_error(channel, 1, 1.0 / size);
        });
    if (!n) {
        return std::nullopt;
    }
    plan_option out = from_channel(request, epsilon, "basic_rappor",
                                   rappor_channel(n->f, n->p, n->q), 1.0 / size);
    set_costs(out, *n, 1, request.reports_per_day);
    out.parameters = fmt::format("f {}, p {}, q {}", n->f, n->p, n->q);
    out.random_bytes = rappor_random_bytes(size, *n);
    out.report_bytes = planned_report_bytes(delimited_bytes((size + 7) / 8), false);
    out.keys = fmt::format("type = \"category\"\n{}mechanism = \"basic_rappor\"\n"
                           "permanent = [{}]\ninstantaneous = [[{}, {}]]\n",
                           own_keys, n->f, n->p, n->q);
    out.remark = "protects a value that stays, not each report";
    out.only_listed = true;
    return out;
}

std::vector<plan_option> category_options(const plan_request &request, double epsilon) {
    const std::uint32_t size = *request.size;
    const double share = 1.0 / size; // the mean share of a category
    const std::string own = fmt::format("size = {}\n", size);
    const double keep = std::expm1(epsilon) / (std::exp(epsilon) + size - 1);
    std::vector<plan_option> out;
    out.push_back(from_channel(request, epsilon, "k_randomized_response",
                               k_randomized_response_channel(keep, size), share));
    out.back().random_bytes = 16;
    out.back().parameters = fmt::format("keep {:.4g}", keep);
    out.back().keys = share_keys(request, out.back(), own);
    if (size <= unary_size_max) {
        out.push_back(unary(request, epsilon, "optimized_unary", optimized_for_category(epsilon),
                            size, share, own));
        out.push_back(
            unary(request, epsilon, "unary", symmetric_for_category(epsilon), size, share, own));
        if (const auto option = basic_rappor(request, epsilon, size, own)) {
            out.push_back(*option);
        }
    }
    return out;
}

// On a grid of more than one step the noise is made as small as lets the bit lose just epsilon: the
// same flips, of more random bytes.
std::vector<plan_option> boolean_options(const plan_request &request, double epsilon) {
    const double flip = 1 / (1 + std::exp(epsilon));
    const auto option = [&](const char *mechanism, const std::string &own) {
        plan_option out = from_channel(request, epsilon, mechanism, {flip, 1 - flip}, 0.5);
        out.parameters = fmt::format("flip {:.4g}", flip);
        out.keys = share_keys(request, out, own);
        return out;
    };
    plan_option response = option("randomized_response", "");
    plan_option fine = option("laplace_threshold", "grid = 5\n");
    fine.parameters += ", grid 5";
    fine.random_bytes = fine_grid_random_bytes(5, flip);
    fine.remark = "for comparison with the paper: levels of a ladder lose more than the highest";
    fine.only_listed = true;
    return {response, fine};
}

std::vector<plan_option> set_options(const plan_request &request, double epsilon) {
    const std::uint32_t size = *request.members, most = *request.max_members;
    const double share = std::min(0.5, static_cast<double>(most) / size); // at most, on average
    std::string names;
    for (std::uint32_t i = 0; i < size; ++i) {
        names += fmt::format("{}\"member_{}\"", i > 0 ? ", " : "", i);
    }
    const std::string own = fmt::format("members = [{}]\nmax_members = {}\n", names, most);
    return {
        unary(request, epsilon, "optimized_unary", optimized_for_set(epsilon, size, most), size,
              share, own),
        unary(request, epsilon, "unary", symmetric_for_set(epsilon, size, most), size, share, own)};
}

} // namespace

std::vector<plan_option> share_options(const plan_request &request, double epsilon) {
    if (request.type == "category") {
        return category_options(request, epsilon);
    }
    if (request.type == "set") {
        return set_options(request, epsilon);
    }
    return boolean_options(request, epsilon);
}

} // namespace sotto::aggregator
