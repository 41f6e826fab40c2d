// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/counted.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/level_text.hpp"
#include "aggregator/mechanism/memoryless.hpp"
#include "aggregator/mechanism/share_option.hpp"
#include "aggregator/mechanism/unary_channel.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// Optimized or not: the two differ in what is planned alone.
class unary_mechanism final : public memoryless<counted_mechanism> {
  public:
    explicit unary_mechanism(bool optimized) : optimized_(optimized) {}

    static const unary_table &table_of(const metric &m) { return std::get<unary_table>(m.table); }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const json_node table = node.at("table");
        unary_table t;
        t.channel = read_channels(table.at("channel"), levels);
        t.size = read_small(table.at("size"), 2, SOTTO_BITS_MAX);
        t.max_members = read_small(table.at("max_members"), 1, t.size);
        if (m.type == SOTTO_TYPE_CATEGORY && t.max_members != 1) {
            table.at("max_members").fail("not 1, for a category");
        }
        m.table = std::move(t);
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        return read_forward_bits(table);
    }
    ladder_rules rules(const metric &) const override { return {}; }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &) const override { return answer_shape::counts; }

    std::vector<level_law> laws(const metric &m) const override {
        const std::vector<bit_channel_table> &channel = table_of(m).channel;
        std::vector<level_law> laws(channel.size());
        bit_law bit;
        for (std::size_t i = channel.size(); i-- > 0;) {
            bit = bit.after(channel[i]);
            laws[i] = bit_channel{bit.if_zero, bit.if_one};
        }
        return laws;
    }
    level_law next_law(const metric &, const forward_table &step,
                       const level_law &last) const override {
        const auto &[if_zero, if_one] = std::get<bit_channel>(last);
        const bit_law bit = next_bit(std::get<forward_bits_table>(step), {if_zero, if_one});
        return bit_channel{bit.if_zero, bit.if_one};
    }
    // MECHANISMS.md, I: sets of at most `most` members, two that differ in as many bits as can be.
    double loss(const metric &m, const level_law &law) const override {
        const auto &by = std::get<bit_channel>(law);
        const double loss_of_one = loss_if_one(by), loss_of_zero = loss_if_zero(by);
        const double most = table_of(m).max_members, size = table_of(m).size;
        return size >= 2 * most ? most * (loss_of_one + loss_of_zero)
                                : most * std::max(loss_of_one, loss_of_zero) +
                                      (size - most) * std::min(loss_of_one, loss_of_zero);
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        const unary_table &t = table_of(m);
        image.table.unary =
            memory.keep(sotto_unary{memory.channels(t.channel), t.size, t.max_members});
        image.forward.bits = memory.forward_bits(m.forward);
    }
    std::size_t more_random_bytes(const sotto_metric &) const override { return 0; }

    published_values published(const metric &m) const override {
        const unary_table &t = table_of(m);
        return {.kind = value_kind::bits, .size = t.size, .max_members = t.max_members};
    }
    std::optional<double> keep(const metric &, const level_law &) const override {
        return std::nullopt;
    }

    std::optional<bit_channel> channel(const metric &, const level_law &law) const override {
        return std::get<bit_channel>(law);
    }

    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        const char *name = optimized_ ? "optimized_unary" : "unary";
        if (request.type == "category") {
            const std::uint32_t size = *request.size;
            const bit_channel by =
                optimized_ ? optimized_for_category(epsilon) : symmetric_for_category(epsilon);
            return size > SOTTO_BITS_MAX
                       ? std::vector<plan_option>()
                       : std::vector{bits_option(request, epsilon, name, by, size, 1.0 / size,
                                                 category_keys(size))};
        }
        const std::uint32_t size = *request.members, most = *request.max_members;
        const double share = std::min(0.5, static_cast<double>(most) / size); // at most, on average
        const bit_channel by = optimized_ ? optimized_for_set(epsilon, size, most)
                                          : symmetric_for_set(epsilon, size, most);
        return {bits_option(request, epsilon, name, by, size, share, set_keys(size, most))};
    }

    std::string table_text(const metric &m) const override {
        const unary_table &t = table_of(m);
        std::string text = fmt::format("for each of {} bits:\n", t.size);
        for (std::size_t i = t.channel.size(); i-- > 0;) {
            text += level_line(i, fmt::format("{} (of {})", channel_text(t.channel[i]),
                                              source_of(i, t.channel.size())));
        }
        return text;
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        const unary_table &t = table_of(m);
        return {{"channel", channels_json(t.channel)},
                {"size", t.size},
                {"max_members", t.max_members}};
    }
    mechanism_words words(const metric &) const override { return {}; }

  private:
    bool optimized_;
};

} // namespace

const mechanism &optimized_unary() {
    static const unary_mechanism object(true);
    return object;
}

const mechanism &symmetric_unary() {
    static const unary_mechanism object(false);
    return object;
}

} // namespace sotto::aggregator
