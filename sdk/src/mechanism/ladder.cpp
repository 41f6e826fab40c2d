// SPDX-License-Identifier: Apache-2.0
#include "mechanism/ladder.hpp"

#include "mechanism/code.hpp"

namespace sotto {
namespace {

// Tables and code that go with the metric's mechanism.
bool has_code(const sotto_metric &metric) {
    return metric.code != nullptr && metric.code->mechanism == metric.mechanism;
}

bool has_forward_code(const sotto_metric &metric) {
    return has_code(metric) && metric.forward_code != nullptr;
}

// Is a level drawn from what the level above it published?
bool is_from_published(const sotto_metric &metric, uint32_t level) {
    return metric.code->published == nullptr &&
           (!is_two_stage(metric) || metric.code->reports->is_chained(metric, level));
}

bool is_way_down(const sotto_metric &metric, uint32_t from_level, uint32_t to_level) {
    bool is_way = has_code(metric) && from_level < metric.level_count && to_level < from_level;
    for (uint32_t level = to_level; is_way && level < from_level; ++level) {
        is_way = is_from_published(metric, level);
    }
    return is_way;
}

size_t report_bytes(const sotto_metric &metric, uint32_t level) {
    return is_two_stage(metric) ? metric.code->reports->bytes(metric, level)
                                : metric.code->level_bytes(metric, level);
}

} // namespace

size_t level_bytes(const sotto_metric &metric, uint32_t level) {
    return level < metric.level_count && has_code(metric) ? metric.code->level_bytes(metric, level)
                                                          : 0;
}

sotto_status draw_word(const sotto_metric &metric, uint32_t level, uint32_t index, uint32_t from,
                       random_bytes random, uint32_t *word) {
    *word = 0;
    if (level >= metric.level_count || index >= metric.value_words ||
        random.size < level_bytes(metric, level)) {
        return SOTTO_ERR_ARGUMENT;
    }
    if (!has_code(metric)) {
        return SOTTO_ERR_REGISTRY;
    }
    *word = metric.code->draw(metric, level, index, from, random.data);
    return SOTTO_OK;
}

uint32_t published_word(const sotto_metric &metric, uint32_t word) {
    return metric.code->published == nullptr ? word : metric.code->published(metric, word);
}

size_t tighten_bytes(const sotto_metric &metric, uint32_t from_level, uint32_t to_level) {
    size_t size = 0;
    if (is_way_down(metric, from_level, to_level)) {
        for (uint32_t level = to_level; level < from_level; ++level) {
            size += report_bytes(metric, level);
        }
    }
    return size;
}

sotto_status tighten_word(const sotto_metric &metric, uint32_t from_level, uint32_t to_level,
                          uint32_t index, uint32_t published, random_bytes random, uint32_t *word) {
    *word = 0;
    if (!has_code(metric)) {
        return SOTTO_ERR_REGISTRY;
    }
    if (!is_way_down(metric, from_level, to_level) || index >= metric.value_words ||
        random.size < tighten_bytes(metric, from_level, to_level)) {
        return SOTTO_ERR_ARGUMENT;
    }
    const auto &draw = is_two_stage(metric) ? metric.code->reports->draw : metric.code->draw;
    uint32_t now = published;
    for (uint32_t level = from_level; level-- > to_level;) {
        now = draw(metric, level, index, now, random.data);
        random.data += report_bytes(metric, level);
    }
    *word = now;
    return SOTTO_OK;
}

size_t forward_bytes(const sotto_metric &metric, uint32_t step) {
    return step < metric.forward_count && has_forward_code(metric)
               ? metric.forward_code->bytes(metric, step)
               : 0;
}

sotto_status draw_forward(const sotto_metric &metric, uint32_t step, uint32_t index, uint32_t last,
                          uint32_t true_word, random_bytes random, uint32_t *word) {
    *word = 0;
    if (step >= metric.forward_count || index >= metric.value_words ||
        random.size < forward_bytes(metric, step)) {
        return SOTTO_ERR_ARGUMENT;
    }
    if (!has_forward_code(metric)) {
        return SOTTO_ERR_REGISTRY;
    }
    *word = metric.forward_code->draw(metric, step, index, last, true_word, random.data);
    return SOTTO_OK;
}

} // namespace sotto
