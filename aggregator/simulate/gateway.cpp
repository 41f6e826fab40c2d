// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/gateway.hpp"

#include "aggregator/base/bytes.hpp"
#include "aggregator/report/decode.hpp"
#include "aggregator/report/wire_tags.hpp"

#include <algorithm>
#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>

namespace sotto::aggregator {
namespace {

constexpr std::size_t batch_reports_max = 32, batch_bytes_max = 1 << 15;
constexpr std::size_t waiting_max = 1000; // duplicates, so that they stand elsewhere
constexpr std::size_t padded_to = 64;

std::string begun(std::uint32_t epoch) {
    std::string batch;
    if (epoch != 0) {
        protozero::pbf_writer(batch).add_uint32(batch_tag::epoch, epoch);
    }
    return batch;
}

void put(std::string &batch, std::string_view report) {
    protozero::pbf_writer(batch).add_bytes(batch_tag::reports, report.data(), report.size());
}

// A padding field takes two bytes beside its zeros.
void pad(std::string &batch) {
    const std::size_t rest = batch.size() % padded_to;
    if (rest != 0) {
        const std::size_t gap = padded_to - rest;
        const std::string zeros((gap >= 2 ? gap : gap + padded_to) - 2, '\0');
        protozero::pbf_writer(batch).add_bytes(batch_tag::padding, zeros);
    }
}

bool is_one_of(reason why, std::span<const reason> reasons) {
    return std::find(reasons.begin(), reasons.end(), why) != reasons.end();
}

} // namespace

gateway::gateway(const registry &known, shares wanted, bool sealed, std::uint64_t seed)
    : registry_(known), malformed_(wanted.malformed, seed), duplicated_(wanted.duplicated, ~seed),
      faults_(std::begin(report_faults), std::end(report_faults)) {
    faults_.insert(faults_.end(), std::begin(envelope_faults), std::end(envelope_faults));
    if (sealed) {
        faults_.insert(faults_.end(), std::begin(sealed_envelope_faults),
                       std::end(sealed_envelope_faults));
    }
}

void gateway::take(std::string_view envelopes) {
    const char *at = envelopes.data(), *const end = at + envelopes.size();
    batch_parts parts;
    while (at != end) {
        const std::uint64_t length = protozero::decode_varint(&at, end);
        const auto read = decode_envelope({at, length});
        at += length;
        const std::string_view batch = std::get<envelope>(read).batch;
        if (split_batch(bytes_of(batch), parts)) {
            throw std::logic_error("the SDK wrote a batch that is not sound");
        }
        epoch_ = parts.epoch;
        for (const std::span<const std::uint8_t> report : parts.reports) {
            take_report(text_of(report));
        }
    }
}

void gateway::finish() {
    for (; !again_.empty(); again_.pop_front()) {
        add(again_.front());
    }
    close();
}

void gateway::take_report(std::string_view report) {
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
        add(again_.front());
        again_.pop_front();
    }
}

// One fault after the other, so that each reason has its share.
void gateway::spoil(std::string_view report) {
    const reason why = faults_[next_fault_];
    next_fault_ = (next_fault_ + 1) % faults_.size();
    spoilt_.add(why);
    if (is_one_of(why, report_faults)) {
        add(spoilt(report, epoch_, registry_, why));
    } else {
        std::string batch = begun(epoch_);
        put(batch, report);
        pad(batch);
        packed_.push_back({std::move(batch), why});
    }
}

void gateway::add(std::string_view report) {
    if (batch_reports_ == 0) {
        batch_ = begun(epoch_);
    }
    put(batch_, report);
    if (++batch_reports_ == batch_reports_max || batch_.size() >= batch_bytes_max) {
        close();
    }
}

void gateway::close() {
    if (batch_reports_ > 0) {
        pad(batch_);
        packed_.push_back({std::move(batch_), std::nullopt});
        batch_reports_ = 0;
    }
}

} // namespace sotto::aggregator
