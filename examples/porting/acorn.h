/* SPDX-License-Identifier: Apache-2.0 */
/* The port of the Acorn board. */
#ifndef ACORN_H
#define ACORN_H

#include <sotto/port.h>
#include <sotto_flash.h>

extern const sotto_entropy acorn_entropy;
extern const sotto_flash_driver acorn_flash;

#endif
