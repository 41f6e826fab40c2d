// SPDX-License-Identifier: Apache-2.0
// Requests from anyone, on the device. libprotobuf would have written every request that is read,
// with the same fields. A request that the operator did not sign changes nothing; one that he
// signed obeys the registry.
#include "metrics.h"
#include "sotto_testing.h"
#include "target.hpp"

#include "aggregator/request/request.hpp"
#include "report.pb.h"
#include "report/decode_request.hpp"

#include <algorithm>
#include <cstring>

SOTTO_TEST_PROGRAM();

namespace {

using namespace sotto;
using bytes = std::vector<std::uint8_t>; // its own size: a sanitizer sees reads behind it

// As libprotobuf writes it, in range, and with the registry, be it zero.
bool is_canonical(const sotto::RequestBody &b, const std::string &text) {
    const auto &select = b.select();
    return b.registry() != 0 && b.SerializeAsString() == text &&
           b.GetReflection()->GetUnknownFields(b).field_count() == 0 && b.metric() != 0 &&
           b.level() != 0 && b.serial() != 0 && b.first_epoch() <= b.last_epoch() &&
           std::adjacent_find(select.begin(), select.end(), std::greater_equal<>()) == select.end();
}

// Does the device read these bytes as a request's body?
bool check_body(const std::string &body) {
    if (body.size() > report::request_bytes_max) {
        return false;
    }
    sotto::Request around;
    around.set_body(body);
    around.set_signature(std::string(report::signature_bytes, 's'));
    const std::string text = around.SerializeAsString();
    const bytes exact(text.begin(), text.end());
    report::request ours = {};
    const bool taken = report::decode_request(exact.data(), exact.size(), ours);
    sotto::RequestBody theirs;
    const bool sound = theirs.ParseFromString(body) && text.size() <= report::request_bytes_max;
    if (!taken) {
        expect(!(sound && is_canonical(theirs, body)), "a request that libprotobuf writes is read");
        return false;
    }
    expect(sound && theirs.registry() == ours.registry && theirs.metric() == ours.metric &&
               theirs.level() == ours.level && theirs.first_epoch() == ours.first_epoch &&
               theirs.last_epoch() == ours.last_epoch && theirs.serial() == ours.serial,
           "its numbers are theirs");
    expect(ours.registry == 0 || is_canonical(theirs, body), "what is read is what it would write");
    expect(ours.is_selective() == (theirs.select_size() > 0), "it selects where theirs does");
    for (const std::uint32_t value : theirs.select()) {
        expect(ours.selects(value) && value <= ours.highest_selected(),
               "it selects what theirs does");
    }
    return true;
}

// A device that said something of every metric that can be asked for.
struct device {
    sotto_testing storage;
    asked_client it = {};
    sotto_client *client = &it.client;

    device() {
        sotto_testing_init(&storage, reinterpret_cast<const std::uint8_t *>("fuzz"), 4, 0);
        const sotto_port port = sotto_testing_port(&storage);
        bytes buffer(4096);
        std::size_t length = 0;
        expect(asked_init(&it, &port) == SOTTO_OK && sotto_advance(client, 0) == SOTTO_OK &&
                   sotto_report_boolean(client, ASKED_DOOR, true) == SOTTO_OK &&
                   sotto_report_category(client, ASKED_ROOM, 1) == SOTTO_OK &&
                   sotto_report_integer(client, ASKED_POWER, 3) == SOTTO_OK &&
                   sotto_flush(client, buffer.data(), buffer.size(), &length) == SOTTO_OK,
               "a device reports");
    }
    std::uint32_t serial() const { return it.state.head.request_serial; }
    sotto_status ask(const std::string &text, sotto_request_result &result) {
        const bytes exact(text.begin(), text.end());
        return sotto_request(client, exact.data(), exact.size(), nullptr, nullptr, &result);
    }
    void expect_lawful() const {
        for (std::size_t i = 0;; ++i) {
            sotto_release_info info{};
            if (sotto_get_release(client, i, &info) != SOTTO_OK) {
                return;
            }
            for (std::size_t m = 0; m < client->registry->metric_count; ++m) {
                const sotto_metric &metric = client->registry->metrics[m];
                expect(metric.id != info.metric_id || info.level <= metric.request_level,
                       "no release stands above what may be asked for");
            }
        }
    }
};

void check_unsigned(const std::string &text) {
    static device untouched;
    const asked_client before = untouched.it;
    sotto_request_result result = {};
    const sotto_status nothing = text.empty() ? SOTTO_ERR_ARGUMENT : SOTTO_ERR_REQUEST_INVALID;
    expect(untouched.ask(text, result) == nothing, "nobody signed that");
    expect(std::memcmp(&before.state, &untouched.it.state, sizeof before.state) == 0 &&
               sotto_pending(untouched.client) == 0,
           "it changed nothing");
}

void check_signed(const std::string &body) {
    static const aggregator::request_key key = aggregator::read_request_key(SOTTO_OPERATOR_KEY);
    static const device fresh;
    const std::string text = "\x10sotto request v1" + body;
    const auto signature =
        key.sign({reinterpret_cast<const std::uint8_t *>(text.data()), text.size()});
    sotto::Request whole;
    whole.set_body(body);
    whole.set_signature(std::string(signature.begin(), signature.end()));
    device asked;
    sotto_request_result result = {};
    const sotto_status status = asked.ask(whole.SerializeAsString(), result);
    asked.expect_lawful();
    sotto::RequestBody read;
    expect(status != SOTTO_ERR_REQUEST_INVALID && read.ParseFromString(body), "he signed it");
    if (status == SOTTO_OK) {
        expect(asked.serial() == read.serial() && sotto_pending(asked.client) == result.relaxed,
               "what was relaxed waits, and its serial is over");
        expect(asked.ask(whole.SerializeAsString(), result) == SOTTO_ERR_REQUEST_REPLAYED,
               "it is obeyed once");
    } else {
        expect(asked.serial() == 0 && sotto_pending(asked.client) == 0,
               "refused, nothing is different");
    }
}

} // namespace

std::vector<std::string> seeds() {
    std::vector<std::string> texts;
    for (std::uint32_t metric = 1; metric <= 4; ++metric) {
        sotto::RequestBody b;
        b.set_registry(asked_registry.fingerprint);
        b.set_metric(metric);
        b.set_level(1);
        b.set_last_epoch(metric * 100);
        b.set_serial(metric);
        if (metric == 2) {
            b.add_select(0);
            b.add_select(2);
        }
        texts.push_back(b.SerializeAsString());
    }
    sotto::Request whole;
    whole.set_body(texts[0]);
    whole.set_signature(std::string(64, 's'));
    texts.push_back(whole.SerializeAsString());
    return texts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const std::string text(reinterpret_cast<const char *>(data), size);
    check_unsigned(text);
    if (check_body(text)) {
        check_signed(text);
    }
    return 0;
}
