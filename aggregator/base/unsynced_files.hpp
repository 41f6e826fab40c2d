// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_UNSYNCED_FILES_HPP
#define SOTTO_AGGREGATOR_BASE_UNSYNCED_FILES_HPP

#include "aggregator/base/file.hpp"

#include <filesystem>
#include <set>
#include <utility>
#include <vector>

namespace sotto::aggregator {

// New files of one file system, and their names, that are to be durable together. A few are synced
// by an fsync each, many by one of the whole file system. A thousand cost no more than ten. (syncfs
// tells of all that failed to be written from Linux 5.8 on.) Errors: environment_error.
class unsynced_files {
  public:
    // `within` is there, and above all that is added. To be made before anything is written.
    explicit unsynced_files(const std::filesystem::path &within);

    // A file with its name.
    void add(const std::filesystem::path &path, descriptor file);
    void add_content(const std::filesystem::path &path, descriptor file); // not its name
    void add_directory(const std::filesystem::path &path);
    // All that was added until now is durable when it returns. Answers how many syncs it took.
    std::size_t sync();

  private:
    void forget_many();

    std::filesystem::path within_;
    descriptor file_system_;
    // Empty where they are many.
    std::vector<std::pair<std::filesystem::path, descriptor>> files_;
    std::set<std::filesystem::path> directories_;
    bool are_many_ = false;
};

} // namespace sotto::aggregator
#endif
