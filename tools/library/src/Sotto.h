/* SPDX-License-Identifier: Apache-2.0 */
/* The header that Arduino and PlatformIO find the library by. */
#ifndef SOTTO_LIBRARY_H
#define SOTTO_LIBRARY_H

#include "sotto/sotto.h"

#endif
