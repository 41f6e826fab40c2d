// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/epsilon_text.hpp"
#include "aggregator/text/estimate_text.hpp"
#include "aggregator/text/format.hpp"
#include "aggregator/text/joint_text.hpp"
#include "aggregator/text/plan_text.hpp"
#include "aggregator/text/schedule_text.hpp"

namespace sotto::aggregator {
namespace {

std::string estimates_table(const estimate_answer &answer) {
    return estimate_table(answer.found.rows, answer.width);
}

} // namespace

const output_format table_format = {.name = "table",
                                    .estimates = estimates_table,
                                    .joint = joint_text,
                                    .plan = plan_table,
                                    .schedule = schedule_table,
                                    .epsilon = epsilon_table,
                                    .horizon = horizon_text,
                                    .shuffled = shuffled_text,
                                    .says_want_of_reports = true};

} // namespace sotto::aggregator
