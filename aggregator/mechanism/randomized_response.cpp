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

// For booleans, and for thresholded Laplace noise on the unit grid, which is the same thing.
class response_mechanism final : public memoryless<counted_mechanism> {
  public:
    static const randomized_response_table &table_of(const metric &m) {
        return std::get<randomized_response_table>(m.table);
    }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        m.table = randomized_response_table{read_flips(node.at("table"), levels)};
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        return read_forward_bits(table);
    }
    ladder_rules rules(const metric &) const override { return {}; }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &) const override { return answer_shape::counts; }

    std::vector<level_law> laws(const metric &m) const override {
        return flip_laws(table_of(m).flip);
    }
    level_law next_law(const metric &, const forward_table &step,
                       const level_law &last) const override {
        return next_flip_law(step, last);
    }
    double loss(const metric &, const level_law &law) const override { return flip_loss(law); }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        // The device takes thresholded noise on the unit grid for this.
        image.mechanism = SOTTO_MECHANISM_RANDOMIZED_RESPONSE;
        image.table.randomized_response =
            memory.keep(sotto_randomized_response{memory.thresholds(table_of(m).flip)});
        image.forward.bits = memory.forward_bits(m.forward);
    }
    std::size_t more_random_bytes(const sotto_metric &) const override { return 0; }

    published_values published(const metric &) const override { return {}; }
    std::optional<double> keep(const metric &, const level_law &law) const override {
        return 1 - 2 * flip_of(law);
    }

    std::optional<bit_channel> channel(const metric &, const level_law &law) const override {
        return bit_channel{flip_of(law), 1 - flip_of(law)};
    }

    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        return {boolean_option(request, epsilon, "randomized_response", "")};
    }

    std::string table_text(const metric &m) const override {
        return "out of 2^64:\n" + flip_lines(table_of(m).flip);
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        return {{"bits", 64}, {"flip", digits_of(table_of(m).flip)}};
    }
    mechanism_words words(const metric &) const override { return {}; }
};

} // namespace

const mechanism &randomized_response() {
    static const response_mechanism object;
    return object;
}

} // namespace sotto::aggregator
