// SPDX-License-Identifier: Apache-2.0
// A sealed envelope opens with its key, and with nothing else.
#include "aggregator/base/failure.hpp"
#include "aggregator/base/new_file.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/request/key.hpp"
#include "aggregator/seal/hpke.hpp"
#include "aggregator/seal/open.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;
using byte_list = std::vector<std::uint8_t>;

const json &vectors() {
    static const json document = json::parse(read_file(SOTTO_VECTORS "/crypto.json"));
    return document;
}

byte_list from(const json &entry, const char *key) {
    return from_hex(entry.at(key).get<std::string>()).value();
}

std::string text_from(const json &entry, const char *key) {
    const byte_list bytes = from(entry, key);
    return {bytes.begin(), bytes.end()};
}

key_bytes key_from(const json &entry, const char *key) {
    key_bytes out;
    const byte_list bytes = from(entry, key);
    std::copy_n(bytes.begin(), out.size(), out.begin());
    return out;
}

std::string without_length(const std::string &delimited_message) {
    std::size_t at = 0;
    while (static_cast<unsigned char>(delimited_message[at]) >= 0x80) {
        ++at;
    }
    return delimited_message.substr(at + 1);
}

// An envelope's batch, or the words of the reason.
std::string outcome(const std::string &bytes, opener &with) {
    const auto decoded = decode_envelope(bytes);
    if (const reason *why = std::get_if<reason>(&decoded)) {
        return reason_text(*why);
    }
    const envelope &e = std::get<envelope>(decoded);
    if (!e.sealed) {
        return "in the clear";
    }
    const auto opened = with.open(e);
    if (const reason *why = std::get_if<reason>(&opened)) {
        return reason_text(*why);
    }
    return std::string(std::get<std::string_view>(opened));
}

bool evp_opens(const char *cipher, const json &v, byte_list sealed) {
    const hpke::cipher fetched(EVP_CIPHER_fetch(nullptr, cipher, nullptr));
    const hpke::cipher_context context(EVP_CIPHER_CTX_new());
    const byte_list key = from(v, "key"), nonce = from(v, "nonce"), aad = from(v, "aad");
    byte_list text(sealed.size());
    const int length = static_cast<int>(sealed.size()) - 16;
    int done = 0;
    EXPECT_EQ(EVP_DecryptInit_ex2(context.get(), fetched.get(), key.data(), nonce.data(), nullptr),
              1);
    EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, 16, sealed.data() + length);
    EVP_DecryptUpdate(context.get(), nullptr, &done, aad.data(), static_cast<int>(aad.size()));
    EVP_DecryptUpdate(context.get(), text.data(), &done, sealed.data(), length);
    text.resize(static_cast<std::size_t>(length));
    return EVP_DecryptFinal_ex(context.get(), text.data() + done, &done) == 1 &&
           text == from(v, "text");
}

TEST(Seal, PrimitivesAgainstTheirVectors) {
    for (const auto &[name, cipher] : {std::pair("chacha20_poly1305", "ChaCha20-Poly1305"),
                                       std::pair("aes_128_gcm", "AES-128-GCM")}) {
        for (const json &v : vectors().at(name).at("vectors")) {
            byte_list sealed = from(v, "sealed");
            EXPECT_TRUE(evp_opens(cipher, v, sealed)) << name;
            sealed[0] ^= 1;
            EXPECT_FALSE(evp_opens(cipher, v, sealed)) << name;
        }
    }
}

struct suite {
    const char *openssl;
    std::uint16_t id;
};
suite suite_of(const json &v) {
    return v.at("aead") == "AES-128-GCM" ? suite{"AES-128-GCM", 1} : suite{"ChaCha20-Poly1305", 3};
}

TEST(Seal, HpkeVectorsOfBothSuites) {
    const json &hpke_vectors = vectors().at("hpke");
    EXPECT_EQ(hpke_vectors.at("vectors").size(), 2u);
    for (const json &v : hpke_vectors.at("vectors")) {
        const private_key key(key_from(v, "private_key"), false);
        EXPECT_EQ(key.of_public().bytes, key_from(v, "public_key"));
        const hpke::pkey evp(
            EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, key.secret().data(), 32));
        hpke::hkdf hkdf;
        hpke::receiver receiver(evp.get());
        hpke::aead aead(suite_of(v).openssl, suite_of(v).id, from(hpke_vectors, "info"), hkdf);
        hpke::secret shared;
        ASSERT_TRUE(receiver.decapsulate(from(v, "enc"), key.of_public().bytes, shared, hkdf));
        EXPECT_EQ(hex(shared), v.at("shared_secret"));
        const json &first = v.at("encryptions").at(0);
        ASSERT_EQ(first.at("sequence"), 0);
        const byte_list sealed = from(first, "sealed");
        byte_list text(sealed.size());
        ASSERT_TRUE(aead.open(shared, from(first, "aad"), sealed, text.data(), hkdf));
        text.resize(text.size() - hpke::tag_bytes);
        EXPECT_EQ(hex(text), hpke_vectors.at("text"));
        EXPECT_FALSE(aead.open(shared, from(hpke_vectors, "info"), sealed, text.data(), hkdf));
    }
}

