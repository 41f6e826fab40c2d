/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STAND_IN_DEVICE_H
#define STAND_IN_DEVICE_H
struct device {
    const char *name;
};
#endif
