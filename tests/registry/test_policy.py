# SPDX-License-Identifier: Apache-2.0
"""Policies: what one may be, and that none is accepted that spends more than its window has."""
import itertools
import json
import unittest

from support import HEAD, ROOT, Workspace

METRIC = """[[metric]]
id = 1
name = "busy"
type = "boolean"
epsilons = [1, 2]
window_epochs = 3
window_epsilon = 4
"""
# By the epochs before, the older first: --, -0, -1, 0-, 00, 01, 1-, 10, 11.
SOUND = [1, 1, 0, 1, 1, 0, 1, 0, 0]


def text(policy: list[int] | str, own: str = METRIC) -> str:
    return f"{HEAD}{own}policy = {policy}\n"


def overfills(policy: list[int], costs: list[int], budget: int) -> bool:
    """Another way: every history of eight epochs, measured or not, slot by slot."""
    for measured in itertools.product((False, True), repeat=8):
        levels: list[int] = []
        for is_measured in measured:
            before = ([0, 0] + levels)[-2:]
            level = policy[3 * before[0] + before[1]] + 1 if is_measured else 0
            levels.append(level)
            if sum(costs[level - 1] for level in levels[-3:] if level) > budget:
                return True
    return False


class Policies(Workspace):
    def compiled_status(self, policy: list[int]) -> int:
        return self.compile(text(policy)).status

    def test_a_sound_one_reaches_every_file(self) -> None:
        self.assertEqual(self.compiled_status(SOUND), 0)
        document = json.loads((self.out / "metrics.json").read_text())
        self.assertEqual(document["metrics"][0]["policy"], SOUND)
        source = (self.out / "metrics.c").read_text()
        self.assertIn("busy_policy = {busy_policy_level, sotto_start_by_policy};", source)
        self.assertIn(".policy = &busy_policy,", source)

    def test_no_table_of_a_metric_without(self) -> None:
        self.assertEqual(self.compile(HEAD + METRIC).status, 0)
        self.assertNotIn("policy", (self.out / "metrics.c").read_text())
        self.assertNotIn("policy", (self.out / "metrics.json").read_text())

    def test_it_is_of_the_registry_and_not_of_the_metric(self) -> None:
        prints = []
        for policy in (SOUND, [0] * 9):
            self.assertEqual(self.compiled_status(policy), 0)
            document = json.loads((self.out / "metrics.json").read_text())
            prints.append((document["registry"]["fingerprint"], document["metrics"][0]["fingerprint"]))
        self.assertNotEqual(prints[0][0], prints[1][0])
        self.assertEqual(prints[0][1], prints[1][1])

    def test_all_tables_are_told_apart_as_by_enumeration(self) -> None:
        costs, budget = [1 << 20, 2 << 20], 4 << 20
        found = set()
        for policy in itertools.product((0, 1), repeat=9):
            expected = overfills(list(policy), costs, budget)
            if (policy[2], policy[5], policy[8]) in ((0, 0, 0), (1, 1, 1), (0, 1, 0)):
                self.assertEqual(self.compiled_status(list(policy)) != 0, expected, policy)
                found.add(expected)
        self.assertEqual(found, {False, True})

    def test_what_is_wrong_is_said(self) -> None:
        cases = (
            (text([1] * 9), ("level 1 of state 8", "levels 1, 1 before it", "overfills")),
            (text(SOUND[:-1]), ("policy: 8 levels; there must be 9",)),
            (text([2, *SOUND[1:]]), ("policy: 2, of state 0", "from 0 to 1")),
            (text(str([True, *SOUND[1:]]).lower()), ("policy: true, of state 0",)),
            (text("3"), ("policy: 3 is not an array of 9 levels",)),
            (text(SOUND, METRIC + "per_epoch = 2\n"), ("one measurement an epoch",)),
            (text([0], METRIC.replace("[1, 2]", "[1]")), ("ladder of one level",)),
            (text(SOUND, METRIC.split("window_epochs")[0]), ("needs a window_epochs",)),
            (text(SOUND, METRIC.replace("epochs = 3", "epochs = 64")), ("at most 4096",)),
        )
        for document, words in cases:
            self.assert_refused(self.compile(document), "metrics.toml: ", 'metric "busy"', *words)

    def test_not_for_releases_that_share_noise(self) -> None:
        own = (
            '[[metric]]\nid = 1\nname = "busy"\ntype = "string"\nbits = 16\nhashes = 1\n'
            "cohorts = 4\npermanent = [0.75, 0.5]\ninstantaneous = [[0.5, 0.75], [0.5, 0.75]]\n"
            "window_epochs = 3\nwindow_epsilon = 30\n"
        )
        self.assert_refused(self.compile(text(SOUND, own)), "policy: releases share noise")
        alone = own + 'protects = "sequence"\n'
        self.assertEqual(self.compile(text(SOUND, alone)).status, 0)

    def test_the_table_of_the_unit_tests_is_that_of_sotto_schedule(self) -> None:
        vectors = json.loads((ROOT / "tests" / "vectors" / "streams.json").read_text())
        first = vectors["policy"][0]["first_actions"]
        lines = (ROOT / "tests" / "policy.toml").read_text().split("policy = [")[1].split("]")[0]
        levels = [int(word) for word in lines.replace("\n", " ").split(",") if word.strip()]
        self.assertEqual([level + 1 for level in levels[: len(first)]], first)


if __name__ == "__main__":
    unittest.main()