class Envelopes : public testing::Test {
  protected:
    const json &first = vectors().at("envelopes").at(0);
    const json &second = vectors().at("envelopes").at(1);
    const private_key first_key{key_from(first, "private_key"), false};
    const private_key second_key{key_from(second, "private_key"), false};
    const keyring both{{first_key, second_key}};
    opener open{both};
    const std::string message = without_length(text_from(first, "envelope"));
};

TEST_F(Envelopes, OpenWithTheirKeys) {
    for (const json *v : {&first, &second, &first}) {
        EXPECT_EQ(outcome(without_length(text_from(*v, "envelope")), open), text_from(*v, "batch"));
        EXPECT_EQ(fingerprint_text(key_id(key_from(*v, "public_key"))), v->at("key_id"));
    }
}

TEST_F(Envelopes, AnyFlippedBitIsRefused) {
    const std::string batch = text_from(first, "batch");
    std::map<std::string, int> outcomes;
    for (std::size_t bit = 0; bit < 8 * message.size(); ++bit) {
        std::string changed = message;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
        ++outcomes[outcome(changed, open)];
    }
    EXPECT_EQ(outcomes.count(batch), 0u);
    outcomes.erase("malformed");
    outcomes.erase("missing field");
    outcomes.erase("not canonical");
    outcomes.erase("unknown version");
    outcomes.erase("sealed for a key that is not here");
    // enc and ciphertext with its tag are most of it. The top bit of enc is not part of the point
    // (RFC 7748, 5), but of what the key is derived from.
    EXPECT_GE(outcomes["sealed, and can't be opened"], 8 * (32 + 48));
    EXPECT_EQ(outcomes.size(), 1u) << outcomes.begin()->first;
}

TEST_F(Envelopes, AnythingCutOffOrAddedIsRefused) {
    for (std::size_t length = 0; length < message.size(); ++length) {
        EXPECT_NE(outcome(message.substr(0, length), open), text_from(first, "batch"));
    }
    EXPECT_EQ(outcome(message + fixed32_field(4, 1), open), "not canonical");
    EXPECT_EQ(outcome(message + bytes_field(7, "x"), open), "not canonical");
}

TEST_F(Envelopes, ForeignAndRetiredKeysHaveTheirReasons) {
    const keyring foreign({second_key});
    opener with_foreign(foreign);
    EXPECT_EQ(outcome(message, with_foreign), "sealed for a key that is not here");
    const keyring retired({private_key(first_key.secret(), true), second_key});
    opener with_retired(retired);
    EXPECT_EQ(outcome(message, with_retired), "sealed for a retired key");
    EXPECT_THROW(keyring({first_key, first_key}), usage_error);
}

TEST_F(Envelopes, SealedFieldsHaveOneOrder) {
    const auto decoded = decode_envelope(message);
    const envelope &e = std::get<envelope>(decoded);
    const std::string head = varint_field(1, 2) + fixed32_field(2, 0x3c1277dd);
    const std::string id = fixed32_field(4, e.key_id);
    const std::string enc = bytes_field(5, std::string(e.enc));
    const std::string text = bytes_field(6, std::string(e.ciphertext));
    EXPECT_EQ(head + id, e.header);
    EXPECT_EQ(head + id + enc + text, message);
    for (const std::string &other :
         {head + enc + id + text, id + enc + text + head, head + id + text + enc,
          head + id + bytes_field(5, std::string(31, 'x')) + text,
          head + id + enc + text + bytes_field(3, "")}) {
        EXPECT_EQ(outcome(other, open), "not canonical");
    }
    EXPECT_EQ(outcome(head + enc + text, open), "missing field");
    EXPECT_EQ(outcome(head + id + enc, open), "missing field");
    EXPECT_EQ(outcome(head + id + text, open), "missing field");
    EXPECT_EQ(outcome(head + id + enc + bytes_field(6, "short"), open),
              "sealed, and can't be opened");
}

