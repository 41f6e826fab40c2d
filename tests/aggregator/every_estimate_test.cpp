// SPDX-License-Identifier: Apache-2.0
// sotto estimate on a store with reports of every type, and sotto plan, as scripts see them.
#include "aggregator/base/csv.hpp"
#include "every_store.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

class EveryEstimate : public every_store {};

// The kinds of the remarks of an answer that has no estimate.
std::set<std::string> kinds_without_row(const std::string &out) {
    std::set<std::string> kinds;
    const json answer = json::parse(out);
    EXPECT_EQ(answer.size(), 1u) << out;
    EXPECT_EQ(answer.at(0).at("estimate"), nullptr);
    for (const json &remark : answer.at(0).at("remarks")) {
        kinds.insert(remark.at("kind"));
    }
    return kinds;
}

TEST_F(EveryEstimate, JsonHasARowForEveryValue) {
    const program_result a = estimate("--format json --candidates names.txt");
    ASSERT_EQ(a.exit, 0) << a.err;
    std::map<std::string, std::vector<json>> values;
    std::map<std::string, double> consistent;
    int wider = 0;
    for (const json &r : json::parse(a.out)) {
        values[r.at("metric")].push_back(r.at("value"));
        EXPECT_EQ(r.at("reports"), releases);
        EXPECT_EQ(r.at("epoch"), 3);
        EXPECT_GE(r.at("consistent"), 0);
        consistent[r.at("metric")] += r.at("consistent").get<double>();
        EXPECT_EQ(r.at("level"), nullptr);
        EXPECT_EQ(r.contains("detected"), r.at("metric") == "aircraft");
        const double half = 1.959963984540054 * r.at("std_error").get<double>();
        const double above = r.at("ci_high").get<double>() - r.at("estimate").get<double>();
        EXPECT_GT(half, 0) << r;
        EXPECT_NEAR(r.at("estimate").get<double>() - r.at("ci_low").get<double>(), above, 1e-9);
        EXPECT_GE(above, half - 1e-9) << r; // wider where it is picked for its size
        wider += above > half + 1e-9 ? 1 : 0;
        if (r.at("value") == true || r.at("value") == nullptr) {
            EXPECT_NEAR(above, half, 1e-9) << "nothing to be compared with: " << r;
        }
    }
    EXPECT_GT(wider, 0);
    // Categories add up; of a set no member is more often than there are releases.
    for (const char *category : {"phase", "hour", "species"}) {
        EXPECT_NEAR(consistent[category], releases, 1e-6) << category;
    }
    EXPECT_LE(consistent["damage"], releases);
    EXPECT_LE(consistent["parts"], 5 * releases);
    EXPECT_EQ(values.size(), registry_.metrics.size());
    EXPECT_EQ(values["damage"], std::vector<json>{true});
    EXPECT_EQ(values["lights"], std::vector<json>{true});
    EXPECT_EQ(values["phase"],
              (std::vector<json>{"climb", "cruise, level", "approach", "landing"}));
    ASSERT_EQ(values["hour"].size(), 24u);
    EXPECT_EQ(values["hour"][23], 23);
    EXPECT_EQ(values["parts"], (std::vector<json>{"engine", "wing", "nose", "tail", "other"}));
    EXPECT_EQ(values["aircraft"],
              (std::vector<json>{"B737", "C172", "A320", "longer than 64 bytes"}));
    EXPECT_EQ(values["speed"], std::vector<json>{nullptr});
    EXPECT_EQ(values["axes"], (std::vector<json>{0, 1, 2}));
    EXPECT_EQ(values["height"], std::vector<json>{nullptr});
    EXPECT_EQ(values["species"], (std::vector<json>{"gull", "goose", "owl"}));
}

