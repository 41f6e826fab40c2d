// SPDX-License-Identifier: Apache-2.0
// Every mechanism's part of metrics.json: what is read, and that no number in it can be changed
// unnoticed. Expected values by hand from the round thresholds of every_type.json.
#include "aggregator/base/failure.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/registry/tables.hpp"
#include "support.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

registry parse(const json &document) { return parse_registry(document.dump(), "M.json"); }

std::string complaint(const json &document) {
    try {
        (void)parse(document);
    } catch (const usage_error &error) {
        return error.what();
    }
    return "accepted";
}

class EveryType : public testing::Test {
  protected:
    const metric &get(const char *name) const { return *registry_.find(name); }

    // The complaint about the file with one metric changed.
    std::string changed(const char *name, const std::function<void(json &)> &change) const {
        json document = json::parse(every_type_text());
        for (json &metric : document["metrics"]) {
            if (metric["name"] == name) {
                change(metric);
            }
        }
        return complaint(document);
    }

    void expect_refused(const char *name, const std::function<void(json &)> &change,
                        const std::string &what) const {
        const std::string found = changed(name, change);
        EXPECT_NE(found.find(what), std::string::npos) << name << ": " << found;
        EXPECT_EQ(found.find('\n'), std::string::npos);
    }

    registry registry_ = parse_registry(every_type_text(), "M.json");
};

TEST_F(EveryType, Booleans) {
    const metric &damage = get("damage");
    EXPECT_EQ(damage.kind(), value_kind::index);
    EXPECT_EQ(damage.value_size(), 2u);
    EXPECT_EQ(damage.value_bytes(), 4u);
    EXPECT_EQ(damage.level_count(), 3u);
    EXPECT_EQ(flip_of(damage.law(0)), 0.375);
    EXPECT_EQ(flip_of(damage.law(1)), 0.25);
    EXPECT_EQ(flip_of(damage.law(2)), 0.1875);
    EXPECT_EQ(damage.realised(2).text, "1.46633706879342704465824220465");
    EXPECT_EQ(damage.forward[0].joint.text, "1.75");
    EXPECT_EQ(damage.joint_cost, 1151979u);
    EXPECT_EQ(damage.pairs.at(0).high, 1u);

    const metric &lights = get("lights"); // the lattice is 0 to 3, and q = e^-0.4
    const double q = std::exp(-0.4);
    EXPECT_NEAR(std::get<bit_channel>(lights.law(0)).one_if_zero, q * q / (1 + q), 1e-15);
    EXPECT_NEAR(std::get<bit_channel>(lights.law(0)).one_if_one, 1 - q * q / (1 + q), 1e-15);
    EXPECT_EQ(std::get<laplace_threshold_table>(lights.table).grid, 3u);
    EXPECT_EQ(flip_of(get("smoke").law(0)), 0.25);
}

TEST_F(EveryType, CategoriesAndSets) {
    const metric &phase = get("phase");
    EXPECT_EQ(phase.kind(), value_kind::index);
    EXPECT_EQ(phase.value_size(), 4u);
    EXPECT_EQ(phase.names.at(1), "cruise, level");
    EXPECT_EQ(keep_of(phase.law(1)), 0.75);
    EXPECT_DOUBLE_EQ(keep_of(phase.law(0)), 0.5);
    const metric &hour = get("hour");
    EXPECT_TRUE(hour.names.empty());
    EXPECT_EQ(hour.kind(), value_kind::bits);
    EXPECT_EQ(hour.value_size(), 24u);
    EXPECT_EQ(hour.value_bytes(), 3u);
    EXPECT_EQ(std::get<bit_channel>(hour.law(0)).one_if_zero, 0.125);
    EXPECT_EQ(std::get<bit_channel>(hour.law(0)).one_if_one, 0.5);
    const metric &parts = get("parts");
    EXPECT_EQ(parts.value_bytes(), 1u);
    EXPECT_EQ(parts.names.size(), 5u);
    EXPECT_EQ(std::get<unary_table>(parts.table).max_members, 2);
    EXPECT_DOUBLE_EQ(parts.realised(0).value, 4 * std::log(3));
}

