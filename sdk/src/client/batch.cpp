// SPDX-License-Identifier: Apache-2.0
#include "client/derive.hpp"
#include "client/entry.hpp"
#include "client/internal.hpp"
#include "client/permanent_value.hpp"
#include "client/sealing.hpp"
#include "client/state.hpp"
#include "mechanism/code.hpp"
#include "report/encode.hpp"

using namespace sotto;
using namespace sotto::device;

// Waiting reports become a batch: made durable first, then written. A batch can be written again.
namespace {

// The member of a release that is meant.
using levels = uint16_t sotto_release::*;

// Do they stand in the registry's order? Levels of reports that came in it do.
bool is_in_order(const sotto_client &client, levels kind) {
    uint32_t last_id = 0;
    for (uint32_t i = 0; i < client.memory.release_capacity; ++i) {
        const sotto_release &release = client.memory.releases[i];
        const uint32_t id = release.*kind != 0 ? release.metric_id : last_id;
        if (id < last_id) {
            return false;
        }
        last_id = id;
    }
    return true;
}

constexpr uint32_t before_all = UINT32_MAX;

// The place behind `last` where they stand in that order, or release_capacity.
uint32_t place_behind(const sotto_client &client, levels kind, uint32_t last) {
    do {
        ++last;
    } while (last < client.memory.release_capacity && client.memory.releases[last].*kind == 0);
    return last;
}

// The place behind `last` where they stand in any order.
uint32_t next_place(const sotto_client &client, levels kind, uint32_t last) {
    const uint32_t capacity = client.memory.release_capacity;
    const auto rank = [&](uint32_t place) {
        return client.memory.releases[place].metric_id * capacity + place;
    };
    uint32_t next = capacity;
    for (uint32_t i = 0; i < capacity; ++i) {
        if (client.memory.releases[i].*kind != 0 && (last == before_all || rank(i) > rank(last)) &&
            (next == capacity || rank(i) < rank(next))) {
            next = i;
        }
    }
    return next;
}

// Visits the levels that are meant, in the registry's order: a batch does not show when each was
// measured. The level that is visited may be taken off.
class walk {
  public:
    walk(const sotto_client &client, levels kind)
        : client_(client), kind_(kind), in_order_(is_in_order(client, kind)) {}

    bool next() {
        while (rest_ == 0) {
            place_ = in_order_ ? place_behind(client_, kind_, place_)
                               : next_place(client_, kind_, place_);
            if (place_ == client_.memory.release_capacity) {
                return false;
            }
            rest_ = release().*kind_;
            level_ = UINT32_MAX;
        }
        uint32_t is_meant = 0;
        while (is_meant == 0) {
            is_meant = rest_ & 1;
            rest_ >>= 1;
            ++level_;
        }
        return true;
    }
    sotto_release &release() const { return client_.memory.releases[place_]; }
    uint32_t level() const { return level_; }

  private:
    const sotto_client &client_;
    levels kind_;
    bool in_order_;
    uint32_t place_ = before_all, rest_ = 0, level_ = 0;
};

bool is_any(const sotto_client &client, levels kind) { return walk(client, kind).next(); }

// Visits them as reports.
class reports {
  public:
    reports(const sotto_client &client, levels kind)
        : client_(client), at_(client, kind),
          new_flag_(kind == &sotto_release::pending ? new_pending : new_in_batch) {}

    [[gnu::noinline]] bool next() {
        const sotto_release *const last = release_;
        if (!at_.next()) {
            return false;
        }
        release_ = &at_.release();
        const uint32_t selected = first_selected_level(*release_);
        const bool is_new = (release_->flags & new_flag_) != 0 && release_ != last;
        head_.metric = &metric_of(client_, *release_);
        head_.id = release_->id;
        head_.cells[report::metrics] = release_->metric_id - last_id_;
        head_.cells[report::levels] = at_.level();
        head_.cells[report::epoch_ages] = client_.memory.head->batch_epoch - release_->epoch;
        head_.cells[report::flags] =
            (selected != 0 && at_.level() >= selected ? report::flag_selected : 0) |
            (is_new ? 0 : report::flag_known);
        head_.cohort = cohort_of(client_, *head_.metric);
        head_.rows = row_count(*release_);
        last_id_ = release_->metric_id;
        return true;
    }
    sotto_release &release() const { return *release_; }
    uint32_t level() const { return at_.level(); }
    bool is_new() const { return head_.cells[report::flags] < report::flag_known; }
    const report::head &head() const { return head_; }

