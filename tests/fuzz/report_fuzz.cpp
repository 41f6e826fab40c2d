// SPDX-License-Identifier: Apache-2.0
// Batches and envelopes against libprotobuf: what ours takes, libprotobuf reads as the same
// columns, and sound batches that libprotobuf would have written, ours takes. Values are read bit
// by bit here, from WIRE.md.
#include "aggregator/base/big_endian.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/report/decode.hpp"
#include "target.hpp"
#include "tools/bench/library_ids.hpp"

#include "report.pb.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>

namespace {

using namespace sotto::aggregator;

constexpr std::uint32_t epoch = 7;

std::string registry_text() {
    std::ostringstream text;
    text << std::ifstream(SOTTO_REGISTRY, std::ios::binary).rdbuf();
    return text.str();
}

const registry &known() {
    static const registry r = parse_registry(registry_text(), "every_type.json");
    return r;
}

// As libprotobuf writes it: fields in order, no zeros, shortest varints.
bool is_written(const google::protobuf::Message &m, const std::string &bytes) {
    return m.GetReflection()->GetUnknownFields(m).field_count() == 0 &&
           m.SerializeAsString() == bytes;
}

using column = google::protobuf::RepeatedField<std::uint32_t>;

bool any(const column &c) {
    return std::any_of(c.begin(), c.end(), [](std::uint32_t n) { return n != 0; });
}

// One number a report, or zeros.
bool is_column(const column &c, int reports) {
    return c.empty() || (c.size() == reports && any(c));
}

std::uint32_t entry(const column &c, int i) { return c.empty() ? 0 : c.Get(i); }

class bits_of {
  public:
    explicit bits_of(const std::string &bytes) : bytes_(bytes) {}
    std::uint64_t next(unsigned count) {
        std::uint64_t number = 0;
        for (unsigned i = 0; i < count; ++i, ++at_) {
            const bool is_there = at_ / 8 < bytes_.size();
            sound = sound && is_there;
            const auto byte = static_cast<unsigned char>(is_there ? bytes_[at_ / 8] : 0);
            number |= std::uint64_t{byte >> at_ % 8 & 1U} << i;
        }
        return number;
    }
    std::string whole(std::size_t count) {
        align();
        std::string out;
        for (std::size_t i = 0; sound && i < count; ++i) {
            out += static_cast<char>(next(8));
        }
        return out;
    }
    bool at_end() {
        align();
        return sound && at_ == 8 * bytes_.size();
    }
    bool sound = true;

