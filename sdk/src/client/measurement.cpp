// SPDX-License-Identifier: Apache-2.0
#include "client/measurement.hpp"

#include "client/client_code.hpp"
#include "client/place.hpp"
#include "crypto/stream.hpp"
#include "mechanism/ladder.hpp"
#include "random/fixed_time.hpp"

namespace sotto::device {

measurement::measurement(sotto_client *client, uint16_t metric_id, uint32_t types)
    : entry_(client), client_(client), draw_(draw_top) {
    status_ = begin(metric_id, types);
    if (metric_ != nullptr) {
        status_ = begin_new();
    }
}

measurement::measurement(sotto_client *client, uint16_t metric_id, uint32_t types, uint32_t epoch)
    : entry_(client), client_(client), is_forward_(true), draw_(draw_next) {
    status_ = begin(metric_id, types);
    if (metric_ != nullptr) {
        status_ = begin_forward(epoch);
    }
}

measurement::~measurement() {
    if (metric_ != nullptr) {
        wipe_words(true_words(), size_t{2} * client_->memory.words_per_release);
        crypto::wipe(client_->memory.random, client_->memory.random_bytes);
        crypto::wipe(&release_, sizeof release_);
    }
}

sotto_status measurement::begin(uint16_t metric_id, uint32_t types) {
    if (entry_.status() != SOTTO_OK) {
        return entry_.status();
    }
    const sotto_status status = check_active(*client_);
    if (status != SOTTO_OK) {
        return status;
    }
    const sotto_metric *metric = find(*client_->registry, metric_id);
    if (metric == nullptr) {
        return SOTTO_ERR_UNKNOWN_METRIC;
    }
    if ((types >> metric->type & 1) == 0) {
        return SOTTO_ERR_WRONG_TYPE;
    }
    metric_ = metric;
    return SOTTO_OK;
}

// A step above the ladder rounds the value again, as before. Where there is none, rounding may be
// what hides the value: whoever has the release's key must not find it again.
static bool is_rounded_again(const sotto_metric &metric) {
    return metric.code->forward != steps::none;
}

// The random bytes of a new measurement: its key, fresh rounding, and the noise, unless that is
// permanent.
static size_t drawn_bytes(const sotto_metric &metric) {
    const size_t noise = lasting_of(metric) != nullptr
                             ? 0
                             : metric.value_words * level_bytes(metric, metric.level_count - 1u);
    const size_t rounding = is_rounded_again(metric) ? 0 : metric.code->rounding_bytes;
    return sizeof(sotto_release::key) + rounding + noise;
}

sotto_status measurement::begin_new() {
    const uint32_t epoch = client_->memory.head->epoch;
    const account a = account_of(*client_, metric_->id);
    if (a.last_epoch() == epoch && a.times() >= metric_->per_epoch) {
        return SOTTO_ERR_ALREADY_REPORTED;
    }
    release_.metric_id = metric_->id;
    release_.metric_index = static_cast<uint16_t>(metric_ - client_->registry->metrics);
    release_.epoch = epoch;
    if (metric_->policy != nullptr) {
        release_.level = metric_->policy->start(client_, metric_);
    }
    if (!pays(false)) {
        return SOTTO_ERR_BUDGET;
    }
    place_ = find_place(*client_);
    if (place_ == nullptr) {
        return SOTTO_ERR_QUEUE_FULL;
    }
    release_.pending = static_cast<uint16_t>(1u << release_.level);
    release_.flags = release_open | new_pending;
    const sotto_status status = prepare(*client_, drawn_bytes(*metric_));
    return status == SOTTO_OK ? draw(*client_, release_.key, sizeof release_.key) : status;
}

sotto_status measurement::begin_forward(uint32_t epoch) {
    place_ = find_release(*client_, *metric_, epoch);
    if (place_ == nullptr) {
        return SOTTO_ERR_NO_RELEASE;
    }
    // An older registry may have allowed several, and nobody knows whose the value is.
    if (find_release(*client_, *metric_, epoch, place_) != nullptr) {
        return SOTTO_ERR_NO_RELEASE;
    }
    release_ = *place_;
    if (metric_->forward_count == 0 || is_forward_by_relaxing(*metric_) ||
        release_.level + 1u == metric_->level_count + metric_->forward_count) {
        return SOTTO_ERR_NO_SUCH_LEVEL;
    }
    // The words become those of the next level: the levels below can't be derived from them.
    if (release_.level + 1u < metric_->level_count || release_.pending != 0 ||
        release_.batch != 0) {
        return SOTTO_ERR_LEVELS_BELOW;
    }
    ++release_.level;
    release_.pending = static_cast<uint16_t>(1u << release_.level);
    return pays(false) ? SOTTO_OK : SOTTO_ERR_BUDGET;
}

// Each of these publishes one level: that which it starts at, or the next.
bool measurement::pays(bool is_kept) const {
    charge more(*client_, *metric_, age_of(*client_, release_));
    more.add(is_forward_ ? release_.level : 0u, release_.level + 1u);
    if (is_kept) {
        more.keep();
    }
    return is_kept || more.fits();
}

uint8_t *measurement::rounding() {
    uint8_t *bytes = client_->memory.random;
    const size_t size = code().rounding_bytes;
    if (ok() && size > 0) {
        status_ = is_rounded_again(*metric_)
                      ? crypto::stream(release_key(release_).bytes, crypto::purpose::rounding, 0)
                            .read(bytes, size)
                      : draw(*client_, bytes, size);
    }
    return bytes;
}

sotto_status measurement::publish_value(const uint8_t digest[crypto::digest_bytes]) {
    const lasting_noise *lasting = lasting_of(*metric_);
    if (!ok() || lasting == nullptr) {
        return publish();
    }
    permanent_value value(*client_, *metric_, digest);
    status_ = value.status;
    // A mistake in the program, which has both values: it may be known.
    const mask is_other =
        ~(equal(value.tag[0], release_.value_tag[0]) & equal(value.tag[1], release_.value_tag[1]));
    if (ok() && is_forward_ && declassified(is_other & 1) != 0) {
        status_ = SOTTO_ERR_ARGUMENT;
    }
    const mask admitted = ok() ? lasting->is_admissible(*client_, *metric_, value.tag) : 0;
    for (uint32_t i = 0; i < metric_->value_words; ++i) {
        true_words()[i] &= admitted;
    }
    release_.value_tag[0] = value.tag[0];
    release_.value_tag[1] = value.tag[1];
    noise_ = &value.noise;
    (void)(is_forward_ ? publish_above(value.tag) : publish());
    noise_ = nullptr;
    crypto::wipe(value.tag, sizeof value.tag);
    return status_;
}

// Permanent bits above the ladder, by the value's tag as those below. Not inlined: a report does
// not need its stack.
[[gnu::noinline]] sotto_status measurement::publish_above(const uint32_t tag[2]) {
    uint8_t key[crypto::key_bytes] = {};
    if (ok()) {
        status_ = steps_key(*client_, *metric_, tag, key);
    }
    crypto::stream noise(key, crypto::purpose::permanent_forward, release_.level);
    noise_ = &noise;
    publish();
    crypto::wipe(key, sizeof key);
    return status_;
}

sotto_status measurement::publish() {
    uint32_t *words = work_words(*client_, 1);
    draw_(*this, words);
    if (ok()) {
        (void)pays(true); // begin_...() asked whether it fits
        const account a = account_of(*client_, metric_->id);
        if (!is_forward_) {
            const uint32_t times = a.last_epoch() == release_.epoch ? a.times() : 0;
            a.set_measured(release_.epoch, times + 1);
            a.count();
        }
        if (noise_ != nullptr) {
            metric_->client->lasting->admit(*client_, *metric_, release_.value_tag);
        }
        close(*client_, *place_);
        *place_ = release_;
        for (uint32_t i = 0; i < metric_->value_words; ++i) {
            release_words(*client_, *place_)[i] = words[i];
        }
    }
    return status_;
}

sotto_status measurement::draw_noise(uint8_t *random, size_t size) {
    return noise_ != nullptr ? noise_->read(random, size) : draw(*client_, random, size);
}

void measurement::draw_top(measurement &m, uint32_t *words) {
    const sotto_metric &metric = m.metric();
    const uint32_t top = metric.level_count - 1u;
    const size_t size = level_bytes(metric, top);
    uint8_t *random = m.client_->memory.random;
    for (uint32_t i = 0; m.ok() && i < metric.value_words; ++i) {
        m.status_ = m.draw_noise(random, size);
        if (m.ok()) {
            m.status_ = draw_word(metric, top, i, m.true_words()[i], {random, size}, &words[i]);
        }
    }
}

void measurement::draw_next(measurement &m, uint32_t *words) {
    const sotto_metric &metric = m.metric();
    const uint32_t step = m.release_.level - metric.level_count;
    const size_t size = forward_bytes(metric, step);
    uint8_t *random = m.client_->memory.random;
    const uint32_t *last = release_words(*m.client_, *m.place_);
    for (uint32_t i = 0; m.ok() && i < metric.value_words; ++i) {
        m.status_ = m.draw_noise(random, size);
        if (m.ok()) {
            m.status_ = draw_forward(metric, step, i, last[i], m.true_words()[i], {random, size},
                                     &words[i]);
        }
    }
}

} // namespace sotto::device
