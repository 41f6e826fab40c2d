// SPDX-License-Identifier: Apache-2.0
#include "client/account.hpp"
#include "client/client_code.hpp"
#include "client/entry.hpp"
#include "client/internal.hpp"
#include "client/place.hpp"
#include "mechanism/code.hpp"
#include "mechanism/ladder.hpp"
#include "mechanism/noised_sum.hpp"
#include "random/fixed_time.hpp"

using namespace sotto;
using namespace sotto::device;

// The open rows of counters: in memory alone, each once. Events come from interrupts, which find
// one bank of ways or the other and never half of one. A row's sum stays where it is until it
// closes. Each sum has two places: the next row's noise is there before the row before it closes. A
// running total is of one moment: an event that breaks in when it is taken takes it first.
namespace {

class open_rows {
  public:
    open_rows(const sotto_client &client, const sotto_metric &metric);

    static uint32_t words(const sotto_metric &metric);
    bool has_memory() const { return words_ != nullptr; }
    sotto_status add(int32_t amount) const;
    sotto_status turn(sotto_client &client) const;
    sotto_status abandon() const;

  private:
    enum : uint32_t { bank, busy, mark, total, head_words };
    enum : uint32_t { bank_mask = 1, switching = 2 }; // in words_[bank]
    using shared = volatile uint32_t;                 // with interrupts

    static constexpr auto not_counted = static_cast<uint32_t>(SOTTO_ERR_NOT_COUNTED);

    shared *ways(uint32_t side) const { return words_ + head_words + size_t{side} * count_; }
    shared *ways() const { return ways(words_[bank] & bank_mask); }
    shared *sums() const { return ways(2); }
    uint32_t epoch() const { return words_[mark] - 1; }
    bool is_running() const { return table_.shows != SOTTO_SHOWS_ROWS; }
    bool is_any_open() const;
    bool goes_on(uint32_t now) const {
        return is_beginning(table_, now) || (now - epoch() == 1 && is_any_open());
    }
    uint32_t closing() const;
    void switch_ways() const;
    sotto_status claim(sotto_client &client, sotto_release &closed, sotto_release *&place) const;
    sotto_status draw_rows(sotto_client &client, uint32_t now) const;
    sotto_status open(sotto_client &client, uint32_t now, bool is_counted) const;
    uint32_t next_way(uint32_t row, uint32_t now) const;
    void move(uint32_t now, bool is_counted, uint32_t *closed) const;

