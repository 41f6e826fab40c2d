// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_REASON_HPP
#define SOTTO_AGGREGATOR_REPORT_REASON_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace sotto::aggregator {

// Why a report, a batch or the rest of a file was not counted.
enum class reason : std::uint8_t {
    truncated, // the framing ends or is lost: whatever follows in the file is one rejection
    malformed,
    missing_field,
    not_canonical,
    unknown_version,
    unknown_registry,
    sealed,      // and there are no keys to open it with
    unknown_key, // as all that is sealed: the whole batch is one rejection
    retired_key,
    not_opened,
    unknown_metric,
    unknown_level,
    value_range,
    not_selectable, // its flag says that a request selected it
    epoch_range,
    duplicate,
    conflict,
    late,
};
inline constexpr std::size_t reason_count = static_cast<std::size_t>(reason::late) + 1;

// A few words, as they stand after a number: "9 truncated or not a report file".
const char *reason_text(reason why);

// How often each reason came.
class rejections {
  public:
    void add(reason why, std::uint64_t times = 1) {
        counts_[static_cast<std::size_t>(why)] += times;
    }
    void add(const rejections &other);
    void forget(reason why) { counts_[static_cast<std::size_t>(why)] = 0; }
    // Counts a batch and its id: the key it was sealed for, or its registry. text() names the first
    // few.
    void add_id(reason why, std::uint32_t id);
    std::uint64_t count(reason why) const { return counts_[static_cast<std::size_t>(why)]; }
    std::uint64_t total() const;
    // "198 duplicate, 9 truncated or not a report file", most first; "" when there are none.
    std::string text() const;

  private:
    void note_id(reason why, std::uint32_t id);
    std::string ids_text(reason why) const;

    std::array<std::uint64_t, reason_count> counts_ = {};
    std::map<reason, std::set<std::uint32_t>> ids_; // keys or registries
};

} // namespace sotto::aggregator
#endif
