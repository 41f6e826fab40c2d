// SPDX-License-Identifier: Apache-2.0
#ifndef LIFE_HPP
#define LIFE_HPP

#include "asked.hpp"
#include "cut_storage.hpp"
#include "published.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

inline void whatever(sotto_status) {} // a refusal is as good as an answer here

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
        const auto thief = std::exchange(storage.steals, nullptr);
        storage.switch_on();
        device_ = {};
        const sotto_status status = start();
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
        storage.steals = thief;
    }
    // It starts, or not, with what somebody put into its slots, and says again what it finds there.
    sotto_status start_with_what_is_there() {
        storage.switch_on();
        device_ = {};
        waiting_serial_ = 0;
        const sotto_status status = start();
        if (status == SOTTO_OK && sotto_advance_far(client(), epoch_) == SOTTO_OK) {
            seen.check_account(*client(), epoch_);
            give_out(true);
        }
        return status;
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
    bool forgets_requests = false; // a planted fault: the test must notice it
    bool changes_firmware = false; // at a start, one may lack a metric
    uint32_t obeyed = 0;           // requests that changed something
    bool begin() {
        waiting_serial_ = 0;
        const sotto_status status = start();
        return status == SOTTO_OK && sotto_advance_far(client(), epoch_) == SOTTO_OK;
    }

  private:
    sotto_client *client() { return &device_.client; }
    uint32_t roll(uint32_t sides) { return static_cast<uint32_t>(dice_() % sides); }

    // A firmware that lacks a metric keeps the account of it.
    sotto_status start() {
        const uint16_t missing[] = {0, BUDGETS_DOOR, BUDGETS_APP};
        const uint16_t id = changes_firmware ? missing[roll(3)] : uint16_t{0};
        const sotto_metric *const metrics = budgets_registry.metrics;
        metrics_.clear();
        std::copy_if(metrics, metrics + budgets_registry.metric_count, std::back_inserter(metrics_),
                     [&](const sotto_metric &metric) { return metric.id != id; });
        registry_ = budgets_registry;
        registry_.metrics = metrics_.data();
        registry_.metric_count = static_cast<uint16_t>(metrics_.size());
        registry_.fingerprint += id;
        auto &state = device_.state;
        const sotto_memory memory = {&state.head,
                                     state.accounts,
                                     state.releases,
                                     state.words,
                                     device_.work,
                                     device_.random,
                                     std::extent_v<decltype(state.accounts)>,
                                     std::extent_v<decltype(state.releases)>,
                                     1,
                                     sizeof device_.random,
                                     0,
                                     nullptr};
        return sotto_init(client(), &registry_, &port_, &memory);
    }

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
        if (registry_.fingerprint != budgets_registry.fingerprint) {
            return; // it is of another registry
        }
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
            seen.add(buffer.data(), length, registry_);
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
                storage.failing_store == SIZE_MAX && !storage.steals) {
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
    std::vector<sotto_metric> metrics_;
    sotto_registry registry_ = budgets_registry;
    uint32_t epoch_ = 0;
    // Sent; obeyed since power came; obeyed by what was stored.
    uint32_t newest_serial_ = 0, waiting_serial_ = 0, kept_serial_ = 0;
};

#endif
