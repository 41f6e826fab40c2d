// SPDX-License-Identifier: Apache-2.0
// Every mechanism's published values come out of the store as they went in.
#include "aggregator/base/failure.hpp"
#include "aggregator/report/check.hpp"
#include "aggregator/store/ingest.hpp"
#include "aggregator/store/merge.hpp"
#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace sotto::aggregator::test {
namespace {

class ReportTypes : public testing::Test {
  protected:
    const metric &get(const char *name) const { return *registry_.find(name); }

    template <typename Value>
    report make(const char *name, Value value, std::optional<std::uint32_t> cohort = {},
                std::uint32_t level = 0) const {
        report r;
        r.metric = get(name).id;
        r.level = level;
        r.cohort = cohort;
        r.value = value;
        return r;
    }

    // "" when it is taken.
    std::string verdict(const report &r) const {
        const auto checked = check_report(r, registry_);
        const reason *why = std::get_if<reason>(&checked);
        return why == nullptr ? "" : reason_text(*why);
    }

    registry registry_ = parse_registry(every_type_text(), "M.json");
};

constexpr const char *range = "value out of range";

TEST_F(ReportTypes, Indexes) {
    for (const char *name : {"damage", "lights", "smoke", "height"}) {
        EXPECT_EQ(verdict(make(name, 1u)), "") << name;
        EXPECT_EQ(verdict(make(name, 2u)), range) << name;
    }
    EXPECT_EQ(verdict(make("phase", 3u)), "");
    EXPECT_EQ(verdict(make("phase", 4u)), range);
    EXPECT_EQ(verdict(make("phase", 0xffffffffu)), range);
}

// Only what a request may ask for can have been selected, and nothing at its first level.
TEST_F(ReportTypes, SelectedReports) {
    const auto selected = [&](const char *name, auto value, std::uint32_t level) {
        report r = make(name, value, {}, level);
        r.flags = report_flags::selected;
        return verdict(r);
    };
    const char *never = reason_text(reason::not_selectable);
    EXPECT_EQ(selected("damage", 1u, 1), never); // its request_level is 0
    for (metric &m : registry_.metrics) {
        m.request_level = 1;
    }
    EXPECT_EQ(selected("damage", 1u, 0), never);
    EXPECT_EQ(selected("damage", 1u, 1), "");
    EXPECT_EQ(selected("phase", 1u, 1), "");
    EXPECT_EQ(selected("speed", 1, 1), never);
    EXPECT_EQ(verdict(make("speed", 1, {}, 1)), "");
    EXPECT_EQ(selected("hour", bit_string{255, 255, 255}, 0), never);
}

TEST_F(ReportTypes, Bits) {
    EXPECT_EQ(verdict(make("hour", bit_string{255, 255, 255})), "");
    EXPECT_EQ(verdict(make("parts", bit_string{0x1f})), "");
    EXPECT_EQ(verdict(make("parts", bit_string{0x20})), range); // beyond the fifth member
}

TEST_F(ReportTypes, Strings) {
    EXPECT_EQ(verdict(make("aircraft", bit_string{1, 128}, 3)), "");
    EXPECT_EQ(verdict(make("aircraft", bit_string{1, 128}, 4)), range);
    EXPECT_EQ(verdict(make("species", bit_string{7})), "");
    EXPECT_EQ(verdict(make("species", bit_string{8})), range);
}

TEST_F(ReportTypes, Numbers) {
    EXPECT_EQ(verdict(make("speed", 90)), "");
    EXPECT_EQ(verdict(make("speed", -30)), "");
    EXPECT_EQ(verdict(make("speed", 91)), range);
    EXPECT_EQ(verdict(make("speed", -31)), range);
    EXPECT_EQ(verdict(make("axes", number_list{5, -5, 0})), "");
    EXPECT_EQ(verdict(make("axes", number_list{5, -6, 0})), range);
}

TEST_F(ReportTypes, LevelsReachAboveTheLadder) {
    EXPECT_EQ(verdict(make("damage", 1u, {}, 2)), "");
    EXPECT_EQ(verdict(make("damage", 1u, {}, 3)), "level outside the ladder");
    EXPECT_EQ(verdict(make("speed", 1, {}, 2)), "");
    EXPECT_EQ(verdict(make("speed", 1, {}, 3)), "level outside the ladder");
    EXPECT_EQ(verdict(make("smoke", 1u, {}, 1)), "level outside the ladder");
}

TEST_F(ReportTypes, TheStoreGivesBackWhatCameIn) {
    const auto add_report = [&](const char *name, auto change) {
        wire_report r;
        r.metric = get(name).id;
        r.index = {};
        change(r);
        return r;
    };
    wire_envelope e;
    e.registry = every_type;
    e.batch = wire_batch{}.bytes(
        add_report("phase", [](auto &r) { r.index = 3u, r.index_bits = 2; }),
        add_report("hour", [](auto &r) { r.bits = "\x01\x80\x41"; }),
        add_report("aircraft", [](auto &r) { r.bits = "\x02\x80", r.cohort = 3u; }),
        add_report("speed", [](auto &r) { r.number = 0xffffffe2u; }),
        add_report("axes", [](auto &r) {
            r.numbers = std::string("\x05\0\0\0\xfb\xff\xff\xff\0\0\0\0", 12);
        }));
    const temporary_directory directory;
    store target = store::to_write(directory / "store");
    target.keep({registry_, every_type_text()});
    ingest run(target);
    envelope_file file(directory.file("in.bin", delimited(e.bytes())));
    (void)run.add(file);
    run.finish();
    EXPECT_EQ(run.reports(), 5u);
    EXPECT_EQ(run.rejected().text(), "");

    const auto only = [&](const char *name) {
        row found;
        for_each_release(target.segments(get(name)), {}, [&](row_view r) {
            EXPECT_TRUE(found.empty());
            found.assign(r.begin(), r.end());
        });
        EXPECT_EQ(found.size(), row_head_bytes + get(name).value_bytes());
        return found;
    };
    EXPECT_EQ(index_of(only("phase")), 3u);
    const row hour = only("hour");
    for (std::size_t i = 0; i < 24; ++i) {
        EXPECT_EQ(bit_of(hour, i), i == 0 || i == 15 || i == 16 || i == 22) << i;
    }
    EXPECT_EQ(cohort_of(only("aircraft")), 3u);
    EXPECT_TRUE(bit_of(only("aircraft"), 15));
    EXPECT_EQ(number_of(only("speed")), -30);
    const row axes = only("axes");
    EXPECT_EQ(number_of(axes, 0), 5);
    EXPECT_EQ(number_of(axes, 1), -5);
    EXPECT_EQ(number_of(axes, 2), 0);
    EXPECT_EQ(epoch_of(axes), 5u);
    // A segment of one metric is no segment of another, be it as wide.
    metric impostor = get("speed");
    impostor.fingerprint = get("phase").fingerprint;
    impostor.table = get("axes").table;
    impostor.type = get("axes").type;
    EXPECT_THROW((void)target.segments(impostor), environment_error);
}

// Random edits of sound reports: whatever is taken fits its metric, and so its row.
TEST_F(ReportTypes, MutationsFitTheirRows) {
    wire_report indexed, bits, cohort, number, vector;
    indexed.metric = get("phase").id, indexed.index_bits = 2;
    bits.metric = get("hour").id, bits.index.reset(), bits.bits = "\1\2\3";
    cohort.metric = get("aircraft").id, cohort.index.reset();
    cohort.bits = "\1\2", cohort.cohort = 1;
    number.metric = get("speed").id, number.index.reset(), number.number = 5;
    vector.metric = get("axes").id, vector.index.reset();
    vector.numbers = std::string(12, '\0');
    const std::string good = wire_batch{}.bytes(indexed, bits, cohort, number, vector);
    const value_layouts layouts(registry_);
    std::mt19937 random(20240608);
    int taken = 0, refused = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string bytes = good;
        for (std::size_t edits = 1 + random() % 3; edits > 0; --edits) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        const auto read = decode_batch(bytes, layouts);
        const auto *reports = std::get_if<std::vector<report>>(&read);
        refused += reports == nullptr;
        for (const report &r : reports != nullptr ? *reports : std::vector<report>()) {
            const auto checked = check_report(r, registry_);
            const metric *const *m = std::get_if<const metric *>(&checked);
            ++(m != nullptr ? taken : refused);
            if (m != nullptr) {
                const row stored = row_of(**m, r);
                EXPECT_EQ(stored.size(), row_bytes(**m));
                EXPECT_LT(level_of(stored), (*m)->level_count());
                EXPECT_TRUE((*m)->kind() != value_kind::index ||
                            index_of(stored) < (*m)->value_size());
            }
        }
    }
    EXPECT_GT(taken, 10000);
    EXPECT_GT(refused, 500);
}

