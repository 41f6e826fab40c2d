// SPDX-License-Identifier: Apache-2.0
// Tightened reports against those that devices make of the same level, and the command around them.
#include "aggregator/base/failure.hpp"
#include "aggregator/registry/tables.hpp"
#include "aggregator/report/envelope_file.hpp"
#include "aggregator/simulate/host_device.hpp"
#include "aggregator/tighten/report_writer.hpp"
#include "aggregator/tighten/tightening.hpp"
#include "run_program.hpp"
#include "support.hpp"

#include "sotto_testing.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

// A little of each value, the same for all levels: few cells, every kind of word.
struct summary {
    std::uint64_t operator()(std::uint32_t index) const { return index; }
    std::uint64_t operator()(std::int32_t number) const {
        return static_cast<std::uint64_t>(number / 100 + 10);
    }
    std::uint64_t operator()(const bit_string &bits) const {
        return (bits.front() & 7u) | (bits.back() & 8u); // all bytes are in use
    }
    std::uint64_t operator()(const number_list &numbers) const {
        return static_cast<std::uint64_t>(numbers.back() + 1000);
    }
};

using pair_counts = std::map<std::pair<std::uint64_t, std::uint64_t>, std::array<double, 2>>;

// Homogeneity of two samples of one size, as a standard normal number (Wilson and Hilferty 1931).
double difference_z(const pair_counts &counts) {
    double sum = 0, cells = -1, few[2] = {};
    const auto add = [&](double a, double b) {
        sum += (a - b) * (a - b) / (a + b);
        ++cells;
    };
    for (const auto &[pair, n] : counts) {
        if (n[0] + n[1] < 40) {
            few[0] += n[0];
            few[1] += n[1];
        } else {
            add(n[0], n[1]);
        }
    }
    if (few[0] + few[1] >= 40) {
        add(few[0], few[1]);
    }
    return (std::cbrt(sum / cells) - (1 - 2 / (9 * cells))) / std::sqrt(2 / (9 * cells));
}

constexpr double z_limit = 6.7; // P = 2e-11: twenty checks stay below 1e-9
constexpr std::uint64_t devices = 8000;

class Tightening : public testing::Test {
  protected:
    // Calls visit(top, lower) with what each device said of a metric at both levels.
    template <typename Visit>
    void live(std::uint8_t seed, const metric &m, const cell_value &value, std::uint32_t top,
              std::uint32_t level, Visit visit) const {
        host_device device(registry_, tables_.get());
        for (std::uint64_t i = 0; i < devices; ++i) {
            std::map<std::uint32_t, report> said;
            sotto_testing testing;
            sotto_testing_init(&testing, &seed, 1, i);
            const measured_value measured{&m, value, top};
            (void)device.run(testing.entropy, 3, {&measured, 1}, {}, [&](std::string_view file) {
                const std::string_view message = file.substr(file[0] < 0 ? 2 : 1);
                const envelope e = std::get<envelope>(decode_envelope(message));
                const batch b = std::get<batch>(decode_batch(e.batch));
                for (const report &r : b.reports) {
                    said[r.level] = r;
                }
            });
            visit(said.at(top), said.at(level));
        }
    }

    const sotto_metric &table_of(const metric &m) const {
        return tables_.get().metrics[&m - registry_.metrics.data()];
    }

    registry registry_ = parse_registry(read_file(SOTTO_COMPILED_REGISTRY), "M.json");
    tables tables_{registry_};
};

