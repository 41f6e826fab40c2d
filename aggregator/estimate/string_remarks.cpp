// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/string_remarks.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// A few of them by name.
std::string some_of(const std::vector<std::string> &texts) {
    constexpr std::size_t most = 5;
    std::string out;
    for (std::size_t i = 0; i < std::min(most, texts.size()); ++i) {
        out += (i > 0 ? ", " : "") + in_quotes(texts[i]);
    }
    return out + (texts.size() > most ? ", ..." : "");
}

std::string chi_square_text(double misfit, double freedom) {
    return fmt::format("chi-square {} on {} degrees of freedom, which noise alone reaches less "
                       "than once in a million",
                       grouped(static_cast<std::uint64_t>(misfit * freedom)),
                       grouped(static_cast<std::uint64_t>(freedom)));
}

// An interval of what can be: an estimate may be more than all.
std::string how_many(const estimated &r) {
    const auto all = static_cast<double>(r.reports);
    return fmt::format(
        "{} to {} of {}", grouped(static_cast<std::uint64_t>(std::clamp(r.ci_low(), 0.0, all))),
        grouped(static_cast<std::uint64_t>(std::ceil(std::clamp(r.ci_high(), 0.0, all)))),
        counted(r.reports, "report"));
}

} // namespace

void note_discovered(const said_of &say, double misfit, double freedom) {
    say(fmt::format("what was found doesn't explain the bits: other texts are frequent together, "
                    "or have characters that the alphabet lacks, or devices report not as the "
                    "registry says ({})",
                    chi_square_text(misfit, freedom)));
}

void note_stage(const said_of &say, const said_of &doubt, const metric &m,
                const found_prefixes &found) {
    say("prefixes detected: " + grouped(found.kept.size() + found.left_out) +
        (found.left_out > 0
             ? fmt::format(", the {} most frequent of them extended; {} left out, as more than {} "
                           "candidates would come of all",
                           grouped(found.kept.size()), grouped(found.left_out),
                           grouped(discover_candidates_max))
             : ""));
    if (found.too_long) {
        doubt(fmt::format(
            "{} are of texts longer than {}: nothing is found of them; the firmware has to give "
            "this metric that many bytes of a text and no more",
            how_many(*found.too_long), counted(mechanism_of(m).strings(m)->max_bytes, "byte")));
    }
    if (found.is_misfit) {
        note_discovered(doubt, found.misfit, found.freedom);
    }
}

void note_strings(const said_of &say, const metric_estimate &found) {
    for (const std::vector<std::string> &those : found.collisions) {
        say("the same bits in every cohort that reported: " + some_of(those));
    }
    if (!found.undetermined.empty()) {
        say(fmt::format("{} left out, as the bits reported so far don't tell them from others: {}",
                        counted(found.undetermined.size(), "candidate"),
                        some_of(found.undetermined)));
    }
    if (found.screened_out > 0) {
        say(fmt::format("too many candidates to tell all from each other; {} not detected and left "
                        "out, and the intervals of the others are wider to allow for that",
                        counted(found.screened_out, "candidate")));
    }
    if (found.strings_are_missing) {
        say(fmt::format("the candidates don't explain the bits: frequent strings are missing from "
                        "them, or devices report the same bits again, or not as the registry says; "
                        "the intervals are wider for it ({})",
                        chi_square_text(found.misfit, found.freedom)));
    }
}

} // namespace sotto::aggregator
