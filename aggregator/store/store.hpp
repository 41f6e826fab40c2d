// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_STORE_HPP
#define SOTTO_AGGREGATOR_STORE_STORE_HPP

#include "aggregator/base/file.hpp"
#include "aggregator/registry/registry.hpp"
#include "aggregator/store/segment.hpp"
#include "aggregator/store/store_description.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// A directory of what was ingested. Files only ever appear whole, and count once the ledger has
// them: it may be read at any time. A file that a killed writer leaves counts for nothing, and the
// next writer removes it.
//   store.json                             {"format": 4}, see store_description.hpp
//   lock                                   held by the one writer, or who makes the store
//   ledger.sqlite                          what counts, see ledger.hpp; or it is in PostgreSQL
//   registries/FINGERPRINT.json            every registry it was given
//   segments/METRIC FINGERPRINT/N.seg      see segment.hpp
class store {
  public:
    // Creates the store where there is nothing or an empty directory, and waits until no other
    // writer holds it. Errors: usage_error when the directory is something else or the store is
    // older than this program; environment_error, also when it is newer. And those of
    // check_ledger.
    static store to_write(const std::filesystem::path &path, const std::string &ledger_place = {});
    // A snapshot: later writes don't show in it, and its segments stay mapped when they are
    // removed. An empty directory is an empty store. Errors: as above, and usage_error when there
    // is none.
    static store to_read(const std::filesystem::path &path);

    // Before a report is read. `ledger_place`: where to keep the ledger of a new store, a
    // connection string of PostgreSQL; empty: in the store. Errors: usage_error "--ledger: …" when
    // it is none, or when the store has its ledger elsewhere.
    static void check_ledger(const std::filesystem::path &path, const std::string &ledger_place);
    // Another text after each change to the store; empty when it is none yet.
    static std::string stamp(const std::filesystem::path &path);

    // Before a report is read: rows of metrics with one fingerprint lie in one list. Errors:
    // usage_error when a registry or a metric that is kept has the fingerprint of another one
    // given. A usage_error too when the two don't have the same levels above a ladder, as far as
    // both have them.
    static void check_admissible(const std::filesystem::path &path,
                                 const std::vector<registry> &kept, const registry &given);

    // Keeps a copy of the registry. Errors: as check_admissible.
    void keep(const registry_file &file);
    std::vector<registry> registries() const;
    // Registries whose file is not as it was kept, one line each.
    std::vector<std::string> damaged_registries() const;
    // Metrics of all its registries, each once, by fingerprint, with all levels that any of them
    // has.
    std::vector<metric> metrics() const;
    // A registry with all levels that the store may hold reports of. Errors: as check_admissible.
    registry completed(registry given) const;

    ledger &book() const { return *ledger_; }
    std::filesystem::path segment_directory() const { return path_ / "segments"; }
    // In order of name. Errors: environment_error.
    std::vector<segment> segments(const metric &m) const;
    // Names of segment files that the ledger does not have.
    std::vector<std::string> unrecorded() const;
    // Removes them; for a writer only. Readers on other machines may still need them: it waits
    // until they don't, or leaves them to the next writer.
    void remove_unrecorded(bool wait = false) const;

  private:
    explicit store(std::filesystem::path path) : path_(std::move(path)) {}
    void lock();
    std::filesystem::path registry_path(std::uint32_t fingerprint) const;
    // Nothing while the directory is still to become a store.
    std::optional<store_description> describe() const;
    void open_local(bool begun);
    void open_shared(const std::string &ledger_place);
    void make_directories() const;
    void check_segments_are_here() const;
    bool has_been_store() const;
    std::set<std::string> segment_files() const;
    void remove_temporary_files() const;
    ledger read_ledger() const;
    std::optional<std::string> hold_segments();

    std::filesystem::path path_;
    descriptor lock_;
    std::unique_ptr<ledger> ledger_;
    std::map<std::string, std::shared_ptr<const mapped_file>> held_; // a reader's, by name
};

// A store owns its directory: its writers would remove other files there, or take them for their
// own. Errors: usage_error "OPTION: …" where `path` is a store, or within one.
void check_outside_stores(std::string_view option, const std::filesystem::path &path);

} // namespace sotto::aggregator
#endif
