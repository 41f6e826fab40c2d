// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/segment.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/bytes.hpp"
#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::array<std::uint8_t, 8> magic = {'S', 'O', 'T', 'T', 'O', 'S', 'E', 'G'};
constexpr std::uint32_t format = 4;
constexpr std::size_t head_bytes = 24, tail_bytes = 16;
constexpr std::size_t chunk_bytes = std::size_t{1} << 24;
using head = std::array<std::uint8_t, head_bytes>;

head make_head(std::uint32_t fingerprint, std::size_t width) {
    head h = {};
    std::copy(magic.begin(), magic.end(), h.begin());
    put_big_endian(&h[8], format);
    put_big_endian(&h[12], fingerprint);
    put_big_endian(&h[16], static_cast<std::uint32_t>(width));
    return h;
}

} // namespace

segment::segment(const std::filesystem::path &directory, const segment_record &as, const metric &m)
    : segment(directory, as, m, std::make_shared<const mapped_file>(directory / as.name)) {}

segment::segment(const std::filesystem::path &directory, const segment_record &as, const metric &m,
                 std::shared_ptr<const mapped_file> file)
    : path_(directory / as.name), record_(as), file_(std::move(file)) {
    const std::span<const std::uint8_t> bytes = file_->bytes();
    const std::size_t width = row_bytes(m);
    const head expected = make_head(m.fingerprint, width);
    if (bytes.size() != head_bytes + record_.rows * width + tail_bytes ||
        !std::equal(expected.begin(), expected.end(), bytes.begin()) ||
        get_big_endian<std::uint64_t>(&bytes[bytes.size() - 16]) != record_.rows ||
        get_big_endian<std::uint64_t>(&bytes[bytes.size() - 8]) != record_.checksum) {
        fail("damaged: it is not the file that the ledger knows");
    }
    rows_ = {bytes.subspan(head_bytes, record_.rows * width), width};
}

void segment::verify() const {
    checksum_stream sum;
    const std::span<const std::uint8_t> covered = file_->bytes().first(file_->bytes().size() - 8);
    for (std::size_t at = 0; at < covered.size(); at += chunk_bytes) {
        const std::size_t size = std::min(chunk_bytes, covered.size() - at);
        sum.add(covered.subspan(at, size));
        file_->release(at, at + size);
    }
    if (sum.value() != record_.checksum) {
        fail("damaged: its checksum differs");
    }
}

void segment::release(row_view up_to) const noexcept {
    const std::uint8_t *begin = file_->bytes().data();
    file_->release(0, static_cast<std::size_t>(up_to.data() - begin));
}

void segment::fail(const char *what) const {
    throw environment_error(fmt::format(
        "{}: {}; restore it from a copy of the store, or ingest all report files into a new one",
        path_.string(), what));
}

struct segment_writer::output {
    atomic_file file;
    checksum_stream sum;

    void add(std::span<const std::uint8_t> bytes) {
        sum.add(bytes);
        file.write(text_of(bytes));
    }
};

segment_writer::segment_writer(const std::filesystem::path &directory, const metric &m,
                               ledger &book, unsynced_files &files)
    : directory_(directory), width_(row_bytes(m)), prefix_(book.file_prefix()),
      number_(book.next_commit()), files_(files) {
    record_.metric = m.fingerprint;
}

segment_writer::~segment_writer() = default;

void segment_writer::add(row_range rows) {
    if (rows.empty()) {
        return;
    }
    if (!out_) {
        const std::filesystem::path own = directory_ / fingerprint_text(record_.metric);
        if (std::filesystem::create_directory(own)) {
            files_.add_directory(directory_);
        }
        out_.reset(new output{atomic_file(unnamed_in{own}), {}});
        out_->add(make_head(record_.metric, width_));
        record_.epoch_min = epoch_of(rows.front());
    }
    out_->add(rows.bytes());
    record_.epoch_max = epoch_of(rows.back());
    record_.rows += rows.size();
}

std::optional<segment_record> segment_writer::commit() {
    if (!out_) {
        return std::nullopt;
    }
    std::array<std::uint8_t, tail_bytes> tail = {};
    put_big_endian(&tail[0], record_.rows);
    out_->add(std::span(tail).first(8));
    record_.checksum = out_->sum.value();
    put_big_endian(&tail[8], record_.checksum);
    out_->file.write(text_of(std::span(tail).last(8)));
    do {
        record_.name = fmt::format("{}/{}{}{}", fingerprint_text(record_.metric), prefix_,
                                   number_++, segment_extension);
    } while (!out_->file.commit_new_as(directory_ / record_.name, files_));
    out_.reset();
    return record_;
}

} // namespace sotto::aggregator