// The joint law of what was tightened and what it was made of is that of the device's two levels.
// The control hands the higher level on as if it were the lower.
TEST_F(Tightening, HasTheJointLawOfADevicesLevels) {
    const struct {
        const char *name;
        cell_value value;
        std::uint32_t top, level;
    } cases[] = {
        {"damage", true, 2, 0},
        {"damage", false, 2, 1},
        {"smoke", true, 1, 0},
        {"phase", std::uint32_t{2}, 1, 0},
        {"hour", std::uint32_t{1}, 1, 0},
        {"parts", std::vector<std::uint16_t>{0, 3}, 1, 0},
        {"aircraft", std::string("B-737"), 1, 0},
        {"speed", std::int32_t{420}, 2, 0},
        {"axes", std::vector<std::int32_t>{1, -2, 5}, 1, 0},
        {"height", std::int32_t{10000}, 1, 0},
    };
    for (const auto &c : cases) {
        SCOPED_TRACE(c.name);
        const metric &m = *registry_.find(c.name);
        const tightening way(m, table_of(m), c.level, noise_key_of({9}));
        pair_counts honest, control;
        const auto cell = [](const report &top, std::uint64_t lower) {
            return std::pair{std::visit(summary{}, top.value), lower};
        };
        live(1, m, c.value, c.top, c.level, [&](const report &top, const report &lower) {
            const auto here = cell(top, std::visit(summary{}, lower.value));
            ++honest[here][0];
            ++control[here][0];
        });
        live(2, m, c.value, c.top, c.level, [&](const report &top, const report &) {
            const std::vector<std::uint32_t> words = way.tightened(top);
            report made = top; // as it would be sent
            if (auto *index = std::get_if<std::uint32_t>(&made.value)) {
                *index = words[0];
            } else if (auto *number = std::get_if<std::int32_t>(&made.value)) {
                *number = static_cast<std::int32_t>(words[0]);
            } else if (auto *bits = std::get_if<bit_string>(&made.value)) {
                for (std::size_t i = 0; i < bits->size(); ++i) {
                    (*bits)[i] = static_cast<std::uint8_t>(words[i / 4] >> 8 * (i % 4));
                }
            } else {
                std::get<number_list>(made.value).assign(words.begin(), words.end());
            }
            ++honest[cell(top, std::visit(summary{}, made.value))][1];
            ++control[cell(top, std::visit(summary{}, top.value))][1];
        });
        EXPECT_LT(difference_z(honest), z_limit);
        EXPECT_GT(difference_z(control), z_limit);
    }
}

// Every kind of value, from a device through words and back: the report that it was.
TEST_F(Tightening, WhatIsPassedOnIsAsItWas) {
    const std::vector<measured_value> values = {
        {registry_.find("damage"), true, 1},
        {registry_.find("phase"), std::uint32_t{2}, 1},
        {registry_.find("hour"), std::uint32_t{23}, 1},
        {registry_.find("parts"), std::vector<std::uint16_t>{0, 3}, 1},
        {registry_.find("aircraft"), std::string("B-737"), 1},
        {registry_.find("speed"), std::int32_t{420}, 1},
        {registry_.find("axes"), std::vector<std::int32_t>{1, -2, 5}, 1},
        {registry_.find("height"), std::int32_t{10000}, 1},
    };
    std::vector<report> sent, seen;
    const auto read = [](std::string_view message, std::vector<report> &to) {
        const envelope e = std::get<envelope>(decode_envelope(message));
        const batch b = std::get<batch>(decode_batch(e.batch));
        to.insert(to.end(), b.reports.begin(), b.reports.end());
    };
    host_device device(registry_, tables_.get());
    for (std::uint8_t seed = 0; seed < 40; ++seed) {
        sotto_testing testing;
        sotto_testing_init(&testing, &seed, 1, 0);
        (void)device.run(testing.entropy, seed / 20u, values, {}, [&](std::string_view file) {
            read(file.substr(file[0] < 0 ? 2 : 1), sent);
        });
    }
    ASSERT_EQ(sent.size(), 40 * 2 * values.size());
    const temporary_directory directory;
    for (const measured_value &one : values) {
        const metric *m = one.of;
        atomic_file out(directory / m->name);
        report_writer to(tables_.get(), table_of(*m), out);
        const tightening way(*m, table_of(*m), 0, noise_key{});
        std::vector<report> expected;
        for (const report &r : sent) {
            if (r.metric == m->id) {
                expected.push_back(r);
                to.add(r, r.level, way.words(r));
            }
        }
        to.finish();
        out.commit();
        seen.clear();
        envelope_file file(directory / m->name);
        while (const auto bytes = file.next()) {
            read(*bytes, seen);
        }
        ASSERT_EQ(seen.size(), expected.size()) << m->name;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            EXPECT_EQ(row_of(*m, seen[i]), row_of(*m, expected[i])) << m->name << ' ' << i;
            EXPECT_EQ(seen[i].cohort, expected[i].cohort) << m->name;
        }
    }
}

