// SPDX-License-Identifier: Apache-2.0
// Values of every type in the client.
#include "values.hpp"

#include "client/registry_check.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace {

TEST_F(Values, IntegersOutOfRangeAreReportedAtTheEnds) {
    EXPECT_EQ(sotto_report_integer(client, EVERY_SPEED, 401), SOTTO_VALUE_CLAMPED);
    EXPECT_EQ(sotto_report_integer(client, EVERY_SPEED_WITH_MARGIN, INT32_MIN),
              SOTTO_VALUE_CLAMPED);
    EXPECT_EQ(sotto_report_integer(client, EVERY_TEMPERATURE, INT32_MAX), SOTTO_VALUE_CLAMPED);
    const std::array<int32_t, 3> far = {9, 0, 0};
    EXPECT_EQ(sotto_report_vector(client, EVERY_AXES, far.data(), 3), SOTTO_VALUE_CLAMPED);
    EXPECT_EQ(sotto_pending(client), 4u);
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    EXPECT_EQ(sotto_report_integer(client, EVERY_SPEED, 0), SOTTO_OK);
    EXPECT_EQ(sotto_report_integer(client, EVERY_TEMPERATURE, 60), SOTTO_OK);
    const std::array<int32_t, 3> over_budget = {8, -8, 0}; // L1 16 from the centre, 8 are allowed
    EXPECT_EQ(sotto_report_vector(client, EVERY_AXES, over_budget.data(), 3), SOTTO_VALUE_CLAMPED);
    ASSERT_EQ(sotto_advance(client, 2), SOTTO_OK);
    const std::array<int32_t, 3> inside = {4, -4, 0};
    EXPECT_EQ(sotto_report_vector(client, EVERY_AXES, inside.data(), 3), SOTTO_OK);
    EXPECT_EQ(sotto_report_vector(client, EVERY_AXES, inside.data(), 2),
              SOTTO_ERR_ALREADY_REPORTED);
}

// WIRE.md: what a mean is rounded with are the first bytes of the stream "sotto-rd" of the release.
// The device keeps the rounded number only after its noise, which flips one in 1 + e^2.
TEST_F(Values, AMeanIsRoundedWithAStreamOfItsOwn) {
    constexpr int measured = 2000;
    const uint8_t nonce[12] = {'s', 'o', 't', 't', 'o', '-', 'r', 'd'};
    int flipped = 0, ones = 0;
    for (int k = 0; k < measured; ++k) {
        const auto epoch = static_cast<uint32_t>(k + 1);
        const int32_t value = k % 101 - 40; // -40 to 60
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(sotto_report_integer(client, EVERY_TEMPERATURE, value), SOTTO_OK);
        uint8_t random[4];
        ASSERT_EQ(sotto::crypto::stream(release(EVERY_TEMPERATURE, epoch)->key, nonce, 0)
                      .read(random, sizeof random),
                  SOTTO_OK);
        const double drawn =
            (random[0] + 256.0 * (random[1] + 256.0 * (random[2] + 256.0 * random[3]))) /
            4294967296.0;
        const uint32_t rounded = drawn < (value + 40) / 100.0;
        ones += static_cast<int>(rounded);
        flipped += rounded != published(EVERY_TEMPERATURE, epoch, 2)[0];
        flush();
    }
    EXPECT_NEAR(flipped, 0.1192 * measured, 7 * 14.5);
    EXPECT_NEAR(ones, 0.5 * measured, 7 * 22.4) << "either end is told";
}

