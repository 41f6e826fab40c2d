# SPDX-License-Identifier: Apache-2.0
"""
Small tables of every mechanism, enumerated. For every pair of admissible values, the exact
probability of all that any subset of levels may show is held against the certified epsilons.
"""
import copy
import itertools
import json
import math
import unittest
from fractions import Fraction
from typing import Any

import laws
from laws import Dist, Word, greatest_ratio, product_law
from support import HEAD, Workspace, exp_enclosure, metric

NEAR = Fraction(1, 10**6)


class Enumeration(Workspace):
    def document(self, kind: str, own: str, epsilons: str = "") -> dict[str, Any]:
        text = HEAD + metric(kind, own, epsilons)
        return json.loads(self.compiled(text)["metrics.json"])["metrics"][0]

    def law(self, word: Word, value: Any, published: tuple[int, ...]) -> Dist:
        """A value is a word, or a tuple of words that are noised each on its own."""
        if not isinstance(value, tuple):
            return word.joint(value, published)
        own = {true: word.joint(true, published) for true in set(value)}
        return product_law(own[true] for true in value)

    def ratio(self, word: Word, values: list[Any], published: tuple[int, ...]) -> Fraction | None:
        return greatest_ratio([self.law(word, value, published) for value in values])

    def assert_loses(self, ratio: Fraction | None, stated: str, near: bool = True) -> None:
        """Not more than stated, and not less by a millionth."""
        self.assertIsNotNone(ratio, "an outcome of one value that another can't have")
        self.assertLessEqual(ratio, exp_enclosure(Fraction(stated))[1])
        if near:
            self.assertGreaterEqual(ratio, exp_enclosure(Fraction(stated) - NEAR)[0])

    def check_lossless(self, m: dict[str, Any], word: Word, values: list[Any]) -> None:
        """Any subset loses what its highest level loses, which is at most what was asked for."""
        both = [*m["levels"], *m["forward"]]
        self.assertEqual((word.levels, word.forwards), (len(m["levels"]), len(m["forward"])))
        for published in laws.subsets(len(both)):
            highest = both[published[-1]]
            stated = highest.get("joint", highest["realised"])
            with self.subTest(published=published, stated=stated):
                ratio = self.ratio(word, values, published)
                self.assert_loses(ratio, stated)
                self.assertLessEqual(ratio, exp_enclosure(Fraction(highest["nominal"]))[0])
                if len(published) == 1:
                    self.assert_loses(ratio, highest["realised"])
        for pair in m["pairs"]:
            self.assertEqual(pair["joint"], m["levels"][pair["levels"][1]]["realised"])
        self.assertEqual(m["joint"], m["levels"][-1]["realised"])

    def check_stated(self, m: dict[str, Any], word: Word, values: list[Any]) -> None:
        """A subset loses what is stated for it, and the whole ladder at most what is for it."""
        pairs = {tuple(pair["levels"]): pair["joint"] for pair in m["pairs"]}
        count = len(m["levels"])
        for published in laws.subsets(count):
            stated = m["joint"]
            if len(published) == 1:
                stated = m["levels"][published[0]]["realised"]
            elif len(published) == 2:
                stated = pairs[published]
            with self.subTest(published=published, stated=stated):
                ratio = self.ratio(word, values, published)
                self.assert_loses(ratio, stated, near=len(published) in (1, 2, count))
                self.assert_loses(ratio, m["joint"], near=False)
        for step, stated in enumerate(m["forward"]):
            for published in laws.subsets(count + step):
                ratio = self.ratio(word, values, (*published, count + step))
                with self.subTest(published=published, forward=step):
                    self.assert_loses(ratio, stated["joint"], near=len(published) == count + step)
            self.assert_loses(self.ratio(word, values, (count + step,)), stated["realised"])


LADDER = "[0.5, 1, 2]"
FORWARD = "forward = [2.5, 4]\n"


