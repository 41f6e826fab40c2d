// SPDX-License-Identifier: Apache-2.0
#include "aggregator/promise/datasheet.hpp"

#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/promise/epsilon_accuracy.hpp"
#include "aggregator/promise/epsilon_promise.hpp"
#include "aggregator/promise/epsilon_text.hpp"
#include "aggregator/promise/epsilon_theft.hpp"
#include "aggregator/promise/horizon.hpp"
#include "aggregator/promise/shuffled_table.hpp"
#include "aggregator/promise/spending_words.hpp"
#include "aggregator/registry/tables.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr const char *exposure = "NIST: data collection exposure";
constexpr const char *access_control = "NIST: security and access control";
constexpr const char *side_channels = "NIST: side channels";
constexpr const char *usefulness = "NIST: utility and bias";
constexpr const char *privacy_unit = "privacy_loss.privacy_unit";
constexpr const char *epsilon_field = "privacy_loss.privacy_parameters.epsilon";
constexpr std::uint32_t year_epochs = 365;

// A terminal's lines without their indents, in one.
std::string flat(const std::string &text, const char *between = " ") {
    std::string out;
    for (const std::string &line : split(text, '\n')) {
        const std::size_t begin = line.find_first_not_of(' ');
        if (begin != std::string::npos) {
            out += (out.empty() ? "" : between) + line.substr(begin);
        }
    }
    return out;
}

sheet_part deployment_part(const registry &known) {
    return {"Deployment",
            {{"name", fmt::format("{}, version {}", known.name, known.version), "basic.name"},
             {"fingerprint of the registry", fingerprint_text(known.fingerprint), ""},
             {"data curator", "", "basic.data_curator"},
             {"intended use", "", "basic.intended_use"},
             {"region and sector", "", "basic.data_product_region, basic.data_product_sector"},
             {"published on", "", "basic.publication_date"},
             {"responsible person", "", "administrative"}}};
}

const char *unit_words(protected_unit kind) {
    switch (kind) {
    case protected_unit::event:
        return "One event of a counter, whatever else is counted.";
    case protected_unit::source:
        return "The points of one source in an epoch, each at any two places within delta.";
    case protected_unit::value:
        break;
    }
    return "One measurement of one device: neighbours differ in its value alone.";
}

std::string protected_units(const registry &known) {
    std::string text;
    for (const protected_unit kind : every_protected_unit) {
        std::vector<std::string> names;
        for (const metric &m : known.metrics) {
            if (protects(m) == kind) {
                names.push_back(m.name);
            }
        }
        if (!names.empty()) {
            text += fmt::format("{}{} Metrics: {}.", text.empty() ? "" : " ", unit_words(kind),
                                joined(names));
        }
    }
    return text;
}

std::string at_most(const spending::units &loss) {
    return loss ? rounded_up(epsilon_of_units(*loss)) : "no bound";
}

std::string loss_text(const std::vector<spending::units> &losses, const horizon_table &horizon) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < losses.size(); ++i) {
        parts.push_back(
            fmt::format("{} in {}", at_most(losses[i]), counted(horizon.epochs[i], "epoch")));
    }
    return joined(parts) + ".";
}

sheet_part loss_part(const registry &known) {
    const horizon_table horizon = horizon_of(known, year_epochs);
    sheet_part part = {"Privacy loss of the whole device",
                       {{"variant", "Pure differential privacy.", "dp_variant.name"},
                        {"delta", "0", "privacy_loss.privacy_parameters.delta"},
                        {"unit", protected_units(known), privacy_unit}}};
    if (!horizon.device.values.empty()) {
        part.facts.push_back(
            {"epsilon of all values", loss_text(horizon.device.values, horizon), epsilon_field});
    }
    if (horizon.device.event) {
        part.facts.push_back(
            {"epsilon of one event",
             at_most(*horizon.device.event) + ", in all counters that count it, for ever.",
             epsilon_field});
    }
    if (horizon.sources) {
        part.facts.push_back({"epsilon of a source of points",
                              loss_text(horizon.sources->values, horizon), epsilon_field});
    }
    part.facts.push_back(
        {"spending", flat(spending_text(known)), "privacy_loss.privacy_parameters_description"});
    part.facts.push_back({"composition",
                          "Measurements, epochs and metrics add up, as far as budgets let them. "
                          "Units that are protected in different ways are never added.",
                          "accounting.composition"});
    part.facts.push_back({"not hidden",
                          "The fact and the time of a report, the metrics that a device measures, "
                          "how many reports wait, and the address that it sends from.",
                          "dp_variant.unprotected_quantities"});
    return part;
}

