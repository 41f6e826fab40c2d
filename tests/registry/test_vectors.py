# SPDX-License-Identifier: Apache-2.0
"""The published vectors: every number of them that the compiler computes."""
import unittest
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

import laws
from support import exp_enclosure, vectors

from registry import channels, forward_bits, forward_category, forward_laplace, geometric
from registry import laplace, laplace_threshold, lattice_loss, levels, mix
from registry import randomized_response, rappor, rappor_loss
from registry.levels import Loss, exp_near, loss_of


def wide(width: int) -> laplace.Range:
    return laplace.Range(0, width, width, 1)


class Vectors(unittest.TestCase):
    def assert_agrees(self, ours: Fraction, theirs: str, digits: int = 28) -> None:
        expected = Fraction(theirs)
        unit = Fraction(Decimal(1).scaleb(Decimal(theirs).adjusted() - digits))
        self.assertLessEqual(abs(ours - expected), unit, theirs)

    def assert_loss(self, ours: Loss, theirs: str, digits: int = 28) -> None:
        self.assert_agrees(ours(256)[0], theirs, digits)

    def assert_within(self, ideal: geometric.Interval, theirs: str, digits: int = 28) -> None:
        self.assertLess(ideal.high - ideal.low, Fraction(1, 10**40))
        self.assert_agrees(ideal.low, theirs, digits)


class RandomizedResponse(Vectors):
    def test_other_widths(self) -> None:
        for case in vectors("rr.json")["cases"]:
            flip = 1 / (1 + exp_near(Fraction(case["eps"])))
            self.assert_agrees(flip, case["p_flip"])
            for bits in (16, 32, 48, 64):
                expected = case[f"n{bits}"]
                threshold = ceil(flip * (1 << bits))
                self.assertEqual(str(threshold), expected["threshold"])
                loss = loss_of((Fraction((1 << bits) - threshold, threshold), 1))
                self.assert_loss(loss, expected["realized_eps"])

    def test_categories(self) -> None:
        """Their A is floor(2^64 kappa); ours is rounded from u_min (MECHANISMS.md, C)."""
        for case in vectors("rr.json")["grr"]:
            size, epsilon = case["k"], Fraction(case["eps"])
            kappa = mix.nominal_kappa(epsilon, Fraction(1, size))
            self.assert_agrees(kappa, case["kappa"])
            self.assert_agrees(kappa + (1 - kappa) / size, case["p_keep"])
            self.assert_agrees((1 - kappa) / size, case["p_other"])
            keep = floor(kappa * (1 << 64))
            self.assertEqual(str(keep), case["t64_kappa_floor"])
            least = mix.rarest(size)
            ratio = mix.loss_ratio(Fraction(keep, 1 << 64), least)
            self.assert_loss(loss_of((ratio, 1)), case["realized_eps_keep_else_mulshift_uniform"])
            (ours,) = mix.certified_levels((epsilon,), least)
            self.assertLessEqual(abs(ours.keep - keep), size)


