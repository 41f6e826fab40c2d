// SPDX-License-Identifier: Apache-2.0
// Reads an envelope in the clear with nanopb's decoder, from the specification and not from the
// encoder.
#ifndef READ_BATCH_HPP
#define READ_BATCH_HPP

#include "crypto/stream.hpp"
#include "mechanism/code.hpp"
#include "sotto/registry.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <pb_decode.h>
#include <utility>
#include <vector>

struct read_report {
    std::array<uint8_t, 8> release = {};
    uint32_t metric = 0, level = 0, epoch_age = 0, flags = 0, cohort = 0;
    bool is_known = false;      // its id was written out
    sotto::shown shown = {};    // its metric's
    uint32_t index = 0;         // or a number
    std::vector<uint8_t> bytes; // bits, or numbers of four bytes
};

struct read_batch {
    uint32_t epoch = 0;
    std::vector<read_report> reports;
    size_t batch_bytes = 0;
    std::vector<uint8_t> seed;

    read_batch(const uint8_t *data, size_t length, const sotto_registry &registry) {
        pb_istream_t file = pb_istream_from_buffer(data, length);
        uint32_t envelope_length = 0;
        EXPECT_TRUE(pb_decode_varint32(&file, &envelope_length));
        EXPECT_EQ(envelope_length, file.bytes_left);
        pb_wire_type_t type{};
        uint32_t tag = 0, value = 0;
        bool end = false;
        EXPECT_TRUE(pb_decode_tag(&file, &type, &tag, &end) && tag == 1 && type == PB_WT_VARINT);
        EXPECT_TRUE(pb_decode_varint32(&file, &value) && value == 2);
        EXPECT_TRUE(pb_decode_tag(&file, &type, &tag, &end) && tag == 2 && type == PB_WT_32BIT);
        EXPECT_TRUE(pb_decode_fixed32(&file, &value) && value == registry.fingerprint);
        EXPECT_TRUE(pb_decode_tag(&file, &type, &tag, &end) && tag == 3 && type == PB_WT_STRING);
        pb_istream_t batch{};
        EXPECT_TRUE(pb_make_string_substream(&file, &batch));
        batch_bytes = batch.bytes_left;
        uint32_t last = 0;
        while (pb_decode_tag(&batch, &type, &tag, &end)) {
            EXPECT_LT(std::exchange(last, tag), tag) << "fields ascend";
            read_field(batch, tag);
        }
        EXPECT_TRUE(end);
        EXPECT_TRUE(pb_close_string_substream(&file, &batch));
        EXPECT_EQ(file.bytes_left, 0u);
        make_reports(registry);
    }

  private:
    using bytes_of = std::vector<uint8_t>;

    void read_field(pb_istream_t &batch, uint32_t tag) {
        if (tag == 1) {
            EXPECT_TRUE(pb_decode_varint32(&batch, &epoch));
        } else if (tag == 2) {
            seed.resize(8);
            EXPECT_TRUE(pb_read(&batch, seed.data(), seed.size()));
        } else if (tag >= 3 && tag <= 9) {
            pb_istream_t field{};
            EXPECT_TRUE(pb_make_string_substream(&batch, &field));
            bytes_of &text = fields_[tag];
            text.resize(field.bytes_left);
            EXPECT_TRUE(pb_read(&field, text.data(), text.size()));
            EXPECT_TRUE(pb_close_string_substream(&batch, &field));
        } else {
            ADD_FAILURE() << "field " << tag;
        }
    }

    // The column's `count` numbers, or zeros where it is not there.
    std::vector<uint32_t> column(uint32_t tag, size_t count) {
        std::vector<uint32_t> numbers;
        pb_istream_t in = pb_istream_from_buffer(fields_[tag].data(), fields_[tag].size());
        for (uint32_t number = 0; in.bytes_left > 0 && pb_decode_varint32(&in, &number);) {
            numbers.push_back(number);
        }
        const bool is_there = !numbers.empty();
        EXPECT_TRUE(tag == 3 || !is_there || numbers.size() == count);
        EXPECT_TRUE(!is_there || std::any_of(numbers.begin(), numbers.end(),
                                             [](uint32_t number) { return number != 0; }));
        numbers.resize(is_there ? numbers.size() : count);
        return numbers;
    }

