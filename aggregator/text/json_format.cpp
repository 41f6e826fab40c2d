// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/promise/epsilon_accuracy.hpp"
#include "aggregator/promise/epsilon_events.hpp"
#include "aggregator/promise/epsilon_spending.hpp"
#include "aggregator/promise/epsilon_text.hpp"
#include "aggregator/promise/epsilon_theft.hpp"
#include "aggregator/registry/tables.hpp"
#include "aggregator/text/fields.hpp"
#include "aggregator/text/format.hpp"
#include "aggregator/text/remark_words.hpp"
#include "aggregator/text/row_remarks.hpp"
#include "aggregator/text/schedule_text.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// --- estimates, and joint ones: an array of objects, one a line

std::string object_text(std::vector<field> fields) {
    json_value out = json_value::object();
    for (field &f : fields) {
        if (!f.is_left_out) {
            out[f.name] = std::move(f.value);
        }
    }
    return "\n  " + json_text(out);
}

// There may be a million rows: they are never one document in memory.
std::string array_text(const std::vector<std::string> &objects) {
    return fmt::format("[{}{}]\n", fmt::join(objects, ","), objects.empty() ? "" : "\n");
}

std::string estimates_json(const estimate_answer &answer) {
    std::vector<std::string> objects;
    const row_remarks remarks(answer.found);
    for (const estimate_row &r : answer.found.rows) {
        objects.push_back(object_text(fields_of(r, remarks.on(r))));
    }
    if (objects.empty() && !remarks.without_row().empty()) {
        objects.push_back(object_text(fields_without_row(estimate_fields, remarks.without_row())));
    }
    return array_text(objects);
}

std::string joint_json(const joint_table &table, std::size_t) {
    std::vector<std::string> objects;
    const json_value remarks = remarks_on(table);
    for (const joint_row &r : rows_of(table)) {
        objects.push_back(object_text(fields_of(table, r, remarks)));
    }
    if (objects.empty() && !remarks.empty()) {
        objects.push_back(object_text(fields_without_row(joint_fields, remarks)));
    }
    return array_text(objects);
}

// --- a plan

json_value option_json(const plan &made, const plan_option &o) {
    return {{"type", o.type},
            {"mechanism", o.mechanism},
            {"parameters", o.parameters},
            {"epsilon", o.epsilon},
            {"epsilon_per_day", o.epsilon_day},
            {"epsilon_forever", or_null(o.epsilon_forever)},
            {"random_bytes", o.random_bytes},
            {"report_bytes", o.report_bytes},
            {"instructions", or_null(made.instructions_of(o))},
            {"std_error", o.std_error},
            {"half_width", o.half_width()},
            {"single_error", or_null(o.single_error)},
            {"floor", or_null(o.floor(made.questions))},
            {"devices_needed", or_null(made.devices_for(o))},
            {"keys", o.keys},
            {"remark", o.remark ? words_of(*o.remark) : ""},
            {"remark_kind", o.remark ? json_value(kind_of(*o.remark)) : json_value()}};
}

json_value options_json(const plan &made, const std::vector<plan_option> &options) {
    json_value out = json_value::array();
    for (const plan_option &o : options) {
        out.push_back(option_json(made, o));
    }
    return out;
}

json_value paces_json(const plan &made) {
    json_value out = json_value::array();
    for (const plan_pace &p : made.paces) {
        out.push_back({{"reports_per_day", p.reports_per_day},
                       {"half_width_of_day", p.day_half_width},
                       {"option", option_json(made, p.option)}});
    }
    return out;
}

json_value request_json(const plan_request &r) {
    return {{"type", r.type},
            {"devices", r.devices},
            {"reports_per_day", r.reports_per_day},
            {"epsilon", or_null(r.epsilon)},
            {"epsilon_per_day", or_null(r.epsilon_per_day)}};
}

json_value wanted_json(const plan &made) {
    const plan_request &r = made.request;
    return {{"accuracy", or_null(r.accuracy)},
            {"floor", or_null(r.floor)},
            {"reached", r.accuracy || r.floor ? json_value(made.reached) : json_value()},
            {"devices", or_null(made.devices_needed)},
            {"epsilon", or_null(made.epsilon_needed)}};
}

