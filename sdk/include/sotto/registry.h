/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The constant tables that tools/sotto-registry writes from metrics.toml.
 * Nobody fills these in by hand: the epsilons that a registry promises are certified from the very
 * integers that stand here.
 *
 * A ladder of levels 0 (the most private) to level_count - 1 (the top) is drawn from the top down.
 * The top is drawn from the value, each level below from the level above it alone. Element i of an
 * array "by level" is what that draw of level i needs. Publishing any set of levels therefore loses
 * what the highest of them loses, unless the mechanism says otherwise.
 */
#ifndef SOTTO_REGISTRY_H
#define SOTTO_REGISTRY_H

#include "sotto/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A metric's type. The numbers are part of fingerprints and never change meaning. */
enum {
    SOTTO_TYPE_BOOLEAN = 1,    /**< true or false */
    SOTTO_TYPE_CATEGORY = 2,   /**< the index of a category */
    SOTTO_TYPE_SET = 3,        /**< the indices of at most max_members members */
    SOTTO_TYPE_STRING = 4,     /**< bytes */
    SOTTO_TYPE_INTEGER = 5,    /**< an int32_t of a range */
    SOTTO_TYPE_VECTOR = 6,     /**< a fixed number of int32_t of a range */
    SOTTO_TYPE_MEAN = 7,       /**< an int32_t of a range, of which a fleet's mean is wanted */
    SOTTO_TYPE_COUNTER = 8,    /**< events, which are counted as they happen */
    SOTTO_TYPE_QUANTILE = 9,   /**< many points, each an int32_t of a range: one quantile of them */
    SOTTO_TYPE_HISTOGRAM = 10, /**< any number of points, each an int32_t: a bin */
    SOTTO_TYPE_LOCATION = 11,  /**< any number of points, each two int32_t: a cell of a square */
    SOTTO_TYPE_DISTRIBUTION = 12 /**< an int32_t of a range, of which the shape is wanted */
};
/** A metric's mechanism. The numbers are part of fingerprints and never change meaning. */
enum {
    SOTTO_MECHANISM_RANDOMIZED_RESPONSE = 1,   /**< for a boolean */
    SOTTO_MECHANISM_LAPLACE_THRESHOLD = 2,     /**< for a boolean */
    SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE = 3, /**< for a category */
    SOTTO_MECHANISM_OPTIMIZED_UNARY = 4,       /**< for a category or set */
    SOTTO_MECHANISM_UNARY = 5,                 /**< for a category or set */
    SOTTO_MECHANISM_RAPPOR = 6,                /**< for a string */
    SOTTO_MECHANISM_BASIC_RAPPOR = 7,          /**< for a category, one-hot */
    SOTTO_MECHANISM_DISCRETE_LAPLACE = 8,      /**< for an integer or vector */
    SOTTO_MECHANISM_ONE_BIT_MEAN = 9,          /**< for a mean */
    SOTTO_MECHANISM_NOISED_SUM = 10,           /**< for a counter */
    SOTTO_MECHANISM_EXPONENTIAL = 11,          /**< for a category */
    SOTTO_MECHANISM_NOISED_POINTS = 12,        /**< for points: noised sums over sets of places */
    SOTTO_MECHANISM_WINDOW_RESPONSE = 13,      /**< for a distribution */
    SOTTO_MECHANISM_HASHED = 14,               /**< for a string or category */
    SOTTO_MECHANISM_INVERSE_SENSITIVITY = 15,  /**< for a quantile of points */
    SOTTO_MECHANISM_DESIGN = 16,               /**< for a category */
    SOTTO_MECHANISM_SORTED_POINTS = 17,        /**< for a vector: points in order */
    SOTTO_MECHANISM_WINDOW_MEAN = 18,          /**< for a mean */
    SOTTO_MECHANISM_PAD_AND_SAMPLE = 19        /**< for a set */
};