TEST_F(Tightening, RefusesWhereNoWayLeadsDown) {
    const auto refusal = [&](const char *name, std::uint32_t level) -> std::string {
        const metric &m = *registry_.find(name);
        try {
            const tightening way(m, table_of(m), level, noise_key{});
        } catch (const usage_error &error) {
            return error.what();
        }
        return "taken";
    };
    EXPECT_EQ(refusal("damage", 1), "taken");
    EXPECT_EQ(refusal("damage", 2), "--level: 2 is not 0 to 1, the levels of damage below its top");
    EXPECT_EQ(refusal("city", 0), "--metric: city has one level: there is none below it");
    EXPECT_NE(refusal("lights", 0).find("fine Laplace grid"), std::string::npos);
    EXPECT_NE(refusal("species", 0).find("permanent noise"), std::string::npos);
}

// smoke (7): level 1 flips with 1/4, level 0 that again with 1/4.
class TightenProgram : public testing::Test {
  protected:
    TightenProgram() {
        // A request may ask for smoke, and select.
        directory_.file("M.json",
                        replaced(registry_text(), R"("request_level": 0, "costs": ["535640")",
                                 R"("request_level": 1, "costs": ["535640")"));
    }

    static wire_report smoke(const std::string &release, std::uint64_t level, std::uint32_t index,
                             std::uint64_t flags = 0) {
        wire_report r;
        r.release = release;
        r.metric = 7;
        r.level = level;
        r.index = index;
        r.flags = flags;
        return r;
    }
    static std::string number_text(std::uint32_t i) {
        const std::string digits = std::to_string(i);
        return std::string(8 - digits.size(), '0') + digits;
    }
    int run(const std::string &arguments) {
        const program_result r = run_program(directory_, arguments);
        out_ = r.out;
        err_ = r.err;
        return r.exit;
    }
    int tighten(const std::string &more) {
        return run("tighten --registry M.json --metric smoke --level 0 --out made " + more);
    }
    // The reports in `made`: level and value by release.
    std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> made() const {
        std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> all;
        envelope_file file(directory_ / "made");
        while (const auto bytes = file.next()) {
            const envelope e = std::get<envelope>(decode_envelope(*bytes));
            EXPECT_EQ(e.registry, fleet);
            const batch b = std::get<batch>(decode_batch(e.batch));
            for (const report &r : b.reports) {
                EXPECT_EQ(r.metric, 7u);
                EXPECT_EQ(r.epoch, 5u);
                EXPECT_EQ(r.flags, 0u);
                const auto value = std::get<std::uint32_t>(r.value);
                const std::string id(r.release.begin(), r.release.end());
                EXPECT_TRUE(all.try_emplace(id, r.level, value).second) << "twice";
            }
        }
        return all;
    }

    temporary_directory directory_;
    std::string out_, err_;
};

// 4,000 releases that were only seen at level 1, 1,500 of them true: at level 0 they are estimated
// at the same, with the error that level 0 has beyond level 1.
TEST_F(TightenProgram, EstimatesOfWhatWasTightened) {
    std::string file;
    for (std::uint32_t i = 0; i < 4000; ++i) {
        file += file_of(smoke(number_text(i), 1, i % 8 < 3 ? 1 : 0));
    }
    directory_.file("in", file);
    ASSERT_EQ(tighten("in"), 0) << err_;
    EXPECT_NE(out_.find("4,000 releases of smoke tightened to level 0, 0 passed on"),
              std::string::npos)
        << out_;
    EXPECT_EQ(made().size(), 4000u);
    ASSERT_EQ(run("ingest --registry M.json --store store made"), 0) << err_;
    ASSERT_EQ(run("estimate --registry M.json --store store --metric smoke --format json"), 0);
    const auto row = nlohmann::json::parse(out_).at(0);
    EXPECT_EQ(row.at("reports"), 4000);
    // 1,500 of 4,000 at flips of 1/4: (1500 - 1000) / (1/2) = 1,000. Each report's second flip adds
    // a variance of 3/16, and the estimate is the count over 1/4: 6.2 standard deviations.
    EXPECT_NEAR(row.at("estimate").get<double>(), 1000, 6.2 * std::sqrt(4000 * 3 / 16.0) * 4);
    const double error = std::sqrt(4000 * 15 / 64.0) * 4; // 3/8 5/8, over (1 - 2 * 3/8)
    EXPECT_NEAR(row.at("std_error").get<double>(), error, 1e-6 * error);
    // Not the reports themselves: a quarter is flipped.
    std::uint32_t flipped = 0;
    for (const auto &[id, one] : made()) {
        EXPECT_EQ(one.first, 0u);
        flipped += one.second != (std::stoul(id) % 8 < 3 ? 1u : 0u) ? 1 : 0;
    }
    EXPECT_NEAR(flipped, 1000, 6.2 * std::sqrt(4000 * 3 / 16.0));
}

