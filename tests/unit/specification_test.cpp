// SPDX-License-Identifier: Apache-2.0
// The SDK against tests/vectors/wire.json, which was computed from the specification alone.
#include "client/internal.hpp"
#include "client/permanent_value.hpp"
#include "crypto/stream.hpp"
#include "mechanism/every_code.hpp"
#include "mechanism/rappor.hpp"
#include "report/encode.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
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
        ASSERT_EQ(sotto::device::string_digest(table.max_bytes, entry.at("cohort"),
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

TEST(Specification, StreamsOfPermanentNoise) {
    for (const auto &entry : vectors().at("value_stream")) {
        sotto_client client = {};
        const bytes secret = hex_of(entry, "secret"), digest = hex_of(entry, "digest");
        std::copy(secret.begin(), secret.end(), client.secret);
        sotto_metric metric = {};
        const bytes definition = hex_of(entry, "definition");
        sotto_rappor table = {};
        table.definition = definition.data();
        metric.id = entry.at("metric");
        metric.table.rappor = &table;
        metric.code = &sotto_code_rappor;
        metric.client = &sotto_client_code_kept_values;
        sotto::device::permanent_value value(client, metric, digest.data());
        ASSERT_EQ(value.status, SOTTO_OK);
        bytes tag;
        for (size_t i = 0; i < 8; ++i) {
            tag.push_back(static_cast<uint8_t>(value.tag[i / 4] >> (8 * (i % 4))));
        }
        EXPECT_EQ(tag, hex_of(entry, "tag"));
        bytes noise(100);
        ASSERT_EQ(value.noise.read(noise.data(), noise.size()), SOTTO_OK);
        EXPECT_EQ(noise, hex_of(entry, "noise"));
    }
}

TEST(Specification, KeysOfPermanentSteps) {
    for (const auto &entry : vectors().at("steps_key")) {
        sotto_client client = {};
        const bytes secret = hex_of(entry, "secret"), tag = hex_of(entry, "tag");
        std::copy(secret.begin(), secret.end(), client.secret);
        sotto_metric metric = {};
        const bytes definition = hex_of(entry, "definition");
        sotto_rappor table = {};
        table.definition = definition.data();
        metric.id = entry.at("metric");
        metric.table.rappor = &table;
        metric.code = &sotto_code_rappor;
        metric.client = &sotto_client_code_kept_values;
        std::array<uint32_t, 2> words{};
        for (size_t i = 0; i < tag.size(); ++i) {
            words[i / 4] |= static_cast<uint32_t>(tag[i]) << (8 * (i % 4));
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
        metric.code = &sotto_code_rappor;
        metric.client = &sotto_client_code_kept_values;
        EXPECT_EQ(sotto::device::cohort_of(client, metric), entry.at("cohort").get<uint32_t>());
    }
}

// A report inside its envelope, by the encoder that the client uses.
TEST(Specification, Reports) {
    const sotto_unary set = {nullptr, 6, 3};
    const sotto_rappor rappor = [] {
        sotto_rappor r = {};
        r.bits = 128;
        return r;
    }();
    const std::map<std::string, std::vector<uint32_t>> values = {
        {"boolean", {1}},
        {"category", {65534}},
        {"integer", {static_cast<uint32_t>(-20)}},
        {"vector", {static_cast<uint32_t>(-8), 0, 8}},
        {"string", {0x03020100u, 0x07060504u, 0x0b0a0908u, 0x0f0e0d0cu}},
        {"set", {0x3f}}};
    size_t seen = 0;
    for (const auto &entry : vectors().at("report")) {
        const std::string type = entry.at("type");
        sotto_metric metric = {};
        metric.id = entry.at("metric");
        metric.value_words = static_cast<uint16_t>(values.at(type).size());
        metric.mechanism = type == "set"      ? SOTTO_MECHANISM_UNARY
                           : type == "string" ? SOTTO_MECHANISM_RAPPOR
                           : type == "integer" || type == "vector"
                               ? SOTTO_MECHANISM_DISCRETE_LAPLACE
                           : type == "category" ? SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE
                                                : SOTTO_MECHANISM_RANDOMIZED_RESPONSE;
        metric.code = sotto::code_of(metric.mechanism);
        metric.type = type == "vector" ? SOTTO_TYPE_VECTOR : SOTTO_TYPE_INTEGER;
        if (type == "set") {
            metric.table.unary = &set;
        } else if (type == "string") {
            metric.table.rappor = &rappor;
        }
        sotto_registry registry = {};
        registry.fingerprint = 1;
        registry.metric_count = 1;
        registry.metrics = &metric;
        const bytes release = hex_of(entry, "release"), expected = hex_of(entry, "bytes");
        const uint32_t cohort =
            entry.at("cohort").is_null() ? 0 : entry.at("cohort").get<uint32_t>();
        const sotto::report::head head = {&metric, release.data(), entry.at("level"),
                                          entry.at("age"), cohort};
        bytes buffer(512);
        const size_t size = sotto::report::report_bytes(head);
        ASSERT_EQ(size, 2 + expected.size()) << type;
        sotto::report::envelope envelope(registry, nullptr, 0, size, buffer.data(), buffer.size());
        envelope.add(head, values.at(type).data());
        const size_t length = envelope.finish();
        EXPECT_EQ(length, sotto::report::envelope_bytes(registry, nullptr, 0, size));
        buffer.resize(length);
        EXPECT_NE(std::search(buffer.begin(), buffer.end(), expected.begin(), expected.end()),
                  buffer.end())
            << type;
        ++seen;
    }
    EXPECT_EQ(seen, values.size());
}

TEST(Specification, Streams) {
    using sotto::crypto::purpose;
    const std::map<std::string, purpose> purposes = {
        {"sotto-ld", purpose::ladder},    {"sotto-ir", purpose::instantaneous},
        {"sotto-pr", purpose::permanent}, {"sotto-pf", purpose::permanent_forward},
        {"sotto-co", purpose::cohort},    {"sotto-rs", purpose::restart}};
    for (const auto &entry : vectors().at("stream")) {
        const bytes key = hex_of(entry, "key"), expected = hex_of(entry, "bytes");
        sotto::crypto::stream stream(key.data(), purposes.at(entry.at("purpose")),
                                     entry.at("number"));
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
