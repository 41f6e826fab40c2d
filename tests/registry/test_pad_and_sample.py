# SPDX-License-Identifier: Apache-2.0
"""Pad and sample: exact variances of the compiled integers beside unary bits."""
import json
import unittest
from fractions import Fraction

import laws
from support import HEAD, ROOT, Workspace, metric

from registry import pad_and_sample

SIZE, MOST = 4, 3
Channel = tuple[Fraction, Fraction]  # P(yes) for a set without the member, and with it


def variances(channel: Channel) -> tuple[Fraction, Fraction, Fraction]:
    """One report's, for a member that is in no set, in half of them, in all."""
    absent, present = (p * (1 - p) / (channel[1] - channel[0]) ** 2 for p in channel)
    return absent, (absent + present) / 2, present


class Variance(Workspace):
    def document(self, mechanism: str, epsilon: str) -> dict:
        names = json.dumps([f"m{i}" for i in range(SIZE)])
        own = f'mechanism = "{mechanism}"\nmembers = {names}\nmax_members = {MOST}\n'
        text = HEAD + metric("set", own, f"[{epsilon}]")
        return json.loads(self.compiled(text)["metrics.json"])["metrics"][0]

    def sampled(self, epsilon: str) -> Channel:
        """From the law: how often member 0 is named, for the sets that differ most in it."""
        top = laws.sampled(self.document("pad_and_sample", epsilon)).top

        def named(members: frozenset[int]) -> Fraction:
            return sum((p for y, p in top(members).items() if 0 in y), Fraction(0))

        with_it = {named(frozenset({0, *rest})) for rest in ((), (1,), (1, 2), (2, 3))}
        without = {named(frozenset(rest)) for rest in ((), (1,), (1, 2, 3))}
        for chances in (with_it, without):  # no other member changes it, but for the last bit
            self.assertLess(max(chances) - min(chances), Fraction(1, 1 << 62))
        return max(without), min(with_it)

    def unary(self, epsilon: str) -> list[Channel]:
        found = []
        for mechanism in ("unary", "optimized_unary"):
            channel = self.document(mechanism, epsilon)["table"]["channel"][0]
            whole = 1 << int(channel["bits"])
            found.append(
                (Fraction(int(channel["one_if_zero"]), whole), Fraction(int(channel["one_if_one"]), whole))
            )
        return found

    def best_unary(self, epsilon: str) -> tuple[Fraction, Fraction, Fraction]:
        return min((variances(channel) for channel in self.unary(epsilon)), key=lambda v: v[1])

    def test_is_less_than_that_of_unary_bits(self) -> None:
        for epsilon, gain in (("1", 2.5), ("2", 2.1), ("4", 2.3)):
            sampled, bits = variances(self.sampled(epsilon)), self.best_unary(epsilon)
            with self.subTest(epsilon=epsilon):
                self.assertGreater(bits[1] / sampled[1], gain)
                for own, other in zip(sampled, bits):
                    self.assertGreater(other / own, 1.3)

    def test_two_elements_are_named_where_that_is_better(self) -> None:
        """The control: at epsilon 4 one element would be worse than bits."""
        half = Fraction(1, 2)
        single, pair = (
            pad_and_sample.variance(Fraction(4), SIZE, MOST, named, half) for named in (1, 2)
        )
        self.assertGreater(single, self.best_unary("4")[1])
        self.assertEqual(pad_and_sample.named_at(Fraction(4), SIZE, MOST), 2)
        self.assertAlmostEqual(float(pair / variances(self.sampled("4"))[1]), 1, places=12)

    def test_the_page_has_these_numbers(self) -> None:
        page = (ROOT / "docs" / "MECHANISMS.md").read_text("utf-8")
        for epsilon in ("1", "2", "4"):
            rows = (self.best_unary(epsilon), variances(self.sampled(epsilon)))
            cells = [f"{float(v):.3g}" for found in rows for v in found]
            self.assertIn(f"| {epsilon} | {' | '.join(cells)} |\n", page)


if __name__ == "__main__":
    unittest.main()
