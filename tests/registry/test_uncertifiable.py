# SPDX-License-Identifier: Apache-2.0
"""A table that can't be certified, or can't be drawn by the device, is refused. The line says which
change would do, and that change does."""
import json
import shutil
import unittest
from fractions import Fraction
from unittest import mock

from support import DEVICE, HEAD, Workspace, metric

from registry import channels, laplace, mix, rappor
from registry.errors import RegistryError


class Refused(Workspace):
    def refused(self, kind: str, own: str, epsilons: str, *words: str) -> None:
        with self.subTest(own=own, epsilons=epsilons):
            run = self.compile(HEAD + metric(kind, own, epsilons))
            self.assert_refused(run, 'metric "it": ', *words)

    def compiles(self, kind: str, own: str, epsilons: str) -> None:
        with self.subTest(own=own, epsilons=epsilons):
            self.compiled(HEAD + metric(kind, own, epsilons))
            shutil.rmtree(self.out)


class Ranges(Refused):
    def test_too_wide_for_epsilon(self) -> None:
        own = "min = 0\nmax = 100000000\n"
        self.refused("integer", own, "[1]", "epsilons: 1 is too little", "3.437 or more")
        self.compiles("integer", own, "[3.437]")
        self.refused("integer", own + "forward = [4]\n", "[3.45]", "forward", "too wide")
        vector = "length = 256\nmin = 0\nmax = 1000000\n"
        self.refused("vector", vector, "[8, 0.5]", "rise")
        self.refused("vector", vector, "[1, 8]", "epsilons: 1 is too little", "coarser steps")
        self.refused("integer", "min = 0\nmax = 1073741824\n", "[32]", "max", "1073741823")

    def test_published_too_far_out(self) -> None:
        own = "min = 0\nmax = 1\nmargin = %d\n"
        self.refused("integer", own % 100, "[8]", "epsilons: 8", "a smaller margin")
        self.compiles("integer", own % 3, "[8]")

    def test_vectors(self) -> None:
        own = "length = 3\nmin = 0\nmax = 10\n"
        self.refused("vector", own + "l1_sensitivity = 1\n", "[1]", "l1_sensitivity: 1", "2 at")
        self.refused("vector", own.replace("3", "257", 1), "[1]", "length: 257", "1 to 256")


    def test_levels_too_close(self) -> None:
        close = "[1, 1.0000000000000000001]"
        self.refused("integer", "min = 0\nmax = 9\n", close, "epsilons", "further apart")
        self.refused("category", "size = 3\n", "[1, 1.00000000000000000001]", "too close")
        unary = 'mechanism = "unary"\nsize = 3\n'
        self.refused("category", unary, close, "epsilons: 1", "too close")
        self.compiles("integer", "min = 0\nmax = 9\n", "[1, 1.0001]")


class Forward(Refused):
    def test_levels(self) -> None:
        for kind, own in (
            ("boolean", ""), ("mean", "min = 0\nmax = 9\n"), ("category", "size = 3\n"),
            ("integer", "min = 0\nmax = 9\n"), ("vector", "length = 2\nmin = 0\nmax = 9\n"),
        ):  # fmt: skip
            self.refused(kind, own + "forward = [1]\n", "[0.5, 1]", "forward: 1", "rise above")
            self.refused(kind, own + "forward = [0.7]\n", "[0.5, 1]", "forward: 0.7", "rise above")
            self.refused(kind, own + "forward = [3, 2]\n", "[1]", "forward: 2", "does not rise")
            self.refused(kind, own + "forward = [33]\n", "[1]", "forward: 33", "[0.001, 32]")
            near = "forward = [1.0000000000000000000001]\n"
            self.refused(kind, own + near, "[1]", "forward", "level")
            many = f"forward = {list(range(10, 19))}\n"
            ladder = str(list(range(1, 9)))
            self.refused(kind, own + many, ladder, "forward", "16 levels at most")

    def test_where_there_is_none(self) -> None:
        fine = 'mechanism = "laplace_threshold"\ngrid = 3\nforward = [2]\n'
        self.refused("boolean", fine, "[1]", "forward: only with grid = 1")

    def test_reports(self) -> None:
        def refused(forward: str, *words: str, last: str = "[0.5, 0.75]") -> None:
            own = rappor_own("[0.5]", f"[{last}]", f"forward = {forward}\n")
            self.refused("string", own, "", "forward", *words)

        refused("[2]", "[p, q]")
        refused("[[0.75, 0.25]]", "not less than")
        refused("[[0.5, 0.25, 0.75]]", "f = 0.5 is not between 0 and", "0.5; for the same f")
        refused("[[0.25, 0.25, 0.75], [0.3, 0.25, 0.75]]", "f = 0.3", "level before, 0.25")
        refused("[[0, 0.25, 0.75]]", "f = 0 is not between")
        refused("[[0.25, 0.75, 0.25]]", "not less than")
        refused("[[0.25, 0.25, 0.75], [0.25, 0.75]]", "either all levels are [p, q], or all")
        refused("[[0.25, 0.75], [0.25, 0.25, 0.75]]", "each level must be [p, q]")
        refused("[[0.4999999999999, 0.25, 0.75]]", "can't be certified", "too near")
        refused("[[0.25, 1.5]]", "[0, 1]")
        lossy = "can't be drawn from the level before"
        refused("[[0.5, 0.75]]", lossy)
        refused("[[0.7, 0.98]]", lossy)
        refused("[[0.25, 0.75], [0.5, 0.75]]", lossy)
        refused("[[0, 0.75]]", lossy, "0 < p")
        refused("[[0.25, 0.75]]", lossy, last="[0, 0.5]")
        refused(str([[0.25, 0.75]] * 16), "16 levels at most")


