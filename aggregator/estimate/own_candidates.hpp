// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_OWN_CANDIDATES_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_OWN_CANDIDATES_HPP

#include "aggregator/estimate/remark.hpp"
#include "aggregator/registry/registry.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace sotto::aggregator {

// So many categories at most are all candidates, where none is named.
inline constexpr std::uint32_t categories_tried_max = 10'000;

// Categories by their text: a name, or the index where they have no names.
class category_texts {
  public:
    explicit category_texts(const metric &m);
    // Nothing: no category is called so.
    std::optional<std::uint32_t> index_of(const std::string &text) const;

  private:
    std::uint32_t size_;
    std::unordered_map<std::string, std::uint32_t> names_;
};

// Candidates that a device can report.
struct own_candidates {
    std::vector<std::string> texts;
    std::optional<remark_content> left_out; // the others
};

// Strings no longer than max_bytes, as each longer one would be counted as all of them. Categories
// of the registry; all of them, where none is given and there are categories_tried_max at most. All
// that is given, where values are no candidates (has_strings).
own_candidates own_candidates_of(const metric &m, std::vector<std::string> given);

} // namespace sotto::aggregator
#endif
