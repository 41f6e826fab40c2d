# SPDX-License-Identifier: Apache-2.0
"""The anchor for "file to tallies". It sums bits of text rows by cohort, one by one, in Python, as
google/rappor's script of this name does it.

    sum_bits.py make ROWS FILE    writes rows: client, cohort, bits
    sum_bits.py sum FILE
"""
import csv
import random
import sys

BITS, COHORTS = 32, 64


def make(rows, path):
    draw = random.Random(1)
    with open(path, "w", newline="") as out:
        writer = csv.writer(out)
        for client in range(rows):
            writer.writerow([client, draw.randrange(COHORTS), f"{draw.getrandbits(BITS):0{BITS}b}"])


def total(path):
    sums = [[0] * BITS for _ in range(COHORTS)]
    reports = [0] * COHORTS
    with open(path, newline="") as rows:
        for _, cohort, bits in csv.reader(rows):
            number = int(cohort)
            reports[number] += 1
            of_cohort = sums[number]
            for i, bit in enumerate(bits):
                if bit == "1":
                    of_cohort[BITS - 1 - i] += 1
                elif bit != "0":
                    sys.exit(f"not a bit: {bit}")
    return sums, reports


if sys.argv[1] == "make":
    make(int(sys.argv[2]), sys.argv[3])
else:
    total(sys.argv[2])
