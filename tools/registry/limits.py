# SPDX-License-Identifier: Apache-2.0
"""Limits of tables. The device's header has them too, as SOTTO_...; a test compares the two."""

PADDING_BYTES_MAX = 64
PADDINGS = (0, 8, 16, 32, PADDING_BYTES_MAX)  # batches are padded to a multiple of it
PADDING_DEFAULT = 32
BITS_MAX = 1024  # bits of a report
BINS_MAX = 1024  # bins of a number
WEIGHTS_MAX = 1024  # weights by how far the data is
CATEGORIES_MAX = 65535  # categories of a report that is one of them
CATEGORY_INDICES_MAX = 1 << 31  # categories by any mechanism
SUPPORT_MAX = 1024  # answers that support a category
SCORED_MAX = 32  # categories that have scores
COHORTS_MAX = 1024
HASHES_MAX = 8  # bits of a string
STRING_BYTES_MAX = 256
REMEMBERED_MAX = 1024  # values that a device remembers noise of
COORDINATES_MAX = 256
NUMBER_MAX = 1 << 30  # size of a value, so that a difference of two fits in 32 bits
WHOLE_RANGE = (1 << 32) - 1  # a number's range in a word; 2^32 would wrap at its end
DIGITS_MAX = 29  # digits of a geometric number
SUM_ROWS_MAX = 1024  # rows of a metric of sums
SUM_SPAN_MAX = 1 << 20  # epochs of a row
SUM_CLASSES_MAX = 21  # kinds of rows; a tree of two has most levels, each doubles what a row spans
EVENT_MAX = 1 << 16  # units of one event
