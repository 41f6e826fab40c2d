// SPDX-License-Identifier: Apache-2.0
#include "aggregator/page/html_format.hpp"

#include "aggregator/page/page.hpp"
#include "aggregator/page/section.hpp"
#include "aggregator/page/sheet_page.hpp"

namespace sotto::aggregator {
namespace {

std::string estimates_html(const estimate_answer &answer) {
    return page_of(answer.found, answer.known, answer.rejected, answer.asked);
}

void limit_to_page(estimate_request &request) {
    request.epochs = numbers_shown;
    request.epochs_of_values = epochs_shown;
    request.nearby = 0;
}

} // namespace

const output_format html_format = {.name = "html",
                                   .estimates = estimates_html,
                                   .datasheet = sheet_page_of,
                                   .limit = limit_to_page,
                                   .says_why_nothing = true};

} // namespace sotto::aggregator
