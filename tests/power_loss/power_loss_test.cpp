// SPDX-License-Identifier: Apache-2.0
// A device lives, loses its power in the middle of a store and lives on, thousands of times. Never
// may it publish more than it has charged, say two things of one release and level, obey a request
// again that it has acted upon, or need a human.
#include "../unit/read_batch.hpp"
#include "asked.hpp"
#include "cut_storage.hpp"
#include "metrics.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>

namespace {

void whatever(sotto_status) {} // a refusal is as good as an answer here

constexpr uint32_t state_bytes_max = sizeof(budgets_client{}.state);

struct release {
    uint16_t metric;
    uint32_t epoch;
    std::map<uint32_t, std::string> levels; // what it said at each
};

// All that has left a device, as the aggregator would see it: the model that it is held to.
class published {
  public:
    std::string wrong; // the first thing that must not be

    void add(const uint8_t *bytes, size_t length) {
        const read_batch batch(bytes, length, budgets_registry.fingerprint);
        for (const sotto_Report &r : batch.reports) {
            const std::string id(r.release, r.release + sizeof r.release);
            release &one =
                releases_
                    .try_emplace(
                        id, release{static_cast<uint16_t>(r.metric), batch.epoch - r.epoch_age, {}})
                    .first->second;
            const auto [said, is_new] = one.levels.try_emplace(r.level, text_of(r));
            if (one.metric != r.metric || one.epoch != batch.epoch - r.epoch_age) {
                fail("a release changed its metric or epoch");
            } else if (!is_new && said->second != text_of(r)) {
                fail("a release said two things at one level");
            }
        }
    }

    // In no window of epochs may more have left than the budgets allow, whatever was cut.
    void check_budgets() {
        for (const auto &[id, one] : releases_) {
            const sotto_metric &m = metric_of(one.metric);
            uint64_t all = 0;
            for (uint16_t i = 0; i < budgets_registry.metric_count; ++i) {
                all += cost(budgets_registry.metrics[i], one.epoch, budgets_registry.window_epochs);
            }
            if (all > budgets_registry.budget ||
                (m.window_epochs != 0 && cost(m, one.epoch, m.window_epochs) > m.budget)) {
                fail("more was published in a window than its budget");
            }
        }
    }

    // The account of the device covers all that has left it.
    void check_account(const sotto_client &client, uint32_t epoch) {
        for (uint16_t i = 0; i < budgets_registry.metric_count; ++i) {
            const sotto_metric &m = budgets_registry.metrics[i];
            sotto_account account{};
            if (m.window_epochs == 0 || sotto_get_account(&client, m.id, &account) != SOTTO_OK) {
                continue;
            }
            const uint32_t first = epoch < m.window_epochs ? 0 : epoch + 1 - m.window_epochs;
            if (cost(m, first, m.window_epochs) > account.spent) {
                fail("a charge was lost");
            }
        }
    }

    void fail(const std::string &what) {
        if (wrong.empty()) {
            wrong = what;
        }
    }
    size_t count() const { return releases_.size(); }