std::vector<row> sorted(const row_list &list) {
    std::vector<row> rows_read;
    list.for_each_sorted([&](std::span<std::uint8_t> some) {
        for (; !some.empty(); some = some.subspan(list.width())) {
            rows_read.emplace_back(some.begin(),
                                   some.begin() + static_cast<std::ptrdiff_t>(list.width()));
        }
    });
    return rows_read;
}

TEST_F(ReportTypes, RowsOfEveryWidthSortAsTheirBytes) {
    std::mt19937 random(11);
    for (const metric &m : registry_.metrics) {
        std::vector<row> rows;
        for (int i = 0; i < 300; ++i) {
            row drawn(row_bytes(m), 0);
            for (std::uint8_t &byte : drawn) { // few values: many ties in every prefix
                byte = static_cast<std::uint8_t>(random() % 2 * 255);
            }
            const std::size_t prefix = random() % drawn.size();
            std::fill_n(drawn.begin(), prefix, std::uint8_t{7});
            rows.push_back(drawn);
        }
        const std::vector<row> list = sorted(rows_of(m, rows));
        std::sort(rows.begin(), rows.end());
        EXPECT_EQ(list, rows) << m.name;
        for (std::size_t i = 1; i < rows.size(); ++i) {
            EXPECT_EQ(before(list[i - 1], list[i]), rows[i - 1] < rows[i]);
        }
    }
}

