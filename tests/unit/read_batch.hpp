// SPDX-License-Identifier: Apache-2.0
// Reads an envelope in the clear with nanopb's decoder, from the specification and not from the
// encoder.
#ifndef READ_BATCH_HPP
#define READ_BATCH_HPP

#include "report.pb.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <pb_decode.h>
#include <vector>

struct read_batch {
    uint32_t epoch = 0;
    std::vector<sotto_Report> reports;
    size_t batch_bytes = 0;
    size_t report_bytes_max = 0;

    read_batch(const uint8_t *bytes, size_t length, uint32_t registry) {
        pb_istream_t file = pb_istream_from_buffer(bytes, length);
        uint32_t envelope_length = 0;
        EXPECT_TRUE(pb_decode_varint32(&file, &envelope_length));
        EXPECT_EQ(envelope_length, file.bytes_left);
        pb_wire_type_t type{};
        uint32_t tag = 0, value = 0;
        bool end = false;
        EXPECT_TRUE(pb_decode_tag(&file, &type, &tag, &end) && tag == 1 && type == PB_WT_VARINT);
        EXPECT_TRUE(pb_decode_varint32(&file, &value) && value == 1);
        EXPECT_TRUE(pb_decode_tag(&file, &type, &tag, &end) && tag == 2 && type == PB_WT_32BIT);
        EXPECT_TRUE(pb_decode_fixed32(&file, &value) && value == registry);
        EXPECT_TRUE(pb_decode_tag(&file, &type, &tag, &end) && tag == 3 && type == PB_WT_STRING);
        pb_istream_t batch{};
        EXPECT_TRUE(pb_make_string_substream(&file, &batch));
        batch_bytes = batch.bytes_left;
        while (pb_decode_tag(&batch, &type, &tag, &end)) {
            read_field(batch, type, tag);
        }
        EXPECT_TRUE(end);
        EXPECT_TRUE(pb_close_string_substream(&file, &batch));
        EXPECT_EQ(file.bytes_left, 0u);
    }

  private:
    void read_field(pb_istream_t &batch, pb_wire_type_t type, uint32_t tag) {
        if (tag == 1) {
            EXPECT_TRUE(pb_decode_varint32(&batch, &epoch));
        } else if (tag == 2) {
            pb_istream_t report{};
            EXPECT_TRUE(pb_make_string_substream(&batch, &report));
            report_bytes_max = std::max<size_t>(report_bytes_max, report.bytes_left);
            sotto_Report r = sotto_Report_init_zero;
            EXPECT_TRUE(pb_decode(&report, sotto_Report_fields, &r));
            reports.push_back(r);
            pb_close_string_substream(&batch, &report);
        } else {
            EXPECT_EQ(tag, 3u);
            EXPECT_TRUE(pb_skip_field(&batch, type));
        }
    }
};

#endif
