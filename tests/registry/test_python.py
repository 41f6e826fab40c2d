# SPDX-License-Identifier: Apache-2.0
"""Python 3.10, which has no tomllib: the package tomli reads the same, or is asked for."""
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from support import GOOD, OUTPUTS, PROGRAM, Workspace

ABSENT = "raise ModuleNotFoundError(name=__name__)\n"
REFUSAL = (
    "sotto-registry: needs Python 3.11 or newer, or for Python 3.10 the package tomli: "
    "pip install tomli\n"
)


class OldPython(Workspace):
    """An interpreter that finds no tomllib."""

    def setUp(self) -> None:
        super().setUp()
        self.modules = self.folder / "modules"
        self.modules.mkdir()
        (self.modules / "tomllib.py").write_text(ABSENT, encoding="utf-8")

    def program(self) -> subprocess.CompletedProcess:
        command = [sys.executable, "-B", PROGRAM, "compile", self.source, "--out", self.out]
        environment = os.environ | {"PYTHONPATH": str(self.modules)}
        return subprocess.run(command, env=environment, text=True, capture_output=True, check=False)

    def test_tomli_reads_the_same(self) -> None:
        spec = find_spec("tomllib")
        if spec is None:
            self.skipTest("every other test reads with tomli")
        shutil.copytree(Path(spec.origin).parent, self.modules / "tomli")
        wanted = self.compiled(GOOD)
        shutil.rmtree(self.out)
        run = self.program()
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual({name: (self.out / name).read_text("ascii") for name in OUTPUTS}, wanted)

    def test_without_both_one_line_says_so(self) -> None:
        (self.modules / "tomli.py").write_text(ABSENT, encoding="utf-8")
        self.write(GOOD)
        run = self.program()
        self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", REFUSAL))
        self.assertFalse(self.out.exists())
