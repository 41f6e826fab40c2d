// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/failure.hpp"
#include "aggregator/registry/tables.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

std::string complaint(const std::string &text) {
    try {
        (void)parse_registry(text, "M.json");
    } catch (const usage_error &error) {
        return error.what();
    }
    return "accepted";
}

TEST(Registry, ReadsEverything) {
    const registry r = parse_registry(registry_text(), "M.json");
    EXPECT_EQ(r.name, "bird-strikes");
    EXPECT_EQ(r.fingerprint, fleet);
    ASSERT_TRUE(r.device);
    EXPECT_EQ(r.device->epochs, 30u);
    ASSERT_EQ(r.metrics.size(), 2u);
    EXPECT_EQ(r.find(7u), r.find("smoke"));
    EXPECT_EQ(r.find(2u), nullptr);
    EXPECT_EQ(r.find("fire"), nullptr);
    EXPECT_FALSE(r.find("smoke")->window);
    EXPECT_EQ(r.find("damage")->window->epochs, 7u);
    EXPECT_EQ(flip_of(r.find("damage")->levels[0].law), 0.25);
    EXPECT_EQ(flip_of(r.find("smoke")->levels[0].law), 0.375);
    EXPECT_EQ(r.find("smoke")->levels[0].cost, 535640u);
}

TEST(Registry, MakesTheTablesOfADevice) {
    const registry r = parse_registry(registry_text(), "M.json");
    const tables t(r);
    ASSERT_EQ(t.get().metric_count, 2);
    EXPECT_EQ(t.get().fingerprint, fleet);
    const sotto_metric &smoke = t.get().metrics[1];
    EXPECT_EQ(smoke.id, 7);
    EXPECT_EQ(smoke.fingerprint, smoke_fingerprint);
    EXPECT_EQ(smoke.level_count, 2);
    EXPECT_EQ(smoke.random_bytes, 8);
    EXPECT_EQ(smoke.value_words, 1);
    EXPECT_EQ(smoke.table.randomized_response->flip[1].limb[0], 0u);
    EXPECT_EQ(smoke.table.randomized_response->flip[1].limb[1], 0x40000000u);
    EXPECT_EQ(smoke.cost[0], 535640u);
    EXPECT_EQ(smoke.cost[1], 1151979u);
    EXPECT_EQ(smoke.cost_reports, 0);
    EXPECT_EQ(smoke.budget, 0u);
    EXPECT_EQ(smoke.window_epochs, 0);
    EXPECT_EQ(smoke.per_epoch, 1);
    EXPECT_EQ(t.get().metrics[0].budget, 8u << 20);
    EXPECT_EQ(t.get().metrics[0].window_epochs, 7);
    EXPECT_EQ(t.get().budget, 16u << 20);
    EXPECT_EQ(t.get().window_epochs, 30);
    EXPECT_EQ(t.get().max_epoch_jump, 400u);
}

