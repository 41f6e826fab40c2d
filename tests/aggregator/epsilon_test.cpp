// SPDX-License-Identifier: Apache-2.0
// sotto epsilon on every mechanism; numbers by hand from every_type.json.
#include "aggregator/base/columns.hpp"
#include "aggregator/promise/epsilon_accuracy.hpp"
#include "aggregator/promise/epsilon_promise.hpp"
#include "aggregator/promise/epsilon_spending.hpp"
#include "aggregator/promise/epsilon_text.hpp"
#include "aggregator/promise/epsilon_theft.hpp"
#include "aggregator/promise/spending_words.hpp"
#include "aggregator/text/format.hpp"
#include "support.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

class Epsilon : public testing::Test {
  protected:
    const metric &get(const char *name) const { return *registry_.find(name); }

    json said(const char *name) const {
        const json promised = json::parse(json_format.epsilon(registry_, any_width));
        for (const json &m : promised.at("metrics")) {
            if (m.at("name") == name) {
                return m;
            }
        }
        return {};
    }

    // Wherever its lines end.
    static std::string in_one_line(const std::string &text) {
        return std::regex_replace(text, std::regex("\\s+"), " ");
    }
    void expect_in_table(const std::string &text) const {
        EXPECT_NE(in_one_line(epsilon_table(registry_, any_width)).find(in_one_line(text)),
                  std::string::npos)
            << text;
    }

    registry registry_ = parse_registry(every_type_text(), "M.json");
};

// Every table comes back as it was written, its integers as strings.
TEST_F(Epsilon, TablesAreThoseOfTheRegistry) {
    const json written = json::parse(every_type_text());
    for (const json &m : written.at("metrics")) {
        json table = m.at("table");
        if (table.contains("noise")) {
            for (json &noise : table.at("noise")) {
                noise.erase("overflow"); // null: the ladder's noise has none
            }
        }
        if (table.contains("lattice")) {
            table["lattice"]["noise"][0].erase("overflow");
        }
        const std::string name = m.at("name");
        EXPECT_EQ(said(name.c_str()).at("table"), table) << name;
    }
}