class Relaxed(Vectors):
    def test_bits(self) -> None:
        for case in vectors("bit_relax.json")["rr"]:
            (low,) = randomized_response.certified_levels((Fraction(case["eps1"]),))
            self.assertEqual(str(low.flip), case["t64_p1"])
            last = forward_bits.Law(low.marginal, 1 - low.marginal, 64)
            flip = 1 / (1 + exp_near(Fraction(case["eps2"])))
            step = forward_bits.step_forward(
                last, forward_bits.first_ways(last), (flip, 1 - flip), 64
            )
            given = step.given[1]
            self.assertEqual(str(given.one_if_one), case["t64_a_same"])
            self.assertEqual(str(given.one_if_zero), case["t64_a_diff"])
            joint = loss_of((max(max(ways) for ways in step.ways), 1))
            self.assert_loss(joint, case["realized_joint_eps"])

    def test_categories(self) -> None:
        for case in vectors("bit_relax.json")["grr"]:
            size, whole = case["k"], 1 << 64
            kappas = [
                mix.nominal_kappa(Fraction(case[key]), Fraction(1, size))
                for key in ("eps1", "eps2")
            ]
            self.assert_agrees(kappas[0], case["kappa1"])
            self.assert_agrees(kappas[1], case["kappa2"])
            self.assert_agrees(kappas[0] / kappas[1], case["a"])
            step = forward_category.step_forward(size, *kappas)
            other, same = (Fraction(t, whole) for t in step.to_value)
            rest, keep = (1 - Fraction(step.keep_last, whole)) / size, Fraction(step.keep_last, whole)
            for ours, theirs in (
                (same + (1 - same) / size, case["b1_eq_x"]["to_x"]),
                ((1 - same) / size, case["b1_eq_x"]["to_each_other"]),
                (other + rest, case["b1_ne_x"]["to_x"]),
                (keep - other + rest, case["b1_ne_x"]["stay"]),
                (rest, case["b1_ne_x"]["to_each_other"]),
            ):
                self.assert_agrees(ours, theirs, digits=17)

    def test_asymmetric_bits(self) -> None:
        for case in vectors("bit_relax.json")["asym"]:
            low, high = ((Fraction(case[f"gamma{i}"]), Fraction(case[f"beta{i}"])) for i in (1, 2))
            if_zero, if_one = channels.step_down(high, low)
            # The divisor was itself rounded to 30 digits.
            self.assert_agrees(if_zero, case["t0"], digits=26)
            self.assert_agrees(if_one, case["t1"], digits=26)
            self.assertEqual(0 <= if_zero < if_one <= 1, case["lossless"])
            if not case["lossless"]:
                continue
            self.assert_loss(
                loss_of((high[1] / high[0], 1), ((1 - high[0]) / (1 - high[1]), 1)),
                case["eps2_pair"],
            )
            last = forward_bits.Law(*low, 0)
            step = forward_bits.step_forward(last, forward_bits.first_ways(last), high, 64)
            for x in (0, 1):
                for bit in (0, 1):
                    ours = step.given[x].if_one if bit else step.given[x].if_zero
                    self.assert_agrees(ours, case["fwd"][str(x)][str(bit)], digits=17)


class DiscreteLaplace(Vectors):
    def test_noise(self) -> None:
        for case in vectors("dlap.json")["cases"]:
            x = Fraction(case["eps"])
            self.assert_within(geometric.decay(x), case["q"])
            nonzero = laplace.top_nonzero(x)
            self.assert_within(nonzero, case["z"])
            self.assertEqual(str(geometric.nearest(nonzero, 64)), case["z_t64"])
            for bits in (64, 96):
                made = geometric.digits_of(x, len(case["digits"]), bits)
                for ours, digit in zip(made.digits, case["digits"]):
                    self.assertEqual(str(ours), digit[f"t{bits}"])
            for digit in case["digits"]:
                self.assert_within(geometric.digit_probability(x, digit["j"]), digit["p"])
                self.assert_within(geometric.decay(x * (1 << digit["j"])), digit["q_pow"])

    def test_law_of_the_integers(self) -> None:
        for case in vectors("dlap.json")["cases"][2:]:
            noise = laplace.make_noise(Fraction(case["eps"]), None, wide(60), Fraction(1, 10**12))
            size = laws.geometric(noise.document())
            nonzero = Fraction(noise.nonzero, 1 << 64)
            for text, expected in case["pmf"].items():
                k = int(text)
                if k <= 10:
                    ours = nonzero / 2 * size[k - 1] if k else 1 - nonzero
                    self.assert_agrees(ours, expected, digits=8)
            for text, expected in case["tail_ge"].items():
                self.assert_agrees(nonzero / 2 * sum(size[int(text) - 1 :]), expected, digits=8)

    def test_realised_epsilon_a_unit(self) -> None:
        """MECHANISMS.md, C: the exact excess of a unit step, of digits of n bits."""
        for case in vectors("dlap.json")["realized"]:
            x, bits, width = Fraction(case["eps"]), case["n"], case["K"]
            ratio = unit_ratio(x, bits, width, case["B_wanted"])
            if ratio is None:
                self.assertIn(case["excess"], ("inf", "+inf", None))
                continue
            excess = loss_of((ratio, 1))(512)[0] - x
            self.assertLess(
                abs(excess - Fraction(case["excess"])),
                abs(Fraction(case["excess"])) / 10**15 + Fraction(1, 10**45),
                case,
            )

    def test_the_bound_is_near_the_exact_formula(self) -> None:
        for x, width in (("0.5", 3), ("0.25", 8), ("2", 4), ("0.01", 100)):
            bounds = wide(width)
            (noise,), (factor,) = laplace.ladder((Fraction(x) * width,), bounds)
            bound = laplace.bound(noise.x, bounds, factor)(256)
            size = noise.size
            exact = loss_of((unit_ratio(noise.x, size.digit_bits, width, len(size.digits)), 1))
            self.assertLessEqual(exact(256)[1] * width, bound[1] + Fraction(width, 10**10))
            self.assertLess(bound[1] - exact(256)[0] * width, Fraction(1, 10**7))


