// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/ingest.hpp"

#include "aggregator/base/bytes.hpp"
#include "aggregator/base/parallel.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

// Adding them reads the store once; so a larger number makes for less reading.
constexpr std::size_t pending_bytes_max = std::size_t{1} << 30;
constexpr std::size_t block_envelopes_max = 4096, block_bytes_max = std::size_t{1} << 23;

} // namespace

ingest::ingest(std::vector<registry> admitted, std::function<const store &()> open)
    : open_(std::move(open)) {
    for (registry &known : admitted) {
        const std::uint32_t fingerprint = known.fingerprint;
        value_layouts layouts(known);
        admitted_registry &at =
            registries_
                .try_emplace(fingerprint,
                             admitted_registry{std::move(known), std::move(layouts), {}})
                .first->second;
        for (const metric &m : at.content.metrics) {
            pending_rows &rows =
                pending_
                    .try_emplace(m.fingerprint,
                                 pending_rows{&m, row_list(row_bytes(m)), row_list(row_bytes(m))})
                    .first->second;
            at.targets.resize(m.id + std::size_t{1});
            at.targets[m.id] = target{report_rules(m), &rows};
        }
    }
}

ingest::ingest(const store &home)
    : ingest(home.registries(), [&home]() -> const store & { return home; }) {
    closed_ = opened().book().closed_through();
}

void ingest::know(store before) {
    before_.emplace(std::move(before));
    known_.ask(&before_->book());
    closed_ = before_->book().closed_through();
}

const store &ingest::opened() {
    if (is_open_) {
        return open_();
    }
    known_.ask(nullptr);
    before_.reset();
    const store &now = open_();
    known_.ask(&now.book());
    is_open_ = true;
    return now;
}

void ingest::open_with(const std::function<envelope_opener()> &make) {
    openers_.clear();
    while (openers_.size() < core_count()) {
        openers_.push_back(make());
    }
}

bool file_result::is_unfinished() const {
    constexpr reason curable[] = {reason::sealed, reason::unknown_key, reason::unknown_registry,
                                  reason::unknown_version};
    return !readable ||
           std::ranges::any_of(curable, [&](reason why) { return rejected.count(why) > 0; });
}

file_result ingest::add(envelope_file &from, const std::function<void()> &progress) {
    from.digest_at([this](std::uint64_t above_bytes, std::uint64_t head) {
        return known_.next_length(above_bytes, head);
    });
    reading now{from, {}, {}};
    add_in_blocks(now, progress);
    const file_record record = settle_all(now);
    file_result &result = now.result;
    result.rejected = now.account.read();
    if (result.readable) {
        keep(record);
        std::ranges::for_each(now.account.beginnings(), [&](const file_record &r) { keep(r); });
    }
    envelopes_ += result.envelopes;
    rejected_.add(result.rejected);
    return result;
}

// Envelopes of a block are opened at once, on all cores, and their batches read together. All else
// is done in their order.
void ingest::add_in_blocks(reading &reading_now, const std::function<void()> &progress) {
    const std::size_t envelopes_max =
        openers_.empty() ? batch_reader::usual_batches : block_envelopes_max;
    block now;
    while (const auto bytes = reading_now.from.next()) {
        now.put(*bytes, reading_now.from.envelope_end());
        if (now.size() == envelopes_max || now.bytes() >= block_bytes_max) {
            add_block(now, reading_now, progress);
            now.clear();
        }
    }
    add_block(now, reading_now, progress);
}

std::vector<ingest::opened_batch> ingest::open_all(const block &from) {
    std::vector<opened_batch> opened(from.size(), reason::sealed);
    if (!openers_.empty()) {
        for_each_in_parallel(openers_, from.size(), [&](envelope_opener &open, std::size_t i) {
            const auto read = decode_envelope(from.envelope(i));
            const envelope *e = std::get_if<envelope>(&read);
            if (e != nullptr && e->sealed && registries_.contains(e->registry)) {
                opened[i] = open(*e);
            }
        });
    }
    return opened;
}

void ingest::add_block(const block &from, reading &reading_now,
                       const std::function<void()> &progress) {
    const std::vector<opened_batch> opened = open_all(from);
    std::vector<incoming> some;
    for (std::size_t first = 0; first < from.size(); first += some.size()) {
        some.clear();
        batches_.clear();
        while (some.size() < batch_reader::usual_batches && first + some.size() < from.size()) {
            const std::size_t i = first + some.size();
            const incoming &last = some.emplace_back(look_at(from.envelope(i), opened[i]));
            if (last.source != nullptr) {
                batches_.push_back({bytes_of(last.batch), &last.source->layouts});
            }
        }
        const batch_view *batch = reader_.read(batches_).data();
        for (std::size_t i = 0; i < some.size(); ++i) {
            settle_before(from.end_in_file(first + i), reading_now);
            add_incoming(some[i], some[i].source != nullptr ? batch++ : nullptr,
                         reading_now.result);
            progress();
        }
    }
}

