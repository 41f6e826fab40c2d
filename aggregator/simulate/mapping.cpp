// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/mapping.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <stdexcept>

namespace sotto::aggregator {
namespace {

struct assignment {
    std::string metric, text;
};

assignment split_assignment(const std::string &text, const char *option, const char *wanted) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
        throw usage_error(fmt::format("{}: {} is not METRIC={}", option, in_quotes(text), wanted));
    }
    return {text.substr(0, at), text.substr(at + 1)};
}

// A piece without '=' is a metric whose events are counted; else it belongs to the column before
// it, whose name has a comma.
std::vector<assignment> split_map(const std::vector<std::string> &map, const registry &with,
                                  row_meaning rows) {
    std::vector<assignment> assignments;
    for (const std::string &list : map) {
        std::vector<std::string> pieces;
        for (const std::string &piece : split(list, ',')) {
            const bool is_counted = rows == row_meaning::dated && with.find(piece) != nullptr;
            if (pieces.empty() || is_counted || piece.find('=') != std::string::npos) {
                pieces.push_back(piece);
            } else {
                pieces.back() += "," + piece;
            }
        }
        for (const std::string &piece : pieces) {
            const bool is_counted =
                rows == row_meaning::dated && piece.find('=') == std::string::npos;
            assignments.push_back(is_counted ? assignment{piece, ""}
                                             : split_assignment(piece, "--map", "COLUMN"));
        }
    }
    return assignments;
}

void check_rows(const metric &m, bool has_column, row_meaning rows) {
    const bool is_counter = m.type == SOTTO_TYPE_COUNTER;
    if (is_counter && rows == row_meaning::device) {
        throw usage_error(fmt::format("--map: {} is a counter; its events need --device and "
                                      "--epoch-column",
                                      in_quotes(m.name)));
    }
    if (!is_counter && !has_column) {
        throw usage_error(fmt::format("--map: {} is of type {}; {}=COLUMN says its values, only a "
                                      "counter counts rows",
                                      in_quotes(m.name), m.type_name, m.name));
    }
}

mapped_column &mapped(std::vector<mapped_column> &columns, const std::string &name,
                      const char *option) {
    const auto at =
        std::ranges::find_if(columns, [&](const auto &c) { return c.subject->name == name; });
    if (at == columns.end()) {
        throw usage_error(fmt::format("{}: --map has no metric {}", option, in_quotes(name)));
    }
    return *at;
}

void set_scale(std::vector<mapped_column> &columns, const std::string &given) {
    const assignment a = split_assignment(given, "--scale", "N");
    cell_reader &reader = mapped(columns, a.metric, "--scale").reader;
    std::uint32_t scale = 0;
    const auto [end, error] = std::from_chars(a.text.data(), a.text.data() + a.text.size(), scale);
    if (error != std::errc() || end != a.text.data() + a.text.size() || scale == 0 ||
        scale > cell_reader::scale_max) {
        throw usage_error(fmt::format("--scale: {} is not within 1 to {}", in_quotes(a.text),
                                      grouped(cell_reader::scale_max)));
    }
    if (!reader.has_numbers()) {
        throw usage_error(fmt::format("--scale: {} has no numbers", in_quotes(a.metric)));
    }
    reader.scale = scale;
}

void list_texts(std::vector<mapped_column> &columns, const std::string &given, const char *option,
                bool listed) {
    const assignment a = split_assignment(given, option, "TEXT");
    mapped_column &column = mapped(columns, a.metric, option);
    if (column.subject->type != SOTTO_TYPE_BOOLEAN) {
        throw usage_error(fmt::format("{}: {} is of type {}, not a boolean", option,
                                      in_quotes(a.metric), column.subject->type_name));
    }
    listed_texts &texts = column.reader.listed;
    if (!texts.seen.empty() && texts.value != listed) {
        throw usage_error(fmt::format("{}: --true and --false are both given for {}", option,
                                      in_quotes(a.metric)));
    }
    texts.value = listed;
    for (std::string &text : split(a.text, '|')) {
        if (text.empty()) {
            throw usage_error(fmt::format("{}: an empty text in {}; an empty cell makes no report",
                                          option, in_quotes(given)));
        }
        texts.seen.emplace(std::move(text), false);
    }
}

} // namespace

std::size_t find_column(const std::string &name, const csv_file &from, const char *option) {
    const std::vector<std::string> &header = from.header();
    const auto at = std::ranges::find(header, name);
    if (at == header.end()) {
        std::vector<std::string> known;
        for (const std::string &column : header) {
            known.push_back(in_quotes(column));
        }
        throw usage_error(fmt::format("{}: no column {}; the file has {}", option, in_quotes(name),
                                      joined(known)));
    }
    if (std::find(at + 1, header.end(), name) != header.end()) {
        throw usage_error(
            fmt::format("{}: several columns are called {}", option, in_quotes(name)));
    }
    return static_cast<std::size_t>(at - header.begin());
}

std::optional<cell_value> mapped_column::read(const std::vector<std::string> &cells,
                                              const csv_file &from) {
    if (!column) {
        return cell_value(std::int32_t{1});
    }
    const std::string &cell = cells[*column];
    if (cell.empty()) {
        return std::nullopt;
    }
    try {
        return reader.read(cell);
    } catch (const std::invalid_argument &error) {
        from.fail(fmt::format("column {}: {}", in_quotes(from.header()[*column]), error.what()));
    }
}

std::vector<mapped_column> map_columns(const mapping_options &options, const registry &with,
                                       const csv_file &from, row_meaning rows) {
    std::vector<mapped_column> columns;
    for (const assignment &a : split_map(options.map, with, rows)) {
        const metric *m = with.find(a.metric);
        if (m == nullptr) {
            throw usage_error(fmt::format("--map: no metric {}; the registry has {}",
                                          in_quotes(a.metric), joined(with.metric_names())));
        }
        for (const mapped_column &other : columns) {
            if (other.subject == m) {
                throw usage_error(fmt::format("--map: {} is mapped twice", in_quotes(a.metric)));
            }
        }
        check_rows(*m, !a.text.empty(), rows);
        columns.push_back(
            {m, a.text.empty() ? std::nullopt : std::optional(find_column(a.text, from, "--map")),
             cell_reader(*m)});
    }
    for (const std::string &given : options.true_texts) {
        list_texts(columns, given, "--true", true);
    }
    for (const std::string &given : options.false_texts) {
        list_texts(columns, given, "--false", false);
    }
    for (const std::string &given : options.scales) {
        set_scale(columns, given);
    }
    std::sort(columns.begin(), columns.end(), [](const mapped_column &a, const mapped_column &b) {
        return a.subject->id < b.subject->id;
    });
    return columns;
}

std::vector<std::string> texts_unseen(const std::vector<mapped_column> &columns) {
    std::vector<std::string> lines;
    for (const mapped_column &c : columns) {
        for (const auto &[text, seen] : c.reader.listed.seen) {
            if (!seen) {
                lines.push_back(fmt::format("{} {}={}: no row has {}",
                                            c.reader.listed.value ? "--true" : "--false",
                                            c.subject->name, text, in_quotes(text)));
            }
        }
    }
    return lines;
}

} // namespace sotto::aggregator
