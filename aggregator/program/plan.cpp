// SPDX-License-Identifier: Apache-2.0
#include "aggregator/plan/plan.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/text/plan_text.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

exit_code print_plan(const plan_options &options) {
    const plan made = make_plan(options.request);
    fmt::print("{}", options.format == "json" ? plan_json(made) : plan_table(made));
    return exit_code::done;
}

} // namespace sotto::aggregator