    void make_reports(const sotto_registry &registry) {
        const std::vector<uint32_t> steps = column(3, 0);
        const std::vector<uint32_t> levels = column(4, steps.size());
        const std::vector<uint32_t> ages = column(5, steps.size());
        const std::vector<uint32_t> flags = column(6, steps.size());
        uint32_t metric = 0;
        for (size_t i = 0; i < steps.size(); ++i) {
            read_report r;
            r.metric = metric += steps[i];
            r.level = levels[i];
            r.epoch_age = ages[i];
            r.flags = flags[i] & 1;
            r.is_known = (flags[i] & 2) != 0;
            EXPECT_LT(flags[i], 4u);
            reports.push_back(r);
        }
        give_ids();
        for (read_report &r : reports) {
            read_value(r, registry);
        }
        EXPECT_EQ((bit_ + 7) / 8, fields_[8].size());
        EXPECT_EQ(bits((8 - bit_ % 8) % 8), 0u);
        const bytes_of &padding = fields_[9];
        EXPECT_TRUE(std::all_of(padding.begin(), padding.end(), [](uint8_t b) { return b == 0; }));
    }

    void give_ids() {
        uint8_t key[32] = {};
        std::copy(seed.begin(), seed.end(), key);
        const uint8_t nonce[] = {'s', 'o', 't', 't', 'o', '-', 'i', 'd', 0, 0, 0, 0};
        sotto::crypto::stream fresh(key, nonce, 0);
        size_t known = 0;
        bool any_is_new = false;
        for (read_report &r : reports) {
            if (r.is_known) {
                ASSERT_LE(8 * ++known, fields_[7].size());
                std::copy_n(&fields_[7][8 * (known - 1)], 8, r.release.begin());
            } else {
                any_is_new = true;
                ASSERT_EQ(fresh.read(r.release.data(), r.release.size()), SOTTO_OK);
            }
        }
        EXPECT_EQ(8 * known, fields_[7].size());
        EXPECT_EQ(any_is_new, !seed.empty());
    }

    uint32_t bits(unsigned count) {
        uint32_t number = 0;
        for (unsigned i = 0; i < count; ++i, ++bit_) {
            const uint32_t byte = bit_ / 8 < fields_[8].size() ? fields_[8][bit_ / 8] : 0;
            number |= (byte >> bit_ % 8 & 1) << i;
        }
        return number;
    }

    void whole_bytes(read_report &r, size_t count) {
        EXPECT_EQ(bits((8 - bit_ % 8) % 8), 0u);
        for (size_t i = 0; i < count; ++i) {
            r.bytes.push_back(static_cast<uint8_t>(bits(8)));
        }
    }

    static unsigned bits_for(uint32_t values) {
        unsigned count = 1;
        while (count < 32 && values > uint64_t{1} << count) {
            ++count;
        }
        return count;
    }

    void read_value(read_report &r, const sotto_registry &registry) {
        const sotto_metric *end = registry.metrics + registry.metric_count;
        const sotto_metric *m = std::find_if(registry.metrics, end,
                                             [&](const auto &each) { return each.id == r.metric; });
        ASSERT_NE(m, end);
        r.shown = m->code->shows;
        if (m->code->strings != nullptr) {
            r.cohort = bits(bits_for(m->code->strings->cohorts(*m)));
        }
        switch (r.shown) {
        case sotto::shown::index:
            r.index = bits(bits_for(m->code->size(*m)));
            break;
        case sotto::shown::rows:
            r.index = bits(16);
            whole_bytes(r, size_t{4} * r.index);
            break;
        case sotto::shown::bits:
            whole_bytes(r, (m->code->size(*m) + 7) / 8);
            break;
        case sotto::shown::numbers:
            whole_bytes(r, size_t{4} * m->value_words);
            break;
        }
    }

    std::array<bytes_of, 10> fields_; // by tag
    size_t bit_ = 0;                  // in the values
};

#endif
