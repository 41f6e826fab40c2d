/* SPDX-License-Identifier: Apache-2.0 */
/* Prints every number of a generated registry as a device sees it, for test_tables.py. */
#include "metrics.h"

#include <stdio.h>

static void number(unsigned long value) { printf(" %lu", value); }

static void limbs(const uint32_t *limb, int count) {
    int i;
    printf(" ");
    for (i = count - 1; i >= 0; --i) {
        printf("%08lx", (unsigned long)limb[i]);
    }
}

static void threshold(const sotto_threshold *t) { limbs(t->limb, 2); }

static void channel(const sotto_bit_channel *c) {
    number(c->bits);
    threshold(&c->one_if_zero);
    threshold(&c->one_if_one);
}

static void geometric(const sotto_geometric *g) {
    int i;
    number(32ul * g->digit_limbs);
    number(g->digit_count);
    for (i = 0; i < g->digit_count + g->has_overflow; ++i) {
        limbs(g->digit + i * g->digit_limbs, g->digit_limbs);
    }
}

static void laplace(const sotto_discrete_laplace *t, int levels) {
    int i;
    for (i = 0; i < levels; ++i) {
        threshold(&t->noise[i].nonzero);
        geometric(&t->noise[i].size);
    }
    printf(" %ld %ld %ld %ld", (long)t->min, (long)t->max, (long)t->publish_min,
           (long)t->publish_max);
    number(t->length);
    number(t->l1_half);
}

static void sums(const sotto_noised_sum *t) {
    int i;
    uint32_t j;
    threshold(&t->noise->nonzero);
    geometric(&t->noise->size);
    for (i = 0; i < t->class_count; ++i) {
        number(t->classes[i].step);
        number(t->classes[i].rows);
        for (j = 0; t->classes[i].weight != NULL && j < t->classes[i].step * t->classes[i].rows;
             ++j) {
            number(t->classes[i].weight[j]);
        }
    }
    number(t->event);
    number(t->block);
    number(t->shows);
}

static void quantile(const sotto_inverse_sensitivity *t) {
    int i;
    for (i = 0; i < t->weight_count; ++i) {
        number(t->weight[i]);
    }
    printf(" %ld %ld", (long)t->min, (long)t->max);
    number(t->bins);
    number(t->rest);
    number(t->step);
    number(t->delta);
    number(t->rank);
}

static void points(const sotto_noised_points *t) {
    int i;
    threshold(&t->noise->nonzero);
    geometric(&t->noise->size);
    for (i = 0; i < t->class_count; ++i) {
        number(t->classes[i].rows);
        number(t->classes[i].lines);
        number(t->classes[i].step);
        number(t->classes[i].length);
        number(t->classes[i].half);
        number(t->classes[i].shift);
        number(t->classes[i].weight);
    }
    number(t->places);
    number(t->axes);
}

static void window(const sotto_window_response *t) {
    printf(" %ld %ld", (long)t->min, (long)t->max);
    number(t->bins);
    number(t->half);
    number(t->rest);
    number(t->step);
}

