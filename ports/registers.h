/* SPDX-License-Identifier: Apache-2.0 */
/* Memory-mapped registers of 32 bits, by their offset in bytes from a bank's address. Tests put a
 * simulated peripheral in their place. */
#ifndef SOTTO_REGISTERS_H
#define SOTTO_REGISTERS_H

#include <stdint.h>

#ifdef SOTTO_SIMULATED_REGISTERS
#ifdef __cplusplus
extern "C" {
#endif
uint32_t sotto_register_read(void *bank, uint32_t offset_bytes);
void sotto_register_write(void *bank, uint32_t offset_bytes, uint32_t value);
#ifdef __cplusplus
}
#endif
#else
static inline uint32_t sotto_register_read(void *bank, uint32_t offset_bytes) {
    return ((volatile uint32_t *)bank)[offset_bytes / 4];
}
static inline void sotto_register_write(void *bank, uint32_t offset_bytes, uint32_t value) {
    ((volatile uint32_t *)bank)[offset_bytes / 4] = value;
}
#endif

#endif
