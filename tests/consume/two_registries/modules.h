/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODULES_H
#define MODULES_H

#include <sotto/port.h>

/* Each measures once and writes its batch. The ports are of different storage. */
sotto_status lock_report(const sotto_port *port, uint8_t *bytes, size_t capacity_bytes,
                         size_t *length_bytes);
sotto_status lamp_report(const sotto_port *port, uint8_t *bytes, size_t capacity_bytes,
                         size_t *length_bytes);

#endif