TEST_F(TightenProgram, GoesOnWithOneReportOfEachRelease) {
    wire_report other;
    other.release = "another1";
    const std::string first = file_of(smoke("both0001", 1, 1), smoke("low00001", 0, 1), other);
    const std::string later =
        file_of(smoke("both0001", 0, 0), smoke("high0001", 1, 1), smoke("chosen01", 1, 1, 1),
                smoke("chosen02", 1, 1, 1)) +
        file_of(smoke("high0001", 1, 1), smoke("chosen01", 0, 1), smoke("low00001", 0, 0));
    directory_.file("first", first);
    directory_.file("later", later + "torn");
    ASSERT_EQ(tighten("--seed 01 first later"), 0) << err_;
    EXPECT_NE(out_.find("1 release of smoke tightened to level 0, 3 passed on"), std::string::npos)
        << out_;
    EXPECT_NE(out_.find("1 release left out"), std::string::npos) << out_;
    EXPECT_NE(err_.find("NOT private"), std::string::npos);
    EXPECT_NE(err_.find("rejected 1"), std::string::npos) << err_;
    const auto found = made();
    ASSERT_EQ(found.size(), 4u); // neither another1 nor chosen02
    EXPECT_EQ(found.at("both0001"), (std::pair{0u, 0u})) << "what the device itself published";
    EXPECT_EQ(found.at("low00001"), (std::pair{0u, 0u})) << "two that differ: always this one";
    EXPECT_EQ(found.at("chosen01"), (std::pair{0u, 1u})) << "as it was before it was chosen";
    EXPECT_EQ(found.at("high0001").first, 0u);
    const std::string bytes = read_file(directory_ / "made");
    ASSERT_EQ(tighten("--seed 01 later first"), 0) << err_;
    EXPECT_EQ(read_file(directory_ / "made"), bytes) << "in no order but that of the releases";
}

// A device's report at the top of damage's ladder of three, by any key.
TEST_F(Tightening, EveryWayDownIsTheSame) {
    const metric &m = *registry_.find("damage");
    const auto down = [&](const noise_key &key, const report &r, std::uint32_t level) {
        report made = r;
        made.value = tightening(m, table_of(m), level, key).tightened(r).at(0);
        made.level = level;
        return made;
    };
    const noise_key key = noise_key_of({1}), other = noise_key_of({2});
    report r;
    r.metric = m.id;
    r.level = 2;
    std::uint32_t differ_by_key = 0, differ_by_epoch = 0;
    for (std::uint32_t i = 0; i < 4000; ++i) {
        r.release[0] = static_cast<std::uint8_t>(i);
        r.release[7] = static_cast<std::uint8_t>(i >> 8);
        r.value = i & 1u;
        const auto once = down(key, r, 0).value;
        EXPECT_EQ(down(key, down(key, r, 1), 0).value, once) << "by way of level 1";
        differ_by_key += down(other, r, 0).value != once ? 1 : 0;
        r.epoch = 1;
        differ_by_epoch += down(key, r, 0).value != once ? 1 : 0;
        r.epoch = 0;
    }
    EXPECT_GT(differ_by_key, 1000u);
    EXPECT_GT(differ_by_epoch, 1000u);
}

// Who has one value of his own counted for a release does not see the noise of the true one by it.
TEST_F(Tightening, AnotherValueHasOtherNoise) {
    const metric &m = *registry_.find("damage");
    const tightening way(m, table_of(m), 1, noise_key_of({1})); // one step
    report r;
    r.metric = m.id;
    r.level = 2;
    double ones = 0, zeros = 0, both = 0; // of a zero, of a one, of one release
    constexpr double count = 4000;
    for (std::uint32_t i = 0; i < count; ++i) {
        r.release[0] = static_cast<std::uint8_t>(i);
        r.release[7] = static_cast<std::uint8_t>(i >> 8);
        r.value = std::uint32_t{0};
        const bool is_one = way.tightened(r).at(0) == 1;
        r.value = std::uint32_t{1};
        const bool is_zero = way.tightened(r).at(0) == 0;
        ones += is_one ? 1 : 0;
        zeros += is_zero ? 1 : 0;
        both += is_one && is_zero ? 1 : 0;
    }
    const double expected = ones * zeros / count; // independent; 0 or all of them with equal noise
    EXPECT_GT(expected, 100);
    EXPECT_NEAR(both, expected, 6.2 * std::sqrt(expected));
}

