// SPDX-License-Identifier: Apache-2.0
#include "aggregator/registry/registry.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/file.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/registry/json_node.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t any = 0xffffffff;
constexpr std::size_t levels_max = 16;
constexpr std::size_t file_bytes_max = 64 << 20;
// What is computed here in doubles may differ by this much, relatively, from what is written.
constexpr double tolerance = 1e-11;

bool agree(double a, double b) { return std::abs(a - b) <= tolerance * std::abs(b); }

std::optional<budget> read_budget(const json_node &node, const char *epochs_key,
                                  std::uint32_t epochs_max) {
    if (node.is_null()) {
        return std::nullopt;
    }
    return budget{node.at(epochs_key).integer(1, epochs_max), node.at("epsilon").decimal_text()};
}

// The double nearest to numerator / 2^bits: reading is correctly rounded, scaling is exact.
double read_fraction(const json_node &node) {
    const std::string &digits = node.at("numerator").digits();
    double numerator = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), numerator);
    const double value =
        std::ldexp(numerator, -static_cast<int>(node.at("denominator_bits").integer(1, 1024)));
    if (read.ec != std::errc() || !(value > 0 && value < 0.5)) {
        node.fail("not a probability above 0 and below 1/2");
    }
    return value;
}

ladder_level read_level(const json_node &node) {
    ladder_level level;
    level.nominal = node.at("nominal").decimal_text();
    level.realised = node.at("realised").decimal_text();
    level.cost = static_cast<std::uint32_t>(node.at("cost").integer_text(1, any));
    level.law.flip = read_fraction(node.at("flip_probability"));
    const double p = level.law.flip;
    if (!agree(level.realised.value, std::log1p(-p) - std::log(p))) {
        node.at("realised").fail("does not follow from flip_probability");
    }
    if (level.realised.value > level.nominal->value) {
        node.at("realised").fail("above nominal");
    }
    if (std::abs(level.cost - std::ldexp(level.realised.value, 20)) > 1) {
        node.at("cost").fail("is not ceil(2^20 * realised)");
    }
    return level;
}

// Every printed number rests on the thresholds: a table and probabilities that don't belong
// together would bias every estimate, so they are recomputed from the top down.
void check_ladder(const metric &m, const std::vector<json_node> &levels, const json_node &joint) {
    const std::vector<threshold> &flip = std::get<randomized_response_table>(m.table).flip;
    double p = 0;
    for (std::size_t i = m.levels.size(); i-- > 0;) {
        const double step = std::ldexp(static_cast<double>(flip[i]), -64);
        p = p * (1 - step) + (1 - p) * step;
        if (!agree(m.levels[i].law.flip, p)) {
            levels[i].at("flip_probability").fail("does not follow from table.flip");
        }
        if (i > 0 && m.levels[i].nominal->value <= m.levels[i - 1].nominal->value) {
            levels[i].at("nominal").fail("does not rise");
        }
    }
    if (!agree(m.joint.value, m.levels.back().realised.value)) {
        joint.fail("is not the realised epsilon of the highest level");
    }
}

metric read_metric(const json_node &node) {
    metric m;
    m.id = static_cast<std::uint16_t>(node.at("id").integer(1, 65535));
    m.name = node.at("name").identifier('_', 64);
    m.fingerprint = node.at("fingerprint").fingerprint();
    m.type_name = node.at("type").string();
    m.mechanism_name = node.at("mechanism").string();
    if (m.type_name != "boolean") {
        node.at("type").fail(in_quotes(m.type_name) + " is not known; known: boolean");
    }
    if (m.mechanism_name != "randomized_response") {
        node.at("mechanism")
            .fail(in_quotes(m.mechanism_name) +
                  " is not known for a boolean; known: randomized_response");
    }
    m.type = SOTTO_TYPE_BOOLEAN;
    m.mechanism = SOTTO_MECHANISM_RANDOMIZED_RESPONSE;
    m.window = read_budget(node.at("window"), "epochs", 64);

    const std::vector<json_node> levels = node.at("levels").elements(1, levels_max);
    for (const json_node &level : levels) {
        m.levels.push_back(read_level(level));
    }
    const auto random_bytes = static_cast<std::uint32_t>(8 * m.levels.size());
    m.random_bytes =
        static_cast<std::uint16_t>(node.at("random_bytes").integer(random_bytes, random_bytes));
    m.joint = node.at("joint").decimal_text();

    const json_node table = node.at("table");
    (void)table.at("bits").integer(64, 64);
    std::vector<threshold> thresholds;
    for (const json_node &flip : table.at("flip").elements(levels.size(), levels.size())) {
        thresholds.push_back(flip.integer_text(1, (std::uint64_t{1} << 63) - 1));
    }
    m.table = randomized_response_table{thresholds};
    check_ladder(m, levels, node.at("joint"));
    return m;
}

nlohmann::json parse_json(std::string_view text, const std::string &path) {
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error &error) {
        const auto before = text.substr(0, std::min(error.byte, text.size()));
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        throw usage_error(fmt::format("{}: not JSON: line {}", path, line));
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
    (void)root.at("format").integer(1, 1);

    registry r;
    const json_node head = root.at("registry");
    r.name = head.at("name").identifier('-', 32);
    r.version = head.at("version").integer(0, any);
    r.fingerprint = head.at("fingerprint").fingerprint();
    r.device = read_budget(root.at("device"), "window_epochs", 64);

    std::set<std::string> names;
    std::set<std::uint32_t> fingerprints;
    for (const json_node &node : root.at("metrics").elements(1, 65535)) {
        metric m = read_metric(node);
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
