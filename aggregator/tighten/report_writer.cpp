// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tighten/report_writer.hpp"

#include "report/encode.hpp"

namespace sotto::aggregator {
namespace {

namespace wire = sotto::report;

constexpr std::size_t envelope_bytes_max = 1 << 14;

} // namespace

void report_writer::add(const report &like, const release_id &release, std::uint32_t level,
                        std::vector<std::uint32_t> words) {
    const std::size_t bytes = release.size() + 4 * words.size();
    if (like.epoch != epoch_ || bytes_ + bytes > envelope_bytes_max) {
        finish();
    }
    epoch_ = like.epoch;
    bytes_ += bytes;
    waiting_.push_back({release, level, like.cohort.value_or(0), std::move(words)});
}

void report_writer::finish() {
    if (waiting_.empty()) {
        return;
    }
    wire::shape shape(epoch_);
    std::vector<wire::head> heads;
    for (const waiting &report : waiting_) {
        const std::uint32_t step = heads.empty() ? image_.id : 0;
        heads.push_back({&image_,
                         report.release.data(),
                         {step, report.level, 0, wire::flag_known},
                         report.cohort,
                         0});
        shape.add(heads.back());
    }
    std::vector<std::uint8_t> buffer(shape.envelope_bytes(tables_, nullptr));
    wire::envelope out(tables_, nullptr, shape, nullptr, buffer.data(), buffer.size());
    for (std::uint32_t column = 0; column < wire::column_count; ++column) {
        const bool is_there = out.begin(column);
        for (std::size_t i = 0; is_there && i < heads.size(); ++i) {
            out.add(column, heads[i], waiting_[i].words.data());
        }
    }
    file_.write({reinterpret_cast<const char *>(buffer.data()), out.finish()});
    waiting_.clear();
    bytes_ = 0;
}

} // namespace sotto::aggregator
