// SPDX-License-Identifier: Apache-2.0
#include "client/registry_check.hpp"

#include "client/adopt.hpp"

#include "mechanism/ladder.hpp"
#include "mechanism/rappor.hpp"
#include "mechanism/unary.hpp"

namespace sotto {
namespace {

// No registry may ask for more than epsilon 32: ceil(2^64 / (1 + e^32)).
constexpr uint32_t top_flip_min = 233613;
constexpr int32_t number_max = int32_t{1} << 30;

bool is_zero(const sotto_threshold &t) { return (t.limb[0] | t.limb[1]) == 0; }

// A flip of zero, or above one half, is no randomized response.
bool are_flips(const sotto_threshold *flip, uint8_t count) {
    if (flip == nullptr) {
        return false;
    }
    for (uint8_t i = 0; i < count; ++i) {
        if (is_zero(flip[i]) || flip[i].limb[1] >= 0x80000000u) {
            return false;
        }
    }
    const sotto_threshold &top = flip[count - 1];
    return top.limb[1] != 0 || top.limb[0] >= top_flip_min;
}

uint64_t number(const sotto_threshold &t) {
    return static_cast<uint64_t>(t.limb[1]) << 32 | t.limb[0];
}

// What a probability out of 2^bits is at least when it is all that hides a value.
uint64_t noise_min(uint32_t bits) { return bits > 48 ? top_flip_min >> (64 - bits) : 1; }

// Is a probability of keeping something that far from 1?
bool leaves_noise(const sotto_threshold &t, uint32_t bits) {
    const uint64_t whole = bits == 64 ? 0 : uint64_t{1} << bits;
    return whole - number(t) >= noise_min(bits) && (bits == 64 || number(t) < whole);
}

bool is_k_randomized_response(const sotto_metric &m) {
    const sotto_k_randomized_response *table = m.table.k_randomized_response;
    if (table == nullptr || table->keep == nullptr || table->size < 2 || table->size > 65535) {
        return false;
    }
    for (uint8_t i = 0; i < m.level_count; ++i) {
        const sotto_threshold &keep = table->keep[i];
        if (is_zero(keep)) {
            return false;
        }
    }
    return leaves_noise(table->keep[m.level_count - 1], 64) && m.value_words == 1;
}

// Does a threshold lie within 0 ... 2^bits?
bool is_within(const sotto_threshold &t, uint32_t bits) {
    if (bits >= 64) {
        return true;
    }
    const uint32_t high = bits >= 32 ? t.limb[1] >> (bits - 32) : t.limb[1];
    const uint32_t low = bits >= 32 ? t.limb[0] : t.limb[0] >> bits;
    const uint32_t rest = bits >= 32 ? t.limb[0] | (t.limb[1] & ((1u << (bits - 32)) - 1))
                                     : t.limb[0] & ((1u << bits) - 1);
    if (bits >= 32) {
        return high == 0 || (high == 1 && rest == 0);
    }
    return high == 0 && (low == 0 || (low == 1 && rest == 0));
}

bool is_below(const sotto_threshold &a, const sotto_threshold &b) {
    return a.limb[1] != b.limb[1] ? a.limb[1] < b.limb[1] : a.limb[0] < b.limb[0];
}

// A channel keeps something of its bit, and does not turn it around.
bool are_channels(const sotto_bit_channel *channel, uint8_t count) {
    if (channel == nullptr) {
        return false;
    }
    for (uint8_t i = 0; i < count; ++i) {
        const sotto_bit_channel &c = channel[i];
        if (c.bits > 64 || !is_within(c.one_if_zero, c.bits) || !is_within(c.one_if_one, c.bits) ||
            !is_below(c.one_if_zero, c.one_if_one)) {
            return false;
        }
    }
    return true;
}

// The channel that meets the true bits must be noisy in both directions.
bool hides(const sotto_bit_channel &c) {
    const uint64_t zero = number(c.one_if_zero);
    return c.bits > 0 && zero >= noise_min(c.bits) && leaves_noise(c.one_if_one, c.bits);
}

bool is_unary(const sotto_metric &m) {
    const sotto_unary *table = m.table.unary;
    return table != nullptr && table->size >= 2 && table->size <= 1024 && table->max_members >= 1 &&
           table->max_members <= table->size &&
           (m.type == SOTTO_TYPE_SET || table->max_members == 1) &&
           are_channels(table->channel, m.level_count) &&
           hides(table->channel[m.level_count - 1]) && m.value_words == unary_words(table->size);
}

bool is_rappor(const sotto_metric &m, bool one_hot) {
    const sotto_rappor *table = m.table.rappor;
    if (table == nullptr || table->bits < 2 || table->bits > 1024 || table->cohorts < 1 ||
        table->cohorts > 1024 || table->max_values < 1 || table->max_bytes > string_bytes_max ||
        table->hashes > bloom_digest_bytes / 4 || (table->chained >> (m.level_count - 1)) != 0) {
        return false;
    }
    const bool fits_kind = one_hot ? table->hashes == 0 && table->cohorts == 1
                                   : table->hashes >= 1 && table->max_bytes >= 1;
    return fits_kind && are_channels(table->permanent, m.level_count) &&
           hides(table->permanent[m.level_count - 1]) &&
           are_channels(table->instantaneous, m.level_count) &&
           m.value_words == unary_words(table->bits);
}

bool is_geometric(const sotto_geometric &g) {
    return g.digit != nullptr && g.digit_count >= 1 && g.digit_count <= 29 &&
           (g.digit_limbs == 2 || g.digit_limbs == 4) && g.has_overflow <= 1;
}

// No sum of the chain may leave 32 bits.
bool is_lattice(const sotto_discrete_laplace &table, uint8_t level_count) {
    if (table.noise == nullptr || table.publish_min < -number_max ||
        table.publish_max > number_max || table.min >= table.max || table.publish_min > table.min ||
        table.publish_max < table.max) {
        return false;
    }
    const uint32_t width =
        static_cast<uint32_t>(table.publish_max) - static_cast<uint32_t>(table.publish_min);
    for (uint8_t i = 0; i < level_count; ++i) {
        const sotto_geometric &size = table.noise[i].size;
        if (!is_geometric(size) || size.has_overflow != 0 || is_zero(table.noise[i].nonzero) ||
            width > 0x7fffffffu - (uint32_t{2} << size.digit_count)) {
            return false;
        }
    }
    // The top's noise is what hides the value: neither its zero nor its size may be certain.
    const sotto_laplace_noise &top = table.noise[level_count - 1];
    const uint32_t *high = top.size.digit + top.size.digit_limbs - 2;
    return number(top.nonzero) >= noise_min(64) && number({{high[0], high[1]}}) >= noise_min(64);
}

bool is_discrete_laplace(const sotto_metric &m) {
    const sotto_discrete_laplace *table = m.table.discrete_laplace;
    return table != nullptr && table->length >= 1 && table->length <= 256 &&
           (m.type == SOTTO_TYPE_VECTOR || table->length == 1) && m.value_words == table->length &&
           is_lattice(*table, m.level_count);
}

bool is_laplace_threshold(const sotto_metric &m) {
    const sotto_laplace_threshold *table = m.table.laplace_threshold;
    return table != nullptr && table->lattice.min == 0 && table->threshold >= 1 &&
           table->threshold <= table->lattice.max && m.value_words == 1 &&
           is_lattice(table->lattice, m.level_count);
}

bool is_one_bit_mean(const sotto_metric &m) {
    const sotto_one_bit_mean *table = m.table.one_bit_mean;
    if (table == nullptr || table->min >= table->max || table->min < -number_max ||
        table->max > number_max) {
        return false;
    }
    const uint32_t span = static_cast<uint32_t>(table->max) - static_cast<uint32_t>(table->min);
    return table->scale == UINT32_MAX / span && are_flips(table->flip, m.level_count) &&
           m.value_words == 1;
}

bool is_table(const sotto_metric &m) {
    switch (m.mechanism) {
    case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
        return m.type == SOTTO_TYPE_BOOLEAN && m.table.randomized_response != nullptr &&
               are_flips(m.table.randomized_response->flip, m.level_count) && m.value_words == 1;
    case SOTTO_MECHANISM_LAPLACE_THRESHOLD:
        return m.type == SOTTO_TYPE_BOOLEAN && is_laplace_threshold(m);
    case SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE:
        return m.type == SOTTO_TYPE_CATEGORY && is_k_randomized_response(m);
    case SOTTO_MECHANISM_OPTIMIZED_UNARY:
    case SOTTO_MECHANISM_UNARY:
        return (m.type == SOTTO_TYPE_CATEGORY || m.type == SOTTO_TYPE_SET) && is_unary(m);
    case SOTTO_MECHANISM_RAPPOR:
        return m.type == SOTTO_TYPE_STRING && is_rappor(m, false);
    case SOTTO_MECHANISM_BASIC_RAPPOR:
        return m.type == SOTTO_TYPE_CATEGORY && is_rappor(m, true);
    case SOTTO_MECHANISM_DISCRETE_LAPLACE:
        return (m.type == SOTTO_TYPE_INTEGER || m.type == SOTTO_TYPE_VECTOR) &&
               is_discrete_laplace(m);
    case SOTTO_MECHANISM_ONE_BIT_MEAN:
        return m.type == SOTTO_TYPE_MEAN && is_one_bit_mean(m);
    default:
        return false;
    }
}

// The bytes that the table itself asks for; one_bit_mean rounds with fewer than it flips with.
size_t random_bytes_of(const sotto_metric &m) {
    size_t most = 0;
    const auto raise = [&](size_t bytes) { most = bytes > most ? bytes : most; };
    for (uint32_t i = 0; i < m.level_count; ++i) {
        raise(level_bytes(m, i));
        if (m.mechanism == SOTTO_MECHANISM_RAPPOR || m.mechanism == SOTTO_MECHANISM_BASIC_RAPPOR) {
            raise(bernoulli_lanes_bytes(m.table.rappor->instantaneous[i]));
        }
    }
    for (uint32_t i = 0; i < m.forward_count; ++i) {
        raise(forward_bytes(m, i));
    }
    return most;
}

// A budget of nothing could never be kept; one without a window would never free.
bool is_budget(uint32_t budget, uint8_t window_epochs) {
    return (budget == 0) == (window_epochs == 0) && window_epochs <= window_epochs_max;
}

// Costs that are missing, nothing, or fall again would let something out for free.
bool are_costs(const sotto_metric &m) {
    const uint32_t levels = uint32_t{m.level_count} + m.forward_count;
    const uint32_t reports = value_tags_of(m) > 0 ? m.cost_reports : 1;
    if (m.cost == nullptr || m.cost[0] == 0 || reports == 0 || reports > cost_reports_max ||
        (value_tags_of(m) == 0 && m.cost_reports != 0)) {
        return false;
    }
    for (uint32_t i = 0; i < levels * reports; ++i) {
        if ((i % reports > 0 && m.cost[i] < m.cost[i - 1]) ||
            (i >= reports && m.cost[i] < m.cost[i - reports])) {
            return false;
        }
    }
    return true;
}

// May each metric's first report be made at all?
bool is_spending(const sotto_metric &m, const sotto_registry &registry) {
    return are_costs(m) && m.per_epoch > 0 && m.request_level < m.level_count &&
           is_budget(m.budget, m.window_epochs) && (m.budget == 0 || m.cost[0] <= m.budget) &&
           (registry.budget == 0 || m.cost[0] <= registry.budget);
}

// What is drawn forward has no use without the tables for it.
bool is_forward(const sotto_metric &m) {
    if (m.forward_count == 0) {
        return true;
    }
    if (m.per_epoch != 1) { // which of them should be drawn forward?
        return false;
    }
    switch (m.mechanism) {
    case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
    case SOTTO_MECHANISM_ONE_BIT_MEAN:
    case SOTTO_MECHANISM_OPTIMIZED_UNARY:
    case SOTTO_MECHANISM_UNARY:
    case SOTTO_MECHANISM_RAPPOR:
    case SOTTO_MECHANISM_BASIC_RAPPOR:
        for (uint8_t i = 0; m.forward.bits != nullptr && i < m.forward_count; ++i) {
            if (!are_channels(m.forward.bits[i].given, 2)) {
                return false;
            }
        }
        return m.forward.bits != nullptr;
    case SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE:
        for (uint8_t i = 0; m.forward.category != nullptr && i < m.forward_count; ++i) {
            const sotto_forward_category &step = m.forward.category[i];
            if (!leaves_noise(step.to_value[0], 64) || !leaves_noise(step.to_value[1], 64)) {
                return false;
            }
        }
        return m.forward.category != nullptr;
    case SOTTO_MECHANISM_DISCRETE_LAPLACE:
        for (uint8_t i = 0; m.forward.laplace != nullptr && i < m.forward_count; ++i) {
            const sotto_forward_laplace &step = m.forward.laplace[i];
            const sotto_discrete_laplace &table = *m.table.discrete_laplace;
            const uint32_t width =
                static_cast<uint32_t>(table.publish_max) - static_cast<uint32_t>(table.publish_min);
            if (!is_geometric(step.within) || !is_geometric(step.beyond) ||
                !is_geometric(step.tail) || is_zero(step.opposite) ||
                width > 0x7fffffffu - (uint32_t{1} << step.tail.digit_count) -
                            (uint32_t{1} << step.beyond.digit_count)) {
                return false;
            }
        }
        return m.forward.laplace != nullptr;
    default:
        return false;
    }
}

// Keys that nothing is sealed with would let batches leave in the clear.
bool is_sealing(const sotto_sealing *sealing) {
    return sealing == nullptr ||
           (sealing->keys != nullptr && sealing->key_count > 0 && sealing->seal != nullptr);
}

} // namespace

uint16_t value_tags_of(const sotto_metric &metric) {
    const bool is_kept = (metric.mechanism == SOTTO_MECHANISM_RAPPOR ||
                          metric.mechanism == SOTTO_MECHANISM_BASIC_RAPPOR) &&
                         metric.table.rappor->protects_sequence == 0;
    return is_kept ? metric.table.rappor->max_values : uint16_t{0};
}

sotto_status check_registry(const sotto_registry &registry, memory_need &need) {
    if (registry.metrics == nullptr || registry.metric_count == 0 || registry.max_epoch_jump == 0 ||
        !is_budget(registry.budget, registry.window_epochs) || !is_sealing(registry.sealing)) {
        return SOTTO_ERR_REGISTRY;
    }
    uint16_t previous_id = 0;
    need.account_words = device::account_words(registry, nullptr);
    for (uint16_t i = 0; i < registry.metric_count; ++i) {
        const sotto_metric &m = registry.metrics[i];
        if (m.id <= previous_id || m.level_count == 0 ||
            m.level_count + m.forward_count > level_count_max || !is_table(m) || !is_forward(m) ||
            m.random_bytes < random_bytes_of(m) || m.random_bytes > 1024 ||
            !is_spending(m, registry)) {
            return SOTTO_ERR_REGISTRY;
        }
        previous_id = m.id;
        need.words = m.value_words > need.words ? m.value_words : need.words;
        need.random_bytes = m.random_bytes > need.random_bytes ? m.random_bytes : need.random_bytes;
        need.account_words += device::account_words(registry, &m);
    }
    return SOTTO_OK;
}

} // namespace sotto