TEST_F(EveryEstimate, CsvAndTableHaveThemToo) {
    const program_result a = estimate("--format csv --candidates names.txt --out rows.csv");
    ASSERT_EQ(a.exit, 0) << a.err;
    csv_file csv(directory_ / "rows.csv");
    const auto named = [&](const char *column) {
        return static_cast<std::size_t>(std::ranges::find(csv.header(), column) -
                                        csv.header().begin());
    };
    const manual_columns manual = columns_in_manual("estimate");
    EXPECT_EQ(manual.listed, csv.header());
    const std::set<std::string> others = {
        "csv",      "json",          "html", "table",    "count", "mean",       "max_bytes",
        "too_long", "plausible_max", "at",   "quantile", "bin",   "openmetrics"};
    for (const std::string &word : manual.emphasised) {
        EXPECT_TRUE(others.contains(word) || std::ranges::count(manual.listed, word)) << word;
    }
    std::vector<std::string> fields;
    std::size_t rows = 0, commas = 0;
    while (csv.next(fields)) { // refuses a row of another width
        ++rows;
        const std::string metric = fields.at(named("metric"));
        const bool is_mean = metric == "speed" || metric == "axes" || metric == "height";
        EXPECT_EQ(fields.at(named("quantity")), is_mean ? "mean" : "count") << metric;
        EXPECT_EQ(fields.at(named("detected")).empty(), metric != "aircraft");
        EXPECT_EQ(fields.at(named("pooled")), ""); // at one level
        EXPECT_EQ(fields.at(named("coalition_shift")), "");
        commas += fields[5] == "cruise, level" ? 1 : 0;
    }
    EXPECT_EQ(rows, 1u + 4 + 24 + 5 + 4 + 1 + 3 + 1 + 1 + 1 + 3);
    EXPECT_EQ(commas, 1u);
    // Whatever is asked for, and whatever there is: the same columns.
    for (const char *asked : {"--metric phase", "--candidates names.txt --all-epochs --coalition 3",
                              "--metric axes", "--metric phase --epoch 4"}) {
        const std::string out = estimate("--format csv " + std::string(asked)).out;
        EXPECT_EQ(out.substr(0, out.find('\n')),
                  "metric,epoch,level,epsilon,mechanism,value,estimate,std_error,ci_low,ci_high,"
                  "reports,consistent,pooled,pooled_std_error,coalition_shift,detected,"
                  "epsilon_all_epochs,quantity,epsilon_all_levels,value_kind,epochs,total,"
                  "total_std_error,monotone,title,unit,date,remarks,remark_facts")
            << asked;
    }
    const program_result table = estimate("--candidates names.txt");
    EXPECT_NE(table.out.find("cruise, level"), std::string::npos) << table.out;
    EXPECT_NE(table.out.find("mean"), std::string::npos);
    EXPECT_NE(table.out.find("damage: relaxed by a level, to epsilon "), std::string::npos);
}

TEST_F(EveryEstimate, StringsNeedCandidates) {
    const program_result a = estimate("--format json --metric aircraft");
    EXPECT_EQ(a.exit, 0);
    EXPECT_EQ(kinds_without_row(a.out), (std::set<std::string>{"impossible_counts", "no_candidates",
                                                               "no_row", "too_few_for_strings"}));
    EXPECT_EQ(a.err,
              "sotto: aircraft: too few reports for epsilon 1.0743 to say much; a string is "
              "found from 52 % on, from 5 % on with about 32,000\n"
              "sotto: aircraft: 56 of 64 counts are beyond what honest devices send\n"
              "sotto: aircraft: reports of strings; --candidates FILE says which to count\n");
    const std::pair<const char *, const char *> wrong[] = {
        {"a\nb\na\n", "line 3: \"a\" stands there twice"},
        {"", "no candidates"},
        {"a\n\xff\n", "line 2: "},
        {"\xef\xbb\xbf"
         "a\n",
         "byte order mark"},
        {"a\n\n", "line 2: \"\" is empty"}};
    for (const auto &[text, what] : wrong) {
        (void)directory_.file("wrong.txt", text);
        const program_result refused = estimate("--candidates wrong.txt");
        EXPECT_EQ(refused.exit, 2);
        EXPECT_NE(refused.err.find(what), std::string::npos) << refused.err;
    }
    EXPECT_EQ(estimate("--candidates nowhere.txt").exit, 2);
}

