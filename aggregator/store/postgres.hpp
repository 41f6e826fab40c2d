// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_POSTGRES_HPP
#define SOTTO_AGGREGATOR_STORE_POSTGRES_HPP

#include "aggregator/store/database.hpp"

#include <map>

struct pg_conn;
struct pg_result;

namespace sotto::aggregator {

// One connection to PostgreSQL. It is never made again when it breaks: what it held, another may
// hold by then. A server that can't be reached any more is given up after half a minute.
class postgres final : public database {
  public:
    // `where`: a connection string of libpq, without a password.
    explicit postgres(const std::string &where);

    // The lock of the ledger's one writer, until the connection ends. It waits for it, and says so
    // by calling `on_wait` before.
    void lock_for_writing(const std::function<void()> &on_wait);
    // Until the connection ends no writer removes a file.
    void hold_files();
    // From now on each change is refused where another than this number writes. Files begin with
    // it.
    void write_as(std::uint64_t writer);

    void run(const char *sql) override;
    std::unique_ptr<prepared> prepare(const char *sql) override;
    void begin() override;
    void commit() override;
    void roll_back() noexcept override;
    std::string name() const override;
    std::vector<std::string> faults() override { return {}; } // its server checks its pages
    std::string file_prefix() const override { return std::to_string(writer_) + "-"; }
    void without_readers(bool wait, const std::function<void()> &act) override;

  private:
    friend class postgres_statement;
    struct finisher {
        void operator()(pg_conn *connection) const noexcept;
    };
    struct clearer {
        void operator()(pg_result *result) const noexcept;
    };
    using result = std::unique_ptr<pg_result, clearer>;

    // Answers it if all went well.
    result checked(pg_result *answer) const;
    [[noreturn]] void fail(const std::string &message, const std::string &state) const;
    bool is(const char *sql_of_a_boolean);

    std::string where_;
    std::unique_ptr<pg_conn, finisher> connection_;
    std::uint64_t writer_ = 0;
};

} // namespace sotto::aggregator
#endif
