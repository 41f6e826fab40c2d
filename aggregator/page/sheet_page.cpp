// SPDX-License-Identifier: Apache-2.0
#include "aggregator/page/sheet_page.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/page/assets.hpp"
#include "aggregator/page/html.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// Text between backticks is code.
std::string with_code(const std::string &text) {
    std::string out;
    bool is_code = false;
    for (const std::string &part : split(text, '`')) {
        out += is_code ? "<code>" + html_text(part) + "</code>" : html_name(part);
        is_code = !is_code;
    }
    return out;
}

std::string fact_row(const sheet_fact &fact) {
    return fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}<small>{}</small></td></tr>\n", html_text(fact.name),
        fact.value.empty() ? fmt::format("<em>{}</em>", to_be_filled_in) : with_code(fact.value),
        html_text(fact.field));
}

std::string part_text(const sheet_part &part) {
    std::string text =
        fmt::format("<section>\n<h2>{}</h2>\n<table>\n<thead><tr><th scope=\"col\">Fact</th>"
                    "<th scope=\"col\">Value, and its field elsewhere</th></tr></thead>\n<tbody>\n",
                    html_name(part.title));
    for (const sheet_fact &fact : part.facts) {
        text += fact_row(fact);
    }
    return text + "</tbody>\n</table>\n</section>\n";
}

} // namespace

std::string sheet_page_of(const datasheet &sheet) {
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; "
        "base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n",
        csp_hash(page_style), html_text(sheet.title), page_style, html_name(sheet.title));
    for (const sheet_part &part : sheet.parts) {
        text += part_text(part);
    }
    return text + "</main>\n</body>\n</html>\n";
}

} // namespace sotto::aggregator
