# SPDX-License-Identifier: Apache-2.0
"""A mechanism is one module: a part that it forgets is found when it is imported."""
import importlib.util
import re
import tempfile
import unittest
from pathlib import Path

from support import INCLUDE, ROOT

from registry import c_code, limits, mechanisms, schema
from registry.document import compile_registry
from registry.files import parse_toml
from registry.mechanism import Mechanism
from registry.model import Metric

MODULE = """
from registry.mechanism import {base}

class Whole({base}):
    name = "whole"
    types = ("boolean",)
{parts}

class Made(Whole):
{forgotten}

MECHANISM = Made()
"""


def parts_of(base: type[Mechanism], but: str = "") -> str:
    methods = sorted(base.__abstractmethods__ - {"name", "types", but})
    return "\n".join(f"    def {name}(self, *given): return None" for name in methods)


def imported(base: str, parts: str, forgotten: str = "    pass") -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "whole.py")
        path.write_text(MODULE.format(base=base, parts=parts, forgotten=forgotten))
        spec = importlib.util.spec_from_file_location("whole", path)
        assert spec is not None and spec.loader is not None
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


class Parts(unittest.TestCase):
    def test_a_whole_one_is_imported(self) -> None:
        imported("Mechanism", parts_of(Mechanism))

    def test_none_is_forgotten(self) -> None:
        names = Mechanism.__abstractmethods__ - {"name", "types"}
        self.assertGreaterEqual(len(names), 10)
        for name in names:
            with self.subTest(name), self.assertRaisesRegex(TypeError, name):
                imported("Mechanism", parts_of(Mechanism, but=name))

    def test_a_ladder_has_a_certificate(self) -> None:
        with self.assertRaisesRegex(TypeError, "compile"):
            imported("Ladder", "")


class List(unittest.TestCase):
    def test_every_number_of_the_header_has_a_mechanism(self) -> None:
        text = (INCLUDE / "sotto" / "registry.h").read_text(encoding="utf-8")
        names = re.findall(r"\bSOTTO_MECHANISM_(\w+) = ", text)
        self.assertEqual({name.lower() for name in names}, mechanisms.BY_NAME.keys())

    def test_every_module_with_one_is_in_the_list(self) -> None:
        listed = {type(mechanism).__module__ for mechanism in mechanisms.ALL}
        found = {
            f"registry.{path.stem}"
            for path in (ROOT / "tools" / "registry").glob("*.py")
            if re.search(r"^class \w+\((Ladder|Mechanism)\)", path.read_text(encoding="utf-8"), re.M)
        }
        self.assertEqual(found - {"registry.mechanism"}, listed)


class Limits(unittest.TestCase):
    """The device's header has them too: nothing is compiled that a device refuses."""

    def test_they_are_the_headers(self) -> None:
        text = (INCLUDE / "sotto" / "registry.h").read_text(encoding="utf-8")
        found = re.findall(r"#define (SOTTO_\w+_MAX) +\(?(\d+)u?(?: << (\d+))?", text)
        header = {name: int(base) << int(shift or 0) for name, base, shift in found}
        ours = {f"SOTTO_{name}": n for name, n in vars(limits).items() if name.endswith("_MAX")}
        self.assertEqual(header, ours)

    def test_a_tree_of_two_has_as_many_classes_as_there_may_be(self) -> None:
        self.assertEqual(limits.SUM_CLASSES_MAX, limits.SUM_SPAN_MAX.bit_length())


def metrics_of(file: str) -> tuple[Metric, ...]:
    text = (ROOT / file).read_text(encoding="utf-8")
    return schema.read_registry(parse_toml(text)).metrics


class Entries(unittest.TestCase):
    """One [[metric]] each: fixed time, stack, instructions, bytes, laws, audit and estimates."""

    def test_every_mechanism_has_a_metric(self) -> None:
        for files in (
            # Fixed time, stack, instructions, bytes, draws; a counter's events are never reported, and
            # points are many.
            ("tests/mechanisms.toml", "tests/counters.toml", "tests/points.toml", "tests/quantiles.toml"),
            ("tests/mechanisms.toml", "tests/exhaustive/metrics.toml"),  # every outcome
            ("tests/mechanisms.toml", "tests/registry/every_type.toml"),  # tables and certificates
        ):
            with self.subTest(files):
                named = {metric.mechanism for file in files for metric in metrics_of(file)}
                self.assertEqual(named, mechanisms.BY_NAME.keys())


class State(unittest.TestCase):
    """Each metric names who keeps its state, whatever else the registry has."""

    def test_every_owner_is_in_the_tables(self) -> None:
        text = (ROOT / "tests" / "registry" / "every_type.toml").read_text(encoding="utf-8")
        compiled = compile_registry(schema.read_registry(parse_toml(text)))
        entries = c_code.source(compiled, "every_type.toml").split("    .fingerprint = ")[1:]
        owners = set()
        for table, entry in zip(compiled.tables, entries, strict=False):  # the registry is the last
            named = re.findall(r"\.client = &sotto_client_code_(\w+),", entry)
            self.assertEqual(named, [table.client] if table.client else [])
            if table.state_words or table.row_words or table.cost_reports:
                self.assertTrue(table.client, table.mechanism)
            owners.update(named)
        self.assertEqual(
            owners, {"kept_hashes", "kept_values", "open_rows", "room", "two_stages"}
        )


if __name__ == "__main__":
    unittest.main()