TEST_F(EveryEstimate, EpochsInOneACoalitionAndBonferroni) {
    const program_result a =
        estimate("--format json --candidates names.txt --all-epochs --coalition 3 "
                 "--correction bonferroni");
    ASSERT_EQ(a.exit, 0) << a.err;
    for (const json &r : json::parse(a.out)) {
        EXPECT_EQ(r.at("epoch"), nullptr);
        EXPECT_EQ(r.at("reports"), releases);
        EXPECT_GT(r.at("coalition_shift"), 0) << r;
    }
    EXPECT_EQ(a.err.find("chi-square"), std::string::npos) << a.err; // all there is to find
    EXPECT_NE(a.err.find("damage: too few reports for epsilon "), std::string::npos) << a.err;
    const program_result table = estimate("--all-epochs --coalition 3");
    EXPECT_NE(table.out.find("3 dishonest reports can have moved an estimate by up to "),
              std::string::npos)
        << table.out;
    EXPECT_NE(table.out.find("consistent "), std::string::npos);
    EXPECT_EQ(estimate("--correction fdr").exit, 2);
    EXPECT_EQ(estimate("--discover aircraft --candidates names.txt").exit, 2);
    for (const char *epoch : {"", " --epoch 99"}) { // whether there is anything to discover or not
        const program_result category = estimate(std::string("--discover phase") + epoch);
        EXPECT_EQ(category.exit, 2);
        EXPECT_EQ(category.out, "");
        EXPECT_EQ(category.err, "sotto: --discover: phase is of type category; only metrics of "
                                "type string are discovered\n");
    }
    EXPECT_NE(estimate("--discover phsae").err.find("--discover: no metric \"phsae\""),
              std::string::npos);
    EXPECT_NE(estimate("--discover aircraft --alphabet aé").err.find("--alphabet: only ASCII"),
              std::string::npos);
    EXPECT_EQ(estimate("--coalition -5").exit, 2);
    const program_result long_one = estimate("--discover aircraft");
    EXPECT_EQ(long_one.exit, 2);
    EXPECT_NE(long_one.err.find("64 bytes more of 95 characters make more"), std::string::npos)
        << long_one.err;
}

// Pooling over epochs costs a device more than one report did. An epoch that hardly any device
// reported in is left out.
TEST_F(EveryEstimate, EpochsInOneSayWhatAllHaveCost) {
    const store target = store::to_write(directory_ / "store");
    std::mt19937 random(2);
    for (const char *name : {"damage", "aircraft"}) {
        const metric &m = *registry_.find(name);
        std::vector<row> rows;
        for (std::uint32_t i = 0; i <= releases; ++i) {
            report r = report_of(m, i + 1000, random);
            r.epoch = i < releases ? 4 : 4294967290;
            rows.push_back(row_of(m, r));
        }
        row_list list = rows_of(m, rows);
        (void)append(target, m, list);
    }
    const program_result a = estimate("--format json --candidates names.txt --all-epochs");
    ASSERT_EQ(a.exit, 0) << a.err;
    std::map<std::string, json> found;
    for (const json &r : json::parse(a.out)) {
        found.try_emplace(r.at("metric"), r);
    }
    EXPECT_EQ(found["damage"].at("reports"), 2 * releases);
    EXPECT_EQ(found["damage"].at("epsilon_all_epochs"),
              2 * found["damage"].at("epsilon").get<double>());
    EXPECT_EQ(found["aircraft"].at("epsilon_all_epochs"),
              std::ldexp(registry_.find("aircraft")->cost(0, 2), -20));
    EXPECT_GT(found["aircraft"].at("epsilon_all_epochs"), found["aircraft"].at("epsilon"));
    EXPECT_FALSE(found["phase"].contains("epsilon_all_epochs")); // one epoch alone
    EXPECT_NE(a.err.find("damage: left out of all epochs: 1 report in epoch 4294967290, each with"),
              std::string::npos)
        << a.err;
    const program_result table = estimate("--candidates names.txt --all-epochs");
    EXPECT_NE(table.out.find("damage: at most epsilon 1.0217 for a device in all 2 epochs\n"),
              std::string::npos)
        << table.out;
    const program_result page = estimate("--candidates names.txt --all-epochs --format html");
    EXPECT_NE(page.out.find("answers of one device in all 2 epochs lose at most"),
              std::string::npos);
    // Each epoch counts up to its own highest level, in one as one by one.
    report relaxed = report_of(*registry_.find("damage"), 1, random);
    relaxed.level = 1;
    row_list more =
        rows_of(*registry_.find("damage"), {row_of(*registry_.find("damage"), relaxed)});
    (void)append(target, *registry_.find("damage"), more);
    for (const char *asked : {"--all-epochs --format html", "--format html"}) {
        const std::string out = estimate("--metric damage " + std::string(asked)).out;
        EXPECT_NE(out.find(" lose at most epsilon 1.6095 together."), std::string::npos) << asked;
    }
    EXPECT_EQ(estimate("--format json --epoch 3").out.find("epsilon_all_epochs"),
              std::string::npos);
}

