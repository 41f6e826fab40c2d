// SPDX-License-Identifier: Apache-2.0
#include "client/internal.hpp"
#include "client/permanent_value.hpp"
#include "client/registry_check.hpp"
#include "mechanism/discrete_laplace.hpp"
#include "mechanism/ladder.hpp"
#include "mechanism/one_bit_mean.hpp"
#include "mechanism/rappor.hpp"
#include "mechanism/unary.hpp"
#include "random/fixed_time.hpp"

using namespace sotto;
using namespace sotto::device;

// Turning a value into an open release. What may refuse comes before the value is looked at.
namespace {

// A place that is free, or else that of the oldest release with nothing to flush.
sotto_release *find_place(const sotto_client &client) {
    sotto_release *oldest = nullptr;
    for (uint16_t i = 0; i < client.memory.release_capacity; ++i) {
        sotto_release &release = client.memory.releases[i];
        if (release.is_open == 0) {
            return &release;
        }
        if (release.pending == 0 && (oldest == nullptr || release.epoch < oldest->epoch)) {
            oldest = &release;
        }
    }
    return oldest;
}

class measurement {
  public:
    measurement(sotto_client *client, uint16_t metric_id, uint32_t types) : client_(client) {
        status_ = begin(metric_id, types);
    }
    measurement(const measurement &) = delete;
    measurement &operator=(const measurement &) = delete;
    ~measurement() {
        if (metric_ != nullptr) {
            wipe_words(true_words(), size_t{2} * client_->memory.words_per_release);
            crypto::wipe(client_->memory.random, client_->memory.random_bytes);
            crypto::wipe(&key_, sizeof key_);
        }
    }

    bool ok() const { return status_ == SOTTO_OK; }
    const sotto_metric &metric() const { return *metric_; }
    uint32_t *true_words() const { return work_words(*client_, 0); }
    const sotto_client &client() const { return *client_; }
    sotto_status status() const { return status_; }
    void set_status(sotto_status status) { status_ = status; }

    // Random bytes in the client's memory, or null.
    const uint8_t *draw_bytes(size_t count) {
        status_ = draw(*client_, client_->memory.random, count);
        return ok() ? client_->memory.random : nullptr;
    }

    // The permanent noise of this value, and whether the device may still tell it from others.
    void make_permanent(const uint8_t digest[crypto::digest_bytes]) {
        if (metric_->table.rappor->protects_sequence != 0) {
            return;
        }
        status_ = permanent_key(*client_, *metric_, digest, key_);
        const mask admitted = ok() ? admit_value(*client_, *metric_, key_) : 0;
        for (uint32_t i = 0; i < metric_->value_words; ++i) {
            true_words()[i] &= admitted;
        }
        is_permanent_ = true;
    }

    // Draws the highest level from the true words and queues the report of the lowest.
    sotto_status publish() {
        sotto_release release = {};
        release.epoch = client_->epoch;
        release.metric_index = static_cast<uint16_t>(metric_ - client_->registry->metrics);
        release.pending = 1;
        release.is_open = 1;
        if (ok()) {
            status_ = draw(*client_, release.key, sizeof release.key);
        }
        uint32_t *words = work_words(*client_, 1);
        draw_top(words);
        if (ok()) {
            client_->memory.next_epoch[release.metric_index] = client_->epoch + 1;
            close(*client_, *place_);
            *place_ = release;
            for (uint32_t i = 0; i < metric_->value_words; ++i) {
                release_words(*client_, *place_)[i] = words[i];
            }
        }
        crypto::wipe(&release, sizeof release);
        return status_;
    }

