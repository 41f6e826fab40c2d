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

BATCH_BEGIN = 10  # version, registry and the batch's own tag and length


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
                    report = 2 + envelope[BATCH_BEGIN + 1]
                    named = report + (0 if level else wire_size.LEVEL) + wire_size.EPOCH_AGE
                    most = wire_size.report(int(identifier), tables[int(identifier)], False)
                    self.assertEqual(most, named)
                    self.assertEqual(wire_size.envelope(report, sealed=False), len(envelope))
                    seen += 1
        self.assertGreater(seen, 40)


if __name__ == "__main__":
    unittest.main()
