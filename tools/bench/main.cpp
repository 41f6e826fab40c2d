// SPDX-License-Identifier: Apache-2.0
// sotto-bench: what the aggregator does a second beside what others do, in one run, and the ratios.
// Takes Google Benchmark's own options; --benchmark_repetitions=7 gives medians. Rates are by
// processor time; those by the clock, the disk and other work included, are called "by_clock".
#include <benchmark/benchmark.h>
#include <cstdio>
#include <map>
#include <string>

namespace {

// Ours, the anchor, and how many times the anchor it has to be.
struct goal {
    const char *ours, *anchor;
    double wanted;
};
constexpr goal goals[] = {
    {"parse_sotto", "parse_libprotobuf", 3},
    {"parse_sotto", "parse_rows_libprotobuf", 6.8},
    {"parse_sotto", "parse_protozero", 0.9},
    {"open_sotto/1", "open_nss", 1.5},
    {"open_sotto/1", "open_x25519", 0.85},
    {"open_sotto/32", "open_sotto/1", 15},
    {"tally/portable", "tally_naive", 8},
    {"tally/avx2", "tally_naive", 25},
    {"tally/avx512", "tally_naive", 25},
    {"file_to_tallies/manual_time", "sum_bits/manual_time", 80},
    {"file_to_store_to_tallies/manual_time", "sum_bits/manual_time", 20},
    {"dedupe_sotto/manual_time", "dedupe_rocksdb/manual_time", 20},
    {"dedupe_sotto/manual_time", "dedupe_lmdb/manual_time", 20},
    {"dedupe_sotto/manual_time", "dedupe_sqlite/manual_time", 20},
    {"dedupe_sotto by_clock", "dedupe_rocksdb by_clock", 20},
    {"dedupe_sotto by_clock", "dedupe_lmdb by_clock", 20},
    {"dedupe_sotto by_clock", "dedupe_sqlite by_clock", 20},
    {"long_registry/1000000/manual_time", "long_registry/125000/manual_time", 0.5},
    {"rows_of_a_release/65536/manual_time", "rows_of_a_release/8192/manual_time", 0.5},
    {"tallies_of_epochs/6000/manual_time", "tallies_of_epochs/750/manual_time", 0.5},
    {"files_after_others/50000/manual_time", "files_after_others/6250/manual_time", 0.5},
};

// Remembers the median of every rate, or the only one there is.
class rates : public benchmark::ConsoleReporter {
  public:
    void ReportRuns(const std::vector<Run> &runs) override {
        ConsoleReporter::ReportRuns(runs);
        for (const Run &run : runs) {
            const bool wanted = run.run_type == Run::RT_Iteration ? run.repetitions <= 1
                                                                  : run.aggregate_name == "median";
            if (!wanted || run.error_occurred) {
                continue;
            }
            if (const auto rate = run.counters.find("items_per_second");
                rate != run.counters.end()) {
                rates_[run.run_name.str()] = rate->second;
            }
            if (const auto rate = run.counters.find("by_clock"); rate != run.counters.end()) {
                rates_[run.run_name.function_name + " by_clock"] = rate->second;
            }
        }
    }

    void print_ratios() const {
        for (const goal &goal_to_meet : goals) {
            const auto ours = rates_.find(goal_to_meet.ours),
                       anchor = rates_.find(goal_to_meet.anchor);
            if (ours != rates_.end() && anchor != rates_.end()) {
                std::printf("%-36s %8.2f M/s  %7.2f x %s %.3g M/s (goal %g)\n", goal_to_meet.ours,
                            ours->second / 1e6, ours->second / anchor->second, goal_to_meet.anchor,
                            anchor->second / 1e6, goal_to_meet.wanted);
            }
        }
    }

  private:
    std::map<std::string, double> rates_;
};

} // namespace

int main(int argc, char **argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    rates reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    reporter.print_ratios();
}
