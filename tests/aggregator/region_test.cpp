// SPDX-License-Identifier: Apache-2.0
// Tallies of stores that share no report add up; stores that share some are found out.
#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/tally/region_tally.hpp"
#include "run_program.hpp"
#include "tally_store.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

class Regions : public testing::Test {
  protected:
    Regions() {
        std::string table = "broken,speed,aircraft\n";
        for (int i = 0; i < 300; ++i) {
            table += fmt::format("{},{},B{}\n", i % 3 == 0 ? "yes" : "no", i, 700 + i % 4);
        }
        (void)in_.file("table.csv", table);
        (void)in_.file("metrics.json", read_file(SOTTO_COMPILED_REGISTRY));
        (void)in_.file("key", "what no device knows");
        (void)in_.file("other_key", "something else, of 16 bytes");
        for (int i = 0; i < 4; ++i) { // north 0 and 1, south 2 and 3; two epochs each
            run(fmt::format("simulate --registry metrics.json --input table.csv --out {0}.bin "
                            "--map damage=broken --map speed=speed --map aircraft=aircraft "
                            "--epoch {1} --relaxed 0.5 --seed 0{0}",
                            i, 4 + i % 2));
        }
    }

    std::string run(const std::string &arguments) {
        const program_result done = run_program(in_, arguments);
        EXPECT_EQ(done.exit, 0) << arguments << "\n" << done.err;
        return done.out;
    }

    // The line that refuses it.
    std::string refused(const std::string &arguments, int code = 2) {
        const program_result done = run_program(in_, arguments);
        EXPECT_EQ(done.exit, code) << arguments << "\n" << done.out;
        EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
        return done.err;
    }

    void fill(const std::string &store, const std::string &files) {
        run("ingest --registry metrics.json --store " + store + " " + files);
    }
    void tally(const std::string &store, const std::string &key = "key") {
        run(fmt::format("tally --registry metrics.json --store {0} --region-key {1} --out {0}.reg",
                        store, key));
    }
    std::string estimate(const std::string &store) {
        return run("estimate --registry metrics.json --all-epochs --format json --store " + store);
    }

    const temporary_directory in_;
};

TEST_F(Regions, AddUpToTheStoreThatHasAllReports) {
    fill("north", "0.bin 1.bin");
    fill("south", "2.bin 3.bin");
    fill("whole", "3.bin 2.bin 1.bin 0.bin");
    for (const char *store : {"north", "south", "whole"}) {
        tally(store);
    }
    const std::string start = "merge --registry metrics.json ";
    run(start + "--out sum.reg south.reg north.reg south.reg");
    EXPECT_EQ(read_file(in_ / "sum.reg"), read_file(in_ / "whole.reg"));
    EXPECT_NE(read_file(in_ / "north.reg"), read_file(in_ / "whole.reg"));
    EXPECT_EQ(run_program(in_, start + "--out piped.reg pipe south.reg",
                          "mkfifo pipe; { cat north.reg >pipe & }")
                  .exit,
              0);
    EXPECT_EQ(read_file(in_ / "piped.reg"), read_file(in_ / "sum.reg"));
    run(start + "--into centre north.reg south.reg");
    run("expire --store whole --epoch 5");
    EXPECT_EQ(estimate("centre"), estimate("whole"));
    EXPECT_NE(run("verify --store centre").find("expired: epochs up to 5"), std::string::npos);
    // Again changes nothing, a sum of sums is one, and a tally file without samples will do alone.
    run(start + "--into centre sum.reg");
    run("tally --registry metrics.json --store whole --out whole.tly");
    run(start + "--into alone whole.tly");
    EXPECT_EQ(estimate("alone"), estimate("whole"));
    EXPECT_EQ(refused(start + "--into centre north.reg"),
              "sotto: aircraft, epoch 4: the store has another tally of it; merge the files of all "
              "epochs into a new store\n");
    EXPECT_EQ(estimate("centre"), estimate("whole"));
}

TEST_F(Regions, AreNotReadWithoutEnd) {
    std::filesystem::resize_file(in_.file("huge", "SOTTOTLY"), std::uintmax_t{1} << 30); // a hole
    EXPECT_NE(refused("merge --registry metrics.json --out sum.reg huge")
                  .find("huge: larger than 268435456 bytes"),
              std::string::npos);
}

TEST_F(Regions, ThatShareReportsAreRefused) {
    fill("north", "0.bin 1.bin");
    fill("south", "1.bin 2.bin 3.bin");
    tally("north");
    tally("south");
    const std::string said = refused("merge --registry metrics.json --out sum north.reg south.reg");
    EXPECT_EQ(said.find("sotto: south.reg: aircraft, epoch 5: 300 of 600 sampled releases are in "
                        "north.reg as well; ingest the report files of both into one store"),
              0u)
        << said;
    EXPECT_FALSE(std::filesystem::exists(in_ / "sum"));
    EXPECT_FALSE(std::filesystem::exists(in_ / "centre"));
    // A later tally of the same store is no other region.
    std::filesystem::copy_file(in_ / "north.reg", in_ / "before.reg");
    fill("north", "3.bin");
    tally("north");
    EXPECT_NE(refused("merge --registry metrics.json --into centre before.reg north.reg")
                  .find("300 of 600 sampled releases are in before.reg as well"),
              std::string::npos);
}