// As many as are kept apart and sorted by digits; `spread` says how alike their hashes are.
TEST_F(ReportTypes, ManyRowsSortAsTheirBytes) {
    const metric &m = get("aircraft");
    std::mt19937_64 random(12);
    for (const std::uint64_t spread : {~0ull, 0xffffffffull, 0xff000000000000ffull, 0ull}) {
        std::vector<row> rows;
        for (int i = 0; i < 30'000; ++i) {
            row drawn(row_bytes(m), 0);
            put_big_endian(&drawn[0], static_cast<std::uint32_t>(random() % 10 == 0 ? 4 : 0x10005));
            put_big_endian(&drawn[4], random() & spread);
            put_big_endian(&drawn[12], static_cast<std::uint32_t>(random()) & 0x0301ffff);
            rows.push_back(drawn);
        }
        row_list list = rows_of(m, rows);
        EXPECT_EQ(list.size(), rows.size());
        EXPECT_EQ(list.epoch_min(), 4u);
        EXPECT_EQ(list.epoch_max(), 0x10005u);
        EXPECT_GE(list.memory_bytes(), rows.size() * row_bytes(m));
        EXPECT_LE(list.memory_bytes(), 3 * rows.size() * row_bytes(m));
        std::vector<row> found = sorted(list);
        std::sort(rows.begin(), rows.end());
        EXPECT_TRUE(found == rows) << spread;
        list.clear();
        EXPECT_TRUE(list.empty() && sorted(list).empty() && list.memory_bytes() == 0);
    }
}

} // namespace
} // namespace sotto::aggregator::test
