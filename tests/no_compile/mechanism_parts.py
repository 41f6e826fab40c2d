# SPDX-License-Identifier: Apache-2.0
"""
The host's side of "a part that is missing does not compile". A class without any one part of
aggregator/mechanism/mechanism.hpp is abstract, and a table without an owner is an error.

mechanism_parts.py COMPILER EIGEN_FOLDER
"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMPILER, EIGEN = sys.argv[1:]
ROOT = Path(__file__).resolve().parents[2]
HOME = Path("aggregator/mechanism")
VIRTUAL = re.compile(r"^    virtual ([^;{}]*?)(\w+)\(([^;{}]*)\) const( = 0)?;", re.MULTILINE)


def compiled(
    source: Path, *folders: Path, options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess:
    includes = [f"-I{folder}" for folder in (*folders, ROOT, ROOT / "sdk/include")]
    includes += ["-isystem", EIGEN]
    command = [COMPILER, "-std=c++20", "-fsyntax-only", *options, *includes, source]
    return subprocess.run(command, text=True, capture_output=True, check=False)


def files_with(pattern: str) -> list[str]:
    """Sources of the aggregator outside the mechanisms' home, from the root."""
    asks = re.compile(pattern, re.MULTILINE)
    return [
        str(path.relative_to(ROOT))
        for path in (ROOT / "aggregator").rglob("*.cpp")
        if ROOT / HOME not in path.parents and asks.search(path.read_text(encoding="utf-8"))
    ]


def listed(kind: str) -> set[str]:
    """The table of docs/ADDING.md behind the first mention of such a new one."""
    page = (ROOT / "docs" / "ADDING.md").read_text(encoding="utf-8")
    table = page.split(f"A new `{kind}` ", 1)[1].split("\n\n")[1]
    return set(re.findall(r"^\| `([^`]+\.cpp)` \|", table, re.MULTILINE))


def interface() -> str:
    text = (ROOT / HOME / "mechanism.hpp").read_text(encoding="utf-8")
    begin = text.index("class mechanism {")
    return text[begin : text.index("\n};", begin)]


class Parts(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def source(self, text: str) -> Path:
        path = self.folder / "source.cpp"
        path.write_text(text, encoding="utf-8")
        return path

    def test_each_is_abstract(self) -> None:
        parts = VIRTUAL.findall(interface())
        self.assertEqual(len(parts), interface().count("virtual ") - 1)  # the destructor
        self.assertGreater(len(parts), 20)
        overrides = {
            name: f"{kind}{name}({given}) const override {{ throw 0; }}"
            for kind, name, given, _ in parts
        }
        lines = ['#include "aggregator/mechanism/mechanism.hpp"', "#include <nlohmann/json.hpp>",
                 "namespace sotto::aggregator {"]
        for left_out in ("nothing", *overrides):
            own = " ".join(text for name, text in overrides.items() if name != left_out)
            lines.append(f"struct without_{left_out} : mechanism {{ {own} }};")
            sign = "!" if left_out == "nothing" else ""
            lines.append(f'static_assert({sign}std::is_abstract_v<without_{left_out}>, "{left_out}");')
        run = compiled(self.source("\n".join([*lines, "}"])))
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_every_unit_and_shape_is_met(self) -> None:
        """A switch without it is an error, in each file that docs/ADDING.md lists."""
        text = (ROOT / HOME / "mechanism.hpp").read_text(encoding="utf-8")
        shutil.copytree(ROOT / HOME, self.folder / HOME)
        for kind in ("protected_unit", "answer_shape"):
            with self.subTest(kind=kind):
                asking = set(files_with(rf"^ +case {kind}::"))
                self.assertEqual(asking, listed(kind))
                head = f"enum class {kind} : std::uint8_t {{"
                planted = text.replace(head, f"{head} household,")
                (self.folder / HOME / "mechanism.hpp").write_text(planted, encoding="utf-8")
                with ThreadPoolExecutor(2) as pool:
                    runs = list(pool.map(self.strictly, sorted(asking)))
                for file, run in zip(sorted(asking), runs):
                    self.assertIn("household", run.stderr, file)

    def strictly(self, file: str) -> subprocess.CompletedProcess:
        return compiled(ROOT / file, self.folder, options=("-Wall", "-Werror"))

    def test_every_unit_is_in_the_list_of_all(self) -> None:
        text = (ROOT / HOME / "mechanism.hpp").read_text(encoding="utf-8")
        body = re.search(r"enum class protected_unit : std::uint8_t \{(.*?)\};", text, re.DOTALL)
        array = re.search(r"every_protected_unit = \{(.*?)\};", text, re.DOTALL)
        assert body is not None and array is not None
        self.assertEqual(re.findall(r"^ +(\w+),", body[1], re.MULTILINE),
                         re.findall(r"protected_unit::(\w+)", array[1]))

    def test_a_table_has_an_owner(self) -> None:
        shutil.copytree(ROOT / HOME, self.folder / HOME)
        listed = self.folder / HOME / "all.cpp"
        self.assertEqual(compiled(listed, self.folder).returncode, 0)
        path = self.folder / HOME / "tables.hpp"
        text = path.read_text(encoding="utf-8")
        more = text.replace("using mechanism_table =", "struct forgotten_table {};\nusing mechanism_table =")
        more = re.sub(r"(std::variant<randomized_response_table,)", r"\1 forgotten_table,", more)
        path.write_text(more, encoding="utf-8")
        run = compiled(listed, self.folder)
        self.assertEqual(run.returncode, 1)
        self.assertIn("forgotten_table", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