TEST(Registry, RefusesWhatIsWrongAndSaysWhere) {
    const struct {
        const char *from, *replacement, *expected;
    } cases[] = {
        {"\"format\": 2", "\"format\": 1", "format: 1 is not within 2 to 2"},
        {"\"format\": 2,", "", "format: missing"},
        {"\"format\": 2", "\"format\": \"2\"", "format: not a whole number"},
        {"\"version\": 1", "\"version\": -1", "registry.version: not a whole number"},
        {"\"version\": 1", "\"version\": 1.5", "registry.version: not a whole number"},
        {"bird-strikes", "Bird", "registry.name: \"Bird\" is not"},
        {"8a1b2c3d", "8a1b2c3", "registry.fingerprint: \"8a1b2c3\" is not a fingerprint"},
        {"8a1b2c3d", "8A1B2C3D", "is not a fingerprint"},
        {"8a1b2c3d", "8a1b2c3g", "is not a fingerprint"},
        {"\"window_epochs\": 30", "\"window_epochs\": 65", "device.window_epochs: 65 is not"},
        {"\"id\": 1,", "\"id\": 0,", "metrics[0].id: 0 is not within 1 to 65535"},
        {"\"id\": 1,", "\"id\": 7,", "metrics[1].id: ids do not ascend"},
        {"\"id\": 7,", "\"id\": 65536,", "metrics[1].id: 65536"},
        {"\"smoke\"", "\"damage\"", "metrics[1].name: \"damage\" occurs twice"},
        {"89abcdef", "01234567", "metrics[1].fingerprint: occurs twice"},
        {"\"boolean\"", "\"bool\"", "metrics[0].type: \"bool\" is not known; known: boolean, cat"},
        {"randomized_response", "unary",
         "metrics[0].mechanism: \"unary\" is not known for type boolean; known: randomized_"},
        {"\"random_bytes\": 8", "\"random_bytes\": 65536", "metrics[0].random_bytes: 65536"},
        {"\"value_words\": 1", "\"value_words\": 2", "metrics[0].value_words: 2"},
        {"\"joint\": \"1.", "\"joint\": \"2.", "metrics[0].joint: is not"},
        {"\"nominal\": \"1.0987\"", "\"nominal\": \"1.09\"", "realised: above nominal"},
        {"\"nominal\": \"1.1\"", "\"nominal\": \"\"", "is not a decimal number"},
        {"\"nominal\": \"1.1\"", "\"nominal\": \"1e0\"", "is not a decimal number"},
        {"\"nominal\": \"1.1\"", "\"nominal\": \"1.\"", "is not a decimal number"},
        {"\"nominal\": \"0.511\"", "\"nominal\": \"1.1\"", "levels[1].nominal: does not rise"},
        {"535640", "535638", "levels[0].cost: is not ceil"},
        {"0.510825623765990683205514096304", "0.5108", "realised: does not follow"},
        {"127605887595351923798765477786913079296", "0",
         "levels[0].probabilities.flip: does not follow"},
        {"127605887595351923798765477786913079296", "1276058875953519237987654777869130792960",
         "levels[0].probabilities.flip: not a probability"},
        {"[\"4611686018427387904\"]", "[\"4611686018427387905000\"]", "table.flip[0]: 46116860"},
        {"[\"4611686018427387904\"]", "[\"0\"]", "table.flip[0]: 0 is not within 1"},
        {"[\"4611686018427387904\"]", "[\"9223372036854775808\"]", "table.flip[0]: 9223372"},
        {"[\"4611686018427387904\"]", "[\"0x4\"]", "is not a decimal integer"},
        {"[\"4611686018427387904\"]", "[\"04611686018427387904\"]", "is not a decimal integer"},
        {"[\"4611686018427387904\"]", "[4611686018427387904]", "table.flip[0]: not a string"},
        {"[\"4611686018427387904\"]", "[]", "table.flip: 0 elements, must be 1"},
        {"[\"4611686018427387904\"]", "[\"4611686019427387904\"]",
         "probabilities.flip: does not follow from table"},
        {"\"bits\": 64", "\"bits\": 32", "metrics[0].table.bits: 32"},
        {"\"device\": {", "\"device\": 3, \"x\": {", "device: not an object"},
        {"\"window\": null", "\"window\": {}", "metrics[1].window.epochs: missing"},
        {"\"metrics\": [", "\"metrics\": [], \"x\": [", "metrics: 0 elements"},
        {"\"max_epoch_jump\": 400", "\"max_epoch_jump\": 400, \"padding_bytes\": 24",
         "padding_bytes: is not one of 0, 8, 16, 32, 64"},
        {"\"max_epoch_jump\": 400", "\"max_epoch_jump\": 400, \"padding_bytes\": 128",
         "padding_bytes: 128 is not within 0 to 64"},
        {"\"max_epoch_jump\": 400", "\"max_epoch_jump\": 0", "max_epoch_jump: 0 is not within 1"},
        {"\"16777216\"", "\"16777300\"", "M.json: budget: is not floor"},
        {"\"8388608\"", "\"0\"", "metrics[0].budget: 0 is not within 1"},
        {"\"budget\": \"0\"", "\"budget\": \"1\"", "metrics[1].budget: 1 is not within 0 to 0"},
        {"\"per_epoch\": 1", "\"per_epoch\": 256", "metrics[0].per_epoch: 256 is not within 1"},
        {"\"request_level\": 0", "\"request_level\": 1", "metrics[0].request_level: 1 is not"},
        {"[\"535640\", \"1151979\"]", "[\"535640\"]", "metrics[1].costs: 1 elements"},
        {"[\"535640\", \"1151979\"]", "[\"1251979\", \"1151979\"]", "costs[1]: falls"},
        {"[\"535640\", \"1151979\"]", "[\"535639\", \"1151979\"]",
         "costs[0]: is less than the level alone loses"},
        {"\"cost_reports\": 0", "\"cost_reports\": 1", "metrics[0].cost_reports: 1 is not"},
    };
    for (const auto &c : cases) {
        const std::string found = complaint(replaced(registry_text(), c.from, c.replacement));
        EXPECT_TRUE(found.starts_with("M.json: ") && found.find(c.expected) != std::string::npos)
            << c.replacement << " -> " << found;
        EXPECT_EQ(found.find('\n'), std::string::npos);
    }
}

// As the compiler of registries does: a name must not speak to the terminal, or read otherwise than
// it is.
TEST(Registry, RefusesNamesThatDoNotPrint) {
    const auto named = [](const std::string &name) {
        return complaint(replaced(every_type_text(), "\"goose\"", '"' + name + '"'));
    };
    // Delete, CSI, right-to-left override, isolate and mark, a line's end.
    for (const std::string hidden : {"\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "\xd8\x9c",
                                     "\xe2\x80\x8f", "\xe2\x80\xa8"}) {
        const std::string found = named("a" + hidden + "31m");
        EXPECT_NE(found.find("without control characters"), std::string::npos) << found;
        EXPECT_EQ(found.find(hidden), std::string::npos) << found;
    }
    EXPECT_EQ(named("Gänse, 雁 – עוף 🪿"), "accepted");
}

TEST(Registry, RefusesWhatIsNotJson) {
    EXPECT_EQ(complaint("{\n\"format\": ,\n}"),
              "M.json: not JSON: line 2; needs the metrics.json that sotto-registry wrote");
    EXPECT_EQ(complaint(""),
              "M.json: not JSON: line 1; needs the metrics.json that sotto-registry wrote");
    EXPECT_EQ(complaint("[]"), "M.json: not an object");
    EXPECT_NE(complaint("{\"format\": 1e999}"), "accepted");
    for (const std::string open : {"[", "{\"a\":"}) { // each takes memory until it is closed
        std::string deep;
        for (int i = 0; i < 100'000; ++i) {
            deep += open;
        }
        EXPECT_EQ(complaint(deep), "M.json: nested too deeply; needs the metrics.json that "
                                   "sotto-registry wrote");
    }
    EXPECT_EQ(complaint("{\"format\": \"\\\"" + std::string(100, '[') + "\"}").find("deeply"),
              std::string::npos);
    for (std::size_t length = 0; length + 2 < registry_text().size(); length += 7) {
        EXPECT_NE(complaint(registry_text().substr(0, length)), "accepted") << length;
    }
}

} // namespace
} // namespace sotto::aggregator::test
