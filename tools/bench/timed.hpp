// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_TOOLS_BENCH_TIMED_HPP
#define SOTTO_TOOLS_BENCH_TIMED_HPP

#include <benchmark/benchmark.h>
#include <chrono>
#include <sys/resource.h>

namespace sotto::bench {

// Processor time of all threads and children until it goes out of scope. Time that is spent
// waiting, for the disk or for other people's work, does not count. In the counter "by_clock" the
// seconds by the clock, summed up, to which it does.
class timed {
  public:
    explicit timed(benchmark::State &state) : state_(state) {}
    timed(const timed &) = delete;
    timed &operator=(const timed &) = delete;
    ~timed() {
        state_.SetIterationTime(cpu_seconds() - cpu_begun_);
        const std::chrono::duration<double> passed = clock::now() - begun_;
        state_.counters["by_clock"] += passed.count();
    }

  private:
    using clock = std::chrono::steady_clock;

    static double cpu_seconds(int who) {
        rusage used = {};
        getrusage(who, &used);
        return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    }
    static double cpu_seconds() { return cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN); }

    benchmark::State &state_;
    double cpu_begun_ = cpu_seconds();
    clock::time_point begun_ = clock::now();
};

// Sets the rate by processor time, and the one by the clock in place of its seconds.
inline void set_items(benchmark::State &state, std::size_t items) {
    state.SetItemsProcessed(static_cast<std::int64_t>(items));
    benchmark::Counter &clock = state.counters["by_clock"];
    clock.value = static_cast<double>(items) / clock.value;
}

} // namespace sotto::bench
#endif
