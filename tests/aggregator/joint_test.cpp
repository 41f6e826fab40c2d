// SPDX-License-Identifier: Apache-2.0
// Two metrics of one device: drawn by textbook, fitted, and through the program.
#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/bloom.hpp"
#include "aggregator/estimate/joint.hpp"
#include "aggregator/estimate/report_likelihood.hpp"
#include "aggregator/estimate/report_patterns.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/text/format.hpp"
#include "aggregator/text/joint_text.hpp"
#include "run_program.hpp"
#include "support.hpp"
#include "trials.hpp"

#include "sotto/registry.h"

#include <Eigen/LU>
#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace sotto::aggregator::test {
namespace {

const registry &every() {
    static const registry known = parse_registry(every_type_text(), "M.json");
    return known;
}

// A report of a value, at level 0, as it is stored.
std::vector<std::uint8_t> draw(generator &random, const metric &m, const bloom_function &bloom,
                               const std::string &text, std::uint32_t index, std::uint32_t cohort) {
    const bit_channel channel = *mechanism_of(m).channel(m, m.law(0));
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<std::uint8_t> out(m.value_bytes());
    if (m.kind() == value_kind::bits) {
        const std::vector<std::uint32_t> set =
            bloom ? bloom(text, cohort) : std::vector<std::uint32_t>{index};
        for (std::uint32_t j = 0; j < m.value_size(); ++j) {
            const bool is_member = std::find(set.begin(), set.end(), j) != set.end();
            if (unit(random) < (is_member ? channel.one_if_one : channel.one_if_zero)) {
                out[j / 8] = static_cast<std::uint8_t>(out[j / 8] | 1u << j % 8);
            }
        }
        return out;
    }
    // An index: the true one with one_if_one, any other alike.
    std::uint32_t published = index;
    if (unit(random) >= channel.one_if_one) {
        published = std::uniform_int_distribution<std::uint32_t>(0, m.value_size() - 2)(random);
        published += published >= index ? 1 : 0;
    }
    put_big_endian(out.data(), published);
    return out;
}

struct drawn_value {
    std::string text; // a string's
    std::uint32_t index = 0;
};

report_pairs
draw_pairs(generator &random, report_likelihood &first, report_likelihood &second,
           const std::vector<std::pair<std::pair<drawn_value, drawn_value>, int>> &held) {
    const auto bloom = [](const metric &m) {
        return m.type == SOTTO_TYPE_STRING ? bloom_of(std::get<rappor_table>(m.table))
                                           : bloom_function();
    };
    const bloom_function blooms[] = {bloom(first.subject()), bloom(second.subject())};
    struct drawn {
        std::uint32_t cohort;
        std::vector<std::uint8_t> value;
    };
    const auto sample = [&](const metric &m, const bloom_function &hash, const drawn_value &value) {
        const auto *table = std::get_if<rappor_table>(&m.table);
        const auto cohorts = table != nullptr ? table->cohorts : std::uint16_t{1};
        const auto cohort = static_cast<std::uint32_t>(random() % cohorts);
        return drawn{cohort, draw(random, m, hash, value.text, value.index, cohort)};
    };
    std::deque<drawn> reports; // a deque: its reports stay where they are
    report_patterns patterns(first, second);
    for (const auto &[values, devices] : held) {
        for (int d = 0; d < devices; ++d) {
            const drawn &a = reports.emplace_back(sample(first.subject(), blooms[0], values.first));
            const drawn &b =
                reports.emplace_back(sample(second.subject(), blooms[1], values.second));
            patterns.add({0, a.cohort, a.value}, {0, b.cohort, b.value});
        }
    }
    return patterns.finish();
}

// Intervals of every cell over many rounds. An honest one covers less than 76 of 100 times with a
// probability of 2e-11 a cell. Cells at 0 cover nearly always, as the estimate can't be negative.
struct coverage {
    static constexpr int rounds = 100, least = 76;
    int covered = 0;
    double error = 0;
};

std::vector<coverage>
cover(report_likelihood &first, report_likelihood &second, std::uint64_t seed,
      const std::vector<std::pair<std::pair<drawn_value, drawn_value>, int>> &held,
      const std::vector<double> &truth) {
    generator random(seed);
    std::vector<coverage> out(truth.size());
    for (int i = 0; i < coverage::rounds; ++i) {
        const joint_fit fit = estimate_joint(draw_pairs(random, first, second, held));
        EXPECT_TRUE(fit.converged()) << fit.gap << " after " << fit.rounds;
        for (std::size_t c = 0; c < truth.size(); ++c) {
            EXPECT_TRUE(fit.cells[c]);
            const estimated &r = *fit.cells[c];
            out[c].covered += r.ci_low() <= truth[c] && truth[c] <= r.ci_high() ? 1 : 0;
            out[c].error += (r.value - truth[c]) / coverage::rounds;
        }
    }
    return out;
}

// By hand, without noise: what is seen is what there is.
TEST(Joint, IsExactWithoutNoise) {
    report_pairs pairs;
    pairs.first.setZero(10, 2);
    pairs.second.setZero(10, 3);
    for (std::uint32_t i = 0; i < 10; ++i) {
        pairs.pairs.push_back({i, i, 1});
        pairs.first(i, i < 4 ? 0 : 1) = 1;
        pairs.second(i, i < 4 ? i % 2 : 2) = 1;
    }
    const joint_fit fit = estimate_joint(pairs);
    ASSERT_TRUE(fit.converged());
    const double wanted[] = {2, 2, 0, 0, 0, 6};
    for (std::size_t c = 0; c < 6; ++c) {
        if (fit.cells[c]) {
            EXPECT_NEAR(fit.cells[c]->value, wanted[c], 0.05) << c;
        }
    }
    EXPECT_TRUE(estimate_joint({}).cells.empty());
}

// Nine devices: all that answered yes to the first answered yes to the second. The errors are those
// of three free shares; the fourth is the rest.
TEST(Joint, TellsOfAnswersThatNeverCame) {
    constexpr double answered_so = 0.75;
    report_pairs pairs;
    pairs.first.setConstant(9, 2, 1 - answered_so);
    pairs.second.setConstant(9, 2, 1 - answered_so);
    for (std::uint32_t i = 0; i < 9; ++i) {
        pairs.pairs.push_back({i, i, 1});
        pairs.first(i, i < 3 ? 1 : 0) = answered_so;
        pairs.second(i, i < 4 ? 1 : 0) = answered_so;
    }
    const joint_fit fit = estimate_joint(pairs);
    ASSERT_TRUE(fit.converged());
    Eigen::Vector4d shares;
    for (std::size_t c = 0; c < 4; ++c) {
        ASSERT_TRUE(fit.cells[c]) << c;
        shares[static_cast<Eigen::Index>(c)] = fit.cells[c]->value / 9;
    }
    EXPECT_NEAR(shares.sum(), 1, 1e-12);
    Eigen::Matrix<double, 4, 3> free;
    free << 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, -1, -1;
    Eigen::Matrix4d curvature = Eigen::Matrix4d::Zero();
    for (int i = 0; i < 9; ++i) {
        const auto first = pairs.first.row(i), second = pairs.second.row(i);
        Eigen::Vector4d d(first(0) * second(0), first(0) * second(1), first(1) * second(0),
                          first(1) * second(1));
        d /= d.dot(shares);
        curvature += d * d.transpose();
    }
    const Eigen::Matrix4d covariance =
        free * (free.transpose() * curvature * free).inverse() * free.transpose();
    for (Eigen::Index c = 0; c < 4; ++c) {
        const double devices = shares[c] * (1 - shares[c]) / 9;
        EXPECT_NEAR(fit.cells[static_cast<std::size_t>(c)]->std_error,
                    9 * std::sqrt(covariance(c, c) - devices), 1e-6)
            << c;
    }
}

TEST(Joint, CoversAStringAndACategory) {
    const metric &aircraft = *every().find("aircraft"), &phase = *every().find("phase");
    report_likelihood first(aircraft, {"B737", "A320"}), second(phase, {});
    ASSERT_EQ(first.values().size(), 5u); // too long, a dummy, any other
    ASSERT_EQ(second.values().size(), 4u);
    std::vector<std::pair<std::pair<drawn_value, drawn_value>, int>> held = {
        {{{"B737"}, {"", 0}}, 1200}, {{{"B737"}, {"", 2}}, 400}, {{{"A320"}, {"", 1}}, 800}};
    for (int i = 0; i < 100; ++i) {
        held.push_back({{{"rare" + std::to_string(i)}, {"", 3}}, 8});
    }
    const std::vector<double> truth = {1200, 0, 400, 0, 0, 800, 0, 0, 0, 0,
                                       0,    0, 0,   0, 0, 0,   0, 0, 0, 800};
    const auto found = cover(first, second, 1, held, truth);
    for (std::size_t c = 0; c < truth.size(); ++c) {
        EXPECT_GE(found[c].covered, coverage::least) << c << " off by " << found[c].error;
    }
}

TEST(Joint, CoversTwoRapporMetrics) {
    const metric &aircraft = *every().find("aircraft"), &species = *every().find("species");
    report_likelihood first(aircraft, {"B737", "A320"}), second(species, {});
    ASSERT_EQ(first.values().back().is, value_class::other);
    ASSERT_EQ(second.values().back().is, value_class::dummy);
    std::vector<double> truth(5 * 4);
    truth[0] = 1500;
    truth[2] = 300;
    truth[5] = 1200;
    const auto found = cover(
        first, second, 2,
        {{{{"B737"}, {"", 0}}, 1500}, {{{"B737"}, {"", 2}}, 300}, {{{"A320"}, {"", 1}}, 1200}},
        truth);
    for (std::size_t c = 0; c < truth.size(); ++c) {
        EXPECT_GE(found[c].covered, coverage::least) << c << " off by " << found[c].error;
    }
}

// The joint distribution of two independent metrics is their product. The interval tells dependent
// ones apart.
TEST(Joint, SeesDependence) {
    generator random(3);
    const metric &damage = *every().find("damage"), &phase = *every().find("phase");
    report_likelihood first(damage, {}), second(phase, {});
    const joint_fit apart = estimate_joint(draw_pairs(random, first, second,
                                                      {{{{"", 0}, {"", 0}}, 5000},
                                                       {{{"", 0}, {"", 1}}, 5000},
                                                       {{{"", 1}, {"", 0}}, 5000},
                                                       {{{"", 1}, {"", 1}}, 5000}}));
    const joint_fit together = estimate_joint(draw_pairs(
        random, first, second, {{{{"", 0}, {"", 0}}, 10000}, {{{"", 1}, {"", 1}}, 10000}}));
    // 6.2 standard errors: once in 10^9.
    EXPECT_NEAR(apart.cells[0]->value, 5000, 6.2 * apart.cells[0]->std_error);
    EXPECT_GT(together.cells[0]->value, 5000 + 6.2 * together.cells[0]->std_error);
}

// Neither devices whose strings are too long nor those without a value count as others.
TEST(Joint, HasReservedValuesApart) {
    generator random(4);
    const metric &aircraft = *every().find("aircraft"), &damage = *every().find("damage");
    report_likelihood first(aircraft, {"B737", "A320"}), second(damage, {});
    std::vector<std::pair<std::pair<drawn_value, drawn_value>, int>> held = {
        {{{"B737"}, {"", 1}}, 6000}, {{{std::string(65, 'x')}, {"", 0}}, 4000}};
    report_pairs pairs = draw_pairs(random, first, second, held);
    const joint_fit fit = estimate_joint(pairs);
    ASSERT_TRUE(fit.converged());
    const std::vector<double> truth = {0, 6000, 0, 0, 4000, 0, 0, 0, 0, 0};
    for (std::size_t c = 0; c < truth.size(); ++c) {
        ASSERT_TRUE(fit.cells[c]);
        EXPECT_NEAR(fit.cells[c]->value, truth[c], 6.2 * fit.cells[c]->std_error + 0.1) << c;
    }
}

// Answers with one index, the true one with a chance of keep + (1 - keep) / size.
metric category_of(std::uint32_t size, double keep) {
    metric m;
    m.type = SOTTO_TYPE_CATEGORY;
    k_randomized_response_table table;
    table.size = size;
    m.table = table;
    ladder_level level;
    level.law = keep_law{keep};
    m.levels.push_back(level);
    return m;
}

// A day's hours and six bands, at about epsilon 1 and 1.5. Equal pairs are one, so that five times
// the devices make no more of them. Two may count what one entry counts.
TEST(Joint, EqualPairsAreOne) {
    generator random(5);
    const metric hour = category_of(24, 0.067), band = category_of(6, 0.37);
    report_likelihood first(hour, {}), second(band, {});
    std::vector<std::pair<std::pair<drawn_value, drawn_value>, int>> held;
    for (std::uint32_t h = 0; h < 24; ++h) {
        held.push_back({{{"", h}, {"", h % 5}}, 40'000 / 24});
    }
    const report_pairs some = draw_pairs(random, first, second, held);
    for (auto &pair : held) {
        pair.second *= 5;
    }
    const report_pairs more = draw_pairs(random, first, second, held);
    EXPECT_EQ(more.first.rows(), 24);
    EXPECT_EQ(more.second.rows(), 6);
    EXPECT_EQ(some.pairs.size(), 24u * 6);
    EXPECT_EQ(more.pairs.size(), 24u * 6);
    report_pairs apart = some;
    apart.pairs.clear();
    for (const report_pairs::equal_pairs &pair : some.pairs) {
        apart.pairs.push_back({pair.first, pair.second, pair.count / 2});
        apart.pairs.push_back({pair.first, pair.second, pair.count - pair.count / 2});
    }
    const joint_fit together = estimate_joint(some), split = estimate_joint(apart);
    ASSERT_TRUE(together.converged() && split.converged()) << together.gap << " " << split.gap;
    for (std::size_t c = 0; c < together.cells.size(); ++c) {
        EXPECT_NEAR(together.cells[c]->value, split.cells[c]->value, 1) << c;
        EXPECT_NEAR(together.cells[c]->std_error, split.cells[c]->std_error, 1) << c;
    }
}

// The control: reports of 128 bits are hardly ever equal, so that each is a row of its own.
TEST(Joint, DifferentPairsAreAsManyAsThereAre) {
    generator random(9);
    const metric &aircraft = *every().find("aircraft"), &phase = *every().find("phase");
    report_likelihood first(aircraft, {"B737"}), second(phase, {});
    for (const int devices : {200, 400}) {
        const report_pairs drawn =
            draw_pairs(random, first, second, {{{{"B737"}, {"", 0}}, devices}});
        EXPECT_EQ(drawn.first.rows(), devices);
        EXPECT_EQ(drawn.second.rows(), 4);
        EXPECT_EQ(drawn.pairs.size(), static_cast<std::size_t>(devices));
    }
}

// So much noise that 20,000 rounds of EM do not get there.
TEST(Joint, ConvergesThroughMuchNoise) {
    generator random(6);
    const metric hour = category_of(24, 0.02), band = category_of(6, 0.1);
    report_likelihood first(hour, {}), second(band, {});
    std::vector<std::pair<std::pair<drawn_value, drawn_value>, int>> held;
    for (std::uint32_t h = 0; h < 24; ++h) {
        held.push_back({{{"", h}, {"", h / 4}}, 40'000 / 24});
    }
    const joint_fit fit = estimate_joint(draw_pairs(random, first, second, held));
    EXPECT_TRUE(fit.converged()) << fit.gap << " after " << fit.rounds;
    EXPECT_LE(fit.rounds, 400);
}

TEST(Joint, RefusesWhatItCannotDo) {
    EXPECT_THROW(report_likelihood(*every().find("aircraft"), {}), usage_error);
    EXPECT_THROW(report_likelihood(*every().find("speed"), {}), usage_error);
    EXPECT_THROW(report_likelihood(*every().find("parts"), {}), usage_error);
}

// As in the rows of sotto estimate; a string that begins or ends with white space is in quotes.
TEST(JointText, ValuesAreWhatTheyAreOf) {
    const report_likelihood hour(*every().find("hour"), {}),
        aircraft(*every().find("aircraft"), {"B737 "});
    joint_fit fit;
    fit.cells.resize(24 * 4);
    fit.cells[4] = estimated{3, 1, 4};
    fit.cells[7] = estimated{1, 1, 4};
    fit.cells[5] = fit.cells[6] = estimated{0, 1, 4};
    const joint_table table = {hour, aircraft, 6, 1.5, fit};
    const auto rows = nlohmann::json::parse(json_format.joint(table, any_width));
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[0].at("first"), 1);
    EXPECT_EQ(rows[0].at("second"), "B737 ");
    EXPECT_EQ(rows[0].at("second_kind"), nullptr);
    EXPECT_EQ(rows[1].at("second"), "longer than 64 bytes");
    EXPECT_EQ(rows[1].at("second_kind"), "too_long");
    EXPECT_EQ(rows[2].at("second_kind"), "dummy");
    EXPECT_EQ(rows[3].at("second"), nullptr);
    EXPECT_EQ(rows[3].at("second_kind"), "other");
    EXPECT_EQ(rows[3].at("epoch"), 6);
    EXPECT_EQ(rows[3].at("epsilon"), 1.5);
    for (const char *said : {"(longer than 64 bytes)", "(beyond max_values (", "(any other)"}) {
        EXPECT_NE(joint_text(table).find(said), std::string::npos) << joint_text(table);
    }
    EXPECT_NE(csv_format.joint(table, any_width).find("\n6,1,longer than 64 bytes,0,"),
              std::string::npos);
    EXPECT_NE(csv_format.joint(table, any_width).find(",1.5,,too_long,cells_undetermined,"),
              std::string::npos)
        << csv_format.joint(table, any_width);
    EXPECT_NE(joint_text(table).find("1  \"B737 \"                  75.0 %"), std::string::npos)
        << joint_text(table);
    const report_likelihood other(*every().find("aircraft"),
                                  {"B737" + std::string(40, 'x') + "900"});
    const joint_table wide = {hour, other, 6, 1.5, fit};
    EXPECT_NE(joint_text(wide, 60).find("…xxxx900  75.0 %  ≥ 15.7 %"), std::string::npos)
        << joint_text(wide, 60);
    EXPECT_EQ(joint_text(wide).find("…"), std::string::npos);
}

class JointProgram : public testing::Test {
  protected:
    JointProgram() { (void)directory_.file("metrics.json", registry_text()); }

    // An envelope with damage and smoke of one epoch, by the release's last character.
    static std::string envelope_of(char number, std::uint32_t damage, std::uint32_t smoke,
                                   std::uint64_t epoch = 5) {
        wire_report a, b;
        a.release = std::string("damage0") + number;
        a.index = damage;
        b.release = std::string("smoke00") + number;
        b.metric = 7;
        b.index = smoke;
        wire_envelope e;
        wire_batch batch;
        batch.epoch = epoch;
        e.batch = batch.bytes(a, b);
        return delimited(e.bytes());
    }

    int run(const std::string &arguments) {
        const program_result r =
            run_program(directory_, "joint --registry metrics.json " + arguments);
        out_ = r.out;
        err_ = r.err;
        return r.exit;
    }

    temporary_directory directory_;
    std::string out_, err_;
};

// Pairs come from envelopes; one that was sent again is one, and a report on its own is none.
TEST_F(JointProgram, PairsWhatCameInOneEnvelope) {
    std::string bytes;
    for (char c = 'a'; c < 'k'; ++c) {
        bytes += envelope_of(c, c < 'f' ? 1 : 0, c < 'e' || c == 'j' ? 1 : 0);
    }
    bytes += envelope_of('a', 1, 1);
    wire_report alone;
    alone.release = "another1";
    (void)directory_.file("in.bin", bytes + file_of(alone));
    ASSERT_EQ(run("--metrics damage,smoke --format json in.bin"), 0) << err_;
    const auto rows = nlohmann::json::parse(out_);
    ASSERT_EQ(rows.size(), 4u);
    double sum = 0;
    for (const auto &row : rows) {
        EXPECT_EQ(row.at("reports"), 10);
        EXPECT_EQ(row.at("epoch"), 5);
        EXPECT_EQ(row.at("converged"), true);
        sum += row.at("estimate").get<double>();
    }
    EXPECT_NEAR(sum, 10, 1e-6);
    EXPECT_EQ(rows[0].at("first"), false);
    EXPECT_EQ(rows[0].at("second"), false);
    EXPECT_EQ(rows[0].at("first_metric"), "damage");
    EXPECT_EQ(rows[0].at("second_metric"), "smoke");
    // At level 0 of both: ln 3 and ln 5/3.
    EXPECT_NEAR(rows[0].at("epsilon").get<double>(), std::log(3) + std::log(5.0 / 3), 1e-12);
    // Eight of ten agree, less often than two values that always do.
    EXPECT_GT(rows[0].at("estimate"), rows[1].at("estimate"));
    EXPECT_GT(rows[3].at("estimate"), rows[2].at("estimate"));
    EXPECT_NE(err_.find("1 release left out"), std::string::npos) << err_;
    EXPECT_EQ(rows[3].at("remarks").dump(), R"([{"kind":"releases_alone","releases":1}])");
    EXPECT_EQ(run("--metrics damage,smoke in.bin"), 0);
    const std::string table = out_;
    EXPECT_NE(table.find("of 10 pairs"), std::string::npos);
    EXPECT_TRUE(table.starts_with("damage and smoke, epoch 5, together epsilon at most 1.6095\n"))
        << table;
    EXPECT_EQ(run("--metrics damage,smoke --format csv in.bin"), 0);
    const std::string csv = out_;
    EXPECT_TRUE(csv.starts_with("epoch,first,second,estimate,std_error,ci_low,ci_high,reports,"
                                "converged,first_metric,second_metric,epsilon,first_kind,"
                                "second_kind,remarks,remark_facts\n5,false,false,"))
        << csv;
    EXPECT_NE(csv.find(",10,true,damage,smoke,1.609"), std::string::npos) << csv;
    EXPECT_NE(csv.find(",,,releases_alone,"), std::string::npos) << csv;
    const manual_columns manual = columns_in_manual("joint");
    EXPECT_EQ(manual.listed, split(csv.substr(0, csv.find('\n')), ','));
    const std::set<std::string> others = {"csv",   "json",      "too_long",  "dummy",
                                          "other", "max_bytes", "max_values"};
    for (const std::string &word : manual.emphasised) {
        EXPECT_TRUE(others.contains(word) || std::ranges::count(manual.listed, word)) << word;
    }
}

// The least value counts, whichever file comes first, and it is said.
TEST_F(JointProgram, IsTheSameInAnyOrderWhereReportsContradict) {
    std::string once, other;
    for (char c = 'a'; c < 'k'; ++c) {
        once += envelope_of(c, c < 'f' ? 1 : 0, c < 'e' || c == 'j' ? 1 : 0);
        other += envelope_of(c, c < 'c' || c == 'e' ? 1 : 0, c < 'e' || c == 'j' ? 1 : 0);
    }
    (void)directory_.file("once.bin", once);
    (void)directory_.file("other.bin", other);
    const auto rows_of = [&](const char *files) {
        EXPECT_EQ(run(std::string("--metrics damage,smoke --format json ") + files), 0) << err_;
        auto rows = nlohmann::json::parse(out_);
        for (auto &row : rows) {
            row.erase("remarks"); // the remarks say so
        }
        return rows;
    };
    const auto least = rows_of("other.bin");
    EXPECT_EQ(least.size(), 4u) << least;
    EXPECT_EQ(err_.find("other values"), std::string::npos) << err_;
    for (const char *files : {"once.bin other.bin", "other.bin once.bin"}) {
        EXPECT_EQ(rows_of(files), least) << files;
        EXPECT_NE(
            err_.find("2 releases came with several values for one level: the least value counts"),
            std::string::npos)
            << err_;
    }
}

TEST_F(JointProgram, RefusesWithOneLine) {
    (void)directory_.file("two.bin", envelope_of('a', 1, 1) + envelope_of('b', 1, 1, 6));
    (void)directory_.file("none.bin", file_of(wire_report{}));
    wire_envelope sealed;
    sealed.key_id = 1;
    sealed.enc = std::string(32, 'e');
    sealed.ciphertext = "ciphertext";
    (void)directory_.file("sealed.bin", delimited(sealed.bytes()));
    wire_report smoke_report, other, smoke;
    other.release = "release2";
    smoke.metric = 7;
    (void)directory_.file("several.bin", file_of(smoke_report, other, smoke));
    ASSERT_EQ(run_program(directory_, "keygen --out keys").exit, 0);
    const std::pair<const char *, const char *> wrong[] = {
        {"--metrics damage,smoke two.bin", "pairs of 2 epochs, 5 to 6: say which with --epoch"},
        {"--metrics damage,smoke none.bin", "no envelope has both damage and smoke\n"},
        {"--metrics damage,smoke --epoch 9 two.bin",
         "no envelope has both damage and smoke of epoch 9, there are some of epochs 5 to 6\n"},
        {"--metrics damage,smoke sealed.bin",
         "no envelope has both damage and smoke; rejected 1: 1 sealed, and no --key was given\n"},
        {"--metrics damage,smoke --key keys sealed.bin",
         "no envelope has both damage and smoke; rejected 1: 1 sealed for a key that is not here "
         "(00000001)\n"},
        {"--metrics damage,smoke several.bin",
         "no envelope has both damage and smoke; those that have both have several of one\n"},
        {"--metrics damage,fire two.bin", "no metric \"fire\""},
        {"--metrics damage two.bin", "two different ones"},
        {"--metrics damage,smoke --candidates a=b two.bin", "is not METRIC=FILE"},
        {"--metrics damage,smoke --candidates damage=b two.bin",
         "--candidates: damage is no metric of strings"},
        {"--metrics damage,smoke nowhere.bin", "nowhere.bin"}};
    for (const auto &[arguments, what] : wrong) {
        EXPECT_EQ(run(arguments), 2) << arguments;
        const std::string said = err_;
        EXPECT_NE(said.find(what), std::string::npos) << said;
        EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    }
    EXPECT_EQ(run("--metrics damage,smoke --epoch 6 two.bin"), 0);
    std::string many;
    for (int i = 0; i < 60'000; ++i) {
        many += "text" + std::to_string(i) + "\n";
    }
    (void)directory_.file("metrics.json", every_type_text());
    (void)directory_.file("many.txt", many);
    EXPECT_EQ(run("--metrics aircraft,phase --candidates aircraft=many.txt two.bin"), 2);
    const char *too_much = "sotto: --metrics: 60,003 times 4 values are 240,012 cells, whose "
                           "covariance takes 2304.2 GB of memory; this machine has ";
    EXPECT_TRUE(err_.starts_with(too_much)) << err_;
}

} // namespace
} // namespace sotto::aggregator::test
