// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/counted.hpp"
#include "aggregator/mechanism/design_plan.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/flips.hpp"
#include "aggregator/mechanism/keeps.hpp"
#include "aggregator/mechanism/level_text.hpp"
#include "aggregator/mechanism/memoryless.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

std::vector<std::uint16_t> read_design(const json_node &node, std::uint32_t answers) {
    std::vector<std::uint16_t> design;
    for (const json_node &element : node.elements(2, SOTTO_SUPPORT_MAX)) {
        design.push_back(static_cast<std::uint16_t>(element.integer(0, answers - 1)));
    }
    return design;
}

// Categories by answers that support them: a difference set says which.
class design_mechanism final : public memoryless<counted_mechanism> {
  public:
    static const design_table &table_of(const metric &m) { return std::get<design_table>(m.table); }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const json_node table = node.at("table");
        design_table t;
        t.keep = read_keeps(table, levels);
        t.size = table.at("size").integer(2, SOTTO_CATEGORIES_MAX);
        t.answers = table.at("answers").integer(t.size, SOTTO_CATEGORIES_MAX);
        t.design = read_design(table.at("design"), t.answers);
        if (!t.is_one()) {
            table.at("design").fail("is no cyclic difference set");
        }
        (void)node.at("best_level").integer(0, static_cast<std::uint32_t>(levels - 1));
        m.table = std::move(t);
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        return read_support_step(table);
    }
    ladder_rules rules(const metric &) const override { return {}; }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &) const override { return answer_shape::counts; }

    std::vector<level_law> laws(const metric &m) const override {
        return keep_laws(table_of(m).keep);
    }
    level_law next_law(const metric &m, const forward_table &step,
                       const level_law &last) const override {
        return next_support_law(step, last, table_of(m).density());
    }
    double loss(const metric &m, const level_law &law) const override {
        return std::log1p(keep_of(law) / (1 - keep_of(law)) / table_of(m).density());
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        const design_table &t = table_of(m);
        const auto narrow = [](auto n) { return static_cast<std::uint16_t>(n); };
        image.table.design = memory.keep(
            sotto_design{memory.thresholds(t.keep), memory.each<std::uint16_t>(t.design, narrow),
                         narrow(t.answers), narrow(t.design.size()), narrow(t.size)});
        image.forward.support = memory.forward_support(m.forward);
    }
    std::size_t more_random_bytes(const sotto_metric &) const override { return 0; }

    published_values published(const metric &m) const override {
        return {.kind = value_kind::index, .size = table_of(m).answers, .values = table_of(m).size};
    }
    const difference_set *supports(const metric &m) const override { return &table_of(m); }
    // An answer stands for many categories: none can be selected by it.
    std::optional<double> keep(const metric &, const level_law &) const override {
        return std::nullopt;
    }

    std::optional<bit_channel> channel(const metric &m, const level_law &law) const override {
        const design_table &t = table_of(m);
        return support_channel(keep_of(law), t.answers, static_cast<double>(t.design.size()));
    }

    std::uint64_t count(const metric &m, std::span<const std::uint64_t> by_answer,
                        std::size_t at) const override {
        return table_of(m).count(by_answer, static_cast<std::uint32_t>(at));
    }
    bit_channel answer_channel(const metric &m, const bit_channel &yes) const override {
        return table_of(m).answer_channel(yes);
    }

    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        return design_options(request, epsilon);
    }

    std::string table_text(const metric &m) const override {
        const design_table &t = table_of(m);
        return fmt::format("out of 2^64; {} of {} answers support a category:\n", t.design.size(),
                           t.answers) +
               keep_lines(t.keep, "an answer that supports it", t.answers);
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        const design_table &t = table_of(m);
        return {{"answers", t.answers},
                {"bits", 64},
                {"design", t.design},
                {"keep", digits_of(t.keep)},
                {"size", t.size}};
    }
    mechanism_words words(const metric &) const override { return {}; }
};

} // namespace

const mechanism &design() {
    static const design_mechanism object;
    return object;
}

} // namespace sotto::aggregator
