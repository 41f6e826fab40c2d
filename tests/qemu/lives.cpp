// SPDX-License-Identifier: Apache-2.0
// A device of a registry over many epochs, on a board or on the host, with noise that repeats. Its
// measurements follow from the epoch: tests/end_to_end/lives.py has the same rules. Prints each
// batch, which must be the same everywhere.
#include "metrics.h"
#include "sotto_testing.h"

// semihosting.h is C.
extern "C" void host_print(const char *text);
extern "C" void host_print_number(uint32_t number);

SOTTO_TEST_PROGRAM();

// LIFE: the name of the registry; EPOCHS: how long.
#define PASTED(name, what) name##what
#define OF_REGISTRY(name, what) PASTED(name, what)

namespace {

OF_REGISTRY(LIFE, _client) device;
const sotto_registry &every = OF_REGISTRY(LIFE, _registry);
sotto_client *const client = &device.client;
uint8_t buffer[1024];
int32_t numbers[256];

constexpr uint32_t events = 40, points = 60;
constexpr int32_t step = 80; // a vector's numbers are so far apart

// From -2 to 10: some are outside of what a metric has.
int32_t number(uint32_t epoch, uint32_t metric, uint32_t at) {
    return static_cast<int32_t>((5 * epoch + 3 * metric + at * at) % 13) - 2;
}

// A measurement in some epochs only.
bool is_measured(uint32_t epoch) { return epoch * epoch / 3 % 5 < 3; }

sotto_status count_events(const sotto_metric &m, uint32_t epoch) {
    for (uint32_t at = 0; at < events; ++at) {
        const auto amount = static_cast<int32_t>((epoch + 3 * m.id + at) % 7) - 1;
        const sotto_status status = sotto_count(client, m.id, amount);
        if (status == SOTTO_ERR_NOT_COUNTED) {
            break; // the budget is spent
        }
        if (SOTTO_FAILED(status)) {
            return status;
        }
    }
    return SOTTO_OK;
}

sotto_status measure(const sotto_metric &m, uint32_t epoch) {
    for (uint32_t at = 0; at < sizeof numbers / sizeof *numbers; ++at) {
        numbers[at] = number(epoch, m.id, at) * (m.type == SOTTO_TYPE_VECTOR ? step : int32_t{1});
    }
    switch (m.type) {
    case SOTTO_TYPE_COUNTER:
        return count_events(m, epoch);
    case SOTTO_TYPE_HISTOGRAM:
    case SOTTO_TYPE_LOCATION:
        return sotto_report_points(client, m.id, numbers, points);
    case SOTTO_TYPE_QUANTILE:
        return sotto_report_quantile(client, m.id, numbers, points);
    case SOTTO_TYPE_VECTOR:
        return sotto_report_vector(client, m.id, numbers, m.value_words);
    default:
        return is_measured(epoch) ? sotto_report_boolean(client, m.id, epoch % 2 != 0)
                                  : sotto_status{SOTTO_OK};
    }
}

int32_t load_nothing(void *, uint32_t, uint8_t *, size_t) { return 0; }
sotto_status keep_nothing(void *, uint32_t, const uint8_t *, size_t) { return SOTTO_OK; }

sotto_status send(uint32_t epoch) {
    static const char digits[] = "0123456789abcdef";
    size_t length = 0;
    const sotto_status status = sotto_flush(client, buffer, sizeof buffer, &length);
    if (SOTTO_FAILED(status) || length == 0) {
        return status;
    }
    host_print("report ");
    host_print_number(epoch);
    host_print(" ");
    for (size_t i = 0; i < length; ++i) {
        const char text[] = {digits[buffer[i] >> 4], digits[buffer[i] & 15], '\0'};
        host_print(text);
    }
    host_print("\n");
    return sotto_acknowledge(client);
}

sotto_status live(uint32_t epoch) {
    sotto_status status = sotto_advance(client, epoch);
    if (!SOTTO_FAILED(status)) {
        status = send(epoch); // rows that counters closed
    }
    for (uint32_t i = 0; !SOTTO_FAILED(status) && i < every.metric_count; ++i) {
        status = measure(every.metrics[i], epoch);
        if (!SOTTO_FAILED(status)) {
            status = send(epoch); // few releases fit
        }
    }
    return status;
}

} // namespace

extern "C" int main(void) {
    static const uint8_t seed[] = {1, 3};
    static sotto_testing testing;
    sotto_testing_init(&testing, seed, sizeof seed, 0);
    sotto_port port = sotto_testing_port(&testing);
    port.load = load_nothing; // the smallest board has no room for slots in memory
    port.store = keep_nothing;
    port.mac = nullptr;
    sotto_status status = OF_REGISTRY(LIFE, _init)(&device, &port);
    for (uint32_t epoch = 0; !SOTTO_FAILED(status) && epoch < EPOCHS; ++epoch) {
        status = live(epoch);
    }
    if (SOTTO_FAILED(status)) {
        host_print(sotto_status_text(status));
        host_print("\n");
        return 1;
    }
    return 0;
}
