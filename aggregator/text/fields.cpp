// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/fields.hpp"

#include "aggregator/estimate/bloom.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/text/estimate_phrases.hpp"

#include <cmath>

namespace sotto::aggregator {
namespace {

template <typename Value> field field_if_any(const char *name, const std::optional<Value> &value) {
    return {name, or_null(value), !value};
}

field text_field(const char *name, const std::string &text) {
    return field_if_any(name, text.empty() ? std::nullopt : std::optional(text));
}

// The first day of the epoch.
field date_field(const estimate_row &r) {
    const auto &days = r.subject->words.days;
    return field_if_any("date", r.epoch && days ? days->first_day(*r.epoch) : std::nullopt);
}

struct value_of_row {
    json_value operator()(std::monostate) const { return {}; }
    json_value operator()(bool) const { return true; }
    json_value operator()(std::uint32_t number) const { return number; }
    json_value operator()(const std::string &text) const { return text; }
    json_value operator()(const longer_strings &strings) const {
        return longer_than(strings.max_bytes);
    }
    json_value operator()(const number_bin &bin) const { return bin_text(bin); }
    json_value operator()(const quantile &at) const { return at.part; }
};

// A candidate may be called as long strings are. Null: a value that a device can have.
struct kind_of_row {
    const char *operator()(std::monostate) const { return nullptr; }
    const char *operator()(bool) const { return nullptr; }
    const char *operator()(std::uint32_t) const { return nullptr; }
    const char *operator()(const std::string &) const { return nullptr; }
    const char *operator()(const longer_strings &) const { return "too_long"; }
    const char *operator()(const number_bin &) const { return "bin"; }
    const char *operator()(const quantile &) const { return "quantile"; }
};

field value_kind_field(const row_value &value) {
    const char *kind = std::visit(kind_of_row{}, value);
    return {"value_kind", kind == nullptr ? json_value() : json_value(kind), kind == nullptr};
}

// The loss over all epochs, where they are one answer. Null: it is more than 2048.
field all_epochs_field(const estimate_row &r) {
    const bool bounded = r.all_epochs && std::isfinite(r.all_epochs->epsilon);
    return {"epsilon_all_epochs", bounded ? json_value(r.all_epochs->epsilon) : json_value(),
            !r.all_epochs};
}

// The class of a value that no candidate names; null for one that has a name. A candidate's own
// text may be the same as a class's.
json_value kind_of(const release_value &value) {
    constexpr const char *texts[] = {"", "too_long", "dummy", "other"};
    return value.is == value_class::named ? json_value()
                                          : json_value(texts[static_cast<std::size_t>(value.is)]);
}

// A boolean's and a numbered category's texts are JSON as they are.
json_value value_of(const metric &m, const release_value &value) {
    const bool is_text = has_texts(m) || !m.names.empty() || value.is != value_class::named;
    return value.is == value_class::other ? json_value()
           : is_text                      ? json_value(value.text)
                                          : json_value::parse(value.text);
}

} // namespace

std::vector<field> fields_of(const estimate_row &r, const json_value &remarks) {
    const auto pooled = [&](double estimated::*what) {
        return r.pooled ? std::optional((*r.pooled).*what) : std::nullopt;
    };
    const auto total = [&](double estimated::*what) {
        return r.summed ? std::optional((r.summed->total).*what) : std::nullopt;
    };
    return {{"metric", r.subject->name},
            {"epoch", or_null(r.epoch)},
            {"level", or_null(r.level)},
            {"epsilon", r.epsilon},
            {"mechanism", r.subject->mechanism_name},
            {"value", std::visit(value_of_row{}, r.value)},
            {"estimate", r.result.value},
            {"std_error", r.result.std_error},
            {"ci_low", r.result.ci_low()},
            {"ci_high", r.result.ci_high()},
            {"reports", r.result.reports},
            {"consistent", r.consistent},
            field_if_any("pooled", pooled(&estimated::value)),
            field_if_any("pooled_std_error", pooled(&estimated::std_error)),
            field_if_any("coalition_shift",
                         r.coalition ? std::optional(r.coalition->shift) : std::nullopt),
            field_if_any("detected", r.detected),
            all_epochs_field(r),
            {"quantity", std::holds_alternative<quantile>(r.value) ? "quantile"
                         : is_mean(r)                              ? "mean"
                                                                   : "count"},
            {"epsilon_all_levels", loss_of_an_answer(r)},
            value_kind_field(r.value),
            field_if_any("epochs", r.summed ? std::optional(r.summed->epochs) : std::nullopt),
            field_if_any("total", total(&estimated::value)),
            field_if_any("total_std_error", total(&estimated::std_error)),
            field_if_any("monotone", r.monotone),
            text_field("title", r.subject->words.title),
            text_field("unit", r.subject->words.unit),
            date_field(r),
            {"remarks", remarks, remarks.empty()}};
}

std::vector<field> fields_of(const joint_table &table, const joint_row &r,
                             const json_value &remarks) {
    const metric &first = table.first.subject(), &second = table.second.subject();
    return {{"epoch", table.epoch},
            {"first", value_of(first, r.first)},
            {"second", value_of(second, r.second)},
            {"estimate", r.result.value},
            {"std_error", r.result.std_error},
            {"ci_low", r.result.ci_low()},
            {"ci_high", r.result.ci_high()},
            {"reports", r.result.reports},
            {"converged", table.fit.converged()},
            {"first_metric", first.name},
            {"second_metric", second.name},
            {"epsilon", table.epsilon},
            {"first_kind", kind_of(r.first)},
            {"second_kind", kind_of(r.second)},
            {"remarks", remarks, remarks.empty()}};
}

std::vector<field> fields_without_row(std::span<const char *const> names,
                                      const json_value &remarks) {
    std::vector<field> out;
    for (const char *name : names) {
        out.push_back({name, {}});
    }
    out.back().value = remarks;
    return out;
}

} // namespace sotto::aggregator