/* Limits of tables, for device and host. A test compares them with the registry compiler's. */
#define SOTTO_BITS_MAX 1024                   /**< bits of a report of members or of RAPPOR */
#define SOTTO_BINS_MAX 1024                   /**< bins of a distribution */
#define SOTTO_CATEGORIES_MAX 65535u           /**< categories of k-ary randomized response */
#define SOTTO_CATEGORY_INDICES_MAX (1u << 31) /**< categories by any mechanism */
#define SOTTO_SUPPORT_MAX 1024                /**< answers that support a category */
#define SOTTO_SCORED_MAX 32                   /**< categories that have scores */
#define SOTTO_COHORTS_MAX 1024                /**< groups of devices with hashes of their own */
#define SOTTO_HASHES_MAX 8                    /**< bits of a string */
#define SOTTO_STRING_BYTES_MAX 256            /**< bytes of a string */
#define SOTTO_REMEMBERED_MAX 1024             /**< values that a device remembers noise of */
#define SOTTO_COORDINATES_MAX 256             /**< coordinates of a vector */
#define SOTTO_NUMBER_MAX (1 << 30)            /**< size of a number */
#define SOTTO_DIGITS_MAX 29                   /**< digits of a geometric number */
#define SOTTO_SUM_ROWS_MAX 1024               /**< rows of noised sums */
#define SOTTO_SUM_SPAN_MAX (1u << 20)         /**< epochs of a row */
#define SOTTO_SUM_CLASSES_MAX 21              /**< kinds of rows */
#define SOTTO_WEIGHTS_MAX 1024                /**< weights of a quantile's answers */
#define SOTTO_EVENT_MAX (1u << 16)            /**< units of one event */
#define SOTTO_PADDING_BYTES_MAX 64            /**< a batch is padded to a multiple of */

/** A probability: (limb[1] * 2^32 + limb[0]) / 2^64. */
typedef struct sotto_threshold {
    uint32_t limb[2]; /**< low first */
} sotto_threshold;

/**
 * The fate of a bit, for 32 of them at once. It is one afterwards with probability one_if_zero /
 * 2^bits if it was zero, one_if_one / 2^bits if it was one. 2^bits itself is allowed below 64 bits.
 * 32 bits cost 4 * bits random bytes, so that dyadic probabilities are cheap.
 */
typedef struct sotto_bit_channel {
    sotto_threshold one_if_zero; /**< numerator */
    sotto_threshold one_if_one;  /**< numerator */
    uint8_t bits;                /**< 0 to 64 */
} sotto_bit_channel;

/**
 * Geom(q) as independent binary digits: digit j is one with probability q^(2^j) / (1 + q^(2^j)).
 * With has_overflow one more threshold follows the digits: that the number is 2^digit_count or
 * more.
 */
typedef struct sotto_geometric {
    const uint32_t *digit; /**< digit_limbs limbs each, low first; out of 2^(32 limbs) */
    uint8_t digit_count;   /**< 1 to SOTTO_DIGITS_MAX */
    uint8_t digit_limbs;   /**< 2 or 4 */
    uint8_t has_overflow;  /**< 0 or 1 */
} sotto_geometric;

/** Randomized response of one bit. flip[top] flips the true value, flip[i] flips level i + 1. */
typedef struct sotto_randomized_response {
    const sotto_threshold *flip; /**< by level */
} sotto_randomized_response;

/** k-ary randomized response: keep[i] keeps what was there, otherwise uniform in 0 ... size - 1. */
typedef struct sotto_k_randomized_response {
    const sotto_threshold *keep; /**< by level */
    uint32_t size;               /**< 2 to SOTTO_CATEGORIES_MAX */
} sotto_k_randomized_response;

/** A bit for each member, each through its own channel. */
typedef struct sotto_unary {
    const sotto_bit_channel *channel; /**< by level */
    uint16_t size;                    /**< 2 to SOTTO_BITS_MAX */
    uint16_t max_members;             /**< a value's; 1 for a category */
} sotto_unary;

