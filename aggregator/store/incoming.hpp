// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_INCOMING_HPP
#define SOTTO_AGGREGATOR_STORE_INCOMING_HPP

#include "aggregator/base/file.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace sotto::aggregator {

// Identifies a file and its state.
struct file_stamp {
    ino_t number;
    off_t bytes;
    std::int64_t modified_seconds, modified_nanoseconds;
    std::int64_t changed_seconds, changed_nanoseconds; // no program can set it

    // Whether `now` is of the same file, moved or not: a move changes the time of change.
    bool is_same_file(const file_stamp &now) const;
    bool operator==(const file_stamp &) const = default;
};
// Nothing where there is no regular file that can be looked at.
std::optional<file_stamp> stamp_of(const std::filesystem::path &file);

// A directory that report files come into, looked into again and again. For one thread.
class incoming {
  public:
    // A look goes no further when `stops` says so: a file of another may be large, and the number
    // of files is.
    incoming(std::filesystem::path directory, std::function<bool()> stops)
        : directory_(std::move(directory)), stops_(std::move(stops)) {}

    // Files to take, in order of name, 10,000 at a look. A writer gives a file its name when it is
    // whole; until then the name starts with a dot or ends in .tmp. A file that ends inside an
    // envelope may still be copied. It waits, and holds up no other, until it is the same at two
    // looks. Anything but a readable regular file is complained of and left. Errors:
    // std::filesystem::filesystem_error when the directory can't be read.
    std::vector<std::filesystem::path> look();

    // Moves a file that is in the store, see move_into(). If somebody has written to it since it
    // was looked at, it stays, and the next look has it again. Where it can't be moved that is
    // complained of, and tried again at each look, which passes over it. Whether it was moved.
    bool move(const std::filesystem::path &file, const std::filesystem::path &target);

    // On stderr, once for each file.
    void complain(const std::filesystem::path &file, const std::string &line);

  private:
    struct unmoved_file {
        file_stamp as;
        std::filesystem::path target;
    };

    std::optional<file_stamp> look_at(const std::filesystem::path &file);
    bool is_there(const std::filesystem::path &file, bool rests);
    bool move_one(const std::filesystem::path &file, const unmoved_file &left);
    void move_again();

    std::filesystem::path directory_;
    std::function<bool()> stops_;
    std::map<std::filesystem::path, file_stamp> seen_; // at the last look: taken, or to wait
    std::map<std::filesystem::path, unmoved_file> unmoved_;
    std::set<std::filesystem::path> complained_of_;
};

// A directory of the program's own, made when it is missing. A link is none, whatever it points to.
// Errors: environment_error.
descriptor own_directory(const std::filesystem::path &path);

// Under its name, or where that is taken under the name and a number, shortened as needed: no file
// is ever replaced. False where another file than that of `as` has come under that name meanwhile.
// It is then back under it, or under the name and a number. Errors: environment_error.
bool move_into(const std::filesystem::path &directory, const std::filesystem::path &file,
               const file_stamp &as);

} // namespace sotto::aggregator
#endif
