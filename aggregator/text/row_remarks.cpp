// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/row_remarks.hpp"

#include "aggregator/text/estimate_phrases.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

using place = std::pair<const metric *, std::optional<std::uint32_t>>;

json_value object_of(const remark_content &content) {
    json_value out;
    std::visit(
        [&](const auto &r) {
            out["kind"] = r.kind;
            r.numbers([&](const char *name, auto number) { out[name] = number; });
        },
        content);
    return out;
}

void add(json_value &to, const remark_content &content) {
    json_value one = object_of(content);
    if (std::find(to.begin(), to.end(), one) == to.end()) {
        to.push_back(std::move(one));
    }
}

} // namespace

row_remarks::row_remarks(const estimates &found) {
    std::map<place, json_value> at;
    for (const remark &one : found.remarks) {
        add(at.try_emplace({one.of, one.epoch}, json_value::array()).first->second, one.content);
    }
    for_each_group(found.rows, [&](row_group group) {
        const auto &[of, epoch] = place(group.front().of, group.front().epoch);
        json_value &all = on_.try_emplace({of, epoch}, json_value::array()).first->second;
        if (const auto want = want_of_reports(group)) {
            add(all, *want);
        }
        for (const place &one : std::set<place>{{of, epoch}, {of, {}}, {nullptr, {}}}) {
            if (const auto here = at.find(one); here != at.end()) {
                all.insert(all.end(), here->second.begin(), here->second.end());
            }
        }
    });
}

json_value remarks_on(const joint_table &table) {
    json_value out = json_value::array();
    for (const remark &one : table.remarks) {
        add(out, one.content);
    }
    if (const auto left_out = cells_left_out(table)) {
        add(out, *left_out);
    }
    return out;
}

} // namespace sotto::aggregator
