# SPDX-License-Identifier: Apache-2.0
"""
The bytes of a report, by what a device sends: tests/vectors/reports.txt. The host counts them by
itself, as `sotto plan` knows no registry; tests/aggregator/mechanism_test.cpp holds it to the same.
"""
import unittest

from support import ROOT

from registry import wire_size
from registry.document import compile_registry
from registry.files import parse_toml
from registry.schema import read_registry

BATCH_BEGIN = 10  # length, version, registry and the batch's own tag and length
EPOCH, SEED, RELEASES, PADDING = 1, 2, 7, 9
COLUMN = 3  # with one small number


def fields_of(batch: bytes) -> dict[int, int]:
    """How long each field is."""
    lengths, at = {}, 0
    while at < len(batch):
        number, begin = batch[at] >> 3, at
        if number == EPOCH:
            at += 2
            while batch[at - 1] & 128:
                at += 1
        elif number == SEED:
            at += 9
        else:
            length, shift, at = 0, 0, at + 1
            while True:
                length |= (batch[at] & 127) << shift
                shift, at = shift + 7, at + 1
                if batch[at - 1] < 128:
                    break
            at += length
        lengths[number] = at - begin
    return lengths


class WireSize(unittest.TestCase):
    def test_reports_of_a_device(self) -> None:
        text = (ROOT / "tests/mechanisms.toml").read_text(encoding="utf-8")
        compiled = compile_registry(read_registry(parse_toml(text)))
        tables = dict(zip((m.id for m in compiled.registry.metrics), compiled.tables))
        seen = 0
        for line in (ROOT / "tests/vectors/reports.txt").read_text(encoding="utf-8").splitlines():
            _, identifier, *envelopes = line.split()
            for level, envelope in enumerate(bytes.fromhex(sent) for sent in envelopes):
                with self.subTest(line=line[:12], level=level):
                    metric, table = int(identifier), tables[int(identifier)]
                    values = wire_size.value_bits(table, True)
                    new = wire_size.batch(1, 1 if metric < 128 else 2, values, known=False)
                    begin = BATCH_BEGIN if len(envelope) < 129 else BATCH_BEGIN + 2
                    fields = fields_of(envelope[begin:])
                    sent = sum(fields.values()) - fields.get(EPOCH, 0) - fields.get(PADDING, 0)
                    self.assertEqual(SEED in fields, level == 0)
                    known = new - 9 + 10 + 2 * COLUMN  # its id, a level and flags
                    self.assertEqual(sent, known if level else new)
                    whole = sent + fields.get(EPOCH, 0)
                    self.assertEqual(wire_size.envelope(whole, False, 32), len(envelope))
                    most = wire_size.flush_bytes_min([(metric, table)], False, 32)
                    self.assertLessEqual(len(envelope), most)
                    seen += 1
        self.assertGreater(seen, 40)


if __name__ == "__main__":
    unittest.main()
