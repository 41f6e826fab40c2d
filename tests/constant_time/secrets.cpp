// SPDX-License-Identifier: Apache-2.0
// Runs under valgrind with everything secret marked undefined: values, randomness, and what the
// generator gives the client, the device's secret and every release's seed included.
#include "../unit/forgetful.hpp"
#include "client/client_code.hpp"
#include "entropy/gather.hpp"
#include "mechanism/code.hpp"
#include "mechanism/ladder.hpp"
#include "random/fixed_time.hpp"

#include "metrics.h"
#include "sotto_posix.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <valgrind/memcheck.h>

namespace sotto {
uint32_t declassified(uint32_t x) {
    VALGRIND_MAKE_MEM_DEFINED(&x, sizeof x);
    return x;
}
} // namespace sotto

namespace {

volatile uint32_t sink;

template <typename Value> Value poisoned(Value value) {
    VALGRIND_MAKE_MEM_UNDEFINED(&value, sizeof value);
    return value;
}

std::array<uint8_t, 1024> poisoned_bytes() {
    std::array<uint8_t, 1024> bytes{};
    for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<uint8_t>(i * 151);
    }
    VALGRIND_MAKE_MEM_UNDEFINED(bytes.data(), bytes.size());
    return bytes;
}

int draws(const sotto_metric &m) {
    const auto random = poisoned_bytes();
    uint32_t word = 0;
    for (uint32_t level = 0; level < m.level_count; ++level) {
        for (uint32_t i = 0; i < m.value_words; ++i) {
            if (sotto::draw_word(m, level, i, poisoned(1u), {random.data(), random.size()},
                                 &word) != SOTTO_OK) {
                return 1;
            }
            sink = sotto::published_word(m, word);
        }
    }
    for (uint32_t target = 0; target + 1u < m.level_count; ++target) {
        const uint32_t top = m.level_count - 1u;
        const size_t size = sotto::tighten_bytes(m, top, target);
        if (size > random.size() ||
            (size > 0 && sotto::tighten_word(m, top, target, 0, poisoned(1u), {random.data(), size},
                                             &word) != SOTTO_OK)) {
            return 1;
        }
        sink = word;
    }
    for (uint32_t step = 0; step < m.forward_count; ++step) {
        if (sotto::draw_forward(m, step, 0, poisoned(1u), poisoned(0u),
                                {random.data(), random.size()}, &word) != SOTTO_OK) {
            return 1;
        }
        sink = word;
    }
    return 0;
}

// A value of the metric's type as true words, and the second stage of those that have one.
void encoders(const sotto_metric &m) {
    const auto random = poisoned_bytes();
    std::array<uint32_t, 256> words{};
    const auto members = poisoned(std::array<uint16_t, 3>{0, 2, 5});
    const auto numbers = poisoned(std::array<int32_t, 256>{7});
    const bool is_set = m.type == SOTTO_TYPE_SET;
    if (m.code->encode != nullptr) {
        const void *value = is_set ? static_cast<const void *>(members.data()) : numbers.data();
        const size_t count = is_set ? members.size() : m.value_words;
        auto bytes = random; // a digest is written over
        sink = m.code->encode(m, {value, count, bytes.data()}, words.data());
        sink = words[0];
    }
    for (uint32_t level = 0; m.code->reports != nullptr && level < m.level_count; ++level) {
        sink = m.code->reports->draw(m, level, 0, poisoned(5u), random.data());
    }
}

int core() {
    for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
        if (draws(every_registry.metrics[i]) != 0) {
            return 1;
        }
        encoders(every_registry.metrics[i]);
    }
    return 0;
}

sotto_status report(sotto_client *client, const sotto_metric &m) {
    static const char text[] = "B-737-300";
    std::array<char, sizeof text> copy{};
    std::memcpy(copy.data(), text, sizeof text);
    switch (m.type) {
    case SOTTO_TYPE_BOOLEAN:
        return sotto_report_boolean(client, m.id, poisoned(true));
    case SOTTO_TYPE_CATEGORY:
        return sotto_report_category(client, m.id, poisoned(1u));
    case SOTTO_TYPE_SET: {
        const auto members = poisoned(std::array<uint16_t, 2>{1, 4});
        return sotto_report_set(client, m.id, members.data(), members.size());
    }
    case SOTTO_TYPE_STRING:
        copy = poisoned(copy);
        return sotto_report_string(client, m.id, copy.data(), 9);
    case SOTTO_TYPE_VECTOR: {
        const auto values = poisoned(std::array<int32_t, 3>{1, -2, 3});
        return sotto_report_vector(client, m.id, values.data(), values.size());
    }
    default:
        return sotto_report_integer(client, m.id, poisoned(12));
    }
}

