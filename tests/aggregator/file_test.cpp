// SPDX-License-Identifier: Apache-2.0
// Files that anybody may have put there, swapped between the look and the opening.
#include "aggregator/base/failure.hpp"
#include "aggregator/base/file.hpp"
#include "support.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace sotto::aggregator::test {
namespace {

std::string read_all(input_file &file) {
    std::string text;
    char chunk[4];
    while (const std::size_t got = file.read(chunk)) {
        text.append(chunk, got);
    }
    return text;
}

TEST(InputFile, OfAnybodyIsRegularOrAnError) {
    const temporary_directory directory;
    directory.file("plain", "0123456789");
    const std::string link = directory / "link", pipe = directory / "pipe";
    std::filesystem::create_symlink(directory / "plain", link);
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    input_file plain(directory / "plain", chosen_by::anybody);
    EXPECT_EQ(read_all(plain), "0123456789");
    for (const std::string &path : {link, pipe, std::string("/dev/zero")}) { // and none waits
        try {
            input_file opened(path, chosen_by::anybody);
            ADD_FAILURE() << path;
        } catch (const environment_error &why) {
            EXPECT_EQ(why.what(), path + ": no regular file");
        }
    }
    EXPECT_THROW(mapped_file{pipe}, environment_error);
    input_file followed(link);
    EXPECT_EQ(read_all(followed), "0123456789");
}

TEST(InputFile, OfAnybodyIsReadAsFarAsItWentAtFirst) {
    const temporary_directory directory;
    const std::string path = directory.file("grows", "0123456789");
    for (const chosen_by whom : {chosen_by::anybody, chosen_by::user}) {
        input_file file(path, whom);
        std::ofstream(path, std::ios::app) << "more";
        EXPECT_EQ(read_all(file), whom == chosen_by::user ? "0123456789moremore" : "0123456789");
    }
}

} // namespace
} // namespace sotto::aggregator::test
