/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOTTO_TESTS_AGGREGATOR_HOST_CALLS_H
#define SOTTO_TESTS_AGGREGATOR_HOST_CALLS_H

#include "aggregator/host/sotto_host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Report files to a tally file by C99 alone: a worker for each file, a tally for each part. Then
 * shares are merged, the last one twice. The caller frees `tallies`. */
int host_calls(const sotto_host *host, const sotto_host_view *files, size_t count, uint32_t parts,
               sotto_host_read *read, sotto_host_bytes *tallies, char *line);

#ifdef __cplusplus
}
#endif
#endif
