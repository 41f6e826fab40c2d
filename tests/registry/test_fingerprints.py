# SPDX-License-Identifier: Apache-2.0
"""Metrics with equal fingerprints are refused, and permanent noise is keyed by more than them."""
import json
import re
from unittest import mock

from support import HEAD, Workspace, metric

from registry import document

STRING = (
    "[[metric]]\nid = {id}\nname = \"{name}\"\ntype = \"string\"\nbits = 8\nhashes = 2\ncohorts = 4\n"
    "permanent = [0.5]\ninstantaneous = [[0.5, 0.75]]\n"
)
NAMES = 150_000  # for each of two metrics: five pairs that collide are to be expected


def pair(*names: str) -> str:
    return HEAD + "".join(STRING.format(id=i, name=name) for i, name in enumerate(names, start=1))


class Fingerprints(Workspace):
    def definitions(self, text: str) -> list[str]:
        """The definitions in metrics.c, in hex."""
        code = self.compiled(text)["metrics.c"]
        tables = re.findall(r"uint8_t \w+_definition\[32\] = \{(.*?)\};", code, re.DOTALL)
        return ["".join(re.findall(r"0x(..)", table)) for table in tables]

    def colliding_names(self) -> tuple[str, str]:
        """By birthday, over the very text that is hashed."""
        texts: list[str] = []
        dumps = json.dumps

        def heard(definition: dict, **options: object) -> str:
            texts.append(dumps(definition, **options))
            return texts[-1]

        with mock.patch.object(document.json, "dumps", heard):
            self.compiled(pair("first_", "second_"))
        parts = [
            next(text for text in texts if f'"name":"{name}"' in text).split(name)
            for name in ("first_", "second_")
        ]
        seen = {self.fingerprint(parts[0], name): name for name in map("first_{:x}".format, range(NAMES))}
        for name in map("second_{:x}".format, range(2**32)):
            other = seen.get(self.fingerprint(parts[1], name))
            if other:
                return other, name
        raise AssertionError

    @staticmethod
    def fingerprint(parts: list[str], name: str) -> bytes:
        text = b"\x0fsotto metric v1" + name.join(parts).encode()
        return document.hashlib.sha256(text).digest()[:4]

    def test_plausible_max_is_the_hosts_alone(self) -> None:
        """It may change while devices count: they do not know it."""
        plain = HEAD + metric("counter", "")
        bound = HEAD + metric("counter", "plausible_max = 1000")
        files, others = self.compiled(plain), self.compiled(bound)
        self.assertEqual(files["metrics.c"], others["metrics.c"])
        free, bounded = (
            json.loads(output["metrics.json"])["metrics"][0] for output in (files, others)
        )
        self.assertEqual(free["fingerprint"], bounded["fingerprint"])
        self.assertNotIn("plausible_max", free)
        self.assertEqual(bounded["plausible_max"], 1000)

    def test_equal_ones_are_refused(self) -> None:
        first, second = self.colliding_names()
        with mock.patch.object(document, "_check_fingerprints", lambda metrics: None):
            files = self.compiled(pair(first, second))
        metrics = json.loads(files["metrics.json"])["metrics"]
        self.assertEqual(metrics[0]["fingerprint"], metrics[1]["fingerprint"], "the control")
        for file in self.out.iterdir():
            file.unlink()
        self.out.rmdir()
        self.assert_refused(
            self.compile(pair(first, second)), f'metric "{second}": its fingerprint,', f'"{first}"'
        )

    def test_definitions_begin_with_the_fingerprint(self) -> None:
        definitions = self.definitions(pair("one", "two"))
        metrics = json.loads((self.out / "metrics.json").read_text("ascii"))["metrics"]
        self.assertEqual([d[:8] for d in definitions], [m["fingerprint"] for m in metrics])
        self.assertEqual(len(set(definitions)), 2)
        self.assertEqual([len(d) for d in definitions], [64, 64])

    def test_levels_that_come_later_leave_the_permanent_noise_as_it_is(self) -> None:
        before = self.definitions(pair("one"))
        for levels in ("[[0.25, 0.5, 0.75]]", "[[0.25, 0.5, 0.75], [0.125, 0.5, 0.75]]", "[[0.25, 0.75]]"):
            self.assertEqual(self.definitions(pair("one") + f"forward = {levels}\n"), before)
        self.assertNotEqual(self.definitions(pair("one").replace("0.75", "0.8")), before, "the control")

    def test_without_memory_there_is_none(self) -> None:
        text = pair("one") + 'protects = "sequence"\n'
        self.assertEqual(self.definitions(text), [])
        self.assertIn(".definition = 0,", (self.out / "metrics.c").read_text("ascii"))
