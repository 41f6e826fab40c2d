// SPDX-License-Identifier: Apache-2.0
// States from anyone, with the right checksum, on the device. A state that it does not refuse names
// only parts of its registry, so that every later call stays within its memory. The device takes up
// again the state that it then stores.
#include "metrics.h"
#include "sotto_testing.h"
#include "target.hpp"

#include "aggregator/request/request.hpp"
#include "client/account.hpp"
#include "client/adopt.hpp"
#include "client/internal.hpp"
#include "client/stored.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

SOTTO_TEST_PROGRAM();

namespace {

using namespace sotto;

using kept_state = decltype(kept_client::state);
constexpr std::size_t state_words = sizeof(kept_state) / 4;
constexpr std::size_t account_words = std::extent_v<decltype(kept_state::accounts)>;
constexpr std::size_t release_count = std::extent_v<decltype(kept_state::releases)>;
constexpr std::size_t words_per_release =
    std::extent_v<decltype(kept_state::words)> / release_count;
constexpr std::size_t random_bytes = std::extent_v<decltype(kept_client::random)>;

void whatever(sotto_status) {} // a refusal is as good as an answer here

// A device in pieces of their own, so that a sanitizer sees what is reached beside them.
struct kept_device {
    sotto_testing storage = {};
    sotto_port port;
    std::vector<std::uint32_t> state = std::vector<std::uint32_t>(state_words);
    std::vector<std::uint32_t> work = std::vector<std::uint32_t>(2 * words_per_release);
    std::vector<std::uint8_t> random = std::vector<std::uint8_t>(random_bytes);
    std::vector<std::uint8_t> buffer = std::vector<std::uint8_t>(512);
    sotto_client it = {}, *client = &it;

    kept_device() {
        sotto_testing_init(&storage, reinterpret_cast<const std::uint8_t *>("fuzz"), 4, 0);
        port = sotto_testing_port(&storage);
        port.mac = nullptr; // a writer of storage has its key: nothing is refused for the tag alone
    }
    kept_device(const kept_device &) = delete;
    kept_device &operator=(const kept_device &) = delete;

    sotto_status init() {
        sotto_memory m = {};
        m.head = reinterpret_cast<sotto_state_head *>(state.data());
        m.accounts = state.data() + sizeof *m.head / 4;
        m.releases = reinterpret_cast<sotto_release *>(m.accounts + account_words);
        m.words = reinterpret_cast<std::uint32_t *>(m.releases + release_count);
        m.work = work.data();
        m.random = random.data();
        m.account_words = account_words;
        m.release_capacity = release_count;
        m.words_per_release = words_per_release;
        m.random_bytes = random_bytes;
        return sotto_init(client, &kept_registry, &port, &m);
    }
    std::uint32_t epoch() const { return it.memory.head->epoch; }

    // As if that were what it had stored last, with the checksum that it should have.
    void keep(std::string bytes) {
        bytes.resize(std::min(bytes.size(), sizeof storage.slots[0]) / 4 * 4);
        auto *stored = storage.slots[SOTTO_SLOT_STATE_A];
        std::memcpy(stored, bytes.data(), bytes.size());
        if (bytes.size() >= sizeof(sotto_state_head)) {
            const std::uint32_t sum = sotto::device::state_checksum(stored, bytes.size());
            std::memcpy(stored, &sum, sizeof sum);
        }
        storage.lengths_bytes[SOTTO_SLOT_STATE_A] = bytes.size();
        storage.lengths_bytes[SOTTO_SLOT_STATE_B] = 0;
    }
    std::string kept() const { // the newer one
        const bool is_b = (it.memory.head->sequence & 1) != 0;
        const auto slot = is_b ? SOTTO_SLOT_STATE_B : SOTTO_SLOT_STATE_A;
        return {reinterpret_cast<const char *>(storage.slots[slot]), storage.lengths_bytes[slot]};
    }

    void report() {
        whatever(sotto_report_boolean(client, KEPT_DOOR, true));
        whatever(sotto_report_category(client, KEPT_ROOM, 3));
        whatever(sotto_report_category(client, KEPT_PART, 33));
        whatever(sotto_report_string(client, KEPT_APP, "maps", 4));
        const std::int32_t load[] = {0, 7, 20};
        whatever(sotto_report_vector(client, KEPT_LOAD, load, 3));
    }
    void give_out(bool again) {
        std::size_t length = 0;
        const sotto_status status =
            again ? sotto_resend(client, buffer.data(), buffer.size(), &length)
                  : sotto_flush(client, buffer.data(), buffer.size(), &length);
        expect(length <= buffer.size() && (status == SOTTO_OK || length == 0), "a batch fits");
    }
    void raise_all() {
        sotto_release_info info{};
        for (std::size_t i = 0; sotto_get_release(client, i, &info) == SOTTO_OK; ++i) {
            const auto next = static_cast<std::uint8_t>(info.level + 1);
            whatever(sotto_relax(client, info.metric_id, info.epoch, next));
            whatever(sotto_extend_boolean(client, info.metric_id, info.epoch, true));
        }
    }
    void ask(const std::string &text) {
        const std::vector<std::uint8_t> exact(text.begin(), text.end());
        whatever(sotto_request(client, exact.data(), exact.size(), nullptr, nullptr, nullptr));
    }
    void look() const {
        sotto_account a{};
        for (std::uint16_t id = 0; id <= kept_registry.metric_count; ++id) {
            whatever(sotto_get_account(client, id, &a));
        }
    }