std::string plan_json(const plan &made) {
    const json_value out = {{"request", request_json(made.request)},
                            {"recommended", option_json(made, made.chosen())},
                            {"alternatives", options_json(made, made.options)},
                            {"is_ladder", made.is_ladder},
                            {"levels", options_json(made, made.levels)},
                            {"paces", paces_json(made)},
                            {"wanted", wanted_json(made)},
                            {"metrics_toml", made.toml()}};
    return json_text(out, 2) + "\n";
}

// --- a schedule

json_value schedule_object(const offline_schedule &made) {
    return {{"window", made.window},
            {"epsilon", made.epsilon},
            {"error", made.error},
            {"gap", made.gap},
            {"error_of_equal_shares", made.error_of_equal_shares},
            {"weights", made.weights},
            {"epsilons", made.epsilons}};
}

json_value schedule_object(const policy_schedule &made) {
    return {{"metric", made.metric},
            {"window", made.window.epochs},
            {"epsilon", exact_number(made.window.epsilon.text)},
            {"probability", made.probability},
            {"states", made.best.states},
            {"error", made.best.error},
            {"error_of_equal_shares", made.equal.error},
            {"error_of_rounded_linear_rule", made.rounded.error},
            {"error_of_linear_rule", made.error_of_linear},
            {"linear_rule", made.linear.weights},
            {"policy", made.levels()},
            {"metrics_toml", policy_toml(made)}};
}

std::string schedule_json(const schedule &made) {
    const auto object = [](const auto &schedule) { return schedule_object(schedule); };
    return json_text(std::visit(object, made), 1) + "\n";
}

// --- the promise. Epsilons are numbers with all the digits that the registry has, and strings
// beside them. The integers of tables are strings, since a double does not hold them.

json_value budget_json(const char *epochs_key, const std::optional<budget> &b) {
    return b ? json_value{{epochs_key, b->epochs}, {"epsilon", exact_number(b->epsilon.text)}}
             : json_value();
}

json_value decimal_json(const std::optional<decimal> &d) {
    return d ? exact_number(d->text) : json_value();
}

void add_exact(json_value &object, const std::string &name, const decimal &d) {
    object[name] = exact_number(d.text);
    object[name + "_exact"] = d.text;
}

void add_law(json_value &object, level_law law) {
    if (const auto flip = released_flip(law)) {
        object["flip_probability"] = *flip;
    }
    json_value &numbers = object["probabilities"];
    for (const auto &list : {probabilities_of(law), parameters_of(law)}) {
        for (const auto &[name, value] : list) {
            numbers[name] = *value;
        }
    }
}

void add_errors(json_value &object, const metric &m, std::size_t level) {
    json_value &errors = object["std_error"];
    for (const std::uint64_t n : fleets) {
        const double error = expected_error(m, level, n);
        errors.push_back(is_mean(m) ? json_value{{"reports", n}, {"mean", error}}
                                    : json_value{{"reports", n},
                                                 {"count", error * static_cast<double>(n)},
                                                 {"share", error}});
    }
}

void add_repeated(json_value &object, const std::optional<repeated_loss> &r) {
    if (r) {
        for (std::size_t i = 0; i < r->counts.size(); ++i) {
            object["n"][std::to_string(r->counts[i])] = exact_number(r->after[i].text);
        }
        object["infinity"] = decimal_json(r->infinity);
    }
}

// RAPPOR: releases of one value, each published at every level.
void add_ladder(json_value &object, const std::optional<repeated_loss> &r) {
    if (r) {
        add_repeated(object["ladder"], r);
    }
}

json_value levels_json(const metric &m) {
    json_value levels = json_value::array();
    for (std::size_t i = 0; i < m.levels.size(); ++i) {
        const ladder_level &l = m.levels[i];
        json_value level = {{"nominal", decimal_json(l.nominal)}};
        add_exact(level, "realised", l.realised);
        add_law(level, l.law);
        level["cost"] = l.cost;
        add_errors(level, m, i);
        add_repeated(level, l.repeated);
        levels.push_back(std::move(level));
    }
    return levels;
}

