#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cutoffs of the health tests of NIST SP 800-90B 4.4, for the min-entropies that a source may claim.

    entropy_cutoffs.py [--check]    writes sdk/src/entropy/cutoffs.hpp, or says whether it is current
"""

import pathlib
import sys
from decimal import Decimal, getcontext

TARGET = pathlib.Path(__file__).resolve().parent.parent / "sdk/src/entropy/cutoffs.hpp"
INTERMITTENT, PERMANENT = 30, 60  # false alarms: 2^-30 and 2^-60 a sample (window)
BINARY_WINDOW, WINDOW = 1024, 512
PERIOD_MAX = 64  # samples; a run of them that each repeat the one a period before, for the permanent alarm
DRAW_SAMPLES = 24  # RP2350 gives as many at a time
BLOCK_BITS = 576  # min-entropy of the input that is hashed to 256 bits: twice as much, and 64 more
BINARY_MILLIBITS = (200, 300, 400, 500, 600, 700, 800, 900, 1000)
MILLIBITS = (200, 300, 500, 700, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 6000, 7000, 8000)

getcontext().prec = 80  # the least tail is 2^-60, the smallest term 2^-4096


def repetition(millibits: int, alpha_bits: int) -> int:
    """4.4.1: 1 + ceil(-log2(alpha) / H)."""
    return 1 + -(-alpha_bits * 1000 // millibits)


def proportion(millibits: int, window: int, alpha_bits: int) -> int:
    """4.4.2: the first sample counts itself, the others are binomial: 2 + critbinom(W - 1, 2^-H, 1 - alpha),
    critbinom being the least k with P(X <= k) >= 1 - alpha."""
    p = Decimal(2) ** (Decimal(-millibits) / 1000)
    n = window - 1
    term = p**n  # P(X = n), then downwards while the tail above k stays within alpha
    tail, k = Decimal(0), n
    while tail + term <= Decimal(2) ** -alpha_bits:
        tail += term
        term = term * k * (1 - p) / (p * (n - k + 1))
        k -= 1
    return 2 + k


def chunk() -> int:
    """Samples that are tested together: as many as a cycle of PERIOD_MAX takes to show at the least claim."""
    run = max(repetition(claim, PERMANENT) - 1 for claim in BINARY_MILLIBITS + MILLIBITS)
    return -(-(PERIOD_MAX + run) // DRAW_SAMPLES) * DRAW_SAMPLES


def check_cycles() -> None:
    """At every claim: less than 2^-30 a sample for all periods together, and a block or a chunk has room for each."""
    for claim in BINARY_MILLIBITS + MILLIBITS:
        run = repetition(claim, PERMANENT) - 1
        assert PERIOD_MAX * Decimal(2) ** (Decimal(-claim * run) / 1000) < Decimal(2) ** -INTERMITTENT, claim
        assert PERIOD_MAX + run <= min(chunk(), -(-BLOCK_BITS * 1000 // claim)), claim


def rows(claims: tuple[int, ...], window: int) -> str:
    lines = []
    for claim in claims:
        r = [repetition(claim, a) for a in (INTERMITTENT, PERMANENT)]
        a = [proportion(claim, window, a) for a in (INTERMITTENT, PERMANENT)]
        if a[1] > window:
            raise SystemExit(f"{claim} millibits: {a[1]} of {window} can't be reached")
        lines.append(f"    {{{claim}, {{{r[0]}, {r[1]}}}, {{{a[0]}, {a[1]}}}, {-(-BLOCK_BITS * 1000 // claim)}}},")
    return "\n".join(lines)


def header() -> str:
    return f"""// SPDX-License-Identifier: Apache-2.0
// Written by tools/entropy_cutoffs.py.
#ifndef SOTTO_ENTROPY_CUTOFFS_HPP
#define SOTTO_ENTROPY_CUTOFFS_HPP

#include <stdint.h>

namespace sotto::entropy {{

// NIST SP 800-90B 4.4.1 and 4.4.2, each for false alarms of 2^-{INTERMITTENT} and of 2^-{PERMANENT}.
struct cutoffs {{
    uint16_t min_entropy_millibits;
    uint16_t repetition[2];
    uint16_t proportion[2];
    uint16_t block_samples; // samples that hold {BLOCK_BITS} bits
}};

// The longest cycle that is seen: permanent repetition's run, each as the one a
// period before. A good source does so for one of the periods with 2^-54 a sample.
inline constexpr uint16_t period_max = {PERIOD_MAX};
inline constexpr uint16_t chunk_samples = {chunk()}; // tested together

// clang-format off
inline constexpr uint16_t binary_window = {BINARY_WINDOW};
inline constexpr cutoffs binary_cutoffs[] = {{
{rows(BINARY_MILLIBITS, BINARY_WINDOW)}
}};

inline constexpr uint16_t window = {WINDOW};
inline constexpr cutoffs wide_cutoffs[] = {{
{rows(MILLIBITS, WINDOW)}
}};
// clang-format on

}} // namespace sotto::entropy
#endif
"""


def known_values() -> None:
    """Cutoffs of NIST's text and of other implementations for the same question."""
    known = {(1000, 1024, 20): (21, 590), (1000, 1024, 30): (31, 609), (1000, 1024, 40): (41, 626),
             (500, 1024, 30): (61, 810), (4000, 512, 30): (9, 71)}
    for (millibits, window, bits), expected in known.items():
        found = repetition(millibits, bits), proportion(millibits, window, bits)
        assert found == expected, (millibits, window, bits, found, expected)


def main() -> int:
    known_values()
    check_cycles()
    if sys.argv[1:] == ["--check"]:
        if TARGET.read_text() != header():
            print(f"{TARGET}: not what tools/entropy_cutoffs.py writes", file=sys.stderr)
            return 1
        return 0
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    TARGET.write_text(header())
    return 0


if __name__ == "__main__":
    sys.exit(main())
