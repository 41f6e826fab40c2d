// SPDX-License-Identifier: Apache-2.0
// From a cell to what the SDK is given, and through the SDK to reports at every level.
#include "aggregator/base/failure.hpp"
#include "aggregator/registry/tables.hpp"
#include "aggregator/report/check.hpp"
#include "aggregator/report/envelope_file.hpp"
#include "aggregator/simulate/host_device.hpp"
#include "aggregator/simulate/mapping.hpp"
#include "support.hpp"

#include "sotto_testing.h"

#include <gtest/gtest.h>
#include <set>
#include <stdexcept>

namespace sotto::aggregator::test {
namespace {

class Simulate : public testing::Test {
  protected:
    const metric &get(const char *name) const { return *registry_.find(name); }

    template <typename T> T read(const char *name, const std::string &cell) const {
        return std::get<T>(cell_reader(get(name)).read(cell));
    }

    std::string complaint(const char *name, const std::string &cell) const {
        try {
            (void)cell_reader(get(name)).read(cell);
        } catch (const std::invalid_argument &error) {
            return error.what();
        }
        return "taken";
    }

    std::string refusal(const mapping_options &options, const std::string &csv) const {
        try {
            const csv_file from(directory_.file("in.csv", csv));
            (void)map_columns(options, registry_, from, row_meaning::device);
        } catch (const usage_error &error) {
            return error.what();
        }
        return "taken";
    }

