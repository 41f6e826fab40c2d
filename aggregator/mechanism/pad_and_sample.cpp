// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/counted.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/flips.hpp"
#include "aggregator/mechanism/keeps.hpp"
#include "aggregator/mechanism/level_text.hpp"
#include "aggregator/mechanism/memoryless.hpp"
#include "aggregator/mechanism/share_option.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t place_bytes = 8;

double part(std::uint32_t some, std::uint32_t of_all) { return static_cast<double>(some) / of_all; }

// Does an answer name this member? For a set without it one does by chance alone.
bit_channel naming_channel(const pad_and_sample_table &t, double keep) {
    const double any = (1 - keep) * part(t.named, t.elements());
    return {any, any + keep * part(t.named, t.max_members)};
}

// As tools/registry/pad_and_sample.py has it.
double sampling_keep(const pad_and_sample_table &t, double epsilon) {
    const double odds = std::expm1(epsilon) * part(t.width(), t.answers());
    return odds / (1 + odds);
}
bool fits(const pad_and_sample_table &t) {
    return t.named <= t.max_members && t.answers() <= SOTTO_CATEGORIES_MAX;
}

// A set is padded with dummies; one element of it, or two, go through MIX.
class sampling_mechanism final : public memoryless<counted_mechanism> {
  public:
    static const pad_and_sample_table &table_of(const metric &m) {
        return std::get<pad_and_sample_table>(m.table);
    }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const json_node table = node.at("table");
        pad_and_sample_table t;
        t.keep = read_keeps(table, levels);
        t.size = table.at("size").integer(2, SOTTO_BITS_MAX);
        t.max_members = table.at("max_members").integer(1, t.size);
        t.named = table.at("named").integer(1, std::min<std::uint32_t>(2, t.max_members));
        if (!fits(t)) {
            table.at("named").fail("makes too many answers");
        }
        (void)node.at("best_level").integer(0, static_cast<std::uint32_t>(levels - 1));
        m.table = std::move(t);
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        table.fail("not possible with samples of a set");
    }
    ladder_rules rules(const metric &) const override { return {.has_forward = false}; }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &) const override { return answer_shape::counts; }

    std::vector<level_law> laws(const metric &m) const override {
        return keep_laws(table_of(m).keep);
    }
    // There is no step forward; a registry with one is refused before.
    level_law next_law(const metric &, const forward_table &,
                       const level_law &last) const override {
        return last;
    }
    double loss(const metric &m, const level_law &law) const override {
        const pad_and_sample_table &t = table_of(m);
        return std::log1p(keep_of(law) / (1 - keep_of(law)) * part(t.answers(), t.width()));
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        const pad_and_sample_table &t = table_of(m);
        image.table.pad_and_sample = memory.keep(sotto_pad_and_sample{
            memory.thresholds(t.keep), static_cast<std::uint16_t>(t.size),
            static_cast<std::uint16_t>(t.max_members), static_cast<std::uint8_t>(t.named)});
    }
    std::size_t more_random_bytes(const sotto_metric &) const override { return place_bytes; }

    published_values published(const metric &m) const override {
        const pad_and_sample_table &t = table_of(m);
        return {.kind = value_kind::index,
                .size = t.answers(),
                .values = t.size,
                .max_members = t.max_members};
    }
    // An answer may stand for two members: none can be selected by it.
    std::optional<double> keep(const metric &, const level_law &) const override {
        return std::nullopt;
    }
    std::optional<bit_channel> channel(const metric &m, const level_law &law) const override {
        return naming_channel(table_of(m), keep_of(law));
    }
    std::uint64_t count(const metric &m, std::span<const std::uint64_t> by_answer,
                        std::size_t at) const override {
        const pad_and_sample_table &t = table_of(m);
        if (t.named == 1) {
            return by_answer[at];
        }
        std::uint64_t sum = 0;
        for (std::size_t other = 0; other < t.elements(); ++other) {
            const std::size_t low = std::min(at, other), high = std::max(at, other);
            sum += other == at ? 0 : by_answer[high * (high - 1) / 2 + low];
        }
        return sum;
    }
    bit_channel answer_channel(const metric &m, const bit_channel &yes) const override {
        const pad_and_sample_table &t = table_of(m);
        const double keep = (yes.one_if_one - yes.one_if_zero) / part(t.named, t.max_members);
        const double any = (1 - keep) / t.answers();
        return {any, any + keep / t.width()};
    }

    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        const std::uint32_t size = *request.members, most = *request.max_members;
        const double share = std::min(0.5, part(most, size)); // as of unary bits
        std::optional<plan_option> best;
        double least = 0;
        for (const std::uint32_t count : {1U, 2U}) {
            const pad_and_sample_table t = {{}, size, most, count};
            if (!fits(t)) {
                continue;
            }
            const double made_for = request.best_epsilon.value_or(epsilon);
            const double error =
                share_error(naming_channel(t, sampling_keep(t, made_for)), 1, share);
            if (!best || error < least) {
                least = error;
                best = option(request, epsilon, t, share);
            }
        }
        return best ? std::vector{*best} : std::vector<plan_option>();
    }

    std::string table_text(const metric &m) const override {
        const pad_and_sample_table &t = table_of(m);
        return fmt::format("out of 2^64; a set is padded to {} elements with dummies, and {} of "
                           "them drawn at random:\n",
                           t.max_members, t.named == 1 ? "one" : "two") +
               keep_lines(t.keep, "what is drawn", t.answers());
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        const pad_and_sample_table &t = table_of(m);
        return {{"bits", 64},
                {"keep", digits_of(t.keep)},
                {"max_members", t.max_members},
                {"named", t.named},
                {"size", t.size}};
    }
    mechanism_words words(const metric &) const override { return {}; }

  private:
    static plan_option option(const plan_request &request, double epsilon,
                              const pad_and_sample_table &t, double share) {
        plan_option out = channel_option(request, epsilon, "pad_and_sample",
                                         naming_channel(t, sampling_keep(t, epsilon)), share);
        out.parameters =
            fmt::format("{} of {} elements, {} answers", t.named, t.max_members, t.answers());
        out.random_bytes = place_bytes + 16;
        out.report_bytes = planned_report_bytes({.kind = value_kind::index, .size = t.answers()});
        out.keys = share_keys(request, out, set_keys(t.size, t.max_members));
        return out;
    }
};

} // namespace

const mechanism &pad_and_sample() {
    static const sampling_mechanism object;
    return object;
}

} // namespace sotto::aggregator