    const sotto_metric &metric_;
    const sotto_noised_sum &table_;
    const uint32_t count_;
    shared *words_;
};

open_rows::open_rows(const sotto_client &client, const sotto_metric &metric)
    : metric_(metric), table_(*metric.table.noised_sum), count_(open_row_count(table_)),
      words_(rows_of(client, metric)) {}

uint32_t open_rows::words(const sotto_metric &metric) {
    return head_words + 4 * open_row_count(*metric.table.noised_sum);
}

sotto_status open_rows::add(int32_t amount) const {
    if (words_[busy] != 0) {
        return SOTTO_ERR_BUSY;
    }
    words_[busy] = 1;
    switch_ways();
    uint32_t units = 0;
    const uint32_t told = metric_.code->encode(metric_, {&amount, 1, nullptr}, &units);
    const bool is_open = is_any_open();
    add_event(count_, ways(), sums(), units);
    words_[busy] = 0;
    return static_cast<sotto_status>(is_open ? declassified(told) : not_counted);
}

bool open_rows::is_any_open() const {
    uint32_t is_open = 0;
    for (uint32_t row = 0; row < count_; ++row) {
        is_open |= ways()[row];
    }
    return is_open != 0;
}

// How many numbers are published.
uint32_t open_rows::closing() const {
    if (is_running()) {
        return is_any_open() ? 1 : 0;
    }
    uint32_t count = 0;
    for (uint32_t row = 0; row < count_; ++row) {
        count += (ways()[row] & way_closes) != 0 ? 1 : 0;
    }
    return count;
}

// The noise of the rows that open, each into its free place.
sotto_status open_rows::draw_rows(sotto_client &client, uint32_t now) const {
    const size_t size = level_bytes(metric_, 0);
    sotto_status status = SOTTO_OK;
    for (uint32_t row = 0; status == SOTTO_OK && row < count_; ++row) {
        if ((way_in(table_, row, now) & way_opens) != 0) {
            uint32_t noise = 0;
            status = draw(client, client.memory.random, size);
            (void)draw_word(metric_, 0, 0, 0, {client.memory.random, size}, &noise);
            sums()[2 * row + (~ways()[row] >> way_place)] = noise;
        }
    }
    crypto::wipe(client.memory.random, client.memory.random_bytes);
    return status;
}

// In an epoch that is counted. A row that missed one is closed until its next begins.
uint32_t open_rows::next_way(uint32_t row, uint32_t now) const {
    const uint32_t next = way_in(table_, row, now), way = ways()[row];
    if ((next & way_opens) != 0) {
        return next | ~way >> way_place << way_place;
    }
    const bool goes_on = next != 0 && way != 0 && now - epoch() == 1;
    return goes_on ? next | way >> way_place << way_place : 0;
}

// All but what is open: that is an interrupt's to write.
void erase(volatile uint32_t *sum, uint32_t way) {
    for (uint32_t place = 0; place < 2; ++place) {
        if (way == 0 || way >> way_place != place) {
            sum[place] = 0;
        }
    }
}

// From one word to the next an interrupt counts for the new epoch. If one did, it has switched, and
// what is summed here meanwhile is dropped; if it comes behind the question, it sums the same.
void open_rows::switch_ways() const {
    const uint32_t from = words_[bank];
    if ((from & switching) == 0) {
        return;
    }
    const uint32_t sum = is_running() ? total_of(count_, ways(from & bank_mask), sums()) : 0;
    if (words_[bank] == from) {
        words_[total] = sum;
        words_[bank] = ~from & bank_mask;
    }
}

void open_rows::move(uint32_t now, bool is_counted, uint32_t *closed) const {
    shared *from = ways(), *spare = ways(1 - words_[bank]);
    for (uint32_t row = 0; row < count_; ++row) {
        spare[row] = is_counted ? next_way(row, now) : 0;
    }
    words_[bank] = words_[bank] | switching;
    switch_ways();
    if (is_running() && closed != nullptr) {
        *closed = words_[total];
    }
    words_[total] = 0;
    for (uint32_t row = 0; row < count_; ++row) {
        shared *sum = sums() + size_t{2} * row;
        if (!is_running() && (from[row] & way_closes) != 0) {
            // NOLINTNEXTLINE(*NullDereference): claim() found a place for rows that close.
            *closed++ = sum[from[row] >> way_place];
        }
        from[row] = 0;
        erase(sum, spare[row]);
    }
    words_[mark] = now + 1;
}

sotto_status open_rows::abandon() const {
    if (words_[busy] != 0) {
        return SOTTO_ERR_BUSY;
    }
    shared *from = ways();
    words_[bank] = 1 - words_[bank]; // without a way
    for (uint32_t row = 0; row < count_; ++row) {
        from[row] = 0;
        erase(sums() + size_t{2} * row, 0);
    }
    return SOTTO_OK;
}

// Does the epoch begin while the device listens, and for the first time?
bool may_open(const sotto_client &client, const account &a) {
    return client.has_epoch != 0 && !is_paused(client) &&
           (a.last_epoch() != client.memory.head->epoch || a.times() == 0);
}

// A place for the rows that close, null without any, and the release that will stand there. Errors:
// QUEUE_FULL, those of draw().
sotto_status open_rows::claim(sotto_client &client, sotto_release &closed,
                              sotto_release *&place) const {
    set_row_count(closed, closing());
    if (row_count(closed) == 0) {
        return SOTTO_OK;
    }
    place = find_place(client);
    if (place == nullptr) {
        return SOTTO_ERR_QUEUE_FULL;
    }
    closed.epoch = epoch();
    closed.metric_id = metric_.id;
    closed.metric_index = static_cast<uint16_t>(&metric_ - client.registry->metrics);
    closed.pending = 1;
    closed.flags = release_open | new_pending;
    return draw(client, closed.key, sizeof closed.key);
}

// All that may fail comes first: an error leaves the rows as they were.
sotto_status open_rows::open(sotto_client &client, uint32_t now, bool is_counted) const {
    sotto_release closed = {};
    sotto_release *place = nullptr;
    sotto_status status = claim(client, closed, place);
    if (status == SOTTO_OK && is_counted) {
        status = draw_rows(client, now);
    }
    if (status == SOTTO_OK) {
        if (place != nullptr) {
            close(client, *place);
            *place = closed;
        }
        move(now, is_counted, place == nullptr ? nullptr : release_words(client, *place));
    }
    return status;
}

// To the present epoch, once.
sotto_status open_rows::turn(sotto_client &client) const {
    const uint32_t now = client.memory.head->epoch;
    if (words_[mark] == now + 1) {
        return SOTTO_OK;
    }
    if (words_[busy] != 0) {
        return SOTTO_ERR_BUSY;
    }
    if (is_paused(client)) {
        (void)abandon();
    }
    const account a = account_of(client, metric_.id);
    charge attempt(client, metric_, 0);
    attempt.add(0, 1);
    const bool is_counted = goes_on(now) && may_open(client, a) && attempt.fits();
    const sotto_status status = open(client, now, is_counted);
    if (status == SOTTO_OK && is_counted) {
        attempt.keep();
        a.set_measured(now, 1);
        a.count();
    }
    return status;
}

// The counter of that id. Errors: UNKNOWN_METRIC, WRONG_TYPE.
sotto_status find_counter(const sotto_client &client, uint16_t id, const sotto_metric *&metric) {
    metric = find(*client.registry, id);
    if (metric == nullptr) {
        return SOTTO_ERR_UNKNOWN_METRIC;
    }
    return metric->client == &sotto_client_code_open_rows ? SOTTO_OK : SOTTO_ERR_WRONG_TYPE;
}

// Not inlined: its stack is wiped.
[[gnu::noinline]] sotto_status turn(sotto_client &client, const sotto_metric &metric) {
    const open_rows rows(client, metric);
    return rows.has_memory() ? rows.turn(client) : sotto_status{SOTTO_ERR_ARGUMENT};
}

// How deep noise goes where pointers have 4 bytes, with room for an interrupt: see
// tests/qemu/build_types.sh.
#if defined(SOTTO_NOISE_STACK_BYTES)
constexpr size_t narrow_bytes = SOTTO_NOISE_STACK_BYTES;
#elif defined(__OPTIMIZE__)
constexpr size_t narrow_bytes = 1792;
#else
constexpr size_t narrow_bytes = 2048;
#endif

sotto_status turn_and_wipe(sotto_client &client, const sotto_metric &metric) {
    const sotto_status status = turn(client, metric);
    crypto::wipe_stack_below<narrow_bytes>();
    return status;
}

bool is_of_rows(const sotto_metric &metric) {
    return metric.code->shows == shown::rows && metric.cost_reports == 0;
}

} // namespace