def unit_ratio(x: Fraction, bits: int, width: int, count: int) -> Fraction | None:
    """The greatest ratio of neighbours of clamp(u + V), over a width of so many steps."""
    made = geometric.digits_of(x, count, bits)
    digits = [Fraction(t, 1 << bits) for t in made.digits]
    z = Fraction(geometric.nearest(laplace.top_nonzero(x), bits), 1 << bits)
    none = Fraction(1)
    for p in digits:
        none *= 1 - p
    odds = [p / (1 - p) for p in digits]
    ratios = [(1 - z) / (z / 2 * none)]
    below = Fraction(1)
    for t, own in enumerate(odds):
        if (1 << t) + 1 <= width - 1:
            if own == 0:
                return None
            ratios.append(below / own)
        below *= own
    tails = [_tail(digits, size) for size in (width - 2, width - 1)]
    ratios.append((1 if width == 1 else z / 2 * tails[0]) / (z / 2 * tails[1]))
    if width == 1:
        ratios[-1] = (1 - z / 2) / (z / 2)
    return max(ratios)


def _tail(digits: list[Fraction], size: int) -> Fraction:
    """P(G >= size), digit by digit from the top."""
    at_least, equal = Fraction(0), Fraction(1)
    for j in range(len(digits) - 1, -1, -1):
        if size >> j & 1:
            equal *= digits[j]
        else:
            at_least += equal * digits[j]
            equal *= 1 - digits[j]
    return at_least + equal


class LazyLaplace(Vectors):
    def test_constants(self) -> None:
        for case in vectors("lazy_dlap.json")["cases"]:
            x1, x2 = Fraction(case["eps1"]), Fraction(case["eps2"])
            r, g = geometric.decay(x2 - x1), geometric.decay(x1 + x2)
            self.assert_within(r, case["r"])
            self.assert_within(g, case["g"])
            nonzero = laplace.step_nonzero(x1, x2)
            q = geometric.decay(x1)
            changed = nonzero * (q + 1) * (q + q).inverse()
            self.assert_within(changed.complement(), case["w"], digits=26)
            opposite = forward_laplace.opposite_probability(x1, x2)
            stay = forward_laplace.stay_probability(x1, x2)
            self.assert_within(opposite, case["N"])
            self.assert_within(stay, case["rho"])
            expected = case["t64"]
            for ours, name in ((opposite, "N"), (stay, "rho")):
                self.assertLessEqual(abs(geometric.nearest(ours, 64) - int(expected[name])), 1)
            count = len(expected["r_digits"])
            within = geometric.digits_of(x2 - x1, count, 64, overflow=True)
            self.assertEqual([str(t) for t in within.digits], expected["r_digits"])
            self.assertEqual(str(within.overflow), expected["r_overflow_after_14"])
            beyond = geometric.digits_of(x1 + x2, count, 64)
            self.assertEqual([str(t) for t in beyond.digits], expected["g_digits"])
            wide = geometric.digits_of(x1 + x2, len(case["g_digits_t128"]), 128)
            self.assertEqual([str(t) for t in wide.digits], case["g_digits_t128"])

    def test_forward_law_of_the_integers(self) -> None:
        for case in vectors("lazy_dlap.json")["cases"]:
            x1, x2 = Fraction(case["eps1"]), Fraction(case["eps2"])
            if x1 < Fraction(1, 20):
                continue  # thousands of entries
            step = forward_laplace.make_step(x1, x2, wide(20), Fraction(1, 10**12))
            table = {
                "opposite": str(step.opposite),
                "stay": str(step.stay),
                "within": step.within.document_with_overflow(),
                "beyond": step.beyond.document_with_overflow(),
            }
            for relaxed_case in case["x"]:
                law = laws.relaxed(table, relaxed_case["x"], -1000, 1000)
                for y, expected in relaxed_case["forward"].items():
                    if Decimal(expected) < Decimal("1e-38"):
                        continue  # less than 128-bit digits hold; no such table is certified
                    self.assert_agrees(law.get(int(y), Fraction(0)), expected, digits=9)


