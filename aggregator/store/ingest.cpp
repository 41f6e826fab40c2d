// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/ingest.hpp"

#include "aggregator/base/parallel.hpp"
#include "aggregator/store/append.hpp"

namespace sotto::aggregator {
namespace {

// Adding them reads the store once; so a larger number makes for less reading.
constexpr std::size_t pending_bytes_max = std::size_t{1} << 30;
constexpr std::size_t block_envelopes_max = 4096, block_bytes_max = std::size_t{1} << 23;

// Of an expired epoch nothing is left that a report could be compared with, so those of a file that
// comes again seem late: what was found in it before still holds, unless more of it is opened now.
bool seems_late_only(const file_record &now, const std::optional<file_record> &before) {
    for (std::size_t i = 0; before && i < reason_count; ++i) {
        const auto why = static_cast<reason>(i);
        if (why != reason::late && now.rejected.of(why) != before->rejected.of(why)) {
            return false;
        }
    }
    return before.has_value();
}

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
                pending_
                    .try_emplace(m.fingerprint,
                                 pending_rows{&m, row_list(row_bytes(m)), row_list(row_bytes(m))})
                    .first->second;
            at.targets.resize(m.id + std::size_t{1});
            at.targets[m.id] = target{report_rules(m), &rows};
        }
    }
}

ingest::ingest(const store &to) : ingest(to.registries(), [&to]() -> const store & { return to; }) {
    know_closed(to.book().closed_through());
}

void ingest::open_with(const std::function<envelope_opener()> &make) {
    openers_.clear();
    while (openers_.size() < core_count()) {
        openers_.push_back(make());
    }
}

file_result ingest::add(envelope_file &from, const std::function<void()> &progress) {
    file_result result;
    if (openers_.empty()) {
        add_one_by_one(from, result, progress);
    } else {
        add_in_blocks(from, result, progress);
    }
    if (from.truncated()) {
        result.rejected.add(reason::truncated);
    }
    look_up_ended(result);
    if (result.readable) {
        read_.push_back({from.digest(), from.read_bytes(), result.envelopes, result.rejected});
    }
    envelopes_ += result.envelopes;
    rejected_.add(result.rejected);
    return result;
}

void ingest::add_one_by_one(envelope_file &from, file_result &result,
                            const std::function<void()> &progress) {
    while (const auto bytes = from.next()) {
        add_envelope(*bytes, reason::sealed, result);
        progress();
    }
}

// Opening is what takes long, so many envelopes are opened at once; all else is done in their
// order.
void ingest::add_in_blocks(envelope_file &from, file_result &result,
                           const std::function<void()> &progress) {
    std::vector<std::string> block;
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
            add_envelope(block[i], opened[i], result);
            progress();
        }
        block.clear();
    };
    std::size_t block_bytes = 0;
    while (const auto bytes = from.next()) {
        block.emplace_back(*bytes);
        block_bytes += bytes->size();
        if (block.size() == block_envelopes_max || block_bytes >= block_bytes_max) {
            add_block();
            block_bytes = 0;
        }
    }
    add_block();
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
        return result.rejected.add(reason::unknown_registry);
    }
    if (const reason *why = std::get_if<reason>(&opened); e->sealed && why != nullptr) {
        return openers_.empty() ? result.rejected.add(*why)
                                : result.rejected.add_key(*why, e->key_id);
    }
    add_batch(e->sealed ? std::string_view(std::get<std::string>(opened)) : e->batch, known->second,
              result);
    if (pending_bytes_ >= pending_bytes_max) {
        look_up_ended(result);
        finish();
    }
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
        pending_rows &to = *of.targets[r.metric]->to;
        row_list &rows = closed_ && r.epoch <= *closed_ ? to.ended : to.rows;
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
        const append_result found = append(open_(), *pending.of, pending.ended);
        rejected_.add(reason::duplicate, found.duplicates);
        if (found.late > 0) {
            result.rejected.add(reason::late, found.late);
        }
        pending.ended.clear();
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
        rejected_.add(reason::late, result.late); // closed meanwhile
        pending.rows.clear();
    }
    pending_bytes_ = 0;
    if (!read_.empty()) {
        ledger &book = open_().book();
        transaction all = book.begin();
        for (const file_record &one : read_) {
            if (!seems_late_only(one, book.file(one.digest, one.bytes))) {
                book.put(one);
            }
        }
        all.commit();
        read_.clear();
    }
}

} // namespace sotto::aggregator
