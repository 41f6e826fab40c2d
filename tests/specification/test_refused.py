# SPDX-License-Identifier: Apache-2.0
"""A client that departs from the wire in one place is refused by `sotto ingest`, or what it says is not added up."""
import json
import random
import subprocess
import unittest
from collections.abc import Callable
from unittest import mock

import batch
import client
import seal
from client import Client
from fleet import PlainGenerator
from support import KEYS, SOTTO, Scratch, public_key, run

DAMAGE, LAMP = 1, 2
Change = Callable[[bytes], bytes]


def replaced(old: bytes, new: bytes) -> Change:
    def change(text: bytes) -> bytes:
        assert text.count(old) == 1, "the report is not what this test takes it for"
        return text.replace(old, new)

    return change


class RefusedReports(Scratch):
    def device(self, **keys: bytes) -> Client:
        device = Client(self.registry, PlainGenerator(random.Random(3).randbytes), **keys)
        device.advance(0)
        device.report(DAMAGE, True)
        return device

    def refusal(self, *envelopes: bytes, store: str = "store", key: bool = False) -> str:
        """Why something is not taken; nothing where all is."""
        file = self.folder / "reports.bin"
        file.write_bytes(b"".join(envelopes))
        options = ["--key", str(KEYS / "new.key")] if key else []
        done = subprocess.run([SOTTO, "ingest", "--strict", "--registry", str(self.json), "--store",
                               str(self.folder / store), *options, str(file)], capture_output=True, check=False,
                              encoding="utf-8")
        return done.stdout + done.stderr if done.returncode else ""

    def written_with(self, change: Change) -> bytes:
        def changed(*fields: object) -> bytes:
            return change(batch.batch(*fields))

        with mock.patch.object(client, "batch", changed):
            return self.device().flush()

    def test_departures(self) -> None:
        right = self.device().flush()
        self.assertEqual(self.refusal(right), "")
        text = right[10:]  # behind length, version, registry, tag and length
        self.assertEqual(text[0], 0x11)
        seed, padding = text[:9], text[15:]
        self.assertEqual(padding[:2], b"\x4a\x0f")
        bit = text[12:15]
        form = "not canonical"
        for name, (change, reason) in {
            "padding that is not zero": (lambda text: text[:-1] + b"\1", form),
            "padding before the values": (lambda text: text[:9] + padding + text[9:15], form),
            "bits from the highest on": (replaced(bit, b"\x42\x01\x80"), form),
            "bits without a value": (replaced(bit, b"\x42\x01\x02"), form),
            "a value more": (replaced(bit, b"\x42\x02\x01\x00"), "malformed"),
            "a column of zeros": (replaced(bit, b"\x22\x01\x00" + bit), form),
            "a longer varint": (replaced(b"\x1a\x01\x01", b"\x1a\x02\x81\x00"), form),
            "no seed": (replaced(seed, b""), "missing field"),
            "an id beside the seed": (replaced(bit, b"\x3a\x08" + bytes(range(8)) + bit), form),
            "a flag without a meaning": (replaced(bit, b"\x32\x01\x04" + bit), form),
            "a level that is not there": (replaced(bit, b"\x22\x01\x09" + bit), "level outside the ladder"),
            "another metric": (replaced(b"\x1a\x01\x01", b"\x1a\x01\x63"), "unknown metric"),
        }.items():
            with self.subTest(name):
                self.assertIn(reason, self.refusal(self.written_with(change)))
        for reason, wrong in {"unknown version": right.replace(b"\x08\x02\x15", b"\x08\x01\x15"),
                              "unknown registry": right.replace(right[4:8], bytes(4)),
                              "truncated": right[:-1]}.items():
            with self.subTest(reason):
                self.assertIn(reason, self.refusal(wrong))

    def test_sealed_otherwise(self) -> None:
        keys = {"public_key": public_key("new.pub")}
        self.assertEqual(self.refusal(self.device(**keys).flush(), store="sealed", key=True), "")
        closed = "sealed, and can't be opened"
        for name, (departure, reason) in {
            "info": (mock.patch.object(seal, "INFO", b"sotto envelope v2"), closed),
            "associated data": (mock.patch.object(seal, "chacha20_poly1305", lambda key, nonce, aad, text:
                                                 original(key, nonce, aad[:-5], text)), closed),
            "the id of a key": (mock.patch.object(seal, "key_id", lambda key: 7), "a key that is not here"),
            "the other cipher": (mock.patch.object(seal, "CHACHA20_POLY1305", 2), closed),
        }.items():
            original = seal.chacha20_poly1305
            with self.subTest(name), departure:
                self.assertIn(reason, self.refusal(self.device(**keys).flush(), store="sealed", key=True))

    def test_ids_born_otherwise(self) -> None:
        """Both levels of a release are one measurement, unless its id is not the one that the seed gives."""
        for store, new_ids, releases in (("born", batch.new_ids, 1),
                                         ("otherwise", lambda seed, count: [seed] * count, 2)):
            with self.subTest(store), mock.patch.object(client, "new_ids", new_ids):
                device = self.device()
                first = device.flush()
                device.relax(DAMAGE, 0, 1)
                self.assertEqual(self.refusal(first, device.flush(), store=store), "")
                rows = json.loads(run(SOTTO, "estimate", "--registry", self.json, "--store", self.folder / store,
                                      "--format", "json"))
                self.assertEqual(rows[0]["reports"], releases)

    def test_sent_again(self) -> None:
        """The same bytes; and where the first new release was closed since, the other's id in place of the seed."""
        device = self.device()
        device.report(LAMP, True)
        first, again = device.flush(), device.resend()
        self.assertEqual(first, again)
        device.close(DAMAGE, 0)
        rest = device.resend()
        self.assertIn(b"\x3a\x08" + device.released(LAMP, 0)[0].id, rest)
        self.assertEqual(self.refusal(first, again, rest, store="again"), "")
        rows = json.loads(run(SOTTO, "estimate", "--registry", self.json, "--store", self.folder / "again", "--format",
                              "json"))
        self.assertEqual({row["metric"]: row["reports"] for row in rows}, {"damage": 1, "lamp": 1})


if __name__ == "__main__":
    unittest.main()
