// SPDX-License-Identifier: Apache-2.0
// metrics.json from anyone: a registry, or one line that says why not.
#include "aggregator/base/failure.hpp"
#include "aggregator/registry/registry.hpp"
#include "target.hpp"

#include <fstream>
#include <sstream>

std::vector<std::string> seeds() {
    std::ostringstream text;
    text << std::ifstream(SOTTO_REGISTRY, std::ios::binary).rdbuf();
    expect(text.str().size() > 1000, "the seed is there");
    return {text.str()};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    using namespace sotto::aggregator;
    try {
        const registry r =
            parse_registry({reinterpret_cast<const char *>(data), size}, "metrics.json");
        for (const metric &m : r.metrics) {
            expect(m.level_count() > 0 && m.value_bytes() > 0 && m.value_bytes() <= 8192,
                   "a metric has levels and values that fit a row");
        }
    } catch (const failure &error) {
        const std::string line = error.what();
        expect(line.starts_with("metrics.json: ") && line.find('\n') == std::string::npos,
               "a refusal is one line");
    }
    return 0;
}