  private:
    const sotto_client &client_;
    walk at_;
    uint32_t new_flag_;
    sotto_release *release_ = nullptr;
    uint32_t last_id_ = 0;
    report::head head_ = {};
};

// Calls `each` for them until it says false. The walk itself is not inlined: its code and stack are
// there once.
using each_function = bool (*)(void *context, const reports &at);
[[gnu::noinline]] void visit(const sotto_client &client, levels kind, each_function each,
                             void *context) {
    reports at(client, kind);
    while (at.next() && each(context, at)) {
    }
}
template <typename Each> void for_each(const sotto_client &client, levels kind, Each each) {
    visit(
        client, kind,
        [](void *context, const reports &at) { return (*static_cast<Each *>(context))(at); },
        &each);
}

[[gnu::noinline]] report::shape what_fits(const sotto_client &client, levels kind,
                                          const sotto_seal_key *key, size_t capacity_bytes) {
    report::shape fits(client.memory.head->batch_epoch);
    for_each(client, kind, [&](const reports &at) {
        report::shape more = fits;
        more.add(at.head());
        const bool is_room = more.envelope_bytes(*client.registry, key) <= capacity_bytes;
        fits = is_room ? more : fits;
        return is_room;
    });
    return fits;
}

size_t count_of(const sotto_client &client, levels kind) {
    size_t count = 0;
    for (walk at(client, kind); at.next();) {
        ++count;
    }
    return count;
}

template <typename Change> void for_all(const sotto_client &client, Change change) {
    for (uint32_t i = 0; i < client.memory.release_capacity; ++i) {
        change(client.memory.releases[i]);
    }
}

// The batch before stays at hand until the new one is written.
void move_to_batch(const sotto_client &client, size_t count) {
    for_all(client, [](sotto_release &release) {
        release.batch_before = release.batch;
        release.batch = 0;
        const uint32_t was_new = release.flags & new_in_batch;
        const uint32_t rest = release.flags & ~(new_in_batch | new_before);
        release.flags = static_cast<uint8_t>(rest | was_new << 1);
    });
    for (walk at(client, &sotto_release::pending); count > 0 && at.next(); --count) {
        sotto_release &release = at.release();
        const uint32_t level = 1u << at.level(), is_new = release.flags & new_pending;
        release.pending = static_cast<uint16_t>(release.pending & ~level);
        release.batch = static_cast<uint16_t>(release.batch | level);
        release.flags = static_cast<uint8_t>(release.flags + is_new); // the next flag
    }
}

void move_back(const sotto_client &client) {
    for_all(client, [](sotto_release &release) {
        const uint32_t back = release.flags & (new_in_batch | new_before);
        const uint32_t rest = release.flags & ~(new_in_batch | new_before);
        release.flags = static_cast<uint8_t>(rest | back >> 1);
        release.pending = static_cast<uint16_t>(release.pending | release.batch);
        release.batch = release.batch_before;
        release.batch_before = 0;
    });
}

// A batch's seed follows from its first new release, so that it is the same when it is sent again.
[[gnu::noinline]] sotto_status batch_seed(const sotto_client &client,
                                          uint8_t seed[report::seed_bytes]) {
    sotto_status status = SOTTO_OK;
    for_each(client, &sotto_release::batch, [&](const reports &at) {
        if (at.is_new()) {
            status = crypto::stream(release_key(at.release()).bytes, crypto::purpose::batch_seed, 0)
                         .read(seed, report::seed_bytes);
        }
        return !at.is_new();
    });
    return status;
}

// WIRE.md: the aggregator makes the same ids of the seed.
[[gnu::noinline]] sotto_status give_ids(const sotto_client &client) {
    uint8_t key[crypto::key_bytes] = {};
    sotto_status status = batch_seed(client, key);
    crypto::stream ids(key, crypto::purpose::new_ids, 0);
    for_each(client, &sotto_release::batch, [&](const reports &at) {
        if (status == SOTTO_OK && at.is_new()) {
            status = ids.read(at.release().id, sizeof at.release().id);
        }
        return true;
    });
    crypto::wipe(key, sizeof key);
    return status;
}

void forget_batch_before(sotto_client &client) {
    for_all(client, [](sotto_release &release) { release.batch_before = 0; });
    close_what_is_done(client);
}

struct given_buffer {
    uint8_t *bytes;
    size_t capacity_bytes;
    size_t *length_bytes;
};

// Not inlined: its stack is free again while the batch is sealed.
[[gnu::noinline]] sotto_status encode(const sotto_client &client, const sotto_seal_key *key,
                                      const report::shape &shape, const given_buffer &target,
                                      report::sealable &parts) {
    uint8_t seed[report::seed_bytes] = {};
    sotto_status status = batch_seed(client, seed);
    report::envelope envelope(*client.registry, key, shape, seed, target.bytes,
                              target.capacity_bytes);
    uint32_t *words = work_words(client, 0);
    for (uint32_t column = 0; column < report::column_count; ++column) {
        if (!envelope.begin(column)) {
            continue;
        }
        for_each(client, &sotto_release::batch, [&](const reports &at) {
            if (column == report::values && status == SOTTO_OK) {
                status = derive(client, at.release(), at.level(), words);
            }
            envelope.add(column, at.head(), words);
            return status == SOTTO_OK;
        });
    }
    wipe_words(words, client.memory.words_per_release);
    *target.length_bytes = envelope.finish();
    if (status == SOTTO_OK && *target.length_bytes == 0) {
        status = SOTTO_ERR_BUFFER_TOO_SMALL;
    }
    parts = envelope.to_seal();
    crypto::wipe(seed, sizeof seed);
    return status;
}

sotto_status write(sotto_client &client, const sotto_seal_key *key, const report::shape &shape,
                   const given_buffer &target) {
    report::sealable parts;
    const sotto_status status = encode(client, key, shape, target, parts);
    return status == SOTTO_OK && key != nullptr ? seal_batch(client, *key, parts) : status;
}

sotto_status flush(sotto_client &client, const given_buffer &target) {
    if (!is_any(client, &sotto_release::pending)) {
        return SOTTO_OK;
    }
    const sotto_seal_key *key = nullptr;
    sotto_status status = prepare_seal(client, &key);
    if (status != SOTTO_OK) {
        return status;
    }
    sotto_state_head &head = *client.memory.head;
    const uint32_t epoch_before = head.batch_epoch;
    head.batch_epoch = head.epoch;
    const report::shape shape =
        what_fits(client, &sotto_release::pending, key, target.capacity_bytes);
    if (shape.count() == 0) {
        head.batch_epoch = epoch_before;
        return SOTTO_ERR_BUFFER_TOO_SMALL;
    }
    move_to_batch(client, shape.count());
    status = give_ids(client);
    if (status == SOTTO_OK) {
        status = save_state(client);
    }
    if (status == SOTTO_OK) {
        status = write(client, key, shape, target);
    }
    if (status == SOTTO_OK) {
        forget_batch_before(client);
    } else {
        move_back(client); // maybe charged and durable, but nobody has seen them
        head.batch_epoch = epoch_before;
    }
    return status;
}

sotto_status resend(sotto_client &client, const given_buffer &target) {
    const size_t count = count_of(client, &sotto_release::batch);
    if (count == 0) {
        return SOTTO_ERR_NO_BATCH;
    }
    const sotto_seal_key *key = nullptr;
    sotto_status status = prepare_seal(client, &key);
    if (status != SOTTO_OK) {
        return status;
    }
    const report::shape shape =
        what_fits(client, &sotto_release::batch, key, target.capacity_bytes);
    if (shape.count() != count) {
        return SOTTO_ERR_BUFFER_TOO_SMALL;
    }
    status = settle_state(client);
    return status == SOTTO_OK ? write(client, key, shape, target) : status;
}

// Not inlined: its stack is wiped, where a report's noise was before, too.
[[gnu::noinline]] sotto_status make_batch(sotto_client &client, const given_buffer &target,
                                          bool again) {
    return again ? resend(client, target) : flush(client, target);
}

sotto_sent_report report_of(const sotto_release &release, uint32_t level, const report::head &head,
                            const uint32_t *words) {
    static const uint8_t shapes[] = {SOTTO_SHOWN_INDEX, SOTTO_SHOWN_BITS, SOTTO_SHOWN_NUMBERS,
                                     SOTTO_SHOWN_NUMBERS};
    const sotto_code &code = *head.metric->code;
    const bool has_rows = code.shows == shown::rows && head.rows < head.metric->value_words;
    return {head.id,
            words,
            release.epoch,
            release.metric_id,
            static_cast<uint16_t>(has_rows ? head.rows : head.metric->value_words),
            static_cast<uint16_t>(code.size(*head.metric)),
            static_cast<uint8_t>(level),
            shapes[static_cast<uint8_t>(code.shows)]};
}

using show_function = void (*)(void *context, const sotto_sent_report *report);

sotto_status inspect(const sotto_client &client, show_function show, void *context) {
    uint32_t *words = work_words(client, 0);
    sotto_status status = SOTTO_ERR_NO_BATCH;
    for_each(client, &sotto_release::batch, [&](const reports &at) {
        status = derive(client, at.release(), at.level(), words);
        if (status == SOTTO_OK) {
            const sotto_sent_report sent = report_of(at.release(), at.level(), at.head(), words);
            show(context, &sent);
        }
        return status == SOTTO_OK;
    });
    wipe_words(words, client.memory.words_per_release);
    return status;
}

sotto_status give_out(sotto_client *client, uint8_t *buffer, size_t capacity_bytes,
                      size_t *length_bytes, bool again) {
    if (length_bytes != nullptr) {
        *length_bytes = 0;
    }
    entry call(client);
    if (call.status() != SOTTO_OK) {
        return call.status();
    }
    if (buffer == nullptr || length_bytes == nullptr) {
        return SOTTO_ERR_ARGUMENT;
    }
    sotto_status status = check_active(*client);
    if (status == SOTTO_OK) {
        const size_t room = capacity_bytes < report::envelope_bytes_max
                                ? capacity_bytes
                                : report::envelope_bytes_max;
        const given_buffer target = {buffer, room, length_bytes};
        status = make_batch(*client, target, again);
        wipe_sealing_stack(*client);
    }
    if (status != SOTTO_OK) {
        *length_bytes = 0;
        crypto::wipe(buffer, capacity_bytes);
    }
    return status;
}

} // namespace

extern "C" size_t sotto_pending(const sotto_client *client) {
    const entry call(client);
    return call.status() == SOTTO_OK ? count_of(*client, &sotto_release::pending) : 0;
}

extern "C" sotto_status sotto_flush(sotto_client *client, uint8_t *buffer, size_t capacity_bytes,
                                    size_t *length_bytes) {
    return give_out(client, buffer, capacity_bytes, length_bytes, false);
}

extern "C" sotto_status sotto_resend(sotto_client *client, uint8_t *buffer, size_t capacity_bytes,
                                     size_t *length_bytes) {
    return give_out(client, buffer, capacity_bytes, length_bytes, true);
}

extern "C" sotto_status sotto_inspect_batch(const sotto_client *client, show_function show,
                                            void *context) {
    const entry call(client);
    if (call.status() != SOTTO_OK) {
        return call.status();
    }
    return show == nullptr ? sotto_status{SOTTO_ERR_ARGUMENT} : inspect(*client, show, context);
}

extern "C" sotto_status sotto_acknowledge(sotto_client *client) {
    entry call(client);
    if (call.status() == SOTTO_OK) {
        for_all(*client, [](sotto_release &release) { release.batch = 0; });
        close_what_is_done(*client);
    }
    return call.status();
}
