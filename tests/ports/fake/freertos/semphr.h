/* SPDX-License-Identifier: Apache-2.0 */
/* As much of ESP-IDF's header as the port uses. */
typedef struct {
    int held;
} StaticSemaphore_t;
typedef StaticSemaphore_t *SemaphoreHandle_t;
SemaphoreHandle_t xSemaphoreCreateRecursiveMutexStatic(StaticSemaphore_t *memory);
int xSemaphoreTakeRecursive(SemaphoreHandle_t mutex, unsigned long ticks);
int xSemaphoreGiveRecursive(SemaphoreHandle_t mutex);