class Bits(Enumeration):
    def test_randomized_response(self) -> None:
        m = self.document("boolean", FORWARD, LADDER)
        self.check_lossless(m, laws.flips(m), [0, 1])

    def test_thresholded_laplace_on_the_unit_grid(self) -> None:
        m = self.document("boolean", 'mechanism = "laplace_threshold"\n' + FORWARD, LADDER)
        self.check_lossless(m, laws.flips(m), [0, 1])

    def test_one_bit_mean(self) -> None:
        """Whatever a number is rounded to, its bit is one of two."""
        m = self.document("mean", "min = -3\nmax = 4\n" + FORWARD, LADDER)
        self.check_lossless(m, laws.flips(m), [0, 1])
        self.assertEqual(m["table"]["scale"], str((2**32 - 1) // 7))

    def test_thresholded_laplace_on_fine_grids(self) -> None:
        for grid, threshold, ladder in (
            (3, 2, LADDER), (7, 4, "[0.2, 1.1]"), (5, 3, "[0.3, 0.8, 1.2]"),
            (3, 1, LADDER), (5, 4, "[0.3, 1.2]"), (7, 7, "[0.2, 1.1]"),
        ):  # fmt: skip
            own = f'mechanism = "laplace_threshold"\ngrid = {grid}\nthreshold = {threshold}\n'
            m = self.document("boolean", own, ladder)
            word = laws.laplace(m["table"]["lattice"], [], edge=threshold)
            self.check_stated(m, word, [0, grid])
            self.assertGreater(Fraction(m["joint"]), Fraction(m["levels"][-1]["nominal"]))


def one_hot(size: int) -> list[tuple[int, ...]]:
    return [tuple(int(i == value) for i in range(size)) for value in range(size)]


def sets(size: int, most: int) -> list[tuple[int, ...]]:
    return [bits for bits in itertools.product((0, 1), repeat=size) if sum(bits) <= most]


class Categories(Enumeration):
    def test_k_randomized_response(self) -> None:
        for size in (2, 3, 5):
            m = self.document("category", f"size = {size}\n" + FORWARD, LADDER)
            self.check_lossless(m, laws.category(m), list(range(size)))

    def test_windows(self) -> None:
        for bins, best, half in ((2, 0, 0), (3, 0, 1), (4, 1, 1), (5, 0, 1)):
            own = f"min = 1\nmax = {bins}\nbins = {bins}\nbest_level = {best}\n"
            m = self.document("distribution", own, LADDER)
            self.assertEqual(m["table"]["half"], half)
            self.check_lossless(m, laws.window(m), list(range(bins)))

    def test_designs(self) -> None:
        for size, best, answers in ((3, 1, 7), (7, 1, 7), (13, 0, 13)):
            own = f'mechanism = "design"\nsize = {size}\nbest_level = {best}\nforward = [2]\n'
            m = self.document("category", own, "[0.9, 1]")
            self.assertEqual(m["table"]["answers"], answers)
            self.check_lossless(m, laws.design(m), list(range(size)))

    def test_windows_for_a_mean(self) -> None:
        for bins, best in ((2, 0), (3, 0), (4, 1), (5, 0)):
            own = f'mechanism = "window_mean"\nmin = -3\nmax = 4\nbins = {bins}\nbest_level = {best}\nforward = [4]\n'
            m = self.document("mean", own, LADDER)
            self.assertEqual(m["table"]["scale"], str((2**32 - 1) // 7))
            self.check_lossless(m, laws.window(m), list(range(bins)))

    def test_hash_values(self) -> None:
        for best, size in ((0, 3), (1, 4)):
            own = f'mechanism = "hashed"\npermanent_epsilon = 3\ncohorts = 1\nbest_level = {best}\n'
            m = self.document("string", own, LADDER)
            self.assertEqual(m["table"]["size"], size)
            self.check_lossless(m, laws.hashed(m), list(range(size)))

    def test_unary_categories(self) -> None:
        for mechanism in ("unary", "optimized_unary"):
            own = f'mechanism = "{mechanism}"\nsize = 3\nforward = [2.5]\n'
            m = self.document("category", own, "[0.5, 2]")
            self.check_lossless(m, laws.unary_bit(m), one_hot(3))

    def test_sets(self) -> None:
        for size, most in ((2, 1), (2, 2), (3, 2), (4, 2), (5, 3)):
            names = json.dumps([f"m{i}" for i in range(size)])
            for mechanism in ("unary", "optimized_unary"):
                own = f'mechanism = "{mechanism}"\nmembers = {names}\nmax_members = {most}\n'
                m = self.document("set", own + "forward = [3]\n" * (size < 4), "[0.7, 2]")
                self.check_lossless(m, laws.unary_bit(m), sets(size, most))


class Samples(Enumeration):
    def test_sets(self) -> None:
        for size, most, ladder, named in (
            (2, 1, LADDER, 1), (3, 2, LADDER, 1), (4, 3, "[2, 4]", 2), (3, 3, "[2, 3]", 2),
        ):  # fmt: skip
            names = json.dumps([f"m{i}" for i in range(size)])
            own = f'mechanism = "pad_and_sample"\nmembers = {names}\nmax_members = {most}\n'
            m = self.document("set", own, ladder)
            self.assertEqual(m["table"]["named"], named)
            values = [frozenset(i for i, bit in enumerate(bits) if bit) for bits in sets(size, most)]
            self.check_lossless(m, laws.sampled(m), values)

    def test_one_dummy_for_all_would_lose_more(self) -> None:
        """The control: an empty set would be named most of the time."""
        own = 'mechanism = "pad_and_sample"\nmembers = ["a", "b", "c"]\nmax_members = 2\n'
        m = self.document("set", own, "[1]")
        keep = Fraction(int(m["table"]["keep"][0]), 1 << 64)
        even = (1 - keep) / m["table"]["size"]
        ratio = (keep + even) / even
        self.assertGreater(ratio, exp_enclosure(Fraction(m["joint"]))[1])


def rappor(permanent: str, instantaneous: str, hashes: int = 1, bits: int = 8) -> str:
    own = f"permanent = {permanent}\ninstantaneous = {instantaneous}\n"
    return f"bits = {bits}\nhashes = {hashes}\ncohorts = 1\n" + own


class Rappor(Enumeration):
    LADDERS = (
        ("[0.75, 0.5]", "[[0.5, 0.75], [0.5, 0.75]]"),  # the permanent stage alone
        ("[0.5, 0.5, 0.5]", "[[0.5, 0.6], [0.5, 0.75], [0.4, 0.85]]"),  # chained
        ("[0.5, 0.5]", "[[0.5, 0.75], [0.7, 0.98]]"),  # not lossless: fresh from the same bits
        ("[0.9, 0.3, 0.3]", "[[0.5, 0.6], [0.3, 0.7], [0.123, 0.77]]"),
        ("[0.5, 0.25]", "[[0, 0.5], [0, 1]]"),
    )

    def test_ladders(self) -> None:
        # Two values of h bits each, in a filter where they differ in 2h.
        for hashes in (1, 2):
            values = [(1,) * hashes + (0,) * hashes, (0,) * hashes + (1,) * hashes]
            for permanent, instantaneous in self.LADDERS[: 5 if hashes == 1 else 2]:
                m = self.document("string", rappor(permanent, instantaneous, hashes))
                self.check_stated(m, laws.rappor_bit(m), values)

    def test_basic(self) -> None:
        own = 'mechanism = "basic_rappor"\nsize = 3\npermanent = [0.5, 0.5]\n'
        m = self.document("category", own + "instantaneous = [[0.5, 0.75], [0.25, 0.75]]\n")
        self.check_stated(m, laws.rappor_bit(m), one_hot(3))

    def test_forward(self) -> None:
        values = [(1, 0), (0, 1)]
        for ladder, forward in (
            (("[0.5]", "[[0.5, 0.75]]"), "[[0.25, 0.75], [0.1, 0.8]]"),
            (self.LADDERS[1], "[[0.3, 0.9]]"),
            (self.LADDERS[3], "[[0.1, 0.8]]"),
        ):
            m = self.document("string", rappor(*ladder) + f"forward = {forward}\n")
            self.check_stated(m, laws.rappor_bit(m), values)
            if ladder == self.LADDERS[1]:
                near = Fraction(m["forward"][0]["joint"]) - Fraction(m["forward"][0]["realised"])
                self.assertLess(near, NEAR, "nothing is lost on the way")

    def test_forward_as_asked(self) -> None:
        m = self.document("string", rappor("[0.5]", "[[0.5, 0.75]]") + "forward = [[0.25, 0.75]]\n")
        asked = self.document("string", rappor("[0.5]", "[[0.25, 0.75]]"))["levels"][0]
        for count, stated in m["forward"][0]["n"].items():
            self.assertLessEqual(Fraction(stated), Fraction(asked["n"][count]))
            self.assertGreater(Fraction(stated), Fraction(asked["n"][count]) * (1 - NEAR))

    def test_which_are_chained(self) -> None:
        masks = [
            self.document("string", rappor(*ladder))["table"]["chained"] for ladder in self.LADDERS
        ]
        self.assertEqual(masks, [0, 3, 0, 2, 0])

    def test_repeated_reports(self) -> None:
        """epsilon(n): n reports of one level, of the same permanent bits."""
        for permanent, instantaneous in self.LADDERS:
            m = self.document("string", rappor(permanent, instantaneous))
            word = laws.rappor_bit(m)
            for level, stated in enumerate(m["levels"]):
                for count in (1, 2):
                    reports = [self._reports(word, level, true, count) for true in (0, 1)]
                    both = [
                        product_law([reports[true], reports[1 - true]]) for true in (0, 1)
                    ]
                    self.assert_loses(greatest_ratio(both), stated["n"][str(count)])
                    below = Fraction(stated["n"][str(count)]) <= Fraction(stated["infinity"])
                    self.assertTrue(below)

    @staticmethod
    def _reports(word: Word, level: int, true: int, count: int) -> Dist:
        """Fresh reports all the way down, over the same permanent bits of every level. They are a
        chain of their own, and given all of them reports are independent."""
        result: Dist = {}
        ladder = range(word.levels - 1, level - 1, -1)
        for permanent in itertools.product((0, 1), repeat=len(ladder)):
            chance, states = Fraction(1), {(true, true): Fraction(1)}
            for z, step in zip(permanent, ladder):
                following: Dist = {}
                for state, weight in states.items():
                    law = word.top(true) if step == word.levels - 1 else word.down(step, state)
                    for after, p in law.items():
                        if after[0] == z:
                            laws.add(following, after, weight * p)
                total = sum(following.values(), Fraction(0))
                chance *= total
                states = {state: weight / total for state, weight in following.items()}
            report: Dist = {}
            for state, weight in states.items():
                laws.add(report, state[1], weight)
            for outcome, p in product_law([report] * count).items():
                laws.add(result, outcome, chance * p)
        return result

    def test_sequences_lose_each_report(self) -> None:
        own = rappor("[0.5]", "[[0.5, 0.75]]") + 'protects = "sequence"\n'
        (level,) = self.document("string", own)["levels"]
        self.assertIsNone(level["infinity"])
        first = Fraction(level["n"]["1"])
        self.assertEqual(level["realised"], level["n"]["1"])
        for count in (2, 10, 100):
            excess = Fraction(level["n"][str(count)]) - count * first
            self.assertLess(abs(excess), Fraction(1, 10**25))
        (above,) = self.document("string", own + "forward = [[0.25, 0.75]]\n")["forward"]
        self.assertIsNone(above["infinity"])
        for each, once in ((above["n"], above["realised"]), (above["ladder"]["n"], above["joint"])):
            self.assertEqual(each["1"], once)
            for count in (2, 10, 100):
                excess = Fraction(each[str(count)]) - count * Fraction(once)
                self.assertLess(abs(excess), Fraction(1, 10**25))


class Numbers(Enumeration):
    def test_integers(self) -> None:
        for own, ladder in (
            ("min = 0\nmax = 3\nforward = [3, 4.5]\n", LADDER),
            ("min = -2\nmax = 1\nmargin = 1\nforward = [2]\n", "[0.4, 1.5]"),
            ("min = 0\nmax = 1\nforward = [2.5, 8]\n", "[1, 1.001, 2]"),
            ("min = 5\nmax = 11\n", "[0.3, 0.8]"),
        ):
            m = self.document("integer", own, ladder)
            word = laws.laplace(m["table"], m["forward"])
            values = list(range(m["min"], m["max"] + 1))
            self.check_lossless(m, word, values)

    def test_vectors(self) -> None:
        own = "length = 2\nmin = 0\nmax = 2\n"
        m = self.document("vector", own, "[1, 2]")
        word = laws.laplace(m["table"], [])
        self.check_lossless(m, word, list(itertools.product(range(3), repeat=2)))
        # Within 1 of the centre (1, 1), in L1: two of them differ by 2 at most.
        m = self.document("vector", own + "l1_sensitivity = 2\n", "[1, 2]")
        self.assertEqual(m["table"]["l1_half"], 1)
        word = laws.laplace(m["table"], [])
        diamond = [(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)]
        self.check_lossless(m, word, diamond)
        m = self.document("vector", own + "l1_sensitivity = 2\nforward = [3]\n", "[1, 2]")
        self.check_lossless(m, laws.laplace(m["table"], m["forward"]), diamond)

    def test_marginals_are_those_of_the_unit_epsilon(self) -> None:
        """Between the ends a level differs from the truth as DLap(e^-unit_epsilon) does."""
        m = self.document("integer", "min = 0\nmax = 4\n", LADDER)
        word = laws.laplace(m["table"], [])
        for level, stated in enumerate(m["levels"]):
            law = word.joint(2, (level,))
            q = 1 / exp_enclosure(Fraction(stated["unit_epsilon"]))[0]
            for y, expected in ((2, (1 - q) / (1 + q)), (3, q * (1 - q) / (1 + q)),
                                (4, q**2 / (1 + q)), (0, q**2 / (1 + q))):  # fmt: skip
                self.assertLess(abs(law[(y,)] / expected - 1), Fraction(1, 10**8))
            nonzero = stated["probabilities"]["nonzero"]
            shown = Fraction(int(nonzero["numerator"]), 1 << nonzero["denominator_bits"])
            self.assertLess(abs(shown - 2 * q / (1 + q)), Fraction(1, 1 << 63))


class Controls(Enumeration):
    """Faults that the enumeration must catch."""

    def assert_caught(self, m: dict[str, Any], word: Word, values: list[Any]) -> None:
        caught = 0
        both = [*m["levels"], *m["forward"]]
        for published in laws.subsets(len(both)):
            ratio = self.ratio(word, values, published)
            highest = both[published[-1]]
            nominal = Fraction(highest["nominal"] or m["joint"])
            caught += ratio is None or ratio > exp_enclosure(nominal)[0]
        self.assertGreater(caught, 0)

    @staticmethod
    def moved(table: dict[str, Any], keys: list[Any], by: int) -> dict[str, Any]:
        changed = copy.deepcopy(table)
        place = changed
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = str(int(place[keys[-1]]) + by)
        return changed

    def test_a_threshold_moved_by_one(self) -> None:
        m = self.document("boolean", "", LADDER)
        bad = self.moved(m, ["table", "flip", 2], -1)
        self.assert_caught(m, laws.flips(bad), [0, 1])
        m = self.document("category", "size = 3\n", LADDER)
        bad = self.moved(m, ["table", "keep", 2], 1)
        self.assert_caught(m, laws.category(bad), [0, 1, 2])
        for mechanism in ("unary", "optimized_unary"):
            m = self.document("category", f'mechanism = "{mechanism}"\nsize = 3\n', "[0.5, 2]")
            bad = self.moved(m, ["table", "channel", 1, "one_if_zero"], -1)
            bad = self.moved(bad, ["table", "channel", 1, "one_if_one"], 1)
            self.assert_caught(m, laws.unary_bit(bad), one_hot(3))

    def test_a_forward_step_that_says_too_much(self) -> None:
        m = self.document("boolean", "forward = [2]\n", "[1]")
        # Rounded down by 2^-32, and by 4e-9 of what the others leave: a few more than one.
        place = ["forward", 0, "table", "given", 0, "one_if_one"]
        self.assert_caught(m, laws.flips(self.moved(m, place, -4)), [0, 1])

    def test_a_forward_report_that_says_too_much(self) -> None:
        m = self.document("string", rappor("[0.5]", "[[0.5, 0.75]]") + "forward = [[0.25, 0.75]]\n")
        for place, by in ((["given", 0, "one_if_zero"], -2), (["given", 1, "one_if_one"], 2)):
            bad = self.moved(m, ["forward", 0, "table", *place], by)
            ratio = self.ratio(laws.rappor_bit(bad), [(1, 0), (0, 1)], (0, 1))
            self.assertGreater(ratio, exp_enclosure(Fraction(m["forward"][0]["joint"]))[1])

    def test_a_laplace_threshold_off_by_a_millionth(self) -> None:
        """Here one is less than what certification takes off: 2^-20 of it is not."""
        m = self.document("integer", "min = 0\nmax = 3\nforward = [3]\n", "[0.75, 1.5]")
        values = list(range(4))
        for place in (["table", "noise", 1, "nonzero"], ["table", "noise", 1, "digits", 0],
                      ["forward", 0, "table", "opposite"]):  # fmt: skip
            value = m
            for key in place:
                value = value[key]
            bad = self.moved(m, place, -(int(value) >> 20))
            self.assert_caught(m, laws.laplace(bad["table"], bad["forward"]), values)

    def test_levels_drawn_each_from_the_value(self) -> None:
        """Independent noise: the losses of the levels add up."""
        m = self.document("integer", "min = 0\nmax = 3\n", "[0.75, 1.5]")
        word = laws.laplace(m["table"], [])
        alone = [word.joint(true, (0,)) for true in range(4)]
        top = [word.joint(true, (1,)) for true in range(4)]
        ratio = greatest_ratio([product_law(both) for both in zip(alone, top)])
        self.assertGreater(ratio, exp_enclosure(Fraction("2.2"))[1])

    def test_levels_clamped_each_on_its_own(self) -> None:
        """With noise of too few digits a chain loses no more than its top. Numbers that are clamped
        only when they are shown lose more (MECHANISMS.md, H)."""
        m = self.document("integer", "min = 0\nmax = 3\n", "[0.75, 1.5]")
        short = copy.deepcopy(m["table"])
        for noise in short["noise"]:
            noise["digits"] = noise["digits"][:2]
        values = list(range(4))
        chain = laws.laplace(short, [])
        self.assertEqual(self.ratio(chain, values, (0, 1)), self.ratio(chain, values, (1,)))
        short["publish_min"], short["publish_max"] = -20, 23
        each = laws.laplace(short, [])
        each.shown = lambda y: min(max(y, 0), 3)
        self.assertGreater(self.ratio(each, values, (0, 1)), self.ratio(each, values, (1,)))

    def test_an_end_that_is_not_moved_outward(self) -> None:
        """The joint law stays private, but a level is not what its estimator believes it to be."""
        m = self.document("integer", "min = 0\nmax = 4\n", LADDER)
        q = 1 / exp_enclosure(Fraction(m["levels"][0]["unit_epsilon"]))[0]
        expected = q**2 / (1 + q)
        for moved, least, most in ((True, 0, Fraction(1, 10**8)), (False, Fraction(1, 100), 1)):
            word = laws.laplace(m["table"], [], moved=moved)
            off = abs(word.joint(2, (0,))[(0,)] / expected - 1)
            self.assertTrue(least <= off <= most, (moved, float(off)))

    def test_memo_bits_thresholded_against_two_f(self) -> None:
        """MECHANISMS.md, E: (z, z') = (1, 0) becomes impossible for a one."""
        m = self.document("string", rappor("[0.75, 0.5]", "[[0, 1], [0, 1]]"))
        flip = [Fraction(3, 8), Fraction(1, 4)]

        def law(bit: int) -> Dist:
            result: Dist = {}
            edges = sorted({Fraction(0), *flip, *(1 - f for f in flip), Fraction(1)})
            for low, high in zip(edges, edges[1:]):
                shown = tuple(int(low < (1 - f if bit else f)) for f in flip)
                laws.add(result, shown, high - low)
            return result

        self.assertIsNone(greatest_ratio([law(0), law(1)]))
        self.assert_loses(self.ratio(laws.rappor_bit(m), [(0, 1), (1, 0)], (0, 1)), m["joint"])


class OpenRelease(Enumeration):
    """A thief of the device learns from the values it keeps, not from those it publishes."""

    def test_the_number_on_a_fine_grid(self) -> None:
        understated = 0
        for grid, epsilons in ((3, "[1]"), (5, "[0.5, 1]"), (7, "[2]"), (9, "[0.25, 3]")):
            m = self.document("boolean", f'mechanism = "laplace_threshold"\ngrid = {grid}\n', epsilons)
            lattice = m["table"]["lattice"]
            word = laws.laplace(lattice, [])
            ratio = self.ratio(word, [0, grid], (word.levels - 1,))
            self.assert_loses(ratio, m["open_release"])
            self.assertGreater(Fraction(m["open_release"]), Fraction(m["joint"]))
            nonzero = int(lattice["noise"][-1]["nonzero"]) / 2**64
            by_formula = Fraction(grid * math.log((2 - nonzero) / nonzero))
            understated += ratio > exp_enclosure(by_formula)[1]
        self.assertGreater(understated, 0, "the control: the ideal law in doubles")

    def test_permanent_bits_drawn_forward(self) -> None:
        own = (
            "bits = 16\nhashes = 2\ncohorts = 1\npermanent = [0.5]\ninstantaneous = [[0.5, 0.75]]\n"
            "forward = [[0.25, 0.25, 0.75], [0.1, 0.25, 0.75]]\n"
        )
        value = self.document("string", own)
        sequence = self.document("string", own + 'protects = "sequence"\n')
        last = value["forward"][-1]
        self.assertEqual(value["open_release"], last["ladder"]["infinity"])
        self.assertEqual(sequence["open_release"], value["open_release"])
        # The flip alone, without what the steps are off.
        self.assertGreater(Fraction(value["open_release"]), Fraction(last["infinity"]))

    def test_elsewhere_it_is_all_that_can_be_published(self) -> None:
        m = self.document("boolean", "forward = [3]\n", "[0.5, 1]")
        self.assertEqual(m["open_release"], m["forward"][-1]["joint"])
        m = self.document("category", "size = 3\n", "[0.5, 1]")
        self.assertEqual(m["open_release"], m["joint"])


if __name__ == "__main__":
    unittest.main()
