// SPDX-License-Identifier: Apache-2.0
#include "aggregator/program/epsilon_text.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/estimate/randomized_response.hpp"
#include "aggregator/program/numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::array<std::uint64_t, 3> fleets = {1'000, 100'000, 10'000'000};

double share_error(const ladder_level &level, std::uint64_t reports) {
    const auto n = static_cast<double>(reports);
    return randomized_response_std_error(n, level.law.flip) / n;
}

// The odds that e^epsilon stands for, rounded up.
std::string odds(double epsilon) { return fmt::format("{:.10g}", ceiling(std::exp(epsilon), 100)); }

// A report inside its batch: tag and length, release, metric, level and index, each with its tag.
unsigned report_bytes(const metric &m) {
    const unsigned id = m.id < 1u << 7 ? 1 : m.id < 1u << 14 ? 2 : 3;
    return 2 + (2 + 8) + (1 + id) + (m.levels.size() > 1 ? 2 : 0) + (1 + 4);
}

std::string budget_text(const char *whose, const std::optional<budget> &b) {
    if (!b) {
        return fmt::format("  Budget of {}: none.\n", whose);
    }
    return fmt::format("  Budget of {}: epsilon {} in any {}; this version of the SDK does not yet "
                       "enforce it.\n",
                       whose, b->epsilon.text, counted(b->epochs, "epoch"));
}

std::string promise(const metric &m) {
    const ladder_level &first = m.levels.front();
    std::string text = fmt::format(
        "  Promised to each person measured, against everyone who sees reports, the aggregator\n"
        "  included, and whatever else they know: the report of one epoch changes the odds "
        "between\n"
        "  true and false by a factor of at most {} (e^{}).\n",
        odds(first.realised.value), rounded_up(first.realised.value));
    if (m.levels.size() > 1) {
        text += fmt::format("  Relaxed to every level up to {}, all of them together: at most {} "
                            "(e^{}).\n",
                            m.levels.size() - 1, odds(m.joint.value), rounded_up(m.joint.value));
    }
    return text + "  Not promised: epochs add up, and so do metrics that say the same of a person. "
                  "That a report\n  was made, and when, is not hidden.\n";
}

std::string levels_table(const metric &m) {
    std::string text = fmt::format("  {:<5}  {:<7}  {:<32}  {:<18}  {:>8}  {}\n", "level",
                                   "epsilon", "realised, rounded up", "flip probability", "cost",
                                   "std error of a share at 1 k, 100 k, 10 M reports");
    for (std::size_t i = 0; i < m.levels.size(); ++i) {
        const ladder_level &l = m.levels[i];
        text += fmt::format(
            "  {:<5}  {:<7}  {:<32}  {:<18.16f}  {:>8}  {:.3g} %  {:.3g} %  {:.3g} %\n", i,
            l.nominal->text, l.realised.text, l.law.flip, l.cost, 100 * share_error(l, fleets[0]),
            100 * share_error(l, fleets[1]), 100 * share_error(l, fleets[2]));
    }
    return text;
}

std::string thresholds_text(const metric &m) {
    const std::size_t top = m.levels.size() - 1;
    const std::vector<threshold> &flip = std::get<randomized_response_table>(m.table).flip;
    std::string text = "  Thresholds in the device's flash, out of 2^64:\n";
    text += fmt::format("    level {}: {} (the value is flipped)\n", top, flip[top]);
    for (std::size_t i = top; i-- > 0;) {
        text += fmt::format("    level {}: {} (level {} is flipped)\n", i, flip[i], i + 1);
    }
    return text;
}

std::string budget_json(const char *epochs_key, const std::optional<budget> &b) {
    return b ? fmt::format("{{\"{}\": {}, \"epsilon\": {}}}", epochs_key, b->epochs,
                           b->epsilon.text)
             : "null";
}

std::string level_json(const ladder_level &l) {
    std::string errors;
    for (const std::uint64_t n : fleets) {
        errors += fmt::format("{}{{\"reports\": {}, \"count\": {}, \"share\": {}}}",
                              errors.empty() ? "" : ", ", n,
                              share_error(l, n) * static_cast<double>(n), share_error(l, n));
    }
    return fmt::format("        {{\"nominal\": {}, \"realised\": {}, \"flip_probability\": {}, "
                       "\"cost\": {}, \"std_error\": [{}]}}",
                       l.nominal->text, l.realised.text, l.law.flip, l.cost, errors);
}

std::string metric_json(const metric &m) {
    std::vector<std::string> levels;
    for (const ladder_level &l : m.levels) {
        levels.push_back(level_json(l));
    }
    return fmt::format(R"(    {{
      "name": "{}",
      "id": {},
      "type": "{}",
      "mechanism": "{}",
      "fingerprint": "{}",
      "levels": [
{}
      ],
      "joint": {},
      "window": {},
      "table": {{"bits": 64, "flip": [{}]}},
      "random_bytes": {},
      "report_bytes": {}
    }})",
                       m.name, m.id, m.type_name, m.mechanism_name, fingerprint_text(m.fingerprint),
                       fmt::join(levels, ",\n"), m.joint.text, budget_json("epochs", m.window),
                       fmt::join(std::get<randomized_response_table>(m.table).flip, ", "),
                       m.random_bytes, report_bytes(m));
}

} // namespace

std::string epsilon_table(const registry &of) {
    std::string text = fmt::format("{} version {}, registry {}\n", of.name, of.version,
                                   fingerprint_text(of.fingerprint));
    text += budget_text("the whole device", of.device);
    for (const metric &m : of.metrics) {
        text += fmt::format("\n{} (metric {}, {}, {}, {})\n", m.name, m.id, m.type_name,
                            m.mechanism_name, fingerprint_text(m.fingerprint));
        text += promise(m) + budget_text("this metric", m.window) + levels_table(m);
        text += fmt::format("  Together: {}\n", m.joint.text) + thresholds_text(m);
        text +=
            fmt::format("  A release takes {} random bytes, a report {} bytes in a batch that is "
                        "padded to a multiple of 64.\n",
                        m.random_bytes, report_bytes(m));
    }
    return text + "\nCertified from these thresholds by sotto-registry, in exact arithmetic; "
                  "`sotto-registry check` does it again.\n";
}

std::string epsilon_json(const registry &of) {
    std::vector<std::string> metrics;
    for (const metric &m : of.metrics) {
        metrics.push_back(metric_json(m));
    }
    return fmt::format(R"({{
  "registry": {{"name": "{}", "version": {}, "fingerprint": "{}"}},
  "device": {},
  "metrics": [
{}
  ]
}}
)",
                       of.name, of.version, fingerprint_text(of.fingerprint),
                       budget_json("window_epochs", of.device), fmt::join(metrics, ",\n"));
}

} // namespace sotto::aggregator
