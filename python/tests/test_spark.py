# SPDX-License-Identifier: Apache-2.0
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

import matplotlib
from home import METRICS, MORE, compile_registry, home
from pyspark import TaskContext
from pyspark.errors import PythonException
from sparks import cluster

import sotto
import sotto.spark

EVERY = {"window_open": "open", "room": "room", "degrees": "degrees", "rooms": "rooms", "place": "place"}
SLOW_SECONDS = 90 # an attempt takes these, and a copy has to overtake it
KILLED, SLOW = 0, 1  # partitions


def is_first(stage: str, what: int) -> bool:
    """Whether nobody was here before, in this process or another; says so to the next."""
    with open(f"attempts/{stage}{what}", "a") as log:
        log.write("x")
        return log.tell() == 1


def spoil(stage: str, what: int) -> None:
    """The first attempt of one task is killed. Another task's is slow, and is given up for a copy."""
    if what in (KILLED, SLOW) and is_first(stage, what):
        if what == KILLED:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(SLOW_SECONDS)


def attempts(stage: str, what: int) -> int:
    return len(Path(f"attempts/{stage}{what}").read_text())


class Spark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(home())
        Path("attempts").mkdir()
        subprocess.run([PROGRAM, "keygen", "--out", "keys"], check=True, stdout=subprocess.DEVNULL)
        (public,) = Path("keys").glob("*.pub")
        toml = f'{METRICS}{MORE}\n[[key]]\nfile = "{public.resolve()}"\nlast_epoch = 9\n'
        cls.registry = compile_registry(toml, Path("sealed"))
        cls.files = [cls.simulated(epoch) for epoch in (3, 4, 5, 6)]
        cut = Path(cls.files[0]).read_bytes()
        Path("cut.bin").write_bytes(cut[: len(cut) // 2])
        Path("text.bin").write_text("no report at all")
        cls.files += ["cut.bin", "text.bin"]
        cls.expected = cls.by_program(cls.files)
        cls.spark = cls.enterClassContext(cluster(Path.cwd()))

    @classmethod
    def simulated(cls, epoch):
        out = f"reports{epoch}.bin"
        sotto.simulate(cls.registry, "rows.csv", out, map=EVERY, epoch=epoch, relaxed=0.5, key=cls.public())
        return out

    @staticmethod
    def public():
        return next(Path("keys").glob("*.pub"))

    @classmethod
    def by_program(cls, files):
        store = ["--registry", cls.registry, "--store", f"store{len(files)}"]
        for arguments in (["ingest", *store, "--key", "keys", *files], ["tally", *store, "--out", "expected.tly"]):
            subprocess.run([PROGRAM, *arguments], check=arguments[0] == "tally", capture_output=True)
        return Path("expected.tly").read_bytes()

    def read(self, files):
        return self.spark.read.format("binaryFile").load([str(Path(file).resolve()) for file in files])

    def tally(self, files, **options):
        options = {"key": Path("keys").resolve(), **options}
        return sotto.spark.tally(files, self.registry, **options)

    def test_the_bytes_are_those_of_one_store_whatever_dies_is_slow_or_comes_twice(self):
        folder = os.getcwd()

        def spoilt_files(batches):
            os.chdir(folder)
            spoil("files", TaskContext.get().partitionId())
            yield from batches

        def spoilt_share(table, *given):
            os.chdir(folder)
            spoil("shares", table.column("part")[0].as_py())
            return share(table, *given)

        share = sotto.spark._share
        Path("copies").mkdir()
        for file in self.files[:3]:
            Path("copies", file).write_bytes(Path(file).read_bytes())
        files = self.read([*self.files, "copies"]).repartition(4)
        with mock.patch.object(sotto.spark, "_share", spoilt_share):
            begin = time.monotonic()
            counted = self.tally(files.mapInArrow(spoilt_files, files.schema), parts=5)
        self.assertEqual(counted.tallies, self.expected)
        self.assertGreater(counted.rejected, 0)
        for stage in ("files", "shares"):
            self.assertGreaterEqual(attempts(stage, KILLED), 2, stage)
            self.assertGreaterEqual(attempts(stage, SLOW), 2, stage)
        self.assertLess(time.monotonic() - begin, SLOW_SECONDS)

    def test_a_file_or_a_key_less_shows(self):
        fewer = self.tally(self.read(self.files[1:]), parts=3)
        self.assertNotEqual(fewer.tallies, self.expected)
        self.assertEqual(fewer.tallies, self.by_program(self.files[1:]))
        without = self.tally(self.read(self.files[1:2]), parts=1, key=None)
        self.assertEqual((without.rejected, without.envelopes), (without.envelopes, without.envelopes))
        self.assertGreater(without.envelopes, 0)

    def test_errors_have_the_words_of_the_program(self):
        files = self.read(self.files[1:2])
        with self.assertRaisesRegex(sotto.UsageError, "parts: 0 is not 1 to 65536"):
            self.tally(files, parts=0)
        with self.assertRaisesRegex(PythonException, "none: No such file or directory"):
            self.tally(files, key="none", parts=1)
        Path("other.json").write_text("{}")
        with self.assertRaisesRegex(sotto.UsageError, "^registry 0: "):
            sotto.spark.tally(files, "other.json")

    def test_the_page_goes_from_report_files_to_a_chart(self):
        page = Path(__file__).resolve().parents[1] / "SPARK.md"
        text = page.read_text(encoding="utf-8")
        self.assertLessEqual(len(text.splitlines()), 30)
        before = Path.cwd()
        work = before / "page"
        work.mkdir()
        for name in ("keys", *self.files[:4]):
            (work / name).symlink_to(before / name)
        (work / "metrics.json").symlink_to(self.registry.resolve())
        matplotlib.use("Agg")
        names = {}
        os.chdir(work)
        try:
            for kind, code in re.findall(r"^```(python|sh)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
                if kind == "python":
                    exec(compile(code, page, "exec"), names)
                else:
                    environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
                    subprocess.run(["bash", "-euc", code], check=True, env=environment, stdout=subprocess.DEVNULL)
        finally:
            os.chdir(before)
        self.assertTrue((work / "window_open.png").read_bytes().startswith(b"\x89PNG"))
        store = ["--registry", self.registry, "--store", "page_store"]
        subprocess.run([PROGRAM, "ingest", *store, "--key", "keys", *self.files[:4]], check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        expected = sotto.Store("page_store").estimate(self.registry, metric="window_open").to_pandas()
        self.assertEqual(names["frame"].estimate.tolist(), expected.estimate.tolist())


if __name__ == "__main__":
    PROGRAM = Path(sys.argv.pop(1)).resolve()
    unittest.main()