// A known file may end before `end_bytes`, even within an envelope: its bytes were read once
// already.
void ingest::settle_before(std::uint64_t end_bytes, reading &reading_now) {
    while (const auto prefix = reading_now.from.prefix_before(end_bytes)) {
        if (const auto known = known_.find(*prefix, reading_now.from.head())) {
            look_up_ended(reading_now.result);
            reading_now.account.settle(reading_now.result.rejected, *known, false);
            reading_now.result.rejected = {};
        }
    }
}

file_record ingest::settle_all(reading &reading_now) {
    const content_prefix whole{reading_now.from.read_bytes(), reading_now.from.digest()};
    settle_before(whole.bytes, reading_now);
    if (reading_now.from.truncated()) {
        reading_now.result.rejected.add(reason::truncated);
    }
    look_up_ended(reading_now.result);
    if (const auto known = known_.find(whole, reading_now.from.head())) {
        reading_now.account.settle(reading_now.result.rejected, *known, true);
    } else {
        reading_now.account.add(reading_now.result.rejected);
    }
    return {whole.digest, whole.bytes, reading_now.result.envelopes, reading_now.from.head(),
            reading_now.account.counts()};
}

void ingest::keep(const file_record &record) {
    known_.put(record);
    pending_bytes_ += sizeof(file_record);
}

// `opened` is what became of it when it is sealed.
ingest::incoming ingest::look_at(std::string_view bytes, const opened_batch &opened) const {
    incoming found;
    const auto read = decode_envelope(bytes);
    const envelope *e = std::get_if<envelope>(&read);
    if (e == nullptr) {
        found.refused = std::get<reason>(read);
        return found;
    }
    const auto known = registries_.find(e->registry);
    if (known == registries_.end()) {
        found.refused = reason::unknown_registry;
        found.id = e->registry;
        return found;
    }
    if (const reason *why = std::get_if<reason>(&opened); e->sealed && why != nullptr) {
        found.refused = *why;
        if (!openers_.empty()) {
            found.id = e->key_id;
        }
        return found;
    }
    found.source = &known->second;
    found.batch = e->sealed ? std::string_view(std::get<std::string>(opened)) : e->batch;
    return found;
}

void ingest::add_incoming(const incoming &envelope, const batch_view *batch, file_result &result) {
    ++result.envelopes;
    if (batch != nullptr) {
        add_batch(*batch, *envelope.source, result);
    } else if (envelope.id) {
        result.rejected.add_id(envelope.refused, *envelope.id);
    } else {
        result.rejected.add(envelope.refused);
    }
}

void ingest::add_batch(const batch_view &batch, const admitted_registry &source,
                       file_result &result) {
    if (batch.refused) {
        return result.rejected.add(*batch.refused);
    }
    result.readable = true;
    for (const report_view &r : batch.reports) {
        if (const auto why = source.targets[r.metric]->rules.check(r)) {
            result.rejected.add(*why);
            continue;
        }
        pending_rows &rows_of_metric = *source.targets[r.metric]->rows;
        row_list &rows =
            closed_ && r.epoch <= *closed_ ? rows_of_metric.ended : rows_of_metric.rows;
        const std::size_t before = rows.memory_bytes();
        rows.add(r);
        pending_bytes_ += rows.memory_bytes() - before;
    }
    if (pending_bytes_ >= pending_bytes_max) {
        look_up_ended(result);
        finish();
    }
}

// A file's reports of closed epochs are late, or known already: its own account says which.
void ingest::look_up_ended(file_result &result) {
    for (auto &[fingerprint, pending] : pending_) {
        if (pending.ended.empty()) {
            continue;
        }
        const append_result found = append(opened(), *pending.subject, pending.ended);
        rejected_.add(reason::duplicate, found.duplicates);
        if (found.late > 0) {
            result.rejected.add(reason::late, found.late);
        }
        pending.ended.clear();
    }
}

void ingest::add_rows(std::span<const new_rows> rows) {
    for (const append_result &result : append(opened(), rows)) {
        reports_ += result.added;
        rejected_.add(reason::duplicate, result.duplicates);
        rejected_.add(reason::conflict, result.conflicts);
        rejected_.add(reason::late, result.late); // closed meanwhile
    }
    for (auto &[fingerprint, pending] : pending_) {
        pending.rows.clear();
    }
}

void ingest::finish() {
    std::vector<new_rows> rows;
    for (const auto &[fingerprint, pending] : pending_) {
        if (!pending.rows.empty()) {
            rows.push_back({pending.subject, &pending.rows});
        }
    }
    if (!rows.empty()) {
        add_rows(rows);
    }
    pending_bytes_ = 0;
    if (known_.has_new()) {
        known_.commit(opened().book());
    }
}

} // namespace sotto::aggregator
