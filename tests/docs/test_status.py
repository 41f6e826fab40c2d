# SPDX-License-Identifier: Apache-2.0
"""No page or example takes a note for a failure, and each status has its remedy."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORTS = re.compile(r"\b(sotto_report_|sotto_extend_)\w+\(|\.(report|extend)\(")
COMPARES = re.compile(r"[=!]=\s*SOTTO_OK\b|\bSOTTO_OK\s*[=!]=")
CODE = (".c", ".h", ".cpp", ".hpp")
SHOWN = ("docs", "examples", "ports", "tests/consume", "tests/end_to_end")


def takes_notes_for_failures(text: str) -> bool:
    """A report that is compared with SOTTO_OK is silenced by a clamped value."""
    return bool(REPORTS.search(text)) and bool(COMPARES.search(text))


def shown() -> list[Path]:
    folders = [path for folder in SHOWN for path in (ROOT / folder).rglob("*") if path.suffix in (*CODE, ".md")]
    return [*ROOT.glob("*.md"), *folders]


def statuses() -> dict[str, int]:
    header = (ROOT / "sdk" / "include" / "sotto" / "status.h").read_text(encoding="utf-8")
    return {name: int(number) for name, number in re.findall(r"\b(SOTTO_[A-Z0-9_]+) = (-?\d+)", header)}


class Status(unittest.TestCase):
    def test_no_page_compares_a_report_with_ok(self) -> None:
        files = shown()
        self.assertGreater(sum(bool(REPORTS.search(f.read_text(encoding="utf-8"))) for f in files), 5)
        wrong = [str(f.relative_to(ROOT)) for f in files if takes_notes_for_failures(f.read_text(encoding="utf-8"))]
        self.assertEqual(wrong, [], "use SOTTO_FAILED(status)")

    def test_a_comparison_would_be_found(self) -> None:
        call = "status = sotto_report_integer(&device.client, HOME_POWER, 5);\n"
        for line in ("if (status == SOTTO_OK) {", "if (SOTTO_OK != status)", "return status!=SOTTO_OK;"):
            self.assertTrue(takes_notes_for_failures(call + line), line)
        self.assertTrue(takes_notes_for_failures("if (device.report(home::power, 5) != SOTTO_OK) {"))
        self.assertFalse(takes_notes_for_failures(call + "if (SOTTO_FAILED(status)) {"))

    def test_each_status_has_a_remedy(self) -> None:
        page = (ROOT / "docs" / "TROUBLESHOOTING.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `(\w+)` \| (-?\d+) \| (.+) \| (.+) \|$", page, re.MULTILINE)
        self.assertEqual({name: int(number) for name, number, _, _ in rows}, statuses())
        self.assertEqual(len(rows), len(statuses()))


if __name__ == "__main__":
    unittest.main()