json_value forward_json(const metric &m) {
    json_value levels = json_value::array();
    for (std::size_t i = 0; i < m.forward.size(); ++i) {
        const forward_level &f = m.forward[i];
        json_value level = {{"nominal", decimal_json(f.nominal)}};
        add_exact(level, "realised", f.realised);
        add_exact(level, "joint", f.joint);
        add_law(level, f.law);
        add_errors(level, m, m.levels.size() + i);
        add_repeated(level, f.repeated);
        add_ladder(level, f.repeated_joint);
        levels.push_back(std::move(level));
    }
    return levels;
}

json_value pairs_json(const metric &m) {
    json_value pairs = json_value::array();
    for (const level_pair &p : m.pairs) {
        json_value pair = {{"levels", std::array{p.low, p.high}}};
        add_exact(pair, "joint", p.joint);
        for (const level_pair::reports &r : p.of_counts) {
            json_value row = {{"counts", std::array{r.low, r.high}}};
            add_exact(row, "joint", r.joint);
            pair["reports"].push_back(std::move(row));
        }
        pairs.push_back(std::move(pair));
    }
    return pairs;
}

// By age, where an event fades; see loss_by_age.
json_value ages_json(const metric &m) {
    json_value ages = json_value::array();
    for (const loss_by_age &loss : losses_by_age(m)) {
        ages.push_back({{"age", loss.age}, {"epsilon", loss.epsilon}});
    }
    return ages;
}

// The reports that "realised", "joint" and a window's budget hold for.
const char *protected_values(bool remembers) {
    return remembers ? "values that no other epoch or window has" : "every report";
}

const char *what_is_protected(const metric &m) {
    switch (protects(m)) {
    case protected_unit::event:
        return "one event";
    case protected_unit::source:
        return "one source of points";
    case protected_unit::value:
        break;
    }
    return protected_values(has_lifetime(m));
}

const char *protected_name(protected_unit unit) {
    switch (unit) {
    case protected_unit::event:
        return "event";
    case protected_unit::source:
        return "source";
    case protected_unit::value:
        break;
    }
    return "value";
}

json_value spending_json(const spending &s) {
    const auto number = [](const spending::units &cost) {
        return cost ? json_value(epsilon_of_units(*cost)) : json_value();
    };
    return {{"epoch_first", number(s.first)},
            {"epoch_top", number(s.top)},
            {"window", number(s.window)},
            {"life", number(s.life)}};
}

json_value theft_json(const metric &m) {
    json_value out;
    add_exact(out, "open_release", m.open_release);
    out["secret_tells"] = secret_tells(m);
    return out;
}

json_value promise_json(const metric &m) {
    json_value out = {{"name", m.name},
                      {"id", m.id},
                      {"type", m.type_name},
                      {"mechanism", m.mechanism_name},
                      {"fingerprint", fingerprint_text(m.fingerprint)},
                      {"protects", what_is_protected(m)},
                      {"levels", levels_json(m)},
                      {"pairs", pairs_json(m)}};
    add_exact(out, "joint", m.joint);
    out["joint_cost"] = m.joint_cost;
    add_ladder(out, m.repeated);
    out["forward"] = forward_json(m);
    if (protects(m) == protected_unit::event) {
        out["epsilon_by_age"] = ages_json(m);
    }
    return out;
}

json_value metric_json(const metric &m, const sotto_metric &in_flash) {
    json_value out = promise_json(m);
    out.update({{"window", budget_json("epochs", m.window)},
                {"per_epoch", m.per_epoch},
                {"request_level", m.request_level},
                {"spending", spending_json(spending_of(m))},
                {"theft", theft_json(m)},
                {"costs", m.costs},
                {"cost_reports", m.cost_reports},
                {"table", mechanism_of(m).table_json(m)},
                {"estimand", estimand(m)},
                {"random_bytes", m.random_bytes},
                {"release_random_bytes", release_random_bytes(m, in_flash)},
                {"report_bytes", report_bytes(m)}});
    return out;
}

