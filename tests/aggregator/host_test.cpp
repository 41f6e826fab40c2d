// SPDX-License-Identifier: Apache-2.0
// The C calls: report files to tallies, without a store, beside a store of the same files.
#include "aggregator/program/commands.hpp"
#include "aggregator/simulate/simulation.hpp"
#include "aggregator/store/file_ingest.hpp"
#include "host_calls.h"
#include "support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

sotto_host_view view_of(const std::string &text) { return {text.data(), text.size()}; }

class HostCalls : public testing::Test {
  protected:
    HostCalls() {
        std::string table = "broken,phase,parts,speed,axes,aircraft\n";
        for (int i = 0; i < 400; ++i) {
            table += fmt::format("{},{},{},{},{} 0 1,B{}\n", i % 3 == 0 ? "yes" : "no",
                                 i % 2 == 0 ? "climb" : "landing", i % 2 == 0 ? "wing" : "nose", i,
                                 i % 4 - 2, 700 + i % 4);
        }
        table_ = in_.file("table.csv", table);
    }

    ~HostCalls() override { sotto_host_close(host_); }

    std::string simulate(const std::string &name, std::uint32_t epoch, const std::string &seed) {
        simulate_options options;
        options.registry = registry_;
        options.input = table_;
        options.out = in_ / name;
        options.seed = seed;
        options.epoch = epoch;
        options.relaxed = "0.5";
        options.duplicated = "0.1";
        options.malformed = "0.05";
        options.mapping.map = {"damage=broken", "phase=phase", "parts=parts",
                               "speed=speed",   "axes=axes",   "aircraft=aircraft"};
        (void)simulate_table(options, [](std::uint64_t, double) {});
        return read_file(in_ / name);
    }

    // The bytes of `sotto tally --out`, of a store of these files.
    std::string by_store(const std::vector<std::string> &files) {
        std::vector<std::string> paths;
        for (const std::string &file : files) {
            paths.push_back(in_.file(fmt::format("{}.bin", paths.size()), file));
        }
        { // it holds the store's lock
            named_store target(in_ / "store", load_registry(registry_));
            (void)ingest_files_into(target, nullptr, paths, chosen_by::user,
                                    {[](std::uint64_t, double) {}, [](exit_code, const auto &) {}});
        }
        testing::internal::CaptureStdout();
        EXPECT_EQ(tally({registry_, in_ / "store", "", in_ / "store.tly", "", std::nullopt}),
                  exit_code::done);
        (void)testing::internal::GetCapturedStdout();
        return read_file(in_ / "store.tly");
    }

    void open(const std::vector<std::string> &texts, const char *keys = nullptr) {
        std::vector<sotto_host_view> views;
        for (const std::string &text : texts) {
            views.push_back(view_of(text));
        }
        code_ = sotto_host_open(views.data(), views.size(), keys, &host_, line_);
    }

    std::string by_calls(const std::vector<std::string> &files, std::uint32_t parts) {
        std::vector<sotto_host_view> views;
        for (const std::string &file : files) {
            views.push_back(view_of(file));
        }
        sotto_host_bytes made{nullptr, 0};
        read_ = {0, 0, 0};
        code_ = host_calls(host_, views.data(), views.size(), parts, &read_, &made, line_);
        const std::string out(static_cast<const char *>(made.data), made.size);
        sotto_host_free(&made);
        return out;
    }

    // The shares of all parts of one file.
    std::vector<std::string> shares_of(const std::string &file, std::uint32_t parts) {
        sotto_host_rows *rows = nullptr;
        EXPECT_EQ(sotto_host_rows_new(host_, parts, &rows, line_), SOTTO_HOST_DONE);
        EXPECT_EQ(sotto_host_parse(rows, view_of(file), &read_, line_), SOTTO_HOST_DONE);
        std::vector<std::string> shares;
        for (std::uint32_t part = 0; part < parts; ++part) {
            sotto_host_bytes taken{nullptr, 0}, share{nullptr, 0};
            EXPECT_EQ(sotto_host_take(rows, part, &taken, line_), SOTTO_HOST_DONE);
            const sotto_host_view view{taken.data, taken.size};
            EXPECT_EQ(sotto_host_tally(host_, part, parts, &view, 1, &share, line_),
                      SOTTO_HOST_DONE);
            shares.emplace_back(static_cast<const char *>(share.data), share.size);
            sotto_host_free(&taken);
            sotto_host_free(&share);
        }
        sotto_host_rows_free(rows);
        return shares;
    }

