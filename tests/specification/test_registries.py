# SPDX-License-Identifier: Apache-2.0
"""
Other registries of the tests, with values by chance over some epochs: the same bytes as the SDK. They have policies,
permanent bits above the ladder, every strategy of counters and places, and whatever a new mechanism brings.
"""
import random
import unittest
from typing import Any

from fleet import Values, envelopes, live
from mechanisms import Mechanism
from support import HERE, Simulated

LEVELS = 4
EPOCHS = {"counters": 8, "mechanisms": 2, "permanent": 6, "places": 1, "policy": 12, "quantiles": 2, "totals": 14}
STRINGS = [b"", b"a", "\u00e9".encode(), b"longer", b"x" * 300]


def any_value(mechanism: Mechanism, chance: random.Random) -> Any:
    metric = mechanism.metric
    size = len(metric.get("categories") or metric.get("members") or []) or metric.get("size", 0)
    low, high = metric.get("min", 0), metric.get("max", 10)
    match metric["type"]:
        case "boolean":
            return chance.random() < 0.5
        case "category":
            return chance.randrange(size)
        case "set":
            return chance.sample(range(size), chance.randrange(min(size, metric["max_members"] + 1) + 1))
        case "string":
            return chance.choice(STRINGS[1:])  # an empty cell makes no report
        case "vector":
            return [chance.randint(low - 2, high + 2) for _ in range(metric["length"])]
        case "quantile":
            return [chance.randint(low - 2, high + 2) for _ in range(chance.randint(1, 30))]
        case "histogram":
            return [chance.randint(-2, metric["bins"] + 2) for _ in range(chance.randint(1, 20))]
        case "location":
            return [(chance.randrange(metric["cells"]), chance.randrange(metric["cells"])) for _ in range(9)]
        case "counter":
            return chance.randint(-1, metric["event"] + 2)
    return chance.randint(low - 2, high + 2)


class OtherRegistry(Simulated):
    def check(self) -> None:
        chance, epochs = random.Random(7), EPOCHS[self.toml.stem]
        life: dict[int, Values] = {
            epoch: {m.metric["name"]: any_value(m, chance) for m in self.registry.metrics.values()
                    if epoch in (0, epochs - 1) or chance.random() < 0.6}
            for epoch in range(epochs)}
        expected = envelopes(self.simulated_lives([life], LEVELS))
        self.assertTrue(expected)
        self.assertEqual(envelopes(live(self.device(1), life, LEVELS)), expected)


for name in EPOCHS:
    members = {"toml": HERE.parent / f"{name}.toml", "test_same_bytes": OtherRegistry.check}
    globals()[name] = type(name, (OtherRegistry,), members)


if __name__ == "__main__":
    unittest.main()
