// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/ingest.hpp"

#include "aggregator/report/check.hpp"
#include "aggregator/store/append.hpp"

namespace sotto::aggregator {
namespace {

// Sorting them takes as much again.
constexpr std::size_t pending_bytes_max = std::size_t{1} << 26;

} // namespace

ingest::ingest(std::vector<registry> admitted, std::function<const store &()> open)
    : open_(std::move(open)) {
    for (registry &one : admitted) {
        registries_.emplace(one.fingerprint, std::move(one));
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
    const auto read = decode_batch(e->batch);
    const batch *b = std::get_if<batch>(&read);
    if (b == nullptr) {
        return result.rejected.add(std::get<reason>(read));
    }
    result.readable = true;
    for (const reason why : b->rejected) {
        result.rejected.add(why);
    }
    for (const report &r : b->reports) {
        const auto checked = check_report(r, known->second);
        if (const reason *why = std::get_if<reason>(&checked)) {
            result.rejected.add(*why);
            continue;
        }
        const metric &m = *std::get<const metric *>(checked);
        const auto at =
            pending_.try_emplace(m.fingerprint, pending_rows{&m, row_list(row_bytes(m))}).first;
        at->second.rows.add(r);
        pending_bytes_ += row_bytes(m);
    }
}

void ingest::finish() {
    for (auto &[fingerprint, pending] : pending_) {
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
