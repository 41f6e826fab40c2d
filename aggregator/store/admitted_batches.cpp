// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/admitted_batches.hpp"

#include "aggregator/report/check.hpp"
#include "aggregator/report/envelope_file.hpp"

namespace sotto::aggregator {

admitted_batches::admitted_batches(const registry &with, const keyring *keys, receiver use)
    : with_(with), layouts_(with), use_(std::move(use)) {
    if (keys != nullptr) {
        opener_.emplace(*keys);
    }
}

void admitted_batches::read(const std::string &path) {
    envelope_file file(path);
    while (const auto bytes = file.next()) {
        add(*bytes);
    }
    if (file.truncated()) {
        rejected_.add(reason::truncated);
    }
}

void admitted_batches::add(std::string_view bytes) {
    const auto opened = decode_envelope(bytes);
    const envelope *e = std::get_if<envelope>(&opened);
    if (e == nullptr) {
        return rejected_.add(std::get<reason>(opened));
    }
    if (e->registry != with_.fingerprint) {
        return rejected_.add_id(reason::unknown_registry, e->registry);
    }
    const auto text = in_the_clear(*e);
    if (const reason *why = std::get_if<reason>(&text)) {
        return *why == reason::sealed ? rejected_.add(*why) : rejected_.add_id(*why, e->key_id);
    }
    const auto read = decode_batch(std::get<std::string_view>(text), layouts_);
    if (const reason *why = std::get_if<reason>(&read)) {
        return rejected_.add(*why);
    }
    admitted_.clear();
    for (const report &r : std::get<std::vector<report>>(read)) {
        const auto checked = check_report(r, with_);
        if (const reason *why = std::get_if<reason>(&checked)) {
            rejected_.add(*why);
        } else {
            admitted_.push_back({std::get<const metric *>(checked), &r});
        }
    }
    use_(admitted_);
}

std::variant<std::string_view, reason> admitted_batches::in_the_clear(const envelope &e) {
    if (!e.sealed) {
        return e.batch;
    }
    if (!opener_) {
        return reason::sealed;
    }
    return opener_->open(e);
}

} // namespace sotto::aggregator
