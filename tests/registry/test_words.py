# SPDX-License-Identifier: Apache-2.0
"""Words reach metrics.json, and nothing that a device or a fingerprint is made of."""
import json

from support import DAMAGE, HEAD, metric
from test_refusals import Refusals

DELAY = metric("integer", "min = 0\nmax = 60")
PHASE = metric("category", 'categories = ["a few", "many"]')
WORDS = 'title = "D\u00e9lai"\nunit = "minutes"\ndescription = "How late it left."\n'


class Words(Refusals):
    def document(self, text: str) -> dict:
        return json.loads(self.compiled(text)["metrics.json"])

    def test_a_device_has_none(self) -> None:
        plain = self.compiled(HEAD + DELAY)
        worded = self.compiled(HEAD + "epoch_days = 7\n" + DELAY + WORDS)
        for name in ("metrics.h", "metrics.c"):
            self.assertEqual(plain[name], worded[name])
        before, after = json.loads(plain["metrics.json"]), json.loads(worded["metrics.json"])
        self.assertEqual(after.pop("words"), {"epoch_days": 7, "epoch_start": "1970-01-01"})
        self.assertEqual(
            after["metrics"][0].pop("words"),
            {"title": "D\u00e9lai", "unit": "minutes", "description": "How late it left."},
        )
        self.assertEqual(before, after)

    def test_none_leave_the_file_as_it_was(self) -> None:
        document = self.document(HEAD + PHASE + "ordered = false\n")
        self.assertNotIn("words", document)
        self.assertNotIn("words", document["metrics"][0])

    def test_order_and_start(self) -> None:
        head = HEAD + "epoch_days = 1\nepoch_start = 2024-02-29\n"
        document = self.document(head + PHASE + "ordered = true\n")
        self.assertEqual(document["metrics"][0]["words"], {"ordered": True})
        self.assertEqual(document["words"]["epoch_start"], "2024-02-29")

    def test_texts_are_one_short_line(self) -> None:
        self.refused_each(HEAD + DELAY + WORDS, '"minutes"', {
            '""': ('metric "it"', "unit:", "1 to 20 printable"),
            '"' + "m" * 21 + '"': ("unit:", "1 to 20"),
            '"a\\nb"': ("unit:", "printable"),
            '"\\u202e"': ("unit:", "printable"),
            '" m"': ("unit:", "without blanks"),
            "3": ("unit:", "3 is not 1 to 20"),
        })  # fmt: skip
        self.refused(HEAD + DELAY + f'title = "{"t" * 61}"\n', "title:", "1 to 60")
        self.refused(HEAD + DELAY + f'description = "{"t" * 401}"\n', "description:", "1 to 400")

    def test_a_type_has_its_own(self) -> None:
        self.refused(HEAD + DAMAGE + 'unit = "m"\n', 'unknown key "unit"')
        self.refused(HEAD + DELAY + "ordered = true\n", 'unknown key "ordered"')
        self.refused(HEAD + PHASE + "ordered = 1\n", "ordered: 1 is not true or false")

    def test_calendars(self) -> None:
        for line, *words in (
            ("epoch_days = 0", "epoch_days: 0 is not an integer from 1 to 366"),
            ("epoch_start = 2024-01-01", "epoch_start: needs epoch_days"),
            ("epoch_days = 1\nepoch_start = 1969-12-31", "1969-12-31 is not a day from 1970-01-01"),
            ("epoch_days = 1\nepoch_start = 2024-01-01T00:00:00", "T00:00:00 is not a day"),
            ('epoch_days = 1\nepoch_start = "2024-01-01"', "the string", "without quotes"),
        ):
            self.refused(HEAD + line + "\n" + DAMAGE, "[registry]", *words)
