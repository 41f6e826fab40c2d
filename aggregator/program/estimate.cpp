// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/columns.hpp"
#include "aggregator/base/log.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/candidates.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/formats.hpp"
#include "aggregator/store/store.hpp"
#include "aggregator/text/estimate_phrases.hpp"
#include "aggregator/text/estimate_text.hpp"
#include "aggregator/text/remark_words.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

rejections not_counted(const store &from) {
    rejections rejected = from.book().rejected();
    rejected.add(reason::conflict, from.book().conflicts());
    return rejected;
}

// Whether there is an answer, be it that nothing of what was looked for is there.
bool is_answered(const estimates &found, const estimate_options &options) {
    if (!options.discover.empty()) {
        return found.without_reports.empty();
    }
    return !found.rows.empty() || std::ranges::any_of(found.without_rows, [&](const unanswered &u) {
        return u.candidates > 0 || format_of(options.format).says_why_nothing;
    });
}

std::optional<place_range> range_in(const std::string &text) {
    const std::vector<std::string> ends = split(text, ':');
    const auto number = [&](std::size_t at) {
        std::uint32_t value = 0;
        const char *end = ends[at].data() + ends[at].size();
        const auto [stop, wrong] = std::from_chars(ends[at].data(), end, value);
        return wrong == std::errc() && stop == end ? std::optional(value) : std::nullopt;
    };
    if (ends.size() == 2 && number(0) && number(1) && *number(0) <= *number(1)) {
        return place_range{*number(0), *number(1)};
    }
    return std::nullopt;
}

place_range read_range(const std::string &text) {
    if (const auto range = range_in(text)) {
        return *range;
    }
    throw usage_error(
        fmt::format("--range: {} is not LOW:HIGH, two bins in ascending order", in_quotes(text)));
}

cell_box read_box(const std::string &text) {
    const std::vector<std::string> sides = split(text, ',');
    const auto x = range_in(sides.front()), y = range_in(sides.back());
    if (sides.size() == 2 && x && y) {
        return {*x, *y};
    }
    throw usage_error(fmt::format("--box: {} is not X0:X1,Y0:Y1, of each two cells in ascending "
                                  "order",
                                  in_quotes(text)));
}

// On one line.
std::string why_nothing(const std::vector<std::string> &remarks) {
    std::string line = "there is nothing to estimate";
    if (!remarks.empty()) {
        line += "; " + remarks.front();
    }
    if (remarks.size() > 1) {
        line += fmt::format("; and so on, {} more", remarks.size() - 1);
    }
    return line;
}

// Warnings of few reports, where rows do not say them, and remarks.
std::vector<std::string> remarks_beside(const estimates &found, bool rows_say_want) {
    std::vector<std::string> remarks;
    const auto add = [&](const std::vector<std::string> &more) {
        remarks.insert(remarks.end(), more.begin(), more.end());
    };
    if (!rows_say_want) {
        add(fleet_warnings(found.rows));
    }
    add(fleet_warnings(found.without_rows));
    add(remark_lines(found));
    return remarks;
}

} // namespace

std::unique_ptr<made_estimate> make_estimate(const estimate_options &options) {
    const registry given = load_registry(options.registry).content;
    estimate_request request = options.request;
    if (request.all_epochs && request.what.epoch) {
        throw usage_error("--all-epochs: not with --epoch");
    }
    candidate_list candidates;
    if (!options.candidates.empty()) {
        candidates = read_candidates(options.candidates);
        request.decode.candidates = candidates.strings;
    }
    if (!options.discover.empty()) {
        if (!options.candidates.empty() || !request.metric.empty() || request.all_epochs) {
            throw usage_error("--discover: not with --candidates, --metric or --all-epochs");
        }
        if (std::ranges::any_of(request.alphabet, [](char c) { return (c & 0x80) != 0; })) {
            throw usage_error("--alphabet: only ASCII characters");
        }
        request.discover = split(options.discover, ',');
    }
    if (options.correction == "bonferroni") {
        request.decode.detect_by = correction::bonferroni;
    }
    for (const std::string &range : options.ranges) {
        request.decode.ranges.push_back(read_range(range));
    }
    for (const std::string &box : options.boxes) {
        request.decode.boxes.push_back(read_box(box));
    }
    if (const output_format &as = format_of(options.format); as.limit != nullptr) {
        as.limit(request);
    }
    const store from = store::to_read(options.store);
    auto made = std::make_unique<made_estimate>();
    made->with = from.completed(given);
    made->found = estimate(from, made->with, request);
    made->rejected = not_counted(from);
    estimates &found = made->found;
    found.remarks.insert(found.remarks.begin(), candidates.remarks.begin(),
                         candidates.remarks.end());
    if (!found.stages.empty() && found.without_reports.empty()) {
        found.remarks.push_back({nullptr, {}, cost_of_discovery(found.stages)});
    }
    made->request = std::move(request);
    return made;
}

std::vector<std::string> estimate_remarks(const estimates &found) {
    return remarks_beside(found, false);
}

std::vector<std::string> write_estimate(const estimate_options &options) {
    check_is_no_input(options.out, {options.registry, options.candidates});
    if (!options.out.empty()) {
        check_outside_stores("--out", options.out);
    }
    const std::unique_ptr<made_estimate> made = make_estimate(options);
    const estimates &found = made->found;
    const output_format &as = format_of(options.format);
    if (!options.out.empty() && !options.always_write && !is_answered(found, options)) {
        throw usage_error(options.out + ": not written: " + why_nothing(remark_lines(found)));
    }
    const std::optional<rejections> rejected = made->rejected;
    const std::string text = as.estimates({found, made->with, rejected, made->request.what,
                                           options.out.empty() ? terminal_width() : any_width});
    if (options.out.empty()) {
        fmt::print("{}", text);
    } else {
        write_atomically(options.out, text);
    }
    return remarks_beside(found, as.says_want_of_reports);
}

exit_code print_estimate(const estimate_options &options) {
    for (const std::string &remark : write_estimate(options)) {
        log_line(remark);
    }
    return exit_code::done;
}

} // namespace sotto::aggregator
