// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/hashed_plan.hpp"

#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/design_plan.hpp"
#include "aggregator/mechanism/rappor_plan.hpp"
#include "aggregator/mechanism/share_option.hpp"
#include "aggregator/statistics/k_randomized_response.hpp"
#include "aggregator/statistics/rappor.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t fresh_bytes = 32; // both stages
constexpr double fitted_at_once = 1000;   // candidates; of more, those that are detected

double kept(double epsilon, std::uint32_t size) {
    return std::expm1(epsilon) / (std::exp(epsilon) + size - 1);
}

// The largest loss of one hash value, however often it is reported, that keeps both caps. It is
// none unless it is above what the first report loses.
std::optional<double> permanent_loss(const plan_request &request, double epsilon,
                                     std::uint32_t size) {
    const double day = request.epsilon_per_day.value_or(HUGE_VAL) * (1 - 1e-9); // its own rounding
    double high = std::min(request.epsilon_lifetime.value_or(4 * epsilon), epsilon_max);
    double low = 1.001 * epsilon;
    const auto fits = [&](double forever) {
        return hashed_loss(epsilon, forever, size, request.reports_per_day) <= day;
    };
    if (low >= high || !fits(low)) {
        return std::nullopt;
    }
    for (int i = 0; i < 50 && !fits(high); ++i) {
        const double middle = (low + high) / 2;
        (fits(middle) ? low : high) = middle;
    }
    return std::stod(epsilon_text(fits(high) ? high : low));
}

// Has a mechanism with an epsilon of each report nearly the same error?
bool promises_more_for_little(const plan_request &request, double epsilon,
                              const plan_option &hashed) {
    const std::vector<plan_option> designs = design_options(request, epsilon);
    return *request.size <= SOTTO_BITS_MAX ||
           std::ranges::any_of(designs, [&](const plan_option &design) {
               return design.std_error <= 1.2 * hashed.std_error;
           });
}

} // namespace

std::uint32_t best_hash_values(double epsilon) {
    const double factor = std::exp(epsilon);
    const auto error = [&](double size) { return std::pow(factor + size - 1, 2) / (size - 1); };
    const double low = std::clamp(std::floor(factor + 1), 2.0, static_cast<double>(SOTTO_BITS_MAX));
    const double high = std::min(low + 1, static_cast<double>(SOTTO_BITS_MAX));
    return static_cast<std::uint32_t>(error(low) <= error(high) ? low : high);
}

double hashed_loss(double epsilon, double forever, std::uint32_t size, double reports) {
    const double permanent = kept(forever, size), fresh = kept(epsilon, size) / permanent;
    const double once = std::pow(1 + fresh * size / (1 - fresh), -reports); // 1/X
    const double any = (1 - permanent) * (1.0 / size + (1 - 1.0 / size) * once);
    return std::log((permanent + any) / (permanent * once + any));
}

std::vector<plan_option> hashed_options(const plan_request &request, double epsilon) {
    const bool are_strings = request.type == "string";
    const double values = request.size.value_or(candidates_default);
    const double candidates = are_strings || values <= fitted_at_once ? values : candidates_default;
    const std::uint32_t size = best_hash_values(epsilon);
    const rappor_shape s = {size, 1, request.cohorts.value_or(cohorts_for(size - 1, candidates)),
                            true};
    const auto forever = permanent_loss(request, epsilon, size);
    if (request.bits || request.hashes || !forever ||
        (s.bits - 1.0) * s.cohorts <= 2 * (candidates + 1)) {
        return {};
    }
    const bit_channel channel = k_randomized_response_channel(kept(epsilon, size), size);
    plan_option out = costing(request, epsilon, request.type, "hashed");
    out.epsilon_day = hashed_loss(epsilon, *forever, size, request.reports_per_day);
    out.epsilon_forever = *forever;
    out.parameters = fmt::format("{} hash values, {} cohorts", size, s.cohorts);
    out.keys = fmt::format("type = \"{}\"\n{}mechanism = \"hashed\"\nepsilons = [{}]\n"
                           "permanent_epsilon = {}\ncohorts = {}\n",
                           request.type, are_strings ? "" : category_keys(*request.size),
                           epsilon_text(epsilon), epsilon_text(*forever), s.cohorts);
    out.std_error = expected_share_error(channel, s, request.devices, 1 / values, candidates);
    out.rare_error = expected_share_error(channel, s, request.devices, 0, candidates);
    out.random_bytes = fresh_bytes;
    out.report_bytes =
        planned_report_bytes({.kind = value_kind::index, .size = size, .names_cohort = true});
    // A device's life loses as much for each hash value that it has.
    out.remark = plan_remark::protects_values_only;
    out.only_listed = are_strings || promises_more_for_little(request, epsilon, out);
    return {out};
}

} // namespace sotto::aggregator