TEST_F(Epsilon, EveryLevelHasItsNumbers) {
    const json written = json::parse(every_type_text());
    for (const json &m : written.at("metrics")) {
        const json found = said(m.at("name").get<std::string>().c_str());
        EXPECT_EQ(found.at("joint_exact"), m.at("joint"));
        EXPECT_TRUE(found.at("joint").is_number());
        ASSERT_EQ(found.at("levels").size(), m.at("levels").size());
        ASSERT_EQ(found.at("pairs").size(), m.at("pairs").size());
        ASSERT_EQ(found.at("forward").size(), m.at("forward").size());
        for (std::size_t i = 0; i < found.at("levels").size(); ++i) {
            const json &level = found["levels"][i];
            EXPECT_EQ(level.at("realised_exact"), m["levels"][i].at("realised"));
            EXPECT_EQ(level.at("nominal").is_null(), m["levels"][i].at("nominal").is_null());
            for (const auto &[name, value] : m["levels"][i].at("probabilities").items()) {
                EXPECT_GT(level.at("probabilities").at(name), 0.0) << name;
            }
            ASSERT_EQ(level.at("std_error").size(), 3u);
            EXPECT_EQ(level["std_error"][1].at("reports"), 100'000);
            EXPECT_EQ(level.contains("infinity"), m["levels"][i].contains("infinity"));
        }
    }
    EXPECT_DOUBLE_EQ(said("aircraft")["levels"][0]["n"]["10"], 4.2993440389464404971692);
    EXPECT_DOUBLE_EQ(said("damage")["forward"][0]["joint"], 1.75);
}

TEST_F(Epsilon, StandardErrors) {
    // flip 1/4: sqrt(n 3/16) / (1/2) of n = 1000.
    EXPECT_DOUBLE_EQ(expected_error(get("damage"), 1, 1000), std::sqrt(3 / 16.0 / 1000) * 2);
    // keep 3/4 of 4: others say it with 1/16.
    EXPECT_DOUBLE_EQ(expected_error(get("phase"), 1, 1000),
                     std::sqrt(1 / 16.0 * 15 / 16 / 1000) / 0.75);
    // 1/8 and 1/2.
    EXPECT_DOUBLE_EQ(expected_error(get("hour"), 0, 1000), std::sqrt(7 / 64.0 / 1000) * 8 / 3);
    EXPECT_DOUBLE_EQ(expected_error(get("species"), 0, 1000),
                     std::sqrt(0.375 * 0.625 / 1000) / 0.25);
    // 2q / (1 - q)^2 for each number, less the part that the ends keep. From 30 in the middle the
    // ends are 60 away, and q = e^-0.02.
    const double q = std::exp(-0.02), variance = 2 * q / std::pow(1 - q, 2);
    const double at_end = 2 * std::pow(q, 60) / (1 + q);
    EXPECT_NEAR(expected_error(get("speed"), 1, 100),
                std::sqrt((variance - at_end * q / std::pow(1 - q, 2)) / 100), 1e-9);
    // Two hashes into 16 bits: density 31/256; level 1 says one by 3/8 and 5/8.
    const double d = 31 / 256.0, if_one = 0.375 + d / 4;
    EXPECT_DOUBLE_EQ(expected_error(get("aircraft"), 1, 1000),
                     std::sqrt(if_one * (1 - if_one) / (1000 * 16 * d * (1 - d))) * 4);
    for (const metric &m : registry_.metrics) {
        EXPECT_NEAR(expected_error(m, 0, 100'000), expected_error(m, 0, 1'000) / 10, 1e-9);
    }
}

// WIRE.md: seed 9 or id 10, metric 3, level and flags 6, value.
TEST_F(Epsilon, ReportBytes) {
    EXPECT_EQ(report_bytes(get("smoke")), 9 + 3 + 3u);
    EXPECT_EQ(report_bytes(get("damage")), 10 + 3 + 6 + 3u);
    EXPECT_EQ(report_bytes(get("hour")), 9 + 3 + 5u);
    EXPECT_EQ(report_bytes(get("aircraft")), 10 + 3 + 6 + 2 + 1 + 2u);
    EXPECT_EQ(report_bytes(get("axes")), 9 + 3 + 14u);
    metric large = get("axes");
    std::get<discrete_laplace_table>(large.table).length = 256;
    EXPECT_EQ(report_bytes(large), 9 + 3 + 3 + 1024u);
}

TEST_F(Epsilon, SentencesSuitTheType) {
    expect_in_table("true and false by a factor of at most 1.67 (e^0.5109).");
    expect_in_table("any two of the 4 categories by");
    expect_in_table("any two of the 3 categories that the device reports in no other epoch by");
    expect_in_table("any two sets of at most 2 of the 5 members by a factor of at most 81 (");
    expect_in_table("any two strings that the device reports in no other epoch by");
    expect_in_table("any two integers from -20 to 80 by");
    expect_in_table("any two clipped vectors of 3 numbers from -5 to 5 by a factor of");
    expect_in_table("A vector is first clipped until its distances from the middle add up to 6 at "
                    "most.");
    expect_in_table("any two numbers from 0 to 1000 by");
    expect_in_table("Drawn forward to level 2 as well: at most 5.76 (e^1.75).");
    expect_in_table("at level 0, together: epsilon 2.0171 for 2, 4.2994 for 10, 4.3945 for 100, "
                    "4.3945 however many.");
    expect_in_table("at most 3 values that one device ever reports");
    expect_in_table("Any levels together lose what the highest of them loses.");
    EXPECT_NE(epsilon_table(registry_, any_width).find("\n    levels 0 and 1: "),
              std::string::npos); // RAPPOR's don't
    expect_in_table("level 0: 0 becomes 1 by 1, 1 stays 1 by 4, out of 2^3 (of the value)");
    expect_in_table("reported: 0 becomes 1 by 1, 1 stays 1 by 3, out of 2^2 (of the permanent");
    EXPECT_EQ(epsilon_table(registry_, any_width).find("nan"), std::string::npos);
    EXPECT_EQ(json_format.epsilon(registry_, any_width).find("nan"), std::string::npos);
}

TEST_F(Epsilon, CostsAreThoseOfTheRegistry) {
    const json written = json::parse(every_type_text());
    for (const json &m : written.at("metrics")) {
        const json found = said(m.at("name").get<std::string>().c_str());
        ASSERT_EQ(found.at("costs").size(), m.at("costs").size());
        for (std::size_t i = 0; i < m["costs"].size(); ++i) {
            EXPECT_EQ(std::to_string(found["costs"][i].get<std::uint32_t>()), m["costs"][i]);
        }
        EXPECT_EQ(found.at("cost_reports"), m.at("cost_reports"));
        EXPECT_EQ(found.at("per_epoch"), m.at("per_epoch"));
        EXPECT_EQ(found.at("request_level"), m.at("request_level"));
    }
    EXPECT_EQ(json::parse(json_format.epsilon(registry_, any_width)).at("max_epoch_jump"), 400);
}

// An epoch's promise covers all its measurements.
TEST_F(Epsilon, SeveralMeasurementsAnEpochAddUp) {
    EXPECT_NE(promise(get("damage"))
                  .find("the report of one epoch changes the odds between "
                        "true and false by a factor of at most 1.67 (e^0.5109)"),
              std::string::npos);
    metric thrice = get("damage");
    thrice.per_epoch = 3;
    const std::string text = promise(thrice);
    EXPECT_NE(text.find("the 3 reports of any epoch together change the odds between true and "
                        "false by a factor of at most 4.63 (e^1.5325). One of them changes the "
                        "odds by 1.67 (e^0.5109)."),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("all of them together: at most 27 (e^3.2959)"), std::string::npos) << text;
    EXPECT_NE(text.find("level 2 as well: at most 190.57 (e^5.25)"), std::string::npos) << text;
}

// A report loses more beside others of the same value than its epsilon.
TEST_F(Epsilon, RememberedNoiseIsPromisedForValuesOfNoOtherEpoch) {
    const std::string values = "values that no other epoch or window has";
    for (const metric &m : registry_.metrics) {
        const bool remembers = m.name == "aircraft" || m.name == "species";
        const bool narrowed = promise(m).find("reports in no other epoch") != std::string::npos;
        EXPECT_EQ(narrowed, remembers) << m.name;
        EXPECT_EQ(promise(m).find("can say more than that") != std::string::npos, remembers);
        EXPECT_EQ(said(m.name.c_str()).at("protects"), remembers ? values : "every report");
    }
    metric sequence = get("aircraft");
    std::get<rappor_table>(sequence.table).protects_sequence = true;
    sequence.cost_reports = 0;
    EXPECT_NE(promise(sequence).find("any two strings by"), std::string::npos);

    const char *budget = "a window's budget is for values that are reported in no other window";
    EXPECT_EQ(json::parse(json_format.epsilon(registry_, any_width)).at("protects"), values);
    EXPECT_NE(spending_text(registry_).find(budget), std::string::npos);
    metric bounded = get("species");
    bounded.window = {7, {"3", 3}, 3u << 20};
    EXPECT_NE(spending_text(bounded, registry_).find(budget), std::string::npos);
    EXPECT_EQ(spending_text(get("damage"), registry_).find(budget), std::string::npos);
    registry plain = registry_;
    plain.metrics = {get("damage")};
    EXPECT_EQ(spending_text(plain).find(budget), std::string::npos);
    EXPECT_EQ(json::parse(json_format.epsilon(plain, any_width)).at("protects"), "every report");
}

TEST_F(Epsilon, FitsATerminal) {
    const std::string text = epsilon_table(registry_, 80);
    EXPECT_LE(line_width(text), 80u);
    EXPECT_NE(
        text.find("\n  Promised to each person measured: the report of one epoch changes the odds\n"
                  "    between "),
        std::string::npos)
        << text.substr(0, 1000);
    EXPECT_NE(text.find("\n  level 0; epsilon -; realised, rounded up 1.07"), std::string::npos);
    EXPECT_EQ(wrapped("    a bc", 6), "    a\n      bc");
}

// In 2^-20 epsilon; 535640, 1151979 and, forward, 1835008 are what damage's levels cost.
TEST_F(Epsilon, AnEpochAWindowALife) {
    const spending damage = spending_of(get("damage"));
    EXPECT_EQ(damage.first, 535640u);
    EXPECT_EQ(damage.top, 1835008u);
    EXPECT_EQ(damage.window, 8u << 20);
    EXPECT_FALSE(damage.life);
    metric often = get("damage");
    often.per_epoch = 255;
    EXPECT_EQ(spending_of(often).top, 255 * 1835008u);

    const spending aircraft = spending_of(get("aircraft"));
    EXPECT_EQ(aircraft.first, 1126471u) << "e(1)";
    EXPECT_EQ(aircraft.top, 2705794u);
    EXPECT_FALSE(aircraft.window);
    EXPECT_EQ(aircraft.life, 13823742u) << "3 * 4 ln 3";
    metric twice = get("aircraft");
    twice.per_epoch = 2; // beyond its table: all that two or more may lose
    EXPECT_EQ(spending_of(twice).first, 13823742u);
    metric huge = get("aircraft");
    huge.costs.back() = 0xffffffff;
    EXPECT_FALSE(spending_of(huge).life) << "4096 is not what is lost, only all that fits";

    std::uint64_t first = 0, top = 0;
    for (const metric &m : registry_.metrics) {
        first += *spending_of(m).first;
        top += *spending_of(m).top;
    }
    const spending total = spending_of(registry_, protected_unit::value);
    EXPECT_EQ(total.first, first);
    EXPECT_EQ(total.top, top);
    EXPECT_EQ(total.window, 64u << 20);
    EXPECT_FALSE(total.life);
    const json of_device = json::parse(json_format.epsilon(registry_, any_width)).at("spending");
    EXPECT_DOUBLE_EQ(of_device.at("epoch_first"), std::ldexp(static_cast<double>(first), -20));
    EXPECT_TRUE(of_device.at("life").is_null());
    EXPECT_DOUBLE_EQ(said("damage").at("spending").at("window"), 8);
    EXPECT_TRUE(said("phase").at("spending").at("window").is_null());
    EXPECT_DOUBLE_EQ(said("species").at("spending").at("life"), 2303957 / 1048576.0);

    registry bounded = registry_;
    bounded.metrics = {get("aircraft"), get("species")};
    EXPECT_EQ(spending_of(bounded, protected_unit::value).life, 13823742u + 2303957u);
    bounded.device.reset();
    EXPECT_NE(spending_text(bounded).find("whole device: metrics add up."), std::string::npos);
}

TEST_F(Epsilon, SpendingInSentences) {
    expect_in_table("An epoch of 1 measurement: epsilon 0.5109 at level 0, epsilon 1.75 relaxed to "
                    "level 2.");
    expect_in_table("epsilon 8 in any 7 epochs; the device refuses more. It pays for all 7 "
                    "measurements at level 0, or 4 relaxed to level 2.");
    expect_in_table("No budget of this metric: only the device's bounds");
    expect_in_table("Budget of the whole device: epsilon 64 in any 30 epochs; the device refuses");
    expect_in_table("every window costs again.");
    expect_in_table("Releases are charged together, those of a window as those of a device's life "
                    "until it is wiped. At level 1: epsilon 2.5805 for 1 release, epsilon 13.1834 "
                    "however many.");

    registry bare = registry_;
    bare.device.reset();
    for (metric &m : bare.metrics) {
        m.window.reset();
        m.per_epoch = 3;
    }
    const std::string text = epsilon_table(bare, any_width);
    EXPECT_NE(text.find("No budget of the whole device: metrics and epochs add up."),
              std::string::npos);
    // Permanent noise adds up to a bound; no sentence may deny that.
    EXPECT_NE(spending_text(*bare.find("damage"), bare).find("its epochs add up."),
              std::string::npos);
    EXPECT_NE(promise(get("damage")).find("Not promised: epochs add up"), std::string::npos);
    EXPECT_NE(promise(get("damage")).find("can't break AES-128, ChaCha20 or SHA-256"),
              std::string::npos);
    EXPECT_NE(spending_text(*bare.find("aircraft"), bare).find("its epochs add up, to what a life"),
              std::string::npos);
    EXPECT_NE(promise(get("aircraft")).find("and epochs do, up to what a device's life loses"),
              std::string::npos);
    EXPECT_NE(text.find("An epoch of 3 measurements"), std::string::npos);
    EXPECT_EQ(text.find("Budget of"), std::string::npos);
    EXPECT_EQ(text.find("every window"), std::string::npos);

    metric rich = get("species"), poor = rich;
    rich.window = {7, {"3", 3}, 3u << 20};
    poor.window = {7, {"1.1", 1.1}, 1153433};
    EXPECT_NE(spending_text(rich, bare).find("It pays for all 7 measurements."), std::string::npos);
    EXPECT_NE(spending_text(poor, bare).find("It pays for 1 measurement."), std::string::npos);
    poor.costs.back() = 0xffffffff;
    EXPECT_NE(spending_text(poor, bare).find("more than epsilon 2048 however"), std::string::npos);
}

TEST_F(Epsilon, WhatAThiefLearns) {
    EXPECT_EQ(get("damage").open_release.text, "1.75") << "drawn forward";
    EXPECT_DOUBLE_EQ(get("phase").open_release.value, std::log(13));
    EXPECT_DOUBLE_EQ(get("aircraft").open_release.value, 4 * std::log(3)) << "its permanent bits";
    // The number on the grid says more than the bit.
    EXPECT_GT(get("lights").open_release.value, get("lights").joint.value);
    EXPECT_TRUE(secret_tells(get("aircraft")));
    EXPECT_FALSE(secret_tells(get("damage")));
    metric sequence = get("aircraft");
    std::get<rappor_table>(sequence.table).protects_sequence = true;
    EXPECT_FALSE(secret_tells(sequence)) << "nothing is remembered";
    EXPECT_EQ(theft_text(get("damage")).find("dictionary"), std::string::npos);
    expect_in_table("learns each open release as it stands at the top, noised: epsilon 1.75 at");
    expect_in_table(
        "With the device secret the permanent noise comes off, and a dictionary can be");
    EXPECT_TRUE(said("aircraft").at("theft").at("secret_tells"));
    const json theft = said("aircraft").at("theft");
    EXPECT_EQ(theft.at("open_release_exact"), "4.39444915467243876558098094770");
    EXPECT_DOUBLE_EQ(theft.at("open_release"), 4 * std::log(3));
}

} // namespace
} // namespace sotto::aggregator::test
