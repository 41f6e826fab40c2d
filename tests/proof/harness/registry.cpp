// SPDX-License-Identifier: Apache-2.0
// The check of a registry of two metrics with any numbers. An array of a metric has what its counts
// ask for, and ends there; it may be missing.
#include "proof.h"

#include "client/registry_check.cpp"

namespace sotto {
namespace device {

uint32_t account_words(const sotto_registry &, const sotto_metric *) { return proof_any(); }

} // namespace device

size_t level_bytes(const sotto_metric &metric, uint32_t level) {
    proof_assert(level < metric.level_count);
    return proof_any();
}

size_t forward_bytes(const sotto_metric &metric, uint32_t step) {
    proof_assert(step < metric.forward_count);
    return proof_any();
}

} // namespace sotto

namespace {

constexpr uint32_t room = 6;

// The last so many of an array, or nothing.
const uint32_t *any_array(const uint32_t *array, uint32_t count) {
    proof_assume(count <= room);
    return proof_any() == 0 ? nullptr : array + (room - count);
}

} // namespace

extern "C" void prove() {
    using namespace sotto;
    uint32_t numbers[room], others[room]; // anything
    sotto_metric metric[2];               // anything
    sotto_registry registry;              // anything
    registry.metrics = metric;
#if defined(COSTS)
    const uint32_t levels = uint32_t{metric[0].level_count} + metric[0].forward_count;
    const uint32_t reports = metric[0].cost_reports == 0 ? 1 : metric[0].cost_reports;
    proof_assume(levels > 0 && levels <= room && reports <= room);
    metric[0].cost = any_array(numbers, levels * reports);
    (void)are_costs(metric[0]);
#elif defined(FINGERPRINTS)
    proof_assume(metric[0].forward_count <= room && metric[1].forward_count <= room);
    metric[0].forward_fingerprint = numbers + (room - metric[0].forward_count);
    metric[1].forward_fingerprint = others + (room - metric[1].forward_count);
    (void)is_fingerprint_taken(registry, metric[1]);
#else
    metric[0].cost = metric[1].cost = any_array(numbers, 1);
    metric[0].forward_fingerprint = any_array(others, 0);
    metric[1].forward_fingerprint = any_array(others, 0);
    registry.sealing = nullptr;
    registry.metrics = proof_any() == 0 ? nullptr : metric;
    proof_assume(registry.metric_count <= 2);
    for (sotto_metric &m : metric) {
        proof_assume(m.level_count <= 3 && m.forward_count <= 3);
        m.client = nullptr; // code is another's
    }
    memory_need need = {};
    (void)check_registry(registry, need);
#endif
}
