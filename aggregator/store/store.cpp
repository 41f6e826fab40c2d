// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/store.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/log.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/store/postgres_ledger.hpp"
#include "aggregator/store/sqlite_ledger.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <set>
#include <sys/file.h>
#include <tuple>

namespace sotto::aggregator {
namespace {

namespace fs = std::filesystem;

constexpr const char *format_name = "store.json", *ledger_name = "ledger.sqlite";

bool is_temporary(const fs::path &path) {
    return path.filename().string().starts_with(temporary_prefix);
}

[[noreturn]] void fail_missing(const fs::path &file) {
    throw environment_error(fmt::format("{}: missing; restore it from a copy of the store, or "
                                        "ingest all report files into a new one",
                                        file.string()));
}

// Whether the directory may have this name in it before it has store.json.
bool is_beginning(const fs::path &path) {
    const std::string name = path.filename();
    return name == format_name || name == "lock" || name == "registries" || name == "segments" ||
           name.starts_with(ledger_name) || is_temporary(path);
}

bool is_directory(const fs::directory_entry &entry) {
    return entry.symlink_status().type() == fs::file_type::directory;
}

// As keep() names one.
bool is_registry(const fs::path &path) {
    const std::string name = path.stem();
    return name.size() == 8 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Sorted: the order of a directory is no order.
std::vector<fs::path> files_in(const fs::path &directory, const std::string &extension) {
    std::vector<fs::path> paths;
    std::error_code none;
    if (fs::is_directory(directory, none)) {
        for (const fs::directory_entry &entry : fs::directory_iterator(directory)) {
            if (entry.path().extension() == extension && !is_temporary(entry.path()) &&
                !is_directory(entry)) {
                paths.push_back(entry.path());
            }
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

bool same_table(const metric &a, const metric &b) {
    return a.id == b.id && a.name == b.name && a.type == b.type && a.mechanism == b.mechanism &&
           a.names == b.names && a.table == b.table;
}

bool same_tables(const registry &a, const registry &b) {
    return std::equal(a.metrics.begin(), a.metrics.end(), b.metrics.begin(), b.metrics.end(),
                      [](const metric &x, const metric &y) {
                          return x.fingerprint == y.fingerprint && same_table(x, y) &&
                                 x.forward.size() == y.forward.size() && !x.parts_from(y);
                      });
}

// Metrics of one fingerprint share their segments, whatever registry they are in.
const metric *impostor(const registry &a, const registry &b) {
    for (const metric &x : a.metrics) {
        for (const metric &y : b.metrics) {
            if (x.fingerprint == y.fingerprint && !same_table(x, y)) {
                return &x;
            }
        }
    }
    return nullptr;
}

// So do all levels that any of them has above the ladder.
void check_forward(const fs::path &path, const registry &given, const registry &other) {
    for (const metric &x : given.metrics) {
        for (const metric &y : other.metrics) {
            if (const auto level =
                    x.fingerprint == y.fingerprint ? x.parts_from(y) : std::nullopt) {
                throw usage_error(fmt::format(
                    "{}: level {} of {} differs in registry {} version {}, {}: forward "
                    "levels may only be added above the others; give the metric a new id",
                    path.string(), *level, in_quotes(x.name), other.name, other.version,
                    fingerprint_text(other.fingerprint)));
            }
        }
    }
}

} // namespace

store store::to_write(const fs::path &path, const std::string &ledger_place) {
    store s(path);
    make_directory(path);
    std::optional<store_description> now = s.describe(); // before anything is changed
    check_ledger(path, ledger_place);
    if (!now) { // another program may make it meanwhile
        s.lock();
        now = s.describe();
        check_ledger(path, ledger_place);
    }
    const std::string place = now ? now->ledger : ledger_place;
    if (place.empty()) {
        s.open_local(now.has_value());
    } else {
        s.open_shared(place);
    }
    s.remove_unrecorded();
    return s;
}

void store::open_local(bool begun) {
    if (lock_.get() < 0) {
        lock();
    }
    remove_temporary_files();
    if (begun && !fs::exists(path_ / ledger_name)) {
        fail_missing(path_ / ledger_name);
    }
    ledger_ = std::make_unique<ledger>(sqlite_ledger::to_write(path_ / ledger_name));
    make_directories();
    if (!begun) {
        sync_directory(path_);
        write_atomically(path_ / format_name,
                         store_description().text()); // last: from now on it is one
    }
}

// The lock is the ledger's: programs of many machines see the directory.
void store::open_shared(const std::string &ledger_place) {
    store_description made{ledger_place, ""};
    bool is_new = false;
    const auto identify = [&]() -> store_identity {
        const std::optional<store_description> now = describe();
        is_new = !now;
        made.id = now ? now->id : new_store_id();
        return {made.id, is_new};
    };
    ledger_ = std::make_unique<ledger>(postgres_ledger::to_write(ledger_place, identify, [this] {
        log_line(path_.string() + ": waiting for another ingest to finish");
    }));
    check_segments_are_here();
    remove_temporary_files();
    make_directories();
    if (is_new) {
        sync_directory(path_);
        write_atomically(path_ / format_name, made.text());
    }
}

void store::make_directories() const {
    make_directory(path_ / "registries");
    make_directory(path_ / "segments");
}

// A copy of the directory lacks them as soon as the other one was written to. Nothing is removed
// from it then.
void store::check_segments_are_here() const {
    const std::set<std::string> names = segment_files();
    for (const segment_record &record : ledger_->segments()) {
        const fs::path file = segment_directory() / record.name;
        if (!names.contains(record.name) && !fs::exists(file)) { // a list may be some seconds old
            throw environment_error(fmt::format(
                "{}: missing, though the ledger names it: this directory is a copy of the one that "
                "is written to, or damaged; use that one, or restore it from a copy",
                file.string()));
        }
    }
}

void store::check_ledger(const fs::path &path, const std::string &ledger_place) {
    const auto said = [](const std::string &place) { return place.empty() ? ledger_name : place; };
    if (ledger_place.empty()) {
        return;
    }
    postgres_ledger::check("--ledger", ledger_place);
    if (const fs::path file = path / format_name; fs::exists(file)) {
        if (const std::string is = read_description(file).ledger; is != ledger_place) {
            throw usage_error(fmt::format("--ledger: {} has its ledger in {}; that is said once, "
                                          "when a store is made",
                                          path.string(), said(is)));
        }
    }
}

// Writers write to these files; readers leave an empty log behind.
std::string store::stamp(const fs::path &path) {
    const auto now = store(path).describe();
    if (now && !now->ledger.empty()) {
        return postgres_ledger::stamp(now->ledger, now->id);
    }
    std::string text;
    for (const char *name : {"ledger.sqlite", "ledger.sqlite-wal"}) {
        std::error_code none;
        const std::uintmax_t bytes = fs::file_size(path / name, none);
        if (!none && bytes > 0) {
            text += fmt::format("{} {} ", bytes,
                                fs::last_write_time(path / name, none).time_since_epoch().count());
        }
    }
    return text;
}

store store::to_read(const fs::path &path) {
    store s(path);
    std::error_code error;
    if (!fs::is_directory(path, error)) {
        throw usage_error(path.string() + (fs::exists(path, error) ? ": not a store: it is a file"
                                                                   : ": no such store"));
    }
    // A writer may remove a segment after the ledger was read. The next ledger then has another in
    // its place. A store whose ledger misses the same has lost it, and says so when it is used.
    for (std::optional<std::string> missing, before;; before = missing) {
        s.ledger_.reset();
        s.ledger_ = std::make_unique<ledger>(s.read_ledger());
        missing = s.hold_segments();
        if (!missing || missing == before) {
            return s;
        }
    }
}

ledger store::read_ledger() const {
    const std::optional<store_description> now = describe();
    if (!now) {
        return sqlite_ledger::empty();
    }
    if (!now->ledger.empty()) {
        return postgres_ledger::to_read(now->ledger, now->id);
    }
    if (!fs::exists(path_ / ledger_name)) {
        fail_missing(path_ / ledger_name);
    }
    return sqlite_ledger::to_read(path_ / ledger_name);
}

// The name of the first that is missing.
std::optional<std::string> store::hold_segments() {
    decltype(held_) now;
    std::optional<std::string> missing;
    for (const segment_record &record : ledger_->segments()) {
        const fs::path name = segment_directory() / record.name;
        try {
            const auto held = held_.find(record.name);
            now.emplace(record.name, held != held_.end()
                                         ? held->second
                                         : std::make_shared<const mapped_file>(name));
        } catch (const environment_error &) { // is complained about when it is used
            std::error_code error;
            missing = missing || fs::exists(name, error) ? missing : record.name;
        }
    }
    held_ = std::move(now);
    return missing;
}

void store::lock() {
    const fs::path name = path_ / "lock";
    lock_ = descriptor(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (lock_.get() < 0) {
        throw environment_error(name, errno);
    }
    if (flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) {
        return;
    }
    if (errno == EWOULDBLOCK) {
        log_line(path_.string() + ": waiting for another ingest to finish");
    }
    while (flock(lock_.get(), LOCK_EX) != 0) {
        if (errno != EINTR) {
            throw environment_error(name, errno);
        }
    }
}

std::optional<store_description> store::describe() const {
    const fs::path name = path_ / format_name;
    if (!fs::exists(name)) {
        for (const fs::directory_entry &entry : fs::directory_iterator(path_)) {
            if (!is_beginning(entry.path())) {
                throw usage_error(path_.string() + ": not a store: it has files but no store.json");
            }
        }
        if (!has_been_store()) {
            return std::nullopt;
        }
        if (!fs::exists(name)) { // another program would have made it by now
            fail_missing(name);
        }
    }
    return read_description(name);
}

// Whether there is what comes after store.json.
bool store::has_been_store() const {
    return std::ranges::any_of(files_in(path_ / "registries", ".json"), is_registry) ||
           !segment_files().empty() || sqlite_ledger::names_segments(path_ / ledger_name);
}

// Only under the lock: what is unfinished now was left by a writer that is gone.
void store::remove_temporary_files() const {
    std::vector<fs::path> left;
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(path_)) {
        if (is_temporary(entry.path()) && !is_directory(entry)) {
            left.push_back(entry.path());
        }
    }
    for (const fs::path &path : left) {
        fs::remove(path);
    }
}

void store::check_admissible(const fs::path &path, const std::vector<registry> &kept,
                             const registry &given) {
    for (const registry &other : kept) {
        if (other.fingerprint == given.fingerprint && !same_tables(other, given)) {
            throw usage_error(fmt::format("{}: the store has another registry with fingerprint {}",
                                          path.string(), fingerprint_text(given.fingerprint)));
        }
        if (const metric *m = impostor(given, other)) {
            throw usage_error(fmt::format("{}: another metric than {} has its fingerprint, {}",
                                          path.string(), in_quotes(m->name),
                                          fingerprint_text(m->fingerprint)));
        }
        check_forward(path, given, other);
    }
}

void store::keep(const registry_file &file) {
    const std::uint32_t fingerprint = file.content.fingerprint;
    const fs::path name = registry_path(fingerprint);
    check_admissible(path_, registries(), file.content);
    if (!fs::exists(name)) {
        write_atomically(name, file.text);
    }
    const std::vector<registry_record> known = ledger_->registries();
    if (std::ranges::find(known, fingerprint, &registry_record::fingerprint) == known.end()) {
        transaction change = ledger_->begin();
        ledger_->put(registry_record{fingerprint, checksum(mapped_file(name).bytes())});
        change.commit();
    }
}

fs::path store::registry_path(std::uint32_t fingerprint) const {
    return path_ / "registries" / (fingerprint_text(fingerprint) + ".json");
}

std::vector<std::string> store::damaged_registries() const {
    std::vector<std::string> lines;
    for (const registry_record &record : ledger_->registries()) {
        const fs::path name = registry_path(record.fingerprint);
        try {
            if (checksum(mapped_file(name).bytes()) != record.checksum) {
                lines.push_back(name.string() + ": damaged: it is not the file that was kept");
            }
        } catch (const failure &error) {
            lines.emplace_back(error.what());
        }
    }
    return lines;
}

std::vector<registry> store::registries() const {
    std::vector<registry> kept;
    for (const fs::path &name : files_in(path_ / "registries", ".json")) {
        if (is_registry(name)) {
            kept.push_back(load_registry(name).content);
        }
    }
    return kept;
}

std::vector<metric> store::metrics() const {
    std::vector<metric> metrics;
    for (registry &kept : registries()) {
        std::move(kept.metrics.begin(), kept.metrics.end(), std::back_inserter(metrics));
    }
    std::stable_sort(metrics.begin(), metrics.end(), [](const metric &a, const metric &b) {
        return std::tuple(a.fingerprint, b.forward.size()) <
               std::tuple(b.fingerprint, a.forward.size());
    });
    const auto again =
        std::unique(metrics.begin(), metrics.end(), [](const metric &a, const metric &b) {
            return a.fingerprint == b.fingerprint;
        });
    metrics.erase(again, metrics.end());
    return metrics;
}

registry store::completed(registry given) const {
    check_admissible(path_, registries(), given);
    for (const metric &longest : metrics()) {
        for (metric &m : given.metrics) {
            if (m.fingerprint == longest.fingerprint && m.forward.size() < longest.forward.size()) {
                m.forward = longest.forward;
                m.costs = longest.costs;
                m.cost_reports = longest.cost_reports;
                m.open_release = longest.open_release;
            }
        }
    }
    return given;
}

std::vector<segment> store::segments(const metric &m) const {
    std::vector<segment> files;
    for (const segment_record &record : ledger_->segments(m.fingerprint)) {
        const fs::path directory = segment_directory();
        if (const auto held = held_.find(record.name); held != held_.end()) {
            files.emplace_back(directory, record, m, held->second);
        } else if (fs::exists(directory / record.name)) {
            files.emplace_back(directory, record, m);
        } else {
            fail_missing(directory / record.name);
        }
    }
    return files;
}

std::set<std::string> store::segment_files() const {
    std::set<std::string> names;
    if (fs::exists(segment_directory())) {
        for (const fs::directory_entry &metric : fs::directory_iterator(segment_directory())) {
            for (const fs::path &file : files_in(metric.path(), segment_extension)) {
                names.insert(metric.path().filename() / file.filename());
            }
        }
    }
    return names;
}

std::vector<std::string> store::unrecorded() const {
    std::set<std::string> names = segment_files();
    for (const segment_record &record : ledger_->segments()) {
        names.erase(record.name);
    }
    return {names.begin(), names.end()};
}

void store::remove_unrecorded(bool wait) const {
    if (unrecorded().empty()) {
        return;
    }
    ledger_->without_readers(wait, [this] {
        for (const std::string &name : unrecorded()) {
            fs::remove(segment_directory() / name);
        }
    });
}

void check_outside_stores(std::string_view option, const fs::path &path) {
    std::error_code none;
    fs::path p = fs::weakly_canonical(fs::absolute(path), none);
    for (; !p.empty(); p = p.parent_path()) {
        if (fs::is_regular_file(p / format_name, none) &&
            (fs::exists(p / ledger_name, none) || fs::exists(p / "segments", none))) {
            throw usage_error(fmt::format("{}: {} is in the store {}, which has no place for other "
                                          "files",
                                          option, path.string(), p.string()));
        }
        if (p == p.root_path()) {
            break;
        }
    }
}

} // namespace sotto::aggregator
