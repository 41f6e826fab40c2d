// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_DATABASE_HPP
#define SOTTO_AGGREGATOR_STORE_DATABASE_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// A statement of some database.
class prepared {
  public:
    prepared() = default;
    prepared(const prepared &) = delete;
    prepared &operator=(const prepared &) = delete;
    virtual ~prepared() = default;

    // Values from 1 on; copies are kept. Numbers as the 64 bits that they are: SQL's are signed.
    virtual void bind(int at, std::uint64_t value) = 0;
    virtual void bind(int at, std::string_view value) = 0;
    virtual void bind(int at, std::span<const std::uint8_t> value) = 0;
    // On to the next row; false after the last, and then it can be bound again.
    virtual bool next() = 0;
    // In the present row; columns count from 0. Null is 0, or no bytes.
    virtual std::uint64_t number(int column) const = 0;
    virtual std::vector<std::uint8_t> bytes(int column) const = 0;
};

// Runs the SQL of a ledger: SQLite does, and PostgreSQL. Parameters are $1, $2…, each for the first
// time in this order. For one thread. All errors: environment_error, naming the database and what
// to do.
class database {
  public:
    database() = default;
    database(const database &) = delete;
    database &operator=(const database &) = delete;
    virtual ~database() = default;

    // SQL without parameters, of the program's own.
    virtual void run(const char *sql) = 0;
    virtual std::unique_ptr<prepared> prepare(const char *sql) = 0;

    // A change by the one writer. It is durable when commit() returns.
    virtual void begin() = 0;
    virtual void commit() = 0;
    virtual void roll_back() noexcept = 0;

    // Its name in messages.
    virtual std::string name() const = 0;
    // Faults that it finds in itself, one line each.
    virtual std::vector<std::string> faults() = 0;
    // Names of this writer's files begin so, and those of no other writer at any time. Empty where
    // one machine holds all others off.
    virtual std::string file_prefix() const = 0;
    // Calls `act` while this is the writer, and no reader relies on files that the ledger names no
    // more. Where there is a reader it waits, or else does nothing.
    virtual void without_readers(bool wait, const std::function<void()> &act) = 0;
};

// One statement: values for its $1, $2… in their order, then its rows one by one.
class statement {
  public:
    statement(database &in, const char *sql) : prepared_(in.prepare(sql)) {}

    template <typename... Values> statement &bind(const Values &...values) {
        int at = 0;
        (prepared_->bind(++at, values), ...);
        return *this;
    }
    bool next() { return prepared_->next(); }
    // For what has no rows.
    void run() {
        while (next()) {
        }
    }

    std::uint64_t number(int column) const { return prepared_->number(column); }
    std::vector<std::uint8_t> bytes(int column) const { return prepared_->bytes(column); }
    std::string text(int column) const {
        const auto bytes_here = bytes(column);
        return {bytes_here.begin(), bytes_here.end()};
    }

  private:
    std::unique_ptr<prepared> prepared_;
};

// All of what happens until commit(), or nothing.
class transaction {
  public:
    explicit transaction(database &in) : in_(in) { in_.begin(); }
    transaction(const transaction &) = delete;
    transaction &operator=(const transaction &) = delete;
    ~transaction() {
        if (open_) {
            in_.roll_back();
        }
    }
    void commit() {
        in_.commit();
        open_ = false;
    }

  private:
    database &in_;
    bool open_ = true;
};

} // namespace sotto::aggregator
#endif
