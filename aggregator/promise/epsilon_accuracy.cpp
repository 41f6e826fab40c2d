// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/epsilon_accuracy.hpp"

#include "aggregator/estimate/bloom.hpp"
#include "aggregator/estimate/next_level.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/statistics/rappor.hpp"

#include "mechanism/ladder.hpp"
#include "sotto/sotto.h"

namespace sotto::aggregator {
namespace {

double middle(const number_range &range) {
    return (static_cast<double>(range.min) + range.max) / 2;
}

} // namespace

double expected_error(const metric &m, std::size_t level, std::uint64_t reports) {
    const auto n = static_cast<double>(reports);
    if (const bloom_shape *t = mechanism_of(m).strings(m)) {
        return expected_share_error(*mechanism_of(m).channel(m, m.law(level)), shape_of(*t), n, 0);
    }
    estimated found;
    found.reports = reports;
    if (const auto range = m.range()) {
        found.value = middle(*range);
        return std_error_at(m, level, found).value_or(0);
    }
    return std_error_at(m, level, found).value_or(0) / n;
}

const char *estimand(const metric &m) {
    switch (m.type) {
    case SOTTO_TYPE_BOOLEAN:
        return "share of true";
    case SOTTO_TYPE_CATEGORY:
        return "share of a category";
    case SOTTO_TYPE_SET:
        return "share of a member";
    case SOTTO_TYPE_STRING:
        return "share of a string";
    case SOTTO_TYPE_COUNTER:
        return "mean of an epoch";
    case SOTTO_TYPE_HISTOGRAM:
    case SOTTO_TYPE_LOCATION:
        return "mean of a row";
    case SOTTO_TYPE_INTEGER:
    case SOTTO_TYPE_VECTOR:
    case SOTTO_TYPE_MEAN:
    case SOTTO_TYPE_DISTRIBUTION:
    case SOTTO_TYPE_QUANTILE:
        return "mean";
    default:
        throw std::logic_error("a type whose estimate has no name");
    }
}

std::size_t report_bytes(const metric &m) {
    return report_bytes_of(mechanism_of(m).published(m), m.id, m.level_count() > 1);
}

std::size_t release_random_bytes(const metric &m, const sotto_metric &image) {
    std::size_t word = 0;
    for (std::uint32_t level = 0; level < image.level_count; ++level) {
        word += level_bytes(image, level);
    }
    for (std::uint32_t step = 0; step < image.forward_count; ++step) {
        word += forward_bytes(image, step);
    }
    return SOTTO_SEED_BYTES + mechanism_of(m).more_random_bytes(image) + image.value_words * word;
}

} // namespace sotto::aggregator
