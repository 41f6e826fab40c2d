/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TICKS_H
#define TICKS_H

/* The program's: an interrupt calls it, again and again. */
void tick(void);

/* From now on. */
void ticks_start(void);
/* Until some interrupt came. */
void ticks_wait(void);

#endif
