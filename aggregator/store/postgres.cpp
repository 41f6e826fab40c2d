// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/postgres.hpp"

#include "aggregator/base/failure.hpp"

#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <optional>

namespace sotto::aggregator {
namespace {

// Advisory locks belong to a database; a ledger is a schema of it. Types are those of PostgreSQL's
// own function: otherwise a better match, of whoever may create in the schema, would be called.
constexpr const char *writers_lock =
    "hashtextextended(coalesce(current_schema()::text, ''), 1::bigint)";
constexpr const char *files_lock =
    "hashtextextended(coalesce(current_schema()::text, ''), 2::bigint)";

// A machine that is gone loses its locks in half a minute. A run may say nothing for hours.
constexpr const char *session_settings =
    "SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('statement_timeout', "
    "'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout', "
    "'transaction_timeout');"
    "SELECT set_config('synchronous_commit', 'on', false) "
    "WHERE current_setting('synchronous_commit') = 'off';"
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4";

// One line of several.
std::string in_one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        if (c == '\n' || c == '\t' || c == ' ') {
            line += !line.empty() && line.back() != ' ' ? " " : "";
        } else {
            line += c;
        }
    }
    while (line.ends_with(' ')) {
        line.pop_back();
    }
    return line;
}

// By the SQLSTATE of PostgreSQL.
const char *advice_on(std::string_view state) {
    if (state == "25006") {
        return "; a writer needs a server that may be written to, the primary";
    }
    if (state == "42501") {
        return "; this needs the right to write there";
    }
    if (state == "53100") {
        return "; make room on the server and run this again";
    }
    if (state.starts_with("42") || state.starts_with("3F")) {
        return "; it is no ledger of sotto, or no whole one";
    }
    if (state.starts_with("XX")) {
        return "; restore the store and its ledger from a copy";
    }
    return "; run this again later";
}

} // namespace

class postgres_statement final : public prepared {
  public:
    postgres_statement(postgres &in, const char *sql) : in_(in), sql_(sql) {}

    void bind(int at, std::uint64_t value) override {
        put(at, std::to_string(static_cast<std::int64_t>(value)), 0);
    }
    void bind(int at, std::string_view value) override { put(at, std::string(value), 0); }
    void bind(int at, std::span<const std::uint8_t> value) override {
        put(at, std::string(value.begin(), value.end()), 1);
    }

    bool next() override {
        if (!rows_) {
            execute();
        } else {
            ++row_;
        }
        if (row_ < PQntuples(rows_.get())) {
            return true;
        }
        rows_.reset();
        return false;
    }

    std::uint64_t number(int column) const override {
        std::int64_t value = 0;
        const char *text = PQgetvalue(rows_.get(), row_, column);
        (void)std::from_chars(text, text + PQgetlength(rows_.get(), row_, column), value);
        return static_cast<std::uint64_t>(value);
    }

    std::vector<std::uint8_t> bytes(int column) const override {
        const char *text = PQgetvalue(rows_.get(), row_, column);
        if (PQftype(rows_.get(), column) != bytea) {
            return {text, text + PQgetlength(rows_.get(), row_, column)};
        }
        std::size_t size = 0;
        const std::unique_ptr<unsigned char, decltype(&PQfreemem)> plain(
            PQunescapeBytea(reinterpret_cast<const unsigned char *>(text), &size), PQfreemem);
        if (!plain) {
            throw std::bad_alloc();
        }
        return {plain.get(), plain.get() + size};
    }

  private:
    static constexpr Oid bytea = 17;

    void put(int at, std::string value, int format) {
        const auto count = static_cast<std::size_t>(at);
        values_.resize(std::max(values_.size(), count));
        formats_.resize(values_.size());
        values_[count - 1] = std::move(value);
        formats_[count - 1] = format;
    }

    void execute() {
        std::vector<const char *> texts;
        std::vector<int> sizes;
        for (const std::string &value : values_) {
            texts.push_back(value.c_str());
            sizes.push_back(static_cast<int>(value.size()));
        }
        rows_ = in_.checked(PQexecParams(in_.connection_.get(), sql_.c_str(),
                                         static_cast<int>(texts.size()), nullptr, texts.data(),
                                         sizes.data(), formats_.data(), 0));
        row_ = 0;
    }

    postgres &in_;
    std::string sql_;
    std::vector<std::string> values_;
    std::vector<int> formats_;
    postgres::result rows_;
    int row_ = 0;
};