TEST_F(EveryType, Strings) {
    const metric &aircraft = get("aircraft");
    EXPECT_EQ(aircraft.kind(), value_kind::bits);
    EXPECT_EQ(aircraft.value_bytes(), 2u);
    EXPECT_FALSE(aircraft.levels[0].nominal);
    EXPECT_EQ(std::get<permanent_law>(aircraft.law(0)).one_if_zero,
              0.5625); // p + f (q - p) / 2 of (1/2, 1/2, 3/4)
    EXPECT_EQ(std::get<permanent_law>(aircraft.law(0)).one_if_one, 0.6875);
    EXPECT_EQ(std::get<permanent_law>(aircraft.law(1)).one_if_zero, 0.375);
    EXPECT_EQ(permanent_flip_of(aircraft.law(1)), 0.25);
    // MECHANISMS.md E: f = 1/2, p = 1/2, q = 3/4, two hashes.
    const repeated_loss &repeated = *aircraft.levels[0].repeated;
    EXPECT_NEAR(repeated.after[0].value, 1.0743, 1e-4);
    EXPECT_NEAR(repeated.after[1].value, 2.0170, 1e-4);
    EXPECT_NEAR(repeated.after[2].value, 4.2993, 1e-4);
    EXPECT_NEAR(repeated.infinity.value().value, 4.3944, 1e-4);
    EXPECT_GT(aircraft.joint.value, aircraft.realised(1).value);
    EXPECT_EQ(aircraft.cost_reports, 2u);
    EXPECT_EQ(aircraft.cost(0, 1), 1126471u);
    EXPECT_EQ(aircraft.cost(1, 1), 2705794u);
    EXPECT_EQ(aircraft.cost(1, 2), 13823742u);
    EXPECT_EQ(aircraft.cost(1, 0xffffffff), 13823742u) << "the last is for any number";
    EXPECT_EQ(get("damage").cost(1, 77), 1151979u) << "each release is charged anew";
    EXPECT_EQ(get("species").value_size(), 3u);
    EXPECT_EQ(get("species").names.at(2), "owl");
}

TEST_F(EveryType, Numbers) {
    const metric &speed = get("speed");
    EXPECT_EQ(speed.kind(), value_kind::number);
    EXPECT_EQ(speed.value_bytes(), 4u);
    EXPECT_EQ(unit_epsilon_of(speed.law(0)), 0.01);
    EXPECT_DOUBLE_EQ(std::get<number_law>(speed.law(1)).nonzero, 2 / (1 + std::exp(0.02)));
    EXPECT_DOUBLE_EQ(unit_epsilon_of(speed.law(2)), 0.03);
    const auto &table = std::get<discrete_laplace_table>(speed.table);
    EXPECT_EQ(table.publish_min, -30);
    EXPECT_EQ(table.publish_max, 90);
    const auto &step = std::get<forward_laplace_table>(speed.forward[0].table);
    EXPECT_TRUE(step.within.overflow);
    EXPECT_EQ(step.beyond.digit_bits, 128);
    const metric &axes = get("axes");
    EXPECT_EQ(axes.kind(), value_kind::numbers);
    EXPECT_EQ(axes.value_size(), 3u);
    EXPECT_EQ(axes.value_bytes(), 12u);
    EXPECT_EQ(std::get<discrete_laplace_table>(axes.table).l1_half, 6u);
    EXPECT_EQ(flip_of(get("height").law(0)), 0.25);
    EXPECT_EQ(std::get<one_bit_mean_table>(get("height").table).scale, 4294967u);
}

// Computed from the tables, without the probabilities that are written.
TEST_F(EveryType, LawsFollowFromTables) {
    for (const metric &m : registry_.metrics) {
        const std::vector<level_law> laws = mechanism_of(m).laws(m);
        ASSERT_EQ(laws.size(), m.levels.size());
        for (std::size_t i = 0; i < laws.size(); ++i) {
            level_law a = laws[i], b = m.law(i);
            const auto as_computed = probabilities_of(a), as_written = probabilities_of(b);
            ASSERT_EQ(as_computed.size(), as_written.size()) << m.name;
            for (std::size_t k = 0; k < as_computed.size(); ++k) {
                EXPECT_NEAR(*as_computed[k].value, *as_written[k].value, 1e-14) << m.name;
            }
            if (std::holds_alternative<number_law>(a)) {
                EXPECT_NEAR(unit_epsilon_of(a), unit_epsilon_of(b), 1e-14) << m.name;
            }
        }
    }
}

