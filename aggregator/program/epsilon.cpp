// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/columns.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/formats.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

exit_code print_epsilon(const epsilon_options &options) {
    const registry known = load_registry(options.registry).content;
    const output_format &format = format_of(options.format);
    if (options.shuffled) {
        fmt::print("{}",
                   format.shuffled(known, shuffled_of(known, *options.shuffled), terminal_width()));
        return exit_code::done;
    }
    fmt::print("{}", options.horizon ? format.horizon(known, horizon_of(known, *options.horizon),
                                                      terminal_width())
                                     : format.epsilon(known, terminal_width()));
    return exit_code::done;
}

} // namespace sotto::aggregator
