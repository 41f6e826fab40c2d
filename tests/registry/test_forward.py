# SPDX-License-Identifier: Apache-2.0
"""Levels that come later: adding one above leaves all that is there as it was."""
import json
import math
import unittest
from fractions import Fraction
from unittest import mock

from support import HEAD, Workspace, metric

from registry import forward_bits
from registry.errors import RegistryError
from registry.model import COST_UNIT

RAPPOR = 'bits = 8\nhashes = 2\ncohorts = 4\npermanent = [0.5]\ninstantaneous = [[0.5, 0.75]]\n'
# By type: keys of its own, the ladder, levels to add, and the first of them otherwise.
TYPES = (
    ("boolean", "", "[0.5, 1]", ("2", "3", "4.5"), "2.5"),
    ("category", "size = 300", "[0.5, 1]", ("2", "2.25"), "2.5"),
    ("category", 'mechanism = "design"\nsize = 30', "[0.5, 1]", ("2", "2.25"), "2.5"),
    ("category", 'mechanism = "optimized_unary"\nsize = 3', "[0.5, 1]", ("2", "3"), "1.5"),
    ("set", 'members = ["a", "b", "c"]\nmax_members = 1', "[1]", ("2", "3"), "1.5"),
    ("integer", "min = 0\nmax = 3", "[0.5, 1]", ("2", "3", "4"), "1.5"),
    ("vector", "length = 2\nmin = 0\nmax = 3", "[1]", ("2", "2.5"), "1.5"),
    ("mean", "min = 0\nmax = 9", "[1]", ("2", "3"), "1.5"),
    ("mean", 'mechanism = "window_mean"\nmin = 0\nmax = 9', "[0.5, 1]", ("2", "3"), "1.5"),
    ("string", RAPPOR, "", ("[0.375, 0.5, 0.75]", "[0.25, 0.4, 0.75]"), "[0.2, 0.5, 0.75]"),
    ("string", RAPPOR, "", ("[0.375, 0.75]", "[0.25, 0.75]", "[0.125, 0.75]"), "[0.25, 0.8]"),
)  # fmt: skip


class Appended(Workspace):
    def text(self, kind: str, own: str, ladder: str, forward: tuple[str, ...]) -> str:
        levels = f"forward = [{', '.join(forward)}]\n" if forward else ""
        return HEAD + metric(kind, f"{own}\n{levels}", ladder)

    def document(self, text: str) -> dict:
        return json.loads(self.compiled(text)["metrics.json"])

    def diff(self, old: str, new: str) -> list[str]:
        before = self.folder / "old.toml"
        before.write_text(old)
        self.write(new)
        return self.run_main("diff", before, self.source).out.splitlines()

    def test_leaves_everything_else_as_it_was(self) -> None:
        for kind, own, ladder, levels, _ in TYPES:
            before = self.document(self.text(kind, own, ladder, ()))
            for count in range(1, len(levels) + 1):
                with self.subTest(kind, own=own, forward=levels[:count]):
                    after = self.document(self.text(kind, own, ladder, levels[:count]))
                    old, new = before["metrics"][0], after["metrics"][0]
                    self.assertEqual(len(new["forward"]), count)
                    self.assertEqual(new["forward"][: count - 1], old["forward"])
                    for key in ("fingerprint", "levels", "pairs", "joint", "table"):
                        self.assertEqual(new[key], old[key], key)
                    self.assertNotEqual(*(d["registry"]["fingerprint"] for d in (before, after)))
                    self.check_costs(old, new)
                    before = after

    def check_costs(self, old: dict, new: dict) -> None:
        """Nobody who was charged by the old ones has paid too little by the new ones."""
        if not old["cost_reports"]:
            self.assertEqual(new["costs"][: len(old["costs"])], old["costs"])
            return
        levels = len(old["levels"]) + len(old["forward"])
        for level in range(levels):
            before, after = (
                [int(m["costs"][level * m["cost_reports"] + min(n, m["cost_reports"]) - 1])
                 for n in range(1, 65)]
                for m in (old, new)
            )  # fmt: skip
            self.assertEqual(before[-1], after[-1])
            self.assertTrue(all(paid >= due for paid, due in zip(before, after)))

    def test_is_what_diff_says(self) -> None:
        for kind, own, ladder, levels, other in TYPES:
            with self.subTest(kind, own=own):
                texts = [self.text(kind, own, ladder, levels[:count]) for count in range(3)]
                for old, new in ((texts[0], texts[1]), (texts[1], texts[2])):
                    line, *_, registry = self.diff(old, new)
                    self.assertIn("fingerprint unchanged: reports of both are counted", line)
                    self.assertRegex(registry, "^registry fingerprint: .* -> ")
                changed = self.text(kind, own, ladder, (other,))
                for old, new in ((texts[1], texts[0]), (texts[2], texts[1]), (texts[1], changed)):
                    line, *_, registry = self.diff(old, new)
                    self.assertIn("refused by devices and stores", line)
                    self.assertRegex(registry, "^registry fingerprint: .* -> ")

    def test_other_integers_for_the_same_level_are_noticed(self) -> None:
        text = self.text("boolean", "", "[1]", ("2",))
        self.document(text)
        path = self.out / "metrics.json"
        document = json.loads(path.read_text())
        document["metrics"][0]["forward"][0]["fingerprint"] = "00000000"
        path.write_text(json.dumps(document))
        line, *_ = self.run_main("diff", path, self.source).out.splitlines()
        self.assertIn("table: other integers", line)
        self.assertIn("refused", line)

    def test_fingerprints_go_up_the_ladder(self) -> None:
        """The same step above another one is another level."""
        made = [self.document(self.text("boolean", "", "[1]", f))["metrics"][0]["forward"]
                for f in (("2", "4"), ("3", "4"), ("2", "4"))]  # fmt: skip
        prints = [[level["fingerprint"] for level in forward] for forward in made]
        self.assertEqual(prints[0], prints[2])
        self.assertEqual(len({print for pair in prints for print in pair}), 4)