/**
 * RAPPOR: Bloom or one-hot bits, permanent noise, instantaneous noise. permanent[top] is drawn from
 * the true bits, permanent[i] from the permanent bits of level i + 1. instantaneous[i] is drawn
 * from the permanent bits of level i or, where bit i of chained is set, from the report of level i
 * + 1.
 */
typedef struct sotto_rappor {
    const sotto_bit_channel *permanent;     /**< by level */
    const sotto_bit_channel *instantaneous; /**< by level; forward too, where these are permanent */
    uint16_t bits;                          /**< 2 to SOTTO_BITS_MAX */
    uint16_t hashes;                        /**< 1 to SOTTO_HASHES_MAX; 0 for one-hot bits */
    uint16_t cohorts;                       /**< 1 to SOTTO_COHORTS_MAX; 1 for one-hot bits */
    uint16_t max_bytes;                     /**< a string's; 0 for one-hot bits */
    uint16_t max_values;                    /**< distinct ones in the life of a device */
    uint16_t chained;                       /**< by level, as bits */
    uint8_t protects_sequence; /**< no memory: every report is drawn anew from the value */
    uint8_t forward_permanent; /**< drawn forward are permanent bits, from the value given
                                  again; else reports, from permanent bits */
    /** SHA-256 of the metric's canonical definition, 32 bytes, the first four its fingerprint: what
     * permanent noise is keyed by. Null where nothing is remembered. */
    const uint8_t *definition;
} sotto_rappor;

/** Noise that is zero or, with probability `nonzero`, of either sign and of size 1 + Geom(q). */
typedef struct sotto_laplace_noise {
    sotto_threshold nonzero; /**< probability of any noise at all */
    sotto_geometric size;    /**< Geom(q) */
} sotto_laplace_noise;

/**
 * Discrete Laplace noise on numbers. The top level is the number plus noise[top], clamped to what
 * is published; level i is level i + 1 plus noise[i], clamped. A level i + 1 that stands at an end
 * is first moved outward by Geom(q) of its own level, noise[i + 1].size. A number beyond the end
 * has that law, whatever the true value (the geometric law has no memory).
 */
typedef struct sotto_discrete_laplace {
    const sotto_laplace_noise *noise; /**< by level */
    int32_t min;                      /**< a true value is clamped to it first */
    int32_t max;                      /**< a true value is clamped to it first */
    int32_t publish_min;              /**< a published value's; at most min */
    int32_t publish_max;              /**< a published value's; at least max */
    uint16_t
        length; /**< numbers in a value: 1, or that of the vector, at most SOTTO_COORDINATES_MAX */
    uint32_t l1_half; /**< most L1 distance of a vector to its centre; UINT32_MAX: any */
} sotto_discrete_laplace;

/** A boolean as 0 or `grid` on the integers with discrete Laplace noise, published as one bit: is
 * it at the threshold or above? (Koufogiannis, Han, Pappas 2015, section 4.1.) Not lossless when
 * relaxed. */
typedef struct sotto_laplace_threshold {
    sotto_discrete_laplace lattice; /**< min 0, max grid */
    int32_t threshold;              /**< 1 to grid */
} sotto_laplace_threshold;

/** A number rounded at random to an end of its range, as a bit, then randomized response. The bit
 * is one with probability (x - min) * scale / 2^32. */
typedef struct sotto_one_bit_mean {
    const sotto_threshold *flip; /**< by level, as in sotto_randomized_response */
    int32_t min;                 /**< a true value is clamped to it first */
    int32_t max;                 /**< a true value is clamped to it first */
    uint32_t scale;              /**< floor((2^32 - 1) / (max - min)) */
} sotto_one_bit_mean;

/** A counter publishes this when an epoch ends. */
enum {
    SOTTO_SHOWS_ROWS = 0,        /**< the rows that close */
    SOTTO_SHOWS_PAN_PRIVATE = 1, /**< a running total: the row of class 0, which lasts for the
                                      block and takes the events, and the noises of all others */
    SOTTO_SHOWS_BALANCED = 2     /**< a running total: nodes of a tree of odd fanout, 2 * rows + 1,
                                      by the balanced digits of the epochs passed */
};