TEST_F(EveryType, RefusesProbabilitiesThatAreNotTheTables) {
    const auto written = [](const char *name) {
        return [name](json &m) { m["levels"][0]["probabilities"][name]["numerator"] = "7"; };
    };
    for (const char *name : {"phase", "hour", "parts", "aircraft", "speed", "axes", "height",
                             "lights", "smoke", "species"}) {
        json probabilities;
        (void)changed(name, [&](json &m) { probabilities = m["levels"][0]["probabilities"]; });
        ASSERT_FALSE(probabilities.empty());
        for (const auto &[key, value] : probabilities.items()) {
            const std::string found = changed(name, written(key.c_str()));
            EXPECT_TRUE(found.find(key + ": does not follow from table") != std::string::npos ||
                        found.find(key + ": not a probability") != std::string::npos)
                << name << ": " << found;
        }
    }
}

TEST_F(EveryType, RefusesTablesThatAreNotWhole) {
    expect_refused(
        "phase", [](json &m) { m["table"]["size"] = 1; }, "table.size: 1");
    expect_refused(
        "phase", [](json &m) { m["table"]["size"] = 5; }, "categories: 4 elements");
    expect_refused(
        "phase", [](json &m) { m["categories"][0] = "landing"; }, "occurs twice");
    expect_refused(
        "phase", [](json &m) { m["categories"][0] = "a\nb"; }, "without control");
    expect_refused(
        "hour", [](json &m) { m["size"] = 23; }, "size: 23");
    expect_refused(
        "hour", [](json &m) { m["table"]["max_members"] = 2; }, "max_members");
    expect_refused(
        "hour", [](json &m) { m["table"]["channel"][0]["bits"] = 65; }, "bits: 65");
    expect_refused(
        "hour", [](json &m) { m["table"]["channel"][0]["one_if_one"] = "9"; },
        "one_if_one: 9 is not within 0 to 8");
    expect_refused(
        "hour", [](json &m) { m["table"]["channel"][0]["one_if_zero"] = "4"; },
        "one_if_zero is not below one_if_one");
    expect_refused(
        "parts", [](json &m) { m["max_members"] = 3; }, "max_members: 3");
    expect_refused(
        "aircraft", [](json &m) { m["table"]["chained"] = 2; }, "chained: 2");
    expect_refused(
        "aircraft", [](json &m) { m["table"]["hashes"] = 9; }, "hashes: 9");
    expect_refused(
        "aircraft", [](json &m) { m["table"]["protects"] = "all"; }, "protects");
    expect_refused(
        "aircraft", [](json &m) { m["levels"][0]["nominal"] = "2"; }, "not null");
    expect_refused(
        "aircraft", [](json &m) { m["levels"][0]["n"]["1"] = "1"; }, "n.1: is not the");
    expect_refused(
        "aircraft", [](json &m) { m["levels"][0]["n"]["10"] = "1"; }, "n.10: is not");
    expect_refused(
        "aircraft", [](json &m) { m["levels"][0]["infinity"] = "4"; }, "infinity: is");
    expect_refused(
        "aircraft", [](json &m) { m["joint"] = "1.5"; }, "joint: is not between");
    expect_refused(
        "aircraft", [](json &m) { m["pairs"][0]["joint"] = "9"; }, "pairs[0].joint");
    expect_refused(
        "species", [](json &m) { m["table"]["cohorts"] = 2; }, "cohorts: 2");
    expect_refused(
        "axes", [](json &m) { m["table"]["length"] = 257; }, "length: 257");
    expect_refused(
        "axes", [](json &m) { m["min"] = -6; }, "min: -6 is not within -5 to -5");
    expect_refused(
        "axes", [](json &m) { m["value_words"] = 1; }, "value_words: 1");
    expect_refused(
        "axes", [](json &m) { m["l1_sensitivity"] = 11; }, "l1_sensitivity: does not");
    expect_refused(
        "axes", [](json &m) { m["table"]["l1_half"] = 8; }, "l1_sensitivity: does not");
    expect_refused(
        "speed", [](json &m) { m["table"]["length"] = 2; }, "length is not 1");
    expect_refused(
        "speed", [](json &m) { m["table"]["publish_min"] = -19; }, "publish_min: -19");
    expect_refused(
        "speed", [](json &m) { m["table"]["max"] = 18446744073709551615u; },
        "max: 18446744073709551615 is not within");
    expect_refused(
        "lights", [](json &m) { m["table"]["grid"] = 4; }, "grid: not odd");
    expect_refused(
        "lights", [](json &m) { m["table"]["grid"] = 5; }, "not from 0 to grid");
    expect_refused(
        "lights", [](json &m) { m["table"]["threshold"] = 4; },
        "threshold: 4 is not within 1 to 3");
    expect_refused(
        "lights", [](json &m) { m["table"]["threshold"] = 1; }, "does not follow from table");
    expect_refused(
        "height", [](json &m) { m["table"]["scale"] = "4294968"; }, "scale: 4294968");
    expect_refused(
        "damage", [](json &m) { m["forward"][0]["nominal"] = "1.1"; }, "does not rise");
    expect_refused(
        "damage", [](json &m) { m["forward"][0]["joint"] = "1.4"; }, "below realised");
    expect_refused(
        "damage", [](json &m) { m["forward"][0]["table"]["given"][0]["one_if_one"] = "4"; },
        "flip: does not follow");
    expect_refused(
        "damage", [](json &m) { m["pairs"] = json::array(); }, "pairs: 0 elements");
    expect_refused(
        "damage", [](json &m) { m["joint_cost"] = "1151980000"; }, "joint_cost");
    expect_refused(
        "lights", [&](json &m) { m["forward"] = json::array({json::object()}); },
        "not possible for laplace_threshold");
}

