// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/tightening.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/mechanism/mechanism.hpp"

#include "crypto/hkdf_sha256.hpp"
#include "crypto/stream.hpp"
#include "mechanism/ladder.hpp"
#include "sotto/sotto.h"

#include <fmt/format.h>
#include <string_view>

namespace sotto::aggregator {
namespace {

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

constexpr std::string_view label = "\x10sotto tighten v1";

template <typename... Numbers> void append(std::vector<std::uint8_t> &to, Numbers... numbers) {
    for (const std::uint32_t x : {numbers...}) {
        to.resize(to.size() + sizeof x);
        put_big_endian(&to[to.size() - sizeof x], x);
    }
}

void check(sotto_status status) {
    if (status < SOTTO_OK) {
        throw environment_error(sotto_status_text(status));
    }
}

} // namespace

tightening::tightening(const metric &of, const sotto_metric &table, std::uint32_t level,
                       const noise_key &key)
    : of_(of), table_(table), level_(level), key_(key) {
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
            of.name, mechanism_of(of).words(of).obstacle));
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

// The value is in it, so that another value has noise of its own.
void tightening::step_down(const report &r, std::uint32_t to_level,
                           std::vector<std::uint32_t> &words) const {
    std::vector<std::uint8_t> text(label.begin(), label.end());
    append(text, of_.fingerprint, std::uint32_t{of_.id}, r.epoch, to_level);
    text.insert(text.end(), r.release.begin(), r.release.end());
    for (const std::uint32_t word : words) {
        append(text, word);
    }
    std::uint8_t step[crypto::digest_bytes];
    const crypto::bytes all = {text.data(), text.size()};
    check(crypto::hmac_sha256({key_.data(), key_.size()}, {&all, 1}, step));
    static constexpr std::uint8_t nonce[12] = {};
    crypto::stream noise(step, nonce, 0);
    std::vector<std::uint8_t> random(tighten_bytes(table_, to_level + 1, to_level));
    for (std::uint32_t i = 0; i < words.size(); ++i) {
        check(noise.read(random.data(), random.size()));
        check(tighten_word(table_, to_level + 1, to_level, i, words[i],
                           {random.data(), random.size()}, &words[i]));
    }
}

std::vector<std::uint32_t> tightening::tightened(const report &r) const {
    std::vector<std::uint32_t> all = words(r);
    for (std::uint32_t level = r.level; level-- > level_;) {
        step_down(r, level, all);
    }
    return all;
}

} // namespace sotto::aggregator
