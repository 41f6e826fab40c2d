# SPDX-License-Identifier: Apache-2.0
"""compile, check and diff as commands: exit codes, what is written, what is left alone."""
import json
import os
import shlex
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

from support import BUDGET, DAMAGE, DEVICE, GOOD, HEAD, NIGHT, OUTPUTS, PROGRAM, Workspace


class Compile(Workspace):
    def test_creates_the_folder(self) -> None:
        self.out = self.folder / "a" / "b"
        self.compiled(GOOD)

    def test_a_refusal_leaves_old_files_as_they_are(self) -> None:
        before = self.compiled(GOOD)
        self.write(GOOD.replace("0.5", "0.5x"))
        self.assertEqual(self.run_main("compile", self.source, "--out", self.out).status, 2)
        self.assertEqual(before, {name: (self.out / name).read_text() for name in OUTPUTS})

    def test_a_failed_write_leaves_nothing(self) -> None:
        self.write(GOOD)
        write_bytes = Path.write_bytes

        def full(path: Path, data: bytes) -> int:
            if "json" in path.name:
                raise OSError(28, "No space left on device")
            return write_bytes(path, data)

        with mock.patch.object(Path, "write_bytes", full):
            run = self.compile()
        self.assertEqual((run.status, run.err.count("\n")), (2, 1), run)
        self.assertIn("No space left", run.err)
        self.assertEqual(list(self.out.iterdir()), [])

    def test_the_folder_is_a_file(self) -> None:
        self.write(GOOD)
        self.out.write_text("precious")
        run = self.compile()
        self.assertEqual((run.status, run.err.count("\n")), (2, 1), run)
        self.assertEqual(self.out.read_text(), "precious")

    def test_a_folder_in_the_way_of_a_file(self) -> None:
        self.write(GOOD)
        (self.out / "metrics.json").mkdir(parents=True)
        run = self.compile()
        self.assertEqual((run.status, run.err.count("\n")), (2, 1), run)
        self.assertEqual([path.name for path in self.out.iterdir()], ["metrics.json"])

    @unittest.skipUnless(Path("/dev/full").exists(), "no /dev/full")
    def test_standard_output_is_full(self) -> None:
        self.write(GOOD)
        with open("/dev/full", "w", encoding="ascii") as full:
            run = subprocess.run(
                [sys.executable, PROGRAM, "compile", self.source, "--out", self.out],
                stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            )  # fmt: skip
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run)


class Program(Workspace):
    """The executable itself, in a process of its own."""

    def program(self, *arguments: object, **options: object) -> subprocess.CompletedProcess:
        command = [sys.executable, str(PROGRAM), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)

    def test_mending_with_the_command_that_check_prints(self) -> None:
        self.out = self.folder / "a folder"
        self.write(GOOD)
        self.assertTrue(os.access(PROGRAM, os.X_OK))
        run = self.program("check", self.source, "--out", self.out)
        self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (1, "", 1), run)
        command = shlex.split(run.stderr.split("run: ")[1])
        self.assertEqual(self.program(*command[1:]).returncode, 0)
        self.assertEqual(self.check().status, 0)

    def test_a_refusal_in_a_plain_locale(self) -> None:
        self.write(GOOD.replace("damage", "d\u00e9g\u00e2t"))
        environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        run = self.program("compile", self.source, "--out", self.out, env=environment)
        self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1), run)
        self.assertFalse(self.out.exists())


class Order(unittest.TestCase):
    def test_a_reversed_list_of_arguments(self) -> None:
        for arguments in (["metrics.toml", "compile"], ["metrics.toml", "--out", "d", "check"]):
            done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
            expected = f"the command comes first: sotto-registry {arguments[-1]} ...\n"
            self.assertEqual((done.returncode, done.stderr), (2, expected))


class Unchanged(Workspace):
    """Files that stay as old as they are compile nothing again."""

    def inodes(self) -> dict[str, int]:
        return {name: (self.out / name).stat().st_ino for name in OUTPUTS}

    def test_the_same_registry_replaces_no_file(self) -> None:
        self.compiled(GOOD)
        before = self.inodes()
        self.compiled(GOOD)
        self.assertEqual(self.inodes(), before)

    def test_a_damaged_file_is_replaced_alone(self) -> None:
        wanted = self.compiled(GOOD)
        before = self.inodes()
        (self.out / "metrics.c").write_bytes(b"")
        self.assertEqual(self.compiled(GOOD), wanted)
        self.assertEqual(self.inodes() | {"metrics.c": 0}, before | {"metrics.c": 0})