void postgres::finisher::operator()(pg_conn *connection) const noexcept { PQfinish(connection); }
void postgres::clearer::operator()(pg_result *result) const noexcept { PQclear(result); }

postgres::postgres(const std::string &where) : where_(where) {
    // The connection string goes before these.
    const char *const keys[] = {"connect_timeout",  "keepalives_idle",  "keepalives_interval",
                                "keepalives_count", "tcp_user_timeout", "client_encoding",
                                "application_name", "dbname",           nullptr};
    const char *const values[] = {"10",   "10",    "5",           "4",    "30000",
                                  "UTF8", "sotto", where.c_str(), nullptr};
    connection_.reset(PQconnectdbParams(keys, values, 1));
    if (!connection_) {
        throw std::bad_alloc();
    }
    if (PQstatus(connection_.get()) != CONNECTION_OK) {
        throw environment_error(
            fmt::format("{}: {}; host, user and password are found as libpq does: PGPASSFILE, "
                        "PGSERVICEFILE",
                        name(), in_one_line(PQerrorMessage(connection_.get()))));
    }
    PQsetNoticeProcessor(
        connection_.get(), [](void *, const char *) {}, nullptr);
    run(session_settings);
}

std::string postgres::name() const { return "ledger " + where_; }

void postgres::fail(const std::string &message, const std::string &state) const {
    const bool lost = PQstatus(connection_.get()) != CONNECTION_OK;
    throw environment_error(fmt::format(
        "{}: {}{}", name(), in_one_line(message),
        lost ? "; the connection is lost and with it the right to write: run this again, nothing "
               "counts twice"
             : advice_on(state)));
}

postgres::result postgres::checked(pg_result *answer) const {
    result checked_result(answer);
    const ExecStatusType status = PQresultStatus(answer);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        const char *message = PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
        const char *state = PQresultErrorField(answer, PG_DIAG_SQLSTATE);
        fail(message != nullptr ? message : PQerrorMessage(connection_.get()),
             state != nullptr ? state : "");
    }
    return checked_result;
}

void postgres::run(const char *sql) { (void)checked(PQexec(connection_.get(), sql)); }

bool postgres::is(const char *sql_of_a_boolean) {
    const result answer = checked(PQexec(connection_.get(), sql_of_a_boolean));
    return std::strcmp(PQgetvalue(answer.get(), 0, 0), "t") == 0;
}

std::unique_ptr<prepared> postgres::prepare(const char *sql) {
    return std::make_unique<postgres_statement>(*this, sql);
}

void postgres::lock_for_writing(const std::function<void()> &on_wait) {
    if (!is(fmt::format("SELECT pg_try_advisory_lock({})", writers_lock).c_str())) {
        on_wait();
        run(fmt::format("SELECT pg_advisory_lock({})", writers_lock).c_str());
    }
}

void postgres::hold_files() {
    run(fmt::format("SELECT pg_advisory_lock_shared({})", files_lock).c_str());
}

void postgres::write_as(std::uint64_t writer) { writer_ = writer; }

// Changes are one by one by the row that counts them, too, should a pool of connections have parted
// the lock from this one.
void postgres::begin() {
    run("BEGIN ISOLATION LEVEL READ COMMITTED");
    if (writer_ == 0) {
        return;
    }
    const result counted =
        checked(PQexec(connection_.get(), fmt::format("UPDATE sotto_store SET changes = changes + "
                                                      "1 WHERE writer = {}",
                                                      writer_)
                                              .c_str()));
    if (std::strcmp(PQcmdTuples(counted.get()), "1") != 0) {
        roll_back();
        throw environment_error(name() + ": another writer has taken it over, so nothing more is "
                                         "written; run this again, nothing counts twice");
    }
}

void postgres::commit() {
    const result ended = checked(PQexec(connection_.get(), "COMMIT"));
    if (std::strcmp(PQcmdStatus(ended.get()), "COMMIT") != 0) {
        fail("the change was refused", "");
    }
}

void postgres::roll_back() noexcept { PQclear(PQexec(connection_.get(), "ROLLBACK")); }

void postgres::without_readers(bool wait, const std::function<void()> &act) {
    if (wait) {
        run(fmt::format("SELECT pg_advisory_lock({})", files_lock).c_str());
    } else if (!is(fmt::format("SELECT pg_try_advisory_lock({})", files_lock).c_str())) {
        return;
    }
    transaction as_writer(*this);
    act();
    as_writer.commit();
    run(fmt::format("SELECT pg_advisory_unlock({})", files_lock).c_str());
}

} // namespace sotto::aggregator
