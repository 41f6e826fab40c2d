// SPDX-License-Identifier: Apache-2.0
// Help for a person who does not know the commands.
#include "run_program.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <sstream>

namespace sotto::aggregator::test {
namespace {

class Help : public testing::Test {
  protected:
    program_result run(const std::string &arguments) const {
        return run_program(directory_, arguments);
    }

    temporary_directory directory_;
};

TEST_F(Help, IsAUsageAndALineForEachCommand) {
    const program_result asked = run("help");
    EXPECT_EQ(asked.exit, 0) << asked.err;
    EXPECT_EQ(asked.err, "");
    EXPECT_NE(asked.out.find("\nUsage: sotto COMMAND [OPTION...] [FILE...]\n"), std::string::npos);
    for (const char *command : {"simulate", "ingest", "verify", "tighten", "request-relax"}) {
        const std::string line = "\n  " + std::string(command) + " ";
        EXPECT_EQ(asked.out.find(line), asked.out.rfind(line)) << command;
        EXPECT_NE(asked.out.find(line), std::string::npos) << command;
    }
    std::istringstream lines(asked.out);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 90u) << line;
    }
    EXPECT_EQ(run("--help").out, asked.out);
}

// It was no command, so it is an error; a pipe gets nothing.
TEST_F(Help, ComesOnStandardErrorWithoutACommand) {
    const program_result bare = run("");
    EXPECT_EQ(bare.exit, 2);
    EXPECT_EQ(bare.out, "");
    EXPECT_EQ(bare.err, run("help").out);
}

TEST_F(Help, OfACommandIsItsOptions) {
    const program_result asked = run("help ingest");
    EXPECT_EQ(asked.exit, 0) << asked.err;
    EXPECT_NE(asked.out.find("--strict"), std::string::npos);
    EXPECT_EQ(asked.out, run("ingest --help").out);
}

TEST_F(Help, OfWhatIsNoCommandIsRefused) {
    const program_result wrong = run("help ingets");
    EXPECT_EQ(wrong.exit, 2);
    EXPECT_EQ(wrong.out, "");
    EXPECT_EQ(wrong.err, "sotto: no command \"ingets\"; did you mean ingest? (see sotto --help)\n");
}

} // namespace
} // namespace sotto::aggregator::test
