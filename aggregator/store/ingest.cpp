// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/ingest.hpp"

#include "aggregator/store/append.hpp"

namespace sotto::aggregator {
namespace {

// Adding them takes up to three times as much, for a while, and reads the store once; so a larger
// number makes for less reading.
constexpr std::size_t pending_bytes_max = std::size_t{1} << 29;

} // namespace

ingest::ingest(std::vector<registry> admitted, std::function<const store &()> open)
    : open_(std::move(open)) {
    for (registry &one : admitted) {
        const std::uint32_t fingerprint = one.fingerprint;
        admitted_registry &at =
            registries_.try_emplace(fingerprint, admitted_registry{std::move(one), {}})
                .first->second;
        for (const metric &m : at.content.metrics) {
            pending_rows &rows =
                pending_.try_emplace(m.fingerprint, pending_rows{&m, row_list(row_bytes(m))})
                    .first->second;
            at.targets.resize(m.id + std::size_t{1});
            at.targets[m.id] = target{report_rules(m), &rows};
        }
    }
}

ingest::ingest(const store &to)
    : ingest(to.registries(), [&to]() -> const store & { return to; }) {}

file_result ingest::add(envelope_file &from, const std::function<void()> &progress) {
    file_result result;
    while (const auto bytes = from.next()) {
        ++result.envelopes;
        add_envelope(*bytes, result);
        if (pending_bytes_ >= pending_bytes_max) {
            finish();
        }
        progress();
    }
    if (from.truncated()) {
        result.rejected.add(reason::truncated);
    }
    if (result.readable) {
        read_.push_back({from.digest(), from.read_bytes(), result.envelopes, result.rejected});
    }
    envelopes_ += result.envelopes;
    rejected_.add(result.rejected);
    return result;
}

void ingest::add_envelope(std::string_view bytes, file_result &result) {
    const auto opened = decode_envelope(bytes);
    const envelope *e = std::get_if<envelope>(&opened);
    if (e == nullptr) {
        return result.rejected.add(std::get<reason>(opened));
    }
    const auto known = registries_.find(e->registry);
    if (known == registries_.end()) {
        return result.rejected.add(reason::unknown_registry);
    }
    if (e->sealed) {
        return result.rejected.add(reason::sealed);
    }
    add_batch(e->batch, known->second, result);
}

void ingest::add_batch(std::string_view bytes, const admitted_registry &of, file_result &result) {
    const auto whole =
        std::span(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
    if (const auto why = split_batch(whole, parts_)) {
        return result.rejected.add(*why);
    }
    result.readable = true;
    for (const std::span<const std::uint8_t> one : parts_.reports) {
        report_view r;
        std::optional<reason> why = parse_report(one, parts_.epoch, r);
        if (!why && (r.metric >= of.targets.size() || !of.targets[r.metric])) {
            why = reason::unknown_metric;
        }
        if (!why) {
            why = of.targets[r.metric]->rules.check(r);
        }
        if (why) {
            result.rejected.add(*why);
            continue;
        }
        row_list &rows = of.targets[r.metric]->to->rows;
        rows.add(r);
        pending_bytes_ += rows.width();
    }
}

void ingest::finish() {
    for (auto &[fingerprint, pending] : pending_) {
        if (pending.rows.empty()) {
            continue;
        }
        const append_result result = append(open_(), *pending.of, pending.rows);
        reports_ += result.added;
        rejected_.add(reason::duplicate, result.duplicates);
        rejected_.add(reason::conflict, result.conflicts);
        rejected_.add(reason::late, result.late);
        pending.rows.clear();
    }
    pending_bytes_ = 0;
    if (!read_.empty()) {
        ledger &book = open_().book();
        transaction all = book.begin();
        for (const file_record &one : read_) {
            book.put(one);
        }
        all.commit();
        read_.clear();
    }
}

} // namespace sotto::aggregator