TEST_F(Regions, ThatCanNotBeComparedAreRefused) {
    fill("north", "0.bin");
    fill("south", "2.bin");
    tally("north");
    tally("south", "other_key");
    run("tally --registry metrics.json --store south --out south.tly");
    const std::string start = "merge --registry metrics.json --out sum north.reg ";
    EXPECT_EQ(refused(start + "south.reg"),
              "sotto: south.reg: sampled by another --region-key than "
              "north.reg; all regions need the same\n");
    EXPECT_EQ(refused(start + "south.tly"),
              "sotto: south.tly: regions' tallies are added to each other alone; write all with "
              "--region-key\n");
    run("tally --registry metrics.json --store north --out north.tly");
    EXPECT_NE(refused("merge --registry metrics.json --out sum north.tly south.tly")
                  .find("partial tallies of different rows; tally all parts again, or each store "
                        "with --region-key"),
              std::string::npos);
    EXPECT_NE(refused("merge --registry metrics.json --store north north.reg")
                  .find("--into says where the sum of regions goes"),
              std::string::npos);
    EXPECT_EQ(refused("merge --registry metrics.json --into south north.reg"),
              "sotto: --into: the store has reports; tallies alone go into a store of their own\n");
    EXPECT_NE(refused("merge --registry metrics.json --into a --out b north.reg")
                  .find("one of --store, --into and --out"),
              std::string::npos);
    (void)in_.file("empty", "");
    EXPECT_NE(refused("tally --registry metrics.json --store north --region-key empty --out n.reg")
                  .find("0 B; a region's key has 16 at least"),
              std::string::npos);
    EXPECT_NE(refused("tally --registry metrics.json --store north --region-key key")
                  .find("--out is needed"),
              std::string::npos);
    run("expire --store north --epoch 4");
    EXPECT_NE(refused("tally --registry metrics.json --store north --region-key key --out n.reg")
                  .find("the epochs are expired"),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(in_ / "n.reg"));
}

class RegionFiles : public tally_store {
  protected:
    // A store's segments of so many releases, from this one on.
    std::vector<segment> filled(const std::string &name, std::uint64_t first, std::uint64_t count) {
        store target = store::to_write(directory_ / name);
        target.keep({registry_, registry_text()});
        row_list list(row_bytes(smoke()));
        for (std::uint64_t i = first; i < first + count; ++i) {
            report r;
            put_big_endian(r.release.data(), i * 0x9e3779b97f4a7c15);
            r.epoch = 5;
            r.value = std::uint32_t{0};
            std::vector<std::uint8_t> bytes;
            list.add(view_of(r, bytes));
        }
        EXPECT_EQ(append(target, smoke(), list).added, count);
        return target.segments(smoke());
    }
};

TEST_F(RegionFiles, ADamagedFileIsRefused) {
    add_some(60);
    const std::string path = (directory_ / "region").string();
    write_region(path, sampled(store_, registry_, make_tallies(store_, registry_, {}),
                               sample_key("secret")));
    const std::string good = read_file(path);
    EXPECT_EQ(read_region(path, good).samples.size(), 3u);
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 1);
        EXPECT_THROW((void)read_region(path, bad), failure) << i;
        EXPECT_THROW((void)read_region(path, good.substr(0, i)), failure) << i;
    }
}

// As often as release_sample.hpp says. The keys are fixed, so the answer is. Over all keys a
// correct sample leaves the band, 7.5 standard deviations to each side, with less than 1e-10
// (Chernoff).
TEST_F(RegionFiles, OneSharedReleaseOfManyIsFoundAsOftenAsSaid) {
    constexpr std::uint64_t size = 20'000;
    constexpr int keys = 300;
    const std::vector<segment> north = filled("north", 0, size);
    const std::vector<segment> south = filled("south", size - 1, size);
    const std::vector<segment> east = filled("east", 2 * size, size);
    int found = 0;
    for (int i = 0; i < keys; ++i) {
        const sample_key key(std::to_string(i));
        const release_sample ours = sample_of(north, smoke(), 5, key);
        EXPECT_EQ(ours.size(), sample_releases_max);
        found += shared(ours, sample_of(south, smoke(), 5, key)) > 0 ? 1 : 0;
        if (i < 10) {
            EXPECT_EQ(shared(ours, sample_of(east, smoke(), 5, key)), 0u);
        }
    }
    const double chance = static_cast<double>(sample_releases_max) / size;
    EXPECT_NEAR(found, keys * chance, 7.5 * std::sqrt(keys * chance * (1 - chance)));
}

TEST_F(RegionFiles, FewReleasesAreAllSampled) {
    const sample_key key("secret");
    const release_sample north = sample_of(filled("north", 0, 1000), smoke(), 5, key);
    EXPECT_EQ(north.size(), 1000u);
    EXPECT_EQ(shared(north, sample_of(filled("south", 999, 1000), smoke(), 5, key)), 1u);
    EXPECT_EQ(shared(north, sample_of(filled("east", 1000, 1000), smoke(), 5, key)), 0u);
    const release_sample both = sample_of(filled("both", 0, 2000), smoke(), 5, key);
    EXPECT_EQ(joined(north, sample_of(filled("west", 1000, 1000), smoke(), 5, key)), both);
}

} // namespace
} // namespace sotto::aggregator::test
