// SPDX-License-Identifier: Apache-2.0
// Sealed envelopes to batches: ours, NSS's HPKE, and the one X25519 by OpenSSL that none can do
// without.
#include "aggregator/seal/hpke.hpp"
#include "aggregator/seal/open.hpp"
#include "fleet.hpp"

#include "sotto/registry.h"

#include <benchmark/benchmark.h>
#include <random>
#ifdef SOTTO_NSS
#include <keyhi.h>
#include <nss.h>
#include <pk11pub.h>
#endif

namespace sotto::bench {
namespace {

constexpr std::size_t envelopes = 256; // different ones, by turns
constexpr std::size_t tag_bytes = 16;

// As long as a batch of so many reports of 128 bits: padded to 64.
std::size_t batch_bytes(std::size_t reports) { return (2 + 39 * reports + 63) / 64 * 64; }

struct sealed {
    std::string header, enc, text;
};

class fleet {
  public:
    explicit fleet(std::size_t reports) {
        const auto &receiver = key_.of_public();
        std::mt19937_64 random(2);
        for (sealed &envelope_made : envelopes_) {
            envelope_made.header = "any header, as it is sent";
            envelope_made.enc.resize(32);
            envelope_made.text.resize(batch_bytes(reports) + tag_bytes);
            std::uint8_t ephemeral[32];
            for (std::uint8_t &byte : ephemeral) {
                byte = static_cast<std::uint8_t>(random());
            }
            const auto bytes = [](std::string &s) {
                return reinterpret_cast<std::uint8_t *>(s.data());
            };
            if (sotto_seal_hpke(receiver.bytes.data(), ephemeral, bytes(envelope_made.header),
                                envelope_made.header.size(), bytes(envelope_made.enc),
                                bytes(envelope_made.text),
                                envelope_made.text.size() - tag_bytes) != SOTTO_OK) {
                std::abort();
            }
        }
    }

    const aggregator::private_key &key() const { return key_; }
    aggregator::envelope operator[](std::size_t i) const {
        const sealed &envelope_sent = envelopes_[i % envelopes];
        aggregator::envelope e;
        e.sealed = true;
        e.key_id = key_.of_public().id;
        e.header = envelope_sent.header;
        e.enc = envelope_sent.enc;
        e.ciphertext = envelope_sent.text;
        return e;
    }

  private:
    aggregator::private_key key_ = aggregator::generate_key();
    std::array<sealed, envelopes> envelopes_;
};

void open_sotto(benchmark::State &state) {
    const auto reports = static_cast<std::size_t>(state.range(0));
    const fleet from(reports);
    const aggregator::keyring keys({from.key()});
    aggregator::opener open(keys);
    std::size_t i = 0;
    for (auto _ : state) {
        const auto batch = open.open(from[i++]);
        if (!std::holds_alternative<std::string_view>(batch)) {
            return state.SkipWithError("an envelope did not open");
        }
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

void open_x25519(benchmark::State &state) {
    using namespace aggregator::hpke;
    const fleet from(1);
    const pkey mine(
        EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, from.key().secret().data(), 32));
    std::size_t i = 0;
    for (auto _ : state) {
        const std::string_view enc = from[i++].enc;
        const pkey theirs(EVP_PKEY_new_raw_public_key(
            EVP_PKEY_X25519, nullptr, reinterpret_cast<const std::uint8_t *>(enc.data()), 32));
        const pkey_context context(EVP_PKEY_CTX_new(mine.get(), nullptr));
        std::uint8_t shared[32];
        std::size_t length = sizeof shared;
        if (EVP_PKEY_derive_init(context.get()) != 1 ||
            EVP_PKEY_derive_set_peer(context.get(), theirs.get()) != 1 ||
            EVP_PKEY_derive(context.get(), shared, &length) != 1) {
            return state.SkipWithError("no shared secret");
        }
        benchmark::DoNotOptimize(shared);
    }
    state.SetItemsProcessed(state.iterations());
}

BENCHMARK(open_sotto)->Arg(1)->Arg(32);
BENCHMARK(open_x25519);

#ifdef SOTTO_NSS
SECItem item(std::string &bytes) {
    return {siBuffer, reinterpret_cast<unsigned char *>(bytes.data()),
            static_cast<unsigned>(bytes.size())};
}

HpkeContext *nss_context() {
    return PK11_HPKE_NewContext(HpkeDhKemX25519Sha256, HpkeKdfHkdfSha256, HpkeAeadChaCha20Poly1305,
                                nullptr, nullptr);
}

void open_nss(benchmark::State &state) {
    if (NSS_NoDB_Init(nullptr) != SECSuccess) {
        return state.SkipWithError("NSS does not start");
    }
    const SECOidData *curve = SECOID_FindOIDByTag(SEC_OID_CURVE25519);
    std::string parameters = {SEC_ASN1_OBJECT_ID, static_cast<char>(curve->oid.len)};
    parameters.append(reinterpret_cast<const char *>(curve->oid.data), curve->oid.len);
    SECItem of_curve = item(parameters);
    SECKEYPublicKey *public_key = nullptr;
    const auto slot = PK11_GetInternalSlot();
    SECKEYPrivateKey *key = SECKEY_CreateECPrivateKey(&of_curve, &public_key, nullptr);
    std::string info = "sotto envelope v1", header = "any header, as it is sent",
                text(batch_bytes(1), '\0');
    SECItem info_item = item(info), header_item = item(header), text_item = item(text);
    HpkeContext *sender = nss_context();
    SECItem *sealed = nullptr;
    if (key == nullptr ||
        PK11_HPKE_SetupS(sender, nullptr, nullptr, public_key, &info_item) != SECSuccess ||
        PK11_HPKE_Seal(sender, &header_item, &text_item, &sealed) != SECSuccess) {
        return state.SkipWithError("NSS does not seal");
    }
    for (auto _ : state) {
        HpkeContext *receiver = nss_context();
        SECItem *opened = nullptr;
        if (PK11_HPKE_SetupR(receiver, public_key, key, PK11_HPKE_GetEncapPubKey(sender),
                             &info_item) != SECSuccess ||
            PK11_HPKE_Open(receiver, &header_item, sealed, &opened) != SECSuccess) {
            return state.SkipWithError("NSS does not open");
        }
        SECITEM_FreeItem(opened, PR_TRUE);
        PK11_HPKE_DestroyContext(receiver, PR_TRUE);
    }
    state.SetItemsProcessed(state.iterations());
    SECITEM_FreeItem(sealed, PR_TRUE);
    PK11_HPKE_DestroyContext(sender, PR_TRUE);
    SECKEY_DestroyPrivateKey(key);
    SECKEY_DestroyPublicKey(public_key);
    PK11_FreeSlot(slot);
}
BENCHMARK(open_nss);
#endif

} // namespace
} // namespace sotto::bench
