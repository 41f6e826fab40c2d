# SPDX-License-Identifier: Apache-2.0
"""Runs the firmware on an emulated board and looks at what it wrote.

    run_firmware.py RUN.SH BOARD FIRMWARE.elf
"""

import math
import pathlib
import subprocess
import sys
import tempfile

ENVELOPE_BYTES = 42
RELEASE, INDEX = slice(11, 19), slice(24, 25)  # the id is made of these bytes, the seed
P_FLIP = 4961093570831980854 / 2**64  # epsilon 1
Z_LIMIT = 6.8  # P(|Z| > 6.8) = 1.0e-11, so five boards together stay far below 1e-9


def main() -> int:
    script, board, firmware = sys.argv[1:]

    def run(folder: pathlib.Path, values: str, *more: str) -> tuple[int, bytes, str]:
        (folder / "values").write_text(values)
        done = subprocess.run(
            [script, board, firmware, "reports", "values", "0", *more],
            cwd=folder, capture_output=True, text=True, timeout=1200)
        reports = folder / "reports"
        return done.returncode, reports.read_bytes() if reports.exists() else b"", done.stderr

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        # The RNG peripheral makes each start-up test wait: 0.07 s a device.
        values = "01" * (250 if board == "microbit" else 1000)
        code, data, text = run(folder, values)
        print(text, end="")
        assert code == 0, f"exit {code}: {text}"
        assert len(data) == ENVELOPE_BYTES * len(values), f"{len(data)} bytes"
        envelopes = [data[i:i + ENVELOPE_BYTES] for i in range(0, len(data), ENVELOPE_BYTES)]
        releases = {e[RELEASE] for e in envelopes}
        assert len(releases) == len(values), "a release id repeats"
        flips = 0
        for value, envelope in zip(values, envelopes):
            published = int.from_bytes(envelope[INDEX], "little")
            assert published in (0, 1), envelope.hex()
            flips += published != int(value)
        deviation = (flips - len(values) * P_FLIP) / math.sqrt(len(values) * P_FLIP * (1 - P_FLIP))
        print(f"{board}: {flips} of {len(values)} flipped, {deviation:+.2f} standard deviations")
        assert abs(deviation) < Z_LIMIT

        again = run(folder, "01" * 10)[1]
        assert not {again[i:i + ENVELOPE_BYTES][RELEASE] for i in range(0, len(again), ENVELOPE_BYTES)} & releases, \
            "a second run repeats the first"

        # A board without a random generator says so, and fails when the host's bytes do.
        assert ("no random generator" in text) == (board != "microbit"), text
        if board != "microbit":
            # Enough for one device (144 bytes at its start, 144 at its epoch), not for two.
            (folder / "dry").write_bytes(bytes(range(256)) + bytes(range(255, 111, -1)))
            code, data, text = run(folder, "111", "dry")
            assert code == 1 and "fewer bytes than asked" in text, (code, text)
            assert len(data) == ENVELOPE_BYTES, f"{len(data)} bytes"
            (folder / "stuck").write_bytes(b"\x5a" * 1000)
            code, data, text = run(folder, "111", "stuck")
            assert code == 1 and "repeats one value" in text and data == b"", (code, text)
            code, data, text = run(folder, "111", "missing")
            assert code == 1 and "needs a readable file" in text, (code, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
