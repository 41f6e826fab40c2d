// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tighten/tightening.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/mechanism/mechanism.hpp"

#include "crypto/hkdf_sha256.hpp"
#include "crypto/stream.hpp"
#include "mechanism/ladder.hpp"
#include "sotto/sotto.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace sotto::aggregator {
namespace {

struct word_maker {
    std::vector<std::uint32_t> &words_made;

    void operator()(std::uint32_t index) const { words_made[0] = index; }
    void operator()(std::int32_t number) const {
        words_made[0] = static_cast<std::uint32_t>(number);
    }
    void operator()(const bit_string &bits) const {
        for (std::size_t i = 0; i < bits.size(); ++i) {
            words_made[i / 4] |= static_cast<std::uint32_t>(bits[i]) << (8 * (i % 4));
        }
    }
    void operator()(const number_list &numbers) const {
        words_made.assign(numbers.begin(), numbers.end());
    }
};

constexpr std::string_view noise_label = "\x10sotto tighten v1",
                           id_label = "\x13sotto tighten id v1";

void append(std::vector<std::uint8_t> &bytes, std::uint32_t x) {
    bytes.resize(bytes.size() + sizeof x);
    put_big_endian(&bytes[bytes.size() - sizeof x], x);
}

void check(sotto_status status) {
    if (status < SOTTO_OK) {
        throw environment_error(sotto_status_text(status));
    }
}

} // namespace

tightening::tightening(const metric &m, const sotto_metric &table, std::uint32_t level,
                       const noise_key &key)
    : m_(m), table_(table), level_(level), key_(key) {
    if (m.levels.size() == 1) {
        throw usage_error(
            fmt::format("--metric: {} has one level: there is none below it", m.name));
    }
    if (level + 1 >= m.levels.size()) {
        throw usage_error(fmt::format("--level: {} is not 0 to {}, the levels of {} below its top",
                                      level, m.levels.size() - 2, m.name));
    }
    if (!starts_at(level + 1)) {
        throw usage_error(fmt::format(
            "--level: level {} of {} is not made of what a level above it published: {}", level,
            m.name, mechanism_of(m).words(m).obstacle));
    }
}

bool tightening::starts_at(std::uint32_t level) const {
    return tighten_bytes(table_, level, level_) > 0;
}

std::vector<std::uint32_t> tightening::words(const report &r) const {
    std::vector<std::uint32_t> made(table_.value_words);
    std::visit(word_maker{made}, r.value);
    return made;
}

// All that a secret of one release and step follows from.
tightening::digest tightening::derived(std::string_view label, const report &r, std::uint32_t level,
                                       const std::vector<std::uint32_t> &words) const {
    std::vector<std::uint8_t> text(label.begin(), label.end());
    for (const std::uint32_t x : {m_.fingerprint, std::uint32_t{m_.id}, r.epoch, level}) {
        append(text, x);
    }
    text.insert(text.end(), r.release.begin(), r.release.end());
    for (const std::uint32_t word : words) {
        append(text, word);
    }
    digest out;
    const crypto::bytes message = {text.data(), text.size()};
    check(crypto::hmac_sha256({key_.data(), key_.size()}, {&message, 1}, out.data()));
    return out;
}

// No level and no value is in it: a release has one id, in whatever output.
release_id tightening::other_id(const report &r) const {
    const digest from = derived(id_label, r, 0, {});
    release_id id;
    std::copy_n(from.begin(), id.size(), id.begin());
    return id;
}

// The value is in it, so that another value has noise of its own.
void tightening::step_down(const report &r, std::uint32_t to_level,
                           std::vector<std::uint32_t> &words) const {
    const digest step = derived(noise_label, r, to_level, words);
    static constexpr std::uint8_t nonce[12] = {};
    crypto::stream noise(step.data(), nonce, 0);
    std::vector<std::uint8_t> random(tighten_bytes(table_, to_level + 1, to_level));
    for (std::uint32_t i = 0; i < words.size(); ++i) {
        check(noise.read(random.data(), random.size()));
        check(tighten_word(table_, to_level + 1, to_level, i, words[i],
                           {random.data(), random.size()}, &words[i]));
    }
}

std::vector<std::uint32_t> tightening::tightened(const report &r) const {
    std::vector<std::uint32_t> made = words(r);
    for (std::uint32_t level = r.level; level-- > level_;) {
        step_down(r, level, made);
    }
    return made;
}

} // namespace sotto::aggregator