// Junk in any place is an error that says where, and nothing else.
TEST_F(EveryType, JunkAnywhereIsOneLine) {
    const std::vector<json> junk = {nullptr,
                                    true,
                                    -1,
                                    0,
                                    1,
                                    4294967296,
                                    1.5,
                                    "",
                                    "x",
                                    "0",
                                    "18446744073709551616",
                                    std::string(2000, '9'),
                                    json::array(),
                                    json::array({1}),
                                    json::object()};
    const json original = json::parse(every_type_text());
    json document = original;
    int refused = 0, accepted = 0;
    const std::function<void(json &)> visit = [&](json &node) {
        const json before = node;
        for (const json &value : junk) {
            node = value;
            const std::string found = complaint(document); // anything but usage_error fails here
            ++(found == "accepted" ? accepted : refused);
            EXPECT_EQ(found.find('\n'), std::string::npos);
            EXPECT_TRUE(found == "accepted" || found.starts_with("M.json: ")) << found;
        }
        node = before;
        if (node.is_structured()) {
            for (auto &child : node) {
                visit(child);
            }
        }
    };
    for (const json &metric_node : original["metrics"]) {
        document["metrics"] = json::array({metric_node});
        json &metric = document["metrics"][0];
        visit(metric["table"]);
        visit(metric["levels"]);
        visit(metric["pairs"]);
        visit(metric["forward"]);
        visit(metric["type"]);
        visit(metric["mechanism"]);
        EXPECT_EQ(complaint(document), "accepted");
    }
    EXPECT_GT(refused, 3000);
    EXPECT_LT(accepted, refused / 50);
}

// One digit, one threshold at a time, in the fifth place: every one of them has to fit the others.
TEST_F(EveryType, RefusesNoiseThatIsNotLaplace) {
    const auto scaled = [](json &number) {
        const std::string text = number.get<std::string>();
        std::string other = text;
        other[3] = other[3] == '9' ? '8' : static_cast<char>(other[3] + 1);
        number = other;
    };
    for (const std::size_t level : {0u, 1u}) {
        expect_refused(
            "speed", [&](json &m) { scaled(m["table"]["noise"][level]["nonzero"]); },
            "nonzero does not follow");
        for (std::size_t j = 0; j < 10; ++j) {
            EXPECT_NE(
                changed("speed", [&](json &m) { scaled(m["table"]["noise"][level]["digits"][j]); }),
                "accepted")
                << level << ", " << j;
        }
    }
    for (const char *name : {"opposite", "stay"}) {
        expect_refused(
            "speed", [&](json &m) { scaled(m["forward"][0]["table"][name]); }, name);
    }
    for (const char *name : {"within", "beyond", "tail"}) {
        expect_refused(
            "speed", [&](json &m) { scaled(m["forward"][0]["table"][name]["digits"][0]); }, name);
    }
    expect_refused(
        "speed", [](json &m) { m["table"]["noise"][0]["digits"].erase(10); }, "digits[10]");
    expect_refused(
        "speed",
        [](json &m) {
            for (json &noise : m["table"]["noise"]) {
                noise["digits"].erase(11);
                noise["digits"].erase(10);
                noise["digits"].erase(9);
            }
        },
        "too few digits");
}