sheet_part trust_part() {
    return {
        "Trust",
        {{"model", "Local: noise is added on the device, before anything leaves it.",
          "deployment_model.model_name"},
         {"actors",
          "The device sees values. The network sees envelopes, their times and lengths, and what "
          "is "
          "in them where they are not sealed. The "
          "aggregator sees noised reports. Readers see estimates.",
          "deployment_model.actors"},
         {"release",
          "Repeated, each epoch. A level may be published later, within the same promise.",
          "deployment_model.release_type"},
         {"post-processing",
          "Estimates, intervals and smoothing are made of noised reports alone; they cost no more.",
          "accounting.post_processing"},
         {"source of randomness", "", exposure},
         {"pseudo-randomness",
          "Noise comes from AES-128, ChaCha20 and SHA-256; epsilon holds against everyone who "
          "can't "
          "break them.",
          "implementation.mechanisms"},
         {"fixed time",
          "No branch, address or division depends on a value, noise or key: traces on five "
          "emulated boards, and `ctest --preset host -R constant_time`. "
          "Cortex-M3's long multiplication may end early: it shows something of a seal's key, used "
          "once. Not measured on hardware.",
          side_channels},
         {"sealed with", "", access_control}}};
}

std::string levels_text(const metric &m) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < m.level_count(); ++i) {
        const bool is_forward = i >= m.levels.size();
        const std::optional<decimal> &nominal =
            is_forward ? m.forward[i - m.levels.size()].nominal : m.levels[i].nominal;
        parts.push_back(fmt::format("level {}: {}{}", i, rounded_up(m.realised(i).value),
                                    nominal ? fmt::format(" (asked for: {})", nominal->text) : ""));
    }
    return joined(parts) + ".";
}

std::string errors_text(const metric &m) {
    std::vector<std::string> parts;
    for (const std::uint64_t reports : fleets) {
        const double error = expected_error(m, m.level_count() - 1, reports);
        const std::string unit = m.words.unit.empty() ? "" : " " + m.words.unit;
        parts.push_back(fmt::format("{} from {} reports",
                                    is_mean(m) ? fmt::format("{:.3g}{}", error, unit)
                                               : fmt::format("{:.3g} %", 100 * error),
                                    grouped(reports)));
    }
    return fmt::format("Standard error of the {}, at the highest level: {}.", estimand(m),
                       joined(parts));
}

std::string repeats_text(const metric &m) {
    if (protects(m) == protected_unit::event) {
        return "Epsilon is of one event, in all sums that count it. Events that come again add up.";
    }
    return flat(repeats(m)) + (mechanism_of(m).remembered(m)
                                   ? ""
                                   : " A change shows no more than the two reports do.");
}

// A forged report is any that the aggregator takes.
std::string forged_text(const metric &m) {
    const auto reach = [&](std::size_t level) { return mechanism_of(m).reach(m, m.law(level)); };
    const std::size_t top = m.level_count() - 1;
    return fmt::format(
        "One forged report among n moves an estimate by {:.4g} / n at most{}.", reach(top),
        top == 0 ? "" : fmt::format(", at the highest level; at level 0 by {:.4g} / n", reach(0)));
}

std::string title_of(const metric &m) {
    return m.words.title.empty() ? "Metric " + m.name
                                 : fmt::format("Metric {}: {}", m.name, m.words.title);
}

