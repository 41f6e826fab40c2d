// SPDX-License-Identifier: Apache-2.0
// The crypto interface against the published vectors in tests/vectors/crypto.json, on a board or on
// the host, with whatever backend it is linked with. Fails with the first vector that differs.
#include "crypto/aead.hpp"
#include "crypto/hkdf_sha256.hpp"
#include "crypto/p256.hpp"
#include "crypto/x25519.hpp"
#include "crypto_vectors.h"
#include "iterated.hpp"
#include "report/decode_request.hpp"
#include "seal/envelope_schedule.hpp"
#include "sotto/registry.h"

// semihosting.h is C.
extern "C" void host_print(const char *text);
extern "C" void host_print_number(uint32_t number);

// The backend's generator. It comes first because seeding it readies the rest.
bool generator_is_right();

using namespace sotto::crypto;

namespace {

uint32_t hex_number(const char *text) {
    const short_bytes b(text);
    return static_cast<uint32_t>(b.data[0]) << 24 | static_cast<uint32_t>(b.data[1]) << 16 |
           static_cast<uint32_t>(b.data[2]) << 8 | b.data[3];
}

bool sha256_is_right(const sha256_vector &v) {
    const long_bytes text(v.text);
    // In two parts, and in one.
    const bytes parts[] = {{text.data, text.size / 3},
                           {text.data + text.size / 3, text.size - text.size / 3}};
    uint8_t digest[digest_bytes], again[digest_bytes];
    const bytes whole = text;
    const short_bytes expected(v.digest);
    return sha256(parts, 2, digest) == SOTTO_OK && sha256(&whole, 1, again) == SOTTO_OK &&
           expected.is(digest) && expected.is(again);
}

bool hmac_is_right(const hmac_sha256_vector &v) {
    const long_bytes key(v.key), text(v.text);
    const bytes part = text;
    uint8_t tag[digest_bytes];
    return hmac_sha256(key, {&part, 1}, tag) == SOTTO_OK && short_bytes(v.tag).is(tag);
}

bool hkdf_is_right(const hkdf_sha256_vector &v) {
    const short_bytes ikm(v.ikm), salt(v.salt), info(v.info), okm(v.okm);
    const bytes key_part = ikm, info_part = info;
    uint8_t key[digest_bytes], out[128];
    return hkdf_extract(salt, {&key_part, 1}, key) == SOTTO_OK && short_bytes(v.prk).is(key) &&
           hkdf_expand(key, {&info_part, 1}, out, okm.size) == SOTTO_OK && okm.is(out);
}

bool aead_is_right(const chacha20_poly1305_vector &v) {
    const short_bytes key(v.key), nonce(v.nonce), aad(v.aad);
    long_bytes text(v.text);
    return chacha20_poly1305_seal(key.data, nonce.data, aad, text.data, text.size) == SOTTO_OK &&
           long_bytes(v.sealed).is(text.data);
}

bool x25519_is_right(const x25519_vector &v) {
    uint8_t out[x25519_bytes];
    return x25519(short_bytes(v.scalar).data, short_bytes(v.point).data, out) == SOTTO_OK &&
           short_bytes(v.out).is(out);
}

bool ecdsa_is_right(const ecdsa_p256_sha256_vector &v) {
    const short_bytes key(v.key), text(v.text), signature(v.signature);
    const bytes part = text;
    uint8_t digest[digest_bytes];
    return sha256(&part, 1, digest) == SOTTO_OK &&
           p256_verify(key.data, digest, signature.data) == (number(v.valid) == 1);
}

bool request_is_right(const request_vector &v) {
    const long_bytes message(v.message);
    const short_bytes key(v.key);
    sotto::report::request r = {};
    if (!sotto::report::decode_request(message.data, message.size, r)) {
        return false;
    }
    static const char label[] = "\x10sotto request v1";
    const bytes parts[] = {{label, sizeof label - 1}, {r.body, r.body_bytes}};
    uint8_t digest[digest_bytes];
    return sha256(parts, 2, digest) == SOTTO_OK && p256_verify(key.data, digest, r.signature) &&
           r.registry == hex_number(v.registry) && r.metric == number(v.metric) &&
           r.level == number(v.level) && r.first_epoch == number(v.first_epoch) &&
           r.last_epoch == number(v.last_epoch) && r.serial == number(v.serial) &&
           short_bytes(v.select).is(r.select);
}

bool small_order_is_refused(const small_order_vector &v) {
    static const uint8_t scalar[x25519_bytes] = {1, 2, 3};
    uint8_t out[x25519_bytes] = {7};
    return x25519(scalar, short_bytes(v.point).data, out) == SOTTO_ERR_CRYPTO && out[0] == 0;
}

bool edge_is_right(const edge_vector &v) {
    uint8_t out[x25519_bytes] = {7};
    const sotto_status status = x25519(short_bytes(v.scalar).data, short_bytes(v.point).data, out);
    uint32_t any = 0;
    for (const uint8_t byte : out) {
        any |= byte;
    }
    return short_bytes(v.out).is(out) &&
           status == (any == 0 ? sotto_status{SOTTO_ERR_CRYPTO} : sotto_status{SOTTO_OK});
}

bool iterated_is_right(const iterated_vector &v) { return iterated(v.times, v.out); }

bool hpke_is_right(const hpke_vector &v) {
    uint8_t enc[x25519_bytes];
    sotto::seal::sender_context context;
    if (sotto::seal::setup_sender(short_bytes(v.public_key).data, short_bytes(v.ephemeral).data,
                                  short_bytes(v.schedule).data, enc, context) != SOTTO_OK) {
        return false;
    }
    bool right = short_bytes(v.enc).is(enc) && short_bytes(v.key).is(context.key) &&
                 short_bytes(v.base_nonce).is(context.base_nonce);
    for (const encryption_vector &e : encryption_vectors) {
        uint8_t nonce[aead_nonce_bytes];
        for (size_t i = 0; i < sizeof nonce; ++i) {
            const uint32_t sequence = i < 8 ? 0 : number(e.sequence) >> (8 * (11 - i));
            nonce[i] = static_cast<uint8_t>(context.base_nonce[i] ^ sequence);
        }
        short_bytes text(v.text);
        right &= chacha20_poly1305_seal(context.key, nonce, short_bytes(e.aad), text.data,
                                        text.size) == SOTTO_OK &&
                 short_bytes(e.sealed).is(text.data);
    }
    return right;
}

// LabeledExtract of RFC 9180, 4, without a salt.
bool is_hash_of(const uint8_t *given, bytes label, bytes text) {
    static const uint8_t suite[] = {'H', 'P', 'K', 'E',  '-', 'v',  '1', 'H', 'P',
                                    'K', 'E', 0,   0x20, 0,   0x01, 0,   0x03};
    const bytes parts[] = {{suite, sizeof suite}, label, text};
    uint8_t made[digest_bytes];
    bool right = hkdf_extract({nullptr, 0}, {parts, 3}, made) == SOTTO_OK;
    for (size_t i = 0; i < digest_bytes; ++i) {
        right &= made[i] == given[i];
    }
    return right;
}

bool schedule_is_right(const uint8_t *schedule) {
    return schedule[0] == 0 && is_hash_of(schedule + 1, {"psk_id_hash", 11}, {nullptr, 0}) &&
           is_hash_of(schedule + 1 + digest_bytes, {"info_hash", 9}, {"sotto envelope v1", 17});
}

// The envelope's parts behind its length: header, tag and length of enc, enc, those of the
// ciphertext, the ciphertext.
bool envelope_is_right(const envelope_vector &v) {
    const long_bytes expected(v.envelope);
    long_bytes text(v.batch);
    uint8_t header[12] = {0x08, 0x02, 0x15};
    const uint32_t registry = hex_number(v.registry);
    for (size_t i = 0; i < 4; ++i) {
        header[3 + i] = static_cast<uint8_t>(registry >> (8 * i));
    }
    header[7] = 0x25;
    const uint32_t id = hex_number(v.key_id);
    for (size_t i = 0; i < 4; ++i) {
        header[8 + i] = static_cast<uint8_t>(id >> (8 * i));
    }
    uint8_t enc[x25519_bytes];
    if (sotto_seal_hpke(short_bytes(v.public_key).data, short_bytes(v.ephemeral).data, header,
                        sizeof header, enc, text.data, text.size) != SOTTO_OK) {
        return false;
    }
    const size_t sealed_bytes = text.size + aead_tag_bytes;
    const uint8_t *at = expected.data + expected.size - sealed_bytes;
    bool right = at[-2] < 0x80 || at[-1] == sealed_bytes >> 7;
    for (size_t i = 0; i < sealed_bytes; ++i) {
        right &= at[i] == text.data[i];
    }
    at -= (sealed_bytes < 0x80 ? 2 : 3) + x25519_bytes;
    for (size_t i = 0; i < x25519_bytes; ++i) {
        right &= at[i] == enc[i];
    }
    at -= 2 + sizeof header;
    for (size_t i = 0; i < sizeof header; ++i) {
        right &= at[i] == header[i];
    }
    return right;
}

#if defined(__arm__) || defined(__riscv)
// Sealing leaves zeros where its frames were, and a few words of the frames that wrote those. The
// host has tests/unit/wipe_test.cpp.
constexpr uint32_t paint = 0xa5a5a5a5u;
constexpr size_t painted_words = 1024;

uint32_t *stack_now() {
    uint32_t *here;
#if defined(__riscv)
    __asm__ volatile("mv %0, sp" : "=r"(here));
#else
    __asm__ volatile("mov %0, sp" : "=r"(here));
#endif
    return here;
}

[[gnu::noinline]] void paint_stack() {
    uint32_t *const top = stack_now() - 16;
    for (uint32_t *p = top - painted_words; p < top; ++p) {
        *p = paint;
    }
}

[[gnu::noinline]] size_t words_left() {
    const uint32_t *const top = stack_now() - 16;
    size_t left = 0;
    for (const uint32_t *p = top - painted_words; p < top; ++p) {
        left += *p != paint && *p != 0 ? 1 : 0;
    }
    return left;
}

bool stack_is_wiped() {
    constexpr size_t frames_words = 32;
    static const uint8_t scalar[x25519_bytes] = {7, 1, 2, 3}, header[4] = {};
    static uint8_t enc[x25519_bytes], text[64 + aead_tag_bytes], out[x25519_bytes];
    const short_bytes key(envelope_vectors[0].public_key);
    paint_stack();
    const bool sealed =
        sotto_seal_hpke(key.data, scalar, header, sizeof header, enc, text, 64) == SOTTO_OK;
    const size_t after_sealing = words_left();
    paint_stack();
    const bool multiplied = x25519(scalar, key.data, out) == SOTTO_OK;
    const size_t control = words_left();
    host_print("words on the stack: ");
    host_print_number(static_cast<uint32_t>(after_sealing));
    host_print(", without wiping ");
    host_print_number(static_cast<uint32_t>(control));
    host_print("\n");
    return sealed && multiplied && after_sealing <= frames_words && control > 2 * frames_words;
}
#else
bool stack_is_wiped() { return true; }
#endif

// The guards have to notice something.
bool controls_are_noticed() {
    sha256_vector wrong = sha256_vectors[1];
    wrong.digest = sha256_vectors[0].digest;
    x25519_vector swapped = x25519_vectors[0];
    swapped.point = x25519_vectors[1].point;
    envelope_vector other_key = envelope_vectors[0];
    other_key.key_id = envelope_vectors[1].key_id;
    ecdsa_p256_sha256_vector other_text = ecdsa_p256_sha256_vectors[0];
    other_text.text = ecdsa_p256_sha256_vectors[1].text;
    const short_bytes other_info(hpke_vectors[0].schedule);
    return !schedule_is_right(other_info.data) && !sha256_is_right(wrong) &&
           !x25519_is_right(swapped) && !envelope_is_right(other_key) &&
           !ecdsa_is_right(other_text);
}

int failures = 0;

template <typename Vector, size_t count>
void run(const char *name, const Vector (&vectors)[count], bool (*is_right)(const Vector &)) {
    for (size_t i = 0; i < count; ++i) {
        if (!is_right(vectors[i])) {
            host_print("WRONG: ");
            ++failures;
        }
        host_print(name);
        host_print(" ");
        host_print_number(static_cast<uint32_t>(i));
        host_print("\n");
    }
}

} // namespace

