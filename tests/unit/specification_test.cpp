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

// Metrics of the batches, by id.
class batch_metrics {
  public:
    batch_metrics() {
        for (uint16_t id = 1; id <= 16; ++id) {
            boolean(id);
        }
        index(metrics_[5], 5, of_12_);
        make(metrics_[8], 8, 1, sotto_code_unary).table.unary = &set_;
        make(metrics_[9], 9, 4, sotto_code_rappor).table.rappor = &rappor_;
        make(metrics_[11], 11, 1, sotto_code_discrete_laplace);
        make(metrics_[13], 13, 3, sotto_code_discrete_laplace);
        make(metrics_[14], 14, 5, sotto_code_noised_sum);
        index(metrics_[300], 300, of_65534_);
    }
    const sotto_metric &find(uint16_t id) const { return metrics_.at(id); }
    // The sixteen booleans of one batch.
    void boolean(uint16_t id) { make(metrics_[id], id, 1, sotto_code_randomized_response); }

  private:
    static sotto_metric &make(sotto_metric &m, uint16_t id, uint16_t words,
                              const sotto_code &code) {
        m = {};
        m.id = id;
        m.value_words = words;
        m.code = &code;
        return m;
    }
    static void index(sotto_metric &m, uint16_t id, const sotto_k_randomized_response &table) {
        make(m, id, 1, sotto_code_k_randomized_response).table.k_randomized_response = &table;
    }
    static sotto_k_randomized_response categories(uint16_t size) {
        sotto_k_randomized_response table = {};
        table.size = size;
        return table;
    }

    std::map<uint16_t, sotto_metric> metrics_;
    sotto_k_randomized_response of_12_ = categories(12), of_65534_ = categories(65534);
    sotto_unary set_ = {nullptr, 6, 3};
    sotto_rappor rappor_ = [] {
        sotto_rappor r = {};
        r.bits = 128;
        r.cohorts = 64;
        return r;
    }();
};

// The words of a report, as a client has them.
std::vector<uint32_t> words_of(const nlohmann::json &report) {
    const bytes whole = hex_of(report, "bytes");
    std::vector<uint32_t> words((whole.size() + 3) / 4);
    for (size_t i = 0; i < whole.size(); ++i) {
        words[i / 4] |= static_cast<uint32_t>(whole[i]) << (8 * (i % 4));
    }
    if (words.empty()) {
        words.push_back(report.at("bits").at(0).at(0));
    }
    return words;
}

// Batches inside their envelopes, by the encoder that the client uses.
TEST(Specification, Batches) {
    size_t seen = 0;
    for (const auto &entry : vectors().at("batch")) {
        batch_metrics metrics;
        if (entry.at("reports").size() == 16) {
            for (uint16_t id = 1; id <= 16; ++id) {
                metrics.boolean(id);
            }
        }
        const bytes seed = hex_of(entry, "seed"), expected = hex_of(entry, "bytes");
        std::vector<bytes> ids;
        std::vector<sotto::report::head> heads;
        sotto::report::shape shape(entry.at("epoch"));
        uint32_t last = 0;
        for (const auto &report : entry.at("reports")) {
            const uint16_t id = report.at("metric");
            ids.push_back(hex_of(report, "id"));
            const uint32_t flags =
                (ids.back().empty() ? 0u : 2u) | report.at("selected").get<uint32_t>();
            const auto &bits = report.at("bits");
            const uint32_t number = bits.empty() ? 0 : bits.at(0).at(0).get<uint32_t>();
            heads.push_back(
                {&metrics.find(id),
                 ids.back().data(),
                 {id - std::exchange(last, id), report.at("level"), report.at("age"), flags},
                 number,
                 number});
            shape.add(heads.back());
        }
        sotto_registry registry = {};
        registry.padding_bytes = entry.at("padding");
        bytes buffer(512);
        sotto::report::envelope envelope(registry, nullptr, shape, seed.data(), buffer.data(),
                                         buffer.size());
        for (uint32_t column = 0; column < sotto::report::column_count; ++column) {
            const bool is_there = envelope.begin(column);
            for (size_t i = 0; is_there && i < heads.size(); ++i) {
                envelope.add(column, heads[i], words_of(entry.at("reports").at(i)).data());
            }
        }
        const size_t length = envelope.finish();
        EXPECT_EQ(length, shape.envelope_bytes(registry, nullptr));
        ASSERT_GE(length, expected.size());
        EXPECT_EQ(bytes(buffer.begin() + static_cast<std::ptrdiff_t>(length - expected.size()),
                        buffer.begin() + static_cast<std::ptrdiff_t>(length)),
                  expected)
            << seen;
        ++seen;
    }
    EXPECT_EQ(seen, 5u);
}

// A release's id is born with the batch that it first stands in.
TEST(Specification, NewIds) {
    for (const auto &entry : vectors().at("batch")) {
        bytes key = hex_of(entry, "seed");
        key.resize(32);
        sotto::crypto::stream ids(key.data(), sotto::crypto::purpose::new_ids, 0);
        for (const auto &text : entry.at("ids")) {
            bytes id(8);
            ASSERT_EQ(ids.read(id.data(), id.size()), SOTTO_OK);
            EXPECT_EQ(id, hex_of({{"id", text}}, "id"));
        }
    }
}

TEST(Specification, Streams) {
    using sotto::crypto::purpose;
    const std::map<std::string, purpose> purposes = {
        {"sotto-ld", purpose::ladder},     {"sotto-ir", purpose::instantaneous},
        {"sotto-pr", purpose::permanent},  {"sotto-pf", purpose::permanent_forward},
        {"sotto-co", purpose::cohort},     {"sotto-rs", purpose::restart},
        {"sotto-bs", purpose::batch_seed}, {"sotto-id", purpose::new_ids}};
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
