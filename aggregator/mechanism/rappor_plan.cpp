// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/rappor_plan.hpp"

#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/rappor_noise.hpp"
#include "aggregator/mechanism/share_option.hpp"
#include "aggregator/statistics/rappor.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

plan_option make(const plan_request &request, const rappor_shape &s, const rappor_noise &n,
                 double candidates) {
    const bit_channel channel = rappor_channel(n.f, n.p, n.q);
    plan_option out;
    out.type = "string";
    out.mechanism = "rappor";
    out.parameters = fmt::format("{} bits, {} hash{}, {} cohorts, f {}, p {}, q {}", s.bits,
                                 s.hashes, s.hashes == 1 ? "" : "es", s.cohorts, n.f, n.p, n.q);
    out.keys = fmt::format("type = \"string\"\nbits = {}\nhashes = {}\ncohorts = {}\n"
                           "permanent = [{}]\ninstantaneous = [[{}, {}]]\n",
                           s.bits, s.hashes, s.cohorts, n.f, n.p, n.q);
    set_costs(out, n, s.hashes, request.reports_per_day);
    out.std_error = expected_share_error(channel, s, request.devices, 1 / candidates, candidates);
    out.rare_error = expected_share_error(channel, s, request.devices, 0, candidates);
    out.random_bytes = rappor_random_bytes(s.bits, n);
    out.report_bytes =
        planned_report_bytes({.kind = value_kind::bits, .size = s.bits, .names_cohort = true});
    if (n.p == 0 && n.q == 1) {
        out.remark = plan_remark::recognises_devices;
        out.only_listed = true;
    }
    return out;
}

} // namespace

std::uint32_t cohorts_for(std::uint32_t bits, double candidates) {
    std::uint32_t cohorts = 8;
    while (cohorts < 1024 && static_cast<double>(bits) * cohorts < 16 * (candidates + 1)) {
        cohorts *= 2;
    }
    return cohorts;
}

std::vector<plan_option> string_options(const plan_request &request, double epsilon) {
    const double candidates = request.size.value_or(candidates_default);
    const rappor_caps most = caps_of(request, epsilon);
    const auto given = [](const std::optional<std::uint32_t> &choice,
                          const std::vector<std::uint32_t> &several) {
        return choice ? std::vector{*choice} : several;
    };
    std::vector<plan_option> out;
    const auto add = [&](const rappor_shape &s, const std::optional<rappor_noise> &n) {
        if (n && most.allow(*n, s.hashes) &&
            static_cast<double>(s.bits) * s.cohorts > 2 * (candidates + 1)) {
            out.push_back(make(request, s, *n, candidates));
        }
    };
    for (const std::uint32_t hashes : given(request.hashes, {1, 2})) {
        for (const std::uint32_t bits : given(request.bits, {16, 32, 64, 128})) {
            const rappor_shape s = {bits, hashes,
                                    request.cohorts.value_or(cohorts_for(bits, candidates))};
            add(s, best_rappor_noise(most, s.hashes, [&](const bit_channel &channel) {
                    return expected_share_error(channel, s, 1, 0, candidates);
                }));
        }
    }
    if (!request.bits && !request.hashes) {
        // The parameters of the RAPPOR paper, and permanent noise alone.
        add({128, 2, request.cohorts.value_or(cohorts_for(128, candidates))},
            rappor_noise{0.5, 0.5, 0.75});
        if (const double alone = least_permanent(epsilon, 1); alone < 1) {
            add({32, 1, request.cohorts.value_or(cohorts_for(32, candidates))},
                rappor_noise{alone, 0, 1});
        }
    }
    return out;
}

std::vector<plan_option> one_hot_options(const plan_request &request, double epsilon) {
    const std::uint32_t size = *request.size;
    const double share = 1.0 / size; // the mean share of a category
    const std::optional<rappor_noise> n =
        size > SOTTO_BITS_MAX
            ? std::nullopt
            : best_rappor_noise(caps_of(request, epsilon), 1, [&](const bit_channel &channel) {
                  return share_error(channel, 1, share);
              });
    if (!n) {
        return {};
    }
    plan_option out =
        channel_option(request, epsilon, "basic_rappor", rappor_channel(n->f, n->p, n->q), share);
    set_costs(out, *n, 1, request.reports_per_day);
    out.parameters = fmt::format("f {}, p {}, q {}", n->f, n->p, n->q);
    out.random_bytes = rappor_random_bytes(size, *n);
    out.report_bytes = planned_report_bytes({.kind = value_kind::bits, .size = size});
    out.keys = fmt::format("type = \"category\"\n{}mechanism = \"basic_rappor\"\n"
                           "permanent = [{}]\ninstantaneous = [[{}, {}]]\n",
                           category_keys(size), n->f, n->p, n->q);
    out.remark = plan_remark::protects_values_only;
    out.only_listed = true;
    return {out};
}

} // namespace sotto::aggregator
