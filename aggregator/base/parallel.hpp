// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_PARALLEL_HPP
#define SOTTO_AGGREGATOR_BASE_PARALLEL_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace sotto::aggregator {

// At least 1.
inline std::size_t core_count() { return std::max(1U, std::thread::hardware_concurrency()); }

// Calls work(worker, i) once for each i below `count`, on as many threads as there are workers;
// each worker is used by one thread. The first exception is thrown on, after all have stopped.
template <typename Worker, typename Work>
void for_each_in_parallel(std::vector<Worker> &workers, std::size_t count, const Work &work) {
    std::atomic<std::size_t> next = 0;
    const auto run = [&](Worker &worker) {
        for (std::size_t i = next++; i < count; i = next++) {
            work(worker, i);
        }
    };
    std::vector<std::future<void>> others;
    for (std::size_t w = 1; w < std::min(workers.size(), count); ++w) {
        others.push_back(std::async(std::launch::async, run, std::ref(workers[w])));
    }
    if (count > 0) {
        run(workers.front());
    }
    for (std::future<void> &other : others) {
        other.get();
    }
}

} // namespace sotto::aggregator
#endif
