// SPDX-License-Identifier: Apache-2.0
// Reports, batches and envelopes against libprotobuf: what ours takes, libprotobuf reads as the
// same fields, and what libprotobuf would have written, ours takes.
#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/little_endian.hpp"
#include "aggregator/report/decode.hpp"
#include "target.hpp"

#include "report.pb.h"

#include <algorithm>

namespace {

using namespace sotto::aggregator;

constexpr std::uint32_t epoch = 7;

bool has_unknown(const google::protobuf::Message &m) {
    return m.GetReflection()->GetUnknownFields(m).field_count() > 0;
}

// As libprotobuf writes it: fields in order, no zeros, shortest varints.
bool is_written(const google::protobuf::Message &m, const std::string &bytes) {
    return !has_unknown(m) && m.SerializeAsString() == bytes;
}

bool is_admissible(const sotto::Report &r) {
    return r.release().size() == 8 && r.metric() != 0 && r.flags() <= 1 && r.epoch_age() <= epoch &&
           r.value_case() != sotto::Report::VALUE_NOT_SET && r.numbers().size() % 4 == 0;
}

void expect_same(const report_view &ours, const sotto::Report &theirs) {
    expect(ours.release == get_big_endian<std::uint64_t>(
                               reinterpret_cast<const std::uint8_t *>(theirs.release().data())),
           "the release is theirs");
    expect(ours.metric == theirs.metric() && ours.level == theirs.level() &&
               ours.flags == theirs.flags() && ours.epoch == epoch - theirs.epoch_age() &&
               ours.cohort == theirs.cohort(),
           "the numbers are theirs");
    const std::string bytes(ours.bytes.begin(), ours.bytes.end());
    switch (ours.kind) {
    case value_kind::index:
        return expect(theirs.has_index() && ours.scalar == theirs.index(), "the index is theirs");
    case value_kind::number:
        return expect(theirs.has_number() &&
                          ours.scalar == static_cast<std::uint32_t>(theirs.number()),
                      "the number is theirs");
    case value_kind::bits:
        return expect(theirs.has_bits() && bytes == theirs.bits(), "the bits are theirs");
    case value_kind::numbers:
        return expect(theirs.has_numbers() && bytes == theirs.numbers(), "the list is theirs");
    }
}

bool check_report_bytes(std::span<const std::uint8_t> data) {
    const std::string bytes(data.begin(), data.end());
    sotto::Report theirs;
    const bool read = theirs.ParseFromString(bytes);
    report_view ours;
    const auto why = parse_report(data, epoch, ours);
    if (why) {
        expect(!(read && is_written(theirs, bytes) && is_admissible(theirs)),
               "what libprotobuf writes is taken");
        return false;
    }
    expect(read && !has_unknown(theirs), "what is taken is a report to libprotobuf");
    expect_same(ours, theirs);
    return true;
}

void check_batch_bytes(std::span<const std::uint8_t> data) {
    const std::string bytes(data.begin(), data.end());
    sotto::Batch theirs;
    const bool read = theirs.ParseFromString(bytes);
    batch_parts ours;
    if (split_batch(data, ours)) {
        const auto zero = [](char c) { return c == 0; };
        expect(!(read && is_written(theirs, bytes) &&
                 std::all_of(theirs.padding().begin(), theirs.padding().end(), zero)),
               "a batch that libprotobuf writes is taken");
        return;
    }
    bool sound = true;
    for (const auto piece : ours.reports) {
        sound = check_report_bytes(piece) && sound;
    }
    expect(!sound || read, "a batch of sound reports is one to libprotobuf");
    expect(!read || (theirs.epoch() == ours.epoch && !has_unknown(theirs) &&
                     static_cast<std::size_t>(theirs.reports_size()) == ours.reports.size()),
           "the batch is theirs");
}

void check_envelope_bytes(const std::string &bytes) {
    sotto::Envelope theirs;
    const bool read = theirs.ParseFromString(bytes);
    const auto ours = decode_envelope(bytes);
    if (const auto *e = std::get_if<envelope>(&ours); e != nullptr && read) {
        expect(theirs.version() == 1 && theirs.registry() == e->registry && !has_unknown(theirs),
               "the envelope is theirs");
        expect(e->sealed != theirs.has_batch(), "sealed is what has no batch");
    }
}

} // namespace

std::vector<std::string> seeds() {
    std::vector<std::string> texts;
    sotto::Envelope envelope;
    envelope.set_version(1);
    envelope.set_registry(0x8a1b2c3d);
    sotto::Batch &batch = *envelope.mutable_batch();
    batch.set_epoch(epoch);
    for (int i = 0; i < 4; ++i) {
        sotto::Report &r = *batch.add_reports();
        r.set_release("release" + std::to_string(i));
        r.set_metric(i == 3 ? 300 : 1);
        r.set_level(static_cast<std::uint32_t>(i));
        r.set_epoch_age(static_cast<std::uint32_t>(i % 2));
        r.set_cohort(static_cast<std::uint32_t>(i));
        r.set_flags(static_cast<std::uint32_t>(i / 3));
        if (i == 0) {
            r.set_index(1);
        } else if (i == 1) {
            r.set_number(-5);
        } else if (i == 2) {
            r.set_bits("sixteen bytes ok");
        } else {
            r.set_numbers("\1\0\0\0\377\377\377\377");
        }
        texts.push_back(r.SerializeAsString());
    }
    batch.set_padding(std::string(20, '\0'));
    texts.push_back(batch.SerializeAsString());
    texts.push_back(envelope.SerializeAsString());
    sotto::Envelope sealed;
    sealed.set_version(1);
    sealed.set_registry(1);
    sealed.set_key_id(3);
    sealed.set_enc("enc");
    sealed.set_ciphertext("ciphertext");
    texts.push_back(sealed.SerializeAsString());
    return texts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    (void)check_report_bytes({data, size});
    check_batch_bytes({data, size});
    check_envelope_bytes({reinterpret_cast<const char *>(data), size});
    return 0;
}