const sotto_client_code sotto_client_code_open_rows = {no_words, open_rows::words, turn_and_wipe,
                                                       nullptr,  nullptr,          is_of_rows};

// Not an entry: it breaks into calls in progress.
extern "C" sotto_status sotto_count(sotto_client *client, uint16_t metric_id, int32_t amount) {
    const sotto_metric *metric = nullptr;
    sotto_status status = readable(client);
    if (status == SOTTO_OK) {
        status = check_active(*client);
    }
    if (status == SOTTO_OK) {
        status = find_counter(*client, metric_id, metric);
    }
    if (status != SOTTO_OK) {
        return status;
    }
    const open_rows rows(*client, *metric);
    return rows.has_memory() ? rows.add(amount) : sotto_status{SOTTO_ERR_ARGUMENT};
}

extern "C" sotto_status sotto_reopen(sotto_client *client, uint16_t metric_id) {
    const entry call(client);
    const sotto_metric *metric = nullptr;
    const sotto_status status =
        call.status() == SOTTO_OK ? find_counter(*client, metric_id, metric) : call.status();
    if (status != SOTTO_OK) {
        return status;
    }
    const open_rows rows(*client, *metric);
    return rows.has_memory() ? rows.abandon() : sotto_status{SOTTO_ERR_ARGUMENT};
}
