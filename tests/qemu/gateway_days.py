# SPDX-License-Identifier: Apache-2.0
"""Runs examples/gateway over many days and holds its reports against the points.

    gateway_days.py RUN.SH BOARD GATEWAY.elf
"""

import math
import pathlib
import struct
import subprocess
import sys
import tempfile

from counter_year import fields, varint

DAYS, BINS, DELTA, EPSILON = 600, 32, 2, 1.0
POINTS = "EFFGGGHJK"  # their median is the fifth, 6
MEDIAN = 6
Z_LIMIT = 6.8  # P(|Z| > 6.8) = 1.0e-11: four boards together stay far below 1e-9

Day = tuple[list[int], int]  # rows of the histogram, the answer


def read(data: bytes) -> list[Day]:
    days, at = [], 0
    while at < len(data):
        length, at = varint(data, at)
        batch = dict(fields(dict(fields(data[at:at + length]))[3]))
        at += length
        assert batch[3] == b"\x01\x01", batch
        *sums, answer = batch[8]
        rows = [row for (row,) in struct.iter_unpack("<i", bytes(sums))]
        days.append((rows, answer))
    return days


def counted(points: str) -> list[int]:
    """From each bin to the end."""
    places = [ord(point) - ord("A") for point in points]
    return [sum(place >= bin_ for place in places) for bin_ in range(BINS)]


def law(points: str) -> list[float]:
    """Steps by the definition: points of the rank and beyond that lie on the other side."""
    places = sorted(ord(point) - ord("A") for point in points)
    rank = math.ceil(len(places) / 2)
    steps = [
        sum(math.ceil((y - x) / DELTA) for x in places[rank - 1:] if x < y)
        + sum(math.ceil((x - y) / DELTA) for x in places[:rank] if x > y)
        for y in range(BINS)
    ]
    weights = [math.exp(-EPSILON / 2 * step) for step in steps]
    return [weight / sum(weights) for weight in weights]


def deviation(count: int, share: float) -> float:
    return (count - DAYS * share) / math.sqrt(DAYS * share * (1 - share))


def main() -> int:
    script, board, firmware = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)

        def run(days: list[str], *entropy: str) -> tuple[int, bytes, str]:
            (folder / "points").write_text("".join(day + "\n" for day in days))
            done = subprocess.run([script, board, firmware, "reports", "points", *entropy],
                                  cwd=folder, capture_output=True, text=True, timeout=1200)
            return done.returncode, (folder / "reports").read_bytes(), done.stderr

        code, data, text = run([POINTS] * DAYS)
        assert code == 0, f"exit {code}: {text}"
        days = read(data)
        assert len(days) == DAYS, f"{len(days)} days"
        answers = [answer for _, answer in days]
        for place, share in enumerate(law(POINTS)):
            if share > 0.02:
                away = deviation(answers.count(place), share)
                assert abs(away) < Z_LIMIT, f"answer {place}: {away:+.1f} standard deviations"
        share = law(POINTS)[MEDIAN]
        assert abs(deviation(answers.count(MEDIAN), 1.5 * share)) > Z_LIMIT, "the control"
        for row, truth in enumerate(counted(POINTS)):
            noise = sum(rows[row] - truth for rows, _ in days) / DAYS
            # Two rows change, so epsilon is 1/2 of each: the noise has the variance 7.8.
            assert abs(noise) < Z_LIMIT * math.sqrt(7.84 / DAYS), f"row {row}: {noise:+.2f}"
        print(f"{board}: {DAYS} days, {answers.count(MEDIAN)} of them have the median")

        # The same noise twice: rows differ by what was counted, to the last point.
        (folder / "noise").write_bytes(bytes(i * i % 251 for i in range(1 << 18)))
        both = [read(run([points] * 20, "noise")[1]) for points in (POINTS, "AAAAZZZZ_")]
        for (ours, _), (theirs, _) in zip(*both):
            differences = [a - b for a, b in zip(ours, theirs)]
            assert differences == [a - b for a, b in zip(counted(POINTS), counted("AAAAZZZZ_"))]

        code, data, text = run([""])
        assert (code, data) == (1, b"") and "points: has no day" in text, (code, text)
        (folder / "dry").write_bytes(bytes(range(256)) * 4)
        code, data, text = run([POINTS] * DAYS, "dry")
        assert code == 1 and "fewer bytes than asked" in text, (code, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
