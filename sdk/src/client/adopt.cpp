// SPDX-License-Identifier: Apache-2.0
#include "client/adopt.hpp"

#include "client/account.hpp"
#include "client/client_code.hpp"
#include "client/internal.hpp"
#include "client/registry_check.hpp"
#include "client/stored.hpp"

namespace sotto::device {
namespace {

// Slots of an account: releases that share their noise keep the device's budget in it as well.
uint32_t window_of(const sotto_registry &registry, const sotto_metric *metric) {
    if (metric == nullptr) {
        return registry.window_epochs;
    }
    const uint32_t own = metric->window_epochs;
    return lasting_of(*metric) != nullptr && registry.window_epochs > own ? registry.window_epochs
                                                                          : own;
}

uint32_t levels_of(const sotto_metric &metric) {
    return uint32_t{metric.level_count} + metric.forward_count;
}

// The definition of a metric with all its levels.
uint32_t fingerprint_of(const sotto_metric *metric) {
    if (metric == nullptr) {
        return 0;
    }
    return metric->forward_count == 0 ? metric->fingerprint
                                      : metric->forward_fingerprint[metric->forward_count - 1];
}

// A new account of a metric, or of the device (null), `at` words behind the first.
void append_account(const sotto_client &client, const sotto_metric *metric, uint32_t at) {
    const account a(client.memory.accounts + at);
    a.begin(metric == nullptr ? device_id : metric->id, window_of(*client.registry, metric),
            fingerprint_of(metric), metric == nullptr ? 0 : state_words_of(*metric));
}

// A state of this registry or an older one, as it is brought into ours, in place.
class adopted {
  public:
    // So many words of accounts are there.
    adopted(sotto_client &client, uint32_t words)
        : client_(client), before_(words), used_(words),
          room_(
              static_cast<uint32_t>((state_bytes(client.memory) - sizeof(sotto_state_head)) / 4)) {}

    sotto_status adopt(uint32_t needed) {
        sotto_status status = check(needed);
        if (status == SOTTO_OK) {
            resize_all(false);
            move_releases();
            resize_all(true); // now that there is room for it
            const uint32_t known = used_;
            append_missing();
            // A state of this very registry has all of them.
            if (used_ != known && client_.memory.head->registry == client_.registry->fingerprint) {
                status = SOTTO_ERR_STATE_CORRUPT;
            }
            wipe_words(client_.memory.accounts + used_, client_.memory.account_words - used_);
        }
        if (status == SOTTO_OK && !are_releases()) {
            status = SOTTO_ERR_STATE_CORRUPT;
        }
        return status;
    }

    void append_missing() {
        const sotto_registry &registry = *client_.registry;
        for (uint16_t i = 0; i < registry.metric_count; ++i) {
            const sotto_metric &metric = registry.metrics[i];
            if (is_there_before(used_, metric.id)) {
                continue;
            }
            append_account(client_, &metric, used_);
            if ((client_.memory.head->flags & flag_forgot) != 0) {
                spend(client_, at(used_));
            }
            used_ += at(used_).words();
        }
    }

  private:
    // Are these accounts, one of the device first, and of metrics that are what they were? Accounts
    // of metrics that this registry does not have stay as they are, where there is room for them.
    sotto_status check(uint32_t needed) {
        if (used_ == 0 || used_ > room_) {
            return SOTTO_ERR_STATE_CORRUPT;
        }
        uint32_t place = 0;
        // Room that nothing is in begins with zeros.
        while (place < used_ && (place == 0 || client_.memory.accounts[place] != 0)) {
            if (used_ - place < account::words(0, 0) || at(place).state_words() > used_ ||
                at(place).words() > used_ - place ||
                at(place).window_epochs() > window_epochs_max ||
                (at(place).metric_id() == device_id) != (place == 0) ||
                is_there_before(place, at(place).metric_id())) {
                return SOTTO_ERR_STATE_CORRUPT;
            }
            const account a = at(place);
            const sotto_metric *metric = metric_of(a);
            if (metric != nullptr && !is_of(*metric, a.fingerprint())) {
                return SOTTO_ERR_METRIC_CHANGED;
            }
            if (metric == nullptr && place > 0) {
                needed += a.words();
            } else if (!a.has_state(metric == nullptr ? 0 : state_words_of(*metric))) {
                return SOTTO_ERR_STATE_CORRUPT;
            }
            place += a.words();
        }
        used_ = place;
        return needed > client_.memory.account_words ? SOTTO_ERR_METRIC_CHANGED : SOTTO_OK;
    }

    account at(uint32_t place) const { return account(client_.memory.accounts + place); }
    const sotto_metric *metric_of(const account &a) const {
        return find(*client_.registry, a.metric_id());
    }
    bool is_there_before(uint32_t place, uint16_t metric_id) const {
        uint32_t other = 0;
        while (other < place && at(other).metric_id() != metric_id) {
            other += at(other).words();
        }
        return other < place;
    }

