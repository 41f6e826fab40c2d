// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/gateway.hpp"

#include "aggregator/base/bytes.hpp"
#include "aggregator/report/decode.hpp"
#include "aggregator/report/write_batch.hpp"

#include <algorithm>
#include <protozero/varint.hpp>

namespace sotto::aggregator {
namespace {

constexpr std::size_t batch_reports_max = 32, batch_bytes_max = 1 << 15;
constexpr std::size_t waiting_max = 1000; // duplicates, so that they stand elsewhere
bool is_one_of(reason why, std::span<const reason> reasons) {
    return std::find(reasons.begin(), reasons.end(), why) != reasons.end();
}

} // namespace

gateway::gateway(const registry &known, shares wanted, bool sealed, std::size_t padding_bytes,
                 std::uint64_t seed)
    : registry_(known), layouts_(known), padding_bytes_(padding_bytes),
      malformed_(wanted.malformed, seed), duplicated_(wanted.duplicated, ~seed),
      faults_(std::begin(report_faults), std::end(report_faults)) {
    faults_.insert(faults_.end(), std::begin(batch_faults), std::end(batch_faults));
    faults_.insert(faults_.end(), std::begin(envelope_faults), std::end(envelope_faults));
    if (sealed) {
        faults_.insert(faults_.end(), std::begin(sealed_envelope_faults),
                       std::end(sealed_envelope_faults));
    }
}

void gateway::take(std::string_view envelopes) {
    const char *at = envelopes.data(), *const end = at + envelopes.size();
    while (at != end) {
        const std::uint64_t length = protozero::decode_varint(&at, end);
        const auto read = decode_envelope({at, length});
        at += length;
        const batch_view &batch = reader_.read(bytes_of(std::get<envelope>(read).batch), layouts_);
        if (batch.refused) {
            throw std::logic_error("the SDK wrote a batch that is not sound");
        }
        epoch_ = batch.epoch;
        for (const report_view &report : batch.reports) {
            take_report(report);
        }
    }
}

void gateway::finish() {
    for (; !again_.empty(); again_.pop_front()) {
        add(again_.front().view);
    }
    close();
}

gateway::kept_report::kept_report(const report_view &report)
    : view(report), bytes(report.bytes.begin(), report.bytes.end()) {
    view.bytes = bytes;
}

void gateway::take_report(const report_view &report) {
    if (malformed_.next()) {
        spoil(report);
        return;
    }
    add(report);
    if (duplicated_.next()) {
        ++duplicates_;
        again_.emplace_back(report);
    }
    if (again_.size() > waiting_max) {
        add(again_.front().view);
        again_.pop_front();
    }
}

// One fault after the other, so that each reason has its share; a metric all of whose bits are
// values is spared one.
void gateway::spoil(const report_view &report) {
    reason why = faults_[next_fault_];
    std::optional<report_view> changed;
    if (is_one_of(why, report_faults)) {
        const metric &m = *registry_.find(report.metric);
        changed = spoilt(report, m, why);
        if (!changed) {
            why = reason::unknown_level;
            changed = spoilt(report, m, why);
        }
    }
    next_fault_ = (next_fault_ + 1) % faults_.size();
    spoilt_.add(why);
    if (changed) {
        return add(*changed);
    }
    if (is_one_of(why, batch_faults)) {
        packed_.push_back({spoilt_batch(report, epoch_, layouts_, why), std::nullopt});
        return;
    }
    std::string batch = write_batch(epoch_, {&report, 1}, layouts_);
    pad_batch(batch, padding_bytes_);
    packed_.push_back({std::move(batch), why});
}

void gateway::add(const report_view &report) {
    batch_.emplace_back(report);
    batch_bytes_ += report.bytes.size();
    if (batch_.size() == batch_reports_max || batch_bytes_ >= batch_bytes_max) {
        close();
    }
}

void gateway::close() {
    if (batch_.empty()) {
        return;
    }
    std::vector<report_view> reports;
    for (const kept_report &kept : batch_) {
        reports.push_back(kept.view);
    }
    std::stable_sort(reports.begin(), reports.end(),
                     [](const auto &a, const auto &b) { return a.metric < b.metric; });
    std::string batch = write_batch(epoch_, reports, layouts_);
    pad_batch(batch, padding_bytes_);
    packed_.push_back({std::move(batch), std::nullopt});
    batch_.clear();
    batch_bytes_ = 0;
}

} // namespace sotto::aggregator
