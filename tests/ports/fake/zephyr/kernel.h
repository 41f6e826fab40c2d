/* SPDX-License-Identifier: Apache-2.0 */
/* As much of Zephyr's header as the port and the sample use. */
#include <stdbool.h>
struct k_mutex {
    int held;
};
#define K_MUTEX_DEFINE(name) struct k_mutex name
#define K_FOREVER (-1)
bool k_is_in_isr(void);
int k_mutex_lock(struct k_mutex *mutex, int timeout);
int k_mutex_unlock(struct k_mutex *mutex);
void printk(const char *format, ...);
