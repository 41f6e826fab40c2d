// SPDX-License-Identifier: Apache-2.0
// A device that the operator asks, and one that somebody else asks.
#include "aggregator/request/request.hpp"
#include "fake_port.hpp"
#include "metrics.h"
#include "read_batch.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

using sotto::aggregator::request_key;

const request_key &operator_key() {
    static const request_key key =
        sotto::aggregator::read_request_key(SOTTO_REQUEST_KEYS "operator.key");
    return key;
}

std::string varint(uint32_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) {
        bytes += static_cast<char>(value | 0x80);
    }
    return bytes + static_cast<char>(value);
}

// A message around any body, whether it is one or not.
std::string signed_as(const std::string &body, const request_key &key = operator_key()) {
    const std::string text = "\x10sotto request v1" + body;
    const auto signature = key.sign({reinterpret_cast<const uint8_t *>(text.data()), text.size()});
    return "\x0a" + varint(static_cast<uint32_t>(body.size())) + body + "\x12\x40" +
           std::string(signature.begin(), signature.end());
}

class Request : public ::testing::Test {
  protected:
    fake_port fake;
    sotto_port port = fake.port();
    asked_client device{};
    sotto_client *client = &device.client;
    std::array<uint8_t, 2048> buffer{};
    size_t length = 0;
    sotto_request_result result{};