static void table(const sotto_metric *m) {
    int i;
    for (i = 0; i < m->level_count; ++i) {
        switch (m->mechanism) {
        case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
            threshold(&m->table.randomized_response->flip[i]);
            break;
        case SOTTO_MECHANISM_ONE_BIT_MEAN:
            threshold(&m->table.one_bit_mean->flip[i]);
            break;
        case SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE:
            threshold(&m->table.k_randomized_response->keep[i]);
            break;
        case SOTTO_MECHANISM_WINDOW_RESPONSE:
            threshold(&m->table.window_response->keep[i]);
            break;
        case SOTTO_MECHANISM_WINDOW_MEAN:
            threshold(&m->table.window_mean->keep[i]);
            break;
        case SOTTO_MECHANISM_PAD_AND_SAMPLE:
            threshold(&m->table.pad_and_sample->keep[i]);
            break;
        case SOTTO_MECHANISM_HASHED:
            threshold(&m->table.hashed->keep[i]);
            break;
        case SOTTO_MECHANISM_DESIGN:
            threshold(&m->table.design->keep[i]);
            break;
        case SOTTO_MECHANISM_UNARY:
        case SOTTO_MECHANISM_OPTIMIZED_UNARY:
            channel(&m->table.unary->channel[i]);
            break;
        case SOTTO_MECHANISM_RAPPOR:
        case SOTTO_MECHANISM_BASIC_RAPPOR:
            channel(&m->table.rappor->permanent[i]);
            channel(&m->table.rappor->instantaneous[i]);
            break;
        default:
            break;
        }
    }
    switch (m->mechanism) {
    case SOTTO_MECHANISM_ONE_BIT_MEAN:
        printf(" %ld %ld", (long)m->table.one_bit_mean->min, (long)m->table.one_bit_mean->max);
        number(m->table.one_bit_mean->scale);
        break;
    case SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE:
        number(m->table.k_randomized_response->size);
        break;
    case SOTTO_MECHANISM_UNARY:
    case SOTTO_MECHANISM_OPTIMIZED_UNARY:
        number(m->table.unary->size);
        number(m->table.unary->max_members);
        break;
    case SOTTO_MECHANISM_RAPPOR:
    case SOTTO_MECHANISM_BASIC_RAPPOR:
        number(m->table.rappor->bits);
        number(m->table.rappor->hashes);
        number(m->table.rappor->cohorts);
        number(m->table.rappor->max_bytes);
        number(m->table.rappor->max_values);
        number(m->table.rappor->chained);
        number(m->table.rappor->protects_sequence);
        break;
    case SOTTO_MECHANISM_DISCRETE_LAPLACE:
        laplace(m->table.discrete_laplace, m->level_count);
        break;
    case SOTTO_MECHANISM_LAPLACE_THRESHOLD:
        laplace(&m->table.laplace_threshold->lattice, m->level_count);
        number((unsigned long)m->table.laplace_threshold->threshold);
        break;
    case SOTTO_MECHANISM_NOISED_SUM:
        sums(m->table.noised_sum);
        break;
    case SOTTO_MECHANISM_EXPONENTIAL:
        for (i = 0;
             i < m->level_count * m->table.exponential->size * (m->table.exponential->size - 1);
             ++i) {
            threshold(&m->table.exponential->rows[i]);
        }
        number(m->table.exponential->size);
        break;
    case SOTTO_MECHANISM_NOISED_POINTS:
        points(m->table.noised_points);
        break;
    case SOTTO_MECHANISM_WINDOW_RESPONSE:
        window(m->table.window_response);
        break;
    case SOTTO_MECHANISM_WINDOW_MEAN:
        printf(" %ld %ld", (long)m->table.window_mean->min, (long)m->table.window_mean->max);
        number(m->table.window_mean->bins);
        number(m->table.window_mean->half);
        number(m->table.window_mean->scale);
        break;
    case SOTTO_MECHANISM_PAD_AND_SAMPLE:
        number(m->table.pad_and_sample->size);
        number(m->table.pad_and_sample->max_members);
        number(m->table.pad_and_sample->named);
        break;
    case SOTTO_MECHANISM_HASHED:
        threshold(&m->table.hashed->permanent);
        number(m->table.hashed->size);
        number(m->table.hashed->cohorts);
        number(m->table.hashed->max_bytes);
        number(m->table.hashed->categories);
        break;
    case SOTTO_MECHANISM_DESIGN:
        for (i = 0; i < m->table.design->count; ++i) {
            number(m->table.design->design[i]);
        }
        number(m->table.design->answers);
        number(m->table.design->size);
        break;
    case SOTTO_MECHANISM_SORTED_POINTS:
        threshold(&m->table.sorted_points->noise->nonzero);
        geometric(&m->table.sorted_points->noise->size);
        printf(" %ld %ld", (long)m->table.sorted_points->min, (long)m->table.sorted_points->max);
        number(m->table.sorted_points->length);
        break;
    case SOTTO_MECHANISM_INVERSE_SENSITIVITY:
        quantile(m->table.inverse_sensitivity);
        break;
    default:
        break;
    }
}

static void spending(const sotto_metric *m) {
    const int each = m->cost_reports > 0 ? m->cost_reports : 1;
    int i;
    number(m->window_epochs);
    number(m->budget);
    number(m->per_epoch);
    number(m->request_level);
    number(m->cost_reports);
    for (i = 0; i < (m->level_count + m->forward_count) * each; ++i) {
        number(m->cost[i]);
    }
}

static void forward(const sotto_metric *m) {
    int i;
    for (i = 0; i < m->forward_count; ++i) {
        if (m->mechanism == SOTTO_MECHANISM_K_RANDOMIZED_RESPONSE) {
            threshold(&m->forward.category[i].to_value[0]);
            threshold(&m->forward.category[i].to_value[1]);
            threshold(&m->forward.category[i].keep_last);
        } else if (m->mechanism == SOTTO_MECHANISM_DISCRETE_LAPLACE) {
            threshold(&m->forward.laplace[i].opposite);
            threshold(&m->forward.laplace[i].stay);
            geometric(&m->forward.laplace[i].within);
            geometric(&m->forward.laplace[i].beyond);
            geometric(&m->forward.laplace[i].tail);
        } else if (m->mechanism == SOTTO_MECHANISM_DESIGN ||
                   m->mechanism == SOTTO_MECHANISM_WINDOW_MEAN) {
            threshold(&m->forward.support[i].keep_last[0]);
            threshold(&m->forward.support[i].keep_last[1]);
            threshold(&m->forward.support[i].keep);
        } else {
            channel(&m->forward.bits[i].given[0]);
            channel(&m->forward.bits[i].given[1]);
        }
    }
}

int main(void) {
    int i;
    printf("%08lx", (unsigned long)REGISTRY.fingerprint);
    number(REGISTRY.window_epochs);
    number(REGISTRY.budget);
    number(REGISTRY.max_epoch_jump);
    printf("\n");
    for (i = 0; i < REGISTRY.metric_count; ++i) {
        const sotto_metric *m = &REGISTRY.metrics[i];
        printf("%08lx", (unsigned long)m->fingerprint);
        number(m->id);
        number(m->type);
        number(m->mechanism);
        number(m->level_count);
        number(m->forward_count);
        number(m->value_words);
        number(m->random_bytes);
        table(m);
        forward(m);
        spending(m);
        printf("\n");
    }
    return 0;
}
