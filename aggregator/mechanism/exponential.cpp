// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/counted.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/level_text.hpp"
#include "aggregator/mechanism/memoryless.hpp"
#include "aggregator/statistics/channel_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

using threshold_row = std::vector<threshold>;

threshold_row read_row(const json_node &node, std::size_t size) {
    threshold_row row;
    for (const json_node &end : node.elements(size - 1, size - 1)) {
        row.push_back(end.integer_text(row.empty() ? 0 : row.back(), ~threshold{0}));
    }
    return row;
}

// The parts between the ends; the last reaches to 2^64.
std::vector<double> chances_of(const threshold_row &ends) {
    std::vector<double> chances;
    threshold last = 0;
    for (const threshold end : ends) {
        chances.push_back(probability(end - last));
        last = end;
    }
    chances.push_back(probability(~last) + probability(1));
    return chances;
}

// Given the value: a row a value, one after the other.
std::vector<double> through(const std::vector<double> &above,
                            const std::vector<threshold_row> &step) {
    const std::size_t size = step.size();
    std::vector<double> below(above.size());
    for (std::size_t i = 0; i < above.size(); ++i) {
        const std::vector<double> drawn = chances_of(step[i % size]);
        for (std::size_t y = 0; y < size; ++y) {
            below[i / size * size + y] += above[i] * drawn[y];
        }
    }
    return below;
}

std::vector<double> nothing_noised(std::size_t size) {
    std::vector<double> chances(size * size);
    for (std::size_t i = 0; i < size; ++i) {
        chances[i * size + i] = 1;
    }
    return chances;
}

table_law law_of(std::size_t size, const std::vector<double> &chances) {
    table_law law = {size, chances, 1, 0};
    for (std::size_t i = 0; i < size; ++i) {
        law.least_kept = std::min(law.least_kept, chances[i * size + i]);
        law.most_kept = std::max(law.most_kept, chances[i * size + i]);
    }
    return law;
}

channel_matrix matrix_of(const level_law &law) {
    const auto &table = std::get<table_law>(law);
    return {table.size, table.chances};
}

// The least and the greatest chance of what is published, by value.
bit_channel ends_of(const table_law &law, std::size_t published) {
    bit_channel ends = {1, 0};
    for (std::size_t x = 0; x < law.size; ++x) {
        const double chance = law.chances[x * law.size + published];
        ends = {std::min(ends.one_if_zero, chance), std::max(ends.one_if_one, chance)};
    }
    return ends;
}

