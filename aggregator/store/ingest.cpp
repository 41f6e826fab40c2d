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
    if (openers_.empty()) {
        add_one_by_one(now, progress);
    } else {
        add_in_blocks(now, progress);
    }
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

void ingest::add_one_by_one(reading &reading_now, const std::function<void()> &progress) {
    while (const auto bytes = reading_now.from.next()) {
        settle_before(reading_now.from.envelope_end(), reading_now);
        add_envelope(*bytes, reason::sealed, reading_now.result);
        progress();
    }
}

// Opening is what takes long, so many envelopes are opened at once; all else is done in their
// order.
void ingest::add_in_blocks(reading &reading_now, const std::function<void()> &progress) {
    std::vector<std::string> block;
    std::vector<std::uint64_t> ends;
    std::vector<opened_batch> opened;
    const auto add_block = [&] {
        opened.assign(block.size(), reason::sealed);
        for_each_in_parallel(openers_, block.size(), [&](envelope_opener &open, std::size_t i) {
            const auto read = decode_envelope(block[i]);
            const envelope *e = std::get_if<envelope>(&read);
            if (e != nullptr && e->sealed && registries_.contains(e->registry)) {
                opened[i] = open(*e);
            }
        });
        for (std::size_t i = 0; i < block.size(); ++i) {
            settle_before(ends[i], reading_now);
            add_envelope(block[i], opened[i], reading_now.result);
            progress();
        }
        block.clear();
        ends.clear();
    };
    std::size_t block_bytes = 0;
    while (const auto bytes = reading_now.from.next()) {
        block.emplace_back(*bytes);
        ends.push_back(reading_now.from.envelope_end());
        block_bytes += bytes->size();
        if (block.size() == block_envelopes_max || block_bytes >= block_bytes_max) {
            add_block();
            block_bytes = 0;
        }
    }
    add_block();
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
void ingest::add_envelope(std::string_view bytes, const opened_batch &opened, file_result &result) {
    ++result.envelopes;
    const auto read = decode_envelope(bytes);
    const envelope *e = std::get_if<envelope>(&read);
    if (e == nullptr) {
        return result.rejected.add(std::get<reason>(read));
    }
    const auto known = registries_.find(e->registry);
    if (known == registries_.end()) {
        return result.rejected.add_id(reason::unknown_registry, e->registry);
    }
    if (const reason *why = std::get_if<reason>(&opened); e->sealed && why != nullptr) {
        return openers_.empty() ? result.rejected.add(*why)
                                : result.rejected.add_id(*why, e->key_id);
    }
    add_batch(e->sealed ? std::string_view(std::get<std::string>(opened)) : e->batch, known->second,
              result);
    if (pending_bytes_ >= pending_bytes_max) {
        look_up_ended(result);
        finish();
    }
}

void ingest::add_batch(std::string_view bytes, const admitted_registry &source,
                       file_result &result) {
    if (const auto why = reader_.read(bytes_of(bytes), source.layouts)) {
        return result.rejected.add(*why);
    }
    result.readable = true;
    for (const report_view &r : reader_.reports()) {
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
