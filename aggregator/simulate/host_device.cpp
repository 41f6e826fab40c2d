// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/host_device.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "client/client_code.hpp"
#include "client/registry_check.hpp"
#include "report/encode.hpp"

#include "sotto_testing.h"

#include <algorithm>

// The testing port asks every program that links it to admit so. A simulation does for --seed,
// which says on standard error that what it writes is not private.
SOTTO_TEST_PROGRAM();

namespace sotto::aggregator {
namespace {

constexpr std::size_t buffer_bytes_max = std::size_t{1} << 16;

void check(sotto_status status) {
    if (status < SOTTO_OK) {
        throw environment_error(sotto_status_text(status));
    }
}

// A measurement.
struct first {
    sotto_client *client;
    std::uint16_t id;
    std::uint32_t axes; // a point's numbers; 0: none are counted by place
    bool is_quantile;

    sotto_status operator()(bool v) const { return sotto_report_boolean(client, id, v); }
    sotto_status operator()(std::uint32_t v) const { return sotto_report_category(client, id, v); }
    sotto_status operator()(const std::vector<std::uint16_t> &v) const {
        return sotto_report_set(client, id, v.data(), v.size());
    }
    sotto_status operator()(const std::string &v) const {
        return sotto_report_string(client, id, v.data(), v.size());
    }
    sotto_status operator()(std::int32_t v) const { return sotto_report_integer(client, id, v); }
    sotto_status operator()(const std::vector<std::int32_t> &v) const {
        if (is_quantile) {
            return sotto_report_quantile(client, id, v.data(), v.size());
        }
        return axes > 0 ? sotto_report_points(client, id, v.data(), v.size() / axes)
                        : sotto_report_vector(client, id, v.data(), v.size());
    }
};

// A release at the next level above its ladder.
struct extend {
    sotto_client *client;
    std::uint16_t id;
    std::uint32_t epoch;