    // The line that refuses them.
    std::string refused(const std::vector<std::string> &shares) {
        std::vector<sotto_host_view> views;
        for (const std::string &share : shares) {
            views.push_back(view_of(share));
        }
        sotto_host_bytes made{nullptr, 0};
        EXPECT_EQ(sotto_host_merge(host_, views.data(), views.size(), &made, line_),
                  SOTTO_HOST_USAGE);
        EXPECT_EQ(made.data, nullptr);
        return line_;
    }

    const temporary_directory in_;
    const std::string registry_ = SOTTO_COMPILED_REGISTRY;
    std::string table_;
    sotto_host *host_ = nullptr;
    sotto_host_read read_{};
    int code_ = 0;
    char line_[SOTTO_HOST_LINE_BYTES] = "";
};

TEST_F(HostCalls, MakeTheBytesOfAStoreWhateverThePartsTheOrderAndWhatIsTwice) {
    const std::string a = simulate("a", 4, "00"), b = simulate("b", 5, "01");
    const std::string expected = by_store({a, b});
    open({read_file(registry_)});
    ASSERT_EQ(code_, SOTTO_HOST_DONE) << line_;
    EXPECT_EQ(by_calls({a, b}, 1), expected) << line_;
    const std::uint64_t rejected = read_.rejected;
    EXPECT_GT(rejected, 0u);
    EXPECT_EQ(by_calls({b, a, b}, 7), expected) << line_;
    EXPECT_GT(read_.rejected, rejected);
    EXPECT_NE(by_calls({b}, 7), expected); // a missing file shows
    EXPECT_EQ(by_calls({b, a}, 16), expected) << line_;
}

TEST_F(HostCalls, SayWhatIsRejectedAndGoOn) {
    open({read_file(registry_)});
    sotto_host_rows *rows = nullptr;
    ASSERT_EQ(sotto_host_rows_new(host_, 2, &rows, line_), SOTTO_HOST_DONE);
    const std::string cut = simulate("a", 4, "00").substr(0, 5000);
    EXPECT_EQ(sotto_host_parse(rows, view_of(cut), &read_, line_), SOTTO_HOST_DONE);
    EXPECT_NE(std::string(line_).find("1 truncated or not a report file"), std::string::npos)
        << line_;
    EXPECT_GT(read_.reports, 0u);
    EXPECT_GT(sotto_host_rows_size(rows), 16 * read_.reports);
    EXPECT_EQ(sotto_host_parse(rows, {nullptr, 0}, &read_, line_), SOTTO_HOST_DONE);
    EXPECT_STREQ(line_, "");
    sotto_host_bytes taken{nullptr, 0};
    EXPECT_EQ(sotto_host_take(rows, 2, &taken, line_), SOTTO_HOST_USAGE);
    EXPECT_STREQ(line_, "part: 2 is not 0 to 1");
    sotto_host_rows_free(rows);
}

// Its bytes are those of whole characters, wherever the limit falls.
TEST_F(HostCalls, SayLongLinesInWholeCharacters) {
    for (const std::string &before : {std::string("/"), std::string("/k")}) {
        std::string keys = before;
        while (keys.size() < std::size_t{2} * SOTTO_HOST_LINE_BYTES) {
            keys += "\xc3\xa9";
        }
        open({read_file(registry_)}, keys.c_str());
        EXPECT_NE(code_, SOTTO_HOST_DONE);
        const std::string said = line_;
        EXPECT_GE(said.size(), SOTTO_HOST_LINE_BYTES - 2u);
        EXPECT_EQ(said.substr(said.size() - 2), "\xc3\xa9") << before;
    }
}

