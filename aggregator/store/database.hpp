// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_DATABASE_HPP
#define SOTTO_AGGREGATOR_STORE_DATABASE_HPP

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace sotto::aggregator {

// SQLite with lifetimes. All errors: environment_error, naming the file and what to do.
class database {
  public:
    // Created when it is not there; a commit is durable when it returns.
    static database to_write(const std::filesystem::path &path);
    // Must be there; never changes it.
    static database to_read(const std::filesystem::path &path);
    static database in_memory();

    // SQL without parameters, of the program's own.
    void run(const char *sql);

  private:
    friend class statement;
    friend class transaction;
    struct closer {
        void operator()(sqlite3 *db) const noexcept;
    };

    database(const std::filesystem::path &path, const std::string &uri, int flags);
    [[noreturn]] void fail(int code) const;

    std::filesystem::path path_;
    std::unique_ptr<sqlite3, closer> db_;
};

// One statement: values for its ?1, ?2… in their order, then its rows one by one.
class statement {
  public:
    statement(database &in, const char *sql);

    // Keeps copies of texts and bytes.
    template <typename... Values> statement &bind(const Values &...values) {
        int at = 0;
        (bind_one(++at, values), ...);
        return *this;
    }
    // On to the next row; false after the last, and then it can be bound again.
    bool next();
    // For what has no rows.
    void run();

    // In the present row; columns count from 0.
    std::uint64_t number(int column) const;
    std::string text(int column) const;
    std::vector<std::uint8_t> bytes(int column) const;

  private:
    struct finalizer {
        void operator()(sqlite3_stmt *s) const noexcept;
    };

    // As the 64 bits that they are: SQLite's integers are signed.
    void bind_one(int at, std::uint64_t value);
    void bind_one(int at, std::string_view value);
    void bind_one(int at, std::span<const std::uint8_t> value);

    database &in_;
    std::unique_ptr<sqlite3_stmt, finalizer> statement_;
};

// All of what happens until commit(), or nothing.
class transaction {
  public:
    explicit transaction(database &in) : in_(in) { in_.run("BEGIN IMMEDIATE"); }
    transaction(const transaction &) = delete;
    transaction &operator=(const transaction &) = delete;
    ~transaction();
    void commit();

  private:
    database &in_;
    bool open_ = true;
};

} // namespace sotto::aggregator
#endif
