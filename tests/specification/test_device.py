# SPDX-License-Identifier: Apache-2.0
"""
The bytes of firmware, tests/vectors/reports.txt: one device on which every mechanism reports at every level of its
ladder. `tests/qemu/same_bytes.py` holds the boards and the host to the same file. Definitions are those of metrics.c.
"""
import unittest
from typing import Any
from unittest import mock

import streams
from client import Client
from generator import SdkGenerator, testing_samples
from mechanisms import Mechanism
from registry import Registry, definitions_in
from support import HERE, Scratch

REPORTS = HERE.parent / "vectors" / "reports.txt"
VALUES: dict[str, Any] = {"boolean": True, "category": 1, "set": [0, 3], "string": b"B-737-300", "vector": [1, -2, 3]}
NUMBER = 12


class Firmware(Scratch):
    toml = HERE.parent / "mechanisms.toml"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.definitions = definitions_in((cls.folder / "metrics.c").read_text(encoding="utf-8"))
        cls.expected = REPORTS.read_text(encoding="utf-8").splitlines()

    def lines(self, definitions: dict[str, bytes]) -> list[str]:
        device = Client(Registry(self.json, definitions), SdkGenerator(testing_samples(bytes([1, 2, 3]), 0)))
        device.advance(0)
        return [self.line(device, metric, mechanism) for metric, mechanism in device.registry.metrics.items()]

    @staticmethod
    def line(device: Client, metric: int, mechanism: Mechanism) -> str:
        device.report(metric, VALUES.get(mechanism.metric["type"], NUMBER))
        sent = [device.flush()]
        for level in range(1, mechanism.top_level + 1):
            device.relax(metric, 0, level)
            sent.append(device.flush())
        return " ".join(["report", str(metric), *(envelope.hex() for envelope in sent)])

    def test_same_bytes(self) -> None:
        self.assertGreater(len(self.definitions), 2)
        self.assertEqual(self.lines(self.definitions), self.expected)

    def test_departures_show(self) -> None:
        self.assertNotEqual(self.lines({}), self.expected)
        without = mock.patch.object(streams, "with_definition", lambda definition, what: what.ljust(32, b"\0"))
        with without:
            self.assertNotEqual(self.lines(self.definitions), self.expected)


if __name__ == "__main__":
    unittest.main()