TEST_F(Envelopes, PointsOfSmallOrderAreRefused) {
    const std::string head = varint_field(1, 2) + fixed32_field(2, 0x3c1277dd) +
                             fixed32_field(4, first_key.of_public().id);
    for (const json &point : vectors().at("x25519").at("small_order")) {
        const byte_list enc = from_hex(point.get<std::string>()).value();
        EXPECT_EQ(outcome(head + bytes_field(5, {enc.begin(), enc.end()}) +
                              bytes_field(6, std::string(80, 'x')),
                          open),
                  "sealed, and can't be opened");
    }
    EXPECT_EQ(outcome(message, open), text_from(first, "batch")) << "nothing of them stays";
}

// A sender with AES in hardware: sealed here by OpenSSL, from the published key of A.1 on.
TEST_F(Envelopes, Aes128GcmOpensToo) {
    hpke::hkdf hkdf;
    hpke::secret shared;
    const hpke::pkey evp(
        EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, first_key.secret().data(), 32));
    hpke::receiver receiver(evp.get());
    const byte_list enc = from(first, "public_key"); // the ephemeral key is the private one
    ASSERT_TRUE(receiver.decapsulate(enc, first_key.of_public().bytes, shared, hkdf));
    const auto bytes = [](std::string_view s) {
        return hpke::bytes(reinterpret_cast<const std::uint8_t *>(s.data()), s.size());
    };
    const std::string suite("HPKE\0\x20\0\1\0\1", 10);
    std::string schedule(1, '\0');
    for (const auto &[label, info] :
         {std::pair("psk_id_hash", ""), std::pair("info_hash", "sotto envelope v1")}) {
        const hpke::secret part = hkdf.extract({}, {bytes(suite), bytes(label), bytes(info)});
        schedule.append(part.begin(), part.end());
    }
    const hpke::secret secret = hkdf.extract(shared, {bytes(suite), bytes("secret")});
    std::array<std::uint8_t, 16> key;
    std::array<std::uint8_t, 12> nonce;
    hkdf.expand(secret, {bytes(suite), bytes("key"), bytes(schedule)}, key);
    hkdf.expand(secret, {bytes(suite), bytes("base_nonce"), bytes(schedule)}, nonce);

    const std::string head = varint_field(1, 2) + fixed32_field(2, 0x3c1277dd) +
                             fixed32_field(4, first_key.of_public().id);
    const std::string batch = text_from(first, "batch");
    std::string sealed(batch.size() + 16, '\0');
    auto *out = reinterpret_cast<std::uint8_t *>(sealed.data());
    const hpke::cipher_context c(EVP_CIPHER_CTX_new());
    int done = 0;
    ASSERT_EQ(EVP_EncryptInit_ex2(c.get(), EVP_aes_128_gcm(), key.data(), nonce.data(), nullptr),
              1);
    EVP_EncryptUpdate(c.get(), nullptr, &done, bytes(head).data(), static_cast<int>(head.size()));
    EVP_EncryptUpdate(c.get(), out, &done, bytes(batch).data(), static_cast<int>(batch.size()));
    EVP_EncryptFinal_ex(c.get(), out + done, &done);
    EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_AEAD_GET_TAG, 16, out + batch.size());
    const std::string whole =
        head + bytes_field(5, {enc.begin(), enc.end()}) + bytes_field(6, sealed);
    EXPECT_EQ(outcome(whole, open), batch);
    sealed[3] ^= 4;
    EXPECT_EQ(
        outcome(head + bytes_field(5, {enc.begin(), enc.end()}) + bytes_field(6, sealed), open),
        "sealed, and can't be opened");
}

TEST(Rejections, NameTheFirstFewKeys) {
    rejections rejected;
    for (std::uint32_t id : {0x11u, 0x22u, 0x11u}) {
        rejected.add_id(reason::retired_key, id);
    }
    EXPECT_EQ(rejected.text(), "3 sealed for a retired key (00000011, 00000022)");
    rejections more;
    for (std::uint32_t id = 1; id <= 100; ++id) {
        more.add_id(reason::unknown_key, id);
    }
    rejected.add(more);
    EXPECT_EQ(rejected.text().substr(0, 88),
              "100 sealed for a key that is not here (00000001, 00000002, "
              "00000003, 00000004, ...), 3 s");
}

TEST(Rejections, NameRegistriesAndSayWhatToDo) {
    rejections rejected;
    rejected.add_id(reason::unknown_registry, 0x4e010580);
    rejected.add_id(reason::unknown_registry, 0x4e010580);
    EXPECT_EQ(rejected.text(),
              "2 unknown registry (4e010580; give --registry the metrics.json with this "
              "fingerprint)");
}

