// SPDX-License-Identifier: Apache-2.0
#include "sotto/status.h"

extern "C" const char *sotto_status_text(sotto_status status) {
    switch (status) {
    case SOTTO_OK:
        return "done";
    case SOTTO_ERR_ARGUMENT:
        return "an argument is null or out of its documented range";
    case SOTTO_ERR_NOT_INITIALISED:
        return "the client was not initialised, its initialisation failed, or it was copied";
    case SOTTO_ERR_NO_EPOCH:
        return "no epoch has begun: call sotto_advance first";
    case SOTTO_ERR_EPOCH_BACKWARD:
        return "the epoch lies before the present one, or is beyond 2^32 - 2";
    case SOTTO_ERR_UNKNOWN_METRIC:
        return "the registry has no metric with this id";
    case SOTTO_ERR_WRONG_TYPE:
        return "the metric is of another type";
    case SOTTO_ERR_REGISTRY:
        return "the registry's tables are not such as tools/sotto-registry writes for this SDK";
    case SOTTO_ERR_ALREADY_REPORTED:
        return "the metric was measured in this epoch already";
    case SOTTO_ERR_QUEUE_FULL:
        return "the queue is full: flush it first";
    case SOTTO_ERR_BUFFER_TOO_SMALL:
        return "the buffer does not hold one report: see SOTTO_FLUSH_BYTES_MIN";
    case SOTTO_ERR_ALREADY_INITIALISED:
        return "the client is in use: wipe it before it is initialised again";
    case SOTTO_ERR_ENTROPY_FAILED:
        return "the port's random source reported an error";
    case SOTTO_ERR_ENTROPY_SHORT:
        return "the port's random source gave fewer bytes than asked";
    case SOTTO_ERR_ENTROPY_TIMEOUT:
        return "the port's random source never became ready";
    case SOTTO_ERR_ENTROPY_STUCK:
        return "the port's random source repeats one value";
    case SOTTO_ERR_CRYPTO:
        return "the cryptographic library refused";
    default:
        return "not a status of Sotto";
    }
}
