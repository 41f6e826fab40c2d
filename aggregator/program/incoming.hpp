// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_INCOMING_HPP
#define SOTTO_AGGREGATOR_PROGRAM_INCOMING_HPP

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sotto::aggregator {

// A directory that report files come into, looked into again and again. Of one thread.
class incoming {
  public:
    explicit incoming(std::filesystem::path directory) : directory_(std::move(directory)) {}

    // Those that are there to be taken, in order of name. A writer gives a file its name when it is
    // whole; until then it starts with a dot or ends in .tmp. One that ends inside an envelope may
    // still be copied: it waits until it is the same at two looks. What can't be read is named on
    // stderr, once, and left. Errors: std::filesystem::filesystem_error when the directory can't.
    std::vector<std::filesystem::path> look();

    // Whether nobody has written to it since it was looked at.
    bool rests(const std::filesystem::path &file) const;

  private:
    struct stamp {
        std::uintmax_t bytes;
        std::filesystem::file_time_type changed;
        bool operator==(const stamp &) const = default;
    };

    static stamp stamp_of(const std::filesystem::path &file);
    bool is_readable(const std::filesystem::directory_entry &entry);
    void complain(const std::filesystem::path &file, const std::string &why);

    std::filesystem::path directory_;
    std::map<std::filesystem::path, stamp> seen_; // at the last look
    std::set<std::filesystem::path> complained_of_;
};

// Under its name, or where that is taken under the name and a number: no file is ever replaced.
// Errors: environment_error.
void move_into(const std::filesystem::path &directory, const std::filesystem::path &file);

} // namespace sotto::aggregator
#endif
