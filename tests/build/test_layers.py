# SPDX-License-Identifier: Apache-2.0
"""The folders' order holds, and each kind of arrow that runs back is caught when it is planted."""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tools" / "check-layers.py"
PLANTED = (
    ("sdk/src/random/uniform.cpp", "client/state.hpp"),
    ("sdk/src/mechanism/bits.cpp", "privacy/ledger.hpp"),
    ("sdk/src/crypto/hash.hpp", "seal/seal.hpp"),
    ("sdk/src/report/encode.cpp", "client/state.hpp"),
    ("sdk/src/client/state.cpp", "aggregator/base/text.hpp"),
    ("sdk/src/client/state.cpp", "sotto_posix.h"),
    ("aggregator/base/text.cpp", "aggregator/registry/registry.hpp"),
    ("aggregator/statistics/rappor.cpp", "aggregator/mechanism/metric.hpp"),
    ("aggregator/mechanism/rappor.cpp", "aggregator/text/plan_text.hpp"),
    ("aggregator/store/store.cpp", "aggregator/tally/count.hpp"),
    ("aggregator/estimate/joint.cpp", "aggregator/text/joint_text.hpp"),
    ("aggregator/estimate/joint.cpp", "client/state.hpp"),
    ("ports/posix/sotto_posix.c", "client/state.hpp"),
    ("ports/posix/sotto_posix.c", "sotto_testing.h"),
    ("examples/firmware/main.c", "client/state.hpp"),
    ("python/src/options.cpp", "client/state.hpp"),
    ("aggregator/program/plan.cpp", "python/src/options.hpp"),
)


def check(root: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, CHECK, root], text=True, capture_output=True, check=False)


class Layers(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for part in ("sdk/src", "aggregator", "python/src", "ports", "examples"):
            shutil.copytree(ROOT / part, self.root / part)

    def test_ours(self) -> None:
        run = check(ROOT)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_the_page_has_the_same_order(self) -> None:
        page = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
        rules = (ROOT / "tools/layers.txt").read_text(encoding="utf-8")
        for title, root in (("On the device", "sdk/src"), ("At the host", "aggregator")):
            rows = page.partition(f"### {title}\n")[2].partition("\n#")[0]
            order = re.search(f"^order {root}: (.*)$", rules, re.MULTILINE)
            assert order
            shown = re.findall(r"^\| `(\w+)` \|", rows, re.MULTILINE)
            self.assertEqual(shown, order[1].replace(" |", "").split())

    def test_angle_brackets_hide_nothing(self) -> None:
        path = self.root / "aggregator/estimate/joint.cpp"
        text = path.read_text(encoding="utf-8")
        for header in ("aggregator/text/joint_text.hpp", "client/state.hpp"):
            path.write_text(f"#include <{header}>\n{text}", encoding="utf-8")
            self.assertIn(f"may not include {header}", check(self.root).stderr)

    def test_planted(self) -> None:
        for file, header in PLANTED:
            with self.subTest(file=file, header=header):
                path = self.root / file
                text = path.read_text(encoding="utf-8")
                path.write_text(f'#include "{header}"\n{text}', encoding="utf-8")
                run = check(self.root)
                path.write_text(text, encoding="utf-8")
                self.assertEqual((run.returncode, run.stderr.count("\n")), (1, 1), run.stderr)
                self.assertIn(file, run.stderr)
                self.assertIn(header, run.stderr)

    def test_a_new_folder_is_listed(self) -> None:
        (self.root / "aggregator/unknown").mkdir()
        (self.root / "aggregator/unknown/file.cpp").write_text('#include "sotto/port.h"\n')
        run = check(self.root)
        self.assertIn("does not list aggregator/unknown", run.stderr)

    def test_an_exception_without_use_goes(self) -> None:
        for path in (self.root / "sdk/src/report").iterdir():
            path.write_text(path.read_text(encoding="utf-8").replace('#include "report.pb.h"', ""))
        self.assertIn("sdk/src/report includes nothing of report.pb.h", check(self.root).stderr)

    def test_an_empty_tree_is_no_pass(self) -> None:
        shutil.rmtree(self.root / "aggregator")
        self.assertEqual(check(self.root).returncode, 1)


if __name__ == "__main__":
    unittest.main()
