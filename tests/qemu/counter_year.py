# SPDX-License-Identifier: Apache-2.0
"""Runs the doors of examples/counter for a year and holds their reports against what they counted.

    counter_year.py RUN.SH BOARD COUNTER.elf
"""

import math
import pathlib
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator

FIXED = {1: 8, 5: 4}  # bytes, by wire type
DAYS, BLOCK = 365, 16
Q = math.exp(-1 / 2)  # an opening lies in two rows, and loses epsilon 1
# Some 400 sums of each of four boards: together 1e-9.
FALSE_ALARM = 1e-9 / 4 / 400 / 2

Rows = dict[tuple[int, int], list[int]]  # by door and day, from the row of a day up


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
            yield key >> 3, value
        else:
            length, at = (FIXED[key & 7], at) if key & 7 in FIXED else varint(data, at)
            yield key >> 3, data[at:at + length]
            at += length


def releases(data: bytes) -> Iterator[tuple[bytes, int, list[int]]]:
    """The id, epoch and rows of each, in the order of the file."""
    at = 0
    while at < len(data):
        length, at = varint(data, at)
        batch = dict(fields(dict(fields(data[at:at + length]))[3]))
        at += length
        assert batch[3] == b"\x01" and 4 not in batch and 6 not in batch, batch
        values, age = batch[8], varint(batch.get(5, b"\0"), 0)[0]
        rows = [row for (row,) in struct.iter_unpack("<i", values[2:])]
        assert int.from_bytes(values[:2], "little") == len(rows), batch
        yield batch[2], batch.get(1, 0) - age, rows  # a new release each: its id is made of the seed


def read(data: bytes, doors: int) -> Rows:
    """Every day of every door is there once, with the rows that close."""
    every = list(releases(data))
    assert len(every) == doors * DAYS, f"{len(every)} releases"
    assert len({name for name, _, _ in every}) == len(every), "a release id repeats"
    for i, (_, day, rows) in enumerate(every):
        assert day == i % DAYS + 1, f"day {day} where {i % DAYS + 1} comes"
        # The first block began before the door did.
        closes = (day + 1) % BLOCK == 0 and day >= 2 * BLOCK - 1
        assert len(rows) == (2 if closes else 1), f"day {day}: {rows}"
    return {(i // DAYS, day): rows for i, (_, day, rows) in enumerate(every)}


def true_rows(years: list[list[int]], rows: Rows) -> Rows:
    return {
        (door, day): [sum(years[door][day - width:day]) for width in (1, BLOCK)[:len(seen)]]
        for (door, day), seen in rows.items()
    }


def bound(count: int) -> float:
    """The noise of `count` rows together exceeds it with FALSE_ALARM at most, by Chernoff."""
    def exceeded(s: float) -> float:
        generating = (1 - Q) ** 2 / ((1 - Q * math.exp(s)) * (1 - Q * math.exp(-s)))
        return (count * math.log(generating) - math.log(FALSE_ALARM)) / s
    return min(exceeded(i / 2000) for i in range(1, 1000))


def wrong_sums(seen: Rows, true: Rows) -> list[str]:
    """Sums that noise does not explain: of a day, of a door, and of all, row by row."""
    sums: dict[str, list[int]] = {}
    for (door, day), rows in seen.items():
        for level, row in enumerate(rows):
            for name in (f"day {day}, row {level}", f"door {door}, row {level}", f"row {level}"):
                sums.setdefault(name, []).append(row - true[door, day][level])
    return [name for name, off in sums.items() if abs(sum(off)) > bound(len(off))]


def is_noised(seen: Rows, true: Rows) -> bool:
    """As often exact as the noise is 0, within 7 standard deviations."""
    off = [a - b for at in seen for a, b in zip(seen[at], true[at])]
    p = (1 - Q) / (1 + Q)
    return abs(off.count(0) - len(off) * p) < 7 * math.sqrt(len(off) * p * (1 - p))


def main() -> int:
    script, board, firmware = sys.argv[1:]
    doors = 1 if board == "microbit" else 12  # its generator takes half a minute for a year
    years = [[(7 * door + 3 * day + day * day // 11) % 10 for day in range(DAYS)]
             for door in range(doors)]

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)

        def run(years: list[list[int]], *entropy: str) -> tuple[int, bytes, str]:
            text = "".join("".join(map(str, year)) + "\n" for year in years)
            (folder / "years").write_text(text)
            done = subprocess.run([script, board, firmware, "reports", "years", *entropy],
                                  cwd=folder, capture_output=True, text=True, timeout=1200)
            return done.returncode, (folder / "reports").read_bytes(), done.stderr

        code, data, text = run(years)
        assert code == 0, f"exit {code}: {text}"
        seen = read(data, doors)
        true = true_rows(years, seen)
        assert not wrong_sums(seen, true), wrong_sums(seen, true)
        assert is_noised(seen, true) and not is_noised(true, true)
        lost = true_rows([[max(0, count - 1) for count in year] for year in years], seen)
        assert len(wrong_sums(seen, lost)) >= 2, "the control: an opening a day is lost"
        print(f"{board}: {doors} doors, {sum(map(sum, years))} openings, {len(seen)} releases")

        code, data, text = run([[]])
        assert (code, data) == (1, b"") and "years: has no day" in text, (code, text)
        if board != "microbit":
            # The same noise twice: rows differ by what was counted, to the last opening.
            (folder / "noise").write_bytes(bytes(i * i % 251 for i in range(1 << 20)))
            rows, none = (read(run(lives, "noise")[1], 2) for lives in (years[:2], [[0] * DAYS] * 2))
            assert {at: [a - b for a, b in zip(rows[at], none[at])] for at in rows} == \
                true_rows(years, rows)
            (folder / "dry").write_bytes(bytes(range(256)) * 8)
            code, data, text = run(years, "dry")
            assert code == 1 and "fewer bytes than asked" in text, (code, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