sheet_part metric_part(const metric &m, const registry &known, const sotto_metric &in_flash) {
    return {
        title_of(m),
        {{"purpose", m.words.description, "basic.intended_use"},
         {"type and mechanism", fmt::format("{}, {}", m.type_name, m.mechanism_name),
          "implementation.mechanisms"},
         {"fingerprint", fingerprint_text(m.fingerprint), ""},
         {"promise", flat(promise(m)), "privacy_loss.privacy_unit_description"},
         {"neighbours", what_is_hidden(m), "dp_variant.data_domain"},
         {"epsilon of a report", levels_text(m), epsilon_field},
         {"all levels together", rounded_up(m.joint.value), "accounting.composition"},
         {"spending", flat(spending_text(m, known)), "privacy_loss.privacy_parameters_description"},
         {"repeats and changes", repeats_text(m), "accounting.composition"},
         {"integers in flash", flat(mechanism_of(m).table_text(m), "; "),
          "implementation.mechanisms"},
         {"theft of the device", flat(theft_text(m)), access_control},
         {"bytes",
          fmt::format("A report has {} at most, whatever its value; a release takes {} of "
                      "randomness.",
                      counted(report_bytes(m), "byte"),
                      counted(release_random_bytes(m, in_flash), "byte")),
          side_channels},
         {"accuracy", errors_text(m), usefulness},
         {"forged reports", forged_text(m), usefulness}}};
}

std::string cadence_text(const registry &known) {
    return known.days ? fmt::format("An epoch is {}; epoch 0 began on {}.",
                                    counted(known.days->epoch_days, "day"),
                                    known.days->first_day(0).value_or("an unknown day"))
                      : "";
}

std::string held_text(const registry &known, const held_epochs &held) {
    return held.count == 0 ? "No report."
           : known.days
               ? fmt::format("{} to {}, {} with reports.", epoch_text(known.days, held.first),
                             epoch_text(known.days, held.last), counted(held.count, "epoch"))
               : fmt::format("Epochs {} to {}, {} with reports.", held.first, held.last,
                             grouped(held.count));
}

sheet_part operation_part(const registry &known, const std::optional<held_epochs> &held) {
    return {"Operation",
            {{"cadence", cadence_text(known), "deployment_model.data_source_type"},
             {"retention at the aggregator", "", "deployment_model.data_source_type"},
             {"held now", held ? held_text(known, *held) : "", exposure},
             {"consent", "", exposure},
             {"withdrawal",
              "`sotto_pause` stops measuring and sending. `sotto_wipe` erases values and secrets; "
              "it forgets no spending. Reports that were sent stay until `sotto expire`.",
              exposure},
             {"readers of reports", "", access_control}}};
}

sheet_part proof_part(const std::string &path, const std::optional<std::uint64_t> &shuffled) {
    return {"To compute it again",
            {{"certificate",
              fmt::format(
                  "`sotto-registry check {}`: exact arithmetic, from the integers in flash.", path),
              "implementation.justification"},
             {"this sheet",
              fmt::format("`sotto datasheet --registry {}{}`", path,
                          shuffled ? fmt::format(" --shuffled {}", *shuffled) : ""),
              ""},
             {"numbers", fmt::format("`sotto epsilon --registry {} --format json`", path), ""},
             {"names of fields",
              "They are those of OpenDP's Differential Privacy Deployments Registry (Nanayakkara, "
              "Ghazi and Vadhan, 2025). NIST: the level of the pyramid in NIST SP "
              "800-226.",
              ""}}};
}

} // namespace

datasheet datasheet_of(const registry &known, const std::string &registry_path,
                       const std::optional<held_epochs> &held,
                       const std::optional<std::uint64_t> &shuffled) {
    const tables made(known);
    datasheet sheet = {known.name + ": data sheet of a local differential privacy deployment",
                       {deployment_part(known), loss_part(known), trust_part()}};
    for (std::size_t i = 0; i < known.metrics.size(); ++i) {
        sheet.parts.push_back(metric_part(known.metrics[i], known, made.get().metrics[i]));
        if (shuffled) {
            sheet.parts.back().facts.push_back({"behind a relay that mixes",
                                                shuffled_sentences(known.metrics[i], *shuffled),
                                                "dp_variant.unprotected_quantities"});
        }
    }
    sheet.parts.push_back(operation_part(known, held));
    sheet.parts.push_back(proof_part(registry_path, shuffled));
    return sheet;
}

} // namespace sotto::aggregator
