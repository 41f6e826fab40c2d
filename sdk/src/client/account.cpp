// SPDX-License-Identifier: Apache-2.0
#include "client/account.hpp"

#include "client/client_code.hpp"
#include "client/entry.hpp"
#include "client/internal.hpp"
#include "privacy/ledger.hpp"

namespace sotto::device {
namespace {

struct limit {
    uint32_t window, budget;
};

// The limit of a metric, or of the device (null), as in all that follows.
limit limit_of(const sotto_client &client, const sotto_metric *metric) {
    const sotto_registry &registry = *client.registry;
    return metric == nullptr ? limit{registry.window_epochs, registry.budget}
                             : limit{metric->window_epochs, metric->budget};
}

// The cost in one account, without the others' part of the device's.
uint64_t cost_of(const sotto_client &client, const sotto_metric *metric, uint32_t newest,
                 uint32_t epochs) {
    const uint16_t id = metric == nullptr ? device_id : metric->id;
    const uint32_t *slots = account_of(client, id).slots() + newest;
    const lasting_noise *lasting = metric == nullptr ? nullptr : lasting_of(*metric);
    return lasting == nullptr ? ledger::sum(slots, epochs) : lasting->cost(*metric, slots, epochs);
}

// The cost of so many epochs, the last of them `newest` before the present one.
uint64_t window_cost(const sotto_client &client, const sotto_metric *metric, uint32_t newest,
                     uint32_t epochs) {
    uint64_t total = cost_of(client, metric, newest, epochs);
    for (uint16_t i = 0; metric == nullptr && i < client.registry->metric_count; ++i) {
        const sotto_metric &sharer = client.registry->metrics[i];
        total += lasting_of(sharer) == nullptr ? 0 : cost_of(client, &sharer, newest, epochs);
    }
    return total;
}

bool is_kept(const sotto_client &client, const sotto_metric *metric, uint32_t age) {
    const limit bound = limit_of(client, metric);
    return ledger::is_kept(bound.window, bound.budget, age, [&](uint32_t newest, uint32_t epochs) {
        return window_cost(client, metric, newest, epochs);
    });
}

uint32_t frees_in(const sotto_client &client, const sotto_metric *metric) {
    const limit bound = limit_of(client, metric);
    return ledger::frees_in(bound.window, bound.budget, [&](uint32_t newest, uint32_t epochs) {
        return window_cost(client, metric, newest, epochs);
    });
}

// The place of the account behind one, 0 behind the last: room that is left begins with zeros.
uint32_t place_behind(const sotto_client &client, uint32_t place) {
    const uint32_t next = place + account(client.memory.accounts + place).words();
    const bool is_there = next < client.memory.account_words && client.memory.accounts[next] != 0;
    return is_there ? next : 0;
}

// Also accounts of metrics that the registry does not have.
template <typename Visit> void for_each_account(const sotto_client &client, Visit visit) {
    uint32_t place = 0;
    do {
        visit(account(client.memory.accounts + place));
        place = place_behind(client, place);
    } while (place != 0);
}

// The epochs until one more measurement fits both budgets: room only grows while nothing is spent.
uint32_t epochs_to_measure(const sotto_client &client, const sotto_metric &metric) {
    charge attempt(client, metric, 0);
    attempt.add(0, 1);
    const uint32_t own = frees_in(client, &metric), device = frees_in(client, nullptr);
    return own > device ? own : device;
}

uint32_t later(uint32_t epoch, uint32_t epochs) {
    return epochs < no_epoch - epoch ? epoch + epochs : no_epoch;
}

uint32_t free_epoch(const sotto_client &client, const sotto_metric &metric) {
    const uint32_t now = client.memory.head->epoch;
    const account a = account_of(client, metric.id);
    const bool is_done = a.last_epoch() == now && a.times() >= metric.per_epoch;
    const uint32_t wait = epochs_to_measure(client, metric);
    return later(now, wait == 0 && is_done ? 1 : wait);
}

} // namespace

void account::begin(uint16_t metric_id, uint32_t window_epochs, uint32_t fingerprint,
                    uint32_t state_words) const {
    row_[0] = metric_id | window_epochs << 16;
    row_[1] = fingerprint;
    row_[2] = no_epoch;
    row_[3] = 0;
    row_[4] = state_words / 2;
    for (uint32_t i = head_words; i < words(window_epochs, state_words); ++i) {
        row_[i] = 0;
    }
}

// By halves: a registry that was checked has its ids in order.
const sotto_metric *find(const sotto_registry &registry, uint16_t metric_id) {
    uint32_t first = 0, end = registry.metric_count;
    while (first < end) {
        const uint32_t middle = (first + end) / 2;
        const sotto_metric &metric = registry.metrics[middle];
        if (metric.id == metric_id) {
            return &metric;
        }
        if (metric.id < metric_id) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return nullptr;
}

// From where the last was found: calls for metrics in the registry's order step to the next.
account account_of(const sotto_client &client, uint16_t metric_id) {
    uint32_t *const first = client.memory.accounts;
    if (metric_id == device_id) {
        return account(first);
    }
    uint16_t &place = const_cast<sotto_client &>(client).account_place; // no client is ever const
    while (account(first + place).metric_id() != metric_id) {
        place = static_cast<uint16_t>(place_behind(client, place));
    }
    return account(first + place);
}

charge::charge(const sotto_client &client, const sotto_metric &metric, uint32_t age)
    : client_(client), metric_(metric), lasting_(lasting_of(metric)), age_(age) {
    slot_[0] = slot_of(metric.id);
    slot_[1] = lasting_ == nullptr ? slot_of(device_id) : &nothing_;
    keep();
}

uint32_t *charge::slot_of(uint16_t id) {
    const account a = account_of(client_, id);
    return age_ < ledger::slot_count(a.window_epochs()) ? a.slots() + age_ : &nothing_;
}

charge::~charge() {
    *slot_[0] = before_[0];
    *slot_[1] = before_[1];
}

void charge::add(uint32_t paid, uint32_t levels) {
    if (lasting_ != nullptr) {
        *slot_[0] = lasting_->charged(*slot_[0], paid == 0 ? 1 : 0, levels - 1);
        return;
    }
    const uint32_t cost = metric_.cost[levels - 1] - (paid == 0 ? 0 : metric_.cost[paid - 1]);
    ledger::add(*slot_[0], cost);
    ledger::add(*slot_[1], cost);
}

bool charge::fits() const {
    return is_kept(client_, &metric_, age_) && is_kept(client_, nullptr, age_);
}

void charge::keep() {
    before_[0] = *slot_[0];
    before_[1] = *slot_[1];
}

void pass_epochs(const sotto_client &client, uint32_t epochs) {
    for_each_account(
        client, [&](const account &a) { ledger::advance(a.slots(), a.window_epochs(), epochs); });
}

bool is_unmeasured(const sotto_client &client) {
    bool is_new = (client.memory.head->flags & flag_spent) == 0;
    for_each_account(client,
                     [&](const account &a) { is_new = is_new && a.last_epoch() == no_epoch; });
    return is_new;
}

void spend(const sotto_client &client, const account &a) {
    a.set_measured(client.memory.head->epoch, UINT8_MAX);
    ledger::exhaust(a.slots(), a.window_epochs());
}

void spend_everything(const sotto_client &client) {
    for_each_account(client, [&](const account &a) { spend(client, a); });
}

} // namespace sotto::device

using namespace sotto;
using namespace sotto::device;

[[gnu::noinline]] const lasting_noise *sotto::lasting_of(const sotto_metric &metric) {
    return metric.client == nullptr ? nullptr : metric.client->lasting;
}

extern "C" sotto_status sotto_get_account(const sotto_client *client, uint16_t metric_id,
                                          sotto_account *answer) {
    const entry call(client);
    if (call.status() != SOTTO_OK) {
        return call.status();
    }
    if (answer == nullptr) {
        return SOTTO_ERR_ARGUMENT;
    }
    const sotto_registry &registry = *client->registry;
    const sotto_metric *metric = find(registry, metric_id);
    if (metric == nullptr && metric_id != device_id) {
        return SOTTO_ERR_UNKNOWN_METRIC;
    }
    if (client->memory.head->epoch == no_epoch) {
        return SOTTO_ERR_NO_EPOCH;
    }
    const account a = account_of(*client, metric_id);
    const limit bound = limit_of(*client, metric);
    const uint64_t spent = window_cost(*client, metric, 0, bound.window);
    *answer = {};
    answer->budget = bound.budget;
    answer->spent = spent < UINT32_MAX ? static_cast<uint32_t>(spent) : UINT32_MAX;
    if (metric != nullptr) {
        answer->measured = a.measured();
        answer->last_epoch = a.last_epoch();
        answer->free_epoch = free_epoch(*client, *metric);
        return SOTTO_OK;
    }
    answer->free_epoch = no_epoch;
    for (uint16_t i = 0; i < registry.metric_count; ++i) {
        const uint32_t epoch = free_epoch(*client, registry.metrics[i]);
        answer->free_epoch = epoch < answer->free_epoch ? epoch : answer->free_epoch;
    }
    return SOTTO_OK;
}