void add_total(json_value &out, const registry &known, protected_unit unit) {
    switch (unit) {
    case protected_unit::value:
        out["spending"] = spending_json(spending_of(known, unit));
        return;
    case protected_unit::event:
        out["one_event"] = epsilon_of_units(cost_of_event(known));
        return;
    case protected_unit::source:
        out["spending_of_a_source"] = spending_json(spending_of(known, unit));
        return;
    }
}

json_value registry_json(const registry &known) {
    return {{"name", known.name},
            {"version", known.version},
            {"fingerprint", fingerprint_text(known.fingerprint)}};
}

std::string epsilon_json(const registry &known, std::size_t) {
    json_value metrics = json_value::array();
    const tables made(known);
    for (std::size_t i = 0; i < known.metrics.size(); ++i) {
        metrics.push_back(metric_json(known.metrics[i], made.get().metrics[i]));
    }
    json_value out = {{"registry", registry_json(known)},
                      {"protects", protected_values(remembers_noise(known))},
                      {"device", budget_json("window_epochs", known.device)},
                      {"max_epoch_jump", known.max_epoch_jump}};
    for (const protected_unit unit : every_protected_unit) {
        add_total(out, known, unit);
    }
    out["metrics"] = std::move(metrics);
    return json_text(out, 4) + "\n";
}

json_value units_json(const spending::units &cost) {
    return cost ? json_value(epsilon_of_units(*cost)) : json_value();
}

json_value horizon_object(const horizon_loss &loss) {
    json_value values = json_value::array();
    for (const spending::units &cost : loss.values) {
        values.push_back(units_json(cost));
    }
    return {{"name", loss.name.empty() ? json_value() : json_value(loss.name)},
            {"protects", protected_name(loss.protects)},
            {"values", loss.values.empty() ? json_value() : values},
            {"has_events", loss.event.has_value()},
            {"event", loss.event ? units_json(*loss.event) : json_value()}};
}

std::string horizon_json(const registry &known, const horizon_table &table, std::size_t) {
    json_value metrics = json_value::array();
    for (const horizon_loss &loss : table.metrics) {
        metrics.push_back(horizon_object(loss));
    }
    const json_value out = {
        {"registry", registry_json(known)},
        {"epochs", table.epochs},
        {"metrics", metrics},
        {"device", horizon_object(table.device)},
        {"sources", table.sources ? horizon_object(*table.sources) : json_value()}};
    return json_text(out, 2) + "\n";
}

std::string shuffled_json(const registry &known, const shuffled_table &table, std::size_t) {
    json_value metrics = json_value::array();
    for (const shuffled_metric &m : table.metrics) {
        metrics.push_back({{"name", m.name}, {"realised", m.of_report}, {"mixed", m.of_mixed}});
    }
    return json_text(json_value{{"registry", registry_json(known)},
                                {"devices", table.devices},
                                {"delta", table.delta},
                                {"is_charged", false},
                                {"metrics", metrics}},
                     2) +
           "\n";
}

std::string sheet_json(const datasheet &sheet) {
    json_value parts = json_value::array();
    for (const sheet_part &part : sheet.parts) {
        json_value facts = json_value::array();
        for (const sheet_fact &fact : part.facts) {
            facts.push_back(
                {{"name", fact.name},
                 {"value", fact.value.empty() ? json_value() : json_value(fact.value)},
                 {"field", fact.field.empty() ? json_value() : json_value(fact.field)}});
        }
        parts.push_back({{"title", part.title}, {"facts", facts}});
    }
    return json_text(json_value{{"title", sheet.title}, {"parts", parts}}, 3) + "\n";
}

} // namespace

const output_format json_format = {.name = "json",
                                   .estimates = estimates_json,
                                   .joint = joint_json,
                                   .plan = plan_json,
                                   .schedule = schedule_json,
                                   .epsilon = epsilon_json,
                                   .horizon = horizon_json,
                                   .shuffled = shuffled_json,
                                   .datasheet = sheet_json};

} // namespace sotto::aggregator
