// SPDX-License-Identifier: Apache-2.0
// One encoded report to checked fields: ours, protozero, libprotobuf with an arena.
#include "aggregator/report/check.hpp"
#include "fleet.hpp"

#include "report.pb.h"

#include <benchmark/benchmark.h>
#include <google/protobuf/arena.h>
#include <protozero/pbf_reader.hpp>

namespace sotto::bench {
namespace {

template <typename Parse> void parse_all(benchmark::State &state, const Parse &parse) {
    const encoded_reports &reports = some_reports();
    const std::size_t count = reports.starts.size() - 1;
    std::size_t taken = 0;
    for (auto _ : state) {
        for (std::size_t i = 0; i < count; ++i) {
            taken +=
                parse(std::string_view(reports.bytes)
                          .substr(reports.starts[i], reports.starts[i + 1] - reports.starts[i]))
                    ? 1
                    : 0;
        }
    }
    if (taken != count * static_cast<std::size_t>(state.iterations())) {
        state.SkipWithError("a report was not read");
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(taken));
}

void parse_sotto(benchmark::State &state) {
    const aggregator::report_rules rules(fleet_registry().metrics[0]);
    parse_all(state, [&](std::string_view text) {
        aggregator::report_view r;
        const bool sound = !aggregator::parse_report(
            {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()}, 7, r);
        benchmark::DoNotOptimize(r);
        return sound && r.metric == 1 && !rules.check(r);
    });
}

// As a careful reader with the library's own checks would write it.
void parse_protozero(benchmark::State &state) {
    parse_all(state, [](std::string_view text) {
        protozero::pbf_reader reader(text.data(), text.size());
        std::uint32_t metric = 0, level = 0, age = 0, cohort = 0, flags = 0;
        protozero::data_view release, value;
        while (reader.next()) {
            switch (reader.tag_and_type()) {
            case protozero::tag_and_type(1, protozero::pbf_wire_type::length_delimited):
                release = reader.get_view();
                break;
            case protozero::tag_and_type(2, protozero::pbf_wire_type::varint):
                metric = reader.get_uint32();
                break;
            case protozero::tag_and_type(3, protozero::pbf_wire_type::varint):
                level = reader.get_uint32();
                break;
            case protozero::tag_and_type(4, protozero::pbf_wire_type::varint):
                age = reader.get_uint32();
                break;
            case protozero::tag_and_type(5, protozero::pbf_wire_type::fixed32):
                cohort = reader.get_fixed32();
                break;
            case protozero::tag_and_type(6, protozero::pbf_wire_type::varint):
                flags = reader.get_uint32();
                break;
            case protozero::tag_and_type(9, protozero::pbf_wire_type::length_delimited):
                value = reader.get_view();
                break;
            default:
                reader.skip();
            }
        }
        benchmark::DoNotOptimize(release.data());
        benchmark::DoNotOptimize(value.data());
        return release.size() == 8 && metric == 1 && level == 0 && age <= 7 && cohort < cohorts &&
               flags == 0 && value.size() == bits / 8;
    });
}

void parse_libprotobuf(benchmark::State &state) {
    google::protobuf::Arena arena;
    auto *report = google::protobuf::Arena::CreateMessage<sotto::Report>(&arena);
    parse_all(state, [&](std::string_view text) {
        return report->ParseFromArray(text.data(), static_cast<int>(text.size())) &&
               report->release().size() == 8 && report->metric() == 1 && report->level() == 0 &&
               report->epoch_age() <= 7 && report->cohort() < cohorts && report->flags() == 0 &&
               report->has_bits() && report->bits().size() == bits / 8;
    });
}

BENCHMARK(parse_sotto);
BENCHMARK(parse_protozero);
BENCHMARK(parse_libprotobuf);

} // namespace
} // namespace sotto::bench