    sotto_status operator()(bool v) const { return sotto_extend_boolean(client, id, epoch, v); }
    sotto_status operator()(std::uint32_t v) const {
        return sotto_extend_category(client, id, epoch, v);
    }
    sotto_status operator()(const std::vector<std::uint16_t> &v) const {
        return sotto_extend_set(client, id, epoch, v.data(), v.size());
    }
    sotto_status operator()(const std::string &v) const {
        return sotto_extend_string(client, id, epoch, v.data(), v.size());
    }
    sotto_status operator()(std::int32_t v) const {
        return sotto_extend_integer(client, id, epoch, v);
    }
    sotto_status operator()(const std::vector<std::int32_t> &v) const {
        return sotto_extend_vector(client, id, epoch, v.data(), v.size());
    }
};

constexpr std::size_t head_words = sizeof(sotto_state_head) / 4;
constexpr std::size_t release_words = sizeof(sotto_release) / 4;

// The SDK says what its client needs.
memory_need need_of(const sotto_registry &tables) {
    memory_need need;
    check(check_registry(tables, need));
    return need;
}

// A sealed envelope of one report of each metric, as the SDK counts. A plain one is shorter.
std::size_t largest_flush(const sotto_registry &tables) {
    constexpr std::uint32_t flags = report::flag_selected | report::flag_known;
    report::shape largest(UINT32_MAX);
    for (std::size_t i = 0; i < tables.metric_count; ++i) {
        const sotto_metric &m = tables.metrics[i];
        largest.add({&m, nullptr, {m.id, 1, UINT32_MAX, flags}, 0, m.value_words});
    }
    const sotto_seal_key key = {};
    return largest.envelope_bytes(tables, &key);
}

bool reported_already(const std::vector<measured_value> &reported, const metric &m) {
    return std::ranges::any_of(reported, [&](const auto &value) { return value.subject == &m; });
}

// A simulated device is never switched off.
std::int32_t load_nothing(void *, std::uint32_t, std::uint8_t *, std::size_t) { return 0; }
sotto_status keep_nothing(void *, std::uint32_t, const std::uint8_t *, std::size_t) {
    return SOTTO_OK;
}

} // namespace

host_device::host_device(const registry &known, const sotto_registry &tables) : tables_(tables) {
    const memory_need need = need_of(tables);
    const std::size_t words = std::max<std::size_t>(1, need.words);
    const std::size_t random = std::max<std::size_t>(1, need.random_bytes);
    const std::size_t accounts = need.account_words;
    std::size_t rows = 0;
    for (std::size_t i = 0; i < tables.metric_count; ++i) {
        rows += row_words_of(tables.metrics[i]);
    }
    const std::size_t releases = known.metrics.size();
    static_assert(alignof(sotto_release) == 4 && sizeof(sotto_release) % 4 == 0);
    state_.resize(head_words + accounts + releases * (release_words + words));
    work_.resize(2 * words);
    random_.resize(random);
    buffer_.resize(std::min(largest_flush(tables), buffer_bytes_max));
    std::uint32_t *at = state_.data();
    memory_.head = reinterpret_cast<sotto_state_head *>(at);
    memory_.accounts = at += head_words;
    memory_.releases = reinterpret_cast<sotto_release *>(at += accounts);
    memory_.words = at + releases * release_words;
    memory_.work = work_.data();
    memory_.random = random_.data();
    memory_.account_words = static_cast<std::uint16_t>(accounts);
    memory_.release_capacity = static_cast<std::uint16_t>(releases);
    memory_.words_per_release = static_cast<std::uint16_t>(words);
    memory_.random_bytes = static_cast<std::uint16_t>(random);
    rows_.resize(rows);
    memory_.row_words = static_cast<std::uint16_t>(rows);
    memory_.rows = rows == 0 ? nullptr : rows_.data();
}

void host_device::start(const sotto_entropy &entropy, std::uint32_t epoch) {
    sotto_port port = {};
    port.load = load_nothing;
    port.store = keep_nothing;
    port.entropy = &entropy;
    check(sotto_init(&client_, &tables_, &port, &memory_));
    check(sotto_advance(&client_, epoch));
}

std::uint64_t host_device::run(const sotto_entropy &entropy, std::uint32_t epoch,
                               std::span<const measured_value> measured,
                               std::span<const std::uint8_t> request, const sender &send) {
    start(entropy, epoch);
    for (const measured_value &value : measured) {
        report(value);
    }
    std::uint64_t sent = flush(send);
    sent += publish_levels(measured, epoch, send);
    if (!request.empty()) {
        obey(request);
        sent += flush(send);
    }
    sotto_deinit(&client_);
    return sent;
}

std::uint64_t host_device::live(const sotto_entropy &entropy, std::uint32_t first,
                                std::uint32_t last, const device_life &life, std::uint32_t levels,
                                const sender &send) {
    std::uint64_t sent = 0;
    auto met = life.values.begin();
    std::vector<measured_value> reported;
    start(entropy, first > 0 ? first - 1 : 0);
    for (std::uint32_t epoch = first; epoch <= last; ++epoch) {
        check(sotto_advance(&client_, epoch));
        sent += flush(send);
        reported.clear();
        for (; met != life.values.end() && met->epoch == epoch; ++met) {
            if (met->subject->type == SOTTO_TYPE_COUNTER) {
                count(*met->subject, std::get<std::int32_t>(met->value));
            } else if (reported_already(reported, *met->subject)) {
                ++adapted_.repeated;
            } else {
                reported.push_back({met->subject, met->value, levels});
                report(reported.back());
            }
        }
        sent += flush(send);
        sent += publish_levels(reported, epoch, send);
    }
    check(sotto_advance(&client_, last + 1));
    sent += flush(send);
    sotto_deinit(&client_);
    return sent;
}

// Level by level, until none of them has more.
std::uint64_t host_device::publish_levels(std::span<const measured_value> measured,
                                          std::uint32_t epoch, const sender &send) {
    std::uint32_t levels = 0;
    for (const measured_value &value : measured) {
        levels = std::max(levels, value.levels);
    }
    std::uint64_t sent = 0;
    for (std::uint32_t level = 1; level <= levels; ++level) {
        for (const measured_value &value : measured) {
            if (level <= value.levels) {
                relax(value, epoch, level);
            }
        }
        const std::uint64_t more = flush(send);
        sent += more;
        if (more == 0) { // above every metric
            break;
        }
    }
    return sent;
}

void host_device::count(const metric &m, std::int32_t amount) {
    const sotto_status status = sotto_count(&client_, m.id, amount);
    if (status == SOTTO_ERR_NOT_COUNTED) {
        ++adapted_.not_counted;
        return;
    }
    check(status);
    adapted_.clamped += status == SOTTO_VALUE_CLAMPED ? 1 : 0;
}

void host_device::report(const measured_value &measured) {
    const metric &m = *measured.subject;
    const sums_over_places *places = mechanism_of(m).over_places(m);
    const std::uint32_t axes = places == nullptr ? 0 : places->axes;
    const sotto_status status =
        std::visit(first{&client_, m.id, axes, m.type == SOTTO_TYPE_QUANTILE}, measured.value);
    count(status);
    adapted_.clamped += status == SOTTO_VALUE_CLAMPED ? 1 : 0;
    adapted_.too_long += status == SOTTO_VALUE_TOO_LONG ? 1 : 0;
    adapted_.too_many += status == SOTTO_VALUE_TOO_MANY ? 1 : 0;
}

void host_device::relax(const measured_value &measured, std::uint32_t epoch, std::uint32_t level) {
    const metric &m = *measured.subject;
    const bool needs_value = mechanism_of(m).forward_needs_value(m);
    if (level < (needs_value ? m.levels.size() : m.level_count())) {
        const sotto_status status =
            sotto_relax(&client_, m.id, epoch, static_cast<std::uint8_t>(level));
        if (status != SOTTO_ERR_LEVEL_NOT_ABOVE) { // a policy began there, or above
            count(status);
        }
    } else if (level < m.level_count()) {
        count(std::visit(extend{&client_, m.id, epoch}, measured.value));
    }
}

void host_device::obey(std::span<const std::uint8_t> request) {
    sotto_request_result result = {};
    const sotto_status status =
        sotto_request(&client_, request.data(), request.size(), nullptr, nullptr, &result);
    if (status == SOTTO_ERR_REQUEST_INVALID || status == SOTTO_ERR_REQUEST_NOT_ALLOWED) {
        throw usage_error(std::string("--request: ") + sotto_status_text(status));
    }
    check(status);
    answers_.relaxed += result.relaxed;
    answers_.not_selected += result.not_selected;
    answers_.over_budget += result.over_budget;
}

// A level without the one below is what the budget did not allow either.
void host_device::count(sotto_status status) {
    if (status == SOTTO_ERR_BUDGET || status == SOTTO_ERR_NO_RELEASE ||
        status == SOTTO_ERR_LEVELS_BELOW) {
        ++adapted_.over_budget;
    } else {
        check(status);
    }
}

std::uint64_t host_device::flush(const sender &send) {
    const std::uint64_t waiting = sotto_pending(&client_);
    while (sotto_pending(&client_) > 0) {
        std::size_t length = 0;
        check(sotto_flush(&client_, buffer_.data(), buffer_.size(), &length));
        send(std::string_view(reinterpret_cast<const char *>(buffer_.data()), length));
        check(sotto_acknowledge(&client_));
    }
    return waiting;
}

} // namespace sotto::aggregator
