// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/counted.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/hashed_plan.hpp"
#include "aggregator/mechanism/keeps.hpp"
#include "aggregator/mechanism/level_text.hpp"
#include "aggregator/statistics/k_randomized_response.hpp"

#include "mechanism/mix.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

const two_keeps_law &two_keeps_of(const level_law &law) { return std::get<two_keeps_law>(law); }

// Strings, or categories, by their hash value in the device's cohort: permanent noise, then fresh
// noise.
class hashed_mechanism final : public counted_mechanism {
  public:
    static const hashed_table &table_of(const metric &m) { return std::get<hashed_table>(m.table); }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const json_node table = node.at("table");
        hashed_table t;
        t.keep = read_keeps(table, levels);
        t.permanent = table.at("permanent").integer_text(1, ~threshold{0});
        t.bits = read_small(table.at("size"), 2, SOTTO_BITS_MAX);
        t.hashes = 1;
        t.cohorts = read_small(table.at("cohorts"), 1, SOTTO_COHORTS_MAX);
        t.max_bytes = read_small(table.at("max_bytes"), 1, SOTTO_STRING_BYTES_MAX);
        t.categories = m.type == SOTTO_TYPE_CATEGORY
                           ? table.at("categories").integer(2, SOTTO_CATEGORY_INDICES_MAX)
                           : table.at("categories").integer(0, 0);
        t.one_answer = true;
        m.table = std::move(t);
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        table.fail("a hashed response has no level above its ladder");
    }
    // Reports of one value can lose more together than each alone, added up.
    ladder_rules rules(const metric &) const override {
        return {.has_forward = false, .adds_up = false};
    }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &) const override { return answer_shape::strings; }

    std::vector<level_law> laws(const metric &m) const override {
        const hashed_table &t = table_of(m);
        const double permanent = probability(t.permanent);
        std::vector<level_law> laws(t.keep.size());
        double keep = permanent;
        for (std::size_t i = t.keep.size(); i-- > 0;) {
            keep *= probability(t.keep[i]);
            laws[i] = two_keeps_law{keep, permanent, t.bits};
        }
        return laws;
    }
    level_law next_law(const metric &, const forward_table &,
                       const level_law &last) const override {
        return last; // there is none
    }
    double loss(const metric &m, const level_law &law) const override {
        const double keep = two_keeps_of(law).keep;
        return std::log1p(keep * table_of(m).bits / (1 - keep));
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        const hashed_table &t = table_of(m);
        static constexpr std::uint8_t definition[32] = {}; // as for RAPPOR
        image.table.hashed =
            memory.keep(sotto_hashed{memory.thresholds(t.keep), limbs(t.permanent), t.bits,
                                     t.cohorts, t.max_bytes, t.categories, definition});
        image.client = &sotto_client_code_kept_hashes;
    }
    std::size_t more_random_bytes(const sotto_metric &in_flash) const override {
        return in_flash.level_count * mix_bytes;
    }
    bool forward_needs_value(const metric &) const override { return true; }

    published_values published(const metric &m) const override {
        const hashed_table &t = table_of(m);
        return {.kind = value_kind::index,
                .size = t.bits,
                .values = t.categories,
                .cohorts = t.cohorts,
                .names_cohort = true};
    }
    std::optional<std::uint16_t> remembered(const metric &m) const override {
        return table_of(m).bits;
    }
    const difference_set *supports(const metric &) const override { return nullptr; }
    const sums_over_time *over_time(const metric &) const override { return nullptr; }
    const sums_over_places *over_places(const metric &) const override { return nullptr; }
    std::optional<point_moves> moves(const metric &) const override { return std::nullopt; }
    const binned_numbers *bins(const metric &) const override { return nullptr; }
    distribution_fit fit(const metric &, std::span<const level_tally>,
                         std::span<const double>) const override {
        return {};
    }
    double permanent_flip(const metric &, const level_law &law) const override {
        return permanent_flip_of(law);
    }
    std::optional<double> unit_epsilon(const metric &, const level_law &) const override {
        return std::nullopt;
    }
    double noise_variance(const metric &, const level_law &) const override { return 0; }
    const bloom_shape *strings(const metric &m) const override { return &table_of(m); }
    std::optional<double> keep(const metric &, const level_law &) const override {
        return std::nullopt;
    }

    std::optional<bit_channel> channel(const metric &m, const level_law &law) const override {
        return k_randomized_response_channel(two_keeps_of(law).keep, table_of(m).bits);
    }

    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        return hashed_options(request, epsilon);
    }

    std::string table_text(const metric &m) const override {
        const hashed_table &t = table_of(m);
        return fmt::format(
                   "out of 2^64:\n    permanent: {} (the hash value is kept, else it is one "
                   "of all {} at random)\n",
                   t.permanent, t.bits) +
               keep_lines(t.keep, "the permanent answer", t.bits);
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        const hashed_table &t = table_of(m);
        return {{"bits", 64},
                {"keep", digits_of(t.keep)},
                {"permanent", std::to_string(t.permanent)},
                {"size", t.bits},
                {"cohorts", t.cohorts},
                {"max_bytes", t.max_bytes},
                {"categories", t.categories}};
    }
    mechanism_words words(const metric &) const override { return {.remembers_hashes = true}; }
};

} // namespace

const mechanism &hashed() {
    static const hashed_mechanism object;
    return object;
}

} // namespace sotto::aggregator