// Two metrics: a text's first byte, and its first two. The privacy in a row is that of both.
TEST_F(EveryEstimate, DiscoveredTextsCostTheSum) {
    json registry = json::parse(every_type_text());
    json first = registry["metrics"][4], second = first;
    first["max_bytes"] = first["table"]["max_bytes"] = 1;
    second["max_bytes"] = second["table"]["max_bytes"] = 2;
    first["name"] = "letter";
    first["fingerprint"] = "5555555e";
    second["name"] = "letters";
    second["id"] = 6;
    second["fingerprint"] = "5555555f";
    registry["metrics"] = {first, second};
    registry["registry"]["fingerprint"] = "e5e5e5e5";
    (void)directory_.file("texts.json", registry.dump());
    const auto texts = parse_registry(registry.dump(), "texts.json");
    store target = store::to_write(directory_ / "texts");
    target.keep({texts, registry.dump()});
    std::mt19937 random(5);
    for (const metric &m : texts.metrics) {
        const auto &table = std::get<rappor_table>(m.table);
        std::vector<row> rows;
        for (std::uint32_t i = 0; i < 20'000; ++i) {
            report r;
            r.release[5] = static_cast<std::uint8_t>(i >> 16);
            r.release[6] = static_cast<std::uint8_t>(i >> 8);
            r.release[7] = static_cast<std::uint8_t>(i);
            r.cohort = random() % table.cohorts;
            bit_string bits(2);
            const auto held =
                bloom_of(table)(std::string(i % 3 == 0 ? "AB" : "BA", table.max_bytes), *r.cohort);
            for (std::uint32_t b = 0; b < table.bits; ++b) { // 9/16 and 11/16, as level 0 is
                const bool is_held = std::ranges::count(held, b) > 0;
                bits[b / 8] |=
                    static_cast<std::uint8_t>((random() % 16 < (is_held ? 11u : 9u)) << b % 8);
            }
            r.value = bits;
            rows.push_back(row_of(m, r));
        }
        row_list list = rows_of(m, rows);
        (void)append(target, m, list);
    }
    const std::string command = "estimate --registry texts.json --store texts --alphabet AB "
                                "--discover letter,letters";
    const program_result table = run(command);
    ASSERT_EQ(table.exit, 0) << table.err;
    EXPECT_LT(table.out.find("letters  BA"), table.out.find("letters  AB")) << table.out;
    EXPECT_NE(table.out.find("epsilon at most 2.1486\n"), std::string::npos) << table.out;
    EXPECT_NE(table.err.find("reports a text to all 2 of these loses at most epsilon 2.1486 once, "
                             "26.3667 however often"),
              std::string::npos)
        << table.err;
    const json rows = json::parse(run(command + " --format json").out);
    ASSERT_GE(rows.size(), 2u);
    for (const json &r : rows) {
        EXPECT_NEAR(r.at("epsilon_all_levels"), 2 * r.at("epsilon").get<double>(), 1e-9);
    }
    EXPECT_NE(run(command + " --format html").out.find("How private: epsilon at most 2.1486"),
              std::string::npos);
}

// Names that were changed by hand would change what the counts are of.
TEST_F(EveryEstimate, RefusesOtherNamesUnderOneFingerprint) {
    (void)directory_.file("edited.json", replaced(every_type_text(), "\"climb\"", "\"descent\""));
    const program_result edited = estimate("--format json", "edited.json");
    EXPECT_EQ(edited.exit, 2);
    EXPECT_EQ(edited.err,
              "sotto: store: the store has another registry with fingerprint e7e7e7e7\n");
    EXPECT_EQ(edited.out, "");
}

