// SPDX-License-Identifier: Apache-2.0
#include "client/adopt.hpp"

#include "client/account.hpp"
#include "client/internal.hpp"
#include "client/registry_check.hpp"
#include "client/stored.hpp"

namespace sotto::device {
namespace {

uint32_t window_of(const sotto_registry &registry, const sotto_metric *metric) {
    return metric == nullptr ? registry.window_epochs : metric->window_epochs;
}

uint32_t budget_of(const sotto_registry &registry, const sotto_metric *metric) {
    return metric == nullptr ? registry.budget : metric->budget;
}

// The accounts of another registry, as they are brought into ours, in place: they may reach into
// the memory of the releases, of which nothing stays.
class accounts_of_another {
  public:
    explicit accounts_of_another(const sotto_client &client)
        : client_(client), used_(client.memory.head->account_words),
          room_(
              static_cast<uint32_t>((state_bytes(client.memory) - sizeof(sotto_state_head)) / 4)) {}

    sotto_status adopt() {
        sotto_status status = check();
        if (status == SOTTO_OK) {
            resize_all(false);
            resize_all(true); // now that there is room for it
            status = append_missing();
        }
        if (status == SOTTO_OK && used_ != client_.memory.account_words) {
            status = SOTTO_ERR_STATE_CORRUPT;
        }
        return status;
    }

    // Are these accounts, one of the device first, and of metrics that are still what they were?
    sotto_status check() const {
        uint32_t place = 0;
        while (place < used_) {
            if (used_ > room_ || used_ - place < account::words(0, 0) ||
                at(place).words() > used_ - place ||
                at(place).window_epochs() > window_epochs_max ||
                (at(place).metric_id() == device_id) != (place == 0) || is_there_before(place)) {
                return SOTTO_ERR_STATE_CORRUPT;
            }
            const account a = at(place);
            const sotto_metric *metric = metric_of(a);
            if (place > 0 && (metric == nullptr || a.fingerprint() != metric->fingerprint)) {
                return SOTTO_ERR_METRIC_CHANGED;
            }
            if (a.tag_count() != (metric == nullptr ? 0 : value_tags_of(*metric))) {
                return SOTTO_ERR_STATE_CORRUPT;
            }
            place += a.words();
        }
        return used_ > 0 ? SOTTO_OK : SOTTO_ERR_STATE_CORRUPT;
    }

  private:
    account at(uint32_t place) const { return account(client_.memory.accounts + place); }
    const sotto_metric *metric_of(const account &a) const {
        return find(*client_.registry, a.metric_id());
    }
    bool is_there_before(uint32_t place) const {
        uint32_t other = 0;
        while (other < place && at(other).metric_id() != at(place).metric_id()) {
            other += at(other).words();
        }
        return other < place;
    }

    // Windows may have changed. What a longer one should know and does not counts as spent.
    void resize_all(bool is_longer) {
        for (uint32_t place = 0; place < used_; place += at(place).words()) {
            const account a = at(place);
            const sotto_metric *metric = metric_of(a);
            const uint32_t window = window_of(*client_.registry, metric);
            if (window == a.window_epochs() || (window > a.window_epochs()) != is_longer) {
                continue;
            }
            const uint32_t slots = ledger::slot_count(a.window_epochs());
            const uint32_t wanted = ledger::slot_count(window);
            const uint32_t first = static_cast<uint32_t>(a.slots() - client_.memory.accounts);
            move(first + slots, first + wanted);
            for (uint32_t i = slots; i < wanted; ++i) {
                a.slots()[i] = budget_of(*client_.registry, metric);
            }
            a.set_window(window);
        }
    }

    sotto_status append_missing() {
        const sotto_registry &registry = *client_.registry;
        for (uint16_t i = 0; i < registry.metric_count; ++i) {
            const sotto_metric &metric = registry.metrics[i];
            uint32_t place = 0;
            while (place < used_ && at(place).metric_id() != metric.id) {
                place += at(place).words();
            }
            if (place < used_) {
                continue;
            }
            if (account_words(registry, &metric) > client_.memory.account_words - used_) {
                return SOTTO_ERR_STATE_CORRUPT;
            }
            append_account(client_, &metric, used_);
            used_ += account_words(registry, &metric);
        }
        return SOTTO_OK;
    }

    // Moves all that stands from a place on to another.
    void move(uint32_t from, uint32_t to) {
        uint32_t *words = client_.memory.accounts;
        const uint32_t count = used_ - from;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t k = from < to ? count - 1 - i : i;
            words[to + k] = words[from + k];
        }
        used_ = to + count;
    }

    const sotto_client &client_;
    uint32_t used_;
    uint32_t room_;
};

} // namespace

uint32_t account_words(const sotto_registry &registry, const sotto_metric *metric) {
    return account::words(window_of(registry, metric),
                          metric == nullptr ? 0 : value_tags_of(*metric));
}

void append_account(const sotto_client &client, const sotto_metric *metric, uint32_t at) {
    const account a(client.memory.accounts + at);
    a.begin(metric == nullptr ? device_id : metric->id, window_of(*client.registry, metric),
            metric == nullptr ? 0 : metric->fingerprint,
            metric == nullptr ? 0 : value_tags_of(*metric));
}

// Of this registry: are the releases such as it has?
static bool are_releases(const sotto_client &client) {
    for (uint32_t i = 0; i < client.memory.release_capacity; ++i) {
        const sotto_release &release = client.memory.releases[i];
        if (!is_open(release)) {
            continue;
        }
        if (release.metric_index >= client.registry->metric_count ||
            release.epoch > client.memory.head->epoch) {
            return false;
        }
        const sotto_metric &m = client.registry->metrics[release.metric_index];
        const uint32_t levels = uint32_t{m.level_count} + m.forward_count;
        const uint32_t named = uint32_t{release.pending} | release.batch | release.batch_before;
        if (release.level >= levels || named >> levels != 0) {
            return false;
        }
    }
    return true;
}

sotto_status adopt_state(sotto_client &client) {
    sotto_state_head &head = *client.memory.head;
    accounts_of_another accounts(client);
    if (head.registry == client.registry->fingerprint &&
        head.account_words == client.memory.account_words &&
        head.release_shape == release_shape(client.memory)) {
        const sotto_status status = accounts.check();
        return status == SOTTO_OK && !are_releases(client) ? sotto_status{SOTTO_ERR_STATE_CORRUPT}
                                                           : status;
    }
    const sotto_status status = accounts.adopt();
    if (status == SOTTO_OK) {
        uint8_t *releases = reinterpret_cast<uint8_t *>(client.memory.releases);
        const size_t before = static_cast<size_t>(releases - state_data(client.memory));
        crypto::wipe(releases, state_bytes(client.memory) - before);
    }
    return status;
}

} // namespace sotto::device