  private:
    // The cost of all that was published of so many epochs. Releases that share permanent noise are
    // counted, at the highest level of any; the charges of others add up.
    uint64_t cost(const sotto_metric &m, uint32_t first, uint32_t epochs) const {
        uint32_t count = 0, highest = 0;
        uint64_t sum = 0;
        for (const auto &[id, one] : releases_) {
            if (one.metric == m.id && one.epoch >= first && one.epoch < first + epochs) {
                const uint32_t level = one.levels.rbegin()->first;
                sum += m.cost[level];
                highest = std::max(highest, level);
                ++count;
            }
        }
        const uint32_t n = std::min<uint32_t>(count, m.cost_reports);
        return m.cost_reports == 0 || n == 0 ? sum : m.cost[highest * m.cost_reports + n - 1];
    }
    static const sotto_metric &metric_of(uint32_t id) {
        for (uint16_t i = 0; i < budgets_registry.metric_count; ++i) {
            if (budgets_registry.metrics[i].id == id) {
                return budgets_registry.metrics[i];
            }
        }
        throw std::out_of_range("no such metric");
    }
    static std::string text_of(const sotto_Report &r) {
        const std::string flags = std::to_string(r.flags) + ' ';
        if (r.which_value == sotto_Report_bits_tag) {
            return flags + std::string{r.value.bits.bytes, r.value.bits.bytes + r.value.bits.size};
        }
        return flags + std::to_string(r.which_value) + ' ' + std::to_string(r.value.index);
    }
    std::map<std::string, release> releases_;
};

// The history follows from the seed alone.
class life {
  public:
    explicit life(uint32_t seed) : dice_(seed), noise_(~seed) {
        storage.has_counter = seed % 2 != 0;
        storage.has_mac = seed / 2 % 2 != 0;
        port_ = storage.port(entropy_);
    }
    life(const life &) = delete;
    life &operator=(const life &) = delete;

    // Lives for so many steps, or until the power goes.
    void live(int steps) {
        for (int i = 0; i < steps && storage.has_power; ++i) {
            step();
        }
    }
    // Power comes back, for so many stores only: then again.
    void flicker(size_t stores, size_t byte, tear kind) {
        storage.switch_on();
        storage.cut_store = stores;
        storage.cut_byte = byte;
        storage.kind = kind;
        device_ = {};
        if (begin()) {
            live(3);
        }
    }
    // Power comes back: it must go on by itself.
    void reboot() {
        storage.switch_on();
        device_ = {};
        const sotto_status status = budgets_init(&device_, &port_);
        if (status != SOTTO_OK) {
            seen.fail(std::string("it needs a human: ") + sotto_status_text(status));
        } else if (sotto_advance_far(client(), epoch_) != SOTTO_OK) {
            seen.fail("the epoch went backward");
        }
        seen.check_account(*client(), epoch_);
        whatever(sotto_resume(client()));
        if (forgets_requests) {
            device_.state.head.request_serial = 0;
        }
        waiting_serial_ = 0;
    }
    // It is told to forget, or can't start and forgets, while one load fails; then power goes.
    void forget(bool is_started_anew, size_t failing_load, size_t cut_store) {
        const size_t byte = storage.cut_byte;
        measure();
        give_out(false); // the newest copy knows of a charge that the other does not
        storage.switch_on();
        storage.failing_load = failing_load;
        if (is_started_anew) {
            device_ = {};
            (void)begin();
        }
        storage.stores = 0;
        storage.cut_store = cut_store;
        storage.cut_byte = byte;
        sotto_status status = SOTTO_ERR_STORAGE;
        for (int i = 0; i < 3 && storage.has_power && status == SOTTO_ERR_STORAGE; ++i) {
            status = sotto_wipe(client());
        }
        if (storage.has_power && status != SOTTO_OK) {
            seen.fail(std::string("it could not forget: ") + sotto_status_text(status));
        }
    }
    // Both copies rot, it is told to forget, and power goes meanwhile, once: old requests come
    // again.
    void forget_what_rotted(size_t cut_store) {
        ask(newest_serial_ < serials ? ++newest_serial_ : serials);
        give_out(false);
        kept_serial_ = std::max(kept_serial_, waiting_serial_);
        for (const uint32_t slot : {SOTTO_SLOT_STATE_A, SOTTO_SLOT_STATE_B}) {
            std::vector<uint8_t> &bytes = storage.slots[slot];
            if (!bytes.empty()) {
                bytes[bytes.size() / 2] ^= 1;
            }
        }
        for (size_t cut : {cut_store, SIZE_MAX}) {
            storage.switch_on();
            device_ = {};
            if (!begin()) {
                storage.stores = 0;
                storage.cut_store = cut;
                whatever(sotto_wipe(client()));
            }
        }
        reboot();
        const uint32_t newest = newest_serial_;
        for (uint32_t serial = 1; serial <= newest; ++serial) {
            ask(serial);
        }
    }
    void finish() {
        for (int i = 0; i < 4; ++i) {
            give_out(false);
        }
        seen.check_budgets();
        seen.check_account(*client(), epoch_);
    }

