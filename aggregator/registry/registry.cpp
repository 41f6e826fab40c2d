// SPDX-License-Identifier: Apache-2.0
#include "aggregator/registry/registry.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/file.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/registry/read_metric.hpp"
#include "aggregator/registry/read_words.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <set>

namespace sotto::aggregator {
namespace {

constexpr std::size_t file_bytes_max = 64 << 20;
constexpr int depth_max = 32; // the compiler's have 8

// The depth of JSON; for any other text, any number.
int depth_of(std::string_view text) {
    int depth = 0, deepest = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') {
            in_string = !in_string;
        } else if (in_string) {
            i += c == '\\' ? 1 : 0;
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return deepest;
}

nlohmann::json parse_json(std::string_view text, const std::string &path) {
    // Before it is parsed: 80 bytes of memory for a byte of the file. The parser's own callback for
    // this looks at all that stands before, each time that something ends.
    if (depth_of(text) > depth_max) {
        throw usage_error(path + ": nested too deeply; needs the metrics.json that "
                                 "sotto-registry wrote");
    }
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error &error) {
        const auto before = text.substr(0, std::min(error.byte, text.size()));
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        throw usage_error(fmt::format("{}: not JSON: line {}; needs the metrics.json that "
                                      "sotto-registry wrote",
                                      path, line));
    } catch (const nlohmann::json::exception &) {
        throw usage_error(path + ": a number that is out of range");
    }
}

} // namespace

const metric *registry::find(std::uint32_t id) const {
    const auto at = std::lower_bound(metrics.begin(), metrics.end(), id,
                                     [](const metric &m, std::uint32_t i) { return m.id < i; });
    return at != metrics.end() && at->id == id ? &*at : nullptr;
}

const metric *registry::find(std::string_view metric_name) const {
    const auto at = std::find_if(metrics.begin(), metrics.end(),
                                 [&](const metric &m) { return m.name == metric_name; });
    return at != metrics.end() ? &*at : nullptr;
}

std::vector<std::string> registry::metric_names() const {
    std::vector<std::string> names;
    for (const metric &m : metrics) {
        names.push_back(m.name);
    }
    return names;
}

registry parse_registry(std::string_view text, const std::string &path) {
    const nlohmann::json document = parse_json(text, path);
    const json_node root(document, path);
    (void)root.at("format").integer(2, 2);

    registry r;
    const json_node head = root.at("registry");
    r.name = head.at("name").identifier('-', 32);
    r.version = head.at("version").integer(0, UINT32_MAX);
    r.fingerprint = head.at("fingerprint").fingerprint();
    r.device = read_budget(root, "device", "window_epochs", 64);
    r.max_epoch_jump = root.at("max_epoch_jump").integer(1, UINT32_MAX);
    if (root.has("padding_bytes")) {
        const json_node node = root.at("padding_bytes");
        const std::uint32_t step = node.integer(0, SOTTO_PADDING_BYTES_MAX);
        if (step != 0 && (step < 8 || !std::has_single_bit(step))) {
            node.fail("is not one of 0, 8, 16, 32, 64");
        }
        r.padding_bytes = static_cast<std::uint8_t>(step);
    }
    r.days = read_calendar(root);

    std::set<std::string> names;
    std::set<std::uint32_t> fingerprints;
    for (const json_node &node : root.at("metrics").elements(1, 65535)) {
        metric m = read_metric(node);
        m.words = read_words(node);
        m.words.days = r.days;
        if (!r.metrics.empty() && m.id <= r.metrics.back().id) {
            node.at("id").fail("ids do not ascend");
        }
        if (!names.insert(m.name).second) {
            node.at("name").fail(in_quotes(m.name) + " occurs twice");
        }
        if (!fingerprints.insert(m.fingerprint).second) {
            node.at("fingerprint").fail("occurs twice");
        }
        r.metrics.push_back(std::move(m));
    }
    return r;
}

registry_file load_registry(const std::string &path) {
    std::string text = read_whole(path, file_bytes_max);
    registry content = parse_registry(text, path);
    return {std::move(content), std::move(text)};
}

} // namespace sotto::aggregator