class SmallerF(Workspace):
    """RAPPOR's permanent stage; tests/exhaustive enumerates what it loses."""

    OWN = RAPPOR + "forward = [[0.25, 0.25, 0.75], [0.1, 0.25, 0.75]]\n"

    def document(self, own: str) -> dict:
        return json.loads(self.compiled(HEAD + metric("string", own, ""))["metrics.json"])

    def test_is_charged_what_it_loses(self) -> None:
        (m,) = self.document(self.OWN)["metrics"]
        for level, stated in enumerate(m["forward"], start=len(m["levels"])):
            costs = [int(c) for c in m["costs"][level * m["cost_reports"] :][: m["cost_reports"]]]
            for count in ("1", "2", "10"):
                due = Fraction(stated["ladder"]["n"][count]) * COST_UNIT
                self.assertEqual(costs[int(count) - 1], math.ceil(due))
            self.assertEqual(costs[-1], math.ceil(Fraction(stated["ladder"]["infinity"]) * COST_UNIT))
            self.assertGreater(Fraction(stated["ladder"]["infinity"]), Fraction(stated["infinity"]))
            self.assertGreater(Fraction(stated["joint"]), Fraction(stated["realised"]))

    def test_a_sequence_is_charged_a_release_at_a_time(self) -> None:
        (m,) = self.document(self.OWN + 'protects = "sequence"\n')["metrics"]
        self.assertEqual(m["cost_reports"], 0)
        joints = [math.ceil(Fraction(level["joint"]) * COST_UNIT) for level in m["forward"]]
        self.assertEqual([int(cost) for cost in m["costs"][1:]], joints)

    def test_loses_about_what_the_same_ladder_does(self) -> None:
        (later,) = self.document(self.OWN)["metrics"]
        known = RAPPOR.replace("[0.5]\n", "[0.5, 0.25, 0.1]\n", 1)
        known = known.replace("[[0.5, 0.75]]", "[[0.5, 0.75], [0.25, 0.75], [0.25, 0.75]]")
        (ladder,) = self.document(known)["metrics"]
        for n in ("1", "2", "10", "100"):
            a, b = (Fraction(x["ladder"]["n"][n]) for x in (later["forward"][1], ladder))
            self.assertLess(abs(a - b), b / 10**6, n)


class LastOfAll(unittest.TestCase):
    def test_a_step_that_leaves_no_room_may_only_be_the_last(self) -> None:
        last = forward_bits.Law(Fraction(1, 4), Fraction(3, 4), 2)
        epsilon = Fraction(2)

        def aim(epsilon: Fraction) -> tuple[Fraction, Fraction]:
            return 1 / (3 + epsilon), 1 - 1 / (3 + epsilon)

        def loss(if_one: Fraction, if_zero: Fraction) -> forward_bits.Loss:
            return lambda bits: (epsilon, epsilon)

        def made(*epsilons: Fraction) -> list[forward_bits.Step]:
            return forward_bits.steps(last, epsilons, aim, loss)

        first = made(epsilon)[0]
        self.assertEqual(first, made(epsilon, epsilon)[0])
        with mock.patch.object(forward_bits, "_apart", lambda step: Fraction(2)):
            self.assertEqual(len(made(epsilon)), 1)
            with self.assertRaisesRegex(RegistryError, "forward: 2 can't be certified"):
                made(epsilon, epsilon)


if __name__ == "__main__":
    unittest.main()
