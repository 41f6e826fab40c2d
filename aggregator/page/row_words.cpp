// SPDX-License-Identifier: Apache-2.0
#include "aggregator/page/row_words.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/page/html.hpp"

namespace sotto::aggregator {
namespace {

// "± 0.9 %", "at most 1.8 %".
std::string in_words(const std::string &interval) {
    const auto after = [&](std::string_view sign) { return interval.substr(sign.size()); };
    return interval.starts_with("≤")   ? "at most" + after("≤")
           : interval.starts_with("≥") ? "at least" + after("≥")
                                       : interval;
}

std::string with_interval(const std::string &estimate, const std::string &interval) {
    return estimate + (interval.starts_with("±") ? " " : ", ") + in_words(interval);
}

struct name_of_value {
    std::string operator()(std::monostate) const { return "mean"; }
    std::string operator()(bool) const { return "true"; }
    std::string operator()(const std::string &name) const { return name; }
    std::string operator()(const quantile &at) const { return value_text(at) + " quantile"; }
    std::string operator()(const auto &other) const { return value_text(other); }
};

} // namespace

std::string row_name(const estimate_row &r) { return std::visit(name_of_value{}, r.value); }

std::string estimate_text(const estimate_row &r) {
    const std::vector<std::string> cells = is_mean(r) ? mean_cells(r) : share_cells(r);
    return is_mean(r) ? html_text(cells[2] + " " + cells[3]) : with_interval(cells[0], cells[1]);
}

std::string headline(const estimate_row &r) {
    if (is_mean(r)) {
        return estimate_text(r);
    }
    const std::vector<std::string> cells = share_cells(r);
    return cells[1].starts_with("±") ? estimate_text(r) : in_words(cells[1]);
}

std::string count_text(const estimate_row &r, bool with_reports) {
    std::string text;
    if (!is_mean(r)) {
        const std::vector<std::string> cells = share_cells(r);
        text = with_interval(cells[2], cells[3]) + (with_reports ? " " : "");
    }
    return text + (with_reports ? "of " + counted(r.result.reports, "report") : "");
}

} // namespace sotto::aggregator
