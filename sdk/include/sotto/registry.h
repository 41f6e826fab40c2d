/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constant tables that tools/sotto-registry writes from metrics.toml.
 * Nobody fills these in by hand: the epsilons that a registry promises are certified from the very
 * integers that stand here.
 */
#ifndef SOTTO_REGISTRY_H
#define SOTTO_REGISTRY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A metric's type and mechanism: the numbers are part of its fingerprint and never change meaning.
 */
enum { SOTTO_TYPE_BOOLEAN = 1 };
enum { SOTTO_MECHANISM_RANDOMIZED_RESPONSE = 1 };

/* A probability: (limb[1] * 2^32 + limb[0]) / 2^64. */
typedef struct sotto_threshold {
    uint32_t limb[2];
} sotto_threshold;

/*
 * Randomized response over a ladder of levels, drawn from the top down.
 * flip[top] is the chance that the true value is flipped, ceil(2^64 / (1 + e^epsilon));
 * flip[i] below it is the chance that level i is level i + 1 flipped.
 */
typedef struct sotto_randomized_response {
    const sotto_threshold *flip; /* level_count of them */
} sotto_randomized_response;

typedef struct sotto_metric {
    uint32_t fingerprint;  /* of the canonical definition, thresholds included */
    uint16_t id;           /* 1 to 65535, never reused in a fleet */
    uint8_t type;          /* SOTTO_TYPE_... */
    uint8_t mechanism;     /* SOTTO_MECHANISM_... */
    uint8_t level_count;   /* 1 to 16 */
    uint16_t random_bytes; /* that drawing one release takes, whatever the value */
    union {
        const sotto_randomized_response *randomized_response;
    } table;
} sotto_metric;

typedef struct sotto_registry {
    uint32_t fingerprint;
    uint16_t metric_count;
    const sotto_metric *metrics; /* ascending by id */
} sotto_registry;

#ifdef __cplusplus
}
#endif
#endif
