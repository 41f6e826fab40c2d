# SPDX-License-Identifier: Apache-2.0
"""[requests]: whose signed requests the devices obey."""
import json
import re

from support import GOOD, ROOT, Workspace

KEYS = ROOT / "tests" / "keys"
OPERATOR = (KEYS / "operator.pub").read_text("ascii")
ASKED = '[requests]\nkey = "operator.pub"\n'


class Requests(Workspace):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "operator.pub").write_text(OPERATOR, "ascii")

    def refused(self, text: str, *words: str) -> None:
        with self.subTest(text=text):
            self.assert_refused(self.compile(GOOD + text), "metrics.toml: ", *words)

    def test_table(self) -> None:
        code = self.compiled(GOOD + ASKED)["metrics.c"]
        self.assertIn(".request_key = request_key,", code)
        table = re.search(r"static const uint8_t request_key\[64\] = \{(.*?)\};", code, re.DOTALL)
        assert table
        self.assertEqual("".join(re.findall(r"0x(..)", table[1])), OPERATOR.split()[6])
        self.assertIn(".request_key = 0,", self.compiled(GOOD)["metrics.c"])

    def test_after_serial(self) -> None:
        for text, serial in (("", 0), ("after_serial = 41\n", 41), ("after_serial = 4294967294\n", 2**32 - 2)):
            code = self.compiled(GOOD + ASKED + text)["metrics.c"]
            self.assertIn(f".request_serial = {serial}u,", code)
        self.assertIn(".request_serial = 0u,", self.compiled(GOOD)["metrics.c"])

    def test_the_key_changes_no_meaning(self) -> None:
        plain = json.loads(self.compiled(GOOD)["metrics.json"])
        self.assertEqual(json.loads(self.compiled(GOOD + ASKED)["metrics.json"]), plain)

    def test_check_sees_another_key(self) -> None:
        self.compiled(GOOD + ASKED)
        self.assertEqual(self.check().status, 0)
        (self.folder / "operator.pub").write_text(OPERATOR[:-1], "ascii")
        self.assertEqual(self.check().status, 2)

    def test_refusals(self) -> None:
        self.refused("[requests]\n", "[requests]: key: missing", "sotto keygen --requests")
        self.refused("[[requests]]\n", "[requests]", "is not a table")
        self.refused("[requests]\nkey = 3\n", "[requests]: key: 3 is not")
        self.refused('[requests]\nkey = "none.pub"\n', '"none.pub"', "No such file")
        self.refused(ASKED + "level = 2\n", 'unknown key "level"')
        self.refused(ASKED + "after_serial = -1\n", "[requests]: after_serial: -1")
        self.refused(ASKED + "after_serial = 4294967295\n", "[requests]: after_serial")

    def test_refused_files(self) -> None:
        key = OPERATOR.split()[6]
        other_point = OPERATOR.replace(key, key[64:] + key[:64])
        for text, *words in (
            ((KEYS / "operator.key").read_text("ascii"), "private key", "name the public one"),
            ((KEYS / "new.key").read_text("ascii"), "private key", "name the public one"),
            ((KEYS / "new.pub").read_text("ascii"), "key that seals", "--requests"),
            ("", "no public key"), (OPERATOR + OPERATOR, "no public key"),
            (OPERATOR.upper(), "no public key"), (OPERATOR[:-1], "no public key"),
            (OPERATOR.replace("v1", "v2"), "no public key"),
            (OPERATOR.replace(key[:4], "0000"), "does not fit", "a digit was changed"),
            (other_point, "does not fit"),
            # Its id fits, but it is no point.
            (f"sotto public request key v1\np256 {'00' * 63}01\nid bdd1bd1e\n", "no point"),
        ):
            (self.folder / "bad.pub").write_bytes(text.encode("ascii"))
            self.refused('[requests]\nkey = "bad.pub"\n', '[requests]: key "bad.pub"', *words)

    def test_sealing_needs_another_kind_of_key(self) -> None:
        self.refused('[[key]]\nfile = "operator.pub"\n', '"operator.pub"', "no public key")