// A store that has reports, but not those that were asked for, says which it has.
TEST_F(EveryEstimate, SaysWhatTheStoreHolds) {
    const program_result epoch = estimate("--format json --metric phase --epoch 4");
    EXPECT_EQ(epoch.exit, 0);
    EXPECT_EQ(kinds_without_row(epoch.out), std::set<std::string>{"no_reports_of_epoch"});
    EXPECT_EQ(epoch.err, "sotto: no reports of epoch 4; there are reports of epoch 3\n");
    for (const std::string format : {"table", "csv", "json", "html"}) {
        EXPECT_EQ(estimate("--epoch 4 --format " + format).err, epoch.err) << format;
    }
    std::filesystem::create_directory(directory_ / "empty");
    const std::string of_empty = "estimate --registry metrics.json --store empty";
    EXPECT_EQ(run(of_empty + " --epoch 4").err, "sotto: the store has no reports\n");
    const program_result level = estimate("--format json --metric phase --level 1");
    EXPECT_EQ(kinds_without_row(level.out), std::set<std::string>{"metric_held"});
    EXPECT_EQ(level.err,
              "sotto: the store holds 300 releases of phase (this registry), epoch 3, level 0\n");
    const program_result other = estimate("--format json", "other.json");
    EXPECT_EQ(other.exit, 0);
    EXPECT_EQ(kinds_without_row(other.out), std::set<std::string>{"metric_held"});
    EXPECT_NE(other.err.find("holds 300 releases of height (registry " + registry_.name +
                             " version 1, e7e7e7e7), epoch 3, level 0\n"),
              std::string::npos)
        << other.err;
    EXPECT_EQ(std::count(other.err.begin(), other.err.end(), '\n'), 11);
    // An empty store has nothing to say, and one that answers does not say more.
    const program_result empty = run(of_empty + " --format json");
    EXPECT_EQ(empty.out + empty.err, "[]\n");
    EXPECT_EQ(estimate("--metric phase --format json").err, "");
}

TEST_F(EveryEstimate, PlanIsJsonForEveryTypeAndEpsilon) {
    const std::pair<std::string, const char *> types[] = {{"boolean", ""},
                                                          {"category", "--size 12"},
                                                          {"set", "--members 6 --max-members 4"},
                                                          {"string", "--size 10"},
                                                          {"integer", "--min -5 --max 5"},
                                                          {"vector", "--min -5 --max 5 --length 3"},
                                                          {"mean", "--min 0 --max 100"}};
    for (const auto &[type, more] : types) {
        for (const char *epsilon : {"0.01", "0.1", "1", "32"}) {
            const std::string command = "plan --type " + type + " --devices 100000 --epsilon " +
                                        epsilon + " --accuracy 0.0001 " + more;
            const program_result a = run(command + " --format json");
            ASSERT_EQ(a.exit, 0) << command << a.err;
            const json made = json::parse(a.out);
            const json &best = made.at("recommended");
            EXPECT_LE(best.at("epsilon").get<double>(), std::stod(epsilon));
            EXPECT_GT(best.at("half_width").get<double>(), 0);
            EXPECT_FALSE(made.at("alternatives").empty());
            const bool reached = made.at("wanted").at("reached").get<bool>();
            EXPECT_TRUE(!reached || std::stod(epsilon) > 1);
            EXPECT_TRUE(made.at("metrics_toml").get<std::string>().starts_with("[[metric]]\n"));
            const program_result table = run(command);
            EXPECT_NE(table.out.find(reached ? "wanted   is reached" : "wanted   is NOT reached"),
                      std::string::npos);
            EXPECT_TRUE(table.out.ends_with(made.at("metrics_toml").get<std::string>()));
        }
    }
    const program_result refused = run("plan --type category --devices 10 --epsilon 1");
    EXPECT_EQ(refused.exit, 2);
    EXPECT_EQ(refused.err, "sotto: --size: missing; needed for type category\n");
}

} // namespace
} // namespace sotto::aggregator::test