  private:
    void align() {
        const auto rest = static_cast<unsigned>((8 - at_ % 8) % 8);
        sound = next(rest) == 0 && sound;
    }
    const std::string &bytes_;
    std::size_t at_ = 0;
};

struct their_report {
    std::uint32_t metric, level, age, flags;
    std::uint64_t cohort = 0, index = 0;
    std::string bytes;
};

unsigned bits_for(std::uint64_t values) {
    unsigned count = 1;
    while (std::uint64_t{1} << count < values) {
        ++count;
    }
    return count;
}

// False: not sound.
bool read_value(bits_of &in, their_report &r) {
    const metric *m = known().find(r.metric);
    if (m == nullptr) {
        return false;
    }
    const published_values values = mechanism_of(*m).published(*m);
    r.cohort = values.names_cohort ? in.next(bits_for(values.cohorts)) : 0;
    switch (values.kind) {
    case value_kind::index:
        r.index = in.next(bits_for(values.size));
        break;
    case value_kind::number:
        r.bytes = in.whole(4);
        break;
    case value_kind::bits:
        r.bytes = in.whole((values.size + 7) / 8);
        break;
    case value_kind::numbers:
        r.bytes = in.whole(4 * (values.may_be_fewer ? in.next(16) : values.size));
        break;
    }
    return in.sound;
}

// Nothing: not sound.
std::optional<std::vector<their_report>> reports_of(const sotto::Batch &b) {
    std::vector<their_report> reports;
    const int count = b.metrics_size();
    if (!is_column(b.levels(), count) || !is_column(b.epoch_ages(), count) ||
        !is_column(b.flags(), count) || b.epoch() == UINT32_MAX) {
        return std::nullopt;
    }
    bits_of in(b.values());
    std::uint64_t id = 0;
    int old = 0;
    for (int i = 0; i < count; ++i) {
        id += b.metrics(i);
        their_report r{static_cast<std::uint32_t>(id),
                       entry(b.levels(), i),
                       entry(b.epoch_ages(), i),
                       entry(b.flags(), i),
                       0,
                       0,
                       ""};
        old += static_cast<int>(r.flags / 2);
        if (id > 65535 || r.age > b.epoch() || r.flags > 3 || !read_value(in, r)) {
            return std::nullopt;
        }
        reports.push_back(std::move(r));
    }
    const auto zero = [](char c) { return c == 0; };
    const bool is_sound = in.at_end() && count > 0 && count <= 16000 &&
                          (b.seed() == 0 || old < count) &&
                          b.releases().size() == 8 * static_cast<std::size_t>(old) &&
                          std::all_of(b.padding().begin(), b.padding().end(), zero);
    return is_sound ? std::optional(reports) : std::nullopt;
}

void expect_same(const report_view &ours, const their_report &theirs, std::uint32_t now) {
    expect(ours.metric == theirs.metric && ours.level == theirs.level &&
               ours.flags == (theirs.flags & 1) && ours.epoch == now - theirs.age &&
               ours.cohort == theirs.cohort,
           "the numbers are theirs");
    std::string bytes(ours.bytes.begin(), ours.bytes.end());
    if (ours.kind == value_kind::number) {
        for (unsigned shift = 0; shift < 32; shift += 8) {
            bytes += static_cast<char>(ours.scalar >> shift);
        }
    }
    expect(bytes == theirs.bytes, "the bytes are theirs");
    expect(ours.kind != value_kind::index || ours.scalar == theirs.index, "the index is theirs");
}

void check_batch_bytes(std::span<const std::uint8_t> data) {
    static batch_reader ours;
    static const value_layouts layouts(known());
    const std::string bytes(data.begin(), data.end());
    sotto::Batch theirs;
    const bool read = theirs.ParseFromString(bytes);
    const auto reports = read ? reports_of(theirs) : std::nullopt;
    const batch_view &batch = ours.read(data, layouts);
    if (batch.refused) {
        // A seed of zero is not written by libprotobuf, and always by ours.
        const bool has_seed =
            reports && (theirs.seed() != 0 || theirs.releases().size() == 8 * reports->size());
        expect(!has_seed || !is_written(theirs, bytes), "what libprotobuf writes is taken");
        return;
    }
    expect(reports.has_value(), "what is taken is sound to libprotobuf");
    expect(batch.epoch == theirs.epoch() && batch.reports.size() == reports->size(),
           "the batch is theirs");
    expect(is_written(theirs, bytes) || theirs.seed() == 0 || theirs.padding().empty(),
           "what is taken is as libprotobuf writes it");
    std::array<std::uint8_t, 8> seed{};
    for (unsigned i = 0; i < 8; ++i) { // fixed64: the low end first
        seed[i] = static_cast<std::uint8_t>(theirs.seed() >> 8 * i);
    }
    static sotto::bench::library_ids by_openssl;
    const std::span<const std::uint8_t> ids = by_openssl.make(seed, reports->size());
    std::size_t old = 0, born = 0;
    for (std::size_t i = 0; i < reports->size(); ++i) {
        const report_view &r = batch.reports[i];
        expect_same(r, (*reports)[i], theirs.epoch());
        if ((*reports)[i].flags / 2 != 0) {
            const auto *id = reinterpret_cast<const std::uint8_t *>(theirs.releases().data());
            expect(r.release == get_big_endian<std::uint64_t>(id + 8 * old++),
                   "the release is theirs");
        } else {
            expect(r.release == get_big_endian<std::uint64_t>(&ids[8 * born++]),
                   "the new release is of the seed");
        }
    }
}

void check_envelope_bytes(const std::string &bytes) {
    sotto::Envelope theirs;
    const bool read = theirs.ParseFromString(bytes);
    const auto ours = decode_envelope(bytes);
    if (const auto *e = std::get_if<envelope>(&ours); e != nullptr && read) {
        expect(theirs.version() == 2 && theirs.registry() == e->registry &&
                   theirs.GetReflection()->GetUnknownFields(theirs).field_count() == 0,
               "the envelope is theirs");
        expect(e->sealed != theirs.has_batch(), "sealed is what has no batch");
    }
}

sotto::Batch some_batch(bool all_known) {
    sotto::Batch batch;
    batch.set_epoch(epoch);
    unsigned bits = 0;
    std::uint32_t last = 0, i = 0;
    std::string values;
    const auto grow = [&](unsigned more) {
        bits += more;
        values.resize((bits + 7) / 8, '\0');
    };
    for (const metric &m : known().metrics) {
        const value_layout layout = layout_of(mechanism_of(m).published(m));
        batch.add_metrics(m.id - std::exchange(last, m.id));
        batch.add_levels(i % 2);
        batch.add_epoch_ages(i % 3);
        const bool is_known = all_known || i % 2 == 0;
        batch.add_flags(is_known ? 2 : 0);
        if (is_known) {
            *batch.mutable_releases() += "release" + std::to_string(i % 10);
        } else {
            batch.set_seed(0x0123456789abcdef);
        }
        grow(layout.cohort_bits);
        const unsigned at = bits;
        grow(layout.index_bits);
        unsigned bytes = static_cast<unsigned>(layout.bytes);
        if (layout.kind == value_kind::numbers && layout.index_bits > 0) {
            values[at / 8] = static_cast<char>(values[at / 8] | 1 << at % 8); // one row
            bytes = 4;
        }
        if (bytes > 0) {
            grow((8 - bits % 8) % 8 + 8 * bytes);
        }
        ++i;
    }
    batch.set_values(values);
    batch.set_padding(std::string(20, '\0'));
    return batch;
}

} // namespace

std::vector<std::string> seeds() {
    std::vector<std::string> texts;
    sotto::Envelope envelope;
    envelope.set_version(2);
    envelope.set_registry(known().fingerprint);
    for (const bool all_known : {false, true}) {
        *envelope.mutable_batch() = some_batch(all_known);
        texts.push_back(envelope.batch().SerializeAsString());
        const auto *bytes = reinterpret_cast<const std::uint8_t *>(texts.back().data());
        batch_reader reader;
        expect(!reader.read({bytes, texts.back().size()}, value_layouts(known())).refused,
               "the seeds are sound");
    }
    texts.push_back(envelope.SerializeAsString());
    sotto::Batch small;
    small.set_epoch(epoch);
    small.set_seed(5);
    small.add_metrics(known().metrics.front().id);
    small.set_values(std::string(1, '\1'));
    texts.push_back(small.SerializeAsString());
    sotto::Envelope sealed;
    sealed.set_version(2);
    sealed.set_registry(1);
    sealed.set_key_id(3);
    sealed.set_enc("enc");
    sealed.set_ciphertext("ciphertext");
    texts.push_back(sealed.SerializeAsString());
    return texts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    check_batch_bytes({data, size});
    check_envelope_bytes({reinterpret_cast<const char *>(data), size});
    return 0;
}
