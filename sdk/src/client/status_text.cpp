// SPDX-License-Identifier: Apache-2.0
#include "sotto/status.h"

extern "C" const char *sotto_status_text(sotto_status status) {
    switch (status) {
    case SOTTO_OK:
        return "done";
    case SOTTO_VALUE_CLAMPED:
        return "reported: the value was brought into the metric's range";
    case SOTTO_VALUE_TOO_LONG:
        return "reported as one of the strings that are longer than max_bytes";
    case SOTTO_VALUE_TOO_MANY:
        return "reported with the first max_members of the members";
    case SOTTO_VALUE_REPEATED_MEMBER:
        return "reported: a member that is given twice counts once";
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
        return "the buffer does not hold one report: see NAME_FLUSH_BYTES_MIN";
    case SOTTO_ERR_ALREADY_INITIALISED:
        return "the client is in use: sotto_deinit it before sotto_init";
    case SOTTO_ERR_NO_SUCH_VALUE:
        return "the metric has no such category or member";
    case SOTTO_ERR_NO_LADDER:
        return "the metric has one level only: there is nothing to relax";
    case SOTTO_ERR_NO_SUCH_LEVEL:
        return "the metric's ladder has no such level";
    case SOTTO_ERR_LEVEL_NOT_ABOVE:
        return "the level is not above the one that was published";
    case SOTTO_ERR_NO_RELEASE:
        return "this device keeps no measurement of that metric and epoch";
    case SOTTO_ERR_LEVELS_BELOW:
        return "the levels below were not all asked for, flushed and acknowledged yet";
    case SOTTO_ERR_METRIC_CHANGED:
        return "a metric of this device is gone or means something else: keep it, give a new "
               "definition a new id, or sotto_wipe";
    case SOTTO_ERR_PAUSED:
        return "reporting is paused: sotto_resume goes on";
    case SOTTO_ERR_BUDGET:
        return "the privacy budget of this window is spent: sotto_get_account says when it frees";
    case SOTTO_ERR_EPOCH_JUMP:
        return "the epoch lies further ahead than max_epoch_jump: sotto_advance_far if it is right";
    case SOTTO_ERR_BUSY:
        return "another call on this client is in progress";
    case SOTTO_ERR_NO_BATCH:
        return "there is no batch that was not acknowledged";
    case SOTTO_ERR_NOT_COUNTED:
        return "this epoch is not counted: it began before the device did, or without budget";
    case SOTTO_ERR_REQUEST_INVALID:
        return "the request is not signed with this fleet's key";
    case SOTTO_ERR_REQUEST_REPLAYED:
        return "this request, or a later one, was obeyed already, or may have been: see "
               "after_serial";
    case SOTTO_ERR_REQUEST_REFUSED:
        return "the request was not consented to";
    case SOTTO_ERR_REQUEST_NOT_ALLOWED:
        return "the registry does not allow this request, or it is for another registry";
    case SOTTO_ERR_ENTROPY_FAILED:
        return "the port's random source reported an error";
    case SOTTO_ERR_ENTROPY_SHORT:
        return "the port's random source gave fewer bytes than asked";
    case SOTTO_ERR_ENTROPY_TIMEOUT:
        return "the port's random source never became ready";
    case SOTTO_ERR_ENTROPY_STUCK:
        return "the port's random source repeats one value";
    case SOTTO_ERR_ENTROPY_BIASED:
        return "the port's random source gives one value too often";
    case SOTTO_ERR_ENTROPY_WEAK:
        return "the port's random source is none that may be used, or nobody vouched for it";
    case SOTTO_ERR_ENTROPY_DEAD:
        return "the port's random source failed for good: sotto_deinit and sotto_init test it anew";
    case SOTTO_ERR_CRYPTO:
        return "the cryptographic library refused";
    case SOTTO_ERR_KEY_RETIRED:
        return "every key that batches may be sealed with is retired: the firmware needs a newer "
               "one";
    case SOTTO_ERR_NO_SHA256:
        return "the platform's PSA Crypto has no PSA_ALG_SHA_256";
    case SOTTO_ERR_NO_X25519:
        return "the platform's PSA Crypto has no PSA_ALG_ECDH on Curve25519, which sealing takes";
    case SOTTO_ERR_NO_CHACHA20_POLY1305:
        return "the platform's PSA Crypto has no PSA_ALG_CHACHA20_POLY1305, which sealing takes";
    case SOTTO_ERR_NO_P256:
        return "the platform's PSA Crypto has no PSA_ALG_ECDSA on P-256, which requests take";
    case SOTTO_ERR_NO_HEAP:
        return "the platform's PSA Crypto found no memory for a key: its heap is too small";
    case SOTTO_ERR_STORAGE:
        return "the port could not load or store";
    case SOTTO_ERR_STATE_MISSING:
        return "this device has a secret but no state: restore it, or sotto_wipe";
    case SOTTO_ERR_STATE_CORRUPT:
        return "neither copy of the state is whole: restore one, or sotto_wipe";
    case SOTTO_ERR_STATE_ROLLED_BACK:
        return "the state is older than the port's counter: sotto_init with the newest, or "
               "sotto_wipe";
    case SOTTO_ERR_SECRET_MISSING:
        return "this device has a state but no secret: restore it, or sotto_wipe";
    case SOTTO_ERR_SECRET_CORRUPT:
        return "the device secret is damaged: restore it, or sotto_wipe";
    case SOTTO_ERR_STATE_SIZE:
        return "the state is larger than this registry's: run the firmware that wrote it, or "
               "sotto_wipe";
    case SOTTO_ERR_STATE_FORGED:
        return "the state or the secret is not what this device stored, by the port's mac or "
               "counter: restore it, or sotto_wipe";
    default:
        return "not a status of Sotto";
    }
}
