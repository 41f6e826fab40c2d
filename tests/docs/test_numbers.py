# SPDX-License-Identifier: Apache-2.0
"""Numbers that the pages repeat are those of the vectors, the tests and the limits."""
import json
import math
import re
import sys
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "measure"))
import measure  # noqa: E402

sys.path.insert(0, str(ROOT / "tools"))
from registry import mechanisms, schema  # noqa: E402

MECHANISMS = (ROOT / "docs" / "MECHANISMS.md").read_text(encoding="utf-8")
EPSILON = (ROOT / "docs" / "EPSILON.md").read_text(encoding="utf-8")
PERFORMANCE = (ROOT / "docs" / "PERFORMANCE.md").read_text(encoding="utf-8")


def vectors(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((ROOT / "tests" / "vectors" / f"{name}.json").read_text())
    return document


def table(page: str, first_cell: str) -> list[list[str]]:
    """The rows below the header that begins so."""
    lines = page.split(f"| {first_cell} |")[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def header(page: str, first_cell: str) -> list[float]:
    """The epsilons that the table's columns are of."""
    cells = page.split(f"| {first_cell} |")[1].splitlines()[0].strip(" |").split("|")
    return [float(cell.replace("ε", "")) for cell in cells]


# The words of README for each mechanism.
WORDS = {
    "randomized_response": "randomized response", "laplace_threshold": "Laplace-threshold bits",
    "k_randomized_response": "k-ary randomized response", "unary": "unary",
    "optimized_unary": "optimized unary", "basic_rappor": "one-hot RAPPOR", "rappor": "RAPPOR",
    "discrete_laplace": "discrete Laplace", "one_bit_mean": "one-bit mean",
    "hashed": "hashed response", "inverse_sensitivity": "a quantile of points",
    "noised_sum": "sums of events over time", "exponential": "exponential",
    "noised_points": "counts of points by place", "window_response": "window response",
    "design": "design response",
    "sorted_points": "sorted points",
    "window_mean": "mean by windows",
    "pad_and_sample": "pad and sample",
}


class Features(unittest.TestCase):
    def test_readme_names_each_mechanism_beside_its_type(self) -> None:
        self.assertEqual(WORDS.keys(), mechanisms.BY_NAME.keys())
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        rows = {kind: row[1] for row in table(readme, "type") for kind in re.findall(r"`(\w+)`", row[0])}
        self.assertEqual(rows.keys(), schema.TYPES.keys())
        for kind, text in rows.items():
            for name in mechanisms.of_type(kind):
                self.assertIn(WORDS[name], text, kind)


class Numbers(unittest.TestCase):
    def test_what_thresholded_laplace_bits_lose(self) -> None:
        found = vectors("laplace_threshold")
        known = {(c["alpha1"], c["alpha2"]): (c["joint_loss"], c["rr_eps2"], c["paper_bound"]) for c in found["pairs"]}
        known |= {tuple(c["alpha"]): (c["joint_loss"], c["rr_eps_last"], c["paper_bound"]) for c in found["ladder3"]}
        numbers = {tuple(map(float, way)): [f"{float(x):.5f}" for x in losses] for way, losses in known.items()}
        rows = table(MECHANISMS, "α₁ → α₂")
        self.assertEqual(len(rows), 4)
        for way, *losses in rows:
            self.assertEqual(losses, numbers[tuple(map(float, way.split(" → ")))])

    def test_what_reports_of_one_value_lose(self) -> None:
        wanted = {"f": 0.5, "p": 0.5, "q": 0.75, "h": 2}
        case = next(c for c in vectors("rappor_eps")["cases"] if all(float(c[key]) == x for key, x in wanted.items()))
        counts = MECHANISMS.split("| n | ")[1].splitlines()[0].strip(" |").split(" | ")
        row = table(MECHANISMS, "n")[0][1:]
        losses = [case["eps_inf"] if n == "∞" else case["n_reports"][n]["eps"] for n in counts]
        self.assertEqual(row, [f"{float(x):.4f}" for x in losses])

    def test_what_64_bit_digits_lose(self) -> None:
        leaks = (ROOT / "tests" / "registry" / "test_leaks.py").read_text(encoding="utf-8")
        steps = re.findall(r'\("([\d.]+)", "([\d.]+)", (\d+), ([\d.]+)e-(\d)\)', leaks)
        exponents = {"3": "⁻³", "4": "⁻⁴"}
        expected = [[f"{a} → {b}", width, f"{x} · 10{exponents[e]}"] for a, b, width, x, e in steps]
        self.assertEqual(table(MECHANISMS, "ε before → after, per unit"), expected)

    def test_what_is_held_on_cortex_m0(self) -> None:
        limits = (measure.CORE_TEXT_MAX, measure.NOISED_SUMS_MAX, measure.CLIENT_FLASH_MAX,
                  measure.CLIENT_RAM_MAX, measure.BATCH_OF_16_MAX, measure.BOOLEAN_MAX, measure.RAPPOR_128_MAX)
        self.assertEqual([row[1] for row in table(PERFORMANCE, "limit, on Cortex-M0")], [f"{x:,}" for x in limits])

    def test_how_long_envelopes_are(self) -> None:
        """The unit test's lists, by what is in them, whether they are sealed, and the padding."""
        source = (ROOT / "tests" / "unit" / "seal_test.cpp").read_text(encoding="utf-8")
        rows = re.findall(r"\{(\d+), (true|false), (\d+), (\d+)\}", source)
        held = {(f"{count} boolean{'s'[count == '1':]}, {'sealed' if sealed == 'true' else 'plain'}", int(pad)): length
                for count, sealed, pad, length in rows}  # fmt: skip
        strings = re.search(r"string_lengths\[\] = \{(.*)\};", source)[1]
        held |= {("1 string of 128 bits, sealed", int(pad)): length
                 for pad, length in re.findall(r"\{(\d+), (\d+)\}", strings)}  # fmt: skip
        found = {(what, pad): length for what, *lengths, _ in table(PERFORMANCE, "envelope")
                 for pad, length in zip((32, 8, 0), lengths)}  # fmt: skip
        self.assertEqual(len(held), 15)
        self.assertEqual(found, held)

    def test_what_epsilon_means_for_a_guess(self) -> None:
        columns = header(EPSILON, "guessed before")
        for before, *after in table(EPSILON, "guessed before"):
            odds = float(before.rstrip(" %")) / (100 - float(before.rstrip(" %")))
            found = [odds * math.exp(epsilon) for epsilon in columns]
            self.assertEqual(after, [f"{100 * x / (1 + x):.1f} %" for x in found])

    def test_what_epsilon_costs_a_fleet(self) -> None:
        columns = header(EPSILON, "devices")
        for devices, *errors in table(EPSILON, "devices"):
            n = int(devices.replace(",", ""))
            found = [1.96 / (2 * math.sinh(epsilon / 2) * math.sqrt(n)) for epsilon in columns]
            self.assertEqual(errors, [f"{100 * x:.1f} %" for x in found])

    def test_what_a_string_may_cost_on_the_host(self) -> None:
        tests = (ROOT / "tests" / "CMakeLists.txt").read_text(encoding="utf-8")
        for limit in re.findall(r'"rappor\d*;\d+;(\d+)"', tests):
            self.assertIn(f"{int(limit):,}", PERFORMANCE)


if __name__ == "__main__":
    unittest.main()