  private:
    sotto_status begin(uint16_t metric_id, uint32_t types) {
        if (!is_live(client_)) {
            return SOTTO_ERR_NOT_INITIALISED;
        }
        if (client_->epoch == no_epoch) {
            return SOTTO_ERR_NO_EPOCH;
        }
        const sotto_metric *metric = find(*client_->registry, metric_id);
        if (metric == nullptr) {
            return SOTTO_ERR_UNKNOWN_METRIC;
        }
        if ((types >> metric->type & 1) == 0) {
            return SOTTO_ERR_WRONG_TYPE;
        }
        if (client_->epoch < client_->memory.next_epoch[metric - client_->registry->metrics]) {
            return SOTTO_ERR_ALREADY_REPORTED;
        }
        place_ = find_place(*client_);
        if (place_ == nullptr) {
            return SOTTO_ERR_QUEUE_FULL;
        }
        metric_ = metric;
        return SOTTO_OK;
    }

    void draw_top(uint32_t *words) {
        const uint32_t top = metric_->level_count - 1u;
        const size_t size = level_bytes(*metric_, top);
        uint8_t *random = client_->memory.random;
        crypto::stream permanent(key_.noise, crypto::purpose::permanent, top);
        for (uint32_t i = 0; ok() && i < metric_->value_words; ++i) {
            status_ = is_permanent_ ? permanent.read(random, size) : draw(*client_, random, size);
            if (ok()) {
                status_ = draw_word(*metric_, top, i, true_words()[i], {random, size}, &words[i]);
            }
        }
    }

    sotto_client *client_;
    const sotto_metric *metric_ = nullptr;
    sotto_release *place_ = nullptr;
    sotto_status status_ = SOTTO_OK;
    bool is_permanent_ = false;
    value_key key_ = {};
};

constexpr uint32_t only(uint32_t type) { return uint32_t{1} << type; }

// How many members a metric has; categories and sets only.
uint32_t size_of(const sotto_metric &metric) {
    switch (metric.mechanism) {
    case SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE:
        return metric.table.k_randomized_response->size;
    case SOTTO_MECHANISM_BASIC_RAPPOR:
        return metric.table.rappor->bits;
    default:
        return metric.table.unary->size;
    }
}

// A positive note, if the report was made.
sotto_status with_note(sotto_status status, uint32_t adapted, sotto_status note) {
    return status == SOTTO_OK
               ? static_cast<sotto_status>(static_cast<uint32_t>(note) * declassified(adapted))
               : status;
}

} // namespace

extern "C" sotto_status sotto_report_boolean(sotto_client *client, uint16_t metric_id, bool value) {
    measurement m(client, metric_id, only(SOTTO_TYPE_BOOLEAN));
    if (m.ok()) {
        m.true_words()[0] = static_cast<uint32_t>(value);
        return m.publish();
    }
    return m.status();
}

extern "C" sotto_status sotto_report_category(sotto_client *client, uint16_t metric_id,
                                              uint32_t category) {
    measurement m(client, metric_id, only(SOTTO_TYPE_CATEGORY));
    if (!m.ok()) {
        return m.status();
    }
    const uint32_t size = size_of(m.metric());
    if (declassified(~less(category, size)) != 0) {
        return SOTTO_ERR_NO_SUCH_VALUE;
    }
    if (m.metric().mechanism == SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE) {
        m.true_words()[0] = category;
        return m.publish();
    }
    auto member = static_cast<uint16_t>(category);
    set_members(&member, 1, size, m.true_words());
    if (m.metric().mechanism == SOTTO_MECHANISM_BASIC_RAPPOR) {
        uint8_t digest[crypto::digest_bytes];
        m.set_status(category_digest(category, digest));
        if (m.ok()) {
            m.make_permanent(digest);
        }
    }
    crypto::wipe(&member, sizeof member);
    return m.publish();
}

