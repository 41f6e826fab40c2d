// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/k_randomized_response.hpp"

#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/counted.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/flips.hpp"
#include "aggregator/mechanism/keeps.hpp"
#include "aggregator/mechanism/level_text.hpp"
#include "aggregator/mechanism/memoryless.hpp"
#include "aggregator/mechanism/share_option.hpp"

#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

class k_ary_mechanism final : public memoryless<counted_mechanism> {
  public:
    static const k_randomized_response_table &table_of(const metric &m) {
        return std::get<k_randomized_response_table>(m.table);
    }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const json_node table = node.at("table");
        m.table = k_randomized_response_table{read_keeps(table, levels),
                                              table.at("size").integer(2, SOTTO_CATEGORIES_MAX)};
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        forward_category_table t;
        const std::vector<threshold> to_value =
            read_thresholds(table.at("to_value"), 2, ~threshold{0});
        t.to_value = {to_value[0], to_value[1]};
        t.keep_last = table.at("keep_last").integer_text(t.to_value[0], ~threshold{0});
        return t;
    }
    ladder_rules rules(const metric &) const override { return {}; }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &) const override { return answer_shape::counts; }

    std::vector<level_law> laws(const metric &m) const override {
        return keep_laws(table_of(m).keep);
    }
    level_law next_law(const metric &m, const forward_table &step,
                       const level_law &last) const override {
        const auto &t = std::get<forward_category_table>(step);
        const double k = table_of(m).size;
        const double kept = keep_of(last), same = kept + (1 - kept) / k;
        const double to_value[] = {probability(t.to_value[0]), probability(t.to_value[1])};
        const double truth = same * (to_value[1] + (1 - to_value[1]) / k) +
                             (1 - same) * (to_value[0] + (1 - probability(t.keep_last)) / k);
        return keep_law{(k * truth - 1) / (k - 1)};
    }
    double loss(const metric &m, const level_law &law) const override {
        return std::log1p(keep_of(law) * table_of(m).size / (1 - keep_of(law)));
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        image.table.k_randomized_response = memory.keep(
            sotto_k_randomized_response{memory.thresholds(table_of(m).keep), table_of(m).size});
        image.forward.category =
            memory.each<sotto_forward_category>(m.forward, [](const forward_level &s) {
                const auto &t = std::get<forward_category_table>(s.table);
                return sotto_forward_category{{limbs(t.to_value[0]), limbs(t.to_value[1])},
                                              limbs(t.keep_last)};
            });
    }
    std::size_t more_random_bytes(const sotto_metric &) const override { return 0; }

    published_values published(const metric &m) const override {
        return {.kind = value_kind::index, .size = table_of(m).size};
    }
    std::optional<double> keep(const metric &, const level_law &law) const override {
        return keep_of(law);
    }

    std::optional<bit_channel> channel(const metric &m, const level_law &law) const override {
        return k_randomized_response_channel(keep_of(law), table_of(m).size);
    }

    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        const std::uint32_t size = *request.size;
        if (size > SOTTO_CATEGORIES_MAX) {
            return {};
        }
        const double keep = std::expm1(epsilon) / (std::exp(epsilon) + size - 1);
        plan_option out = channel_option(request, epsilon, "k_randomized_response",
                                         k_randomized_response_channel(keep, size), 1.0 / size);
        out.random_bytes = 16;
        out.parameters = fmt::format("keep {:.4g}", keep);
        out.keys = share_keys(request, out, category_keys(size));
        return {out};
    }

    std::string table_text(const metric &m) const override {
        const auto &[keep, size] = table_of(m);
        return "out of 2^64:\n" + keep_lines(keep, source_of(keep.size() - 1, keep.size()), size);
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        return {{"bits", 64}, {"keep", digits_of(table_of(m).keep)}, {"size", table_of(m).size}};
    }
    mechanism_words words(const metric &) const override { return {}; }
};

} // namespace

const mechanism &k_randomized_response() {
    static const k_ary_mechanism object;
    return object;
}

} // namespace sotto::aggregator
