// SPDX-License-Identifier: Apache-2.0
// The SDK against tests/vectors/wire.json, which was computed from the specification alone.
#include "client/internal.hpp"
#include "client/permanent_value.hpp"
#include "crypto/stream.hpp"
#include "mechanism/rappor.hpp"
#include "report/encode.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using bytes = std::vector<uint8_t>;

bytes from_hex(const std::string &text) {
    bytes out;
    for (size_t i = 0; i + 1 < text.size(); i += 2) {
        out.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
    }
    return out;
}

const nlohmann::json &vectors() {
    static const nlohmann::json document = nlohmann::json::parse(std::ifstream(SOTTO_WIRE_VECTORS));
    return document;
}

bytes hex_of(const nlohmann::json &entry, const char *key) {
    return from_hex(entry.at(key).get<std::string>());
}

TEST(Specification, StringDigestsAndBloomBits) {
    for (const auto &entry : vectors().at("string_digest")) {
        sotto_rappor table = {};
        table.max_bytes = entry.at("max_bytes");
        const bytes text = hex_of(entry, "text");
        bytes digest(32);
        uint32_t too_long = 2;
        ASSERT_EQ(sotto::device::string_digest(table, entry.at("cohort"),
                                               reinterpret_cast<const char *>(text.data()),
                                               text.size(), digest.data(), &too_long),
                  SOTTO_OK);
        EXPECT_EQ(digest, hex_of(entry, "digest"));
        EXPECT_EQ(too_long, text.size() > table.max_bytes ? 1u : 0u);
        for (const auto &[shape, positions] : entry.at("positions").items()) {
            table.hashes = static_cast<uint16_t>(std::stoul(shape));
            table.bits = static_cast<uint16_t>(std::stoul(shape.substr(shape.find("of") + 3)));
            std::array<uint32_t, 32> words{}, expected{};
            sotto::bloom_bits(table, digest.data(), words.data());
            for (const uint32_t position : positions) {
                expected[position / 32] |= 1u << (position % 32);
            }
            EXPECT_EQ(words, expected) << shape;
        }
    }
}

TEST(Specification, CategoryDigests) {
    for (const auto &entry : vectors().at("category_digest")) {
        bytes digest(32);
        ASSERT_EQ(sotto::device::category_digest(entry.at("category"), digest.data()), SOTTO_OK);
        EXPECT_EQ(digest, hex_of(entry, "digest"));
    }
}

TEST(Specification, KeysOfPermanentNoise) {
    for (const auto &entry : vectors().at("value_key")) {
        sotto_client client = {};
        const bytes secret = hex_of(entry, "secret"), digest = hex_of(entry, "digest");
        std::copy(secret.begin(), secret.end(), client.secret);
        sotto_metric metric = {};
        metric.fingerprint = entry.at("fingerprint");
        bytes key(32);
        ASSERT_EQ(sotto::device::permanent_key(client, metric, digest.data(), key.data()),
                  SOTTO_OK);
        EXPECT_EQ(key, hex_of(entry, "key"));
    }
}

TEST(Specification, KeysOfPermanentSteps) {
    for (const auto &entry : vectors().at("steps_key")) {
        sotto_client client = {};
        const bytes secret = hex_of(entry, "secret"), bits = hex_of(entry, "bits");
        std::copy(secret.begin(), secret.end(), client.secret);
        sotto_rappor table = {};
        table.bits = static_cast<uint16_t>(8 * bits.size());
        sotto_metric metric = {};
        metric.fingerprint = entry.at("fingerprint");
        metric.table.rappor = &table;
        std::array<uint32_t, 32> words{};
        for (size_t i = 0; i < bits.size(); ++i) {
            words[i / 4] |= static_cast<uint32_t>(bits[i]) << (8 * (i % 4));
        }
        bytes key(32);
        ASSERT_EQ(sotto::device::steps_key(client, metric, words.data(), key.data()), SOTTO_OK);
        EXPECT_EQ(key, hex_of(entry, "key"));
    }
}

TEST(Specification, Cohorts) {
    for (const auto &entry : vectors().at("cohort")) {
        sotto_client client = {};
        const bytes secret = hex_of(entry, "secret");
        std::copy(secret.begin(), secret.end(), client.secret);
        ASSERT_EQ(sotto::device::assign_cohort(client), SOTTO_OK);
        sotto_rappor table = {};
        table.cohorts = entry.at("cohorts");
        sotto_metric metric = {};
        metric.table.rappor = &table;
        EXPECT_EQ(sotto::device::cohort_of(client, metric), entry.at("cohort").get<uint32_t>());
    }
}

TEST(Specification, Streams) {
    using sotto::crypto::purpose;
    const std::map<std::string, purpose> purposes = {{"sotto-ld", purpose::ladder},
                                                     {"sotto-ir", purpose::instantaneous},
                                                     {"sotto-pr", purpose::permanent},
                                                     {"sotto-tg", purpose::tag}};
    for (const auto &entry : vectors().at("stream")) {
        const bytes key = hex_of(entry, "key"), expected = hex_of(entry, "bytes");
        sotto::crypto::stream stream(key.data(), purposes.at(entry.at("purpose")),
                                     entry.at("level"));
        // In pieces: what is read does not depend on how.
        bytes read(expected.size());
        for (size_t at = 0, piece = 1; at < read.size(); at += piece, piece = piece * 2 + 1) {
            piece = std::min(piece, read.size() - at);
            ASSERT_EQ(stream.read(read.data() + at, piece), SOTTO_OK);
        }
        EXPECT_EQ(read, expected);
    }
}

} // namespace