    cut_storage storage;
    published seen;
    bool forgets_requests = false; // what the test must notice
    uint32_t obeyed = 0;           // requests that changed something
    bool begin() {
        waiting_serial_ = 0;
        const sotto_status status = budgets_init(&device_, &port_);
        return status == SOTTO_OK && sotto_advance_far(client(), epoch_) == SOTTO_OK;
    }

  private:
    sotto_client *client() { return &device_.client; }
    uint32_t roll(uint32_t sides) { return static_cast<uint32_t>(dice_() % sides); }

    void step() {
        switch (roll(18)) {
        case 0:
        case 1:
        case 2:
            epoch_ += 1 + (roll(8) == 0 ? roll(9) : 0);
            if (const sotto_status status = sotto_advance(client(), epoch_);
                status != SOTTO_OK && status != SOTTO_ERR_STORAGE) {
                seen.fail("an epoch was refused");
            }
            break;
        case 3:
        case 4:
        case 5:
        case 6:
        case 7:
            measure();
            break;
        case 8:
        case 9:
        case 10:
            relax();
            break;
        case 11:
        case 12:
            give_out(false);
            break;
        case 13:
            give_out(true);
            break;
        case 14:
            whatever(sotto_acknowledge(client()));
            break;
        case 15:
            ask(newest_serial_ < serials ? ++newest_serial_ : serials);
            break;
        case 16:
            ask(1 + roll(serials) % (newest_serial_ + 1)); // an old one, mostly
            break;
        default:
            rare();
        }
    }
    void measure() {
        switch (roll(5)) {
        case 0:
            whatever(sotto_report_boolean(client(), BUDGETS_DOOR, roll(2) != 0));
            break;
        case 1:
            whatever(sotto_report_category(client(), BUDGETS_ROOM, roll(5)));
            break;
        case 2:
            whatever(sotto_report_integer(client(), BUDGETS_POWER, static_cast<int32_t>(roll(21))));
            break;
        case 3:
            whatever(sotto_report_string(client(), BUDGETS_APP, roll(2) != 0 ? "maps" : "mail", 4));
            break;
        default:
            whatever(sotto_report_boolean(client(), BUDGETS_ALARM, true));
        }
    }
    void relax() {
        sotto_release_info info{};
        if (sotto_get_release(client(), roll(8), &info) == SOTTO_OK) {
            if (info.metric_id == BUDGETS_ALARM && info.level > 0) {
                whatever(sotto_acknowledge(client()));
                whatever(sotto_extend_boolean(client(), BUDGETS_ALARM, info.epoch, true));
            }
            whatever(sotto_relax(client(), info.metric_id, info.epoch,
                                 static_cast<uint8_t>(info.level + 1)));
        }
    }
    void ask(uint32_t serial) {
        const std::string &bytes = signed_request(serial);
        sotto_request_result result{};
        const sotto_status status =
            sotto_request(client(), reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(),
                          nullptr, nullptr, &result);
        if (status == SOTTO_OK && serial <= kept_serial_) {
            seen.fail("a request was obeyed again");
        }
        if (status == SOTTO_OK) {
            waiting_serial_ = serial;
            obeyed += result.relaxed > 0 ? 1 : 0;
        } else if (status == SOTTO_ERR_REQUEST_INVALID || status == SOTTO_ERR_REQUEST_NOT_ALLOWED) {
            seen.fail(std::string("a request was refused: ") + sotto_status_text(status));
        }
    }
    void give_out(bool again) {
        std::array<uint8_t, 1024> buffer{};
        size_t length = 0;
        const size_t capacity = roll(3) == 0 ? 160 : buffer.size();
        const sotto_status status = again ? sotto_resend(client(), buffer.data(), capacity, &length)
                                          : sotto_flush(client(), buffer.data(), capacity, &length);
        if (status == SOTTO_OK && length > 0) {
            seen.add(buffer.data(), length);
            if (!again) { // was stored, and what was asked for with it
                kept_serial_ = std::max(kept_serial_, waiting_serial_);
            }
        }
    }
    void rare() {
        sotto_release_info info{};
        switch (roll(6)) {
        case 0:
            whatever(sotto_pause(client()));
            whatever(sotto_resume(client()));
            break;
        case 1:
            if (sotto_get_release(client(), 0, &info) == SOTTO_OK) {
                whatever(sotto_close(client(), info.metric_id, info.epoch));
            }
            break;
        case 2:
            if (sotto_wipe(client()) == SOTTO_OK && !begin() && storage.has_power &&
                storage.failing_store == SIZE_MAX) {
                seen.fail("a wiped device did not start");
            }
            break;
        default:
            if (storage.has_power) { // nothing was cut, the memory is gone all the same
                reboot();
            }
        }
    }

