# SPDX-License-Identifier: Apache-2.0
"""Keys of each type: a mistake is refused by the key, in one line."""
import shutil
import unittest

from support import HEAD, metric
from test_refusals import Refusals


class Types(Refusals):
    """Each type's keys: what is good compiles, what is not is refused by its key."""

    def check_type(
        self, kind: str, good: list[str], bad: dict[str, tuple[str, ...]], epsilons: str = "[1]"
    ) -> None:
        epsilons = "" if kind == "string" else epsilons
        for own in good:
            run = self.compile(HEAD + metric(kind, own, epsilons))
            self.assertEqual((run.status, run.err), (0, ""))
            shutil.rmtree(self.out)
        for own, words in bad.items():
            self.refused(HEAD + metric(kind, own, epsilons), 'metric "it": ', *words)

    def test_boolean(self) -> None:
        laplace = 'mechanism = "laplace_threshold"\n'
        self.check_type("boolean", [laplace, laplace + "grid = 65537", "forward = [2, 4]"], {
            "grid = 3": ("unknown key", "grid"),
            laplace + "grid = 2": ("grid", "odd"),
            laplace + "grid = 0": ("grid", "1 to"),
            laplace + "size = 2": ("unknown key", "size", "grid"),
        })  # fmt: skip

    def test_category(self) -> None:
        names = 'categories = ["red", "green"]\n'
        self.check_type("category", [names, "size = 2", names + 'mechanism = "unary"'], {
            "": ("either categories or size",),
            names + "size = 2": ("size", "only one of categories and size"),
            "size = 1": ("size: 1", "2 to 2147483648"), "size = true": ("size: true",),
            "size = 65536": ("size: 65536", "65535", "hashed takes up to 2147483648"),
            'categories = "red"': ("categories", "an array"),
            'categories = ["red"]': ("categories: 1 of them", "2 to"),
            "categories = []": ("categories: 0 of them",),
            'categories = ["red", "red"]': ("categories", '"red" is there twice'),
            "categories = [1, 2]": ("categories: 1 is not a name",),
            'categories = ["red", ""]': ("categories", "1 to 128 printable"),
            'categories = ["red", "a\\nb"]': ("categories", "printable"),
            names + "members = 3": ("unknown key", "members"),
            names + 'mechanism = "rappor"': ("mechanism", "k_randomized_response"),
        })  # fmt: skip

    def test_designs(self) -> None:
        base = 'mechanism = "design"\n'
        good = base + "size = 40\n"
        self.check_type("category", [base + "size = 2", good + "best_level = 0\nforward = [2]"], {
            base: ("either categories or size",),
            good + "best_level = 1": ("best_level: 1", "0 to 0"),
            good + "scores = [[0]]": ("unknown key", "scores"),
            good + "forward = [1]": ("forward: 1", "does not rise"),
            good + "forward = [1.000000000001]": ("forward: 1.000000000001", "too near"),
            base + "size = 65535": ("categories: 65535", "63253 at most have a difference set"),
        })  # fmt: skip

    def test_scores(self) -> None:
        base = 'mechanism = "exponential"\nsize = 2\n'
        large = base.replace("2", "33") + "scores = [[0]]"
        last = base + "scores = [[0, 1], [0, 2]]\n"
        self.check_type("category", [last.replace("[0, 2]", "[1, 0]"), last], {
            base: ("scores: missing", "an array of 2 rows"),
            base + "scores = [[0, 1]]": ("scores: 1 rows; 2 are needed",),
            base + "scores = [[0, 1], [0]]": ("scores", "not a row of 2 integers"),
            base + "scores = [[0, 1.5], [1, 0]]": ("scores: 1.5", "-1000 to 1000"),
            base + "scores = [[0, 1], [1, 2]]": ("scores: no row differs",),
            base + "scores = [[0, 1001], [1, 0]]": ("scores: 1001", "-1000 to 1000"),
            large: ("categories: 33 of them", "2 to 32"),
            "size = 2\nscores = [[0, 1], [1, 0]]": ("unknown key", "scores"),
            last + "forward = [4]": ("forward", "not with exponential"),
        }, "[1]")  # fmt: skip

    def test_hash_values(self) -> None:
        base = 'mechanism = "hashed"\nepsilons = [1]\ncohorts = 8\n'
        last = base + "permanent_epsilon = 2\n"
        self.check_type("string", [last, last + "best_level = 0\nmax_bytes = 256\n"], {
            base: ("permanent_epsilon: missing", "[0.001, 32]"),
            base + "permanent_epsilon = 1": ("permanent_epsilon: 1 is not above 1", "first report"),
            base + "permanent_epsilon = 33": ("permanent_epsilon: 33", "[0.001, 32]"),
            last.replace("8", "0"): ("cohorts: 0", "1 to 1024"),
            last + "best_level = 1": ("best_level: 1", "0 to 0"),
            last + "max_bytes = 257": ("max_bytes: 257", "1 to 256"),
            last + "bits = 32": ("unknown key", "bits"),
            last + "forward = [2]": ("forward", "not with hashed"),
            last + "per_epoch = 2": ("per_epoch: 2", "permanent noise"),
            last.replace("epsilons = [1]\n", ""): ("epsilons: missing",),
        })  # fmt: skip

    def test_hashed_categories(self) -> None:
        base = 'mechanism = "hashed"\ncohorts = 8\npermanent_epsilon = 2\n'
        self.check_type("category", [base + "size = 2", base + "size = 2147483648", base + 'categories = ["a", "b"]'], {
            base: ("categories: missing", "size is needed"),
            base + "size = 1": ("size: 1", "2 to 2147483648"),
            base + "size = 2147483649": ("size: 2147483649", "2 to 2147483648"),
            base + "size = 9\nmax_bytes = 4": ("max_bytes", "only strings"),
            base + "size = 9\nforward = [2]": ("forward", "not with hashed"),
        })  # fmt: skip

    def test_scores_without_a_ladder(self) -> None:
        base = 'mechanism = "exponential"\n'
        same = base + "size = 3\nscores = [[0, 1, 2], [0, 1, 2], [2, 1, 0]]\n"
        rare = base + "size = 3\nscores = [[0, 0, -99], [1, 0, -99], [0, 1, -99]]\n"
        self.check_type("category", [base + "size = 2\nscores = [[0, 1], [1, 0]]\n"], {
            base + "size = 2\nscores = [[0, 1], [0, 2]]\n": ("no ladder from 2 down to 1", "one level"),
            same: ("scores: two rows say the same",),
            rare: ("epsilons: 2 makes a category too rare",),
        }, "[1, 2]")  # fmt: skip

    def test_set(self) -> None:
        names = 'members = ["a", "b", "c"]\n'
        self.check_type("set", [names + "max_members = 3"], {
            "max_members = 1": ("members: missing",), names: ("max_members: missing",),
            names + "max_members = 0": ("max_members", "1 to 3"),
            names + "max_members = 4": ("max_members: 4", "1 to 3"),
            'members = ["a", "a"]\nmax_members = 1': ("members", "twice"),
            names + "max_members = 1\nsize = 3": ("unknown key", "size"),
            names + "max_members = 1\nbest_level = 0": ("unknown key", "best_level"),
        })  # fmt: skip

    def test_string(self) -> None:
        base = "bits = 128\nhashes = 2\ncohorts = 8\n"
        noise = "permanent = [0.5, 0.25]\ninstantaneous = [[0.5, 0.75], [0.25, 0.75]]\n"
        good = base + noise
        sequence = 'protects = "sequence"\n'
        least = good.replace("128", "10").replace("hashes = 2", "hashes = 5")
        fewer = least.replace("bits = 10", "bits = 9")
        self.check_type("string", [good, least, good + sequence + "max_bytes = 1\nper_epoch = 3"], {
            base: ("permanent: missing",), noise: ("bits: missing",),
            good + "epsilons = [1]": ("epsilons: a string has none", "permanent", "instantaneous"),
            good.replace("128", "7"): ("bits: 7", "8 to 1024"),
            good.replace("128", "4096"): ("bits",),
            fewer: (
                "bits: 9 are fewer than two strings with 5 hashes can differ in",
                "so that no certified epsilon would be exact", "10 or more",
            ),
            good.replace("hashes = 2", "hashes = 0"): ("hashes: 0",),
            good.replace("hashes = 2", "hashes = 9"): ("hashes: 9", "1 to 8"),
            good.replace("cohorts = 8", "cohorts = 0"): ("cohorts: 0",),
            good.replace("cohorts = 8", "cohorts = 1025"): ("cohorts: 1025", "1 to 1024"),
            good.replace("[0.5, 0.25]", "[]"): ("permanent: 0 levels",),
            good.replace("[0.5, 0.25]", "[0.25, 0.5]"): ("permanent", "not rise"),
            good.replace("[0.5, 0.25]", "[0.5, 0]"): ("permanent", "greater than 0"),
            good.replace("[0.5, 0.25]", "[1.5, 0.5]"): ("permanent: 1.5 is outside [0, 1]",),
            good.replace("[0.5, 0.25]", "[0.5, true]"): ("permanent: true",),
            good.replace("[0.5, 0.25]", "[0.5]"): ("instantaneous: 2 levels", "permanent has 1"),
            good.replace("[0.25, 0.75]", "[0.75, 0.75]"): ("instantaneous", "less than"),
            good.replace("[0.25, 0.75]", "[0.75]"): ("instantaneous", "[p, q]"),
            good.replace("[0.25, 0.75]", "0.5"): ("instantaneous", "[p, q]"),
            good.replace("[0.25, 0.75]", "[0.25, nan]"): ("instantaneous: nan",),
            good + "max_bytes = 0": ("max_bytes: 0",),
            good + "max_values = 0": ("max_values: 0",),
            good + 'protects = "nothing"': ("protects", '"value", "sequence"'),
            good + sequence + "max_values = 2": ("max_values", "value"),
            good + "per_epoch = 2": ("per_epoch: 2 reports", "permanent noise", "sequence"),
        })  # fmt: skip

    def ranges(self) -> dict[str, tuple[str, ...]]:
        return {
            "min = 0": ("max: missing",), "max = 0": ("min: missing",),
            "min = 5\nmax = 5": ("max: 5", "min, 5"), "min = 6\nmax = 5": ("max: 5", "min, 6"),
            "min = -1073741825\nmax = 0": ("min: -1073741825", "-1073741824 to 1073741824"),
            "min = 0\nmax = 1073741825": ("max: 1073741825",),
            "min = 0.0\nmax = 1": ("min: 0.0 is not an integer",),
            "min = false\nmax = 1": ("min: false",), 'min = 0\nmax = "1"': ("max: the string",),
        }  # fmt: skip

    def test_integer(self) -> None:
        good = "min = -10\nmax = 10\n"
        self.check_type("integer", [good, good + "margin = 5"], self.ranges() | {
            good + "margin = -1": ("margin: -1",),
            good + "margin = 1073741815": ("margin", "0 to 1073741814"),
            good + "length = 3": ("unknown key", "length", "margin"),
        })  # fmt: skip

    def test_vector(self) -> None:
        good = "length = 3\nmin = 0\nmax = 10\n"
        bad = {"length = 3\n" + own: words for own, words in self.ranges().items()}
        self.check_type("vector", [good, good + "l1_sensitivity = 30"], bad | {
            "min = 0\nmax = 1": ("length: missing",),
            good.replace("3", "0"): ("length: 0",),
            good + "l1_sensitivity = 0": ("l1_sensitivity: 0", "1 to 30"),
            good + "l1_sensitivity = 31": ("l1_sensitivity: 31", "1 to 30"),
            good + "margin = 1": ("unknown key", "margin"),
        })  # fmt: skip

    def test_sorted_points(self) -> None:
        plain = "length = 3\nmin = 0\nmax = 10\n"
        good = plain + "sorted = true\ndelta = 2\n"
        self.check_type("vector", [good, good + "sources = 3", good.replace("2", "10")], {
            plain + "sorted = true": ("delta: missing", "1 to 10"),
            good + "sources = 4": ("sources: 4", "1 to 3"),
            good.replace("delta = 2", "delta = 11"): ("delta: 11", "1 to 10"),
            good.replace("delta = 2", "delta = 0"): ("delta: 0", "1 to 10"),
            good.replace("true", "false"): ("sorted: true, for points", "in its own order"),
            good.replace("true", "1"): ("sorted: 1 is not true or false",),
            good + "l1_sensitivity = 2": ("l1_sensitivity", "delta and sources instead"),
            good + "forward = [2]": ("forward", "no levels above"),
            good + 'mechanism = "discrete_laplace"': ("unknown key", "sorted"),
            plain + 'mechanism = "sorted_points"': ("sorted: true, for points",),
            plain + "delta = 2": ("unknown key", "delta"),
        })  # fmt: skip
        self.refused(HEAD + metric("vector", good, "[1, 2]"), "epsilons: 2 levels", "have one")
        little = good.replace("10", "1073741824").replace("delta = 2", "delta = 1073741824")
        self.refused(HEAD + metric("vector", little, "[0.001]"), "epsilons", "more than 29 digits")

    def test_mean(self) -> None:
        good = "min = -10\nmax = 10\n"
        windows = good + 'mechanism = "window_mean"\n'
        fine = [good, good + 'mechanism = "one_bit_mean"', windows, windows + "bins = 21"]
        self.check_type("mean", fine, self.ranges() | {
            windows + "bins = 1": ("bins: 1", "2 to 21"),
            windows + "bins = 22": ("bins: 22", "2 to 21"),
            good + "bins = 5": ("unknown key", "bins"),
            windows + "best_level = 1": ("best_level: 1", "0 to 0"),
            good + "margin = 1": ("unknown key", "margin"),
            good + 'mechanism = "unary"': ("mechanism", "one_bit_mean"),
        })  # fmt: skip

    def test_counter(self) -> None:
        tree, weights = 'strategy = "tree"\n', 'strategy = "weights"\ndecay = 0.5\n'
        pan, balanced = 'strategy = "pan_private"\n', 'strategy = "balanced"\n'
        for own, words in {
            "event = 0": ("event", "1 to 65536"),
            "event = 65537": ("event", "65537"),
            'strategy = "root"': ("strategy", '"identity", "tree", "weights", "pan_private", "balanced"'),
            "fanout = 4": ("fanout", '"identity" has none', '"tree" has'),
            tree + "decay = 0.5": ("decay", '"tree" has none', '"weights" has'),
            tree + "fanout = 1": ("fanout", "2 to 1024"),
            tree + "tree_levels = 9": ("tree_levels", "1 to 8"),
            tree + "fanout = 1024\ntree_levels = 3": ("tree_levels", "1024^3 epochs", "1048576"),
            'strategy = "weights"': ("decay", "missing", "between 0 and 1"),
            weights.replace("0.5", "1"): ("decay", "1 is not between 0 and 1"),
            weights.replace("0.5", "0.999"): ("decay", "more than 1024 epochs", "weight_bits"),
            weights + "weight_bits = 16": ("weight_bits", "1 to 15"),
            pan + "fanout = 2": ("fanout", '"pan_private" has none', '"tree" has'),
            pan + "tree_levels = 21": ("tree_levels", "1 to 20"),
            balanced + "weight_bits = 2": ("weight_bits", '"balanced" has none'),
            balanced + "fanout = 4": ("fanout", "4 has no balanced digits", "odd"),
            balanced + "fanout = 1": ("fanout", "3 to 1023"),
            balanced + "tree_levels = 9": ("tree_levels", "1 to 8"),
            balanced + "fanout = 1023\ntree_levels = 3": ("tree_levels", "1023^3 epochs"),
            "plausible_max = 0": ("plausible_max", "1 to 2147483647"),
            "forward = [2]": ("forward", "no levels above"),
            "per_epoch = 2": ("per_epoch", "once an epoch"),
            "request_level = 1": ("request_level", "0 to 0"),
        }.items():
            self.refused(HEAD + metric("counter", own), 'metric "it"', *words)
        self.refused(HEAD + metric("counter", "", "[1, 2]"), "epsilons", "has one")
        little = metric("counter", "event = 65536\n" + weights, "[0.001]")
        self.refused(HEAD + little, "epsilons", "more than 29 digits")

    def test_histogram(self) -> None:
        good = "bins = 64\ndelta = 4\n"
        tree, hybrid = good + 'strategy = "tree"\n', good + 'strategy = "hybrid"\n'
        for own, words in {
            "delta = 4": ("bins", "missing"),
            "bins = 1\ndelta = 1": ("bins: 1", "2 to 1024"),
            "bins = 1025\ndelta = 1": ("bins: 1025", "2 to 1024"),
            "bins = 64": ("delta", "missing"),
            "bins = 64\ndelta = 64": ("delta: 64", "1 to 63"),
            good + "sources = 0": ("sources", "1 to 1000"),
            good + 'strategy = "root"': ("strategy", '"identity"', '"suffix"', '"haar"', '"hybrid"'),
            good + "fanout = 4": ("fanout", '"identity" has none', '"tree" has'),
            tree + "block = 4": ("block", '"tree" has none', '"hybrid" has'),
            tree + "fanout = 1": ("fanout", "2 to 64"),
            hybrid: ("block", "missing", "2 to 63"),
            hybrid + "block = 64": ("block: 64", "2 to 63"),
            hybrid + "block = 12\nfanout = 2": ("block: 12 is no power of fanout, 2; 16 is",),
            hybrid + "block = 12\nfanout = 13": ("fanout: 13", "2 to 12"),
            'bins = 1000\ndelta = 4\nstrategy = "tree"': ("bins: 1000 make 1068 rows", "1024"),
            good + "forward = [2]": ("forward", "no levels above"),
            good + "min = 0": ("unknown key", "min"),
        }.items():
            self.refused(HEAD + metric("histogram", own), 'metric "it"', *words)
        self.refused(HEAD + metric("histogram", good, "[1, 2]"), "epsilons", "have one")
        little = metric("histogram", "bins = 1024\ndelta = 1023\nstrategy = \"suffix\"\nsources = 1000", "[0.001]")
        self.refused(HEAD + little, "epsilons", "more than 29 digits")

    def test_location(self) -> None:
        good = "cells = 40\ndelta = 2\nwidth = 8\n"
        for own, words in {
            "delta = 4\nwidth = 8": ("cells", "missing"),
            "cells = 1025\ndelta = 1\nwidth = 100": ("cells: 1025", "2 to 1024"),
            "cells = 40\nwidth = 8": ("delta", "missing"),
            "cells = 40\ndelta = 40\nwidth = 8": ("delta: 40", "1 to 39"),
            "cells = 40\ndelta = 4": ("width", "missing", "1 to 39"),
            "cells = 40\ndelta = 4\nwidth = 40": ("width: 40", "1 to 39"),
            good + "shift = 1": ("shift: 1", "2 to 8"),
            good + "shift = 9": ("shift: 9", "2 to 8"),
            "cells = 40\ndelta = 9\nwidth = 8\nshift = 9": ("shift: squares of 8 have one grid", "9"),
            "cells = 50\ndelta = 1\nwidth = 42\nshift = 2": ("shift: 2 makes 21 grids", "20"),
            "cells = 40\ndelta = 1\nwidth = 1": ("cells: 40 make 1600 rows", "1024"),
            good + "sources = 0": ("sources", "1 to 1000"),
            good + 'strategy = "tree"': ("strategy: a location has none",),
            good + "block = 3": ("block: a location has none",),
            good + "bins = 3": ("unknown key", "bins"),
            good + "forward = [2]": ("forward", "no levels above"),
        }.items():
            self.refused(HEAD + metric("location", own), 'metric "it"', *words)
        self.refused(HEAD + metric("location", good, "[1, 2]"), "epsilons", "have one")
        self.refused(HEAD + metric("histogram", "bins = 9\ndelta = 2\nwidth = 3"), "unknown key", "width")

    def test_quantile(self) -> None:
        range_ = "min = 0\nmax = 99\nbins = 50\n"
        good = range_ + "delta = 10\nrank = 0.5\n"
        for own, words in {
            "min = 0\nmax = 99\ndelta = 10\nrank = 0.5": ("bins", "missing"),
            range_ + "rank = 0.5": ("delta", "missing"),
            range_ + "delta = 100\nrank = 0.5": ("delta: 100", "1 to 99"),
            range_ + "delta = 10": ("rank", "missing", "0.5 for the median"),
            range_ + "delta = 10\nrank = 0": ("rank: 0", "0.001", "0.999"),
            range_ + "delta = 10\nrank = 1": ("rank: 1", "0.001", "0.999"),
            range_ + "delta = 10\nrank = 0.0625": ("rank: 0.0625", "three decimals"),
            good + "sources = 2": ("unknown key", "sources"),
            good + "forward = [2]": ("forward", "no levels above"),
            good + "request_level = 1": ("request_level", "0 to 0"),
        }.items():
            self.refused(HEAD + metric("quantile", own), 'metric "it"', *words)
        self.refused(HEAD + metric("quantile", good, "[1, 2]"), "epsilons", "has one")
        self.refused(HEAD + metric("quantile", good, "[0.03]"), "epsilons", "0.03 takes more than 1024 weights")

    def test_distribution(self) -> None:
        good = "min = 0\nmax = 9\nbins = 5\n"
        for own, words in {
            "min = 0\nmax = 9": ("bins", "missing"),
            "min = 0\nmax = 9\nbins = 1": ("bins: 1", "2 to 10"),
            "min = 0\nmax = 9\nbins = 11": ("bins: 11", "2 to 10"),
            "min = 0\nmax = 5000\nbins = 1025": ("bins: 1025", "2 to 1024"),
            "min = 3\nmax = 3\nbins = 2": ("max: 3",),
            good + "best_level = 1": ("best_level: 1", "0 to 0"),
            good + "forward = [2]": ("forward", "put the level into epsilons"),
            good + "margin = 1": ("unknown key", "margin"),
        }.items():
            self.refused(HEAD + metric("distribution", own), 'metric "it"', *words)

    def test_every_ladder_is_checked(self) -> None:
        for kind, own in (
            ("category", "size = 3"), ("set", 'members = ["a", "b"]\nmax_members = 1'),
            ("integer", "min = 0\nmax = 1"), ("vector", "length = 1\nmin = 0\nmax = 1"),
            ("mean", "min = 0\nmax = 1"), ("distribution", "min = 0\nmax = 1\nbins = 2"),
            ("quantile", "min = 0\nmax = 1\nbins = 2\ndelta = 1\nrank = 0.5"),
        ):  # fmt: skip
            self.refused(HEAD + metric(kind, own, "[2, 1]"), "epsilons", "does not rise")
            self.refused(HEAD + metric(kind, own, ""), "epsilons: missing")
            self.refused(HEAD + metric(kind, own, "[40]"), "epsilons: 40")


if __name__ == "__main__":
    unittest.main()
