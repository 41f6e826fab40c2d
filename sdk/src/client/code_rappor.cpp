// SPDX-License-Identifier: Apache-2.0
#include "client/permanent_value.hpp"
#include "client/registry_check.hpp"
#include "client/table_check.hpp"
#include "mechanism/code.hpp"
#include "mechanism/draws.hpp"
#include "mechanism/rappor.hpp"
#include "mechanism/unary.hpp"

namespace sotto {
namespace {

bool is_any_rappor(const sotto_metric &m, bool one_hot) {
    const sotto_rappor *table = m.table.rappor;
    if (table == nullptr || table->bits < 2 || table->bits > 1024 || table->cohorts < 1 ||
        table->cohorts > 1024 || table->max_values < 1 || table->max_bytes > string_bytes_max ||
        table->hashes > bloom_digest_bytes / 4 || (table->chained >> (m.level_count - 1)) != 0) {
        return false;
    }
    if (table->protects_sequence == 0 && table->definition == nullptr) {
        return false;
    }
    const bool fits_kind = one_hot ? table->hashes == 0 && table->cohorts == 1
                                   : table->hashes >= 1 && table->max_bytes >= 1;
    return fits_kind && are_channels(table->permanent, m.level_count) &&
           hides(table->permanent[m.level_count - 1]) &&
           are_channels(table->instantaneous, report_levels(m)) &&
           m.value_words == unary_words(table->bits);
}

bool is_string_rappor(const sotto_metric &m) {
    return m.type == SOTTO_TYPE_STRING && is_any_rappor(m, false);
}

bool is_one_hot_rappor(const sotto_metric &m) {
    return m.type == SOTTO_TYPE_CATEGORY && is_any_rappor(m, true);
}

} // namespace
} // namespace sotto

using namespace sotto;

const sotto_code sotto_code_rappor = {SOTTO_MECHANISM_RAPPOR, permanent_bytes, draw_permanent,
                                      is_string_rappor, &memoized};
const sotto_code sotto_code_basic_rappor = {SOTTO_MECHANISM_BASIC_RAPPOR, permanent_bytes,
                                            draw_permanent, is_one_hot_rappor, &memoized};
