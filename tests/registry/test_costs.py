# SPDX-License-Identifier: Apache-2.0
"""Charges: the costs of every mechanism against its losses, and RAPPOR's releases."""
import itertools
import json
import math
import unittest
from fractions import Fraction
from pathlib import Path
from unittest import mock

from support import HEAD, Workspace, metric, vectors

from registry import rappor, rappor_lifetime, rappor_loss
from registry.levels import cost
from registry.model import COST_UNIT

EVERY = (Path(__file__).parent / "every_type.toml").read_text("utf-8")
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
REPORT = (HALF, Fraction(3, 4))


def up(epsilon: str) -> int:
    return math.ceil(Fraction(epsilon) * COST_UNIT)


def ladder(flips: list[Fraction], reports: list[tuple[Fraction, Fraction]]) -> rappor_loss.Ladder:
    return rappor.compile_ladder(flips, reports, 1)


class Costs(Workspace):
    def test_every_mechanism(self) -> None:
        for m in json.loads(self.compiled(EVERY)["metrics.json"])["metrics"]:
            with self.subTest(m["name"]):
                costs = [int(text) for text in m["costs"]]
                if m["cost_reports"]:
                    continue
                self.assertEqual(len(costs), len(m["levels"]) + len(m["forward"]))
                self.assertEqual(costs, sorted(costs))
                self.assertEqual(costs[0], up(m["levels"][0]["realised"]))
                self.assertEqual(costs[len(m["levels"]) - 1], int(m["joint_cost"]))
                joints = [up(level["joint"]) for level in m["forward"]]
                self.assertEqual(costs[len(m["levels"]) :], joints)

    def test_a_sequence_pays_for_its_levels_together(self) -> None:
        apart = EVERY.replace("permanent = [0.5, 0.5]", "permanent = [0.75, 0.5]")
        season = json.loads(self.compiled(apart)["metrics.json"])["metrics"][5]
        self.assertEqual((season["name"], season["cost_reports"]), ("season", 0))
        joint = up(season["pairs"][0]["joint"])
        self.assertEqual(int(season["costs"][1]), joint)
        self.assertGreater(joint, up(season["levels"][1]["realised"]))

    def test_a_fine_grid_pays_for_its_levels_together(self) -> None:
        own = 'mechanism = "laplace_threshold"\ngrid = 5\n'
        text = HEAD + metric("boolean", own, "[0.5, 1, 2]")
        fine = json.loads(self.compiled(text)["metrics.json"])["metrics"][0]
        self.assertEqual(int(fine["costs"][1]), up(fine["pairs"][0]["joint"]))
        self.assertEqual(int(fine["costs"][2]), up(fine["joint"]))