class Check(Workspace):
    def test_current(self) -> None:
        self.compiled(GOOD)
        run = self.check()
        self.assertEqual((run.status, run.err), (0, ""))

    def assert_stale(self, *names: str) -> None:
        run = self.check()
        self.assertEqual((run.status, run.out, run.err.count("\n")), (1, "", 1), run)
        self.assertIn(": " + ", ".join(names) + "; run: ", run.err)
        self.assertIn(f"compile {self.source} --out {self.out}", run.err)

    def test_a_touched_byte_is_noticed(self) -> None:
        for name in OUTPUTS:
            with self.subTest(name=name):
                self.compiled(GOOD)
                with open(self.out / name, "ab") as file:
                    file.write(b"\n")
                self.assert_stale(name)

    def test_a_missing_file_is_noticed(self) -> None:
        for name in OUTPUTS:
            with self.subTest(name=name):
                self.compiled(GOOD)
                (self.out / name).unlink()
                self.assert_stale(name)

    def test_a_missing_folder_is_noticed_and_not_made(self) -> None:
        self.write(GOOD)
        self.assert_stale(*OUTPUTS)
        self.assertFalse(self.out.exists())

    def test_a_changed_registry_is_noticed(self) -> None:
        self.compiled(GOOD)
        self.write(GOOD.replace("epsilon = 16", "epsilon = 17"))
        self.assert_stale("metrics.c", "metrics.json")
        self.write(GOOD.replace("[0.5, 1, 2]", "[0.5, 1]"))
        self.assert_stale(*OUTPUTS)

    def test_a_bad_registry_is_refused(self) -> None:
        self.write("x = 1")
        self.assert_refused(self.check(), "metrics.toml", "x")

    def test_a_comment_changes_nothing(self) -> None:
        self.compiled(GOOD)
        self.write("# a comment\n" + GOOD)
        self.assertEqual(self.check().status, 0)


