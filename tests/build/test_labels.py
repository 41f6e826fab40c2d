# SPDX-License-Identifier: Apache-2.0
"""
Each test is fast or slow, for `ctest -L fast`. A folder that forgets sotto_label_tests() is found,
and so is a campaign in the inner loop.

test_labels.py CTEST BUILD_FOLDER
"""
import json
import re
import subprocess
import sys
import unittest
from typing import Any

LABELS = {"fast", "slow"}
# Campaigns, installations and whole programs take more than some seconds, as their names say.
COSTLY = re.compile(
    r"campaign|audit|demo|example|install|consume_(?:arduino|idf|makefile|pico|platformio|routes|stm32cube)"
    r"|mbedtls|registry_edit|^aggregator_"
)


def labels_of(test: dict[str, Any]) -> list[str]:
    return [
        label
        for item in test.get("properties", ())
        if item["name"] == "LABELS"
        for label in item["value"]
    ]


def faults(tests: list[dict[str, Any]]) -> list[str]:
    found = []
    for test in tests:
        name, labels = test["name"], labels_of(test)
        if len(labels) != 1 or labels[0] not in LABELS:
            found.append(f"{name}: labels {labels}; one of {sorted(LABELS)} is needed")
        elif labels == ["fast"] and COSTLY.search(name):
            found.append(f"{name}: costly by its name; list it in sotto_slow_tests")
    return found


def planted(name: str, *labels: str) -> dict[str, Any]:
    return {"name": name, "properties": [{"name": "LABELS", "value": list(labels)}]}


class Labels(unittest.TestCase):
    command: list[str] = []

    def test_ours(self) -> None:
        run = subprocess.run(self.command, text=True, capture_output=True, check=True)
        tests = json.loads(run.stdout)["tests"]
        self.assertGreater(len(tests), 100)
        self.assertEqual(faults(tests), [])
        counts = [sum(labels_of(test) == [label] for test in tests) for label in ("fast", "slow")]
        self.assertGreater(min(counts), 20)

    def test_planted(self) -> None:
        good = [planted("unit", "fast"), planted("interval_campaign", "slow")]
        self.assertEqual(faults(good), [])
        bad = [
            {"name": "unit"},
            planted("unit", "fast", "slow"),
            planted("unit", "quick"),
            planted("interval_campaign", "fast"),
        ]
        self.assertEqual([len(faults([test])) for test in bad], [1, 1, 1, 1])


if __name__ == "__main__":
    build = sys.argv.pop()
    Labels.command = [sys.argv.pop(), "--test-dir", build, "--show-only=json-v1"]
    unittest.main()