/**
 * Rows over time. One opens in every epoch that is a multiple of `step`, and closes `rows * step`
 * epochs later: `rows` of them are open at once. With SOTTO_SHOWS_BALANCED a class is a level of
 * nodes over `step` epochs.
 */
typedef struct sotto_row_class {
    uint32_t step;          /**< epochs; rows * step is at most 2^20 */
    uint16_t rows;          /**< 1 to SOTTO_SUM_ROWS_MAX */
    const uint16_t *weight; /**< a unit adds this, by the epochs that the row stays open afterwards,
                                 rows * step of them; null: 1 */
} sotto_row_class;

/**
 * Sums of events modulo 2^32, over rows of time. A row begins as its noise, and events are added to
 * it: no clean sum is ever in memory. The noise is that of sotto_laplace_noise or, with
 * probability 2^-64, uniform on all numbers, so that any sum is as good as any other.
 */
typedef struct sotto_noised_sum {
    const sotto_laplace_noise *noise; /**< every row's; one */
    const sotto_row_class *classes; /**< class_count; those that close together are published so */
    uint32_t event;                 /**< the most that one event adds, at most 2^16 */
    uint32_t block;      /**< epochs until a running total begins anew, to 2^20; else 0 */
    uint8_t class_count; /**< 1 to SOTTO_SUM_CLASSES_MAX */
    uint8_t shows;       /**< SOTTO_SHOWS_... */
} sotto_noised_sum;

/**
 * Rows over places: row i counts the points that lie on `length` places from i * step - shift on.
 * A point beyond `half` of these places counts -weight. With `lines` above 1 the rows are squares:
 * row i of line j counts where the second number lies so by j.
 */
typedef struct sotto_place_class {
    uint16_t rows;   /**< a line's; rows * lines of all classes: to SOTTO_SUM_ROWS_MAX */
    uint16_t lines;  /**< 1 where a point is one number */
    uint16_t step;   /**< places from a row to the next */
    uint16_t length; /**< places of a row */
    uint16_t half;   /**< places that count +weight; length, where all do */
    uint16_t shift;  /**< places before place 0 that row 0 begins */
    uint16_t weight; /**< a point adds this, at least 1 */
} sotto_place_class;

/** Sums of points modulo 2^32, over sets of places; noise as in sotto_noised_sum. */
typedef struct sotto_noised_points {
    const sotto_laplace_noise *noise; /**< every row's; one */
    const sotto_place_class *classes; /**< class_count; published in this order */
    uint16_t places;                  /**< a number is clamped to 0 ... places - 1 */
    uint8_t class_count;              /**< 1 to SOTTO_SUM_CLASSES_MAX */
    uint8_t axes;                     /**< numbers in a point, 1 or 2 */
} sotto_noised_points;

/** Points in order, the smallest first, each with noise as in sotto_noised_sum. */
typedef struct sotto_sorted_points {
    const sotto_laplace_noise *noise; /**< every number's; one */
    int32_t min;                      /**< a point is clamped to it first */
    int32_t max;                      /**< a point is clamped to it first */
    uint16_t length;                  /**< points, 1 to SOTTO_COORDINATES_MAX */
} sotto_sorted_points;

/**
 * A step of a bit to a level above the ladder. The next value is drawn forward, from the last one,
 * its level and the true value. The true value has to be given again (Koufogiannis, Han, Pappas
 * 2015, algorithm 1). One element of an array is one level.
 */
typedef struct sotto_forward_bits {
    /** By the true bit: what becomes of the last bit. Reports of RAPPOR go by the top's permanent
     * bit instead; with forward_permanent, permanent bits go by the true one. */
    sotto_bit_channel given[2];
} sotto_forward_bits;

/** The step of a category, by a uniform u. u < to_value[same] gives the true value, u < keep_last
 * the last value, any other u a uniform one. */