class Lifetime(unittest.TestCase):
    """The recursion of rappor_lifetime.py against sums over all permanent bits, and the vectors."""

    def lifetime(self, made: rappor_loss.Ladder, pairs: int, values: int) -> list[list[int]]:
        costs, each = rappor_lifetime.costs(made, pairs, values)
        return [list(costs[i : i + each]) for i in range(0, len(costs), each)]

    def test_vectors(self) -> None:
        for case in vectors("rappor_eps.json")["cases"]:
            report = (Fraction(case["p"]), Fraction(case["q"]))
            made = ladder([Fraction(case["f"]) / 2], [report])
            (costs,) = self.lifetime(made, case["h"], 1)
            self.assertEqual(costs[0], up(case["eps_1"]))
            self.assertEqual(costs[-1], up(case["eps_inf"]))
            for count, expected in case["n_reports"].items():
                if count.isdigit() and int(count) < len(costs):
                    self.assertEqual(costs[int(count) - 1], up(expected["eps"]), count)

    def test_ladders_of_one_value(self) -> None:
        """Against rappor_loss.of_ladder, which adds up both values of every permanent bit."""
        for made in (
            ladder([Fraction(3, 8), QUARTER], [REPORT, REPORT]),
            ladder([QUARTER, QUARTER], [REPORT, (QUARTER, Fraction(17, 20))]),  # chained
            ladder([Fraction(2, 5), Fraction(3, 10), Fraction(1, 5)], [REPORT] * 3),
        ):
            top = len(made.permanent) - 1
            costs = self.lifetime(made, 2, 1)[top]
            for count in (1, 2, 3, 7):
                self.assertEqual(costs[count - 1], cost(rappor_loss.of_ladder(made, count, 2)))
            for level in range(top + 1):
                first = cost(rappor_loss.of_levels(made, range(level + 1), 2))
                self.assertEqual(self.lifetime(made, 2, 1)[level][0], first)

    def test_the_worst_split_among_values(self) -> None:
        """The charge is the most that n releases on V values can lose, and no more."""
        made = ladder([Fraction(3, 8), QUARTER], [REPORT, REPORT])
        values = 3
        single, shared = self.lifetime(made, 1, 1), self.lifetime(made, 1, values)
        for level, count in itertools.product((0, 1), range(1, 16)):
            charged = shared[level][count - 1]
            worst = max(
                sum(single[level][n - 1] for n in split if n)
                for split in itertools.product(range(count + 1), repeat=values)
                if sum(split) == count
            )
            # Each of the three was rounded up.
            self.assertTrue(worst - values < charged <= worst, (level, count))

    def test_by_the_formula(self) -> None:
        """(V - r) e(q) + r e(q + 1) by the formula of MECHANISMS.md, E, in doubles."""
        f, (p, q) = 0.5, map(float, REPORT)

        def e(reports: float) -> float:
            x, y = (q / p) ** reports, ((1 - p) / (1 - q)) ** reports
            return 2 * sum(
                math.log(((1 - f / 2) * z + f / 2) / (f / 2 * z + 1 - f / 2)) for z in (x, y)
            )

        made = ladder([QUARTER], [REPORT])
        for values in (1, 2, 5, 64):
            (costs,) = self.lifetime(made, 2, values)
            for count, charged in enumerate(costs[:-1], start=1):
                each, more = divmod(count, values)
                exact = ((values - more) * e(each) + more * e(each + 1)) * COST_UNIT
                self.assertTrue(-1e-6 < charged - exact < 1 + 1e-6, (values, count))
                # The charge V e(n / V), for real n / V, was above it.
                between = values * e(count / values) * COST_UNIT
                self.assertLessEqual(charged, between + 1)
                if values == 64 and count == 1:
                    self.assertGreater(between, 1.02 * charged)

    def test_a_window_of_64_has_numbers_of_its_own(self) -> None:
        (costs,) = self.lifetime(ladder([QUARTER], [REPORT]), 2, 64)
        self.assertEqual(len(costs), 65)
        self.assertLess(costs[63], costs[64])

    def test_they_rise_and_end(self) -> None:
        made = ladder([Fraction(3, 8), QUARTER], [REPORT, REPORT])
        for values in (1, 4, 1000):
            by_level = self.lifetime(made, 2, values)
            self.assertLessEqual(len(by_level[0]), rappor_lifetime.REPORTS_MAX)
            for costs in by_level:
                self.assertEqual(costs, sorted(costs))
                self.assertEqual(len(set(costs)), len(costs))
            for lower, higher in zip(*by_level):
                self.assertLess(lower, higher)
        flip = cost(rappor_loss.of_any_number(QUARTER, 2 * 4))
        self.assertEqual(self.lifetime(made, 2, 4)[1][-1], flip)

    def test_a_report_without_its_own_noise(self) -> None:
        """p = 0: one report says all of the permanent bit; what does not fit is the greatest."""
        made = ladder([QUARTER], [(Fraction(0), Fraction(3, 4))])
        self.assertLess(self.lifetime(made, 1, 1)[0][0], self.lifetime(made, 1, 1)[0][-1])
        costs = self.lifetime(ladder([QUARTER], [(Fraction(0), Fraction(1))]), 8, 1024)[0]
        self.assertEqual(costs[-1], rappor_lifetime.COST_MAX)
        self.assertLess(costs[-2], rappor_lifetime.COST_FAR)

    def test_control(self) -> None:
        """Permanent noise that is forgotten is noticed by the sums."""
        made = ladder([Fraction(3, 8), QUARTER], [REPORT, REPORT])
        with mock.patch.object(rappor_lifetime, "_through", lambda odds, flip: odds):
            wrong = self.lifetime(made, 2, 1)[1][0]
        self.assertNotEqual(wrong, cost(rappor_loss.of_ladder(made, 1, 2)))


if __name__ == "__main__":
    unittest.main()
