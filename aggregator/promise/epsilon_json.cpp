// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/promise/epsilon_accuracy.hpp"
#include "aggregator/promise/epsilon_spending.hpp"
#include "aggregator/promise/epsilon_text.hpp"
#include "aggregator/promise/epsilon_theft.hpp"
#include "aggregator/registry/tables.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::string budget_json(const char *epochs_key, const std::optional<budget> &b) {
    return b ? fmt::format("{{\"{}\": {}, \"epsilon\": {}}}", epochs_key, b->epochs,
                           b->epsilon.text)
             : "null";
}

// The number, and beside it the text for whoever must not lose digits.
std::string exact(const char *name, const decimal &d) {
    return fmt::format(R"("{0}": {1}, "{0}_exact": "{1}")", name, d.text);
}

std::string law_json(const metric &m, std::size_t level) {
    std::string flip;
    std::vector<std::string> parts;
    level_law law = m.law(level);
    for (const auto &[name, value] : probabilities_of(law)) {
        parts.push_back(fmt::format("\"{}\": {}", name, *value));
    }
    if (const auto *bit = std::get_if<flip_law>(&law)) {
        flip = fmt::format("\"flip_probability\": {}, ", bit->flip);
    }
    if (const auto *number = std::get_if<number_law>(&law)) {
        parts.push_back(fmt::format("\"unit_epsilon\": {}", number->unit_epsilon));
    }
    return fmt::format("{}\"probabilities\": {{{}}}", flip, fmt::join(parts, ", "));
}

std::string errors_json(const metric &m, std::size_t level) {
    std::vector<std::string> parts;
    for (const std::uint64_t n : fleets) {
        const double error = expected_error(m, level, n);
        parts.push_back(is_mean(m)
                            ? fmt::format("{{\"reports\": {}, \"mean\": {}}}", n, error)
                            : fmt::format("{{\"reports\": {}, \"count\": {}, \"share\": {}}}", n,
                                          error * static_cast<double>(n), error));
    }
    return fmt::format("\"std_error\": [{}]", fmt::join(parts, ", "));
}

std::string repeated_json(const std::optional<repeated_loss> &r) {
    if (!r) {
        return "";
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < r->counts.size(); ++i) {
        parts.push_back(fmt::format("\"{}\": {}", r->counts[i], r->after[i].text));
    }
    return fmt::format(", \"n\": {{{}}}, \"infinity\": {}", fmt::join(parts, ", "),
                       r->infinity ? r->infinity->text : "null");
}

std::vector<std::string> levels_json(const metric &m) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < m.levels.size(); ++i) {
        const ladder_level &l = m.levels[i];
        all.push_back(fmt::format("        {{\"nominal\": {}, {}, {}, \"cost\": {}, {}{}}}",
                                  l.nominal ? l.nominal->text : "null",
                                  exact("realised", l.realised), law_json(m, i), l.cost,
                                  errors_json(m, i), repeated_json(l.repeated)));
    }
    return all;
}

std::vector<std::string> forward_json(const metric &m) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < m.forward.size(); ++i) {
        const forward_level &f = m.forward[i];
        const std::size_t level = m.levels.size() + i;
        const std::string ladder =
            f.repeated_joint
                ? fmt::format(", \"ladder\": {{{}}}", repeated_json(f.repeated_joint).substr(2))
                : "";
        all.push_back(fmt::format(
            "{{\"nominal\": {}, {}, {}, {}, {}{}{}}}", f.nominal ? f.nominal->text : "null",
            exact("realised", f.realised), exact("joint", f.joint), law_json(m, level),
            errors_json(m, level), repeated_json(f.repeated), ladder));
    }
    return all;
}

std::vector<std::string> pairs_json(const metric &m) {
    std::vector<std::string> all;
    for (const level_pair &p : m.pairs) {
        std::vector<std::string> rows;
        for (const level_pair::reports &r : p.of_counts) {
            rows.push_back(fmt::format("{{\"counts\": [{}, {}], {}}}", r.low, r.high,
                                       exact("joint", r.joint)));
        }
        all.push_back(fmt::format(
            "{{\"levels\": [{}, {}], {}{}}}", p.low, p.high, exact("joint", p.joint),
            rows.empty() ? "" : fmt::format(", \"reports\": [{}]", fmt::join(rows, ", "))));
    }
    return all;
}

// Whom realised, joint and the budget of a window hold for.
std::string protects_json(bool remembers) {
    return fmt::format(R"("protects": "{}")",
                       remembers ? "values that no other epoch or window has" : "every report");
}

// RAPPOR: releases of one value, each published at every level.
std::string ladder_json(const metric &m) {
    return m.repeated
               ? fmt::format("\n      \"ladder\": {{{}}},", repeated_json(m.repeated).substr(2))
               : "";
}

std::string metric_json(const metric &m, const sotto_metric &in_flash) {
    return fmt::format(
        R"(    {{
      "name": "{}",
      "id": {},
      "type": "{}",
      "mechanism": "{}",
      "fingerprint": "{}",
      {},
      "levels": [
{}
      ],
      "pairs": [{}],
      {},
      "joint_cost": {},{}
      "forward": [{}],
      "window": {},
      "per_epoch": {},
      "request_level": {},
      "spending": {},
      "theft": {{{}, "secret_tells": {}}},
      "costs": [{}],
      "cost_reports": {},
      "table": {},
      "estimand": "{}",
      "random_bytes": {},
      "release_random_bytes": {},
      "report_bytes": {}
    }})",
        m.name, m.id, m.type_name, m.mechanism_name, fingerprint_text(m.fingerprint),
        protects_json(has_lifetime(m)), fmt::join(levels_json(m), ",\n"),
        fmt::join(pairs_json(m), ", "), exact("joint", m.joint), m.joint_cost, ladder_json(m),
        fmt::join(forward_json(m), ", "), budget_json("epochs", m.window), m.per_epoch,
        m.request_level, spending_json(spending_of(m)), exact("open_release", m.open_release),
        secret_tells(m), fmt::join(m.costs, ", "), m.cost_reports, mechanism_of(m).table_json(m),
        estimand(m), m.random_bytes, release_random_bytes(m, in_flash), report_bytes(m));
}

} // namespace

std::string epsilon_json(const registry &of) {
    std::vector<std::string> metrics;
    const tables made(of);
    for (std::size_t i = 0; i < of.metrics.size(); ++i) {
        metrics.push_back(metric_json(of.metrics[i], made.get().metrics[i]));
    }
    return fmt::format(R"({{
  "registry": {{"name": "{}", "version": {}, "fingerprint": "{}"}},
  {},
  "device": {},
  "max_epoch_jump": {},
  "spending": {},
  "metrics": [
{}
  ]
}}
)",
                       of.name, of.version, fingerprint_text(of.fingerprint),
                       protects_json(remembers_noise(of)), budget_json("window_epochs", of.device),
                       of.max_epoch_jump, spending_json(spending_of(of)),
                       fmt::join(metrics, ",\n"));
}

} // namespace sotto::aggregator
