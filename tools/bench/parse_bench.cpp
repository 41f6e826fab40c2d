// SPDX-License-Identifier: Apache-2.0
// Encoded batches to checked reports: ours, protozero, libprotobuf with an arena. The others get
// the ids of new releases by our function.
#include "aggregator/base/big_endian.hpp"
#include "aggregator/report/check.hpp"
#include "fleet.hpp"

#include "report.pb.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <google/protobuf/arena.h>
#include <protozero/pbf_reader.hpp>

namespace sotto::bench {
namespace {

constexpr std::uint32_t epoch = 7;
constexpr std::size_t value_bytes = 1 + bits / 8; // a cohort in a byte of its own

// `parse` returns how many reports of a batch are sound.
template <typename Parse> void parse_all(benchmark::State &state, const Parse &parse) {
    const std::vector<std::string> &batches = some_batches();
    std::size_t taken = 0;
    for (auto _ : state) {
        for (const std::string &batch : batches) {
            taken += parse(batch);
        }
    }
    if (taken !=
        batches.size() * reports_per_batch * static_cast<std::size_t>(state.iterations())) {
        state.SkipWithError("a report was not read");
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(taken));
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

void parse_sotto(benchmark::State &state) {
    const aggregator::report_rules rules(fleet_registry().metrics[0]);
    const aggregator::value_layouts layouts(fleet_registry());
    aggregator::batch_reader reader;
    parse_all(state, [&](std::string_view text) -> std::size_t {
        if (reader.read(bytes_of(text), layouts)) {
            return 0;
        }
        const auto sound = [&](const aggregator::report_view &r) {
            benchmark::DoNotOptimize(r);
            return r.metric == 1 && !rules.check(r);
        };
        return static_cast<std::size_t>(
            std::count_if(reader.reports().begin(), reader.reports().end(), sound));
    });
}

// The reports of a batch whose columns are read: ids, cohorts and bits.
template <typename Steps>
std::size_t take(aggregator::new_ids &ids, const std::uint8_t *seed, const Steps &steps,
                 std::string_view values) {
    std::size_t sound = 0;
    std::uint32_t metric = 0;
    const std::uint8_t *id =
        ids.of_seed(std::span<const std::uint8_t, 8>(seed, 8), values.size() / value_bytes).data();
    for (const std::uint32_t step : steps) {
        metric += step;
        if (values.size() < value_bytes) {
            return 0;
        }
        const auto release = aggregator::get_big_endian<std::uint64_t>(id);
        const auto cohort = static_cast<std::uint8_t>(values[0]);
        std::string_view value = values.substr(1, bits / 8);
        benchmark::DoNotOptimize(release);
        benchmark::DoNotOptimize(value);
        sound += metric == 1 && cohort < cohorts ? 1 : 0;
        id += 8;
        values.remove_prefix(value_bytes);
    }
    return values.empty() ? sound : 0;
}

// As a careful reader with the library's own checks would write it.
void parse_protozero(benchmark::State &state) {
    aggregator::new_ids ids;
    parse_all(state, [&](std::string_view text) -> std::size_t {
        protozero::pbf_reader reader(text.data(), text.size());
        std::uint32_t at = 0;
        std::uint64_t seed = 0;
        protozero::iterator_range<protozero::pbf_reader::const_uint32_iterator> steps;
        protozero::data_view values;
        while (reader.next()) {
            switch (reader.tag_and_type()) {
            case protozero::tag_and_type(1, protozero::pbf_wire_type::varint):
                at = reader.get_uint32();
                break;
            case protozero::tag_and_type(2, protozero::pbf_wire_type::fixed64):
                seed = reader.get_fixed64();
                break;
            case protozero::tag_and_type(3, protozero::pbf_wire_type::length_delimited):
                steps = reader.get_packed_uint32();
                break;
            case protozero::tag_and_type(8, protozero::pbf_wire_type::length_delimited):
                values = reader.get_view();
                break;
            default:
                reader.skip();
            }
        }
        return at != epoch ? 0
                           : take(ids, reinterpret_cast<const std::uint8_t *>(&seed), steps,
                                  {values.data(), values.size()});
    });
}

void parse_libprotobuf(benchmark::State &state) {
    google::protobuf::Arena arena;
    auto *batch = google::protobuf::Arena::CreateMessage<sotto::Batch>(&arena);
    aggregator::new_ids ids;
    parse_all(state, [&](std::string_view text) -> std::size_t {
        if (!batch->ParseFromArray(text.data(), static_cast<int>(text.size())) ||
            batch->epoch() != epoch || batch->levels_size() + batch->flags_size() > 0) {
            return 0;
        }
        const std::uint64_t seed = batch->seed();
        return take(ids, reinterpret_cast<const std::uint8_t *>(&seed), batch->metrics(),
                    batch->values());
    });
}

BENCHMARK(parse_sotto);
BENCHMARK(parse_protozero);
BENCHMARK(parse_libprotobuf);

} // namespace
} // namespace sotto::bench
