/* SPDX-License-Identifier: Apache-2.0 */
#include "host_calls.h"

enum { workers_max = 8, parts_max = 16 };

static sotto_host_view view_of(sotto_host_bytes bytes) {
    sotto_host_view view;
    view.data = bytes.data;
    view.size = bytes.size;
    return view;
}

static int parse_all(const sotto_host *host, const sotto_host_view *files, size_t count,
                     uint32_t parts, sotto_host_rows **workers, sotto_host_read *read, char *line) {
    int code = SOTTO_HOST_DONE;
    size_t i;
    for (i = 0; i < count && code == SOTTO_HOST_DONE; ++i) {
        code = sotto_host_rows_new(host, parts, &workers[i], line);
        if (code == SOTTO_HOST_DONE)
            code = sotto_host_parse(workers[i], files[i], read, line);
    }
    return code;
}

static int tally_part(const sotto_host *host, sotto_host_rows **workers, size_t count,
                      uint32_t part, uint32_t parts, sotto_host_bytes *share, char *line) {
    sotto_host_bytes taken[workers_max] = {{0, 0}};
    sotto_host_view views[workers_max];
    int code = SOTTO_HOST_DONE;
    size_t i;
    for (i = 0; i < count && code == SOTTO_HOST_DONE; ++i) {
        code = sotto_host_take(workers[i], part, &taken[i], line);
        views[i] = view_of(taken[i]);
    }
    if (code == SOTTO_HOST_DONE)
        code = sotto_host_tally(host, part, parts, views, count, share, line);
    for (i = 0; i < count; ++i)
        sotto_host_free(&taken[i]);
    return code;
}

int host_calls(const sotto_host *host, const sotto_host_view *files, size_t count, uint32_t parts,
               sotto_host_read *read, sotto_host_bytes *tallies, char *line) {
    sotto_host_rows *workers[workers_max] = {0};
    sotto_host_bytes shares[parts_max] = {{0, 0}};
    sotto_host_view views[parts_max + 1];
    int code = SOTTO_HOST_USAGE;
    uint32_t part;
    size_t i;
    if (count > workers_max || parts > parts_max)
        return code;
    code = parse_all(host, files, count, parts, workers, read, line);
    for (part = 0; part < parts && code == SOTTO_HOST_DONE; ++part) {
        code = tally_part(host, workers, count, part, parts, &shares[part], line);
        views[part] = view_of(shares[part]);
        views[part + 1] = views[part];
    }
    if (code == SOTTO_HOST_DONE)
        code = sotto_host_merge(host, views, (size_t)parts + 1, tallies, line);
    for (part = 0; part < parts; ++part)
        sotto_host_free(&shares[part]);
    for (i = 0; i < count; ++i)
        sotto_host_rows_free(workers[i]);
    return code;
}
