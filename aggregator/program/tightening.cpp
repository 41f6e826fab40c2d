// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/tightening.hpp"

#include "aggregator/base/failure.hpp"

#include "mechanism/ladder.hpp"
#include "sotto/sotto.h"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// Why nothing leads down to a level that is below the top.
const char *obstacle(const metric &of) {
    return of.mechanism == SOTTO_MECHANISM_LAPLACE_THRESHOLD
               ? "bits of a fine Laplace grid"
               : "its permanent noise is another than that of the level above";
}

struct word_maker {
    std::vector<std::uint32_t> &to;

    void operator()(std::uint32_t index) const { to[0] = index; }
    void operator()(std::int32_t number) const { to[0] = static_cast<std::uint32_t>(number); }
    void operator()(const bit_string &bits) const {
        for (std::size_t i = 0; i < bits.size(); ++i) {
            to[i / 4] |= static_cast<std::uint32_t>(bits[i]) << (8 * (i % 4));
        }
    }
    void operator()(const number_list &numbers) const { to.assign(numbers.begin(), numbers.end()); }
};

void check(sotto_status status) {
    if (status < SOTTO_OK) {
        throw environment_error(sotto_status_text(status));
    }
}

} // namespace

tightening::tightening(const metric &of, const sotto_metric &table, std::uint32_t level,
                       const sotto_entropy &entropy)
    : table_(table), level_(level), entropy_(entropy) {
    if (of.levels.size() == 1) {
        throw usage_error(
            fmt::format("--metric: {} has one level: there is none below it", of.name));
    }
    if (level + 1 >= of.levels.size()) {
        throw usage_error(fmt::format("--level: {} is not 0 to {}, the levels of {} below its top",
                                      level, of.levels.size() - 2, of.name));
    }
    if (!starts_at(level + 1)) {
        throw usage_error(fmt::format(
            "--level: level {} of {} is not made of what a level above it published: {}", level,
            of.name, obstacle(of)));
    }
}

bool tightening::starts_at(std::uint32_t level) const {
    return tighten_bytes(table_, level, level_) > 0;
}

std::vector<std::uint32_t> tightening::words(const report &r) const {
    std::vector<std::uint32_t> all(table_.value_words);
    std::visit(word_maker{all}, r.value);
    return all;
}

std::vector<std::uint32_t> tightening::tightened(const report &r) {
    std::vector<std::uint32_t> all = words(r);
    random_.resize(tighten_bytes(table_, r.level, level_));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::int32_t got = entropy_.read(entropy_.context, random_.data(), random_.size());
        if (got != static_cast<std::int32_t>(random_.size())) {
            check(got < 0 ? static_cast<sotto_status>(got) : SOTTO_ERR_ENTROPY_FAILED);
        }
        check(tighten_word(table_, r.level, level_, static_cast<std::uint32_t>(i), all[i],
                           {random_.data(), random_.size()}, &all[i]));
    }
    return all;
}

} // namespace sotto::aggregator
