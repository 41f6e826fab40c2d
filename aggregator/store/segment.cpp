// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/segment.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/failure.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::array<std::uint8_t, 8> magic = {'S', 'O', 'T', 'T', 'O', 'S', 'E', 'G'};
constexpr std::uint32_t format = 2;
constexpr std::size_t checksum_at = 32;
constexpr std::size_t header_bytes = 40;
using header = std::array<std::uint8_t, header_bytes>;

// Every step is a bijection of the state, so one changed word always shows.
std::uint64_t mix(std::uint64_t state, std::span<const std::uint8_t> bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
        std::array<std::uint8_t, 8> word = {};
        std::memcpy(word.data(), &bytes[i], std::min(word.size(), bytes.size() - i));
        state = (state ^ get_big_endian<std::uint64_t>(word.data())) * 0x9e3779b97f4a7c15;
        state ^= state >> 29;
    }
    return state;
}

header make_header(std::uint32_t fingerprint, row_range rows) {
    header h = {};
    std::copy(magic.begin(), magic.end(), h.begin());
    put_big_endian(&h[8], format);
    put_big_endian(&h[12], fingerprint);
    put_big_endian(&h[16], static_cast<std::uint32_t>(rows.width()));
    put_big_endian(&h[24], std::uint64_t{rows.size()});
    const std::uint64_t head = mix(0, std::span(h).first(checksum_at));
    put_big_endian(&h[checksum_at], mix(head, rows.bytes()));
    return h;
}

} // namespace

segment::segment(const std::filesystem::path &path, const metric &of) : path_(path), file_(path) {
    const std::span<const std::uint8_t> bytes = file_.bytes();
    if (bytes.size() < header_bytes || !std::equal(magic.begin(), magic.end(), bytes.begin())) {
        fail("not a segment");
    }
    if (get_big_endian<std::uint32_t>(&bytes[8]) != format) {
        fail(get_big_endian<std::uint32_t>(&bytes[8]) > format
                 ? "written by a newer version of sotto"
                 : "written by an older version of sotto");
    }
    const std::size_t width = row_bytes(of);
    const std::size_t rows = (bytes.size() - header_bytes) / width;
    if (get_big_endian<std::uint32_t>(&bytes[12]) != of.fingerprint ||
        get_big_endian<std::uint32_t>(&bytes[16]) != width ||
        get_big_endian<std::uint64_t>(&bytes[24]) != rows ||
        bytes.size() != header_bytes + rows * width) {
        fail("damaged: its header does not fit it; restore it, or remove it and ingest its "
             "reports again");
    }
    rows_ = {bytes.subspan(header_bytes), width};
}

void segment::verify() const {
    const std::uint32_t fingerprint = get_big_endian<std::uint32_t>(&file_.bytes()[12]);
    const header expected = make_header(fingerprint, rows_);
    if (!std::equal(expected.begin(), expected.end(), file_.bytes().begin())) {
        fail("damaged: its checksum differs; restore it, or remove it and ingest its reports "
             "again");
    }
}

void segment::fail(const char *what) const {
    throw environment_error(fmt::format("{}: {}", path_.string(), what));
}

void write_segment(const std::filesystem::path &directory, std::uint32_t fingerprint,
                   row_range rows) {
    const header h = make_header(fingerprint, rows);
    const std::string name = fmt::format("{:016x}", get_big_endian<std::uint64_t>(&h[checksum_at]));
    std::filesystem::path path = directory / (name + segment_extension);
    for (int other = 2; std::filesystem::exists(path); ++other) {
        path = directory / fmt::format("{}-{}{}", name, other, segment_extension);
    }
    atomic_file file(path);
    file.write({reinterpret_cast<const char *>(h.data()), h.size()});
    file.write({reinterpret_cast<const char *>(rows.bytes().data()), rows.bytes().size()});
    file.commit();
}

} // namespace sotto::aggregator