class Bits(Refused):
    def test_too_many(self) -> None:
        for mechanism in ("unary", "optimized_unary"):
            own = f'mechanism = "{mechanism}"\n'
            self.refused("category", own + "size = 1025\n", "[1]", "size: 1025", "65535")
            self.compiles("category", own + "size = 1024\n", "[1]")
            names = json.dumps([f"m{i}" for i in range(1025)])
            members = f"{own}members = {names}\nmax_members = 3\n"
            self.refused("set", members, "[1]", "members: 1025", "1024 at most")
        basic = 'mechanism = "basic_rappor"\npermanent = [0.5]\ninstantaneous = [[0.5, 0.75]]\n'
        self.refused("category", basic + "size = 1025\n", "", "size: 1025", "1024 at most")
        self.refused("category", basic + "size = 9\nhashes = 1\n", "", 'unknown key "hashes"')
        self.refused("category", basic + "size = 9\n", "[1]", 'unknown key "epsilons"')

    def test_fine_grids(self) -> None:
        own = 'mechanism = "laplace_threshold"\ngrid = %d\n'
        ladder = "[0.5, 1, 2]"
        self.refused("boolean", own % 131073, ladder, "grid: 131073", "131071 at most")
        self.refused("boolean", own % 3, str(list(range(1, 12))), "epsilons: 10 levels at most")
        self.refused("boolean", own % 65537, "[0.001]", "epsilons: 0.001", "or more would do")


def rappor_own(permanent: str, instantaneous: str, more: str = "") -> str:
    own = f"bits = 16\nhashes = 2\ncohorts = 4\npermanent = {permanent}\n"
    return f"{own}instantaneous = {instantaneous}\n{more}"


class Rappor(Refused):
    def test_levels_must_add_accuracy(self) -> None:
        same = "[[0.5, 0.75], [0.5, 0.75]]"
        self.refused("string", rappor_own("[0.5, 0.5]", same), "", "the same as the one before")
        self.compiles("string", rappor_own("[0.5, 0.4]", same), "")
        worse = "[[0.5, 0.75], [0.5, 0.6]]"
        for permanent in ("[0.5, 0.5]", "[0.5, 0.4]"):
            own = rappor_own(permanent, worse)
            self.refused("string", own, "", "level 1 is less accurate", "further apart")
        self.refused("string", rappor_own("[0.4, 0.5]", same), "", "permanent: must not rise")

    def test_budgets(self) -> None:
        """Its epsilon is known only when it is compiled."""
        own = rappor_own("[0.5]", "[[0.5, 0.75]]")
        window = "window_epochs = 7\nwindow_epsilon = %s\n"
        self.refused("string", own + window % "1.07", "", "permanent", "1.0742865", "window_epsilon")
        self.compiles("string", own + window % "1.08", "")
        run = self.compile(HEAD + DEVICE.replace("16", "1") + metric("string", own, ""))
        self.assert_refused(run, "permanent", "the device's epsilon")

    def test_value_tags(self) -> None:
        many = "".join(
            metric("string", rappor_own("[0.5]", "[[0.5, 0.75]]", "max_values = 1024\n"), "")
            .replace('"it"', f'"it_{i}"').replace("id = 1", f"id = {i}")
            for i in range(1, 65)
        )  # fmt: skip
        run = self.compile(HEAD + many)
        self.assert_refused(run, "max_values: 65536 of all metrics", "32605")


class Guards(Refused):
    """A table that rounds the wrong way is refused, not compiled."""

    def test_channels(self) -> None:
        wrong = channels.rounded

        def turned(if_zero: Fraction, if_one: Fraction, bits: int) -> channels.Channel:
            good = wrong(if_zero, if_one, bits)
            return channels.Channel(good.one_if_zero - 2, good.one_if_one, bits)

        with mock.patch.object(channels, "rounded", turned):
            own = 'mechanism = "unary"\nsize = 3\n'
            self.refused("category", own, "[1]", "epsilons: 1", "can't be certified at 64 bits")
            with self.assertRaisesRegex(RegistryError, "can't be certified"):
                half = Fraction(1, 2)
                rappor.compile_ladder([Fraction(1, 4)], [(half, Fraction(3, 4))], 1)

    def test_categories(self) -> None:
        nominal = mix.nominal_kappa

        def more(epsilon: Fraction, least: Fraction) -> Fraction:
            return nominal(epsilon, least) + Fraction(1, 1 << 63)

        with mock.patch.object(mix, "nominal_kappa", more):
            self.refused("category", "size = 3\n", "[1]", "epsilons: 1 can't be certified")

    def test_laplace(self) -> None:
        """Thresholds that are off are made up for by less epsilon, or refused."""
        nearest = laplace.nearest

        def off(by: int):
            return lambda ideal, bits: nearest(ideal, bits) - (nearest(ideal, bits) >> by)

        own = "min = 0\nmax = 9\n"
        with mock.patch.object(laplace, "nearest", off(20)):
            text = HEAD + metric("integer", own, "[1]")
            document = json.loads(self.compiled(text)["metrics.json"])
        (level,) = document["metrics"][0]["levels"]
        self.assertLessEqual(Fraction(level["realised"]), 1)
        self.assertLess(Fraction(level["unit_epsilon"]) * 9, 1 - Fraction(1, 1 << 21))

    def test_laplace_beyond_repair(self) -> None:
        with mock.patch.object(laplace, "nearest", lambda ideal, bits: 1):
            self.refused("integer", "min = 0\nmax = 9\n", "[1]", "epsilons", "can't be certified")


if __name__ == "__main__":
    unittest.main()
