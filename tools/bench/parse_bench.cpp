// SPDX-License-Identifier: Apache-2.0
// Encoded batches to checked reports: ours, protozero, libprotobuf with an arena. Each reads the
// columns, derives the ids of new releases, takes cohort and bits apart, and checks their ranges.
// Ours alone checks the canonical form, and allows any metric. Ours derives the ids of 64 batches
// at once; the others ask OpenSSL's ChaCha20 for each batch. Where a name ends in `without_ids`
// they derive none.
#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/bytes.hpp"
#include "aggregator/report/check.hpp"
#include "aggregator/report/parse.hpp"
#include "fleet.hpp"
#include "library_ids.hpp"

#include "report.pb.h"
#include "rows.pb.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <google/protobuf/arena.h>
#include <protozero/pbf_reader.hpp>
#include <random>

namespace sotto::bench {
namespace {

constexpr std::uint32_t epoch = 7;
constexpr std::size_t value_bytes = 1 + bits / 8; // a cohort in a byte of its own

// `parse` returns how many reports of some batches are sound.
template <typename Parse>
void parse_all(benchmark::State &state, std::span<const std::string> batches, std::size_t at_once,
               const Parse &parse) {
    std::size_t taken = 0;
    for (auto _ : state) {
        for (std::size_t i = 0; i < batches.size(); i += at_once) {
            taken += parse(batches.subspan(i, std::min(at_once, batches.size() - i)));
        }
    }
    if (taken !=
        batches.size() * reports_per_batch * static_cast<std::size_t>(state.iterations())) {
        state.SkipWithError("a report was not read");
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(taken));
}

template <typename Parse> void parse_each(benchmark::State &state, const Parse &parse) {
    parse_all(state, some_batches(), 1,
              [&](std::span<const std::string> batch) { return parse(batch.front()); });
}

void parse_sotto(benchmark::State &state) {
    const aggregator::report_rules rules(fleet_registry().metrics[0]);
    const aggregator::value_layouts layouts(fleet_registry());
    aggregator::batch_reader reader;
    std::vector<aggregator::batch_bytes> some;
    const auto sound = [&](const aggregator::report_view &r) {
        benchmark::DoNotOptimize(r);
        return r.metric == 1 && !rules.check(r);
    };
    parse_all(state, some_batches(), aggregator::batch_reader::usual_batches,
              [&](std::span<const std::string> batches) {
                  some.clear();
                  for (const std::string &batch : batches) {
                      some.push_back({aggregator::bytes_of(batch), &layouts});
                  }
                  std::ptrdiff_t count = 0;
                  for (const aggregator::batch_view &batch : reader.read(some)) {
                      count += std::count_if(batch.reports.begin(), batch.reports.end(), sound);
                  }
                  return static_cast<std::size_t>(count);
              });
}

// No ids: what reading the columns costs alone.
class no_ids {
  public:
    std::span<const std::uint8_t> make(std::span<const std::uint8_t, 8>, std::size_t count) {
        zeros_.resize(std::max(zeros_.size(), 8 * count));
        return zeros_;
    }

  private:
    std::vector<std::uint8_t> zeros_;
};

// The reports of a batch whose columns are read: ids, cohorts and bits.
template <typename Ids, typename Steps>
std::size_t take(Ids &ids, const std::uint8_t *seed, const Steps &steps, std::string_view values) {
    std::size_t sound = 0;
    std::uint32_t metric = 0;
    const std::uint8_t *id =
        ids.make(std::span<const std::uint8_t, 8>(seed, 8), values.size() / value_bytes).data();
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
template <typename Ids> void parse_protozero(benchmark::State &state) {
    Ids ids;
    parse_each(state, [&](std::string_view text) -> std::size_t {
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

template <typename Ids> void parse_libprotobuf(benchmark::State &state) {
    google::protobuf::Arena arena;
    auto *batch = google::protobuf::Arena::CreateMessage<sotto::Batch>(&arena);
    Ids ids;
    parse_each(state, [&](std::string_view text) -> std::size_t {
        if (!batch->ParseFromArray(text.data(), static_cast<int>(text.size())) ||
            batch->epoch() != epoch || batch->levels_size() + batch->flags_size() > 0) {
            return 0;
        }
        const std::uint64_t seed = batch->seed();
        return take(ids, reinterpret_cast<const std::uint8_t *>(&seed), batch->metrics(),
                    batch->values());
    });
}

const std::vector<std::string> &some_rows() {
    static const std::vector<std::string> made = [] {
        std::vector<std::string> out;
        std::mt19937_64 random(3);
        const auto bytes = [&](std::size_t count) {
            std::string text(count, '\0');
            std::generate(text.begin(), text.end(), [&] { return static_cast<char>(random()); });
            return text;
        };
        for (std::size_t i = 0; i < some_batches().size(); ++i) {
            Rows rows;
            rows.set_epoch(epoch);
            for (std::size_t k = 0; k < reports_per_batch; ++k) {
                Row &row = *rows.add_reports();
                row.set_release(bytes(8));
                row.set_metric(1);
                row.set_cohort(static_cast<std::uint32_t>(random() % cohorts));
                row.set_bits(bytes(bits / 8));
            }
            out.push_back(rows.SerializeAsString());
        }
        return out;
    }();
    return made;
}

// A message a report (rows.proto), checked as the columns are.
void parse_rows_libprotobuf(benchmark::State &state) {
    google::protobuf::Arena arena;
    auto *batch = google::protobuf::Arena::CreateMessage<Rows>(&arena);
    const auto sound = [](const Row &r) {
        const auto release = aggregator::get_big_endian<std::uint64_t>(
            reinterpret_cast<const std::uint8_t *>(r.release().data()));
        std::string_view value = r.bits();
        benchmark::DoNotOptimize(release);
        benchmark::DoNotOptimize(value);
        return r.release().size() == 8 && r.metric() == 1 && r.level() == 0 && r.flags() == 0 &&
               r.epoch_age() <= epoch && r.cohort() < cohorts && value.size() == bits / 8;
    };
    parse_all(state, some_rows(), 1, [&](std::span<const std::string> text) -> std::size_t {
        if (!batch->ParseFromArray(text[0].data(), static_cast<int>(text[0].size())) ||
            batch->epoch() != epoch) {
            return 0;
        }
        return static_cast<std::size_t>(
            std::count_if(batch->reports().begin(), batch->reports().end(), sound));
    });
}

BENCHMARK(parse_sotto);
BENCHMARK(parse_protozero<library_ids>)->Name("parse_protozero");
BENCHMARK(parse_protozero<no_ids>)->Name("parse_protozero_without_ids");
BENCHMARK(parse_libprotobuf<library_ids>)->Name("parse_libprotobuf");
BENCHMARK(parse_libprotobuf<no_ids>)->Name("parse_libprotobuf_without_ids");
BENCHMARK(parse_rows_libprotobuf);

} // namespace
} // namespace sotto::bench
