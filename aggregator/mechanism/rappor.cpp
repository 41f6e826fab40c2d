// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/rappor.hpp"

#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/counted.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/level_text.hpp"
#include "aggregator/mechanism/rappor_plan.hpp"

#include "random/bernoulli_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// Is the one to zeros what the other is to ones? 2^64 is 0 here, and the difference still right.
bool mirror(const bit_channel_table &a, const bit_channel_table &b) {
    const threshold whole = a.bits == 64 ? 0 : threshold{1} << a.bits;
    return a.bits == b.bits && b.one_if_zero == whole - a.one_if_one &&
           b.one_if_one == whole - a.one_if_zero;
}

// For strings, and for categories as one-hot bits: the two differ in what is read and planned, and
// then by their hashes.
class rappor_mechanism final : public counted_mechanism {
  public:
    explicit rappor_mechanism(bool one_hot) : one_hot_(one_hot) {}

    static const rappor_table &table_of(const metric &m) { return std::get<rappor_table>(m.table); }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const json_node table = node.at("table");
        rappor_table t;
        t.permanent = read_channels(table.at("permanent"), levels);
        t.instantaneous = read_channels(table.at("instantaneous"), levels);
        t.bits = read_small(table.at("bits"), one_hot_ ? 2 : 8, SOTTO_BITS_MAX);
        t.hashes =
            read_small(table.at("hashes"), one_hot_ ? 0 : 1, one_hot_ ? 0 : SOTTO_HASHES_MAX);
        t.cohorts = read_small(table.at("cohorts"), 1, one_hot_ ? 1 : SOTTO_COHORTS_MAX);
        t.max_bytes = read_small(table.at("max_bytes"), one_hot_ ? 0 : 1,
                                 one_hot_ ? 0 : SOTTO_STRING_BYTES_MAX);
        t.max_values = read_small(table.at("max_values"), 0, SOTTO_REMEMBERED_MAX);
        // The top has no level above it to be drawn from.
        t.chained = read_small(table.at("chained"), 0, (1u << (levels - 1)) - 1);
        const std::string &protects = table.at("protects").string();
        t.protects_sequence = protects == "sequence";
        if (!t.protects_sequence && protects != "value") {
            table.at("protects").fail("neither \"value\" nor \"sequence\"");
        }
        m.table = std::move(t);
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        const forward_bits_table t = read_forward_bits(table);
        if (!table.has("instantaneous")) {
            return t;
        }
        if (!mirror(t.given[0], t.given[1])) {
            table.at("given").fail("the two do not mirror each other");
        }
        return forward_permanent_table{t, read_channel(table.at("instantaneous"))};
    }
    ladder_rules rules(const metric &) const override {
        return {.is_chain = false, // instantaneous noise is fresh at each level
                .has_nominal = false};
    }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &m) const override {
        return strings(m) == nullptr ? answer_shape::counts : answer_shape::strings;
    }

    std::vector<level_law> laws(const metric &m) const override {
        const rappor_table &t = table_of(m);
        std::vector<level_law> laws(t.permanent.size());
        bit_law permanent, report;
        for (std::size_t i = t.permanent.size(); i-- > 0;) {
            permanent = permanent.after(t.permanent[i]);
            report = (is_chained(t, i) ? report : permanent).after(t.instantaneous[i]);
            laws[i] = permanent_law{report.if_zero, report.if_one, permanent.if_zero};
        }
        return laws;
    }
    // Between reports the step goes by the permanent bits, which stay as they are; from permanent
    // bits to others, reports are drawn anew.
    level_law next_law(const metric &, const forward_table &step,
                       const level_law &last) const override {
        const double flip = permanent_flip_of(last);
        if (const auto *t = std::get_if<forward_permanent_table>(&step)) {
            const double lower = through(t->permanent.given[0], flip);
            const bit_law report = bit_law{lower, 1 - lower}.after(t->instantaneous);
            return permanent_law{report.if_zero, report.if_one, lower};
        }
        const auto spread = [&](double sign, const bit_law &report) {
            return sign * flip * (report.if_one - report.if_zero);
        };
        const bit_channel by = channel_of(last);
        const bit_law both = {by.one_if_zero, by.one_if_one};
        const double out = spread(1 / (1 - 2 * flip), both);
        const bit_law report =
            next_bit(std::get<forward_bits_table>(step), {both.if_zero - out, both.if_one + out});
        return permanent_law{report.if_zero + spread(1, report), report.if_one - spread(1, report),
                             flip};
    }
    double loss(const metric &m, const level_law &law) const override {
        const bit_channel by = channel_of(law);
        return std::max<double>(table_of(m).hashes, 1) * (loss_if_one(by) + loss_if_zero(by));
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        const rappor_table &t = table_of(m);
        sotto_rappor out = {};
        out.permanent = memory.channels(t.permanent);
        out.instantaneous = memory.channels(t.instantaneous);
        out.bits = t.bits;
        out.hashes = t.hashes;
        out.cohorts = t.cohorts;
        out.max_bytes = t.max_bytes;
        out.max_values = t.max_values;
        out.chained = t.chained;
        out.protects_sequence = t.protects_sequence ? 1 : 0;
        // The id tells the metrics of a simulated device apart: its secret serves no other
        // registry.
        static constexpr std::uint8_t definition[32] = {};
        out.definition = t.protects_sequence ? nullptr : definition;
        if (has_forward_permanent(m)) {
            forward_permanent(m, memory, out, image);
        } else {
            image.forward.bits = memory.forward_bits(m.forward);
        }
        image.table.rappor = memory.keep(out);
        image.client =
            t.protects_sequence ? &sotto_client_code_two_stages : &sotto_client_code_kept_values;
    }
    std::size_t more_random_bytes(const sotto_metric &in_flash) const override {
        std::size_t of_word = 0;
        for (std::uint32_t level = 0; level < in_flash.level_count; ++level) {
            of_word += bernoulli_lanes_bytes(in_flash.table.rappor->instantaneous[level]);
        }
        return in_flash.value_words * of_word;
    }
    // Above the ladder reports need no value, permanent bits do.
    bool forward_needs_value(const metric &m) const override { return has_forward_permanent(m); }

    published_values published(const metric &m) const override {
        const rappor_table &t = table_of(m);
        return {.kind = value_kind::bits,
                .size = t.bits,
                .cohorts = t.cohorts,
                .names_cohort = t.hashes > 0};
    }
    std::optional<std::uint16_t> remembered(const metric &m) const override {
        const rappor_table &t = table_of(m);
        return t.protects_sequence ? std::nullopt : std::optional(t.max_values);
    }
    double permanent_flip(const metric &, const level_law &law) const override {
        return permanent_flip_of(law);
    }
    std::optional<double> unit_epsilon(const metric &, const level_law &) const override {
        return std::nullopt;
    }
    double noise_variance(const metric &, const level_law &) const override { return 0; }
    const difference_set *supports(const metric &) const override { return nullptr; }
    const sums_over_time *over_time(const metric &) const override { return nullptr; }
    const sums_over_places *over_places(const metric &) const override { return nullptr; }
    const binned_numbers *bins(const metric &) const override { return nullptr; }
    distribution_fit fit(const metric &, std::span<const level_tally>,
                         std::span<const double>) const override {
        return {};
    }
    std::optional<point_moves> moves(const metric &) const override { return std::nullopt; }
    const bloom_shape *strings(const metric &m) const override {
        return m.type == SOTTO_TYPE_STRING ? &table_of(m) : nullptr;
    }
    std::optional<double> keep(const metric &, const level_law &) const override {
        return std::nullopt;
    }

    std::optional<bit_channel> channel(const metric &, const level_law &law) const override {
        return channel_of(law);
    }

    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        return one_hot_ ? one_hot_options(request, epsilon) : string_options(request, epsilon);
    }

    std::string table_text(const metric &m) const override {
        const rappor_table &t = table_of(m);
        const std::size_t count = t.permanent.size();
        std::string text = fmt::format("for each of {} bits:\n", t.bits);
        for (std::size_t i = count; i-- > 0;) {
            text += level_line(i, fmt::format("permanent: {} (of {})", channel_text(t.permanent[i]),
                                              i + 1 == count
                                                  ? "the value's bits"
                                                  : fmt::format("those of level {}", i + 1)));
            text += level_line(
                i, fmt::format("reported: {} (of {})", channel_text(t.instantaneous[i]),
                               is_chained(t, i) ? fmt::format("the report of level {}", i + 1)
                                                : "the permanent bits"));
        }
        return text;
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        const rappor_table &t = table_of(m);
        return {{"permanent", channels_json(t.permanent)},
                {"instantaneous", channels_json(t.instantaneous)},
                {"bits", t.bits},
                {"hashes", t.hashes},
                {"cohorts", t.cohorts},
                {"max_bytes", t.max_bytes},
                {"max_values", t.max_values},
                {"protects", t.protects_sequence ? "sequence" : "value"},
                {"chained", t.chained}};
    }
    mechanism_words words(const metric &) const override {
        return {.obstacle = "its permanent noise is another than that of the level above"};
    }

  private:
    static bit_channel channel_of(const level_law &law) {
        const auto &p = std::get<permanent_law>(law);
        return {p.one_if_zero, p.one_if_one};
    }

    static bool is_chained(const rappor_table &t, std::size_t level) {
        return (t.chained >> level & 1) != 0;
    }

    static bool has_forward_permanent(const metric &m) {
        return !m.forward.empty() &&
               std::holds_alternative<forward_permanent_table>(m.forward[0].table);
    }

    // The reports of these levels stand behind those of the ladder.
    static void forward_permanent(const metric &m, device_memory &memory, sotto_rappor &out,
                                  sotto_metric &image) {
        image.forward.bits = memory.each<sotto_forward_bits>(m.forward, [](const forward_level &s) {
            return in_flash(std::get<forward_permanent_table>(s.table).permanent);
        });
        const std::size_t below = m.levels.size();
        auto *reports = memory.array<sotto_bit_channel>(below + m.forward.size());
        std::copy_n(out.instantaneous, below, reports);
        for (std::size_t i = 0; i < m.forward.size(); ++i) {
            reports[below + i] =
                in_flash(std::get<forward_permanent_table>(m.forward[i].table).instantaneous);
        }
        out.instantaneous = reports;
        out.forward_permanent = 1;
    }

    bool one_hot_;
};

} // namespace

const mechanism &rappor() {
    static const rappor_mechanism object(false);
    return object;
}

const mechanism &basic_rappor() {
    static const rappor_mechanism object(true);
    return object;
}

} // namespace sotto::aggregator
