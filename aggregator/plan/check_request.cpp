// SPDX-License-Identifier: Apache-2.0
#include "aggregator/plan/check_request.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

enum class use { none, may, must };

struct option_range {
    const char *name;
    std::optional<double> given;
    double least, most;
    use of_it;
};

void check(const option_range &o, const std::string &type) {
    if (o.given && o.of_it == use::none) {
        throw usage_error(fmt::format("{}: a {} has none", o.name, type));
    }
    if (!o.given && o.of_it == use::must) {
        throw usage_error(fmt::format("{}: missing; needed for type {}", o.name, type));
    }
    if (o.given && !(*o.given >= o.least && *o.given <= o.most)) {
        throw usage_error(
            fmt::format("{}: {} is not from {} to {}", o.name, *o.given, o.least, o.most));
    }
}

template <typename T> std::optional<double> number(const std::optional<T> &value) {
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

void check_type_options(const plan_request &r) {
    const auto when = [&](std::initializer_list<const char *> types, use of_it) {
        return std::any_of(types.begin(), types.end(), [&](const char *t) { return r.type == t; })
                   ? of_it
                   : use::none;
    };
    const double far = SOTTO_NUMBER_MAX;
    const use number_type =
        when({"integer", "vector", "mean", "distribution", "quantile"}, use::must);
    const double places = number(r.cells ? r.cells : r.bins).value_or(SOTTO_SUM_ROWS_MAX);
    const bool string = r.type == "string";
    const option_range ranges[] = {
        {"--size", number(r.size), string ? 1.0 : 2.0,
         string ? double{SOTTO_CATEGORIES_MAX} : double{SOTTO_CATEGORY_INDICES_MAX},
         string ? use::may : when({"category"}, use::must)},
        {"--members", number(r.members), 2, SOTTO_BITS_MAX, when({"set"}, use::must)},
        {"--max-members", number(r.max_members), 1, number(r.members).value_or(SOTTO_BITS_MAX),
         when({"set"}, use::must)},
        {"--min", number(r.min), -far, far, number_type},
        {"--max", number(r.max), -far, far, number_type},
        {"--length", number(r.length), 1, SOTTO_COORDINATES_MAX, when({"vector"}, use::must)},
        {"--l1-sensitivity", number(r.l1_sensitivity), 1, std::ldexp(1, 31),
         r.delta ? use::none : when({"vector"}, use::may)},
        {"--bits", number(r.bits), 8, SOTTO_BITS_MAX, when({"string"}, use::may)},
        {"--hashes", number(r.hashes), 1, SOTTO_HASHES_MAX, when({"string"}, use::may)},
        {"--cohorts", number(r.cohorts), 1, SOTTO_COHORTS_MAX, when({"string"}, use::may)},
        {"--window", number(r.window), 1, SOTTO_EVENT_MAX, when({"counter"}, use::may)},
        {"--prefix", number(r.prefix), 1, std::ldexp(SOTTO_SUM_SPAN_MAX, -2),
         when({"counter"}, use::may)},
        {"--decay", r.decay, 0.001, 0.9999, when({"counter"}, use::may)},
        {"--event", number(r.event), 1, SOTTO_EVENT_MAX, when({"counter"}, use::may)},
        {"--bins", number(r.bins), 2,
         std::min<double>(SOTTO_BINS_MAX,
                          number(r.max).value_or(far) - number(r.min).value_or(-far) + 1),
         when({"histogram", "quantile"}, use::must)},
        {"--delta", number(r.delta), 1,
         r.min ? number(r.max).value_or(far) - static_cast<double>(*r.min) : places - 1,
         r.type == "vector" ? use::may : when({"histogram", "quantile", "location"}, use::must)},
        {"--cells", number(r.cells), 2, SOTTO_SUM_ROWS_MAX, when({"location"}, use::must)},
        {"--points", number(r.points), 1, 65535, when({"quantile", "location"}, use::must)},
        {"--range", number(r.range), 1, places,
         r.cells ? use::must : when({"histogram"}, use::may)},
        {"--epsilon-per-day", r.epsilon_per_day, epsilon_min, 32e6,
         r.type == "counter" ? use::none : use::may},
        {"--epsilon-lifetime", r.epsilon_lifetime, epsilon_min, 1024,
         when({"string", "category"}, use::may)},
        {"--floor", r.floor, 1e-12, r.devices,
         number_type == use::must || r.type == "counter" || r.bins || r.cells ? use::none
                                                                              : use::may},
    };
    for (const option_range &o : ranges) {
        check(o, r.type);
    }
    const int sums =
        int{r.window.has_value()} + int{r.prefix.has_value()} + int{r.decay.has_value()};
    if (r.type == "counter" && sums != 1) {
        throw usage_error(sums == 0 ? "--window: missing; or say --prefix or --decay"
                                    : "--window: one of --window, --prefix and --decay at a time");
    }
    if (r.min && *r.min >= *r.max) {
        throw usage_error(fmt::format("--max: {} is not above --min", *r.max));
    }
    if (r.bits && r.hashes && *r.bits < 2 * *r.hashes) {
        throw usage_error(fmt::format("--bits: {} are fewer than two strings with {} hashes can "
                                      "differ in; {} is the least",
                                      *r.bits, *r.hashes, 2 * *r.hashes));
    }
    // The device holds a vector to half of it from a centre.
    if (r.l1_sensitivity.value_or(0) % 2 != 0 &&
        *r.l1_sensitivity < static_cast<double>(*r.max - *r.min) * *r.length) {
        throw usage_error(fmt::format("--l1-sensitivity: {} is odd; {} is even", *r.l1_sensitivity,
                                      *r.l1_sensitivity + 1));
    }
}

} // namespace

void check_request(const plan_request &r) {
    const std::vector<std::string> types = known_types();
    if (std::find(types.begin(), types.end(), r.type) == types.end()) {
        throw usage_error(
            fmt::format("--type: {} is not one of {}", in_quotes(r.type), joined(types)));
    }
    const bool good_name =
        !r.name.empty() && r.name.size() <= 64 && r.name.front() >= 'a' && r.name.front() <= 'z' &&
        r.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
    if (!good_name) {
        throw usage_error(
            fmt::format("--name: {} is not 1 to 64 of a-z, 0-9 and '_', the first a letter",
                        in_quotes(r.name)));
    }
    check({"--devices", r.devices, 1, 1e12, use::must}, r.type);
    check({"--reports-per-day", r.reports_per_day, 1, 1e6, use::may}, r.type);
    check({"--epsilon", r.epsilon, epsilon_min, 32, use::may}, r.type);
    check({"--accuracy", r.accuracy, 1e-12, r.type == "counter" ? 1e9 : 1,
           r.cells || (r.bins && !r.min) ? use::none : use::may},
          r.type);
    if (!r.epsilon && !r.epsilon_per_day) {
        throw usage_error("--epsilon: missing; or say --epsilon-per-day");
    }
    check_type_options(r);
}

} // namespace sotto::aggregator
