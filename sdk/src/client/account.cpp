// SPDX-License-Identifier: Apache-2.0
#include "client/account.hpp"

#include "client/entry.hpp"
#include "client/internal.hpp"
#include "privacy/ledger.hpp"

namespace sotto::device {
namespace {

// RAPPOR that remembers values: what `reports` of them have cost in all, levels up to `level`.
uint32_t permanent_cost(const sotto_metric &metric, uint32_t level, uint32_t reports) {
    const uint32_t last = metric.cost_reports;
    const uint32_t n = reports < last ? reports : last;
    return n == 0 ? 0 : metric.cost[level * last + n - 1];
}

uint32_t budget_of(const sotto_client &client, uint16_t metric_id) {
    if (metric_id == device_id) {
        return client.registry->budget;
    }
    return find(*client.registry, metric_id)->budget;
}

template <typename Visit> void for_each_account(const sotto_client &client, Visit visit) {
    uint32_t *row = client.memory.accounts;
    for (uint32_t i = 0; i <= client.registry->metric_count; ++i) {
        const account a(row);
        visit(a);
        row += a.words();
    }
}

bool has_room(const account &a, uint32_t budget, uint32_t age, uint32_t cost) {
    return ledger::can_spend(a.slots(), a.window_epochs(), budget, age, cost);
}

// The epochs until one more measurement fits both budgets: room only grows while nothing is spent.
uint32_t epochs_to_measure(const sotto_client &client, const sotto_metric &metric) {
    const uint32_t cost = cost_of_measuring(client, metric);
    const account a = account_of(client, metric.id), d = account_of(client, device_id);
    const uint32_t own = ledger::frees_in(a.slots(), a.window_epochs(), metric.budget, cost);
    const uint32_t all =
        ledger::frees_in(d.slots(), d.window_epochs(), client.registry->budget, cost);
    return own > all ? own : all;
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
                    uint32_t tag_count) const {
    row_[0] = metric_id | window_epochs << 16;
    row_[1] = fingerprint;
    row_[2] = no_epoch;
    row_[3] = 0;
    row_[4] = tag_count;
    for (uint32_t i = head_words; i < words(window_epochs, tag_count); ++i) {
        row_[i] = 0;
    }
}

const sotto_metric *find(const sotto_registry &registry, uint16_t metric_id) {
    for (uint16_t i = 0; i < registry.metric_count; ++i) {
        if (registry.metrics[i].id == metric_id) {
            return &registry.metrics[i];
        }
    }
    return nullptr;
}

account account_of(const sotto_client &client, uint16_t metric_id) {
    account a(client.memory.accounts);
    for (uint32_t at = 0; a.metric_id() != metric_id; a = account(client.memory.accounts + at)) {
        at += a.words();
    }
    return a;
}

bool can_spend(const sotto_client &client, const sotto_metric &metric, uint32_t age,
               uint32_t cost) {
    return has_room(account_of(client, metric.id), metric.budget, age, cost) &&
           has_room(account_of(client, device_id), client.registry->budget, age, cost);
}

bool spend(const sotto_client &client, const sotto_metric &metric, uint32_t age, uint32_t cost) {
    const account a = account_of(client, metric.id), d = account_of(client, device_id);
    return can_spend(client, metric, age, cost) &&
           ledger::spend(a.slots(), a.window_epochs(), metric.budget, age, cost) &&
           ledger::spend(d.slots(), d.window_epochs(), client.registry->budget, age, cost);
}

uint32_t cost_of_measuring(const sotto_client &client, const sotto_metric &metric) {
    if (metric.cost_reports == 0) {
        return metric.cost[0];
    }
    const account a = account_of(client, metric.id);
    const uint32_t reports = a.measured();
    return permanent_cost(metric, a.level(), reports == UINT32_MAX ? reports : reports + 1) -
           permanent_cost(metric, a.level(), reports);
}

uint32_t cost_of_raising(const sotto_client &client, const sotto_metric &metric, uint32_t from,
                         uint32_t to) {
    if (metric.cost_reports == 0) {
        return metric.cost[to] - metric.cost[from];
    }
    const account a = account_of(client, metric.id);
    const uint32_t level = to > a.level() ? to : a.level();
    return permanent_cost(metric, level, a.measured()) -
           permanent_cost(metric, a.level(), a.measured());
}

void pass_epochs(const sotto_client &client, uint32_t epochs) {
    for_each_account(
        client, [&](const account &a) { ledger::advance(a.slots(), a.window_epochs(), epochs); });
}

void spend_everything(const sotto_client &client) {
    for_each_account(client, [&](const account &a) {
        a.set_measured(client.memory.head->epoch, UINT8_MAX);
        ledger::exhaust(a.slots(), a.window_epochs());
    });
}

} // namespace sotto::device

using namespace sotto;
using namespace sotto::device;

extern "C" sotto_status sotto_get_account(const sotto_client *client, uint16_t metric_id,
                                          sotto_account *to) {
    const entry call(client);
    if (call.status() != SOTTO_OK) {
        return call.status();
    }
    if (to == nullptr) {
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
    *to = {};
    to->budget = budget_of(*client, metric_id);
    for (uint32_t i = 0; i < a.window_epochs(); ++i) {
        const uint32_t more = a.slots()[i];
        to->spent += more < UINT32_MAX - to->spent ? more : UINT32_MAX - to->spent;
    }
    if (metric != nullptr) {
        to->measured = a.measured();
        to->last_epoch = a.last_epoch();
        to->free_epoch = free_epoch(*client, *metric);
        return SOTTO_OK;
    }
    to->free_epoch = no_epoch;
    for (uint16_t i = 0; i < registry.metric_count; ++i) {
        const uint32_t epoch = free_epoch(*client, registry.metrics[i]);
        to->free_epoch = epoch < to->free_epoch ? epoch : to->free_epoch;
    }
    return SOTTO_OK;
}