// The exponential mechanism over public scores.
class exponential_mechanism final : public memoryless<mechanism> {
  public:
    static const exponential_table &table_of(const metric &m) {
        return std::get<exponential_table>(m.table);
    }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const json_node table = node.at("table");
        (void)table.at("bits").integer(64, 64);
        exponential_table t = {table.at("size").integer(2, SOTTO_SCORED_MAX), {}};
        for (const json_node &level : table.at("rows").elements(levels, levels)) {
            std::vector<threshold_row> rows;
            for (const json_node &row : level.elements(t.size, t.size)) {
                rows.push_back(read_row(row, t.size));
            }
            t.rows.push_back(std::move(rows));
        }
        m.table = std::move(t);
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        table.fail("not possible with scores");
    }
    ladder_rules rules(const metric &) const override {
        return {.tolerance = 1e-10, .has_forward = false};
    }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &) const override { return answer_shape::counts; }

    std::vector<level_law> laws(const metric &m) const override {
        const exponential_table &t = table_of(m);
        std::vector<level_law> laws(t.rows.size());
        std::vector<double> chances = nothing_noised(t.size);
        for (std::size_t i = t.rows.size(); i-- > 0;) {
            chances = through(chances, t.rows[i]);
            laws[i] = law_of(t.size, chances);
        }
        return laws;
    }
    // There is no step forward; a registry with one is refused before.
    level_law next_law(const metric &, const forward_table &,
                       const level_law &last) const override {
        return last;
    }
    double loss(const metric &, const level_law &law) const override {
        const auto &table = std::get<table_law>(law);
        double most = 0;
        for (std::size_t y = 0; y < table.size; ++y) {
            const bit_channel ends = ends_of(table, y);
            most = std::max(most, std::log(ends.one_if_one) - std::log(ends.one_if_zero));
        }
        return most;
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        threshold_row rows;
        for (const auto &level : table_of(m).rows) {
            for (const threshold_row &row : level) {
                rows.insert(rows.end(), row.begin(), row.end());
            }
        }
        image.table.exponential = memory.keep(sotto_exponential{
            memory.thresholds(rows), static_cast<std::uint16_t>(table_of(m).size)});
    }
    std::size_t more_random_bytes(const sotto_metric &) const override { return 0; }

    published_values published(const metric &m) const override {
        return {.kind = value_kind::index, .size = table_of(m).size};
    }
    std::optional<double> keep(const metric &, const level_law &) const override {
        return std::nullopt;
    }
    // Not one: what is published depends on which other category is true.
    std::optional<bit_channel> channel(const metric &, const level_law &) const override {
        return std::nullopt;
    }
    std::optional<number_range> range(const metric &) const override { return std::nullopt; }

    estimated estimate(const metric &, std::span<const level_tally> levels,
                       std::span<const level_law> laws, std::size_t at) const override {
        estimated out;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const estimated found = matrix_of(laws[i]).estimate(levels[i].ones, at);
            out.value += found.value;
            out.std_error = std::hypot(out.std_error, found.std_error);
            out.reports += found.reports;
        }
        return out;
    }
    double error(const metric &, const level_law &law, const estimated &found) const override {
        const auto n = static_cast<double>(found.reports);
        const double own = std::clamp(found.value, 0.0, n);
        const channel_matrix matrix = matrix_of(law);
        return std::sqrt(own * matrix.own_variance() + (n - own) * matrix.other_variance());
    }
    double usual_variance(const metric &m, const level_law &law,
                          const reports_again &again) const override {
        const double share = 1.0 / table_of(m).size;
        const channel_matrix matrix = matrix_of(law);
        return share * matrix.own_variance() + (1 - share) * matrix.other_variance() +
               again.of_a_device * share * (1 - share);
    }
    double spread(const metric &, double mean, const reports_again &again) const override {
        return again.of_a_device * mean * (1 - mean);
    }
    double reach(const metric &, const level_law &law) const override {
        return matrix_of(law).reach();
    }
    void check(const metric &, const level_law &law, const level_tally &at, double,
               quality_sums &sums) const override {
        const auto &table = std::get<table_law>(law);
        for (std::size_t y = 0; y < table.size; ++y) {
            sums.count(is_beyond(static_cast<double>(at.ones[y]), static_cast<double>(at.reports),
                                 ends_of(table, y), 0));
        }
    }

    // Nobody has scores for a plan.
    std::vector<plan_option> plan(const plan_request &, double) const override { return {}; }

    std::string table_text(const metric &m) const override {
        const exponential_table &t = table_of(m);
        std::string text = "out of 2^64 (--format json has the other rows):\n";
        for (std::size_t i = t.rows.size(); i-- > 0;) {
            text += level_line(
                i, fmt::format("from {} 0: up to each category {}",
                               i + 1 < t.rows.size() ? fmt::format("level {}'s", i + 1) : "true",
                               fmt::join(t.rows[i].front(), ", ")));
        }
        return text;
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        nlohmann::ordered_json levels;
        for (const auto &level : table_of(m).rows) {
            nlohmann::ordered_json rows;
            for (const threshold_row &row : level) {
                rows.push_back(digits_of(row));
            }
            levels.push_back(rows);
        }
        return {{"bits", 64}, {"rows", levels}, {"size", table_of(m).size}};
    }
    mechanism_words words(const metric &) const override { return {}; }
};

} // namespace

const mechanism &exponential() {
    static const exponential_mechanism object;
    return object;
}

} // namespace sotto::aggregator
