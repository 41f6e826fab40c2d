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

void add(json_value &remarks, const remark_content &content) {
    json_value object = object_of(content);
    if (std::find(remarks.begin(), remarks.end(), object) == remarks.end()) {
        remarks.push_back(std::move(object));
    }
}

} // namespace

row_remarks::row_remarks(const estimates &found) {
    std::map<place, json_value> at;
    for (const remark &r : found.remarks) {
        add(at.try_emplace({r.subject, r.epoch}, json_value::array()).first->second, r.content);
    }
    for_each_group(found.rows, [&](row_group group) {
        const auto &[m, epoch] = place(group.front().subject, group.front().epoch);
        json_value &remarks = on_.try_emplace({m, epoch}, json_value::array()).first->second;
        if (const auto want = want_of_reports(group)) {
            add(remarks, *want);
        }
        for (const place &covered : std::set<place>{{m, epoch}, {m, {}}, {nullptr, {}}}) {
            if (const auto here = at.find(covered); here != at.end()) {
                remarks.insert(remarks.end(), here->second.begin(), here->second.end());
            }
        }
    });
}

json_value remarks_on(const joint_table &table) {
    json_value out = json_value::array();
    for (const remark &r : table.remarks) {
        add(out, r.content);
    }
    if (const auto left_out = cells_left_out(table)) {
        add(out, *left_out);
    }
    return out;
}

} // namespace sotto::aggregator