TEST_F(HostCalls, RefuseSharesThatDoNotMakeOneWhole) {
    open({read_file(registry_)});
    const std::string a = simulate("a", 4, "00"), b = simulate("b", 4, "01");
    const std::vector<std::string> of_a = shares_of(a, 3), of_b = shares_of(b, 3);
    EXPECT_EQ(refused({of_a[0], of_a[2]}), "part 1/3 is missing; tally all parts");
    EXPECT_EQ(refused({of_a[0], of_a[1]}), "part 2/3 is missing; tally all parts");
    EXPECT_EQ(refused({of_a[0], of_a[1], of_b[1], of_a[2]}),
              "two shares of part 1/3 contradict each other; tally all parts again");
    EXPECT_EQ(refused({of_a[0], shares_of(a, 2)[1]}),
              "shares of 3 and of 2 parts; tally all parts again");
    std::string flipped = of_a[1];
    flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
    EXPECT_EQ(refused({of_a[0], flipped, of_a[2]}), "a damaged share; tally its part again");
    EXPECT_EQ(refused({"no share"}), "not a share of this version of sotto; tally its part again");
}

TEST_F(HostCalls, RefuseRowsOfAnotherPartOrDamaged) {
    open({read_file(registry_)});
    sotto_host_rows *rows = nullptr;
    ASSERT_EQ(sotto_host_rows_new(host_, 2, &rows, line_), SOTTO_HOST_DONE);
    const std::string a = simulate("a", 4, "00");
    ASSERT_EQ(sotto_host_parse(rows, view_of(a), &read_, line_), SOTTO_HOST_DONE);
    sotto_host_bytes taken{nullptr, 0}, share{nullptr, 0};
    ASSERT_EQ(sotto_host_take(rows, 1, &taken, line_), SOTTO_HOST_DONE);
    sotto_host_rows_free(rows);
    const auto tally_as = [&](std::uint32_t part, std::size_t size) {
        const sotto_host_view view{taken.data, size};
        const int code = sotto_host_tally(host_, part, 2, &view, 1, &share, line_);
        sotto_host_free(&share);
        return code;
    };
    EXPECT_EQ(tally_as(1, taken.size), SOTTO_HOST_DONE) << line_;
    EXPECT_EQ(tally_as(0, taken.size), SOTTO_HOST_USAGE);
    EXPECT_NE(std::string(line_).find("a row that the metric or part 0/2 can't have"),
              std::string::npos)
        << line_;
    for (const std::size_t lost : {std::size_t{1}, taken.size / 2, taken.size - 5}) {
        EXPECT_EQ(tally_as(1, taken.size - lost), SOTTO_HOST_USAGE);
    }
    EXPECT_EQ(tally_as(2, taken.size), SOTTO_HOST_USAGE);
    EXPECT_STREQ(line_, "part: 2 is not 0 to 1");
    sotto_host_free(&taken);
}

TEST_F(HostCalls, RefuseToOpenWithOneLine) {
    open({});
    EXPECT_EQ(code_, SOTTO_HOST_USAGE);
    EXPECT_STREQ(line_, "no registry; at least one metrics.json is needed");
    open({"{}"});
    EXPECT_EQ(code_, SOTTO_HOST_USAGE);
    EXPECT_EQ(std::string(line_).find("registry 0: "), 0u) << line_;
    open({read_file(registry_)}, "no such key");
    EXPECT_EQ(code_, SOTTO_HOST_USAGE);
    EXPECT_EQ(host_, nullptr);
    open({read_file(registry_)});
    ASSERT_EQ(code_, SOTTO_HOST_DONE) << line_;
    sotto_host_rows *rows = nullptr;
    EXPECT_EQ(sotto_host_rows_new(host_, 0, &rows, line_), SOTTO_HOST_USAGE);
    EXPECT_STREQ(line_, "parts: 0 is not 1 to 65536");
    EXPECT_EQ(sotto_host_version(), std::uint32_t{SOTTO_HOST_VERSION});
}

// Versions of a registry: a report counts whichever of them it is of, and a metric of both once.
TEST_F(HostCalls, ReadReportsOfSeveralRegistries) {
    const std::string text = read_file(registry_), a = simulate("a", 4, "00");
    const std::string other = registry_text();
    open({other});
    (void)by_calls({a}, 2);
    EXPECT_EQ(read_.reports, 0u);
    sotto_host_close(host_);
    open({other, text, text});
    ASSERT_EQ(code_, SOTTO_HOST_DONE) << line_;
    EXPECT_EQ(by_calls({a}, 2), by_store({a}));
}

} // namespace
} // namespace sotto::aggregator::test
