// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/sqlite.hpp"

#include "aggregator/base/failure.hpp"

#include <cstring>
#include <fmt/format.h>
#include <sqlite3.h>

namespace sotto::aggregator {
namespace {

constexpr int patience_ms = 30'000; // a reader meets a writer's checkpoint

// A path may have any byte in it, a URI may not.
std::string uri_of(const std::filesystem::path &path, const char *options) {
    std::string out = "file:";
    for (const char c : std::filesystem::absolute(path).string()) {
        if (c == '%' || c == '?' || c == '#') {
            out += fmt::format("%{:02x}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out + options;
}

const char *advice(int code) {
    switch (code & 0xff) {
    case SQLITE_FULL:
        return "; make room and run this again";
    case SQLITE_IOERR:
        return "; when the disk has room and files may grow, run this again";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return "; this needs the right to write there";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return "; restore the store from a copy, or ingest its report files into a new one";
    case SQLITE_BUSY:
        return "; another program holds it, run this again later";
    default:
        return "";
    }
}

bool has_bytes(const std::filesystem::path &path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    return !error && size > 0;
}

} // namespace

class sqlite_statement final : public prepared {
  public:
    sqlite_statement(sqlite &in, const char *sql) : in_(in) {
        sqlite3_stmt *made = nullptr;
        const int code = sqlite3_prepare_v2(in.db_.get(), sql, -1, &made, nullptr);
        statement_.reset(made);
        if (code != SQLITE_OK) {
            in_.fail(code);
        }
    }

    void bind(int at, std::uint64_t value) override {
        sqlite3_bind_int64(statement_.get(), at, static_cast<std::int64_t>(value));
    }

    void bind(int at, std::string_view value) override {
        sqlite3_bind_text(statement_.get(), at, value.data(), static_cast<int>(value.size()),
                          SQLITE_TRANSIENT);
    }

    void bind(int at, std::span<const std::uint8_t> value) override {
        sqlite3_bind_blob64(statement_.get(), at, value.data(), value.size(), SQLITE_TRANSIENT);
    }

    bool next() override {
        const int code = sqlite3_step(statement_.get());
        if (code == SQLITE_ROW) {
            return true;
        }
        if (code != SQLITE_DONE) {
            in_.fail(code);
        }
        sqlite3_reset(statement_.get());
        return false;
    }

    std::uint64_t number(int column) const override {
        return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
    }

    std::vector<std::uint8_t> bytes(int column) const override {
        const auto *data =
            static_cast<const std::uint8_t *>(sqlite3_column_blob(statement_.get(), column));
        const int size = sqlite3_column_bytes(statement_.get(), column);
        return data == nullptr ? std::vector<std::uint8_t>()
                               : std::vector<std::uint8_t>(data, data + size);
    }

  private:
    struct finalizer {
        void operator()(sqlite3_stmt *s) const noexcept { sqlite3_finalize(s); }
    };

    sqlite &in_;
    std::unique_ptr<sqlite3_stmt, finalizer> statement_;
};

void sqlite::closer::operator()(sqlite3 *db) const noexcept { sqlite3_close(db); }

sqlite::sqlite(const std::filesystem::path &path, const std::string &uri, int flags) : path_(path) {
    sqlite3 *db = nullptr;
    const int code = sqlite3_open_v2(uri.c_str(), &db, flags | SQLITE_OPEN_URI, nullptr);
    db_.reset(db);
    if (code != SQLITE_OK) {
        fail(code);
    }
    sqlite3_extended_result_codes(db, 1);
    sqlite3_busy_timeout(db, patience_ms);
}

std::unique_ptr<sqlite> sqlite::to_write(const std::filesystem::path &path) {
    std::unique_ptr<sqlite> db(
        new sqlite(path, uri_of(path, ""), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    db->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    return db;
}

std::unique_ptr<sqlite> sqlite::to_read(const std::filesystem::path &path) {
    const auto opened = [&](const char *options) {
        return std::unique_ptr<sqlite>(
            new sqlite(path, uri_of(path, options), SQLITE_OPEN_READONLY));
    };
    try {
        std::unique_ptr<sqlite> db = opened("?mode=ro");
        db->run("SELECT 1 FROM sqlite_schema");
        return db;
    } catch (const environment_error &) {
        // Where nobody may write there can't be SQLite's shared memory either. Without it the file
        // is whole only if the last writer left in good order.
        std::filesystem::path log = path;
        log += "-wal";
        if (!has_bytes(path) || has_bytes(log)) {
            throw;
        }
        return opened("?mode=ro&immutable=1");
    }
}

std::unique_ptr<sqlite> sqlite::in_memory() {
    return std::unique_ptr<sqlite>(
        new sqlite("memory", "file::memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
}

void sqlite::fail(int code) const {
    const int cause = db_ ? sqlite3_system_errno(db_.get()) : 0;
    throw environment_error(fmt::format("{}: {}{}{}", path_.string(), sqlite3_errstr(code),
                                        cause != 0 ? std::string(": ") + std::strerror(cause) : "",
                                        advice(code)));
}

void sqlite::run(const char *sql) {
    const int code = sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) {
        fail(code);
    }
}

std::unique_ptr<prepared> sqlite::prepare(const char *sql) {
    return std::make_unique<sqlite_statement>(*this, sql);
}

void sqlite::roll_back() noexcept {
    sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

std::vector<std::string> sqlite::faults() {
    std::vector<std::string> lines;
    for (statement s(*this, "PRAGMA integrity_check"); s.next();) {
        if (const std::string line = s.text(0); line != "ok") {
            lines.push_back(line);
        }
    }
    return lines;
}

} // namespace sotto::aggregator