typedef struct sotto_forward_category {
    sotto_threshold to_value[2]; /**< by: is the last value the true one? */
    sotto_threshold keep_last;   /**< cumulative, when it is not */
} sotto_forward_category;

/** The step of a design response or a mean by windows: the last answer stays, else a fresh one is
 * drawn as at the top. */
typedef struct sotto_forward_support {
    sotto_threshold keep_last[2]; /**< by: does the last answer support the true word? */
    sotto_threshold keep;         /**< as at the top, for a fresh answer */
} sotto_forward_support;

/** The step of a number; q_next and q_last are the ratios of the two levels' noise. */
typedef struct sotto_forward_laplace {
    sotto_threshold opposite; /**< the noise changes its sign */
    sotto_threshold stay;     /**< it stays, once it is not smaller */
    sotto_geometric within;   /**< ratio q_next / q_last, with overflow */
    sotto_geometric beyond;   /**< ratio q_next * q_last */
    sotto_geometric tail;     /**< Geom(q_last), for a last value that stands at an end */
} sotto_forward_laplace;

/** The exponential mechanism over public scores. A row has cumulated probabilities. It is that of
 * the true category at the top, and of the category of the level above below that. */
typedef struct sotto_exponential {
    const sotto_threshold *rows; /**< by level, by row: size - 1 of P(published <= to), rising */
    uint16_t size;               /**< 2 to SOTTO_SCORED_MAX */
} sotto_exponential;

/**
 * Window response: bin i becomes one of the answers i ... i + 2 half, with probability keep[top],
 * otherwise one of all, bins + 2 half. A level below keeps the answer of the level above it, or
 * draws one of all again. A number n above min is in bin floor(n * bins / (max - min + 1)). The
 * last two members have the size of bins without a division.
 */
typedef struct sotto_window_response {
    const sotto_threshold *keep; /**< by level */
    int32_t min;                 /**< a true value is clamped to it first */
    int32_t max;                 /**< a true value is clamped to it first */
    uint16_t bins;               /**< 2 to SOTTO_BINS_MAX, at most max - min + 1 */
    uint16_t half;               /**< at most bins */
    uint16_t rest;               /**< (max - min + 1) mod bins */
    uint32_t step;               /**< floor((max - min + 1) / bins) */
} sotto_window_response;

/**
 * A mean by windows. A number is first rounded at random to one of the bins: the mean of its bin is
 * (value - min) * scale * (bins - 1) / 2^32. The bin becomes an answer as in sotto_window_response.
 */
typedef struct sotto_window_mean {
    const sotto_threshold *keep; /**< by level */
    int32_t min;                 /**< a true value is clamped to it first */
    int32_t max;                 /**< a true value is clamped to it first */
    uint32_t scale;              /**< floor((2^32 - 1) / (max - min)) */
    uint16_t bins;               /**< 2 to SOTTO_BINS_MAX */
    uint16_t half;               /**< at most bins */
} sotto_window_mean;

/**
 * Hashed response: the hash value of a string in its cohort, 0 to size - 1, with permanent and then
 * with fresh noise. A category is hashed as the four bytes of its index, the high end first. A
 * permanent answer is the hash value with probability `permanent`, otherwise any; it is the same
 * whenever a device has that hash value again. The report of the top keeps the permanent answer
 * with keep[top], otherwise it is any; a level below keeps the report above it.
 */
typedef struct sotto_hashed {
    const sotto_threshold *keep; /**< by level */
    sotto_threshold permanent;   /**< keeps the hash value */
    uint16_t size;               /**< 2 to SOTTO_BITS_MAX */
    uint16_t cohorts;            /**< 1 to SOTTO_COHORTS_MAX */
    uint16_t max_bytes;          /**< a string's; 4 for categories */
    uint32_t categories;         /**< 2 to SOTTO_CATEGORY_INDICES_MAX; 0: values are strings */
    const uint8_t *definition;   /**< as in sotto_rappor */
} sotto_hashed;