    // Windows may have changed. Epochs that a longer one should know and does not count as spent.
    void resize_all(bool is_longer) {
        for (uint32_t place = 0; place < used_; place += at(place).words()) {
            const account a = at(place);
            const sotto_metric *metric = metric_of(a);
            const uint32_t slots = ledger::slot_count(a.window_epochs());
            if (place > 0 && metric == nullptr) {
                spend_for(a);
                continue;
            }
            const uint32_t window = window_of(*client_.registry, metric);
            a.set_fingerprint(fingerprint_of(metric));
            const uint32_t wanted = ledger::slot_count(window);
            if (wanted == slots || (wanted > slots) != is_longer) {
                continue;
            }
            const uint32_t first = static_cast<uint32_t>(a.slots() - client_.memory.accounts);
            move(first + slots, first + wanted);
            for (uint32_t i = slots; i < wanted; ++i) {
                a.slots()[i] = ledger::exhausted;
            }
            a.set_window(window);
        }
    }

    // Where releases share noise, their cost is in their metric's account alone. Its table is not
    // here: epochs that have some are spent for the device.
    void spend_for(const account &unknown) {
        const account device = at(0);
        const uint32_t slots =
            unknown.state_words() == 0 ? 0 : ledger::slot_count(unknown.window_epochs());
        for (uint32_t i = 0; i < slots && i < ledger::slot_count(device.window_epochs()); ++i) {
            if (unknown.slots()[i] != 0) {
                device.slots()[i] = ledger::exhausted;
            }
        }
    }

    // To where they stand here, each with its words: all of them to the end first, so that nothing
    // is overwritten before it is moved. Where there is less room than there was none stays open.
    void move_releases() {
        const sotto_memory &memory = client_.memory;
        size_t count = memory.head->release_shape >> 16;
        size_t size = size_t{4} * (memory.head->release_shape & 0xffff); // a release's words
        if (count > memory.release_capacity || size > size_t{4} * memory.words_per_release ||
            count * (sizeof(sotto_release) + size) > size_t{4} * (room_ - before_)) {
            count = 0;
        }
        const size_t total_bytes = count * (sizeof(sotto_release) + size);
        uint8_t *from = reinterpret_cast<uint8_t *>(memory.accounts + room_) - total_bytes;
        const uint8_t *stored = reinterpret_cast<uint8_t *>(memory.accounts + before_);
        for (size_t i = total_bytes; i-- > 0;) {
            from[i] = stored[i];
        }
        uint8_t *place = reinterpret_cast<uint8_t *>(memory.releases);
        const auto take = [&](size_t bytes, size_t room) {
            for (size_t i = 0; i < room; ++i) {
                *place++ = i < bytes ? *from++ : uint8_t{0};
            }
        };
        take(count * sizeof(sotto_release), memory.release_capacity * sizeof(sotto_release));
        for (size_t i = 0; i < memory.release_capacity; ++i) {
            take(i < count ? size : 0, size_t{4} * memory.words_per_release);
        }
    }

    // Finds the metrics of the releases, and closes those that this registry does not have. Are the
    // others such as it has? Nothing waits in a closed place; without an epoch all are closed.
    bool are_releases() {
        for (uint32_t i = 0; i < client_.memory.release_capacity; ++i) {
            sotto_release &release = client_.memory.releases[i];
            const uint32_t named = uint32_t{release.pending} | release.batch | release.batch_before;
            if (!is_open(release) && named == 0) {
                continue;
            }
            const sotto_metric *m = find(*client_.registry, release.metric_id);
            if (is_open(release) && m == nullptr) {
                close(client_, release);
                continue;
            }
            if (!is_open(release) || release.epoch >= client_.memory.head->epoch + 1 ||
                release.level >= levels_of(*m) || named >> levels_of(*m) != 0) {
                return false;
            }
            release.metric_index = static_cast<uint16_t>(m - client_.registry->metrics);
        }
        return true;
    }

    // Moves all accounts that stand from a place on to another.
    void move(uint32_t from, uint32_t target) {
        uint32_t *words = client_.memory.accounts;
        const uint32_t count = used_ - from;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t k = from < target ? count - 1 - i : i;
            words[target + k] = words[from + k];
        }
        used_ = target + count;
    }

    sotto_client &client_;
    const uint32_t before_; // words of accounts, as stored
    uint32_t used_;
    const uint32_t room_; // words behind the head
};

} // namespace

uint32_t account_words(const sotto_registry &registry, const sotto_metric *metric) {
    return account::words(window_of(registry, metric),
                          metric == nullptr ? 0 : state_words_of(*metric));
}

void begin_accounts(sotto_client &client) {
    append_account(client, nullptr, 0);
    adopted(client, account_words(*client.registry, nullptr)).append_missing();
}

sotto_status adopt_state(sotto_client &client, uint32_t needed) {
    return adopted(client, client.memory.head->account_words).adopt(needed);
}

} // namespace sotto::device