    temporary_directory directory_;
    // The compiler's registry: the SDK takes no other tables.
    registry registry_ = parse_registry(read_file(SOTTO_COMPILED_REGISTRY), "M.json");
};

using numbers = std::vector<std::int32_t>;
using members = std::vector<std::uint16_t>;

TEST_F(Simulate, CellsByType) {
    EXPECT_TRUE(read<bool>("damage", "YES"));
    EXPECT_FALSE(read<bool>("lights", "0"));
    EXPECT_EQ(read<std::uint32_t>("phase", "cruise, level"), 1u);
    EXPECT_EQ(read<std::uint32_t>("species", "owl"), 2u);
    EXPECT_EQ(read<std::uint32_t>("hour", "23"), 23u);
    EXPECT_EQ(read<members>("parts", "tail|engine"), (members{3, 0}));
    EXPECT_EQ(read<members>("parts", "tail"), (members{3}));
    EXPECT_EQ(read<std::string>("aircraft", "B-737 | \xc3\xa9"), "B-737 | \xc3\xa9");
    EXPECT_EQ(read<std::int32_t>("speed", "-7"), -7);
    EXPECT_EQ(read<std::int32_t>("height", "10000"), 10000);
    EXPECT_EQ(read<numbers>("axes", "1 -2 3"), (numbers{1, -2, 3}));
    EXPECT_EQ(read<numbers>("axes", "1|-2|3"), (numbers{1, -2, 3}));
    // Too large for any metric: the SDK clamps what is left of it.
    EXPECT_EQ(read<std::int32_t>("speed", "99999999999999999999"), 2147483647);
    EXPECT_EQ(read<std::int32_t>("speed", "-99999999999999999999"), -2147483647 - 1);
    EXPECT_EQ(read<std::int32_t>("speed", "4294967296"), 2147483647);
}

TEST_F(Simulate, CellsThatFitNothing) {
    const struct {
        const char *metric, *cell, *expected;
    } cases[] = {
        {"damage", "maybe", "\"maybe\" is none of true, false, yes, no, 1, 0; say --true damage="},
        {"phase", "Climb", "\"Climb\" is none of \"climb\", \"cruise, level\", \"approach\""},
        {"phase", "0", "is none of"},
        {"hour", "24", "\"24\" is not an index from 0 to 23"},
        {"hour", "-1", "is not an index"},
        {"hour", "4294967296", "is not an index"},
        {"hour", "noon", "is not an index"},
        {"parts", "tail|rudder", "\"rudder\" is none of"},
        {"parts", "tail|", "\"\" is none of"},
        {"parts", "tail|nose|tail", "\"tail\" is there twice"},
        {"speed", "12.5", "\"12.5\" is not a whole number"},
        {"speed", "12 ", "is not a whole number"},
        {"speed", "fast", "is not a whole number"},
        {"speed", "-", "is not a whole number"},
        {"height", "1e3", "is not a whole number"},
        {"axes", "1 2", "\"1 2\" has 2 numbers, the metric has 3"},
        {"axes", "1|2|3|4", "has 4 numbers"},
        {"axes", "1||3", "is not 3 whole numbers"},
        {"axes", "1,2,3", "is not 3 whole numbers"},
    };
    for (const auto &c : cases) {
        const std::string found = complaint(c.metric, c.cell);
        EXPECT_NE(found.find(c.expected), std::string::npos) << c.cell << ": " << found;
    }
}

TEST_F(Simulate, TextsThatNoRowHas) {
    const std::string path = directory_.file("in.csv", "w\nYes\nno\n\n");
    csv_file from(path);
    auto columns = map_columns({{"damage=w"}, {"damage=YES|Yes"}, {}, {}}, registry_, from,
                               row_meaning::device);
    std::vector<std::string> cells;
    std::vector<std::optional<cell_value>> read;
    while (from.next(cells)) {
        read.push_back(columns[0].read(cells, from));
    }
    ASSERT_EQ(read.size(), 3u);
    EXPECT_TRUE(std::get<bool>(*read[0]));
    EXPECT_FALSE(std::get<bool>(*read[1]));
    EXPECT_FALSE(read[2]);
    EXPECT_EQ(texts_unseen(columns),
              (std::vector<std::string>{"--true damage=YES: no row has \"YES\""}));
    EXPECT_NE(refusal({{"phase=w"}, {"phase=climb"}, {}, {}}, "w\n").find("is of type category"),
              std::string::npos);
}

// One device, every type, every level: what the SDK publishes is what the registry admits.
TEST_F(Simulate, ADeviceOfEveryType) {
    const tables made(registry_);
    host_device device(registry_, made.get());
    std::vector<measured_value> values = {
        {&get("damage"), true},
        {&get("phase"), std::uint32_t{3}},
        {&get("hour"), std::uint32_t{23}},
        {&get("parts"), members{0, 4, 2}}, // one too many
        {&get("aircraft"), std::string(65, 'x')},
        {&get("speed"), std::int32_t{501}},
        {&get("axes"), numbers{1, 2, 3}},
        {&get("height"), std::int32_t{10000}},
        {&get("lights"), false},
        {&get("smoke"), true},
        {&get("species"), std::uint32_t{0}},
        {&get("city"), std::string()},
    };
    std::string bytes;
    std::uint64_t sent = 0;
    for (std::uint64_t i = 0; i < 20; ++i) {
        sotto_testing testing;
        const std::uint8_t seed[] = {1};
        sotto_testing_init(&testing, seed, sizeof seed, i);
        for (measured_value &value : values) {
            value.levels = i == 0 ? 0 : 100;
        }
        sent += device.run(testing.entropy, 3, values, {},
                           [&](std::string_view envelope) { bytes += envelope; });
    }
    std::uint64_t levels = 0;
    for (const metric &m : registry_.metrics) {
        levels += m.level_count();
    }
    EXPECT_EQ(sent, registry_.metrics.size() + 19 * levels);
    EXPECT_EQ(device.adapted().clamped, 20u);
    EXPECT_EQ(device.adapted().too_long, 20u);
    EXPECT_EQ(device.adapted().too_many, 20u);

    envelope_file file(directory_.file("out.bin", bytes));
    const value_layouts layouts(registry_);
    std::map<std::uint32_t, std::set<std::uint32_t>> seen;
    std::set<release_id> releases;
    std::uint64_t reports = 0;
    while (const auto envelope_bytes = file.next()) {
        const envelope e = std::get<envelope>(decode_envelope(*envelope_bytes));
        EXPECT_EQ(e.registry, registry_.fingerprint);
        for (const report &r : reports_of(e.batch, layouts)) {
            const auto checked = check_report(r, registry_);
            ASSERT_TRUE(std::holds_alternative<const metric *>(checked))
                << r.metric << ": " << reason_text(std::get<reason>(checked));
            seen[r.metric].insert(r.level);
            releases.insert(r.release);
            EXPECT_EQ(r.epoch, 3u);
            ++reports;
        }
    }
    EXPECT_EQ(reports, sent);
    EXPECT_EQ(releases.size(), 20 * registry_.metrics.size());
    for (const metric &m : registry_.metrics) {
        EXPECT_EQ(seen[m.id].size(), m.level_count()) << m.name;
    }
}

TEST_F(Simulate, TheSdkTakesOnlyTablesOfTheCompiler) {
    registry other = registry_;
    std::get<randomized_response_table>(other.metrics[0].table).flip[0] = 0;
    const tables made(other);
    EXPECT_THROW(host_device(other, made.get()), environment_error);
}

} // namespace
} // namespace sotto::aggregator::test
