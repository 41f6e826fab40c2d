// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/counted.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/flips.hpp"
#include "aggregator/mechanism/level_text.hpp"
#include "aggregator/mechanism/memoryless.hpp"
#include "aggregator/mechanism/share_option.hpp"

#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// A boolean that stays, or becomes a fair coin.
class two_coins_mechanism final : public memoryless<counted_mechanism> {
  public:
    static const two_coins_table &table_of(const metric &m) {
        return std::get<two_coins_table>(m.table);
    }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        (void)node.at("table").at("bits").integer(64, 64);
        m.table =
            two_coins_table{read_thresholds(node.at("table").at("keep"), levels, ~threshold{0})};
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        table.fail("not possible with two coins");
    }
    ladder_rules rules(const metric &) const override { return {.has_forward = false}; }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &) const override { return answer_shape::counts; }

    std::vector<level_law> laws(const metric &m) const override {
        const std::vector<threshold> &kept = table_of(m).keep;
        std::vector<level_law> laws(kept.size());
        double keep = 1;
        for (std::size_t i = kept.size(); i-- > 0;) {
            keep *= probability(kept[i]);
            laws[i] = keep_law{keep};
        }
        return laws;
    }
    // There is no step forward; a registry with one is refused before.
    level_law next_law(const metric &, const forward_table &,
                       const level_law &last) const override {
        return last;
    }
    double loss(const metric &, const level_law &law) const override {
        return std::log1p(keep_of(law)) - std::log1p(-keep_of(law));
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        image.table.two_coins = memory.keep(sotto_two_coins{memory.thresholds(table_of(m).keep)});
    }
    std::size_t more_random_bytes(const sotto_metric &) const override { return 0; }

    published_values published(const metric &) const override { return {}; }
    std::optional<double> keep(const metric &, const level_law &law) const override {
        return keep_of(law);
    }
    std::optional<bit_channel> channel(const metric &, const level_law &law) const override {
        return bit_channel{(1 - keep_of(law)) / 2, (1 + keep_of(law)) / 2};
    }

    // As good as randomized response, for one random byte more.
    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        plan_option out = boolean_option(request, epsilon, "two_coins", "");
        out.random_bytes = 9;
        return {out};
    }

    std::string table_text(const metric &m) const override {
        const std::vector<threshold> &keep = table_of(m).keep;
        std::string text = "out of 2^64:\n";
        for (std::size_t i = keep.size(); i-- > 0;) {
            text += level_line(i, fmt::format("{} ({} is kept, else it is a fair coin)", keep[i],
                                              source_of(i, keep.size())));
        }
        return text;
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        return {{"bits", 64}, {"keep", digits_of(table_of(m).keep)}};
    }
    mechanism_words words(const metric &) const override { return {}; }
};

} // namespace

const mechanism &two_coins() {
    static const two_coins_mechanism object;
    return object;
}

} // namespace sotto::aggregator
