// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_INCOMING_HPP
#define SOTTO_AGGREGATOR_PROGRAM_INCOMING_HPP

#include "aggregator/base/file.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace sotto::aggregator {

// A directory that report files come into, looked into again and again. Of one thread.
class incoming {
  public:
    explicit incoming(std::filesystem::path directory) : directory_(std::move(directory)) {}

    // Those that are there to be taken, in order of name. A writer gives a file its name when it is
    // whole; until then it starts with a dot or ends in .tmp. One that ends inside an envelope may
    // still be copied: it waits until it is the same at two looks. What is no regular file, or
    // can't be read, is complained of and left. Errors: std::filesystem::filesystem_error when the
    // directory can't be read.
    std::vector<std::filesystem::path> look();

    // Moves a file that is in the store, see move_into(), unless somebody has written to it since
    // it was looked at: the next look has it again. Where it can't be moved that is complained of,
    // and tried again at each look, which passes over it. Whether it was moved.
    bool move(const std::filesystem::path &file, const std::filesystem::path &to);

    // On stderr, once for each file.
    void complain(const std::filesystem::path &file, const std::string &line);

  private:
    struct stamp { // nobody sets the time of change
        ino_t number;
        off_t bytes;
        std::int64_t changed_seconds, changed_nanoseconds;
        bool operator==(const stamp &) const = default;
    };
    struct unmoved_file {
        stamp as;
        std::filesystem::path to;
    };

    std::optional<stamp> look_at(const std::filesystem::path &file);
    static std::optional<stamp> stamp_of(const std::filesystem::path &file);
    bool is_there(const std::filesystem::path &file, bool rests);
    void move_again();

    std::filesystem::path directory_;
    std::map<std::filesystem::path, stamp> seen_; // at the last look
    std::map<std::filesystem::path, unmoved_file> unmoved_;
    std::set<std::filesystem::path> complained_of_;
};

// A directory of the program's own, made when it is missing. A link is none, whatever it points to.
// Errors: environment_error.
descriptor own_directory(const std::filesystem::path &path);

// Under its name, or where that is taken under the name and a number, shortened as needed: no file
// is ever replaced. Errors: environment_error.
void move_into(const std::filesystem::path &directory, const std::filesystem::path &file);

} // namespace sotto::aggregator
#endif
