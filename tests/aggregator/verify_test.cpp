// SPDX-License-Identifier: Apache-2.0
// Faults of a store that sotto verify finds.
#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/store/sqlite.hpp"
#include "aggregator/store/sqlite_ledger.hpp"
#include "tally_store.hpp"

namespace sotto::aggregator::test {
namespace {

class Verify : public tally_store {};

TEST_F(Verify, CountsAgain) {
    add_some(100);
    (void)commit_tallies(store_, make_tallies(store_, registry_, {}));
    EXPECT_EQ(problems(), std::vector<std::string>());
    // A tally that says it is of these reports, and is not.
    const epoch_record epoch = store_.book().epochs(smoke().fingerprint)[0];
    tally_record wrong = *store_.book().tally(epoch.metric, epoch.epoch);
    epoch_tally counts = counted();
    --counts.highest[0].ones[0];
    ++counts.highest[0].ones[1];
    wrong.counts = tally_bytes(counts);
    wrong.checksum = checksum(wrong.counts);
    store_.book().put(wrong);
    ASSERT_EQ(problems().size(), 1u);
    EXPECT_NE(problems()[0].find("its tally is not what the segments say"), std::string::npos);
    (void)commit_tallies(store_, make_tallies(store_, registry_, 5), tallied::here);
    EXPECT_EQ(problems(), std::vector<std::string>());
    // A ledger that knows of one report more.
    store_.book().add(epoch_record{epoch.metric, epoch.epoch, 1, 0, 0});
    ASSERT_FALSE(problems().empty());
    EXPECT_NE(problems()[0].find("34 reports in segments are not the 35 of the ledger"),
              std::string::npos)
        << problems()[0];
    // One conflict more, and then other reports.
    store_.book().add(epoch_record{epoch.metric, epoch.epoch, ~std::uint64_t{0}, 1, 0});
    ASSERT_FALSE(problems().empty());
    EXPECT_NE(problems()[0].find("0 conflicts in segments are not the 1 of the ledger"),
              std::string::npos)
        << problems()[0];
    store_.book().add(epoch_record{epoch.metric, epoch.epoch, 0, ~std::uint64_t{0}, 1});
    ASSERT_FALSE(problems().empty());
    EXPECT_NE(problems()[0].find("are others than the ledger's"), std::string::npos);
}

TEST_F(Verify, ReadsTheRegistries) {
    add_some(100);
    EXPECT_EQ(problems(), std::vector<std::string>());
    const std::string name = "store/registries/8a1b2c3d.json";
    (void)directory_.file(name, replaced(registry_text(), "0.511", "0.611"));
    ASSERT_EQ(problems().size(), 1u);
    EXPECT_NE(problems()[0].find("8a1b2c3d.json: damaged"), std::string::npos) << problems()[0];
    (void)directory_.file(name, registry_text().substr(1));
    EXPECT_GE(problems().size(), 2u); // nor can it be read
    std::filesystem::remove(directory_ / name);
    EXPECT_GE(problems().size(), 1u);
    (void)directory_.file(name, registry_text());
    EXPECT_EQ(problems(), std::vector<std::string>());
}

// A registry of a store that had no record of them is recorded as it is found.
TEST_F(Verify, KnowsARegistryOnceItIsKeptAgain) {
    const std::filesystem::path ledger_file = directory_ / "store/ledger.sqlite";
    const auto drop = [&] { sqlite::to_write(ledger_file)->run("DROP TABLE registries"); };
    const std::string name = "store/registries/8a1b2c3d.json";
    drop();
    (void)directory_.file(name, registry_text() + "\n");
    EXPECT_EQ(verify(store::to_read(directory_ / "store")).problems, std::vector<std::string>());
    sqlite_ledger::to_write(ledger_file); // as the next writer does
    store_.keep({registry_, registry_text()});
    EXPECT_EQ(problems(), std::vector<std::string>());
    (void)directory_.file(name, registry_text());
    EXPECT_EQ(problems().size(), 1u);
}

TEST_F(Verify, SeesALedgerThatContradictsItself) {
    const struct {
        const char *sql, *undo, *said;
    } cases[] = {
        {"INSERT INTO rejected VALUES (1, 2, 'malformed', 3)", "DELETE FROM rejected",
         "a file that it does not know"},
        {"INSERT INTO files VALUES (1, 2, 3, 0); INSERT INTO rejected VALUES (1, 2, 'bad luck', 3)",
         "DELETE FROM files; DELETE FROM rejected", "an unknown reason"},
        {"INSERT INTO files VALUES (1, 2, 3, 0); INSERT INTO rejected VALUES (1, 2, 'malformed', "
         "0)",
         "DELETE FROM files; DELETE FROM rejected", "that is not above 0"},
        {"INSERT INTO tallies VALUES (1, 2, 3, x'00', 4, 5)", "DELETE FROM tallies",
         "that it has no reports of"},
        {"INSERT INTO limits VALUES ('begun', 3)", "DELETE FROM limits", "an end of epochs"},
        {"INSERT INTO limits VALUES ('expired', 3)", "DELETE FROM limits", "not closed"},
        {"INSERT INTO limits VALUES ('expired', 3), ('closed', 2)", "DELETE FROM limits",
         "not closed"},
    };
    for (const auto &c : cases) {
        const auto in = sqlite::to_write(directory_ / "store/ledger.sqlite");
        in->run(c.sql);
        ASSERT_EQ(problems().size(), 1u) << c.sql;
        EXPECT_NE(problems()[0].find(c.said), std::string::npos) << problems()[0];
        in->run(c.undo);
        EXPECT_EQ(problems(), std::vector<std::string>()) << c.sql;
    }
}

// A page of the ledger that is not what SQLite wrote.
TEST_F(Verify, ChecksTheLedgersPages) {
    add_some(100);
    const temporary_directory other;
    std::filesystem::create_directory(other / "store");
    {
        const auto in = sqlite::to_write(directory_ / "store/ledger.sqlite");
        in->run("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    std::filesystem::copy(directory_ / "store", other / "store",
                          std::filesystem::copy_options::recursive);
    EXPECT_EQ(verify(store::to_read(other / "store")).problems, std::vector<std::string>());
    std::string bytes = read_file(other / "store/ledger.sqlite");
    const std::size_t at = bytes.rfind("ingest");
    ASSERT_NE(at, std::string::npos);
    bytes[at - 2] = 0; // says that the command is NULL, which the table does not allow
    (void)other.file("store/ledger.sqlite", bytes);
    std::size_t found = 0;
    try {
        found = verify(store::to_read(other / "store")).problems.size();
    } catch (const environment_error &) {
        found = 1;
    }
    EXPECT_GE(found, 1u);
}

} // namespace
} // namespace sotto::aggregator::test
