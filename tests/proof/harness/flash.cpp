// SPDX-License-Identifier: Apache-2.0
// Storage in flash whose bytes are any, and others at each read. Two pages of 72 bytes, 60 for a
// scan; units of 4.
// A step begins with a state within the page, and leaves one.
#include "proof.h"
#include "sotto_flash.c"

namespace {

#ifdef SCAN
constexpr uint32_t page = 60, unit = 4;
#else
constexpr uint32_t page = 72, unit = 4;
#endif

sotto_status any_status() { return static_cast<sotto_status>(proof_any()); }

sotto_status erase_page(void *, uint32_t number) {
    proof_assert(number < 2);
    return any_status();
}

sotto_status program(void *, uint32_t number, uint32_t offset, const uint8_t *bytes) {
    proof_assert(number < 2 && offset <= page - unit && offset % unit == 0);
    proof_read(bytes, unit);
    return any_status();
}

sotto_status read(void *, uint32_t number, uint32_t offset, uint8_t *bytes, size_t length_bytes) {
    proof_assert(number < 2 && offset <= page && length_bytes <= page - offset);
    if (length_bytes != 0) {
        proof_write(bytes, length_bytes);
    }
    return any_status();
}

bool is_within(const sotto_flash &flash) {
    bool is = flash.page < 2 && flash.marks <= MARKS && flash.end <= page && flash.end % unit == 0;
    for (uint32_t i = 0; i < SOTTO_SLOT_COUNT; ++i) {
        is = is && flash.at[i] <= page - HEAD_BYTES && flash.at[i] % unit == 0;
    }
    return is;
}

} // namespace

extern "C" void prove() {
    sotto_flash_driver driver = {};
    driver.page_bytes = page;
    driver.unit_bytes = unit;
    driver.erase = erase_page;
    driver.program = program;
    driver.read = read;
    uint8_t bytes[unit];
    sotto_flash flash; // anything
    flash.driver = &driver;
    flash.unit = bytes;
    proof_assume(is_within(flash));
#if defined(SCAN)
    bool is_clean = false;
    (void)scan(&flash, &is_clean);
#elif defined(PAGES)
    (void)choose_page(&flash);
#elif defined(LOAD)
    uint8_t room[24];
    const size_t capacity = proof_any();
    proof_assume(capacity <= sizeof room);
    flash.is_open = 1;
    (void)sotto_flash_load(&flash, proof_any(), room, capacity);
#elif defined(ADD)
    uint8_t stored[8];
    const size_t length = proof_any();
    const uint32_t slot = proof_any();
    proof_assume(length <= sizeof stored && slot < SOTTO_SLOT_COUNT);
    proof_assume(has_room(&flash, in_units(&flash, HEAD_BYTES + length)));
    (void)append(&flash, slot, stored, length);
#endif
    proof_assert(is_within(flash));
}
