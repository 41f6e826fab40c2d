# SPDX-License-Identifier: Apache-2.0
"""[[key]]: which public keys batches are sealed with."""
import hashlib
import json
import re
from pathlib import Path

from support import GOOD, ROOT, Workspace

KEYS = ROOT / "tests" / "keys"
OLD = (KEYS / "old.pub").read_text("ascii")
NEW = (KEYS / "new.pub").read_text("ascii")
TWO = '[[key]]\nfile = "old.pub"\nlast_epoch = 9\n[[key]]\nfile = "new.pub"\n'
FLUSH = "#define BIRD_STRIKES_FLUSH_BYTES_MIN "


class Keys(Workspace):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "old.pub").write_text(OLD, "ascii")
        (self.folder / "new.pub").write_text(NEW, "ascii")

    def refused(self, text: str, *words: str) -> None:
        with self.subTest(text=text):
            self.assert_refused(self.compile(GOOD + text), "metrics.toml: ", *words)

    @staticmethod
    def public_key(point: bytes) -> str:
        digest = hashlib.sha256(b"\x0csotto key v1" + point).hexdigest()
        return f"sotto public key v1\nx25519 {point.hex()}\nid {digest[:8]}\n"

    def test_tables(self) -> None:
        code = self.compiled(GOOD + TWO)["metrics.c"]
        for line in (".id = 0xb197ec59u,", ".last_epoch = 9u,", ".last_epoch = UINT32_MAX,",
                     ".key_count = 2,", ".seal = sotto_seal_hpke,", ".sealing = &sealing,"):
            self.assertIn(line, code)
        bytes_there = re.findall(r"\.public_key = \{\n(.*?)\n        \},", code, re.DOTALL)
        self.assertEqual(
            [bytes(int(b, 16) for b in re.findall(r"0x(..)", text)).hex() for text in bytes_there],
            [OLD.split()[5], NEW.split()[5]])
        self.assertLess(code.index("b197ec59"), code.index("3ce59b53"), "the newest is the last")

    def test_without_keys_nothing_of_sealing_is_there(self) -> None:
        files = self.compiled(GOOD)
        self.assertNotIn("seal", files["metrics.c"] + files["metrics.h"])
        self.assertIn(f"{FLUSH}74u", files["metrics.h"])

    def test_keys_change_no_meaning(self) -> None:
        plain = json.loads(self.compiled(GOOD)["metrics.json"])
        sealed_files = self.compiled(GOOD + TWO)
        self.assertEqual(json.loads(sealed_files["metrics.json"]), plain)
        # Key id, enc and tag more, and a second byte of the envelope's length.
        self.assertIn(f"{FLUSH}130u", sealed_files["metrics.h"])

    def test_check_sees_another_key(self) -> None:
        self.compiled(GOOD + '[[key]]\nfile = "old.pub"\n')
        self.assertEqual(self.check().status, 0)
        (self.folder / "old.pub").write_text(NEW, "ascii")
        self.assertEqual(self.check().status, 1)

    def test_refusals(self) -> None:
        self.refused('[key]\nfile = "old.pub"\n', "key: a table", "[[key]]")
        self.refused("[[key]]\n", "[[key]] number 1", "file: missing")
        self.refused("[[key]]\nfile = 3\n", "[[key]] number 1: file: 3 is not")
        self.refused('[[key]]\nfile = "none.pub"\n', '"none.pub"', "No such file")
        self.refused('[[key]]\nfile = "old.pub"\nlast = 3\n', 'unknown key "last"', "last_epoch")
        for epoch in ("-1", "4294967295", '"9"', "1.0"):
            self.refused(f'[[key]]\nfile = "old.pub"\nlast_epoch = {epoch}\n',
                         "last_epoch", "0 to 4294967294")
        self.refused(TWO + '[[key]]\nfile = "old.pub"\n', "number 3", "there already")
        self.refused(TWO * 9, "key: 18 of them", "at most 16")

    def test_refused_files(self) -> None:
        for text, *words in (
            ((KEYS / "old.key").read_text("ascii"), "private key", "name the public one"),
            ("", "no public key"), (OLD + OLD, "no public key"), (OLD.upper(), "no public key"),
            (OLD[:-1], "no public key"), (OLD.replace("\n", "\r\n"), "no public key"),
            (OLD.replace("v1", "v2"), "no public key"),
            (OLD.replace("8f40", "8f41"), "b197ec59 does not fit", "a digit was changed"),
        ):
            (self.folder / "bad.pub").write_bytes(text.encode("ascii"))
            self.refused('[[key]]\nfile = "bad.pub"\n', '"bad.pub"', *words)
        for point in (
            2**255 - 19,  # zero, spelt otherwise
            0, 1, 2**255 - 20,  # small order, as the next two
            0x00b8495f16056286fdb1329ceb8d09da6ac49ff1fae35616aeb8413b7c7aebe0,
            0x57119fd0dd4e22d8868e1c58c45c44045bef839c55b1d0b1248c50a3bc959c5f,
        ):
            text = self.public_key(point.to_bytes(32, "little"))
            (self.folder / "bad.pub").write_text(text, "ascii")
            self.refused('[[key]]\nfile = "bad.pub"\n', '"bad.pub"', "none that sotto keygen makes")
        (self.folder / "bad.pub").write_bytes(b"\xff\xfe")
        self.refused('[[key]]\nfile = "bad.pub"\n', '"bad.pub"', "UTF-8")
        (self.folder / "one.pub").write_text(self.public_key(bytes([9]) + bytes(31)), "ascii")
        self.compiled(GOOD + '[[key]]\nfile = "one.pub"\n')  # the control

    def test_ids_are_those_of_wire_md(self) -> None:
        vectors = json.loads((ROOT / "tests" / "vectors" / "crypto.json").read_text("ascii"))
        for vector in vectors["envelopes"]:
            text = f"sotto public key v1\nx25519 {vector['public_key']}\nid {vector['key_id']}\n"
            Path(self.folder, "one.pub").write_text(text, "ascii")
            code = self.compiled(GOOD + '[[key]]\nfile = "one.pub"\n')["metrics.c"]
            self.assertIn(f".id = 0x{vector['key_id']}u,", code)