TEST_F(TightenProgram, TheSameAgainGivesTheSameBytes) {
    std::string file;
    for (std::uint32_t i = 0; i < 200; ++i) {
        file += file_of(smoke(number_text(i), 1, 1));
    }
    directory_.file("in", file);
    directory_.file("half", file.substr(0, file.size() / 2));
    ASSERT_EQ(tighten("in"), 0) << err_;
    const std::string once = read_file(directory_ / "made"), key_file = "M.json.tighten-key";
    const auto key = read_file(directory_ / key_file);
    EXPECT_EQ(std::filesystem::status(directory_ / key_file).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    for (int i = 0; i < 60; ++i) {
        ASSERT_EQ(tighten(i % 2 == 0 ? "in" : "half in"), 0) << err_;
        EXPECT_EQ(read_file(directory_ / "made"), once);
    }
    EXPECT_EQ(read_file(directory_ / key_file), key);
    const auto before = made();
    ASSERT_EQ(tighten("--noise-key mine in"), 0) << err_;
    EXPECT_NE(made(), before); // equal with probability (5/8)^200
    EXPECT_EQ(read_file(directory_ / key_file), key);
}

TEST_F(TightenProgram, ANoiseKeyThatIsNoneIsRefusedAndKept) {
    directory_.file("in", file_of(smoke("release1", 1, 1)));
    for (const std::string text : {"", "sotto tighten key v1\nnoise 00\n", "anything"}) {
        directory_.file("M.json.tighten-key", text);
        EXPECT_EQ(tighten("in"), 2);
        EXPECT_EQ(err_, "sotto: M.json.tighten-key: no noise key as sotto tighten makes it\n");
        EXPECT_EQ(read_file(directory_ / "M.json.tighten-key"), text);
        EXPECT_FALSE(std::filesystem::exists(directory_ / "made"));
    }
    std::filesystem::remove(directory_ / "M.json.tighten-key");
    std::filesystem::create_directory(directory_ / "M.json.tighten-key");
    EXPECT_NE(tighten("in"), 0) << "what can't be read is not replaced";
    EXPECT_FALSE(std::filesystem::exists(directory_ / "made"));
}

TEST_F(TightenProgram, OpensWhatIsSealed) {
    directory_.file("C.json", read_file(SOTTO_COMPILED_REGISTRY));
    directory_.file("rows.csv", "d\n1\n0\n1\n");
    ASSERT_EQ(run("keygen --out keys"), 0) << err_;
    ASSERT_EQ(run("simulate --registry C.json --input rows.csv --map damage=d --levels 2 --out "
                  "in --key keys/*.pub"),
              0)
        << err_;
    const std::string before = "tighten --registry C.json --metric damage --level 1 --out made in";
    EXPECT_EQ(run(before), 2);
    EXPECT_NE(err_.find("no report of damage in 1 file: rejected"), std::string::npos) << err_;
    ASSERT_EQ(run(before + " --key keys"), 0) << err_;
    EXPECT_NE(out_.find("0 releases of damage tightened to level 1, 3 passed on"),
              std::string::npos)
        << out_;
}

TEST_F(TightenProgram, RefusesWithOneLineAndWritesNothing) {
    directory_.file("in", file_of(smoke("release1", 1, 1)));
    directory_.file("damage", file_of(wire_report{}));
    const std::string before = "tighten --registry M.json --out made ";
    const struct {
        const char *arguments, *words;
    } cases[] = {
        {"--metric smoke --level 1 in", "--level: 1 is not 0 to 0"},
        {"--metric roof --level 0 in", "no metric \"roof\""},
        {"--metric damage --level 0 in", "one level"},
        {"--metric smoke --level 0 damage", "no report of smoke in 1 file"},
        {"--metric smoke --level 0 nowhere", "nowhere"},
        {"--metric smoke --level 0 --seed xy in", "--seed"},
    };
    for (const auto &c : cases) {
        EXPECT_EQ(run(before + c.arguments), 2) << c.arguments;
        EXPECT_NE(err_.find(c.words), std::string::npos) << err_;
        EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
        EXPECT_FALSE(std::filesystem::exists(directory_ / "made"));
    }
}

} // namespace
} // namespace sotto::aggregator::test
