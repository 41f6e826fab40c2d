// SPDX-License-Identifier: Apache-2.0
#include "mechanism/code.hpp"
#include "mechanism/laplace_threshold.hpp"
#include "mechanism/table_check.hpp"

namespace sotto {
namespace {

uint32_t size(const sotto_metric &) { return 2; }

size_t level_bytes(const sotto_metric &m, uint32_t level) {
    return lattice_bytes(m.table.laplace_threshold->lattice, level, m.level_count);
}

uint32_t draw(const sotto_metric &m, uint32_t level, uint32_t, uint32_t from,
              const uint8_t *random) {
    const sotto_laplace_threshold &table = *m.table.laplace_threshold;
    return level + 1 == m.level_count
               ? laplace_top(table.lattice, level, lattice_start(table, from), random)
               : laplace_below(table.lattice, level, from, random);
}

uint32_t published(const sotto_metric &m, uint32_t word) {
    return lattice_bit(*m.table.laplace_threshold, word);
}

bool is_sound(const sotto_metric &m) {
    const sotto_laplace_threshold *table = m.table.laplace_threshold;
    return m.type == SOTTO_TYPE_BOOLEAN && table != nullptr && table->lattice.min == 0 &&
           table->threshold >= 1 && table->threshold <= table->lattice.max && m.value_words == 1 &&
           is_lattice(table->lattice, m.level_count);
}

} // namespace
} // namespace sotto

const sotto_code sotto_code_laplace_threshold = {SOTTO_MECHANISM_LAPLACE_THRESHOLD,
                                                 sotto::shown::index,
                                                 sotto::steps::none,
                                                 0,
                                                 sotto::size,
                                                 nullptr, // encode
                                                 sotto::level_bytes,
                                                 sotto::draw,
                                                 sotto::published,
                                                 nullptr, // strings
                                                 nullptr, // reports
                                                 sotto::is_sound};