extern "C" sotto_status sotto_report_set(sotto_client *client, uint16_t metric_id,
                                         const uint16_t *members, size_t count) {
    measurement m(client, metric_id, only(SOTTO_TYPE_SET));
    if (!m.ok()) {
        return m.status();
    }
    if (members == nullptr && count > 0) {
        return SOTTO_ERR_ARGUMENT;
    }
    const sotto_unary &table = *m.metric().table.unary;
    const uint32_t given = static_cast<uint32_t>(count > UINT16_MAX ? UINT16_MAX : count);
    uint32_t *words = m.true_words();
    uint32_t wrong = 0, repeated = 0;
    const uint16_t nothing = 0;
    const uint16_t *from = count == 0 ? &nothing : members;
    for (uint32_t i = 0; i < table.max_members; ++i) {
        const mask is_given = less(i, given);
        const auto member = static_cast<uint16_t>(select(is_given, from[is_given & i], no_member));
        wrong |= is_given & ~less(member, table.size);
        for (uint32_t w = 0; w < m.metric().value_words; ++w) {
            const uint32_t bit = one_member(member, table.size, w);
            repeated |= words[w] & bit;
            words[w] |= bit;
        }
    }
    if (declassified(wrong) != 0) {
        return SOTTO_ERR_NO_SUCH_VALUE;
    }
    if (declassified(~is_zero(repeated)) != 0) {
        return SOTTO_ERR_REPEATED_MEMBER;
    }
    return with_note(m.publish(), less(table.max_members, given) & 1, SOTTO_VALUE_TOO_MANY);
}

extern "C" sotto_status sotto_report_string(sotto_client *client, uint16_t metric_id,
                                            const char *text, size_t length_bytes) {
    measurement m(client, metric_id, only(SOTTO_TYPE_STRING));
    if (!m.ok()) {
        return m.status();
    }
    if ((text == nullptr && length_bytes > 0) || length_bytes >= UINT32_MAX) {
        return SOTTO_ERR_ARGUMENT;
    }
    const sotto_rappor &table = *m.metric().table.rappor;
    uint8_t digest[crypto::digest_bytes];
    uint32_t too_long = 0;
    m.set_status(string_digest(table, cohort_of(m.client(), m.metric()), text, length_bytes, digest,
                               &too_long));
    if (m.ok()) {
        bloom_bits(table, digest, m.true_words());
        m.make_permanent(digest);
    }
    crypto::wipe(digest, sizeof digest);
    return with_note(m.publish(), too_long, SOTTO_VALUE_TOO_LONG);
}

extern "C" sotto_status sotto_report_integer(sotto_client *client, uint16_t metric_id,
                                             int32_t value) {
    measurement m(client, metric_id, only(SOTTO_TYPE_INTEGER) | only(SOTTO_TYPE_MEAN));
    if (!m.ok()) {
        return m.status();
    }
    const auto given = static_cast<uint32_t>(value);
    const bool is_integer = m.metric().type == SOTTO_TYPE_INTEGER;
    const uint32_t clamped = is_integer ? clamped_value(*m.metric().table.discrete_laplace, given)
                                        : clamped_number(*m.metric().table.one_bit_mean, given);
    m.true_words()[0] = clamped;
    if (!is_integer) {
        const uint8_t *random = m.draw_bytes(one_bit_mean_bytes);
        m.true_words()[0] =
            random == nullptr ? 0
                              : rounded_to_one_bit(*m.metric().table.one_bit_mean, clamped, random);
    }
    return with_note(m.publish(), ~equal(clamped, given) & 1, SOTTO_VALUE_CLAMPED);
}

extern "C" sotto_status sotto_report_vector(sotto_client *client, uint16_t metric_id,
                                            const int32_t *values, size_t length) {
    measurement m(client, metric_id, only(SOTTO_TYPE_VECTOR));
    if (!m.ok()) {
        return m.status();
    }
    const sotto_discrete_laplace &table = *m.metric().table.discrete_laplace;
    if (values == nullptr || length != table.length) {
        return SOTTO_ERR_ARGUMENT;
    }
    uint32_t *words = m.true_words();
    uint32_t changed = 0;
    for (size_t i = 0; i < length; ++i) {
        const auto given = static_cast<uint32_t>(values[i]);
        words[i] = clamped_value(table, given);
        changed |= words[i] ^ given;
    }
    const uint32_t clipped = clip_l1(table, words, length);
    return with_note(m.publish(), (~is_zero(changed) & 1) | clipped, SOTTO_VALUE_CLAMPED);
}
