// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/host_device.hpp"

#include "aggregator/base/failure.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

constexpr std::size_t envelope_bytes = 192; // without reports, padding and sealing included
constexpr std::size_t report_bytes = 48;    // without its value
constexpr std::size_t buffer_bytes_max = std::size_t{1} << 16;

void check(sotto_status status) {
    if (status < SOTTO_OK) {
        throw environment_error(sotto_status_text(status));
    }
}

std::size_t value_tags(const metric &m) {
    const auto *table = std::get_if<rappor_table>(&m.table);
    return table != nullptr && !table->protects_sequence ? table->max_values : 0;
}

} // namespace

host_device::host_device(const registry &of, const sotto_registry &tables) : tables_(tables) {
    std::size_t words = 1, random = 1, tags = 0, buffer = envelope_bytes;
    for (const metric &m : of.metrics) {
        words = std::max<std::size_t>(words, m.value_words);
        random = std::max<std::size_t>(random, m.random_bytes);
        tags += value_tags(m);
        buffer += report_bytes + m.value_bytes();
    }
    next_epoch_.resize(of.metrics.size());
    releases_.resize(of.metrics.size());
    words_.resize((releases_.size() + 2) * words);
    value_tags_.resize(2 * tags);
    random_.resize(random);
    buffer_.resize(std::min(buffer, buffer_bytes_max));
    memory_.next_epoch = next_epoch_.data();
    memory_.releases = releases_.data();
    memory_.words = words_.data();
    memory_.value_tags = value_tags_.data();
    memory_.random = random_.data();
    memory_.release_capacity = static_cast<std::uint16_t>(releases_.size());
    memory_.words_per_release = static_cast<std::uint16_t>(words);
    memory_.value_tag_count = static_cast<std::uint16_t>(std::min<std::size_t>(tags, 65535));
    memory_.random_bytes = static_cast<std::uint16_t>(random);
}

std::uint64_t host_device::run(const sotto_port &port, std::uint32_t epoch, const values &measured,
                               std::uint32_t levels, const sender &send) {
    check(sotto_init(&client_, &tables_, &port, &memory_));
    check(sotto_advance(&client_, epoch));
    for (const auto &[m, value] : measured) {
        report(*m, value);
    }
    std::uint64_t sent = flush(send);
    for (std::uint32_t level = 1; level <= levels; ++level) {
        for (const auto &[m, value] : measured) {
            if (level < m->levels.size()) {
                check(sotto_relax(&client_, m->id, epoch, static_cast<std::uint8_t>(level)));
            }
        }
        const std::uint64_t more = flush(send);
        sent += more;
        if (more == 0) { // above every ladder
            break;
        }
    }
    sotto_wipe(&client_);
    return sent;
}

void host_device::report(const metric &m, const cell_value &value) {
    struct {
        sotto_client *client;
        std::uint16_t id;

        sotto_status operator()(bool v) const { return sotto_report_boolean(client, id, v); }
        sotto_status operator()(std::uint32_t v) const {
            return sotto_report_category(client, id, v);
        }
        sotto_status operator()(const std::vector<std::uint16_t> &v) const {
            return sotto_report_set(client, id, v.data(), v.size());
        }
        sotto_status operator()(const std::string &v) const {
            return sotto_report_string(client, id, v.data(), v.size());
        }
        sotto_status operator()(std::int32_t v) const {
            return sotto_report_integer(client, id, v);
        }
        sotto_status operator()(const std::vector<std::int32_t> &v) const {
            return sotto_report_vector(client, id, v.data(), v.size());
        }
    } const to_sdk{&client_, m.id};
    const sotto_status status = std::visit(to_sdk, value);
    check(status);
    adapted_.clamped += status == SOTTO_VALUE_CLAMPED ? 1 : 0;
    adapted_.too_long += status == SOTTO_VALUE_TOO_LONG ? 1 : 0;
    adapted_.too_many += status == SOTTO_VALUE_TOO_MANY ? 1 : 0;
}

std::uint64_t host_device::flush(const sender &send) {
    const std::uint64_t waiting = sotto_pending(&client_);
    while (sotto_pending(&client_) > 0) {
        std::size_t length = 0;
        check(sotto_flush(&client_, buffer_.data(), buffer_.size(), &length));
        send(std::string_view(reinterpret_cast<const char *>(buffer_.data()), length));
    }
    return waiting;
}

} // namespace sotto::aggregator
