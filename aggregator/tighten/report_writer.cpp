// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tighten/report_writer.hpp"

#include "report/encode.hpp"

namespace sotto::aggregator {
namespace {

namespace wire = sotto::report;

constexpr std::size_t reports_bytes_max = 1 << 14; // an envelope's, from two reports on

} // namespace

void report_writer::add(const report &like, const release_id &release, std::uint32_t level,
                        std::vector<std::uint32_t> words) {
    const std::size_t size = wire::report_bytes({&image_, release.data(), level, 0, 0});
    if (like.epoch != epoch_ || bytes_ + size > reports_bytes_max) {
        finish();
    }
    epoch_ = like.epoch;
    bytes_ += size;
    waiting_.push_back({release, level, like.cohort.value_or(0), std::move(words)});
}

void report_writer::finish() {
    if (waiting_.empty()) {
        return;
    }
    std::vector<std::uint8_t> buffer(wire::envelope_bytes(tables_, nullptr, epoch_, bytes_));
    wire::envelope out(tables_, nullptr, epoch_, bytes_, buffer.data(), buffer.size());
    for (const waiting &report : waiting_) {
        out.add({&image_, report.release.data(), report.level, 0, report.cohort},
                report.words.data());
    }
    file_.write({reinterpret_cast<const char *>(buffer.data()), out.finish()});
    waiting_.clear();
    bytes_ = 0;
}

} // namespace sotto::aggregator
