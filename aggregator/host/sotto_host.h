/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Report files to tallies without a store, for whoever shares the work out: C99, or anything that
 * calls C. The Python package calls it, and Spark by that.
 *
 *     report file ─ parse ─▶ rows of each part ─ tally ─▶ a share ─ merge ─▶ tally file
 *
 * A release lies in one of `parts` parts, by its hash. Any number of workers parse files. One
 * tallies all rows of a part. The merged bytes are those of `sotto tally --out`, in whatever order
 * files came and however often. (The program's registry must have all metrics of these, and its
 * store no closed epoch.)
 *
 * - Errors: a function answers SOTTO_HOST_DONE, or a failure and one line of text: what is wrong,
 *   where, what is allowed. `line` has SOTTO_HOST_LINE_BYTES bytes and is ended by a zero; a
 *   longer text is cut. It is "" when all is well. After a failure nothing was given out. Rows
 *   that were parsed before an "out of memory" may be gone: free them and begin anew.
 * - Ownership: views are the caller's and are read during the call only. Bytes that are given out
 *   are the caller's to free, with sotto_host_free. Pointers must not be null, unless said.
 * - Threads: a sotto_host may be used by any number of threads at once. A sotto_host_rows may be
 *   used by one at a time.
 */
#ifndef SOTTO_HOST_H
#define SOTTO_HOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SOTTO_HOST_VERSION 1      /**< grows when a call or a format of bytes changes */
#define SOTTO_HOST_LINE_BYTES 512 /**< room for a line, its zero included */

/** The program's exit codes. */
enum {
    SOTTO_HOST_DONE = 0,
    SOTTO_HOST_USAGE = 2,      /**< an argument or an input */
    SOTTO_HOST_ENVIRONMENT = 3 /**< memory, disk, permissions */
};

typedef struct sotto_host sotto_host;           /**< registries and keys; never changes */
typedef struct sotto_host_rows sotto_host_rows; /**< rows that were parsed, by part */

/** Bytes of the caller's. `data` may be null where `size` is 0. */
typedef struct sotto_host_view {
    const void *data;
    size_t size;
} sotto_host_view;

/** Bytes that were given out. */
typedef struct sotto_host_bytes {
    void *data;
    size_t size;
} sotto_host_bytes;

/** Counts of all calls that had this: begin with zeros. */
typedef struct sotto_host_read {
    uint64_t envelopes;
    uint64_t reports;  /**< admitted; those that are there twice count twice */
    uint64_t rejected; /**< envelopes, batches, reports and ends of files */
} sotto_host_read;

/** The library's SOTTO_HOST_VERSION: compare it with the header's. */
uint32_t sotto_host_version(void);

/** Opens with `count` texts of metrics.json, at least one. `keys`: a file of a private key or a
 * folder of them, by `sotto keygen`; null: what is sealed is rejected. */
int sotto_host_open(const sotto_host_view *registries, size_t count, const char *keys,
                    sotto_host **host, char *line);
/** Null is allowed. Its sotto_host_rows must be gone. */
void sotto_host_close(sotto_host *host);

/** Begins with no rows. `parts`: 1 to 65,536. `host` must outlive it. */
int sotto_host_rows_new(const sotto_host *host, uint32_t parts, sotto_host_rows **rows, char *line);
/** Null is allowed. */
void sotto_host_rows_free(sotto_host_rows *rows);
/** Opens, reads and checks all of one report file, and adds its rows and counts. A reject is no
 * failure: the line then says how many and why, "9 truncated or not a report file". */
int sotto_host_parse(sotto_host_rows *rows, sotto_host_view file, sotto_host_read *read,
                     char *line);
/** The memory of the rows that were not taken out, in bytes. */
size_t sotto_host_rows_size(const sotto_host_rows *rows);
/** Takes the rows of a part out; no bytes where there are none. */
int sotto_host_take(sotto_host_rows *rows, uint32_t part, sotto_host_bytes *taken, char *line);

/** Counts one part: `taken` are all rows that all workers took out of it, in any order. Takes some
 * three times their memory. */
int sotto_host_tally(const sotto_host *host, uint32_t part, uint32_t parts,
                     const sotto_host_view *taken, size_t count, sotto_host_bytes *share,
                     char *line);
/** Adds shares of all parts up to a tally file, 256 MiB at most. The same share twice counts once.
 * Fails when one is missing, two contradict each other, or one is damaged. */
int sotto_host_merge(const sotto_host *host, const sotto_host_view *shares, size_t count,
                     sotto_host_bytes *tallies, char *line);

/** Frees the bytes and forgets them: doing so again is allowed. */
void sotto_host_free(sotto_host_bytes *bytes);

#ifdef __cplusplus
}
#endif
#endif
