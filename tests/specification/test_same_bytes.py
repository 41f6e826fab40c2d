# SPDX-License-Identifier: Apache-2.0
"""
The same entropy makes the same bytes here and in the SDK, which `sotto simulate --seed` runs. A client that departs
from the specification in one place makes others.
"""
import json
import unittest
from collections.abc import Callable
from typing import Any
from unittest import mock

import batch
import client
import counter
import mechanisms
import streams
from client import Client
from draws import Given
from fleet import Values, envelopes, live
from generator import CtrDrbg, SdkGenerator
from ledger import Account, Ledger
from mechanisms import Bits
from request import Refused
from support import HERE, KEYS, SOTTO, Simulated, public_key, run
from two_stages import Rappor

LEVELS = 4  # more than any metric has
PLAIN: list[Values] = [
    {"damage": True, "lamp": False, "fine_lamp": True, "phase": 1, "aircraft": 37, "engine": 32, "season": 2,
     "room": 5, "grade": 2, "fault": 11, "rooms": [0, 2], "app": b"hello", "page": b"too long a name",
     "model": "Flughafen Zürich".encode(), "speed": 700, "hours": [0, 100, 90, 7], "height": 2000, "delay": 12,
     "each_bin": [3, 4, 9], "suffixes": [0, 5], "branches": [3, 4, 15], "wavelets": [1, 7], "hybrid": [0, 19, 7],
     "squares": [(1, 2), (8, 8)], "middle": [5, 20, 30, 90], "ordered": [5, -30, 40, 100, 300],
     "warmth": 19, "alarms": [2, 0], "part": 7},
    {"damage": False, "lamp": True, "fine_lamp": False, "phase": 3, "aircraft": 0, "engine": 0, "season": 0,
     "room": 0, "grade": 0, "fault": 23, "rooms": [], "app": b"a", "page": b"b", "model": b"c", "speed": 2000,
     "hours": [50, 50, 50, 51], "height": -200, "delay": -7, "each_bin": [20], "suffixes": [9, 9, 9], "branches": [0],
     "wavelets": [3, 3], "hybrid": [-1], "squares": [(0, 8)], "middle": [93], "ordered": [1, 2, 3, 4, 5],
     "warmth": 99, "alarms": [], "part": 0},
]
COUNTERS = ("doors", "tree", "heat", "total", "private_total")


def lives() -> list[dict[int, Values]]:
    """Two devices over 14 epochs: gaps, values that come again, more values than are remembered, a budget."""
    strings = [b"x", b"y", b"x", b"z", b"y", b"w"]
    first = {epoch: {"damage": epoch % 2 == 0, "room": epoch % 3, "app": strings[epoch % 6],
                     "model": strings[epoch % 4], "speed": epoch, **{name: epoch % 3 for name in COUNTERS},
                     "part": epoch % 4}
             for epoch in range(5, 19) if epoch not in (9, 10, 15)}
    second = {epoch: {"damage": True, "app": b"y", **{name: 5 for name in COUNTERS}} for epoch in (7, 8, 17)}
    return [first, second]