/**
 * Inverse sensitivity (Asi, Duchi 2020): an answer is drawn in proportion to weight[steps]. Steps
 * are moves of one point by `delta` bins at most, as few as make the answer the quantile. Bins are
 * as in sotto_window_response. The answer is a bin, and the metric has room of a word each.
 */
typedef struct sotto_inverse_sensitivity {
    const uint32_t *weight; /**< weight_count, falling; the last is that of all longer ways, too */
    int32_t min;            /**< a point is clamped to it first */
    int32_t max;            /**< a point is clamped to it first */
    uint16_t bins;          /**< 2 to SOTTO_BINS_MAX, at most max - min + 1 */
    uint16_t rest;          /**< (max - min + 1) mod bins */
    uint32_t step;          /**< floor((max - min + 1) / bins) */
    uint16_t delta;         /**< 1 to bins - 1 */
    uint16_t rank;          /**< the quantile's, 1 to 999 of 1000 */
    uint16_t weight_count;  /**< 2 to SOTTO_WEIGHTS_MAX */
} sotto_inverse_sensitivity;

/**
 * Design response: a category v becomes an answer (design[j] - v) mod answers, of a random j, with
 * probability keep[top], otherwise one of all answers. A level below keeps the answer of the level
 * above it, or draws one of all again. Any two categories share equally many answers.
 */
typedef struct sotto_design {
    const sotto_threshold *keep; /**< by level */
    const uint16_t *design;      /**< count numbers, rising: a cyclic difference set */
    uint16_t answers;            /**< at least size and above design's last */
    uint16_t count;              /**< 2 to SOTTO_SUPPORT_MAX */
    uint16_t size;               /**< categories, at least 2 */
} sotto_design;

/**
 * Pad and sample: a set is padded to max_members elements, which differ. They are its members, and
 * dummies from `size` on. An element, or a pair, is drawn at random. An answer names an element, or
 * the pair a < b as b (b - 1) / 2 + a. The draw is kept with keep[top], otherwise the answer is
 * any. A level below keeps the answer of the level above it, or draws one of all again.
 */
typedef struct sotto_pad_and_sample {
    const sotto_threshold *keep; /**< by level */
    uint16_t size;               /**< members that there are, 2 to SOTTO_BITS_MAX */
    uint16_t max_members;        /**< 1 to size; of more, those beyond it are ignored */
    uint8_t named;               /**< elements that an answer names, 1 or 2 */
} sotto_pad_and_sample;

/** The library's own: what draws and checks. The tables of a metric name what they need, so that a
 * program links the core of its registry's mechanisms and no other. */
typedef struct sotto_code sotto_code;
/** The library's own: what draws levels above the ladder. */
typedef struct sotto_forward_code sotto_forward_code;
/** The library's own: what a client keeps and does beside drawing. */
typedef struct sotto_client_code sotto_client_code;
/** @name Code of each mechanism
 * @{ */
/** Named by generated tables only. */
extern const sotto_code sotto_code_randomized_response;
extern const sotto_code sotto_code_laplace_threshold;
extern const sotto_code sotto_code_k_randomized_response;
extern const sotto_code sotto_code_optimized_unary;
extern const sotto_code sotto_code_unary;
extern const sotto_code sotto_code_rappor;
extern const sotto_code sotto_code_basic_rappor;
extern const sotto_code sotto_code_discrete_laplace;
extern const sotto_code sotto_code_one_bit_mean;
extern const sotto_code sotto_code_noised_sum;
extern const sotto_code sotto_code_exponential;
extern const sotto_code sotto_code_noised_points;
extern const sotto_code sotto_code_window_response;
extern const sotto_code sotto_code_hashed;
extern const sotto_code sotto_code_inverse_sensitivity;
extern const sotto_code sotto_code_design;
extern const sotto_code sotto_code_sorted_points;
extern const sotto_code sotto_code_window_mean;
extern const sotto_code sotto_code_pad_and_sample;
extern const sotto_forward_code sotto_forward_code_bits;
extern const sotto_forward_code sotto_forward_code_category;
extern const sotto_forward_code sotto_forward_code_laplace;
extern const sotto_forward_code sotto_forward_code_design;
extern const sotto_forward_code sotto_forward_code_window_mean;
extern const sotto_client_code sotto_client_code_two_stages;
extern const sotto_client_code sotto_client_code_kept_values;
extern const sotto_client_code sotto_client_code_kept_hashes;
extern const sotto_client_code sotto_client_code_open_rows;
extern const sotto_client_code sotto_client_code_room;
/** @} */

