// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/mapping.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace sotto::aggregator {
namespace {

struct assignment {
    std::string metric, text;
};

assignment split_assignment(const std::string &text, const char *option) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
        throw usage_error(fmt::format("{}: {} is not METRIC={}", option, in_quotes(text),
                                      option == std::string_view("--map") ? "COLUMN" : "TEXT"));
    }
    return {text.substr(0, at), text.substr(at + 1)};
}

// A piece without '=' belongs to the column before it, whose name has a comma.
std::vector<assignment> split_map(const std::vector<std::string> &map) {
    std::vector<assignment> assignments;
    for (const std::string &list : map) {
        std::vector<std::string> pieces;
        for (const std::string &piece : split(list, ',')) {
            if (pieces.empty() || piece.find('=') != std::string::npos) {
                pieces.push_back(piece);
            } else {
                pieces.back() += "," + piece;
            }
        }
        for (const std::string &piece : pieces) {
            assignments.push_back(split_assignment(piece, "--map"));
        }
    }
    return assignments;
}

std::size_t find_column(const std::string &name, const csv_file &from) {
    const std::vector<std::string> &header = from.header();
    const auto at = std::find(header.begin(), header.end(), name);
    if (at == header.end()) {
        std::vector<std::string> known;
        for (const std::string &column : header) {
            known.push_back(in_quotes(column));
        }
        throw usage_error(
            fmt::format("--map: no column {}; the file has {}", in_quotes(name), joined(known)));
    }
    if (std::find(at + 1, header.end(), name) != header.end()) {
        throw usage_error(fmt::format("--map: several columns are called {}", in_quotes(name)));
    }
    return static_cast<std::size_t>(at - header.begin());
}

void list_texts(std::vector<mapped_column> &columns, const std::string &given, const char *option,
                bool listed) {
    const assignment a = split_assignment(given, option);
    const auto at = std::find_if(columns.begin(), columns.end(), [&](const mapped_column &c) {
        return c.subject->name == a.metric;
    });
    if (at == columns.end()) {
        throw usage_error(fmt::format("{}: --map has no metric {}", option, in_quotes(a.metric)));
    }
    if (at->subject->type != SOTTO_TYPE_BOOLEAN) {
        throw usage_error(fmt::format("{}: {} is of type {}, not a boolean", option,
                                      in_quotes(a.metric), at->subject->type_name));
    }
    listed_texts &texts = at->reader.listed;
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

std::optional<cell_value> mapped_column::read(const std::vector<std::string> &cells,
                                              const csv_file &from) {
    const std::string &cell = cells[column];
    if (cell.empty()) {
        return std::nullopt;
    }
    try {
        return reader.read(cell);
    } catch (const std::invalid_argument &error) {
        from.fail(fmt::format("column {}: {}", in_quotes(from.header()[column]), error.what()));
    }
}

std::vector<mapped_column> map_columns(const mapping_options &options, const registry &with,
                                       const csv_file &from) {
    std::vector<mapped_column> columns;
    for (const assignment &a : split_map(options.map)) {
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
        columns.push_back({m, find_column(a.text, from), cell_reader(*m)});
    }
    for (const std::string &given : options.true_texts) {
        list_texts(columns, given, "--true", true);
    }
    for (const std::string &given : options.false_texts) {
        list_texts(columns, given, "--false", false);
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