// The level above the ladder, where there is one.
sotto_status extend(sotto_client *client, const sotto_metric &m) {
    const auto members = poisoned(std::array<uint16_t, 2>{1, 4});
    switch (m.type) {
    case SOTTO_TYPE_BOOLEAN:
        return sotto_extend_boolean(client, m.id, 0, poisoned(true));
    case SOTTO_TYPE_CATEGORY:
        return sotto_extend_category(client, m.id, 0, poisoned(1u));
    case SOTTO_TYPE_SET:
        return sotto_extend_set(client, m.id, 0, members.data(), members.size());
    case SOTTO_TYPE_VECTOR: {
        const auto values = poisoned(std::array<int32_t, 3>{1, -2, 3});
        return sotto_extend_vector(client, m.id, 0, values.data(), values.size());
    }
    default:
        return sotto_extend_integer(client, m.id, 0, poisoned(12));
    }
}

int undefined_bits(const uint8_t *bytes, size_t length) {
    std::array<uint8_t, 4096> undefined{};
    VALGRIND_GET_VBITS(bytes, undefined.data(), length);
    int bits = 0;
    for (const uint8_t mask : undefined) {
        bits += __builtin_popcount(mask);
    }
    return bits;
}

int client() {
    every_client device{};
    std::array<uint8_t, 4096> buffer{};
    size_t length = 0;
    const sotto_port port = forgetful(sotto_posix_entropy);
    if (every_init(&device, &port) != SOTTO_OK || sotto_advance(&device.client, 0) != SOTTO_OK) {
        return 1;
    }
    for (uint16_t i = 0; i < every_registry.metric_count; ++i) {
        const sotto_metric &m = every_registry.metrics[i];
        if (report(&device.client, m) < 0) {
            return 2;
        }
        for (uint8_t level = 0; level < m.level_count + m.forward_count; ++level) {
            if (level >= m.level_count && !sotto::is_forward_by_relaxing(m)
                    ? extend(&device.client, m) < 0
                    : level > 0 && sotto_relax(&device.client, m.id, 0, level) != SOTTO_OK) {
                return 3;
            }
            if (sotto_flush(&device.client, buffer.data(), buffer.size(), &length) != SOTTO_OK ||
                length == 0 || sotto_acknowledge(&device.client) != SOTTO_OK) {
                return 4;
            }
            // The poison went all the way: beyond the 64 bits of the release id.
            if (undefined_bits(buffer.data(), length) <= 64) {
                return 5;
            }
        }
    }
    return 0;
}

// Samples and seeds: only that they passed the tests may show.
int seeds() {
    const auto read = [](void *, uint8_t *bytes, size_t length) {
        static uint32_t state = 1;
        for (size_t i = 0; i < length; ++i) {
            state = state * 1664525u + 1013904223u;
            bytes[i] = static_cast<uint8_t>(state >> 24);
        }
        VALGRIND_MAKE_MEM_UNDEFINED(bytes, length);
        return static_cast<int32_t>(length);
    };
    sotto_entropy source = {nullptr, read, SOTTO_SOURCE_RAW, 8, 4000};
    sotto_entropy_health health{};
    std::array<uint8_t, 64> seed{};
    if (sotto::entropy::start(source, health) != SOTTO_OK ||
        sotto::entropy::gather(source, health, seed.data(), seed.size()) != SOTTO_OK ||
        undefined_bits(seed.data(), seed.size()) != 512) {
        return 1;
    }
    source.source = SOTTO_SOURCE_CSPRNG;
    return sotto::entropy::gather(source, health, seed.data(), seed.size()) == SOTTO_OK &&
                   undefined_bits(seed.data(), seed.size()) == 512
               ? 0
               : 2;
}

// The ephemeral key and what is sealed are secret; the recipient's key and all lengths are not.
int seal() {
    static const uint8_t public_key[32] = {5}, header[16] = {1};
    const auto random = poisoned_bytes();
    std::array<uint8_t, 32> enc{};
    std::array<uint8_t, 128 + 16> text{};
    std::copy_n(random.begin() + 32, 128, text.begin());
    if (sotto_seal_hpke(public_key, random.data(), header, sizeof header, enc.data(), text.data(),
                        128) != SOTTO_OK) {
        return 1;
    }
    // The highest bit of a point is 0.
    return undefined_bits(enc.data(), enc.size()) == 255 &&
                   undefined_bits(text.data(), text.size()) == 8 * (128 + 16)
               ? 0
               : 2;
}

int control_branch() {
    if (poisoned(7u) < 1000) {
        std::puts("below");
    }
    return 0;
}

int control_index() {
    static const uint8_t table[256] = {};
    sink = *static_cast<const volatile uint8_t *>(&table[poisoned(uint8_t{7})]);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    if (!RUNNING_ON_VALGRIND) {
        std::fputs("run this under valgrind\n", stderr);
        return 3;
    }
    const std::map<std::string, std::function<int()>> subjects = {
        {"core", core},
        {"client", client},
        {"entropy", seeds},
        {"seal", seal},
        {"control_branch", control_branch},
        {"control_index", control_index}};
    const auto subject = subjects.find(argc == 2 ? argv[1] : "");
    return subject == subjects.end() ? 3 : subject->second();
}
