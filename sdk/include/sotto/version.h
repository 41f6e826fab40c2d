/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The version of this SDK, as the preprocessor sees it. CMake refuses another than the project's.
 */
#ifndef SOTTO_VERSION_H
#define SOTTO_VERSION_H

#define SOTTO_VERSION_MAJOR 0 /**< grows when a program has to change */
#define SOTTO_VERSION_MINOR 1 /**< grows when something is added */
#define SOTTO_VERSION_PATCH 0 /**< grows when something is mended */

/** For comparisons by the preprocessor: 100 is 0.1.0. */
#define SOTTO_VERSION_NUMBER                                                                       \
    (SOTTO_VERSION_MAJOR * 10000 + SOTTO_VERSION_MINOR * 100 + SOTTO_VERSION_PATCH)

#endif
