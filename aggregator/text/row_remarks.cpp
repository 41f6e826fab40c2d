// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/row_remarks.hpp"

#include "aggregator/text/estimate_phrases.hpp"
#include "aggregator/text/remark_words.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

template <typename Parts> json_value parts_of(const Parts &held);

// A number, a text, and a list of them are JSON as they are.
template <typename Fact> json_value value_of(const Fact &fact) {
    if constexpr (std::is_constructible_v<json_value, const Fact &>) {
        return json_value(fact);
    } else {
        json_value list = json_value::array();
        for (const auto &held : fact) {
            list.push_back(parts_of(held));
        }
        return list;
    }
}

template <typename Parts> json_value parts_of(const Parts &held) {
    json_value out = json_value::object();
    held.numbers([&](const char *name, const auto &fact) { out[name] = value_of(fact); });
    return out;
}

json_value object_of(const unanswered &question) {
    return {{"kind", "no_row"},
            {"why", kind_of(question.why)},
            {"reports", question.reports},
            {"level", question.level},
            {"candidates", question.candidates}};
}

void add(json_value &remarks, json_value object) {
    if (std::find(remarks.begin(), remarks.end(), object) == remarks.end()) {
        remarks.push_back(std::move(object));
    }
}

// A metric and an epoch, or all of its epochs; no metric: everything that was asked for.
using place = std::pair<const metric *, std::optional<std::uint32_t>>;
using remarks_by_place = std::map<place, json_value>;

json_value &list_at(remarks_by_place &placed, const place &where) {
    return placed.try_emplace(where, json_value::array()).first->second;
}

remarks_by_place by_place(const estimates &found) {
    remarks_by_place out;
    for (const remark &r : found.remarks) {
        add(list_at(out, {r.subject, r.epoch}), object_of(r.content));
    }
    for (const unanswered &question : found.without_rows) {
        json_value &here = list_at(out, {question.subject, question.epoch});
        add(here, object_of(question));
        if (const auto want = want_of_reports(question)) {
            add(here, object_of(*want));
        }
    }
    return out;
}

// The object says where the remark is: not where the row is that carries it.
json_value elsewhere(json_value object, const place &where) {
    const auto &[m, epoch] = where;
    if (m != nullptr) {
        object["at"] = {{"metric", m->name}, {"epoch", or_null(epoch)}};
    }
    return object;
}

} // namespace

json_value object_of(const remark_content &content) {
    return std::visit(
        [](const auto &r) {
            json_value out = {{"kind", r.kind}};
            out.update(parts_of(r));
            return out;
        },
        content);
}

row_remarks::row_remarks(const estimates &found)
    : first_(found.rows.empty() ? nullptr : &found.rows.front()) {
    const remarks_by_place placed = by_place(found);
    std::set<place> covered;
    for_each_group(found.rows, [&](row_group group) {
        const metric *const m = group.front().subject;
        const std::optional<std::uint32_t> epoch = group.front().epoch;
        json_value &remarks = list_at(on_, {m, epoch});
        if (const auto want = want_of_reports(group)) {
            add(remarks, object_of(*want));
        }
        for (const place &here : std::set<place>{{m, epoch}, {m, {}}, {}}) {
            if (const auto said = placed.find(here); said != placed.end()) {
                remarks.insert(remarks.end(), said->second.begin(), said->second.end());
            }
            covered.insert(here);
        }
    });
    if (first_ != nullptr) {
        on_first_ = on_.at({first_->subject, first_->epoch});
    }
    for (const auto &[where, remarks] : placed) {
        for (const json_value &object : remarks) {
            if (!covered.contains(where)) {
                on_first_.push_back(elsewhere(object, where));
            }
        }
    }
}

json_value remarks_on(const joint_table &table) {
    json_value out = json_value::array();
    for (const remark &r : table.remarks) {
        add(out, elsewhere(object_of(r.content), {r.subject, r.epoch}));
    }
    if (const auto left_out = cells_left_out(table)) {
        add(out, object_of(*left_out));
    }
    return out;
}

} // namespace sotto::aggregator
