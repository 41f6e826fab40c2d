// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_SQLITE_HPP
#define SOTTO_AGGREGATOR_STORE_SQLITE_HPP

#include "aggregator/store/database.hpp"

#include <filesystem>

struct sqlite3;

namespace sotto::aggregator {

// SQLite, for programs of one machine: the store's lock holds other writers off, and a reader keeps
// what it has mapped.
class sqlite final : public database {
  public:
    // Created when it is not there; a commit is durable when it returns.
    static std::unique_ptr<sqlite> to_write(const std::filesystem::path &path);
    // Must be there; never changes it.
    static std::unique_ptr<sqlite> to_read(const std::filesystem::path &path);
    static std::unique_ptr<sqlite> in_memory();

    void run(const char *sql) override;
    std::unique_ptr<prepared> prepare(const char *sql) override;
    void begin() override { run("BEGIN IMMEDIATE"); }
    void commit() override { run("COMMIT"); }
    void roll_back() noexcept override;
    std::string name() const override { return path_.filename(); }
    std::vector<std::string> faults() override;
    std::string file_prefix() const override { return ""; }
    void without_readers(bool, const std::function<void()> &act) override { act(); }

  private:
    friend class sqlite_statement;
    struct closer {
        void operator()(sqlite3 *db) const noexcept;
    };

    sqlite(const std::filesystem::path &path, const std::string &uri, int flags);
    [[noreturn]] void fail(int code) const;

    std::filesystem::path path_;
    std::unique_ptr<sqlite3, closer> db_;
};

} // namespace sotto::aggregator
#endif