struct sotto_client;
struct sotto_metric;
/** The library's own: the level that a new measurement starts at. */
typedef uint8_t sotto_start_function(const struct sotto_client *client,
                                     const struct sotto_metric *metric);
/** Named by generated tables only: a program links it when a metric has a policy. */
sotto_start_function sotto_start_by_policy;

/**
 * The level that a measurement starts at, by public history alone. The state is the highest levels
 * of the last window_epochs - 1 epochs, a digit each in base level_count + 1, the newest lowest. A
 * digit is 0 where nothing was measured, else the level and 1. A level that no longer fits a budget
 * gives way to a lower one.
 */
typedef struct sotto_policy {
    const uint8_t *level;        /**< by state: below level_count */
    sotto_start_function *start; /**< so that a program links it only when there is a policy */
} sotto_policy;

/** One metric. */
typedef struct sotto_metric {
    uint32_t fingerprint;  /**< the canonical definition's, with thresholds, without forward */
    uint16_t id;           /**< 1 to 65535, never reused in a fleet */
    uint8_t type;          /**< SOTTO_TYPE_... */
    uint8_t mechanism;     /**< SOTTO_MECHANISM_... */
    uint8_t level_count;   /**< 1 to 16 */
    uint8_t forward_count; /**< levels above the ladder; 16 with it at most */
    uint16_t value_words;  /**< 32-bit words that a noised value takes */
    uint16_t random_bytes; /**< the most that drawing one word of one level takes */
    uint8_t window_epochs; /**< the metric's own budget's, 1 to 64; 0: none */
    uint8_t per_epoch;     /**< measurements an epoch, 1 to 255 */
    uint8_t request_level; /**< the highest that a signed request may ask for; 0: none may */
    uint8_t cost_reports;  /**< 1 to 65 where releases share noise, else 0 */
    uint32_t budget;       /**< for any window_epochs epochs, in 2^-20 epsilon, at most
                                2000 epsilon */
    /**
     * In 2^-20 epsilon, rounded up, never falling. cost[level], of the ladder and forward: levels 0
     * to level of one release lose this together. With cost_reports, n releases lose
     * cost[level * cost_reports + min(n, cost_reports) - 1] together, none of them above `level`.
     * They are those of a window or of a device's life. The last one of a level is for any number
     * of releases.
     */
    const uint32_t *cost;
    /** The mechanism's own table, in the member that `mechanism` says. */
    union {
        const sotto_randomized_response *randomized_response;     /**< randomized response */
        const sotto_laplace_threshold *laplace_threshold;         /**< Laplace-threshold bits */
        const sotto_k_randomized_response *k_randomized_response; /**< k-ary */
        const sotto_unary *unary;                                 /**< unary, optimized or not */
        const sotto_rappor *rappor;                               /**< RAPPOR, basic or not */
        const sotto_discrete_laplace *discrete_laplace;           /**< discrete Laplace */
        const sotto_one_bit_mean *one_bit_mean;                   /**< one-bit mean */
        const sotto_noised_sum *noised_sum;                       /**< noised sums */
        const sotto_exponential *exponential;                     /**< exponential */
        const sotto_noised_points *noised_points;                 /**< noised sums of places */
        const sotto_window_response *window_response;             /**< window response */
        const sotto_hashed *hashed;                               /**< hashed response */
        const sotto_inverse_sensitivity *inverse_sensitivity;     /**< inverse sensitivity */
        const sotto_design *design;                               /**< design response */
        const sotto_sorted_points *sorted_points;                 /**< sorted points */
        const sotto_window_mean *window_mean;                     /**< mean by windows */
        const sotto_pad_and_sample *pad_and_sample;               /**< pad and sample */
    } table;
    /** The steps above the ladder: forward_count of them, in the member of the mechanism. */
    union {
        const sotto_forward_bits *bits;         /**< booleans, unary bits, one-bit means, RAPPOR */
        const sotto_forward_category *category; /**< k-ary categories */
        const sotto_forward_laplace *laplace;   /**< integers, vectors */
        const sotto_forward_support *support;   /**< by answers that support a word */
    } forward;
    /** By forward level: the fingerprint of the definition with all levels up to it. A level that
     * is added above leaves the others theirs. */
    const uint32_t *forward_fingerprint;

    const sotto_code *code;                 /**< the mechanism's */
    const sotto_forward_code *forward_code; /**< for the member of `forward`; null: there is none */
    const sotto_client_code *client;        /**< null: no state, and nothing to do in an epoch */
    const sotto_policy
        *policy; /**< for measurements in window_epochs, one an epoch; null: level 0 */
} sotto_metric;

