// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/estimate.hpp"
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/program/candidates.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/estimate_text.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {

exit_code print_estimate(const estimate_options &options) {
    const registry with = load_registry(options.registry).content;
    const std::vector<std::string> candidates = options.candidates.empty()
                                                    ? std::vector<std::string>()
                                                    : read_candidates(options.candidates);
    const auto [rows, notes] =
        estimate(store::to_read(options.store), with, options.metric, options.what, candidates);
    const std::string text = options.format == "json"  ? estimate_json(rows)
                             : options.format == "csv" ? estimate_csv(rows)
                                                       : estimate_table(rows);
    if (options.out.empty()) {
        fmt::print("{}", text);
    } else {
        write_atomically(options.out, text);
    }
    for (const std::string &note : notes) {
        fmt::print(stderr, "sotto: {}\n", note);
    }
    return exit_code::done;
}

} // namespace sotto::aggregator
