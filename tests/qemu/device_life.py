# SPDX-License-Identifier: Apache-2.0
"""The device of examples/device from its first power-on on, with what it keeps between them.

    device_life.py RUN.SH BOARD DEVICE.elf SOTTO METRICS.json KEYS
"""

import hashlib
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

POWER_GONE = 9
SECRET_BYTES = 40
SKIPPED = 77


class Life:
    """A device, and the aggregator that it reports to, in one folder."""

    def __init__(self, folder: pathlib.Path, arguments: list[str]) -> None:
        self.folder = folder
        self.script, self.board, self.firmware, self.sotto, self.metrics, self.keys = arguments
        folder.mkdir()

    def power_on(self, epoch: int, *command: str, code: int = 0, seed: str = "") -> str:
        environment = dict(os.environ)
        if seed:
            # The emulator's for the board that has a generator, a file for the others.
            environment["SOTTO_SEED"] = str(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4]))
            stream = b"".join(hashlib.sha256(f"{seed} {i}".encode()).digest() for i in range(64))
            (self.folder / "seeded").write_bytes(stream)
            environment["SOTTO_ENTROPY"] = "seeded"
        done = subprocess.run(
            [self.script, self.board, self.firmware, "state", str(epoch), *command],
            cwd=self.folder, env=environment, capture_output=True, text=True, timeout=1200)
        text = done.stdout + done.stderr
        assert done.returncode == code, f"{command}: exit {done.returncode}, expected {code}: {text}"
        return text

    def tool(self, *words: str) -> str:
        done = subprocess.run([self.sotto, *words], cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def request(self, name: str, serial: int, level: int, epochs: str, *more: str) -> None:
        self.tool("request-relax", "--registry", self.metrics, "--key", f"{self.keys}/operator.key",
                  "--metric", "damage", "--level", str(level), "--epochs", epochs,
                  "--serial", str(serial), "--out", name, *more)

    def opened(self, file: str) -> list[dict]:
        text = self.tool("inspect", "--registry", self.metrics, "--key",
                         f"{self.keys}/aggregator.key", file)
        return [json.loads(line) for line in text.splitlines()]

    def ingested(self, *files: str) -> str:
        return self.tool("ingest", "--registry", self.metrics, "--key",
                         f"{self.keys}/aggregator.key", "--store", "store", *files)

    def images(self) -> list[bytes]:
        """Both copies of the state, the newer one last."""
        files = [self.folder / "state.1", self.folder / "state.2"]
        there = [file.read_bytes() for file in files if file.exists()]
        return sorted(there, key=lambda image: struct.unpack_from("<I", image, 8))


def whole_life(life: Life) -> None:
    """Reports, a request, the end of the budget; every call is a power-on of its own."""
    text = life.power_on(0, "report", "1", "43210", "r0")
    assert "damage: done" in text and "flush: done" in text, text
    text = life.power_on(0, "report", "0", "43210", "again", code=1)
    assert "was measured in this epoch already" in text, text
    life.power_on(1, "report", "0", "43211", "r1")
    life.request("q1", 1, 2, "0-1")
    text = life.power_on(1, "request", "q1", "r2")
    # 3 in 3 epochs: one of the two at 2, the other stays at 0.5.
    assert "relaxed 1, over budget 1" in text, text
    text = life.power_on(1, "request", "q1", "again", code=1)
    assert "was obeyed already" in text, text
    damaged = bytearray((life.folder / "q1").read_bytes())
    damaged[-1] ^= 1
    (life.folder / "forged").write_bytes(damaged)
    assert "not signed with this fleet" in life.power_on(1, "request", "forged", "again", code=1)
    life.request("q2", 2, 1, "1-1")
    assert "relaxed 1, over budget 0" in life.power_on(1, "request", "q2", "r3")
    text = life.power_on(2, "report", "1", "43212", "again", code=1)
    assert "the privacy budget of this window is spent" in text, text
    assert "can be reported again in epoch 3" in text, text
    text = life.power_on(2, "list")
    assert "damage measured 2 times" in text and "metric 1 of epoch 1 at level 1" in text, text
    sent = [f"sent: metric {r['metric']} of epoch {r['epoch']} at level {r['level']}:"
            f" {int(r['value'])}" for r in life.opened("r3")]
    assert [line for line in text.splitlines() if line.startswith("sent")] == sent, (text, sent)
    assert "of epoch 0" not in text, "it stood at its top and was sent: nothing is kept"
    assert life.power_on(3, "report", "1", "43212", "r4").count("done") >= 5
    assert "lies before the present one" in life.power_on(2, "list", code=1)
    assert not (life.folder / "again").exists()

    text = life.ingested("r0", "r1", "r2", "r3", "r4")
    assert text.startswith("8 reports from 5 envelopes") and "rejected" not in text, text
    levels = {(r["epoch"], r["level"]): r["release"]
              for file in ("r0", "r1", "r2", "r3") for r in life.opened(file) if r["metric"] == 1}
    assert levels.keys() == {(0, 0), (1, 0), (0, 2), (1, 1)}, levels
    assert levels[0, 0] == levels[0, 2] and levels[1, 0] == levels[1, 1]
    assert "8 duplicate" in life.ingested("r0", "r1", "r2", "r3", "r4"), "a replay"


def selected_life(life: Life) -> None:
    """A device that said so, or the opposite, is asked again."""
    life.power_on(0, "report", "1", "1", "r0")
    said = next(r["value"] for r in life.opened("r0") if r["metric"] == 1)
    for serial, name, relaxed in ((1, not said, 0), (2, said, 1)):
        life.request("q", serial, 1, "0-0", "--select", str(name).lower())
        text = life.power_on(0, "request", "q", f"s{serial}")
        assert f"relaxed {relaxed}, over budget 0, not selected {1 - relaxed}" in text, text
    assert not (life.folder / "s1").exists()
    assert "rejected" not in life.ingested("r0", "s2"), "a flagged report is a report"


def cut_life(life: Life) -> None:
    """The power goes within stores; whatever it does to them, the device goes on by itself."""
    # The first power-on stores a state, the secret, the state again.
    state = 0
    for cut in (0, 1, 35, 700):
        life.power_on(0, "list", f"cut={cut}", code=POWER_GONE)
    life.power_on(0, "list")
    state = len(life.images()[0])
    first = state + 1, state + 1 + SECRET_BYTES, state + 2 + SECRET_BYTES
    for cut in (state, *first, first[2] + 1, first[2] + state, first[2] + state + 1):
        for file in life.folder.glob("state.*"):
            file.unlink()
        life.power_on(0, "list", f"cut={cut}", code=POWER_GONE)
        life.power_on(0, "list")

    # A batch: lost before it was stored, and then nothing was charged; else asked for again.
    files = []
    for epoch, cut in enumerate((0, 1, 36, state // 2, state - 1, state, state + 1)):
        epoch *= 3  # a budget each
        name = f"r{epoch}"
        life.power_on(epoch, "list")  # a new epoch stores what it forgets
        life.power_on(epoch, "report", "1", "5", name, f"cut={cut}", code=POWER_GONE)
        assert not (life.folder / name).exists()
        is_stored = cut == state + 1
        assert f"spent {524288 if is_stored else 0} of" in life.power_on(epoch, "list")
        text = life.power_on(epoch, "report", "1", "5", name, code=1 if is_stored else 0)
        if is_stored:
            assert "was measured in this epoch already" in text, text
            life.power_on(epoch, "resend", name)
        files.append(name)

        # A request: what it relaxed and its serial are stored together or not at all. It waits then.
        life.request("q", epoch + 1, 1, f"{epoch}-{epoch}")
        life.power_on(epoch, "request", "q", f"q{epoch}", f"cut={cut}", code=POWER_GONE)
        text = life.power_on(epoch, "request", "q", f"q{epoch}", code=1 if is_stored else 0)
        if is_stored:
            assert "was obeyed already" in text, text
            life.power_on(epoch, "flush", f"q{epoch}")
        else:
            assert "relaxed 1" in text, text
        files.append(f"q{epoch}")
    text = life.ingested(*files)
    reports = len(files) // 2 * 3  # two measured, one again
    assert text.startswith(f"{reports} reports") and "rejected" not in text, text


def differing(image: bytes, other: bytes) -> list[int]:
    return [i for i, (a, b) in enumerate(zip(image, other)) if a != b]


def words_at(image: bytes) -> int:
    """Where the releases' noised words begin: a head of 14 words, accounts, releases of 14, a word each."""
    accounts = struct.unpack_from("<I", image, 4 * 8)[0]
    releases, rest = divmod(len(image) // 4 - 14 - accounts, 14 + 1)
    assert rest == 0 and releases == struct.unpack_from("<I", image, 4 * 9)[0] >> 16
    return 4 * (14 + accounts + 14 * releases)


def same_noise(yes: Life, no: Life) -> None:
    """Two devices with the same randomness and other values keep the same, but for the noised
    words. Nothing else that is stored depends on what was measured."""
    hours = {yes: 76543, no: 11111}
    before: bytes | None = None
    differ = 0
    for epoch in range(4):
        for life in (yes, no):
            life.power_on(epoch, "report", "1" if life is yes else "0", str(hours[life]), f"r{epoch}",
                          seed=f"power-on {epoch}")
        secrets = [(life.folder / "state.0").read_bytes() for life in (yes, no)]
        assert secrets[0] == secrets[1] and len(secrets[0]) == SECRET_BYTES, "the seeds are the same"
        for yes_image, no_image in zip(yes.images(), no.images()):
            places = differing(yes_image, no_image)
            wrong = [i for i in places if 4 <= i < words_at(yes_image)]
            assert not wrong, f"epoch {epoch}: the state depends on the value at {wrong}"
            differ += len(places)
        for life in (yes, no):
            for image in life.images():
                words = struct.unpack_from(f"<{(len(image) - words_at(image)) // 4}I", image, words_at(image))
                assert hours[life] not in words, "a true value is kept"
        newest = yes.images()[-1]
        if before is not None:
            noticed = [i for i in differing(before, newest) if 4 <= i < words_at(newest)]
            assert noticed, "the control: another epoch is seen"
        before = newest
    assert differ > 0, "the values made no difference: nothing was compared"


def main() -> int:
    arguments = sys.argv[1:]
    if not pathlib.Path(arguments[3]).exists():
        print(f"{arguments[3]} is not there: build the preset host first")
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        whole_life(Life(folder / "whole", arguments))
        selected_life(Life(folder / "selected", arguments))
        cut_life(Life(folder / "cut", arguments))
        same_noise(Life(folder / "yes", arguments), Life(folder / "no", arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main())