// The registry that sotto-registry compiles from every_type.toml is read as it stands.
TEST(CompiledRegistry, IsAccepted) {
    const registry r = parse_registry(read_file(SOTTO_COMPILED_REGISTRY), "M.json");
    EXPECT_EQ(r.metrics.size(), 12u);
    EXPECT_EQ(r.find("speed")->forward.size(), 1u);
    EXPECT_EQ(r.find("axes")->l1_sensitivity, 14u);
    EXPECT_FALSE(r.find("city")->levels[0].repeated->infinity);
    EXPECT_EQ(std::get<rappor_table>(r.find("aircraft")->table).chained, 1);
    EXPECT_EQ(tables(r).get().metric_count, r.metrics.size());
}

// RAPPOR's reports of one level, then of the next, each of a release of its own.
TEST(CompiledRegistry, HasCountsOfTwoLevels) {
    const std::string text = read_file(SOTTO_COMPILED_REGISTRY);
    const registry r = parse_registry(text, "M.json");
    const level_pair &pair = r.find("species")->pairs.at(0);
    ASSERT_EQ(pair.of_counts.size(), 4u);
    EXPECT_EQ(pair.of_counts[1].low, 1u);
    EXPECT_EQ(pair.of_counts[1].high, 10u);
    // f .75 then .5, (.5, .75) then (.25, .75), by hand: with a step s of the permanent bits.
    const double s = 0.25, x = ((1 - s) * 0.75 + s * 0.5) / (s * 0.75 + (1 - s) * 0.5) * 3;
    const double y = ((1 - s) * 0.5 + s * 0.25) / (s * 0.5 + (1 - s) * 0.25) * 3;
    const auto bit = [](double ratio) {
        return std::log((0.75 * ratio + 0.25) / (0.25 * ratio + 0.75));
    };
    EXPECT_NEAR(pair.of_counts[0].joint.value, bit(x) + bit(y), 1e-6);

    nlohmann::json document = nlohmann::json::parse(text);
    document["metrics"][10]["pairs"][0]["reports"][0]["joint"] = "0.1";
    EXPECT_THROW((void)parse_registry(document.dump(), "M.json"), usage_error);
}

