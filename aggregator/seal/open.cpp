// SPDX-License-Identifier: Apache-2.0
#include "aggregator/seal/open.hpp"

#include "aggregator/base/bytes.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/seal/hpke.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

constexpr std::string_view info_text = "sotto envelope v1";

} // namespace

struct keyring::entry {
    public_key identity;
    bool retired;
    hpke::pkey key;
};

keyring::keyring(const std::vector<private_key> &keys) {
    for (const private_key &secret : keys) {
        hpke::pkey key(EVP_PKEY_new_raw_private_key(
            EVP_PKEY_X25519, nullptr, secret.secret().data(), secret.secret().size()));
        if (!key) {
            throw environment_error("OpenSSL can't do X25519 here");
        }
        entries_.push_back({secret.of_public(), secret.retired(), std::move(key)});
    }
    std::sort(entries_.begin(), entries_.end(),
              [](const entry &a, const entry &b) { return a.identity.id < b.identity.id; });
    const auto twice =
        std::adjacent_find(entries_.begin(), entries_.end(), [](const entry &a, const entry &b) {
            return a.identity.id == b.identity.id;
        });
    if (twice != entries_.end()) {
        throw usage_error("--key: key " + fingerprint_text(twice->identity.id) + " is there twice");
    }
}

keyring::keyring(keyring &&) noexcept = default;
keyring::~keyring() = default;

struct opener::state {
    explicit state(const keyring &keys) : ring(keys) {
        for (const keyring::entry &entry : ring.entries_) {
            receivers.emplace_back(entry.key.get());
        }
    }

    const keyring &ring;
    hpke::hkdf hkdf;
    // ChaCha20-Poly1305 first: devices seal with it.
    std::array<hpke::aead, 2> aeads = {
        hpke::aead("ChaCha20-Poly1305", 3, bytes_of(info_text), hkdf),
        hpke::aead("AES-128-GCM", 1, bytes_of(info_text), hkdf)};
    std::vector<hpke::receiver> receivers; // one a key, in the keyring's order
    std::vector<std::uint8_t> batch;
};

opener::opener(const keyring &keys) : state_(std::make_unique<state>(keys)) {}
opener::opener(opener &&) noexcept = default;
opener::~opener() = default;

std::variant<std::string_view, reason> opener::open(const envelope &sealed) {
    state &s = *state_;
    const auto found = std::lower_bound(
        s.ring.entries_.begin(), s.ring.entries_.end(), sealed.key_id,
        [](const keyring::entry &entry, std::uint32_t id) { return entry.identity.id < id; });
    if (found == s.ring.entries_.end() || found->identity.id != sealed.key_id) {
        return reason::unknown_key;
    }
    if (found->retired) {
        return reason::retired_key;
    }
    hpke::secret shared;
    hpke::receiver &receiver =
        s.receivers[static_cast<std::size_t>(found - s.ring.entries_.begin())];
    if (!receiver.decapsulate(bytes_of(sealed.enc), found->identity.bytes, shared, s.hkdf)) {
        return reason::not_opened;
    }
    s.batch.resize(std::max(s.batch.size(), sealed.ciphertext.size()));
    for (hpke::aead &aead : s.aeads) {
        if (aead.open(shared, bytes_of(sealed.header), bytes_of(sealed.ciphertext), s.batch.data(),
                      s.hkdf)) {
            return std::string_view(reinterpret_cast<const char *>(s.batch.data()),
                                    sealed.ciphertext.size() - hpke::tag_bytes);
        }
    }
    return reason::not_opened;
}

} // namespace sotto::aggregator
