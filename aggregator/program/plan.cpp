// SPDX-License-Identifier: Apache-2.0
#include "aggregator/plan/plan.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/formats.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

exit_code print_plan(const plan_options &options) {
    fmt::print("{}", format_of(options.format).plan(make_plan(options.request)));
    return exit_code::done;
}

} // namespace sotto::aggregator
