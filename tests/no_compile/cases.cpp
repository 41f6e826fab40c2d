// SPDX-License-Identifier: Apache-2.0
#include "metrics.h"

namespace other {
struct registry {
    using memory = test_fleet_client;
};
constexpr sotto::boolean_metric<registry> lamp_on{3};
} // namespace other

sotto_status use(test_fleet::client &device) {
#if defined(CASE_NUMBER_TO_BOOLEAN)
    return device.report(test_fleet::door_open, 1);
#elif defined(CASE_POINTER_TO_BOOLEAN)
    return device.report(test_fleet::door_open, "open");
#elif defined(CASE_OTHER_REGISTRY)
    return device.report(other::lamp_on, true);
#elif defined(CASE_IGNORED_STATUS)
    device.report(test_fleet::door_open, true);
    return SOTTO_OK;
#elif defined(CASE_COUNTED_BOOLEAN)
    return device.count(test_fleet::door_open);
#elif defined(CASE_COPIED_CLIENT)
    test_fleet::client copy = device;
    return copy.advance(1);
#else
    return device.report(test_fleet::door_open, true);
#endif
}