    void SetUp() override {
        ASSERT_EQ(asked_init(&device, &port), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    }
    void reboot(uint32_t epoch) {
        std::memset(&device, 0xa5, sizeof device);
        ASSERT_EQ(asked_init(&device, &port), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
    }
    static sotto::aggregator::request to_all(uint32_t metric, uint32_t level, uint32_t serial = 1) {
        sotto::aggregator::request r;
        r.registry = asked_registry.fingerprint;
        r.metric = metric;
        r.level = level;
        r.serial = serial;
        r.last_epoch = 10;
        return r;
    }
    sotto_status ask(const std::string &bytes, sotto_consent *consent = nullptr,
                     void *context = nullptr) {
        // A copy of its own size, so that a sanitizer sees a read behind it.
        const std::vector<uint8_t> exact(bytes.begin(), bytes.end());
        return sotto_request(client, exact.data(), exact.size(), consent, context, &result);
    }
    sotto_status ask(const sotto::aggregator::request &r) {
        return ask(sign_request(r, operator_key()));
    }
    std::vector<read_report> flush() {
        EXPECT_EQ(sotto_flush(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        return length == 0 ? std::vector<read_report>{} : reports();
    }
    std::vector<read_report> resend() {
        EXPECT_EQ(sotto_resend(client, buffer.data(), buffer.size(), &length), SOTTO_OK);
        return reports();
    }
    std::vector<read_report> reports() const {
        return read_batch(buffer.data(), length, asked_registry).reports;
    }
    uint32_t level_of(size_t index) {
        sotto_release_info info{};
        EXPECT_EQ(sotto_get_release(client, index, &info), SOTTO_OK);
        return info.level;
    }
    uint32_t spent(uint16_t metric) {
        sotto_account a{};
        EXPECT_EQ(sotto_get_account(client, metric, &a), SOTTO_OK);
        return a.spent;
    }
    void door_was_sent(bool value = true) {
        ASSERT_EQ(sotto_report_boolean(client, ASKED_DOOR, value), SOTTO_OK);
        ASSERT_EQ(flush().size(), 1u);
    }
    // After `ask` refused, nothing is different.
    void nothing_happened() {
        EXPECT_EQ(sotto_pending(client), 0u);
        EXPECT_EQ(level_of(0), 0u);
        EXPECT_EQ(result.relaxed, 0u);
        EXPECT_EQ(device.state.head.request_serial, 0u);
    }
};

TEST_F(Request, RelaxesAndIsChargedForIt) {
    door_was_sent();
    const uint32_t before = spent(ASKED_DOOR);
    ASSERT_EQ(ask(to_all(ASKED_DOOR, 1)), SOTTO_OK);
    EXPECT_EQ(result.relaxed, 1u);
    EXPECT_GT(spent(ASKED_DOOR), before);
    const auto sent = flush();
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].level, 1u);
    EXPECT_EQ(sent[0].flags, 0u) << "nobody was selected";
    EXPECT_EQ(ask(to_all(ASKED_DOOR, 1, 2)), SOTTO_OK) << "stands there already";
    EXPECT_EQ(result.relaxed, 0u);
    EXPECT_EQ(sotto_pending(client), 0u);
}

TEST_F(Request, OnlyEpochsAndMetricThatWereAskedFor) {
    for (uint32_t epoch = 0; epoch < 4; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        door_was_sent();
        ASSERT_EQ(sotto_report_category(client, ASKED_ROOM, 1), SOTTO_OK);
        (void)flush();
    }
    auto r = to_all(ASKED_DOOR, 1);
    r.first_epoch = 1;
    r.last_epoch = 2;
    ASSERT_EQ(ask(r), SOTTO_OK);
    EXPECT_EQ(result.relaxed, 2u);
    const auto sent = flush();
    ASSERT_EQ(sent.size(), 2u);
    for (const read_report &report : sent) {
        EXPECT_EQ(report.metric, 1u);
        EXPECT_TRUE(report.epoch_age == 1 || report.epoch_age == 2);
    }
}

TEST_F(Request, ASerialIsObeyedOnceAlsoAfterAReboot) {
    door_was_sent();
    const std::string bytes = sign_request(to_all(ASKED_DOOR, 1, 7), operator_key());
    ASSERT_EQ(ask(bytes), SOTTO_OK);
    EXPECT_EQ(ask(bytes), SOTTO_ERR_REQUEST_REPLAYED);
    EXPECT_EQ(ask(to_all(ASKED_DOOR, 2, 6)), SOTTO_ERR_REQUEST_REPLAYED) << "older";
    reboot(0);
    EXPECT_EQ(level_of(0), 1u);
    EXPECT_EQ(ask(bytes), SOTTO_ERR_REQUEST_REPLAYED);
    ASSERT_EQ(flush().size(), 1u) << "it waited";
    reboot(0);
    EXPECT_EQ(ask(bytes), SOTTO_ERR_REQUEST_REPLAYED);
    EXPECT_EQ(ask(to_all(ASKED_DOOR, 2, 8)), SOTTO_OK);
    (void)flush();
    ASSERT_EQ(sotto_wipe(client), SOTTO_OK);
    reboot(0);
    EXPECT_EQ(ask(bytes), SOTTO_ERR_REQUEST_REPLAYED) << "a wiped device remembers it too";
}

// Nobody knows which serials were obeyed: none is, until the registry names one that is above.
TEST_F(Request, AWipeOfAStateThatCantBeReadObeysNoOldRequest) {
    const std::string old = sign_request(to_all(ASKED_DOOR, 1, 7), operator_key());
    ASSERT_EQ(ask(old), SOTTO_OK);
    (void)flush();
    for (const uint32_t slot : {SOTTO_SLOT_STATE_A, SOTTO_SLOT_STATE_B}) {
        fake.slots[slot][30] ^= 1;
    }
    sotto_registry registry = asked_registry;
    const auto start = [&](uint32_t after_serial) {
        registry.request_serial = after_serial;
        const sotto_memory memory = device.client.memory;
        const sotto_status stopped = sotto_deinit(client);
        EXPECT_EQ(stopped, SOTTO_OK);
        return sotto_init(client, &registry, &port, &memory);
    };
    ASSERT_EQ(start(5), SOTTO_ERR_STATE_CORRUPT);
    ASSERT_EQ(sotto_wipe(client), SOTTO_OK);
    for (const uint32_t after_serial : {5u, 7u}) {
        reboot(0); // for the memory
        ASSERT_EQ(start(after_serial), SOTTO_OK);
        ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
        EXPECT_EQ(ask(old), SOTTO_ERR_REQUEST_REPLAYED) << after_serial;
        EXPECT_EQ(ask(to_all(ASKED_DOOR, 1, 8)),
                  after_serial == 5 ? SOTTO_ERR_REQUEST_REPLAYED : SOTTO_OK);
    }
    reboot(0);
    ASSERT_EQ(start(0), SOTTO_OK);
    ASSERT_EQ(sotto_advance(client, 0), SOTTO_OK);
    EXPECT_EQ(ask(to_all(ASKED_DOOR, 1, 8)), SOTTO_ERR_REQUEST_REPLAYED);
    EXPECT_EQ(ask(to_all(ASKED_DOOR, 1, 9)), SOTTO_OK) << "from here on it knows";
}

// Nothing waits then, and no flush would store it.
TEST_F(Request, ASerialThatRaisedNothingIsSpentToo) {
    const std::string bytes = sign_request(to_all(ASKED_DOOR, 1, 7), operator_key());
    ASSERT_EQ(ask(bytes), SOTTO_OK);
    ASSERT_EQ(sotto_pending(client), 0u);
    reboot(0);
    EXPECT_EQ(ask(bytes), SOTTO_ERR_REQUEST_REPLAYED);
}

TEST_F(Request, WhatCouldNotBeStoredCanGoOn) {
    door_was_sent();
    const std::string bytes = sign_request(to_all(ASKED_DOOR, 1, 7), operator_key());
    fake.storage_fails = true;
    EXPECT_EQ(ask(bytes), SOTTO_ERR_STORAGE);
    EXPECT_EQ(sotto_flush(client, buffer.data(), buffer.size(), &length), SOTTO_ERR_STORAGE);
    EXPECT_EQ(length, 0u);
    fake.storage_fails = false;
    EXPECT_EQ(ask(bytes), SOTTO_OK);
    EXPECT_EQ(ask(bytes), SOTTO_ERR_REQUEST_REPLAYED);
    EXPECT_EQ(flush().size(), 1u);
}

TEST_F(Request, WhatTheRegistryDoesNotAllowIsRefused) {
    door_was_sent();
    auto other = to_all(ASKED_DOOR, 1);
    other.registry ^= 1;
    for (const auto &r : {other, to_all(99, 1), to_all(ASKED_POWER, 2), to_all(ASKED_DOOR, 3),
                          to_all(ASKED_ALARM, 1), to_all(65537, 1)}) {
        EXPECT_EQ(ask(r), SOTTO_ERR_REQUEST_NOT_ALLOWED) << r.metric << " " << r.level;
        nothing_happened();
    }
    EXPECT_EQ(ask(to_all(ASKED_POWER, 1)), SOTTO_OK) << "the control";
}

TEST_F(Request, SelectionIsForBooleansAndCategoriesThatPublishAnIndex) {
    door_was_sent();
    for (const uint32_t metric : {ASKED_POWER, ASKED_APP, ASKED_LOAD}) {
        auto r = to_all(metric, 1);
        r.select = {1};
        EXPECT_EQ(ask(r), SOTTO_ERR_REQUEST_NOT_ALLOWED) << metric;
    }
    auto r = to_all(ASKED_DOOR, 1);
    r.select = {0, 2};
    EXPECT_EQ(ask(r), SOTTO_ERR_REQUEST_NOT_ALLOWED) << "a boolean has no third value";
    r = to_all(ASKED_ROOM, 1);
    r.select = {3};
    EXPECT_EQ(ask(r), SOTTO_ERR_REQUEST_NOT_ALLOWED);
    nothing_happened();
    r.select = {2};
    EXPECT_EQ(ask(r), SOTTO_OK) << "the control";
}

TEST_F(Request, WithoutAKeyInTheRegistryNobodyCanAsk) {
    sotto_registry deaf = asked_registry;
    deaf.request_key = nullptr;
    device.client.registry = &deaf;
    EXPECT_EQ(ask(to_all(ASKED_DOOR, 1)), SOTTO_ERR_REQUEST_NOT_ALLOWED);
}

TEST_F(Request, ConsentIsAskedLastAndCanRefuse) {
    door_was_sent();
    struct seen {
        sotto_client *client;
        sotto_request_info info;
        int times;
        bool answer;
        sotto_status inside;
    } consent = {client, {}, 0, false, SOTTO_OK};
    const auto hook = [](void *context, const sotto_request_info *info) {
        auto &s = *static_cast<seen *>(context);
        s.info = *info;
        ++s.times;
        s.inside = sotto_relax(s.client, ASKED_DOOR, 0, 1);
        return s.answer;
    };
    auto r = to_all(ASKED_DOOR, 2, 9);
    r.first_epoch = 0;
    r.last_epoch = 3;
    r.select = {0};
    std::string bytes = sign_request(r, operator_key());
    EXPECT_EQ(ask(bytes, hook, &consent), SOTTO_ERR_REQUEST_REFUSED);
    nothing_happened();
    EXPECT_EQ(consent.inside, SOTTO_ERR_BUSY);
    EXPECT_EQ(consent.info.serial, 9u);
    EXPECT_EQ(consent.info.metric_id, 1u);
    EXPECT_EQ(consent.info.level, 2u);
    EXPECT_EQ(consent.info.last_epoch, 3u);
    EXPECT_TRUE(consent.info.is_selective);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    EXPECT_EQ(ask(bytes, hook, &consent), SOTTO_ERR_REQUEST_INVALID);
    EXPECT_EQ(consent.times, 1) << "a forger can't make it ask the user";
    consent.answer = true;
    EXPECT_EQ(ask(sign_request(r, operator_key()), hook, &consent), SOTTO_OK)
        << "who refused may agree later";
}

TEST_F(Request, WhatIsAboveTheBudgetIsLeftOutAndCounted) {
    // 3 in 5 epochs: one at 2 and two at 0.5 fit, two at 2 do not.
    for (uint32_t epoch = 0; epoch < 3; ++epoch) {
        ASSERT_EQ(sotto_advance(client, epoch), SOTTO_OK);
        door_was_sent();
    }
    ASSERT_EQ(ask(to_all(ASKED_DOOR, 2)), SOTTO_OK);
    EXPECT_EQ(result.relaxed, 1u);
    EXPECT_EQ(result.over_budget, 2u);
    EXPECT_LE(spent(ASKED_DOOR), 3u << 20);
    EXPECT_EQ(flush().size(), 1u);
}

TEST_F(Request, PausedDevicesDoNothing) {
    door_was_sent();
    ASSERT_EQ(sotto_pause(client), SOTTO_OK);
    EXPECT_EQ(ask(to_all(ASKED_DOOR, 1)), SOTTO_ERR_PAUSED);
    nothing_happened();
    ASSERT_EQ(sotto_resume(client), SOTTO_OK);
    EXPECT_EQ(ask(to_all(ASKED_DOOR, 1)), SOTTO_OK);
}

TEST_F(Request, SelectionGoesByThePublishedValueOnly) {
    int relaxed = 0, published_otherwise = 0;
    for (uint32_t i = 0; i < 200; ++i) {
        fake.forget();
        fake.state = i + 1;
        reboot(0);
        const bool value = i % 2 == 0;
        ASSERT_EQ(sotto_report_boolean(client, ASKED_DOOR, value), SOTTO_OK);
        auto r = to_all(ASKED_DOOR, 1);
        r.select = {1};
        ASSERT_EQ(ask(r), SOTTO_OK);
        EXPECT_EQ(result.unpublished, 1u) << "nothing was said yet";
        const auto first = flush();
        ASSERT_EQ(first.size(), 1u);
        ASSERT_EQ(first[0].level, 0u);
        r.serial = 2;
        ASSERT_EQ(ask(r), SOTTO_OK);
        const bool is_one = first[0].index == 1;
        EXPECT_EQ(result.relaxed, is_one ? 1u : 0u);
        EXPECT_EQ(result.not_selected, is_one ? 0u : 1u);
        EXPECT_EQ(sotto_pending(client), is_one ? 1u : 0u);
        relaxed += is_one;
        published_otherwise += is_one != value;
    }
    EXPECT_GT(relaxed, 50);
    EXPECT_GT(published_otherwise, 20) << "the truth would have passed this test as well";
}

TEST_F(Request, ReportsAboveASelectionAreFlaggedAlsoAfterAReboot) {
    for (const bool is_selected : {true, false}) {
        fake.forget();
        reboot(0);
        ASSERT_EQ(sotto_report_boolean(client, ASKED_DOOR, true), SOTTO_OK);
        const auto first = flush();
        auto r = to_all(ASKED_DOOR, 1);
        r.select = {first[0].index ^ (is_selected ? 0u : 1u)};
        ASSERT_EQ(ask(r), SOTTO_OK);
        EXPECT_EQ(resend()[0].flags, 0u) << "what was sent stays as it was sent";
        EXPECT_EQ(buffer[0], 41u);
        const auto second = flush();
        ASSERT_EQ(second.size(), is_selected ? 1u : 0u);
        if (is_selected) {
            EXPECT_EQ(second[0].flags, 1u);
            EXPECT_EQ(second[0].release, first[0].release);
            reboot(1);
            EXPECT_EQ(resend()[0].flags, 1u);
        }
        // A selection looked at it: what comes above is no longer by chance, whoever asks for it.
        ASSERT_EQ(sotto_relax(client, ASKED_DOOR, 0, 2), SOTTO_OK);
        const auto third = flush();
        ASSERT_EQ(third.size(), 1u);
        EXPECT_EQ(third[0].level, 2u);
        EXPECT_EQ(third[0].flags, 1u);
    }
}

// A device that was looked at and left out must still know so after a reboot.
TEST_F(Request, AFlagOutlivesARebootThoughNothingWaits) {
    door_was_sent();
    auto r = to_all(ASKED_DOOR, 1);
    r.select = {resend()[0].index ^ 1u};
    ASSERT_EQ(ask(r), SOTTO_OK);
    ASSERT_EQ(result.not_selected, 1u);
    reboot(0);
    ASSERT_EQ(ask(to_all(ASKED_DOOR, 1, 2)), SOTTO_OK); // everybody
    const auto second = flush();
    ASSERT_EQ(second.size(), 1u);
    EXPECT_EQ(second[0].flags, 1u);
}

TEST_F(Request, CategoriesAreSelectedByName) {
    uint32_t relaxed = 0, answered = 0;
    for (uint32_t i = 0; i < 60; ++i) {
        fake.forget();
        fake.state = i + 1;
        reboot(0);
        ASSERT_EQ(sotto_report_category(client, ASKED_ROOM, i % 3), SOTTO_OK);
        ASSERT_EQ(sotto_report_category(client, ASKED_ROOM, i % 3), SOTTO_OK);
        uint32_t expected = 0;
        for (const read_report &report : flush()) {
            expected += report.index != 1;
            ++answered;
        }
        auto r = to_all(ASKED_ROOM, 1);
        r.select = {0, 2};
        ASSERT_EQ(ask(r), SOTTO_OK);
        EXPECT_EQ(result.relaxed, expected) << "each measurement of an epoch by itself";
        relaxed += result.relaxed;
    }
    EXPECT_GT(relaxed, 0u);
    EXPECT_LT(relaxed, answered);
}

TEST_F(Request, ForgeriesAreInvalid) {
    door_was_sent();
    const std::string good = sign_request(to_all(ASKED_DOOR, 1), operator_key());
    const request_key stranger = sotto::aggregator::generate_request_key();
    EXPECT_EQ(ask(sign_request(to_all(ASKED_DOOR, 1), stranger)), SOTTO_ERR_REQUEST_INVALID);
    for (size_t i = 0; i < good.size(); ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            std::string bad = good;
            bad[i] = static_cast<char>(bad[i] ^ 1 << bit);
            ASSERT_EQ(ask(bad), SOTTO_ERR_REQUEST_INVALID) << "byte " << i << " bit " << bit;
        }
    }
    for (size_t size = 1; size < good.size(); ++size) {
        ASSERT_EQ(ask(good.substr(0, size)), SOTTO_ERR_REQUEST_INVALID) << size;
    }
    EXPECT_EQ(ask(good + '\0'), SOTTO_ERR_REQUEST_INVALID);
    EXPECT_EQ(sotto_request(client, nullptr, 9, nullptr, nullptr, &result), SOTTO_ERR_ARGUMENT);
    EXPECT_EQ(sotto_request(nullptr, nullptr, 0, nullptr, nullptr, nullptr),
              SOTTO_ERR_NOT_INITIALISED);
    nothing_happened();
    EXPECT_EQ(ask(good), SOTTO_OK);
}

// The operator's own key signed it, but not in the canonical form.
TEST_F(Request, OnlyTheCanonicalFormIsRead) {
    door_was_sent();
    std::string registry = "\x0d";
    for (int i = 0; i < 4; ++i) {
        registry += static_cast<char>(asked_registry.fingerprint >> (8 * i));
    }
    const auto text = [](std::initializer_list<int> bytes) {
        return std::string(bytes.begin(), bytes.end());
    };
    const std::string metric = text({0x10, 1}), level = text({0x18, 1}), last = text({0x28, 9}),
                      serial = text({0x30, 1});
    const std::string body = registry + metric + level + last + serial;
    for (const std::string &bad : {
             metric + registry + level + last + serial,                   // order
             registry + level + last + serial,                            // no metric
             registry + metric + last + serial,                           // no level
             registry + metric + level + last,                            // no serial
             registry + metric + level + last + text({0x30, 0}),          // serial 0
             registry + metric + level + text({0x20, 0}) + last + serial, // a zero
             registry + metric + level + text({0x28, 0x89, 0}) + serial,  // a longer varint
             registry + metric + level + last + text({0x30, 0x81, 0x80, 0x80, 0x80, 0x10}),
             registry + metric + level + last + text({0x30, 0x81, 0x80, 0x80, 0x80, 0x80, 1}),
             registry + metric + level + text({0x20, 10}) + last + serial, // first above last
             body + text({0x3a, 0}),                                       // an empty selection
             body + text({0x3a, 2, 1, 0}),                                 // falling
             body + text({0x3a, 2, 1, 1}),                                 // twice
             body + text({0x38, 1}),                                       // not packed
             body + text({0x3a, 3, 0, 1}),                                 // longer than the body
             body + text({0x40, 1}),                                       // unknown
             body + serial,                                                // a field twice
             std::string(),
         }) {
        EXPECT_EQ(ask(signed_as(bad)), SOTTO_ERR_REQUEST_INVALID);
        nothing_happened();
    }
    const std::string good = signed_as(body);
    const std::string message_body = good.substr(0, 2 + body.size()),
                      signature = good.substr(2 + body.size());
    EXPECT_EQ(ask(signature + message_body), SOTTO_ERR_REQUEST_INVALID);
    EXPECT_EQ(ask(good + good), SOTTO_ERR_REQUEST_INVALID);
    EXPECT_EQ(ask(message_body + "\x12\x3f" + signature.substr(2, 63)), SOTTO_ERR_REQUEST_INVALID);
    EXPECT_EQ(ask(good), SOTTO_OK) << "the control";
}

TEST_F(Request, AreBoundedInSize) {
    ASSERT_EQ(sotto_report_category(client, ASKED_ROOM, 1), SOTTO_OK);
    auto r = to_all(ASKED_ROOM, 1);
    for (uint32_t i = 0; i < 300; ++i) {
        r.select.push_back(i);
    }
    std::string bytes = sign_request(r, operator_key());
    while (bytes.size() > SOTTO_REQUEST_BYTES_MAX) {
        r.select.pop_back();
        bytes = sign_request(r, operator_key());
    }
    EXPECT_GT(bytes.size(), SOTTO_REQUEST_BYTES_MAX - 3u);
    EXPECT_EQ(ask(bytes), SOTTO_ERR_REQUEST_NOT_ALLOWED) << "read, but there are 3 rooms only";
    r.select.push_back(r.select.back() + 1);
    r.select.push_back(r.select.back() + 1);
    EXPECT_EQ(ask(r), SOTTO_ERR_REQUEST_INVALID);
}

// Bits, bytes, pieces and lengths changed at random, several at once.
TEST_F(Request, MutationsAreNeverObeyed) {
    door_was_sent();
    auto selective = to_all(ASKED_DOOR, 2, 300);
    selective.select = {0, 1};
    const std::array<std::string, 2> good = {sign_request(to_all(ASKED_DOOR, 1), operator_key()),
                                             sign_request(selective, operator_key())};
    uint64_t state = 4;
    const auto random = [&state](size_t below) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<size_t>((state >> 33) % below);
    };
    int verified = 0;
    for (int i = 0; i < 30000; ++i) {
        std::string bad = good[random(2)];
        // Few with a body in order, which the verifier has to see: that takes its time.
        const bool anywhere = random(50) == 0;
        for (size_t k = 1 + random(3); k-- > 0;) {
            const size_t place = anywhere || bad.size() < 65 ? bad.size() : bad.size() - 64;
            switch (random(5)) {
            case 0:
                bad[random(place)] = static_cast<char>(random(256));
                break;
            case 1:
                bad.insert(random(place), 1, static_cast<char>(random(256)));
                break;
            case 2:
                bad.erase(random(place), bad.size() > 1 ? 1 : 0);
                break;
            case 3:
                bad = bad.substr(0, 1 + random(bad.size()));
                break;
            default:
                bad += good[random(2)].substr(random(60));
            }
        }
        if (bad == good[0] || bad == good[1]) {
            continue;
        }
        const sotto_status status = ask(bad);
        ASSERT_EQ(status, SOTTO_ERR_REQUEST_INVALID) << i;
        verified += bad.size() == good[0].size() || bad.size() == good[1].size();
    }
    EXPECT_GT(verified, 300);
    nothing_happened();
}

} // namespace
