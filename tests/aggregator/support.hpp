// SPDX-License-Identifier: Apache-2.0
// Shared by the aggregator's tests: a registry whose probabilities are round, files in a directory
// of their own, hand-made wire bytes.
#ifndef SOTTO_TESTS_AGGREGATOR_SUPPORT_HPP
#define SOTTO_TESTS_AGGREGATOR_SUPPORT_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/report/decode.hpp"
#include "aggregator/store/row_list.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::aggregator::test {

// damage (1): one level that flips with 1/4. smoke (7): its top flips with 1/4 and level 0 flips
// that again with 1/4, so 3/8 in all.
inline constexpr std::uint32_t fleet = 0x8a1b2c3d;
inline constexpr std::uint32_t damage_fingerprint = 0x01234567;
inline constexpr std::uint32_t smoke_fingerprint = 0x89abcdef;
std::string registry_text();
// Every type and mechanism, with thresholds that are round where they can be: every_type.json.
inline constexpr std::uint32_t every_type = 0xe7e7e7e7;
std::string every_type_text();
// The text with `from` replaced by `replacement`, everywhere; it must be there.
std::string replaced(std::string text, std::string_view from, std::string_view replacement);

class temporary_directory {
  public:
    temporary_directory();
    temporary_directory(const temporary_directory &) = delete;
    temporary_directory &operator=(const temporary_directory &) = delete;
    ~temporary_directory() { std::filesystem::remove_all(path_); }

    std::filesystem::path operator/(const std::string &name) const { return path_ / name; }
    // Writes a file and answers its path.
    std::string file(const std::string &name, std::string_view bytes) const;

  private:
    std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path &path);
// The columns in a command's page in aggregator/man: those under COLUMNS, in order. Also every word
// in bold or italics anywhere, which may be one.
struct manual_columns {
    std::vector<std::string> listed;
    std::set<std::string> emphasised;
};
manual_columns columns_in_manual(const std::string &command);
// Every file's path and bytes.
std::map<std::string, std::string> tree(const std::filesystem::path &root);

// The bytes of a stored row, and the rows of one metric.
using row = std::vector<std::uint8_t>;
row row_of(const metric &m, const report &r);
row_list rows_of(const metric &m, const std::vector<row> &rows);

// A report as a device of this fleet would send it, of a release that has an id. Its value is a
// cohort, an index, or bytes behind those.
struct wire_report {
    std::string release = "release1";
    std::uint64_t metric = 1;
    std::uint64_t level = 0, epoch_age = 0, flags = 0;
    std::optional<std::uint32_t> index = 1, number, cohort;
    std::optional<std::string> bits, numbers;
    unsigned index_bits = 1, cohort_bits = 2; // the registry's
};

struct wire_batch {
    std::uint64_t epoch = 5;
    std::string padding = std::string(20, '\0');
    std::map<std::uint32_t, std::optional<std::string>> instead; // contents of fields 3 to 8
    std::string more;                                            // appended as it is

    template <typename... Reports> std::string bytes(const Reports &...reports) const {
        return bytes_of(std::vector<wire_report>{reports...});
    }
    std::string bytes_of(std::vector<wire_report> reports) const;
};

struct wire_envelope {
    std::optional<std::uint64_t> version = 2;
    std::optional<std::uint32_t> registry = fleet, key_id;
    std::optional<std::string> batch, enc, ciphertext;
    std::string more;

    std::string bytes() const;
};

// The reports of a sound batch.
std::vector<report> reports_of(std::string_view batch, const value_layouts &layouts);
// With its length before it.
std::string delimited(const std::string &message);
// A file of one plain envelope with these reports.
template <typename... Reports> std::string file_of(const Reports &...reports) {
    wire_envelope e;
    e.batch = wire_batch{}.bytes(reports...);
    return delimited(e.bytes());
}
// One field, as bytes: for what a writer would never write.
std::string varint_field(std::uint32_t tag, std::uint64_t value);
std::string fixed32_field(std::uint32_t tag, std::uint32_t value);
std::string bytes_field(std::uint32_t tag, const std::string &bytes);

} // namespace sotto::aggregator::test
#endif