extern "C" int main() {
    if (!generator_is_right()) {
        host_print("WRONG: the generator\n");
        ++failures;
    }
    run("SHA-256", sha256_vectors, sha256_is_right);
    run("HMAC-SHA256", hmac_sha256_vectors, hmac_is_right);
    run("request", request_vectors, request_is_right);
    run("ECDSA P-256", ecdsa_p256_sha256_vectors, ecdsa_is_right);
    run("HKDF-SHA256", hkdf_sha256_vectors, hkdf_is_right);
    run("ChaCha20-Poly1305", chacha20_poly1305_vectors, aead_is_right);
    run("X25519", x25519_vectors, x25519_is_right);
    run("point of small order", small_order_vectors, small_order_is_refused);
    run("X25519 edge", edge_vectors, edge_is_right);
    run("HPKE", hpke_vectors, hpke_is_right);
    run("envelope", envelope_vectors, envelope_is_right);
    run("X25519 iterated", iterated_vectors, iterated_is_right);
    if (!schedule_is_right(sotto::seal::envelope_schedule)) {
        host_print("WRONG: the constants of the key schedule\n");
        ++failures;
    }
    if (!stack_is_wiped()) {
        host_print("WRONG: the stack\n");
        ++failures;
    }
    if (!controls_are_noticed()) {
        host_print("WRONG: controls\n");
        ++failures;
    }
    return failures == 0 ? 0 : 1;
}