    void expect_lawful() const {
        const char *what = "what it takes up is lawful";
        std::uint32_t place = 0, known = 0;
        while (place < it.memory.account_words && (place == 0 || it.memory.accounts[place] != 0)) {
            const sotto::device::account a(it.memory.accounts + place);
            const sotto_metric *m = sotto::device::find(kept_registry, a.metric_id());
            expect((a.metric_id() == sotto::device::device_id) == (place == 0), what);
            if (m != nullptr || place == 0) {
                expect(a.words() == sotto::device::account_words(kept_registry, m), what);
                ++known;
            }
            place += a.words();
        }
        expect(known == kept_registry.metric_count + 1u, what);
        for (; place < it.memory.account_words; ++place) {
            expect(it.memory.accounts[place] == 0, what);
        }
        for (std::size_t i = 0; i < release_count; ++i) {
            const sotto_release &r = it.memory.releases[i];
            const sotto_metric *m = sotto::device::find(kept_registry, r.metric_id);
            const std::uint32_t levels = m == nullptr ? 0u : m->level_count + m->forward_count;
            const std::uint32_t named = std::uint32_t{r.pending} | r.batch | r.batch_before;
            expect(sotto::device::is_open(r) ? r.level < levels && named >> levels == 0
                                             : named == 0,
                   what);
        }
    }
};

// Everything that reads a state, in this epoch and the next.
void live(kept_device &d) {
    static const aggregator::request_key key = aggregator::read_request_key(SOTTO_OPERATOR_KEY);
    static const std::string request = sign_request(
        {kept_registry.fingerprint, KEPT_ROOM, 1, UINT32_MAX, 0, UINT32_MAX, {1}}, key);
    d.look();
    const std::uint32_t epoch = d.epoch() == UINT32_MAX ? 0 : d.epoch();
    for (const std::uint32_t next : {epoch, epoch + 1}) {
        whatever(sotto_advance_far(d.client, next));
        d.give_out(true);
        if (d.state[0] % 8 == 0) { // some of them: to verify takes its time
            d.ask(request);
        }
        d.report();
        d.raise_all();
        d.look();
        d.give_out(false);
        d.give_out(true);
        whatever(sotto_acknowledge(d.client));
    }
}

} // namespace

std::vector<std::string> seeds() {
    kept_device d;
    expect(d.init() == SOTTO_OK, "a new device starts");
    std::vector<std::string> states = {d.kept()};
    for (std::uint32_t epoch = 0; epoch < 2; ++epoch) {
        expect(sotto_advance(d.client, epoch) == SOTTO_OK, "a new device has epochs");
        d.report();
        for (int i = 0; i < 3; ++i) {
            d.give_out(false);
            states.push_back(d.kept());
            whatever(sotto_acknowledge(d.client));
            d.raise_all();
        }
    }
    sotto_state_head head;
    std::memcpy(&head, states.back().data(), sizeof head);
    head.registry ^= 1; // as an older firmware left it
    states.push_back(states.back());
    std::memcpy(states.back().data(), &head, sizeof head);
    return states;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    kept_device d;
    expect(d.init() == SOTTO_OK, "a new device starts");
    sotto_deinit(d.client);
    d.keep({reinterpret_cast<const char *>(data), size});
    sotto_status status = d.init();
    expect(status == SOTTO_OK || status == SOTTO_ERR_METRIC_CHANGED ||
               status == SOTTO_ERR_STATE_MISSING || status == SOTTO_ERR_STATE_CORRUPT ||
               status == SOTTO_ERR_STATE_SIZE,
           "a state is taken or refused");
    if (status == SOTTO_OK) {
        d.expect_lawful();
        live(d);
        d.expect_lawful();
        sotto_deinit(d.client);
        expect(d.init() == SOTTO_OK, "what it stores it takes up");
        d.expect_lawful();
    }
    expect(sotto_wipe(d.client) == SOTTO_OK && d.init() == SOTTO_OK, "a wiped device starts");
    return 0;
}