// MECHANISMS.md, O: the draw from a set hides it, so that whoever has the release's key must not
// find it again. The answer kept is that element with (kappa + (1 - kappa) / 4) / 2, as any of the
// two.
TEST_F(Values, TheDrawFromASetIsNotOfTheKey) {
    constexpr int measured = 2000;
    const uint8_t nonce[12] = {'s', 'o', 't', 't', 'o', '-', 'r', 'd'};
    const std::array<uint16_t, 2> members = {0, 1};
    int found = 0;
    for (int k = 0; k < measured; ++k) {
        const auto epoch = static_cast<uint32_t>(k + 1);
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(sotto_report_set(client, EVERY_ALARMS, members.data(), members.size()), SOTTO_OK);
        uint8_t random[8];
        ASSERT_EQ(sotto::crypto::stream(release(EVERY_ALARMS, epoch)->key, nonce, 0)
                      .read(random, sizeof random),
                  SOTTO_OK);
        const uint32_t place = random[7] >> 7; // uniform below 2
        found += published(EVERY_ALARMS, epoch, 2)[0] == place;
        flush();
    }
    // 0.663 where it is of the key. Seven deviations: 3e-12.
    EXPECT_NEAR(found, 0.3556 * measured, 7 * 21.4);
}

TEST_F(Values, StringsOfAnyLengthAreReported) {
    EXPECT_EQ(report_string(""), SOTTO_OK);
    for (const auto &[text, expected] :
         {std::pair{std::string(24, 'x'), sotto_status{SOTTO_OK}},
          std::pair{std::string(25, 'x'), sotto_status{SOTTO_VALUE_TOO_LONG}},
          std::pair{std::string(100000, 'y'), sotto_status{SOTTO_VALUE_TOO_LONG}}}) {
        ASSERT_EQ(sotto_advance(client, device.state.head.epoch + 1), SOTTO_OK);
        EXPECT_EQ(report_string(text), expected) << text.size();
    }
    EXPECT_EQ(sotto_pending(client), 4u);
    ASSERT_EQ(sotto_advance(client, 10), SOTTO_OK);
    EXPECT_EQ(sotto_report_string(client, EVERY_AIRCRAFT, nullptr, 1), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_report_string(client, EVERY_AIRCRAFT, nullptr, 0), SOTTO_OK)
        << "the empty string";
}

