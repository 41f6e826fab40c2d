// SPDX-License-Identifier: Apache-2.0
#include "aggregator/request/key.hpp"

#include "aggregator/base/key_reader.hpp"

#include <memory>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <string_view>
#include <vector>

namespace sotto::aggregator {
namespace {

template <auto function> struct freed_by {
    template <typename T> void operator()(T *object) const { function(object); }
};
using evp_key = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using evp_context = std::unique_ptr<EVP_PKEY_CTX, freed_by<EVP_PKEY_CTX_free>>;
using digest_context = std::unique_ptr<EVP_MD_CTX, freed_by<EVP_MD_CTX_free>>;
using number = std::unique_ptr<BIGNUM, freed_by<BN_clear_free>>;
using curve = std::unique_ptr<EC_GROUP, freed_by<EC_GROUP_free>>;
using point = std::unique_ptr<EC_POINT, freed_by<EC_POINT_clear_free>>;
using param_builder = std::unique_ptr<OSSL_PARAM_BLD, freed_by<OSSL_PARAM_BLD_free>>;
using params = std::unique_ptr<OSSL_PARAM, freed_by<OSSL_PARAM_free>>;
using signature_parts = std::unique_ptr<ECDSA_SIG, freed_by<ECDSA_SIG_free>>;

constexpr std::size_t encoded_bytes = 1 + std::tuple_size_v<p256_point>; // 4, x, y

void require(bool done) {
    if (!done) {
        throw environment_error("OpenSSL can't do ECDSA on P-256 here, or has no randomness");
    }
}

number number_of(std::span<const std::uint8_t> bytes) {
    number n(BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
    require(n != nullptr);
    return n;
}

p256_point public_of(const std::array<std::uint8_t, 32> &scalar) {
    const curve group(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1));
    require(group != nullptr);
    const number secret = number_of(scalar);
    if (BN_is_zero(secret.get()) != 0 ||
        BN_cmp(secret.get(), EC_GROUP_get0_order(group.get())) >= 0) {
        throw usage_error("no private key on P-256");
    }
    const point product(EC_POINT_new(group.get()));
    std::array<std::uint8_t, encoded_bytes> encoded;
    require(product != nullptr &&
            EC_POINT_mul(group.get(), product.get(), secret.get(), nullptr, nullptr, nullptr) ==
                1 &&
            EC_POINT_point2oct(group.get(), product.get(), POINT_CONVERSION_UNCOMPRESSED,
                               encoded.data(), encoded.size(), nullptr) == encoded.size());
    p256_point out;
    std::copy(encoded.begin() + 1, encoded.end(), out.begin());
    return out;
}

evp_key evp_of(const std::array<std::uint8_t, 32> &scalar, const p256_point &of_public) {
    std::array<std::uint8_t, encoded_bytes> encoded = {4};
    std::copy(of_public.begin(), of_public.end(), encoded.begin() + 1);
    const number secret = number_of(scalar);
    const param_builder builder(OSSL_PARAM_BLD_new());
    require(builder != nullptr &&
            OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256",
                                            0) == 1 &&
            OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_PRIV_KEY, secret.get()) == 1 &&
            OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, encoded.data(),
                                             encoded.size()) == 1);
    const params parameters(OSSL_PARAM_BLD_to_param(builder.get()));
    const evp_context context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
    EVP_PKEY *made = nullptr;
    require(parameters != nullptr && context != nullptr &&
            EVP_PKEY_fromdata_init(context.get()) == 1 &&
            EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_KEYPAIR, parameters.get()) == 1);
    return evp_key(made);
}

std::uint32_t key_id(const p256_point &of_public) {
    static constexpr std::string_view label = "\x14sotto request key v1";
    std::vector<std::uint8_t> text(label.begin(), label.end());
    text.insert(text.end(), of_public.begin(), of_public.end());
    std::array<std::uint8_t, 32> digest;
    require(EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) ==
            1);
    return static_cast<std::uint32_t>(digest[0]) << 24 |
           static_cast<std::uint32_t>(digest[1]) << 16 |
           static_cast<std::uint32_t>(digest[2]) << 8 | digest[3];
}

} // namespace

request_key::request_key(const std::array<std::uint8_t, 32> &scalar)
    : scalar_(scalar), public_(public_of(scalar)), id_(key_id(public_)) {}

request_key::~request_key() { OPENSSL_cleanse(scalar_.data(), scalar_.size()); }

p256_signature request_key::sign(std::span<const std::uint8_t> text) const {
    const evp_key key = evp_of(scalar_, public_);
    const digest_context context(EVP_MD_CTX_new());
    std::array<std::uint8_t, 80> encoded; // DER: 72 at most
    std::size_t length = encoded.size();
    require(context != nullptr &&
            EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
            EVP_DigestSign(context.get(), encoded.data(), &length, text.data(), text.size()) == 1);
    const unsigned char *at = encoded.data();
    const signature_parts parts(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(length)));
    p256_signature out;
    require(parts != nullptr && BN_bn2binpad(ECDSA_SIG_get0_r(parts.get()), out.data(), 32) == 32 &&
            BN_bn2binpad(ECDSA_SIG_get0_s(parts.get()), out.data() + 32, 32) == 32);
    return out;
}

request_key generate_request_key() {
    const evp_key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
    BIGNUM *read = nullptr;
    require(key != nullptr &&
            EVP_PKEY_get_bn_param(key.get(), OSSL_PKEY_PARAM_PRIV_KEY, &read) == 1);
    const number secret(read);
    std::array<std::uint8_t, 32> scalar;
    require(BN_bn2binpad(secret.get(), scalar.data(), 32) == 32);
    const request_key made(scalar);
    OPENSSL_cleanse(scalar.data(), scalar.size());
    return made;
}

std::string public_key_text(const request_key &key) {
    return fmt::format("{}p256 {}\nid {}\n", key_label::checks, hex(key.of_public()),
                       fingerprint_text(key.id()));
}

std::string private_key_text(const request_key &key) {
    return fmt::format("{}p256 {}\nid {}\n", key_label::signs, hex(key.scalar()),
                       fingerprint_text(key.id()));
}

request_key read_request_key(const std::string &path) {
    key_reader reader(path);
    if (reader.has(key_label::checks)) {
        reader.fail("a public key; the private one, which signs, is needed");
    }
    if (reader.has(key_label::opens) || reader.has(key_label::seals)) {
        reader.fail("a key that seals; one of sotto keygen --requests is needed");
    }
    if (!reader.has(key_label::signs)) {
        reader.fail_shape();
    }
    auto scalar = reader.hex_line<32>("p256 ");
    std::optional<request_key> key;
    try {
        key.emplace(scalar);
    } catch (const usage_error &error) {
        reader.fail(error.what());
    }
    OPENSSL_cleanse(scalar.data(), scalar.size());
    reader.finish(key->id());
    reader.require_end();
    return *key;
}

p256_point read_public_request_key(const std::string &path) {
    key_reader reader(path);
    if (reader.has(key_label::signs)) {
        reader.fail("a private key; the public one, which devices have, is needed");
    }
    if (!reader.has(key_label::checks)) {
        reader.fail("no public key of sotto keygen --requests");
    }
    const auto point = reader.hex_line<64>("p256 ");
    reader.finish(key_id(point));
    reader.require_end();
    return point;
}

} // namespace sotto::aggregator
