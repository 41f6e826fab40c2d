// SPDX-License-Identifier: Apache-2.0
// Written by tools/entropy_cutoffs.py.
#ifndef SOTTO_ENTROPY_CUTOFFS_HPP
#define SOTTO_ENTROPY_CUTOFFS_HPP

#include <stdint.h>

namespace sotto::entropy {

// NIST SP 800-90B 4.4.1 and 4.4.2, each for false alarms of 2^-30 and of 2^-60.
struct cutoffs {
    uint16_t min_entropy_millibits;
    uint16_t repetition[2];
    uint16_t proportion[2];
    uint16_t block_samples; // samples that hold 576 bits
};

// The longest cycle that is seen: permanent repetition's run, each as the one a
// period before. A good source does so for one of the periods with 2^-54 a sample.
inline constexpr uint16_t period_max = 64;
inline constexpr uint16_t chunk_samples = 384; // tested together

// clang-format off
inline constexpr uint16_t binary_window = 1024;
inline constexpr cutoffs binary_cutoffs[] = {
    {200, {151, 301}, {952, 976}, 2880},
    {300, {101, 201}, {904, 934}, 1920},
    {400, {76, 151}, {856, 890}, 1440},
    {500, {61, 121}, {810, 847}, 1152},
    {600, {51, 101}, {766, 805}, 960},
    {700, {44, 87}, {724, 764}, 823},
    {800, {39, 76}, {683, 726}, 720},
    {900, {35, 68}, {645, 688}, 640},
    {1000, {31, 61}, {609, 653}, 576},
};

inline constexpr uint16_t window = 512;
inline constexpr cutoffs wide_cutoffs[] = {
    {200, {151, 301}, {488, 502}, 2880},
    {300, {101, 201}, {466, 485}, 1920},
    {500, {61, 121}, {422, 447}, 1152},
    {700, {44, 87}, {381, 409}, 823},
    {1000, {31, 61}, {325, 355}, 576},
    {1500, {21, 41}, {249, 280}, 384},
    {2000, {16, 31}, {191, 221}, 288},
    {2500, {13, 25}, {148, 175}, 231},
    {3000, {11, 21}, {115, 140}, 192},
    {4000, {9, 16}, {71, 92}, 144},
    {5000, {7, 13}, {46, 63}, 116},
    {6000, {6, 11}, {32, 45}, 96},
    {7000, {6, 10}, {23, 33}, 83},
    {8000, {5, 9}, {17, 26}, 72},
};
// clang-format on

} // namespace sotto::entropy
#endif
