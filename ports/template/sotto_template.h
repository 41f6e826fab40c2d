/* SPDX-License-Identifier: Apache-2.0 */
/* Copy this folder, rename, fill in: as it stands every function fails safely. */
#ifndef SOTTO_TEMPLATE_H
#define SOTTO_TEMPLATE_H

#include "sotto/port.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const sotto_port sotto_template_port;

#ifdef __cplusplus
}
#endif
#endif
