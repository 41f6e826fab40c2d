// SPDX-License-Identifier: Apache-2.0
// Remarks for programs: a row carries those on its metric and epoch, and those on all.
#ifndef SOTTO_AGGREGATOR_TEXT_ROW_REMARKS_HPP
#define SOTTO_AGGREGATOR_TEXT_ROW_REMARKS_HPP

#include "aggregator/base/json_layout.hpp"
#include "aggregator/estimate/estimate.hpp"
#include "aggregator/text/joint_rows.hpp"

#include <map>
#include <utility>

namespace sotto::aggregator {

// Each is an object of "kind" and the numbers of that kind; none comes twice.
class row_remarks {
  public:
    explicit row_remarks(const estimates &found);

    // The row must be one of those estimates. An array, empty where there is no remark.
    const json_value &on(const estimate_row &r) const { return on_.at({r.subject, r.epoch}); }

  private:
    std::map<std::pair<const metric *, std::optional<std::uint32_t>>, json_value> on_;
};

// The remarks on a joint distribution, which every row of it carries.
json_value remarks_on(const joint_table &table);

} // namespace sotto::aggregator
#endif
