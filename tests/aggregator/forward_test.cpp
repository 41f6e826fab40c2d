// SPDX-License-Identifier: Apache-2.0
// A fleet of two firmwares, the newer of which knows a level above a ladder: one metric.
#include "aggregator/base/failure.hpp"
#include "aggregator/estimate/estimate.hpp"
#include "aggregator/store/ingest.hpp"
#include "aggregator/tally/update.hpp"
#include "aggregator/tally/verify.hpp"
#include "support.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

constexpr std::uint32_t older_fleet = 0xe7e7e7e6;

registry_file changed(const std::function<void(json &)> &change) {
    json document = json::parse(every_type_text());
    document["registry"]["fingerprint"] = "e7e7e7e6";
    change(document["metrics"][0]); // damage, of levels 0 and 1, and 2 above its ladder
    const std::string text = document.dump();
    return {parse_registry(text, "M.json"), text};
}

class Firmwares : public testing::Test {
  protected:
    const temporary_directory directory_;
    const registry_file newer_ = {parse_registry(every_type_text(), "M.json"), every_type_text()};
    const registry_file older_ = changed([](json &damage) {
        damage["forward"] = json::array();
        damage["costs"].erase(2);
    });
    store store_ = store::to_write(directory_ / "store");

    // "release1" and so on; true if the number is odd.
    std::uint64_t ingest_from(std::uint32_t fleet_of, std::uint64_t level, int first, int last) {
        std::string file;
        for (int i = first; i <= last; ++i) {
            wire_report r;
            r.release = "release" + std::to_string(i);
            r.level = level;
            r.index = static_cast<std::uint32_t>(i % 2);
            wire_envelope e;
            e.registry = fleet_of;
            e.batch = wire_batch{}.bytes(r);
            file += delimited(e.bytes());
        }
        ingest run(store_);
        envelope_file from(directory_.file("in.bin", file));
        (void)run.add(from);
        run.finish();
        return run.reports();
    }

    estimated damage(const registry &with) {
        const estimates found = estimate(store_, with, {"damage", {}, {}, false, {}, ""});
        EXPECT_EQ(found.rows.size(), 1u);
        return found.rows.at(0).result;
    }
};

TEST_F(Firmwares, ArePooledWithTheLongestOfTheirLadders) {
    store_.keep(older_);
    EXPECT_EQ(ingest_from(older_fleet, 0, 1, 8), 8u);
    EXPECT_EQ(ingest_from(older_fleet, 2, 1, 4), 0u) << "it does not know that level";
    const registry as_before = store_.completed(older_.content);
    (void)commit_tallies(store_, make_tallies(store_, as_before, {}, {}));
    EXPECT_EQ(damage(as_before).reports, 8u);

    store_.keep(newer_);
    EXPECT_EQ(damage(store_.completed(older_.content)).value, damage(as_before).value)
        << "from a tally of fewer levels";
    EXPECT_EQ(ingest_from(every_type, 2, 1, 4), 4u);
    for (const registry_file *given : {&older_, &newer_}) {
        const registry with = store_.completed(given->content);
        EXPECT_EQ(with.fingerprint, given->content.fingerprint);
        EXPECT_EQ(with.find("damage")->level_count(), 3u);
        EXPECT_EQ(with.find("damage")->costs.size(), 3u);
        const estimated row = damage(with);
        EXPECT_EQ(row.reports, 8u);
        // Four of eight at level 0, flipped with 3/8: 2 true; four at level 2, with 3/16: 2 true.
        const double low = (2 - 4 * 0.375) / 0.25, high = (2 - 4 * 0.1875) / 0.625;
        EXPECT_NEAR(row.value, low + high, 1e-9);
    }
    (void)commit_tallies(store_, make_tallies(store_, store_.completed(older_.content), {}, {}));
    EXPECT_TRUE(verify(store_).problems.empty());
    (void)expire_epochs(store_, 5);
    EXPECT_EQ(damage(store_.completed(older_.content)).reports, 8u) << "the tally stands";
    // The control: without the level nothing can be made of what the store holds.
    EXPECT_THROW((void)damage(older_.content), environment_error);
}

TEST_F(Firmwares, OfTheSameMetricsAreOneWhicheverCameFirst) {
    store_.keep(newer_);
    store_.keep(older_);
    std::size_t seen = 0;
    for (const metric &m : store_.metrics()) {
        seen += m.name == "damage" ? 1 : 0;
        EXPECT_EQ(m.forward.size(), newer_.content.find(m.name)->forward.size()) << m.name;
    }
    EXPECT_EQ(seen, 1u);
    EXPECT_EQ(ingest_from(every_type, 2, 1, 4), 4u);
    EXPECT_EQ(ingest_from(older_fleet, 0, 1, 8), 8u);
    EXPECT_EQ(damage(store_.completed(older_.content)).reports, 8u);
}

TEST_F(Firmwares, AreHeldWithAllLevelsThatWereReported) {
    store_.keep(older_);
    store_.keep(newer_);
    EXPECT_EQ(ingest_from(every_type, 2, 1, 4), 4u);
    const estimates found = estimate(store_, parse_registry(registry_text(), "M.json"), {});
    EXPECT_TRUE(found.rows.empty());
    ASSERT_EQ(found.remarks.size(), 1u);
    const auto &held = std::get<metric_held>(found.remarks[0].content);
    EXPECT_EQ(held.metric, "damage");
    EXPECT_EQ(held.releases, 4u);
    EXPECT_EQ(held.levels, std::set<std::uint32_t>{2});
}

TEST_F(Firmwares, ThatDisagreeOnALevelAreRefused) {
    store_.keep(newer_);
    const registry_file fingerprint =
        changed([](json &m) { m["forward"][0]["fingerprint"] = "11111113"; });
    const registry_file table = changed([](json &m) { // the same law
        m["forward"][0]["table"]["given"][0]["one_if_zero"] = "0";
        m["forward"][0]["table"]["given"][0]["one_if_one"] = "6";
    });
    for (const registry_file *bad : {&fingerprint, &table}) {
        for (const auto &refused :
             {std::function<void()>([&] { store_.keep(*bad); }),
              std::function<void()>([&] { (void)store_.completed(bad->content); })}) {
            try {
                refused();
                ADD_FAILURE();
            } catch (const usage_error &error) {
                const std::string line = error.what();
                EXPECT_EQ(line, (directory_ / "store").string() +
                                    ": level 2 of \"damage\" differs in registry " +
                                    newer_.content.name +
                                    " version 1, e7e7e7e7: forward levels may only be added above "
                                    "the others; give the metric a new id");
            }
        }
    }
    EXPECT_EQ(store_.registries().size(), 1u);
    // With the fingerprint of a registry that is kept, fewer are as wrong as others.
    json fewer = json::parse(older_.text);
    fewer["registry"]["fingerprint"] = "e7e7e7e7";
    EXPECT_THROW(store_.keep({parse_registry(fewer.dump(), "M.json"), fewer.dump()}), usage_error);
}

} // namespace
} // namespace sotto::aggregator::test
