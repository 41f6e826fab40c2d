# SPDX-License-Identifier: Apache-2.0
"""
The device's folders need no symbol of a folder above them, and one that is planted is caught.

test_linked_layers.py CC AR NM ARCHIVE…
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tools" / "check-layers.py"
CC, AR, NM, *ARCHIVES = sys.argv[1:]
PLANTED = (
    ("bits.cpp", "sotto_flush", "sdk/src/mechanism may not need sotto_flush of sdk/src/client"),
    ("uniform.cpp", "sotto_code_unary", "sdk/src/random may not need sotto_code_unary"),
    ("hash.cpp", "sotto_seal_hpke", "sdk/src/crypto may not need sotto_seal_hpke of sdk/src/seal"),
)


def check(*archives: str) -> subprocess.CompletedProcess:
    return subprocess.run([CHECK, ROOT, NM, *archives], text=True, capture_output=True, check=False)


def archive(folder: Path, member: str, symbol: str) -> str:
    """An archive of one object, which needs the symbol."""
    source, target = folder / "planted.c", folder / f"{member}.o"
    source.write_text(f"extern int {symbol};\nint *planted = &{symbol};\n", encoding="utf-8")
    subprocess.run([CC, "-c", source, "-o", target], check=True)
    subprocess.run([AR, "rc", folder / f"{member}.a", target], check=True)
    return str(folder / f"{member}.a")


class LinkedLayers(unittest.TestCase):
    def test_ours(self) -> None:
        run = check(*ARCHIVES)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_planted(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            for member, symbol, words in PLANTED:
                with self.subTest(member):
                    run = check(*ARCHIVES, archive(Path(name), member, symbol))
                    self.assertEqual((run.returncode, run.stderr.count("\n")), (1, 1), run.stderr)
                    self.assertIn(words, run.stderr)

    def test_an_archive_of_another_is_no_pass(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            self.assertEqual(check(archive(Path(name), "other.cpp", "sotto_flush")).returncode, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