class ThresholdedLaplace(Vectors):
    def setUp(self) -> None:
        self.vectors = vectors("laplace_threshold.json")

    def test_flip_probabilities(self) -> None:
        for case in self.vectors["discrete"]:
            x = Fraction(case["lambda"]) / case["D"]
            # The file's discrete entries are double precision.
            self.assert_within(laplace_threshold.wrong_probability(x, (case["D"] + 1) // 2), case["p_flip"], 14)

    def ladder_ratio(self, alphas: list[str], grid: int) -> Fraction:
        """e^loss of a ladder whose levels flip with alpha / 2."""
        xs = []
        for alpha in alphas:
            flip = Fraction(alpha) / 2
            loss = levels.loss_of((1 / flip - 1, 1))(128)[0]
            xs.append(laplace_threshold.unit_of(loss, grid, (grid + 1) // 2))
        return lattice_loss.Losses(xs, grid, (grid + 1) // 2).ratio(tuple(range(len(xs))))

    def test_joint_loss_by_grid(self) -> None:
        for case in self.vectors["loss_vs_D_alpha_.9_.5"]:
            ratio = self.ladder_ratio(["0.9", "0.5"], case["D"])
            self.assert_loss(loss_of((ratio, 1)), case["joint_loss"], digits=11)

    def test_the_limit_of_fine_grids(self) -> None:
        grid = 1001
        for case in self.vectors["pairs"]:
            ratio = self.ladder_ratio([case["alpha1"], case["alpha2"]], grid)
            self.assert_loss(loss_of((ratio, 1)), case["joint_loss"], digits=5)
            flip = Fraction(case["alpha2"]) / 2
            self.assert_loss(loss_of((1 / flip - 1, 1)), case["rr_eps2"])
        for case in self.vectors["ladder3"]:
            ratio = self.ladder_ratio(case["alpha"], grid)
            self.assert_loss(loss_of((ratio, 1)), case["joint_loss"], digits=5)

    def test_three_steps_on_the_unit_grid_are_randomized_response(self) -> None:
        case = self.vectors["d1_three_step"]
        epsilons = tuple(Fraction(text) for text in case["eps"])
        law = lattice_loss.pattern_laws(list(epsilons), 1, 1, up=False)
        made = randomized_response.certified_levels(epsilons)
        word = laws.flips(
            {"table": {"flip": [str(level.flip) for level in made]}, "forward": []}
        )
        exact = word.joint(0, (0, 1, 2))
        for text, expected in case["law_thresholded"].items():
            bits = tuple(map(int, text))
            self.assert_agrees(Fraction(law[bits], lattice_loss.ONE), expected, digits=12)
            self.assert_agrees(exact[bits], expected, digits=12)
        ratio = lattice_loss.Losses(list(epsilons), 1, 1).ratio((0, 1, 2))
        self.assert_loss(loss_of((ratio, 1)), case["joint_loss"], digits=15)


class Rappor(Vectors):
    def test_losses(self) -> None:
        for case in vectors("rappor_eps.json")["cases"]:
            flip, p, q = Fraction(case["f"]) / 2, Fraction(case["p"]), Fraction(case["q"])
            pairs = case["h"]
            self.assert_agrees(p + flip * (q - p), case["p_star"])
            self.assert_agrees(q - flip * (q - p), case["q_star"])
            self.assert_loss(rappor_loss.of_any_number(flip, pairs), case["eps_inf"])
            self.assert_loss(rappor_loss.of_reports(flip, p, q, 1, pairs), case["eps_1"])
            for count, expected in case["n_reports"].items():
                loss = rappor_loss.of_reports(flip, p, q, int(count), pairs)
                self.assert_loss(loss, expected["eps"])

    def test_both_stages_relaxed(self) -> None:
        """n1 reports of one level, then n2 of the next: as many levels over the same bits."""
        for case in vectors("rappor_eps.json")["relaxed"]:
            first, second = (
                (Fraction(case[f"p{i}"]), Fraction(case[f"q{i}"])) for i in (1, 2)
            )
            flips = [Fraction(case["f1"]) / 2, Fraction(case["f2"]) / 2]
            step = (flips[0] - flips[1]) / (1 - 2 * flips[1])
            self.assert_agrees(step, case["s"])
            n1, n2 = case["n1"], case["n2"]
            permanent = [channels.IDENTITY] * (n1 - 1) + [_symmetric(step)]
            permanent += [channels.IDENTITY] * (n2 - 1) + [_symmetric(flips[1])]
            instantaneous = [_channel(*first)] * n1 + [_channel(*second)] * n2
            ladder = rappor_loss.Ladder(tuple(permanent), tuple(instantaneous), 0)
            joint = rappor_loss.of_levels(ladder, range(n1 + n2), 1)
            self.assert_loss(joint, case["joint_eps_h1"], digits=15)
            # As reports of two levels, so many of each.
            two = rappor_loss.Ladder(
                (_symmetric(step), _symmetric(flips[1])), (_channel(*first), _channel(*second)), 0
            )
            joint = rappor_loss.of_counts(two, {0: n1, 1: n2}, 1)
            self.assert_loss(joint, case["joint_eps_h1"], digits=15)

    def test_the_compiled_ladder_of_the_first(self) -> None:
        half = Fraction(1, 2)
        made = rappor.compile_ladder(
            [Fraction(3, 8), Fraction(1, 4)], [(half, Fraction(3, 4))] * 2, 1
        )
        self.assertEqual([c.bits for c in made.permanent + made.instantaneous], [2, 2, 2, 2])
        case = vectors("rappor_eps.json")["relaxed"][0]
        self.assert_loss(rappor_loss.of_levels(made, (0, 1), 1), case["joint_eps_h1"])
        self.assert_loss(rappor_loss.of_levels(made, (1,), 1), case["last_alone"])


def _channel(if_zero: Fraction, if_one: Fraction) -> channels.Channel:
    return channels.rounded(if_zero, if_one, 64)


def _symmetric(flip: Fraction) -> channels.Channel:
    return _channel(flip, 1 - flip)


class Controls(Vectors):
    def test_a_last_digit_is_noticed(self) -> None:
        case = vectors("rappor_eps.json")["cases"][0]
        wrong = case["eps_1"][:-3] + "999"
        loss = rappor_loss.of_reports(
            Fraction(case["f"]) / 2, Fraction(case["p"]), Fraction(case["q"]), 1, case["h"]
        )
        with self.assertRaises(AssertionError):
            self.assert_loss(loss, wrong)
        low, high = exp_enclosure(Fraction(1))
        self.assertLess(high - low, Fraction(1, 10**40))


if __name__ == "__main__":
    unittest.main()