    static int32_t read(void *context, uint8_t *bytes, size_t length_bytes) {
        auto &self = *static_cast<life *>(context);
        std::generate_n(bytes, length_bytes, [&] { return static_cast<uint8_t>(self.noise_()); });
        return static_cast<int32_t>(length_bytes);
    }

    std::mt19937 dice_, noise_;
    sotto_entropy entropy_ = {this, read, SOTTO_SOURCE_CSPRNG, 0, 0};
    sotto_port port_;
    budgets_client device_{};
    uint32_t epoch_ = 0;
    // Sent; obeyed since power came; obeyed by what was stored.
    uint32_t newest_serial_ = 0, waiting_serial_ = 0, kept_serial_ = 0;
};

constexpr int steps_before = 24, steps_after = 16;

struct counts {
    size_t stores = 0; // to cut
    uint32_t obeyed = 0;
};

// One history with one cut; what went wrong, or nothing.
std::string with_cut(uint32_t seed, size_t store, size_t byte, tear kind, bool lying = false,
                     counts *counted = nullptr, bool forgets_requests = false) {
    life one(seed);
    one.forgets_requests = forgets_requests;
    one.storage.cut_store = store;
    one.storage.cut_byte = byte;
    one.storage.kind = kind;
    one.storage.is_lying = lying;
    if (one.begin()) {
        one.live(steps_before);
    }
    const size_t stores = one.storage.stores;
    for (uint32_t i = 0; i < seed % 4; ++i) { // and again while it comes back
        one.flicker((store + i) % 5, byte * (i + 3) % 700, kind);
    }
    one.reboot();
    one.storage.failing_store = seed % 3 == 0 ? 1 + seed % 5 : SIZE_MAX;
    one.live(steps_after);
    one.reboot();
    one.finish();
    if (counted != nullptr) {
        *counted = {stores, one.obeyed};
    }
    return one.seen.wrong;
}

// One history that ends with a wipe, of which one load fails and one store is cut.
std::string with_cut_wipe(uint32_t seed, size_t load, size_t store, size_t byte, tear kind) {
    life one(seed);
    one.storage.cut_byte = byte;
    one.storage.kind = kind;
    if (one.begin()) {
        one.live(steps_before);
    }
    one.forget(seed % 4 < 2, load, store);
    one.reboot();
    one.live(steps_after);
    one.reboot();
    one.finish();
    return one.seen.wrong;
}

size_t history_count() {
    const char *text = std::getenv("SOTTO_POWER_LOSS_HISTORIES");
    return text == nullptr ? 20000 : std::strtoul(text, nullptr, 10);
}

TEST(PowerLoss, AtAnyByteOfAnyStore) {
    std::mt19937 dice(2026);
    size_t cuts = 0, obeyed = 0;
    for (uint32_t seed = 0; seed < history_count(); ++seed) {
        const size_t store = dice() % 24;
        // The ends of a state are its head and its last words: as likely as all that lies between.
        const size_t byte = dice() % 2 == 0 ? dice() % (state_bytes_max + 1) : dice() % 64;
        const auto kind = static_cast<tear>(dice() % static_cast<uint32_t>(tear::kinds));
        counts counted;
        const std::string wrong = with_cut(seed, store, byte, kind, false, &counted);
        ASSERT_EQ(wrong, "") << "seed " << seed << ", store " << store << ", byte " << byte
                             << ", kind " << static_cast<int>(kind);
        cuts += counted.stores > store ? 1 : 0;
        obeyed += counted.obeyed;
    }
    EXPECT_GT(cuts, history_count() / 4) << "hardly anything was cut";
    EXPECT_GT(obeyed, history_count() / 5) << "hardly anything was asked for";
}

// Whatever can't be read for a moment may be the newest copy.
TEST(PowerLoss, WhileItForgetsAfterALoadThatFailed) {
    std::mt19937 dice(2027);
    for (uint32_t seed = 0; seed < history_count() / 4; ++seed) {
        const size_t load = dice() % 5, store = dice() % 4;
        const size_t byte = dice() % 2 == 0 ? dice() % (state_bytes_max + 1) : dice() % 64;
        const auto kind = static_cast<tear>(dice() % static_cast<uint32_t>(tear::kinds));
        ASSERT_EQ(with_cut_wipe(seed, load, store, byte, kind), "")
            << "seed " << seed << ", load " << load << ", store " << store << ", byte " << byte
            << ", kind " << static_cast<int>(kind);
    }
}

// Nobody knows then which requests it obeyed.
TEST(PowerLoss, WhileItForgetsAStateThatRotted) {
    std::mt19937 dice(2028);
    for (uint32_t seed = 0; seed < history_count() / 20; ++seed) {
        life one(seed);
        one.storage.cut_byte = dice() % (state_bytes_max + 1);
        one.storage.kind = static_cast<tear>(dice() % static_cast<uint32_t>(tear::kinds));
        if (one.begin()) {
            one.live(steps_before);
        }
        one.forget_what_rotted(dice() % 4);
        one.finish();
        ASSERT_EQ(one.seen.wrong, "") << "seed " << seed;
    }
}

// The first stores of a device are its birth, and one is its first flush.
TEST(PowerLoss, AtEveryByteOfTheFirstStores) {
    for (size_t store = 0; store < 10; ++store) {
        for (size_t byte = 0; byte <= state_bytes_max; ++byte) {
            for (size_t kind = 0; kind < static_cast<size_t>(tear::kinds); ++kind) {
                ASSERT_EQ(with_cut(7, store, byte, static_cast<tear>(kind)), "")
                    << "store " << store << ", byte " << byte << ", kind " << kind;
            }
        }
    }
}

// The control: storage that says "durable" before it is.
TEST(PowerLoss, StorageThatLiesIsNoticed) {
    size_t noticed = 0;
    for (uint32_t seed = 0; seed < 4000; seed += 2) { // without a counter
        noticed += with_cut(seed, 3 + seed % 9, 0, tear::overwritten, true).empty() ? 0 : 1;
    }
    EXPECT_GT(noticed, 20u);
}

// The control: a device that forgets with its power which requests it has obeyed.
TEST(PowerLoss, RequestsObeyedAgainAreNoticed) {
    size_t noticed = 0;
    for (uint32_t seed = 0; seed < 1000; ++seed) {
        const std::string wrong =
            with_cut(seed, 3 + seed % 9, 0, tear::overwritten, false, nullptr, true);
        noticed += wrong == "a request was obeyed again" ? 1 : 0;
    }
    EXPECT_GT(noticed, 20u);
}

} // namespace