/** The aggregator's public X25519 key. Its id is the first 4 bytes of SHA-256("\x0csotto key v1"
 * and the key), big-endian. */
typedef struct sotto_seal_key {
    uint32_t id;            /**< an envelope names it so */
    uint32_t last_epoch;    /**< nothing is sealed with it after this one; UINT32_MAX: no end */
    uint8_t public_key[32]; /**< as RFC 7748 has it */
} sotto_seal_key;

/**
 * Encrypts text[0 .. text_bytes) in place, with `header` as associated data. The 16 bytes behind
 * the text become its tag; enc, 32 bytes, is what the key's holder needs to open it. `ephemeral` is
 * 32 fresh random bytes, used for nothing else. Its time depends on the sizes only; no memory but
 * enc and the text keeps anything of it. Errors: CRYPTO, and enc and the text are zeroed.
 */
typedef sotto_status sotto_seal_function(const uint8_t *public_key, const uint8_t *ephemeral,
                                         const uint8_t *header, size_t header_bytes, uint8_t *enc,
                                         uint8_t *text, size_t text_bytes);

/** HPKE (RFC 9180) single-shot in base mode: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256,
 * ChaCha20Poly1305, info "sotto envelope v1". Thread-safe. */
sotto_seal_function sotto_seal_hpke;

/** The keys that batches are sealed for. */
typedef struct sotto_sealing {
    const sotto_seal_key *keys; /**< the newest last */
    uint16_t key_count;         /**< 1 to 16 */
    sotto_seal_function *seal;  /**< so that a program links it only when there are keys */
} sotto_sealing;

/** The metrics of a fleet. */
typedef struct sotto_registry {
    uint32_t fingerprint;        /**< the whole canonical definition's */
    uint16_t metric_count;       /**< 1 and more */
    const sotto_metric *metrics; /**< ascending by id */
    uint32_t budget;             /**< the whole device's, as in sotto_metric */
    uint8_t window_epochs;       /**< the device budget's, 1 to 64; 0: there is none */
    uint8_t start_paused;        /**< 1: a new device is paused until sotto_resume() */
    uint8_t padding_bytes;   /**< batches are padded to a multiple of it: 8, 16, 32, 64; 0: they are
                                not */
    uint32_t max_epoch_jump; /**< epochs that a device goes on at once, at least 1 */
    const uint8_t *request_key;   /**< P-256, x and y, 64 bytes; null: no requests */
    const sotto_sealing *sealing; /**< null: batches leave in the clear */
    uint32_t request_serial;      /**< no request up to it is obeyed */
} sotto_registry;

#ifdef __cplusplus
}
#endif
#endif
