// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/write_batch.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/bytes.hpp"
#include "aggregator/report/wire_tags.hpp"

#include <algorithm>
#include <array>
#include <protozero/pbf_writer.hpp>

namespace sotto::aggregator {
namespace {

// The column of values, from its lowest bit on.
class bit_writer {
  public:
    void put(std::uint32_t value, unsigned bits) {
        for (unsigned i = 0; i < bits; ++i, ++used_) {
            if (used_ % 8 == 0) {
                bytes_ += '\0';
            }
            bytes_.back() = static_cast<char>(static_cast<unsigned char>(bytes_.back()) |
                                              (value >> i & 1) << used_ % 8);
        }
    }
    void put(std::span<const std::uint8_t> bytes) {
        bytes_ += text_of(bytes);
        used_ = 8 * bytes_.size();
    }
    const std::string &bytes() const { return bytes_; }

  private:
    std::string bytes_;
    std::size_t used_ = 0; // bits
};

void put_value(bit_writer &out, const report_view &r, const value_layout &layout) {
    out.put(r.cohort, layout.cohort_bits);
    const bool has_rows = layout.kind == value_kind::numbers;
    out.put(has_rows ? static_cast<std::uint32_t>(r.bytes.size() / 4) : r.scalar,
            layout.index_bits);
    if (layout.kind == value_kind::number) {
        std::array<std::uint8_t, 4> number;
        put_big_endian(number.data(), __builtin_bswap32(r.scalar));
        out.put(number);
    } else if (!r.bytes.empty()) {
        out.put(r.bytes);
    }
}

template <typename Number>
void put_column(protozero::pbf_writer &out, std::uint32_t tag, std::span<const report_view> reports,
                Number number) {
    std::vector<std::uint32_t> column;
    for (const report_view &r : reports) {
        column.push_back(number(r));
    }
    if (std::any_of(column.begin(), column.end(), [](std::uint32_t n) { return n != 0; })) {
        out.add_packed_uint32(tag, column.begin(), column.end());
    }
}

} // namespace

std::string write_batch(std::uint32_t epoch, std::span<const report_view> reports,
                        const value_layouts &layouts) {
    std::string batch;
    protozero::pbf_writer out(batch);
    if (epoch != 0) {
        out.add_uint32(batch_tag::epoch, epoch);
    }
    std::uint32_t last = 0;
    put_column(out, batch_tag::metrics, reports,
               [&](const report_view &r) { return r.metric - std::exchange(last, r.metric); });
    put_column(out, batch_tag::levels, reports, [](const report_view &r) { return r.level; });
    put_column(out, batch_tag::epoch_ages, reports,
               [&](const report_view &r) { return epoch - r.epoch; });
    put_column(out, batch_tag::flags, reports,
               [](const report_view &r) { return r.flags | report_flags::known; });
    std::string releases;
    bit_writer values;
    for (const report_view &r : reports) {
        std::array<std::uint8_t, 8> id;
        put_big_endian(id.data(), r.release);
        releases += text_of(id);
        if (const value_layout *layout = layouts.find(r.metric)) {
            put_value(values, r, *layout);
        }
    }
    if (!reports.empty()) {
        out.add_bytes(batch_tag::releases, releases);
    }
    if (!values.bytes().empty()) {
        out.add_bytes(batch_tag::values, values.bytes());
    }
    return batch;
}

// A padding field takes two bytes beside its zeros.
void pad_batch(std::string &batch, std::size_t step_bytes) {
    const std::size_t rest = step_bytes == 0 ? 0 : batch.size() % step_bytes;
    if (rest != 0) {
        const std::size_t gap = step_bytes - rest;
        const std::string zeros((gap >= 2 ? gap : gap + step_bytes) - 2, '\0');
        protozero::pbf_writer(batch).add_bytes(batch_tag::padding, zeros);
    }
}

} // namespace sotto::aggregator
