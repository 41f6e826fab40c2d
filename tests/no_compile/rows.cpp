// SPDX-License-Identifier: Apache-2.0
// A mechanism's row with a part forgotten does not compile.
#include "client/client_code.hpp"

namespace {

uint32_t size(const sotto_metric &) { return 0; }
uint32_t encode(const sotto_metric &, const sotto::given &, uint32_t *) { return 0; }
size_t bytes(const sotto_metric &, uint32_t) { return 0; }
uint32_t draw(const sotto_metric &, uint32_t, uint32_t, uint32_t, const uint8_t *) { return 0; }
bool is_sound(const sotto_metric &) { return true; }
uint32_t charged(uint32_t, uint32_t, uint32_t) { return 0; }
uint64_t cost(const sotto_metric &, const uint32_t *, uint32_t) { return 0; }
void admit(const sotto_client &, const sotto_metric &, const uint32_t *) {}
sotto_status derive(const sotto_client &, const sotto_release &, uint32_t, uint32_t *) {
    return SOTTO_OK;
}

constexpr auto shows = sotto::shown::index;
constexpr auto steps = sotto::steps::none;

} // namespace

#if defined(CASE_ROW_WITHOUT_DRAW)
const sotto_code row = {1,       shows,   steps,   0,       size,    encode,  bytes,
                        nullptr, nullptr, nullptr, nullptr, nullptr, is_sound};
#elif defined(CASE_ROW_WITHOUT_CHECK)
const sotto_code row = {1,     shows, steps,   0,       size,    encode,
                        bytes, draw,  nullptr, nullptr, nullptr, nullptr};
#elif defined(CASE_ROW_WITHOUT_WIRE_KIND)
const sotto_code row = {1,    steps,   0,       size,    encode,  bytes,
                        draw, nullptr, nullptr, nullptr, nullptr, is_sound};
#elif defined(CASE_ROW_WITHOUT_A_MEMBER)
const sotto_code row = {1,     shows, steps,   0,       size,    encode,
                        bytes, draw,  nullptr, nullptr, nullptr, is_sound};
#else
const sotto_code row = {1,    shows,   steps,   0,       size,    encode,  bytes,
                        draw, nullptr, nullptr, nullptr, nullptr, is_sound};
#endif

#if defined(CASE_STATE_WITHOUT_COST)
const sotto::client_code state = {size, admit, derive, charged};
#elif defined(CASE_STATE_WITHOUT_WORDS)
const sotto::client_code state = {nullptr, admit, derive, charged, cost};
#else
const sotto::client_code state = {size, admit, derive, charged, cost};
#endif
