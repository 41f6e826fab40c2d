// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/discover.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"

#include "sotto/registry.h"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::size_t bytes_of(const metric &m) {
    const auto *table = std::get_if<rappor_table>(&m.table);
    if (table == nullptr || m.type != SOTTO_TYPE_STRING) {
        throw usage_error(m.name + ": only strings are discovered; its type is " + m.type_name);
    }
    return table->max_bytes;
}

// All texts of up to `length` more bytes, the empty one first.
std::vector<std::string> endings(const std::string &alphabet, std::size_t length,
                                 const metric &of) {
    std::vector<std::string> out = {""};
    for (std::size_t first = 0, grown = 0; grown < length; ++grown) {
        const std::size_t last = out.size();
        if ((last - first) * alphabet.size() > discover_candidates_max) {
            throw usage_error(fmt::format(
                "{}: {} bytes more of {} characters are too many texts; put a metric between, or "
                "give a smaller alphabet",
                of.name, length, alphabet.size()));
        }
        for (std::size_t i = first; i < last; ++i) {
            for (const char c : alphabet) {
                out.push_back(out[i] + c);
            }
        }
        first = last;
    }
    return out;
}

// What is shorter than the stage before could hold is whole.
std::vector<std::string> extended(const std::vector<std::string> &prefixes, std::size_t full,
                                  const std::vector<std::string> &by, const metric &of) {
    std::vector<std::string> out;
    for (const std::string &prefix : prefixes) {
        for (const std::string &ending : by) {
            if (prefix.size() == full || ending.empty()) {
                out.push_back(prefix + ending);
            }
        }
        if (out.size() > discover_candidates_max) {
            throw usage_error(fmt::format("{}: {} make more than {} candidates; put a metric "
                                          "between, or give a smaller alphabet",
                                          of.name, counted(prefixes.size(), "text"),
                                          grouped(discover_candidates_max)));
        }
    }
    return out;
}

} // namespace

discovered discover(const std::vector<prefix_stage> &stages, const std::string &alphabet,
                    const decode_options &options) {
    discovered out;
    std::size_t length = 0;
    out.candidates = {""};
    for (const prefix_stage &stage : stages) {
        const metric &m = *stage.of;
        const std::size_t longer = bytes_of(m);
        if (longer <= length) {
            throw usage_error(fmt::format("{}: max_bytes {} is no more than {} before it", m.name,
                                          longer, length));
        }
        out.candidates = extended(out.candidates, length, endings(alphabet, longer - length, m), m);
        length = longer;
        if (&stage == &stages.back()) {
            break;
        }
        decode_options here = options;
        here.candidates = std::move(out.candidates);
        out.candidates.clear();
        for (const estimate_row &row : estimate_metric(m, {}, stage.tally, here).rows) {
            if (*row.detected) {
                out.candidates.push_back(std::get<std::string>(row.value));
            }
        }
        out.found.push_back(out.candidates);
    }
    return out;
}

} // namespace sotto::aggregator