TEST_F(Values, SetsKeepTheFirstMembers) {
    const std::array<uint16_t, 5> five = {5, 1, 0, 2, 3};
    EXPECT_EQ(sotto_report_set(client, EVERY_FAULTS, five.data(), 5), SOTTO_VALUE_TOO_MANY);
    ASSERT_EQ(sotto_advance(client, 1), SOTTO_OK);
    EXPECT_EQ(sotto_report_set(client, EVERY_FAULTS, nullptr, 0), SOTTO_OK) << "the empty set";
    ASSERT_EQ(sotto_advance(client, 2), SOTTO_OK);
    const std::array<uint16_t, 2> unknown = {0, 6};
    EXPECT_EQ(sotto_report_set(client, EVERY_FAULTS, unknown.data(), 2), SOTTO_ERR_NO_SUCH_VALUE);
    EXPECT_EQ(sotto_report_set(client, EVERY_FAULTS, nullptr, 1), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(release(EVERY_FAULTS, 2), nullptr) << "nothing was measured";
    EXPECT_EQ(sotto_report_set(client, EVERY_FAULTS, five.data(), 3), SOTTO_OK);
}

// The same device and noise with the same set given in two ways. All that is kept, its charge and
// what will leave are the same to the byte.
TEST_F(Values, ARepeatedMemberIsANoteAndChangesNothing) {
    const auto reported = [this](const std::vector<uint16_t> &members, sotto_status expected) {
        fake.state = 1;
        new_device();
        EXPECT_EQ(sotto_advance(client, 0), SOTTO_OK);
        EXPECT_EQ(sotto_report_set(client, EVERY_FAULTS, members.data(), members.size()), expected);
        const auto *kept = reinterpret_cast<const uint8_t *>(&device.state);
        return std::vector<uint8_t>(kept, kept + sizeof device.state);
    };
    const auto once = reported({4}, SOTTO_OK);
    EXPECT_EQ(reported({4, 4}, SOTTO_VALUE_REPEATED_MEMBER), once);
    EXPECT_EQ(reported({4, 4, 4}, SOTTO_VALUE_REPEATED_MEMBER), once);
    EXPECT_EQ(reported({4, 4, 4, 1}, SOTTO_VALUE_TOO_MANY), once)
        << "the first three are looked at";
    EXPECT_NE(reported({4, 1}, SOTTO_OK), once);
}

TEST_F(Values, WrongCallsAreNamedAndMeasureNothing) {
    EXPECT_EQ(sotto_report_category(client, EVERY_PHASE, 5), SOTTO_ERR_NO_SUCH_VALUE);
    EXPECT_EQ(sotto_report_category(client, EVERY_PHASE_RAPPOR, 40), SOTTO_ERR_NO_SUCH_VALUE);
    EXPECT_EQ(sotto_report_category(client, EVERY_PHASE_UNARY, UINT32_MAX),
              SOTTO_ERR_NO_SUCH_VALUE);
    EXPECT_EQ(sotto_report_boolean(client, EVERY_PHASE, true), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_report_integer(client, EVERY_AXES, 1), SOTTO_ERR_WRONG_TYPE);
    EXPECT_EQ(sotto_report_category(client, EVERY_FAULTS, 1), SOTTO_ERR_WRONG_TYPE);
    const std::array<int32_t, 4> four{};
    EXPECT_EQ(sotto_report_vector(client, EVERY_AXES, four.data(), 4), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_report_vector(client, EVERY_AXES, nullptr, 3), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_pending(client), 0u);
    for (const uint32_t word : device.state.words) {
        EXPECT_EQ(word, 0u) << "nothing of a value is left behind";
    }
    for (const uint32_t word : device.work) {
        EXPECT_EQ(word, 0u) << "nor of what it was worked on with";
    }
    for (const uint8_t byte : device.random) {
        EXPECT_EQ(byte, 0u);
    }
}

TEST_F(Values, NoTrueValueStaysInMemory) {
    // A number that noise of this size does not produce by chance, nor anything else here.
    static const char text[] = "a string to look for";
    ASSERT_EQ(report_string(text), SOTTO_OK);
    const auto *memory = reinterpret_cast<const char *>(&device);
    const std::string bytes(memory, memory + sizeof device);
    for (size_t i = 0; i + 4 < sizeof text; ++i) {
        EXPECT_EQ(bytes.find(std::string(text + i, 4)), std::string::npos);
    }
    for (size_t i = 0; i < 2u * client->memory.words_per_release; ++i) {
        EXPECT_EQ(sotto::device::work_words(*client, 0)[i], 0u);
    }
}

TEST_F(Values, ANewReportTakesThePlaceOfTheOldestThatIsDone) {
    const uint32_t capacity = client->memory.release_capacity;
    for (uint32_t epoch = 0; epoch < capacity; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(sotto_report_boolean(client, EVERY_FLAG, true), SOTTO_OK);
    }
    ASSERT_EQ(sotto_advance(client, capacity), SOTTO_OK);
    EXPECT_EQ(sotto_report_boolean(client, EVERY_FLAG, true), SOTTO_ERR_QUEUE_FULL);
    flush();
    EXPECT_EQ(sotto_report_boolean(client, EVERY_FLAG, true), SOTTO_OK);
    EXPECT_EQ(release(EVERY_FLAG, 0), nullptr);
    EXPECT_EQ(sotto_relax(client, EVERY_FLAG, 1, 1), SOTTO_OK);
    EXPECT_EQ(sotto_relax(client, EVERY_FLAG, 0, 1), SOTTO_ERR_NO_RELEASE);
}

// RAPPOR's promise for values. Permanent bits belong to the whole value and stay, whatever was
// reported between. At most max_values values are told apart, the others look alike.
TEST_F(Values, PermanentBitsBelongToTheValue) {
    std::map<std::string, std::set<std::vector<uint32_t>>> seen;
    uint32_t epoch = 0;
    const auto permanent = [&](const std::string &text) {
        EXPECT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        EXPECT_EQ(report_string(text), SOTTO_OK);
        const uint32_t *words =
            sotto::device::release_words(*client, *release(EVERY_AIRCRAFT, epoch));
        std::vector<uint32_t> copy(words, words + 4);
        flush();
        ++epoch;
        return copy;
    };
    for (int round = 0; round < 4; ++round) {
        for (const char *text : {"DC-9", "MD-80", "B-727", "DC-9", "one too many"}) {
            seen[text].insert(permanent(text));
        }
    }
    ASSERT_EQ(seen.size(), 4u);
    std::set<std::vector<uint32_t>> different;
    for (const auto &[text, bits] : seen) {
        EXPECT_EQ(bits.size(), 1u) << text << " changes its permanent bits";
        different.insert(bits.begin(), bits.end());
    }
    EXPECT_EQ(different.size(), 4u);
}

// Beyond max_values the bits are a dummy's: noise on no bit at all.
TEST_F(Values, AValueTooManyIsADummy) {
    std::vector<double> ones(2);
    constexpr int devices = 400;
    for (int k = 0; k < devices; ++k) {
        new_device();
        uint32_t epoch = 0;
        for (const uint32_t category : {3u, 4u, 5u}) {
            ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
            ASSERT_EQ(sotto_report_category(client, EVERY_PHASE_RAPPOR, category), SOTTO_OK);
            const uint32_t *words =
                sotto::device::release_words(*client, *release(EVERY_PHASE_RAPPOR, epoch));
            ones[0] += category == 4 ? words[0] >> 4 & 1 : 0;
            ones[1] += category == 5 ? words[0] >> 5 & 1 : 0;
            flush();
            ++epoch;
        }
    }
    // f = 1/2: three quarters of true bits are one, a quarter of others; 400 devices, 9 sigma
    // apart.
    EXPECT_GT(ones[0], devices * 0.5);
    EXPECT_LT(ones[1], devices * 0.5);
}

// Values and dummies whose bits coincide at the top must not share the noise of the levels below.
// One of them would otherwise tell of the other. Permanent bits only, p = 0 and q = 1: reports are
// bare.
TEST_F(Values, ValuesWithTheSameBitsShareNoNoise) {
    int same_top = 0, same_below = 0;
    for (int k = 0; k < 3000; ++k) {
        new_device();
        std::vector<std::vector<uint32_t>> top, below;
        for (const uint32_t category : {0u, 1u}) { // the second is one too many
            ASSERT_EQ(sotto_advance(client, category), SOTTO_OK);
            ASSERT_EQ(sotto_report_category(client, EVERY_SHIFT, category), SOTTO_OK);
            top.push_back(published(EVERY_SHIFT, category, 1));
            below.push_back(published(EVERY_SHIFT, category, 0));
            flush();
        }
        same_top += top[0] == top[1];
        same_below += top[0] == top[1] && below[0] == below[1];
    }
    EXPECT_GT(same_top, 300);
    // Each bit of level 0 differs from the top with s = (.375 - .25) / .5 = 1/4. Two values' two
    // bits agree with (1 - 2 s (1 - s))^2 = 0.39. They always would if they shared their noise.
    EXPECT_LT(same_below, 0.6 * same_top);
}

// The other promise: nothing is remembered, every report is drawn anew.
TEST_F(Values, SequencesHaveNoPermanentBits) {
    std::set<std::vector<uint32_t>> seen;
    for (uint32_t epoch = 0; epoch < 8; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(sotto_report_string(client, EVERY_AIRCRAFT_BY_SEQUENCE, "DC-9", 4), SOTTO_OK);
        const uint32_t *words =
            sotto::device::release_words(*client, *release(EVERY_AIRCRAFT_BY_SEQUENCE, epoch));
        seen.insert(std::vector<uint32_t>(words, words + 2));
        flush();
    }
    EXPECT_EQ(seen.size(), 8u);
}

// Permanent bits of lower levels stay as well, and equal levels have equal bits.
TEST_F(Values, EveryLevelIsMemoized) {
    std::set<std::vector<uint32_t>> level0;
    std::vector<double> agree(3);
    for (uint32_t epoch = 0; epoch < 64; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(report_string("DC-9"), SOTTO_OK);
        level0.insert(published(EVERY_AIRCRAFT, epoch, 0));
        flush();
    }
    EXPECT_GT(level0.size(), 60u) << "instantaneous noise is fresh";
    // Over many reports a memoized bit shows: its rate is p or q, not between.
    std::vector<int> counts(128);
    for (const auto &words : level0) {
        for (size_t i = 0; i < 128; ++i) {
            counts[i] += static_cast<int>(words[i / 32] >> (i % 32) & 1);
        }
    }
    const auto n = static_cast<double>(level0.size());
    double spread = 0;
    for (const int c : counts) {
        spread += (c / n - 0.625) * (c / n - 0.625);
    }
    // p = .5, q = .75: variance (.125)^2 between bits against .234 / 64 of bits without memory.
    EXPECT_GT(spread / 128, 0.01);
}

// Tables that would publish a value as it is, or nearly so.
TEST_F(Values, TablesWithoutNoiseAreRefused) {
    const sotto_memory memory = client->memory;
    const auto refused = [&](uint16_t id, auto &&damage) {
        std::vector<sotto_metric> metrics(every_registry.metrics,
                                          every_registry.metrics + every_registry.metric_count);
        sotto_registry registry = every_registry;
        registry.metrics = metrics.data();
        for (sotto_metric &m : metrics) {
            if (m.id == id) {
                damage(m);
            }
        }
        sotto_deinit(client);
        fake.forget();
        const sotto_status status = sotto_init(client, &registry, &port, &memory);
        sotto_deinit(client); // before the registry goes
        return status;
    };
    EXPECT_EQ(refused(EVERY_FLAG, [](sotto_metric &) {}), SOTTO_OK) << "as it was compiled";
    static const sotto_threshold highest = {{0xfffffffeu, 0xffffffffu}}, lowest = {{1, 0}},
                                 zero = {{0, 0}};
    static const sotto_threshold keeps[] = {highest, highest, highest};
    EXPECT_EQ(refused(EVERY_PHASE,
                      [](sotto_metric &m) {
                          static sotto_k_randomized_response table;
                          table = {keeps, m.table.k_randomized_response->size};
                          m.table.k_randomized_response = &table;
                      }),
              SOTTO_ERR_REGISTRY);
    static const sotto_bit_channel bare[] = {
        {lowest, highest, 64}, {lowest, highest, 64}, {lowest, highest, 64}};
    EXPECT_EQ(refused(EVERY_FAULTS,
                      [](sotto_metric &m) {
                          static sotto_unary table;
                          table = *m.table.unary;
                          table.channel = bare;
                          m.table.unary = &table;
                      }),
              SOTTO_ERR_REGISTRY);
    static const uint32_t digits[2] = {0, 0};
    static const sotto_laplace_noise silent[] = {
        {lowest, {digits, 1, 2, 0}}, {lowest, {digits, 1, 2, 0}}, {lowest, {digits, 1, 2, 0}}};
    EXPECT_EQ(refused(EVERY_SPEED,
                      [](sotto_metric &m) {
                          static sotto_discrete_laplace table;
                          table = *m.table.discrete_laplace;
                          table.noise = silent;
                          m.table.discrete_laplace = &table;
                      }),
              SOTTO_ERR_REGISTRY);
    static sotto_forward_category step;
    step = {{highest, highest}, zero};
    EXPECT_EQ(refused(EVERY_PHASE, [](sotto_metric &m) { m.forward.category = &step; }),
              SOTTO_ERR_REGISTRY);
}

// The first members of a set that has too many count: more would cost epsilon that was not
// promised. At epsilon 4 a member's bit is one in half of the reports, another's in a fiftieth.
TEST_F(Values, MembersBeyondTheFirstDoNotCount) {
    const std::array<uint16_t, 5> five = {5, 1, 0, 2, 3};
    std::array<double, 6> ones{};
    constexpr int measured = 600;
    for (uint32_t epoch = 1; epoch <= measured; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(sotto_report_set(client, EVERY_FAULTS, five.data(), 5), SOTTO_VALUE_TOO_MANY);
        const uint32_t top = published(EVERY_FAULTS, epoch, 2)[0];
        for (size_t i = 0; i < ones.size(); ++i) {
            ones[i] += top >> i & 1;
        }
        flush();
    }
    const double p = probability_of_zero_bit();
    for (const size_t i : {0u, 1u, 5u}) {
        EXPECT_NEAR(ones[i] / measured, 0.5, 0.15);
    }
    for (const size_t i : {2u, 3u, 4u}) {
        EXPECT_NEAR(ones[i] / measured, p, 0.13) << "member " << i;
    }
}

// Seeds are secret in every byte: with what is public alone no level's noise can be computed.
TEST_F(Values, EveryByteOfASeedVaries) {
    std::array<std::set<uint8_t>, SOTTO_SEED_BYTES> seen;
    for (uint32_t epoch = 1; epoch <= 200; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        ASSERT_EQ(sotto_report_boolean(client, EVERY_FLAG, true), SOTTO_OK);
        for (size_t i = 0; i < seen.size(); ++i) {
            seen[i].insert(release(EVERY_FLAG, epoch)->key[i]);
        }
        flush();
    }
    for (const auto &values : seen) {
        EXPECT_GT(values.size(), 60u) << "of 256 values, 200 draws show 139 on average";
    }
}

TEST_F(Values, AnyOneReportFitsTheStatedBuffer) {
    ASSERT_EQ(sotto_advance_far(client, UINT32_MAX - 1), SOTTO_OK);
    ASSERT_EQ(report_string("DC-9"), SOTTO_OK);
    ASSERT_EQ(sotto_flush(client, buffer.data(), EVERY_FLUSH_BYTES_MIN, &length), SOTTO_OK);
    EXPECT_GT(length, 0u);
    EXPECT_EQ(sotto_pending(client), 0u);
}

// Three levels of each of 34 releases: sotto_relax() skips none that lies between.
TEST_F(Values, AllThatWaitsFitsTheStatedBuffer) {
    const uint32_t releases = device.client.memory.release_capacity;
    constexpr uint8_t levels = 3;
    for (uint32_t i = 0; i < releases; ++i) {
        const uint32_t epoch = UINT32_MAX - 1 - releases + i;
        ASSERT_EQ(sotto_advance_far(client, epoch), SOTTO_OK);
        ASSERT_EQ(report_string("DC-9"), SOTTO_OK);
        for (uint8_t level = 1; level < levels; ++level) {
            ASSERT_EQ(sotto_relax(client, EVERY_AIRCRAFT, epoch, level), SOTTO_OK);
        }
    }
    ASSERT_EQ(sotto_pending(client), size_t{levels} * releases);
    std::vector<uint8_t> batch(EVERY_FLUSH_BYTES_MAX);
    ASSERT_EQ(sotto_flush(client, batch.data(), batch.size(), &length), SOTTO_OK);
    EXPECT_EQ(sotto_pending(client), 0u);
    EXPECT_GT(length, batch.size() / 3);
}

TEST_F(Values, StateIsAsLargeAsTheHeaderSays) {
    EXPECT_EQ(sizeof device.state, size_t{EVERY_STATE_BYTES});
}

// tools/registry/state_size.py counts what the client counts, to the word.
TEST_F(Values, StateHasTheRoomThatTheClientNeeds) {
    sotto::memory_need need;
    ASSERT_EQ(sotto::check_registry(every_registry, need), SOTTO_OK);
    EXPECT_EQ(client->memory.account_words, need.account_words);
    EXPECT_EQ(client->memory.words_per_release, need.words);
    EXPECT_EQ(client->memory.random_bytes, need.random_bytes);
}

} // namespace
