// SPDX-License-Identifier: Apache-2.0
// Remarks for programs: a row carries those on its metric and epoch, and those on all. The first
// row also carries those on places without a row.
#ifndef SOTTO_AGGREGATOR_TEXT_ROW_REMARKS_HPP
#define SOTTO_AGGREGATOR_TEXT_ROW_REMARKS_HPP

#include "aggregator/base/json_layout.hpp"
#include "aggregator/estimate/estimate.hpp"
#include "aggregator/text/joint_rows.hpp"

#include <map>
#include <utility>

namespace sotto::aggregator {

// "kind" and all that the remark holds.
json_value object_of(const remark_content &content);

// Arrays of such objects; in an array none comes twice.
class row_remarks {
  public:
    explicit row_remarks(const estimates &found);

    // The row must be one of those estimates. Empty where there is no remark.
    const json_value &on(const estimate_row &r) const {
        return &r == first_ ? on_first_ : on_.at({r.subject, r.epoch});
    }

    // All remarks, where there is no row. Otherwise the first row carries them.
    const json_value &without_row() const { return on_first_; }

  private:
    const estimate_row *first_;
    json_value on_first_ = json_value::array();
    std::map<std::pair<const metric *, std::optional<std::uint32_t>>, json_value> on_;
};

// The remarks on a joint distribution, which every row of it carries.
json_value remarks_on(const joint_table &table);

} // namespace sotto::aggregator
#endif
