/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * All that a platform provides: storage that survives a reboot, and a random source. Most ports in
 * ports/ know one of the two; put them together:
 *   static const sotto_port port = {.load = load, .store = store, .entropy = &sotto_nrf5x_entropy};
 */
#ifndef SOTTO_PORT_H
#define SOTTO_PORT_H

#include "sotto/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How much of its own quality a random source answers for. */
enum {
    SOTTO_SOURCE_CSPRNG = 1,      /**< a seeded generator of an operating system */
    SOTTO_SOURCE_CONDITIONED = 2, /**< hardware that tests and conditions its source itself */
    SOTTO_SOURCE_RAW = 3          /**< samples, which the SDK tests and conditions */
};

/** A random source. The client keeps the pointer to it. */
typedef struct sotto_entropy {
    void *context; /**< handed to the function as it is; may be null */
    /**
     * Fills bytes[0 .. length_bytes) and returns how many it wrote, or a negative sotto_status;
     * fewer than asked is a failure. Each byte of a raw source is one sample, in its low bits.
     * Every wait is bounded. Never fall back to a weaker source.
     */
    int32_t (*read)(void *context, uint8_t *bytes, size_t length_bytes);
    uint8_t source;                 /**< SOTTO_SOURCE_CSPRNG, _CONDITIONED or _RAW */
    uint8_t sample_bits;            /**< raw: 1 to 8 */
    uint16_t min_entropy_millibits; /**< raw: what is claimed of a sample, in 1/1000 bit */
} sotto_entropy;

/** The slots of a client's storage: `slot` of load and store. */
enum {
    SOTTO_SLOT_SECRET = 0,  /**< the device secret, written once */
    SOTTO_SLOT_STATE_A = 1, /**< one copy of the state */
    SOTTO_SLOT_STATE_B = 2, /**< the other: each store takes the older of the two */
    SOTTO_SLOT_COUNT = 3    /**< how many there are */
};

/** A platform: functions and their context. The client keeps a copy. */
typedef struct sotto_port {
    void *context; /**< handed to the functions as it is; may be null */

    /**
     * Storage of one client: three slots of its own, which no other client may use, empty on a new
     * device. Devices programmed with the image of one that has run would share its secret. The
     * secret takes 40 bytes, a state as many as NAME_client's `state`. Each flush stores one state,
     * and so does an epoch after something was forgotten; request, pause, resume, close, init and
     * wipe store too.
     *
     * load copies at most capacity_bytes of a slot and returns the whole length, 0 when there is
     * nothing in it; never more than was stored. Bytes that can't be read for good, since a store
     * was cut, are a torn copy: return any length above 0. A negative sotto_status (STORAGE) is for
     * what may pass.
     */
    int32_t (*load)(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes);
    /** Replaces what is in a slot and answers SOTTO_OK only when that will survive a loss of power.
     * A store that is cut may leave that slot torn, and no other. Length 0 erases the slot. */
    sotto_status (*store)(void *context, uint32_t slot, const uint8_t *bytes, size_t length_bytes);

    /** Optional: a hardware counter that never falls, 0 on a new device and for this client alone.
     * Raises it to raise_to if it is lower, and tells its value. It takes a step with every state
     * that is stored; after a start, or a store that failed, two states are stored instead of one.
     * Without it nothing shows that an older state was put back, or that two clients share these
     * slots. Nor does anything show that memory was restored within an epoch (hibernation, fork, a
     * virtual machine's snapshot). In each of these cases more may be published than was
     * charged. */
    sotto_status (*counter)(void *context, uint32_t *value, uint32_t raise_to);
    /** Optional: authenticates the stored state, so that nobody who can write the storage makes a
     * state of their own. Writes a MAC, 16 bytes, of digest, 32 bytes, to tag: HMAC-SHA256 cut to
     * 16 bytes, or AES-CMAC. Its key is of this client alone and stays the same. It stands
     * outside the storage above: in a secure element, in PSA's key store, in memory that no
     * debugger reads. A port with a key of 32 bytes calls sotto_hmac_sha256(). Called at init and
     * with every state that is stored. Errors: any; the call then answers STORAGE. Have it from the
     * first firmware on: a state without a tag is refused like a forged one. It does not show that
     * a state is old: counter does. */
    sotto_status (*mac)(void *context, const uint8_t *digest, uint8_t *tag);
    /** Optional, both or none: keeps other threads out; a lock that can't be had is an error. In an
     * interrupt it must try, not wait. Held already by the same thread, it nests or is an error. A
     * call from within another locks and unlocks too, and must not let anybody in. Plain interrupts
     * "off" and "on" would: restore what was. sotto_init() takes none. */
    sotto_status (*lock)(void *context);
    void (*unlock)(void *context); /**< Ends what `lock` began. It can't fail. */

    const sotto_entropy *entropy; /**< must outlive the client */
} sotto_port;

/** HMAC-SHA256 of digest, 32 bytes, under key, 32 bytes, cut to the 16 of tag: for a port's mac.
 * Thread-safe; keeps nothing of the key. Errors: CRYPTO, and tag is zeroed. */
sotto_status sotto_hmac_sha256(const uint8_t *key, const uint8_t *digest, uint8_t *tag);

#ifdef __cplusplus
}
#endif
#endif