TEST(KeyFiles, ReadBackAsWritten) {
    const temporary_directory directory;
    const private_key key = generate_key();
    const std::string pub = directory.file("a.pub", key_text(key.of_public()));
    const std::string secret = directory.file("a.key", key_text(key));
    EXPECT_EQ(read_public_key(pub).bytes, key.of_public().bytes);
    EXPECT_EQ(read_private_keys(secret).at(0).secret(), key.secret());
    EXPECT_FALSE(read_private_keys(secret).at(0).retired());
    directory.file("b.key", key_text(private_key(generate_key().secret(), true)));
    const auto keys = read_private_keys((directory / "").string());
    ASSERT_EQ(keys.size(), 2u);
    EXPECT_TRUE(keys[1].retired());
    EXPECT_NE(generate_key().secret(), generate_key().secret());
}

TEST(KeyFiles, RefusalsSayWhyAndShowNothing) {
    const temporary_directory directory;
    const private_key key = generate_key();
    const std::string secret = key_text(key), open = key_text(key.of_public());
    const auto refusal = [&](const std::string &text, bool is_private) {
        const std::string path = directory.file("k", text);
        try {
            is_private ? (void)read_private_keys(path) : (void)read_public_key(path);
        } catch (const usage_error &error) {
            EXPECT_EQ(std::string(error.what()).find(hex(key.secret()).substr(0, 16)),
                      std::string::npos);
            return std::string(error.what());
        }
        return std::string("taken");
    };
    EXPECT_NE(refusal(open, true).find("a public key"), std::string::npos);
    EXPECT_NE(refusal(secret, false).find("a private key"), std::string::npos);
    std::string digit = secret;
    digit[40] = digit[40] == '0' ? '1' : '0';
    EXPECT_NE(refusal(digit, true).find("a digit was changed"), std::string::npos);
    for (const std::string &bad :
         {std::string(), std::string("garbage\n"), secret.substr(0, secret.size() - 1),
          secret + "retire\n", secret + "retired\nretired\n", replaced(secret, "v1", "v2"),
          replaced(secret, "\n", "\r\n"), secret.substr(0, 60)}) {
        EXPECT_NE(refusal(bad, true).find("no key as sotto keygen writes it"), std::string::npos)
            << bad.size();
    }
    EXPECT_THROW((void)read_private_keys((directory / "none").string()), usage_error);
    EXPECT_THROW((void)read_private_keys((directory / "").string()), usage_error)
        << "no .key in it";
}

// keygen --requests may write into the same directory.
TEST(KeyFiles, ThoseThatSignRequestsArePassedOver) {
    const temporary_directory directory;
    const request_key signs = generate_request_key();
    const std::string file = directory.file("a.key", private_key_text(signs));
    const auto why = [](const auto &read, const std::string &path) {
        try {
            (void)read(path);
        } catch (const usage_error &error) {
            return std::string(error.what()).substr(path.size());
        }
        return std::string("taken");
    };
    const std::string of_requests = ": a key of sotto keygen --requests, for signing; one that "
                                    "seals and opens is needed";
    EXPECT_EQ(why(read_private_keys, file), of_requests);
    EXPECT_EQ(why(read_public_key, file), of_requests);
    EXPECT_EQ(why(read_private_keys, directory.file("a.pub", public_key_text(signs))), of_requests);
    const std::string folder = (directory / "").string();
    EXPECT_EQ(why(read_private_keys, folder),
              ": no file in it that ends in .key opens what is sealed");
    directory.file("b.key", key_text(generate_key()));
    EXPECT_EQ(read_private_keys(folder).size(), 1u);
    directory.file("c.key", "garbage");
    EXPECT_EQ(why(read_private_keys, folder), "c.key: no key as sotto keygen writes it");
}

TEST(NewFile, NeverOverwrites) {
    const temporary_directory directory;
    const auto path = directory / "one";
    write_new_file(path, "first", 0640);
    EXPECT_THROW(write_new_file(path, "second", 0640), environment_error);
    EXPECT_EQ(read_file(path), "first");
    struct stat about = {};
    ASSERT_EQ(::stat(path.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777, 0640u);
    std::filesystem::create_symlink(directory / "elsewhere", directory / "link");
    EXPECT_THROW(write_new_file(directory / "link", "x", 0600), environment_error);
    EXPECT_FALSE(std::filesystem::exists(directory / "elsewhere"));
}

} // namespace
} // namespace sotto::aggregator::test
