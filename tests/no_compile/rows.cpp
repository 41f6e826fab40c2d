// SPDX-License-Identifier: Apache-2.0
// A mechanism's row with a part forgotten does not compile: LEFT_OUT names the part.
#include "client/client_code.hpp"
#include "mechanism/code.hpp"

#include <type_traits>

namespace {

enum part {
    nothing,
    row_size,
    row_level_bytes,
    row_draw,
    row_is_sound,
    strings_cohorts,
    strings_max_bytes,
    reports_levels,
    reports_is_chained,
    reports_bytes,
    reports_draw,
    reports_values,
    reports_definition,
    state_words,
    state_rows,
    state_is_sound,
    stage_derive,
    stage_forward,
    noise_definition,
    noise_digest,
    noise_is_admissible,
    noise_admit,
    noise_charged,
    noise_cost,
    steps_bytes,
    steps_draw,
    steps_is_sound
};

// The function, or null in its place.
template <part named, typename Function> decltype(auto) kept(Function &function) {
    if constexpr (named == LEFT_OUT) {
        (void)function;
        return nullptr;
    } else {
        return (function);
    }
}

uint32_t of_metric(const sotto_metric &) { return 0; }
uint32_t encode(const sotto_metric &, const sotto::given &, uint32_t *) { return 0; }
size_t bytes(const sotto_metric &, uint32_t) { return 0; }
uint32_t draw(const sotto_metric &, uint32_t, uint32_t, uint32_t, const uint8_t *) { return 0; }
uint32_t step(const sotto_metric &, uint32_t, uint32_t, uint32_t, uint32_t, const uint8_t *) {
    return 0;
}
bool is_sound(const sotto_metric &) { return true; }
bool is_chained(const sotto_metric &, uint32_t) { return true; }
const uint8_t *definition(const sotto_metric &) { return nullptr; }
sotto_status digest(const sotto_client &, const sotto_metric &, uint32_t, uint8_t *) {
    return SOTTO_OK;
}
uint32_t charged(uint32_t, uint32_t, uint32_t) { return 0; }
uint64_t cost(const sotto_metric &, const uint32_t *, uint32_t) { return 0; }
uint32_t is_admissible(const sotto_client &, const sotto_metric &, const uint32_t *) { return 0; }
void admit(const sotto_client &, const sotto_metric &, const uint32_t *) {}
sotto_status derive(const sotto_client &, const sotto_release &, uint32_t, uint32_t *) {
    return SOTTO_OK;
}

constexpr auto shows = sotto::shown::index;
constexpr auto steps = sotto::steps::none;

const sotto::string_code strings = {kept<strings_cohorts>(of_metric),
                                    kept<strings_max_bytes>(of_metric)};
const sotto::two_stages reports = {
    kept<reports_levels>(of_metric), kept<reports_is_chained>(is_chained),
    kept<reports_bytes>(bytes),      kept<reports_draw>(draw),
    kept<reports_values>(of_metric), kept<reports_definition>(definition)};
const sotto::second_stage stage = {kept<stage_derive>(derive), kept<stage_forward>(is_sound)};
const sotto::lasting_noise noise = {kept<noise_definition>(definition),
                                    kept<noise_digest>(digest),
                                    kept<noise_is_admissible>(is_admissible),
                                    kept<noise_admit>(admit),
                                    kept<noise_charged>(charged),
                                    kept<noise_cost>(cost)};
sotto_status on_epoch(sotto_client &, const sotto_metric &) { return SOTTO_OK; }

} // namespace

const sotto_client_code client = {kept<state_words>(of_metric),
                                  kept<state_rows>(of_metric),
                                  on_epoch,
#if !defined(WITHOUT_A_STAGE)
                                  &stage,
#endif
                                  &noise,
                                  kept<state_is_sound>(is_sound)};

const sotto_forward_code forward = {steps, kept<steps_bytes>(bytes), kept<steps_draw>(step),
                                    kept<steps_is_sound>(is_sound)};
const sotto_code row = {1,
#if !defined(WITHOUT_WIRE_KIND)
                        shows,
#endif
                        steps,
                        0,
                        kept<row_size>(of_metric),
                        encode,
                        kept<row_level_bytes>(bytes),
                        kept<row_draw>(draw),
#if !defined(WITHOUT_A_MEMBER)
                        nullptr,
#endif
                        &strings,
                        &reports,
                        kept<row_is_sound>(is_sound)};
