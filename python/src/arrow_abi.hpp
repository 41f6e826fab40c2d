// SPDX-License-Identifier: Apache-2.0
// The three structures of Arrow's C data interface, as its specification lays them out: every
// producer declares them itself.
#ifndef SOTTO_PYTHON_ARROW_ABI_HPP
#define SOTTO_PYTHON_ARROW_ABI_HPP

#include <cstdint>

extern "C" {

struct ArrowSchema {
    const char *format, *name, *metadata;
    std::int64_t flags, n_children;
    ArrowSchema **children, *dictionary;
    void (*release)(ArrowSchema *); // null once it was called
    void *private_data;
};

struct ArrowArray {
    std::int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    ArrowArray **children, *dictionary;
    void (*release)(ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream *, ArrowSchema *);
    int (*get_next)(ArrowArrayStream *, ArrowArray *);
    const char *(*get_last_error)(ArrowArrayStream *);
    void (*release)(ArrowArrayStream *);
    void *private_data;
};
}

namespace sotto::python {

inline constexpr std::int64_t arrow_nullable = 2;

} // namespace sotto::python
#endif
