// SPDX-License-Identifier: Apache-2.0
#include "aggregator/text/estimate_text.hpp"

#include "aggregator/base/columns.hpp"
#include "aggregator/base/numbers.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/text/estimate_phrases.hpp"
#include "aggregator/text/remark_list.hpp"
#include "aggregator/text/remark_words.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace sotto::aggregator {
namespace {

bool several_epochs(row_group rows) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const estimate_row &r) { return r.epoch != rows.front().epoch; });
}

// A date says more than that all rows are of one epoch.
bool has_dates(row_group rows) {
    return std::any_of(rows.begin(), rows.end(),
                       [](const estimate_row &r) { return r.epoch && r.subject->words.days; });
}

// Booleans alone have nothing to tell apart.
bool has_values(row_group rows) {
    return std::any_of(rows.begin(), rows.end(),
                       [](const estimate_row &r) { return !is_only_row(r); });
}

struct columns {
    bool epoch, value, consistent, detected, monotone;
    bool counts = true, reports = true;
};

// Columns that a terminal need not show, the least first.
struct lesser_column {
    bool columns::*which;
    const char *name;
};
constexpr lesser_column lesser_columns[] = {{&columns::monotone, "totals made monotone"},
                                            {&columns::consistent, "consistent shares"},
                                            {&columns::counts, "counts"},
                                            {&columns::reports, "how many reports"}};

std::string consistent_text(const estimate_row &r) {
    return is_mean(r) ? "" : "consistent " + consistent_share(r);
}

// A mean stands where counts do, or else where shares do.
std::vector<std::string> estimate_cells(const estimate_row &r, bool with_counts) {
    std::vector<std::string> cells = r.summed     ? sum_cells(r)
                                     : is_mean(r) ? mean_cells(r)
                                                  : share_cells(r);
    if (r.summed && !with_counts) {
        return {cells[0], cells[1]};
    }
    if (with_counts) {
        return cells;
    }
    return is_mean(r) ? std::vector{cells[0] + " " + cells[2], cells[3]}
                      : std::vector{cells[0], cells[1]};
}

std::vector<std::string> table_cells(const estimate_row &r, const columns &with) {
    std::vector<std::string> cells = {r.subject->shown_name()};
    if (with.epoch) {
        cells.push_back(epoch_text(r));
    }
    if (with.value) {
        cells.push_back(value_text(r.value));
    }
    for (std::string &cell : estimate_cells(r, with.counts)) {
        cells.push_back(std::move(cell));
    }
    if (with.reports) {
        cells.push_back("of " + counted(r.result.reports, "report"));
    }
    if (with.consistent) {
        cells.push_back(consistent_text(r));
    }
    if (with.monotone) {
        cells.push_back(r.monotone ? fmt::format("extra: monotone {:.1f}", *r.monotone) : "");
    }
    if (with.detected) {
        cells.push_back(r.detected ? *r.detected ? "detected" : "not detected" : "");
    }
    cells.push_back(fmt::format("epsilon {}{}", r.mixed || r.stages > 1 ? "at most " : "",
                                rounded_up(r.stages > 1 ? r.joint_epsilon : r.epsilon)));
    return cells;
}

void note_want_of_reports(remark_list &said, row_group group) {
    const estimate_row &first = group.front();
    if (first.epoch) {
        said.read(*first.subject, *first.epoch);
    }
    if (const auto want = want_of_reports(group)) {
        said.add(*first.subject, first.epoch, words_of(*want));
    }
}

void add_notes(remark_list &said, row_group group) {
    const estimate_row &first = group.front();
    const auto say = [&](const std::string &text) {
        if (!text.empty()) {
            said.add(*first.subject, first.epoch, text);
        }
    };
    if (is_distribution(group)) {
        if (mechanism_of(*first.subject).moves(*first.subject)) {
            say("the answers of gateways, noise included; ± holds for their spread");
        }
        say(fmt::format("{}; --format csv has them, --format html a chart",
                        counted(group.size() - without_bins(group).size(), "bin")));
    } else if (group.size() > rows_shown) {
        say(grouped(group.size() - rows_shown) + " more, all smaller; --format csv has all");
    }
    note_want_of_reports(said, group);
    if (const estimate_row &widest = widest_of(group); widest.relaxed) {
        say(if_relaxed(widest));
    }
    say(if_pooled(widest_of(group)));
    say(joint_loss(first));
    say(loss_in_all_epochs(first));
    if (first.coalition) {
        say(if_poisoned(group));
    }
}

// The largest rows only, where a metric and epoch have very many.
std::string table_lines(row_group rows, const columns &with, std::size_t width = any_width) {
    std::vector<std::vector<std::string>> table;
    for_each_group(rows, [&](row_group group) {
        for (const estimate_row *r : largest(group)) {
            table.push_back(table_cells(*r, with));
        }
    });
    const std::size_t names = 1 + (with.epoch ? 1 : 0) + (with.value ? 1 : 0);
    return with.value ? aligned_within(width, table, names, names - 1, names - 1)
                      : aligned(table, names);
}

} // namespace

std::string estimate_table(const std::vector<estimate_row> &rows, std::size_t width) {
    if (rows.empty()) {
        return "no estimates\n";
    }
    columns with = {several_epochs(rows) || has_dates(rows), has_values(rows), has_consistent(rows),
                    has_detected(rows),
                    std::ranges::any_of(rows, [](auto &r) { return r.monotone.has_value(); })};
    std::string text = table_lines(rows, with);
    std::vector<std::string> left_out;
    for (const lesser_column &column : lesser_columns) {
        if (line_width(text) > width && with.*column.which) {
            with.*column.which = false;
            left_out.emplace_back(column.name);
            text = table_lines(rows, with);
        }
    }
    if (with.value && line_width(text) > width) {
        left_out.emplace_back("whole names");
        text = table_lines(rows, with, width);
    }
    remark_list said;
    for_each_group(rows, [&](row_group group) { add_notes(said, group); });
    std::vector<std::string> notes = said.lines();
    if (!left_out.empty()) {
        notes.push_back("this terminal is too narrow for " + joined(left_out));
    }
    text += wrapped(interval_in_words, width) + "\n";
    if (const std::string picked = if_picked(rows); !picked.empty()) {
        notes.insert(notes.begin(), picked);
    }
    for (const std::string &note : notes) {
        text += wrapped(note, width) + "\n";
    }
    return text;
}

std::vector<std::string> fleet_warnings(const std::vector<estimate_row> &rows) {
    remark_list said;
    for_each_group(rows, [&](row_group group) { note_want_of_reports(said, group); });
    return said.lines();
}

std::vector<std::string> fleet_warnings(const std::vector<unanswered> &questions) {
    std::map<const metric *, unanswered> largest;
    remark_list said;
    for (const unanswered &question : questions) {
        unanswered &most = largest[question.subject];
        most = question.reports > most.reports ? question : most;
        if (question.epoch) {
            said.read(*question.subject, *question.epoch);
        }
    }
    for (const auto &[m, most] : largest) {
        if (const auto want = want_of_reports(most)) {
            said.add(*m, most.epoch, words_of(*want));
        }
    }
    return said.lines();
}

} // namespace sotto::aggregator