class Diff(Workspace):
    def diff(self, old: str, new: str, refusal: str = "") -> list[str]:
        old_path = self.folder / "old.toml"
        old_path.write_text(old)
        self.write(new)
        run = self.run_main("diff", old_path, self.source)
        told = f"devices in the field will refuse this, because {refusal}\n" if refusal else ""
        self.assertEqual((run.status, run.err), (1 if refusal else 0, told))
        return run.out.splitlines()

    def test_nothing(self) -> None:
        self.assertEqual(self.diff(GOOD, "# comment\n" + GOOD), ["no difference"])

    def test_added_and_removed(self) -> None:
        refusal = (
            'there is no room for their state with the accounts of "damage", which stay;'
            " state_bytes = 596 or more would do"
        )
        lines = self.diff(HEAD + DAMAGE, HEAD + NIGHT, refusal)
        self.assertEqual(lines[:2], ['metric 1 "damage": removed', 'metric 7 "night": added'])
        self.assertIn("the way back is closed, because there is no room for their state", lines[2])
        self.assertRegex(lines[3], r"^registry fingerprint: [0-9a-f]{8} -> [0-9a-f]{8}$")

    def test_with_room_metrics_come_and_go(self) -> None:
        head = HEAD + "[device]\nstate_bytes = 596\n"
        lines = self.diff(head + DAMAGE, head + NIGHT)
        self.assertEqual(lines[2], "the way back is open")
        larger = head.replace("596", "600")
        lines = self.diff(head + DAMAGE, larger + DAMAGE)
        self.assertEqual(lines[0], "state: 596 bytes, 20 free -> 600 bytes, 24 free")
        self.assertIn("closed, because there is no room for their state; state_bytes = 600", lines[1])
        self.diff(
            larger + DAMAGE, head + DAMAGE,
            "there is no room for their state; state_bytes = 600 or more would do",
        )  # fmt: skip

    def test_padding_changes_no_fingerprint(self) -> None:
        lines = self.diff(HEAD + DAMAGE, HEAD + "[device]\npad = 0\n" + DAMAGE)
        self.assertEqual(lines[0], "registry: padding_bytes 32 -> 0")
        self.assertEqual(lines[-1], "registry fingerprint: unchanged")

    def test_a_budget_leaves_the_metric_as_it_was(self) -> None:
        (line, state, back, registry) = self.diff(HEAD + DAMAGE, HEAD + DAMAGE + BUDGET)
        self.assertIn('metric 1 "damage": window none -> epochs 7 epsilon 8', line)
        self.assertIn("fingerprint unchanged", line)
        self.assertIn("->", registry)

    def test_a_ladder_makes_another_metric(self) -> None:
        refusal = 'metric 1 "damage" is defined anew; give it a new id'
        line = self.diff(HEAD + DAMAGE, HEAD + DAMAGE.replace("1, 2]", "1, 2, 4]"), refusal)[0]
        self.assertIn("epsilons [0.5, 1, 2] -> [0.5, 1, 2, 4]", line)
        self.assertRegex(line, r"fingerprint [0-9a-f]{8} -> [0-9a-f]{8}: .* counted apart")

    def test_the_head(self) -> None:
        lines = self.diff(HEAD + DAMAGE, HEAD.replace("= 1", "= 2") + DEVICE + DAMAGE)
        self.assertEqual(lines[0], "registry: version 1 -> 2")
        self.assertEqual(lines[1], "registry: device none -> window_epochs 30 epsilon 16")

    def test_words_change_no_device(self) -> None:
        head = HEAD + "epoch_days = 7\nepoch_start = 2024-01-01\n"
        worded = DAMAGE + 'title = "Damage"\n'
        lines = self.diff(HEAD + DAMAGE, head + worded)
        self.assertEqual(lines[:2], [
            "registry: words changed: epoch_days none -> 7; epoch_start none -> 2024-01-01",
            'metric 1 "damage": words changed: title none -> Damage',
        ])  # fmt: skip
        self.assertEqual(lines[2:], ["the way back is open", "registry fingerprint: unchanged"])
        self.assertEqual(len(self.diff(head + worded, head + worded.replace('"D', '"The d'))), 3)

    def test_every_type(self) -> None:
        text = (Path(__file__).parent / "every_type.toml").read_text("utf-8")
        self.assertEqual(self.diff(text, text), ["no difference"])
        for old, new, told in (
            ("[0.75, 0.5]\n", "[0.75, 0.25]\n", "permanent [0.75, 0.5] -> [0.75, 0.25]"),
            ("max_values = 4", "max_values = 5", "max_values 4 -> 5"),
            ("margin = 3", "margin = 4", "margin 3 -> 4"),
        ):  # fmt: skip
            which = '301 "speed"' if "margin" in told else '300 "app"'
            anew = f"metric {which} is defined anew; give it a new id"
            line = self.diff(text, text.replace(old, new), anew)[0]
            self.assertIn(told, line)
            self.assertIn("counted apart", line)
        changed = text.replace("forward = [3, 4]", "forward = [3, 5]")
        line = self.diff(text, changed, 'metric 1 "smoke" lost or changed a forward level')[0]
        self.assertIn("forward [3, 4] -> [3, 5] (refused", line)

    def test_an_old_metrics_json(self) -> None:
        self.compiled(GOOD)
        run = self.run_main("diff", self.out / "metrics.json", self.source)
        self.assertEqual((run.status, run.out), (0, "no difference\n"))

    def test_other_integers_are_noticed(self) -> None:
        document = json.loads(self.compiled(GOOD)["metrics.json"])
        document["metrics"][0]["table"]["flip"][0] = "1"
        (self.out / "metrics.json").write_text(json.dumps(document))
        run = self.run_main("diff", self.out / "metrics.json", self.source)
        self.assertIn("table: other integers", run.out)

    def test_a_bad_json_is_refused(self) -> None:
        self.write(GOOD)
        old = self.folder / "old.json"
        document = {"format": 2, "registry": {}, "device": None, "metrics": []}
        for text in (
            "", "[]", "1", "{}", "[" * 100000, '{"format": 1}', '{"format": 2}', "9" * 5000,
            json.dumps(document), '{"format": 2, "registry": 3, "device": 1, "metrics": 3}',
        ):  # fmt: skip
            with self.subTest(text=text[:40]):
                old.write_text(text)
                self.assert_refused(self.run_main("diff", old, self.source), "old.json")


class Usage(Workspace):
    def test_bad_usage_is_one_line(self) -> None:
        self.write(GOOD)
        for arguments in (
            [], ["frobnicate"], ["compile"], ["compile", self.source],
            ["compile", self.source, "--out"], ["compile", self.source, "--out", self.out, "more"],
            ["compile", self.source, "--ou", self.out], ["check", "--out", self.out], ["diff", "a"],
        ):  # fmt: skip
            with self.subTest(arguments=arguments):
                self.assert_refused(self.run_main(*arguments), "--help")

    def test_help(self) -> None:
        self.assertEqual(self.run_main("--help").status, 0)


if __name__ == "__main__":
    unittest.main()
