// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_ATOMIC_FILE_HPP
#define SOTTO_AGGREGATOR_BASE_ATOMIC_FILE_HPP

#include "aggregator/base/file.hpp"
#include "aggregator/base/unsynced_files.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// The name of every unfinished file begins so; anybody who finds one may remove it.
inline constexpr std::string_view temporary_prefix = ".sotto-tmp-";

// Whether a file of this path is said to be whole: until then its name begins with a dot or ends in
// .tmp.
bool has_final_name(const std::filesystem::path &path);

// For a file of this directory that has no name yet.
struct unnamed_in {
    const std::filesystem::path &directory;
};

// A file that appears whole under its name at commit(), durably, or not at all. An existing file is
// replaced; what is there but no regular file (/dev/stdout, a pipe) is written to directly.
// Errors: environment_error, naming the file.
class atomic_file {
  public:
    explicit atomic_file(const std::filesystem::path &path);
    // For a directory that others write to, too: commit_new_as() gives the name.
    explicit atomic_file(unnamed_in where);
    atomic_file(const atomic_file &) = delete;
    atomic_file &operator=(const atomic_file &) = delete;
    ~atomic_file();

    // Goes on behind what was written before.
    void write(std::string_view bytes);
    // Makes it durable and gives it its name.
    void commit();
    // Commits under a name that the file gets only now. False where there is anything of this name,
    // which is neither followed nor replaced: it may be tried again under another one.
    bool commit_new_as(const std::filesystem::path &path);
    // To be called before: what was written until now is durable when those are, and the name that
    // comes next too, when its own are.
    void sync_with(unsynced_files &others);
    // Commits under a new name, durable when those are.
    bool commit_new_as(const std::filesystem::path &path, unsynced_files &with);
    std::uint64_t written_bytes() const noexcept { return written_bytes_; }

  private:
    void create_temporary(const std::filesystem::path &directory);
    void finish();
    bool take_name(const std::filesystem::path &path);
    void drain();
    void write_now(std::string_view bytes);
    [[noreturn]] void fail(int error_number) const;

    std::filesystem::path path_;
    std::filesystem::path temporary_; // empty when written to directly
    descriptor file_;
    std::string buffer_;
    std::uint64_t written_bytes_ = 0;
};

// Renames unless there is anything of the new name. The answer is an errno value, EEXIST then, or
// 0.
int rename_unless_taken(int from_directory, const std::filesystem::path &from, int to_directory,
                        const std::filesystem::path &target) noexcept;

// Makes a new name in the directory durable. Errors: environment_error.
void sync_directory(const std::filesystem::path &directory);

// The bytes as a whole file, durably, or no change at all. Errors: environment_error.
void write_atomically(const std::filesystem::path &path, std::string_view bytes);

// An output that replaces an input destroys it. Errors: usage_error where `out` is one of these
// files, by whatever name, or a key in one of these directories. Empty paths are none.
void check_is_no_input(const std::string &out, const std::vector<std::string> &inputs);

// Removes the unfinished files of programs that were killed, where several may be writing. It takes
// those of processes that are gone. It also takes those of its own number, as this process has just
// begun. Errors: environment_error.
void remove_abandoned(const std::filesystem::path &directory);

// Creates a directory and those above it, durably, unless they are there. Errors:
// environment_error.
void make_directory(const std::filesystem::path &path);

} // namespace sotto::aggregator
#endif