// RAPPOR's reports above the ladder, at f / 2 = 0.25 and (p, q) = (0.125, 0.75).
TEST(CompiledRegistry, HasReportsAboveTheLadder) {
    const registry r = parse_registry(read_file(SOTTO_COMPILED_REGISTRY), "M.json");
    const forward_level &level = r.find("aircraft")->forward.at(0);
    EXPECT_FALSE(level.nominal);
    EXPECT_NEAR(std::get<permanent_law>(level.law).one_if_zero, 0.28125, 1e-9);
    EXPECT_NEAR(std::get<permanent_law>(level.law).one_if_one, 0.59375, 1e-9);
    EXPECT_EQ(permanent_flip_of(level.law), 0.25);
    EXPECT_LE(level.repeated->after[1].value, level.repeated_joint->after[1].value);

    const auto refused = [](const char *where, const char *key, const char *value) {
        nlohmann::json document = nlohmann::json::parse(read_file(SOTTO_COMPILED_REGISTRY));
        nlohmann::json &forward = document["metrics"][4]["forward"][0];
        (forward.contains(where) ? forward[where] : forward)[key] = value;
        try {
            (void)parse_registry(document.dump(), "M.json");
        } catch (const usage_error &error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(refused("", "joint", "0.1").find("so many reports"), std::string::npos);
    EXPECT_NE(refused("", "realised", "4").find("the realised epsilon"), std::string::npos);
    EXPECT_NE(refused("n", "10", "99").find("so many reports"), std::string::npos);
    EXPECT_NE(refused("ladder", "infinity", "1").find("ladder"), std::string::npos);
}

std::uint64_t number(const sotto_threshold &t) {
    return std::uint64_t{t.limb[1]} << 32 | t.limb[0];
}

TEST_F(EveryType, MakesTheTablesOfADevice) {
    const tables made(registry_);
    ASSERT_EQ(made.get().metric_count, registry_.metrics.size());
    const auto find = [&](const char *name) -> const sotto_metric & {
        return made.get().metrics[&get(name) - registry_.metrics.data()];
    };
    EXPECT_EQ(find("damage").forward_count, 1);
    EXPECT_EQ(number(find("damage").forward.bits[0].given[1].one_if_one), 7u);
    EXPECT_EQ(find("damage").forward.bits[0].given[0].bits, 3);
    EXPECT_EQ(number(find("damage").table.randomized_response->flip[1]), std::uint64_t{1} << 62);
    EXPECT_EQ(number(find("phase").table.k_randomized_response->keep[1]), std::uint64_t{3} << 62);
    EXPECT_EQ(find("phase").table.k_randomized_response->size, 4u);
    EXPECT_EQ(find("hour").table.unary->size, 24);
    EXPECT_EQ(number(find("hour").table.unary->channel[0].one_if_one), 4u);
    EXPECT_EQ(find("parts").table.unary->max_members, 2);
    EXPECT_EQ(find("parts").value_words, 1);

    const sotto_rappor &aircraft = *find("aircraft").table.rappor;
    EXPECT_EQ(aircraft.permanent[0].bits, 0);
    EXPECT_EQ(number(aircraft.permanent[1].one_if_one), 3u);
    EXPECT_EQ(number(aircraft.instantaneous[0].one_if_zero), 2u);
    EXPECT_EQ(aircraft.cohorts, 4);
    EXPECT_EQ(aircraft.max_values, 3);
    EXPECT_EQ(aircraft.max_bytes, 64);
    EXPECT_EQ(aircraft.protects_sequence, 0);
    EXPECT_EQ(find("species").table.rappor->hashes, 0);

    const sotto_discrete_laplace &speed = *find("speed").table.discrete_laplace;
    EXPECT_EQ(speed.publish_max, 90);
    EXPECT_EQ(speed.length, 1);
    const sotto_geometric &digits = speed.noise[1].size;
    EXPECT_EQ(digits.digit_count, 12);
    EXPECT_EQ(digits.digit_limbs, 2);
    EXPECT_EQ(digits.has_overflow, 0);
    // 1 / (1 + e^0.02) of digit 0, of the low limb's neighbour.
    EXPECT_EQ(digits.digit[1], static_cast<std::uint32_t>(0x1p32 / (1 + std::exp(0.02))));
    const sotto_forward_laplace &step = find("speed").forward.laplace[0];
    EXPECT_EQ(step.within.has_overflow, 1);
    EXPECT_EQ(step.within.digit[2 * 12 + 1],
              static_cast<std::uint32_t>(0x1p32 * std::exp(-0.01 * 4096)));
    EXPECT_EQ(step.beyond.digit_limbs, 4);
    EXPECT_EQ(step.beyond.digit[3], static_cast<std::uint32_t>(0x1p32 / (1 + std::exp(0.05))));
    EXPECT_EQ(find("axes").table.discrete_laplace->l1_half, 6u);
    EXPECT_EQ(find("axes").value_words, 3);
    EXPECT_EQ(find("height").table.one_bit_mean->scale, 4294967u);
    EXPECT_EQ(find("height").table.one_bit_mean->max, 1000);
    EXPECT_EQ(find("lights").table.laplace_threshold->lattice.max, 3);
    EXPECT_EQ(find("smoke").mechanism, SOTTO_MECHANISM_RANDOMIZED_RESPONSE); // as in flash
    EXPECT_EQ(number(find("smoke").table.randomized_response->flip[0]), std::uint64_t{1} << 62);
}

} // namespace
} // namespace sotto::aggregator::test