class SameBytes(Simulated):
    def plain(self) -> list[list[bytes]]:
        """The envelopes of each device."""
        return [envelopes(live(self.device(number), {40: values}, LEVELS)) for number, values in enumerate(PLAIN, 1)]

    def test_every_metric_at_every_level(self) -> None:
        expected = self.simulated([self.cells(values) for values in PLAIN], "--epoch", 40, "--levels", LEVELS)
        self.assertEqual(len(envelopes(expected)), 8)
        first, second = self.plain()
        self.assertEqual(first + second, envelopes(expected))

    def test_lives_with_memory_counters_and_budgets(self) -> None:
        expected = self.simulated_lives(lives(), LEVELS)
        made = [envelopes(live(self.device(number), life | {18: life.get(18, {})}, LEVELS, 5))
                for number, life in enumerate(lives(), 1)]
        self.assertEqual(made[0] + made[1], envelopes(expected))

    def test_sealed(self) -> None:
        expected = self.simulated([self.cells(values) for values in PLAIN], "--epoch", 40, "--key",
                                  KEYS / "new.pub")
        keys = {"public_key": public_key("new.pub")}
        made = b"".join(live(self.device(number, **keys), {40: values}, 0) for number, values in enumerate(PLAIN, 1))
        self.assertEqual(envelopes(made), envelopes(expected))

    def test_requested(self) -> None:
        operator = public_key("operator.pub")
        rows = [self.cells({"phase": values["phase"]}) for values in PLAIN * 4]
        for select in ((), ("climb", "landing")):
            asked = self.folder / "request"
            run(SOTTO, "request-relax", "--registry", self.json, "--key", KEYS / "operator.key", "--metric",
                "phase", "--level", 1, "--epochs", "40-40", "--serial", 7, "--out", asked,
                *(("--select", ",".join(select)) if select else ()))
            expected = self.simulated(rows, "--epoch", 40, "--request", asked, "--request-key",
                                      KEYS / "operator.pub")
            made, relaxed = b"", 0
            for number, values in enumerate(PLAIN * 4, 1):
                device = self.device(number, request_key=operator)
                made += live(device, {40: {"phase": values["phase"]}}, 0)
                relaxed += device.obey(asked.read_bytes())
                made += device.flush()
                with self.assertRaisesRegex(Refused, "before"):
                    device.obey(asked.read_bytes())
            self.assertEqual(envelopes(made), envelopes(expected))
            self.assertEqual(relaxed == 8, not select)
            forged = bytearray(asked.read_bytes())
            forged[-1] ^= 1
            with self.assertRaisesRegex(Refused, "signed"):
                self.device(1, request_key=operator).obey(bytes(forged))

    def test_departures_show(self) -> None:
        def stream(key: bytes, purpose: str, number: int, count: int) -> bytes:
            return streams.chacha20(key, purpose.encode() + number.to_bytes(4, "little"), 0, count)

        def other(name: str) -> Callable:
            return lambda key, purpose, number, count: streams.stream(
                key, "sotto-xx" if purpose == name else purpose, number, count)

        departures = {
            "a stream's number little-endian": mock.patch.object(client, "stream", stream),
            **{f"another purpose than {name}": mock.patch.object(client, "stream", other(name))
               for name in ("sotto-ld", "sotto-ir", "sotto-pr", "sotto-rd", "sotto-bs", "sotto-rs", "sotto-pf")},
            "random numbers big-endian": mock.patch.object(
                Given, "number", lambda self, count: int.from_bytes(self.take(count), "big")),
            "members from the highest bit on": mock.patch.object(
                Bits, "bits", lambda self, members: [sum(1 << 31 - m % 32 for m in set(members) if m // 32 == i)
                                                     for i in range(self.metric["value_words"])]),
            "padding of another length": mock.patch.object(self.registry, "padding", 64),
            "no tail beyond an end": mock.patch.object(mechanisms, "geometric", lambda table, random: (0, False)),
            "the generator's oldest bytes first": mock.patch.object(SdkGenerator, "draw", oldest_first),
            "a cohort from the secret's front": mock.patch.object(
                client, "cohort", lambda secret, cohorts: secret[0] % cohorts),
            "another definition": mock.patch.dict(self.registry.definitions, {12: bytes(31) + b"\1"}),
            "a tag without its lowest bit": mock.patch.object(
                client, "steps_key", lambda secret, metric, definition, tag: streams.steps_key(
                    secret, metric, definition, bytes([tag[0] ^ 1]) + tag[1:])),
        }
        self.assert_each_differs(departures, lambda: envelopes(live(self.device(1), {40: PLAIN[0]}, LEVELS)))

    def test_departures_of_a_life_show(self) -> None:
        departures = {
            "no budget": mock.patch.object(Ledger, "charge", lambda *charge: True),
            "budgets of the present window alone": mock.patch.object(Ledger, "_windows", staticmethod(present_window)),
            "no value is one too many": mock.patch.object(Rappor, "values", lambda self: 0),
            "ids from the end": mock.patch.object(
                client, "new_ids", lambda seed, count: batch.new_ids(seed, count)[::-1]),
            "a store less": mock.patch.object(Client, "store", lambda self: setattr(self, "stores", 1)),
            "rows that a total takes twice": mock.patch.object(
                counter, "balanced_row", lambda kind, row, epoch: counter.closing_row(kind, row, epoch)),
        }
        life = lives()[0]
        self.assert_each_differs(departures, lambda: envelopes(live(self.device(1), life, LEVELS)))

    def assert_each_differs(self, departures: dict[str, Any], make: Callable[[], list[bytes]]) -> None:
        right = make()
        self.assertEqual(make(), right)
        for name, departure in departures.items():
            with self.subTest(name), departure:
                self.assertNotEqual(make(), right)


def present_window(accounts: list[Account], window: int, budget: int, epoch: int, now: int) -> bool:
    return sum(account.window_cost(epoch, epoch) for account in accounts) <= budget


def oldest_first(self: SdkGenerator, count: int) -> bytes:
    if count > len(self.buffer):
        return self.generate(count)
    taken, self.buffer = self.buffer[:count], self.buffer[count:]
    return taken


class Published(unittest.TestCase):
    """The generator against NIST's vectors, and without fresh entropy."""

    def test_ctr_drbg(self) -> None:
        document = json.loads((HERE.parent / "vectors" / "crypto.json").read_text(encoding="utf-8"))
        checked = 0
        for vector in document["ctr_drbg"]["vectors"]:
            given = {name: bytes.fromhex(text) for name, text in vector.items()}
            if given["additional_1"] or given["additional_2"]:
                continue  # the SDK generates without
            drbg = CtrDrbg(given["entropy"] + given["nonce"] + given["personalization"])
            drbg.reseed(given["reseed_entropy"] + given["reseed_additional"])
            drbg.generate(len(given["out"]))
            self.assertEqual(drbg.generate(len(given["out"])), given["out"])
            checked += 1
            drbg = CtrDrbg(given["entropy"] + given["nonce"] + given["personalization"])
            drbg.generate(len(given["out"]))
            self.assertNotEqual(drbg.generate(len(given["out"])), given["out"])
        self.assertGreaterEqual(checked, 2)


if __name__ == "__main__":
    unittest.main()
