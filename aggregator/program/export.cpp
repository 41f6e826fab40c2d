// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/failure.hpp"
#include "aggregator/program/commands.hpp"

#include <cerrno>
#include <unistd.h>
#include <vector>

namespace sotto::aggregator {
namespace {

// -P: a folder `sotto` where it runs, as a store may be, is no package.
constexpr const char *find_package = R"(
import sys
try:
    from sotto.__main__ import main
except ImportError as why:
    print(f"sotto: export is the Python package's work, and python3 has none ({why}); "
          "pip install sotto[parquet] into it", file=sys.stderr)
    sys.exit(3)
sys.exit(main())
)";

} // namespace

exit_code export_table(const export_options &options) {
    std::vector<std::string> words = {"python3",
                                      "-P",
                                      "-c",
                                      find_package,
                                      "export",
                                      "--registry=" + options.registry,
                                      "--store=" + options.store,
                                      "--out=" + options.out};
    if (!options.rows.empty()) {
        words.push_back("--rows=" + options.rows);
    }
    if (!options.format.empty()) {
        words.push_back("--format=" + options.format);
    }
    if (options.epoch) {
        words.push_back("--epoch=" + std::to_string(*options.epoch));
    }
    std::vector<char *> arguments;
    for (std::string &word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    (void)execvp("python3", arguments.data());
    throw environment_error("python3, which the Python package needs", errno);
}

} // namespace sotto::aggregator
