// SPDX-License-Identifier: Apache-2.0
#include "aggregator/page/row_table.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/page/html.hpp"
#include "aggregator/page/privacy.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

bool is_as_private(const estimate_row &a, const estimate_row &b) {
    return privacy_text(a) == privacy_text(b) && odds_text(a) == odds_text(b);
}

// Columns that differ between rows, or that only some rows have.
struct table_columns {
    bool reports, privacy, consistent;
};

std::string column_head(const char *name) { return fmt::format("<th scope=\"col\">{}</th>", name); }

// On a phone an estimate and the end of its interval take two lines.
std::string may_break(std::string text) {
    const std::size_t at = text.find(", ");
    return at == std::string::npos ? text : text.insert(at + 2, "<wbr>");
}

std::string table_row(const estimate_row &r, const table_shape &shape, const table_columns &with) {
    const double scale = is_mean(r) ? 1 : 100 / whole_of(r);
    const std::string name = shape.by_epoch ? html_text(epoch_text(r)) : html_name(row_name(r));
    std::string text =
        fmt::format("<tr data-value=\"{}\" data-low=\"{}\" data-high=\"{}\" data-said=\"{}\"{}>"
                    "<th scope=\"row\">{}</th><td class=\"figure\">{} <small>{}</small></td>",
                    r.result.value * scale, r.result.ci_low() * scale, r.result.ci_high() * scale,
                    estimate_text(r), r.epoch ? fmt::format(" data-epoch=\"{}\"", *r.epoch) : "",
                    name, may_break(estimate_text(r)), count_text(r, with.reports));
    if (with.privacy) {
        text += fmt::format("<td>{} <small>{}</small></td>", privacy_text(r), odds_text(r));
    }
    if (with.consistent) {
        text += "<td>" + consistent_share(r) + "</td>";
    }
    return text + "</tr>\n";
}

std::string in_common(const estimate_row &first, const table_columns &with) {
    std::vector<std::string> of_all;
    if (!with.reports) {
        of_all.push_back("of " + counted(first.result.reports, "report"));
    }
    if (!with.privacy) {
        of_all.push_back(privacy_text(first));
        of_all.push_back(odds_text(first));
    }
    return of_all.empty() ? "" : " <small>Each number: " + joined(of_all) + "</small>";
}

} // namespace

std::string row_table(const shown_rows &shown, const table_shape &shape, row_group rows) {
    const estimate_row &first = *shown.front();
    const auto alike = [&](auto is_alike) {
        return std::all_of(shown.begin(), shown.end(),
                           [&](auto *r) { return is_alike(*r, first); });
    };
    const table_columns with = {
        !alike([](auto &a, auto &b) { return a.result.reports == b.result.reports; }),
        !alike(is_as_private), has_consistent(rows)};
    std::string text = fmt::format(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"{0}-caption\">\n"
        "<table id=\"{0}\">\n<caption><span id=\"{0}-caption\">{1}</span>{2}</caption>\n"
        "<thead><tr>",
        shape.id, shape.caption, in_common(first, with));
    text += column_head(shape.by_epoch ? "Epoch" : "Value") + column_head("Estimate") +
            (with.privacy ? column_head("How private") : "") +
            (with.consistent ? column_head("Made consistent") : "") + "</tr></thead>\n<tbody>\n";
    for (const estimate_row *r : shown) {
        text += table_row(*r, shape, with);
    }
    return text + "</tbody>\n</table>\n</div>\n";
}

} // namespace sotto::aggregator
