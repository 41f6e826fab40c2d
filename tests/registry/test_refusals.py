# SPDX-License-Identifier: Apache-2.0
"""Every refusal is one line that names file, metric and key, exit 2, and nothing is written."""
import json
import os
import shutil
import unittest

from support import BUDGET, DAMAGE, DEVICE, GOOD, HEAD, NIGHT, Workspace


def without(key: str, text: str) -> str:
    return "".join(line for line in text.splitlines(True) if not line.startswith(key))


class Refusals(Workspace):
    def refused(self, text: str | bytes, *words: str) -> None:
        with self.subTest(text=text[-120:]):
            self.last = self.compile(text)
            self.assert_refused(self.last, "metrics.toml: ", *words)

    def refused_each(self, good: str, part: str, cases: dict[str, tuple[str, ...]]) -> None:
        """`good` is fine; with `part` replaced it is refused with these words."""
        self.assertEqual(good.count(part), 1)
        for replacement, words in cases.items():
            self.refused(good.replace(part, replacement), *words)


class Files(Refusals):
    def test_missing_or_unreadable(self) -> None:
        self.assert_refused(self.compile(), "metrics.toml", "No such file")
        self.source.mkdir()
        self.assert_refused(self.compile(), "metrics.toml", "directory")
        run = self.run_main("compile", "a\0b", "--out", self.out)
        self.assert_refused(run, "null byte")
        run = self.run_main("compile", self.folder / "new\nline", "--out", self.out)
        self.assert_refused(run, "new\\x0aline")

    @unittest.skipIf(os.name != "posix" or os.geteuid() == 0, "root reads everything")
    def test_permissions(self) -> None:
        self.write(GOOD)
        self.source.chmod(0)
        self.assert_refused(self.compile(), "metrics.toml", "Permission denied")

    def test_not_toml(self) -> None:
        self.refused(HEAD + "what is this", "not TOML", "line 4")
        self.refused(HEAD + "[device", "not TOML", "line 4")
        self.refused(HEAD + HEAD, "not TOML", "line 4")
        self.refused(HEAD + "name = 'a\x00'", "not TOML")
        self.refused("a = " + "[" * 100000, "too deeply")
        self.refused(GOOD.replace("id = 7", "id = " + "7" * 5000), "digits")

    def test_not_utf8(self) -> None:
        self.refused(GOOD.encode("utf-16"), "UTF-8")
        self.refused(HEAD.encode() + b"# caf\xe9\n", "line 4", "0xe9", "UTF-8")
        self.refused(b"\xef\xbb\xbf" + GOOD.encode(), "byte order mark")

    def test_too_large(self) -> None:
        self.refused(GOOD + "#" * (1 << 20), "larger than 1048576 bytes")

    def test_empty(self) -> None:
        self.refused("", "registry: missing")
        self.refused(HEAD, "metric: missing", "at least one")
        self.refused(HEAD + DEVICE, "metric: missing")
        self.refused("metric = []\n" + HEAD, "metric: missing")


class Tables(Refusals):
    def test_unknown_keys_are_told_with_the_near_one(self) -> None:
        self.refused(GOOD + "[devices]", 'unknown key "devices"', 'mean "device"', "registry")
        self.refused("x = 1\n" + GOOD, 'unknown key "x"', "registry, device, metric")
        self.refused_each(GOOD, "version = 1", {
            "version = 1\nversoin = 2": ("[registry]", "versoin", 'mean "version"', "name"),
        })  # fmt: skip
        self.refused_each(GOOD, "epsilon = 16", {
            "epsilon = 16\nepsilons = [1]": ("[device]", "epsilons", 'mean "epsilon"'),
        })  # fmt: skip
        self.refused_each(HEAD + DAMAGE, "epsilons =", {
            "epsilon =": ('metric "damage"', "epsilon", 'mean "epsilons"', "window_epochs"),
            '"a\\nb" =': ("a\\x0ab",),
            '"' + "k" * 5000 + '" =': ("kkk...",),
        })  # fmt: skip
        self.refused_each(HEAD + DAMAGE, "type =", {"typ =": ("typ", 'mean "type"')})

    def test_wrong_kinds_of_table(self) -> None:
        for text, words in {
            "registry = 1\n" + DAMAGE: ("[registry]", "1 is not a table"),
            "[[registry]]\n" + DAMAGE: ("[registry]", "an array"),
            HEAD + "[[device]]\n" + DAMAGE: ("[device]", "an array"),
            "device = 1\n" + HEAD + DAMAGE: ("[device]", "1 is not a table"),
            HEAD + DAMAGE.replace("[[metric]]", "[metric]"): ("metric: a table", "[[metric]]"),
            "metric = 3\n" + HEAD: ("metric: 3", "[[metric]]"),
            "metric = [3]\n" + HEAD: ("[[metric]] number 1", "3 is not a table"),
        }.items():
            self.refused(text, *words)

    def test_missing_keys(self) -> None:
        for line in ("name", "version"):
            self.refused(without(line, HEAD) + DAMAGE, "[registry]", f"{line}: missing")
        for line in ("window_epochs", "epsilon"):
            self.refused(HEAD + without(line, DEVICE) + DAMAGE, "[device]", f"{line}: missing")
        for line in ("id", "type", "epsilons"):
            self.refused(HEAD + without(line, DAMAGE), 'metric "damage"', f"{line}: missing")
        self.refused(HEAD + NIGHT + without("name", DAMAGE), "[[metric]] number 2", "name: missing")

    def test_registry(self) -> None:
        self.refused_each(GOOD, '"bird-strikes"', {
            name: ("[registry]", "name", word) for name, word in (
                ('""', "1 to 32"), ('"Bird"', "a-z"), ('"bird_strikes"', "a-z"),
                ('"1st"', "letter"),
                ('"-x"', "letter"), (f'"{"x" * 33}"', "1 to 32"),
                ('"a--b"', "follows"),
                ('"a-"', "follows"), ('"sotto"', "reserved"), ('"sotto-err"', "reserved"),
                ('"int"', "keyword"), ('"static-cast"', "keyword"), ('"linux"', "macro"),
                ('"std"', "library"), ('"time"', "library"), ("3", "3 is not"),
                ('"bird\\n"', "a-z"), ('"b\\u00efrd"', "a-z"),
            )
        })  # fmt: skip
        self.refused_each(GOOD, "version = 1", {
            f"version = {value}": ("[registry]", "version", "1 to 4294967295")
            for value in ("0", "-1", "1.0", "true", '"1"', "4294967296", "[1]", "1979-05-27")
        })  # fmt: skip

    def test_device(self) -> None:
        self.refused(
            HEAD + DEVICE + "start_paused = 1\n" + DAMAGE, "[device]", "start_paused: 1 is not true or false"
        )
        for size, said in (
            ("0", "4 to 16777216"), ("true", "4 to 16777216"), ("1022", "1022 is not a multiple of 4"),
            ("596", "these metrics and releases need 812, and"), ("1048576", "at most are allowed"),
        ):  # fmt: skip
            self.refused(HEAD + DEVICE + f"state_bytes = {size}\n" + DAMAGE, "[device]", said)
        good = HEAD + DEVICE + DAMAGE
        self.refused_each(good, "window_epochs = 30", {
            f"window_epochs = {value}": ("[device]", "window_epochs", "1 to 64")
            for value in ("0", "65", "-1", "7.0", "true", '"7"', "0x" + "f" * 5000)
        })  # fmt: skip
        self.refused_each(good, "epsilon = 16", {
            f"epsilon = {value}": ("[device]", "epsilon: ", "[0.001, 2000]")
            for value in ("0", "2001", "-1", "true", '"16"', "nan", "inf", "[16]", "12:00:00")
        })  # fmt: skip
        for value in ("33", "2000"):
            self.assertEqual(self.compile(good.replace("epsilon = 16", f"epsilon = {value}")).status, 0)


class Metrics(Refusals):
    def test_id(self) -> None:
        self.refused_each(HEAD + DAMAGE, "id = 1", {
            f"id = {value}": ('metric "damage"', "id: ", "an integer from 1 to 65535")
            for value in ("0", "65536", "-1", "1.0", "true", '"1"', "[1]", "0x" + "f" * 9999)
        })  # fmt: skip
        self.refused(HEAD + DAMAGE + NIGHT.replace("7", "1"), 'metric "night"', "id: 1", '"damage"')

    def test_name(self) -> None:
        self.refused(HEAD + DAMAGE + NIGHT.replace("night", "damage"), "name", "another metric's")
        self.refused_each(HEAD + DAMAGE, '"damage"', {
            name: ("metric", "name: ", word) for name, word in (
                ('""', "1 to 64"), ('"Damage"', "a-z"), ('"a-b"', "a-z"), ('"1a"', "letter"),
                ('"_a"', "letter"), (f'"{"x" * 65}"', "1 to 64"), ('"a__b"', "two '_'"),
                ('"client"', "reserved"), ('"registry"', "reserved"), ('"int"', "keyword"),
                ('"co_await"', "keyword"), ('"xor"', "keyword"), ('"linux"', "macro"),
                ('"unix"', "macro"), ("3", "3 is not"), ('"a\\nb"', "a-z"), ('"\\u0430"', "a-z"),
                ('"\\u001b[31m"', "a-z"),
            )
        })  # fmt: skip

    def test_a_macro_of_the_c_library(self) -> None:
        for registry, name, macro in (
            ("uint32", "max", "UINT32_MAX"), ("size", "max", "SIZE_MAX"), ("int-fast8", "min", ""),
        ):  # fmt: skip
            text = GOOD.replace("bird-strikes", registry).replace("damage", name)
            self.refused(text, f'metric "{name}"', "name", macro)
        self.assertEqual(self.compile(GOOD.replace("damage", "max")).status, 0)

    def test_type_and_mechanism(self) -> None:
        for value in ('"bool"', '"Boolean"', '"meter"', '""', "1", "[1]", "true"):
            self.refused(
                (HEAD + DAMAGE).replace('"boolean"', value),
                'metric "damage"', "type: ", '"boolean", "category"',
            )  # fmt: skip
        for value in ('"rappor"', '"randomised_response"', '""', "1", '["unary"]'):
            self.refused(
                HEAD + DAMAGE + f"mechanism = {value}",
                'metric "damage"', "mechanism: ", '"randomized_response", "laplace_threshold"',
            )  # fmt: skip

    def test_epsilons(self) -> None:
        good, part = HEAD + DAMAGE, "[0.5, 1, 2]"
        not_numbers = ("true", '"1"', "nan", "-nan", "inf", "-inf", "[1]", "{}", "1979-05-27")
        outside = (
            "0", "0.0009", "-1", "32.0000001", "40", "1e400", "1e-400", "1e999999999999999999999",
            "1e-999999999999999999999", "-0.0", "0x" + "f" * 9999, "0." + "0" * 9999 + "1",
        )  # fmt: skip
        where = ('metric "damage": epsilons: ',)
        self.refused_each(good, part, {
            f"[{value}]": (*where, "is not a number in [0.001, 32]") for value in not_numbers
        } | {
            f"[1, {value}]": (*where, "is outside [0.001, 32]") for value in outside
        } | {
            "[]": (*where, "0 levels; 1 to 16"),
            str(list(range(1, 18))): (*where, "17 levels; 1 to 16"),
            "1": (*where, "1 is not an array of rising numbers"),
            "[1, 1]": (*where, "1 does not rise above 1"),
            "[1, 1.0]": (*where, "1.0 does not rise above 1"),
            "[0.5, 2, 1]": (*where, "1 does not rise above 2"),
            "[1." + "3" * 30 + "]": (*where, "30 significant digits"),
            "[1, 1.00000000000000000001]": (*where, "too close to certify"),
            "[31.99999999999, 32]": (*where, "31.99999999999", "too close to certify"),
        })  # fmt: skip
        self.write(good.replace(part, "[40]"))
        self.assertEqual(
            self.compile().err,
            f'{self.source}: metric "damage": epsilons: 40 is outside [0.001, 32]\n',
        )

    def test_sixteen_levels_are_fine(self) -> None:
        text = HEAD + DAMAGE.replace("[0.5, 1, 2]", str(list(range(1, 17))))
        self.assertEqual(self.compile(text).status, 0)

    def test_window(self) -> None:
        where = ('metric "damage"',)
        good = HEAD + DAMAGE + BUDGET
        self.refused_each(good, "window_epochs = 7\n", {
            "": (*where, "window_epochs: missing"),
            "window_epochs = 0\n": (*where, "window_epochs: 0", "1 to 64"),
            "window_epochs = 65\n": (*where, "window_epochs: 65", "1 to 64"),
        })  # fmt: skip
        self.refused_each(good, "window_epsilon = 8\n", {
            "": (*where, "window_epsilon: missing"),
            "window_epsilon = true\n": (*where, "window_epsilon: true", "[0.001, 32]"),
            "window_epsilon = 33\n": (*where, "window_epsilon: 33", "[0.001, 32]"),
            "window_epsilon = 0.49\n": (*where, "epsilons", "0.5", "window_epsilon", "0.49"),
        })  # fmt: skip

    def test_device_budget(self) -> None:
        text = GOOD.replace("epsilon = 16", "epsilon = 0.4")
        self.refused(text, 'metric "damage"', "epsilons", "0.5", "the device's epsilon", "0.4")
        self.assertEqual(self.compile(GOOD.replace("= 16", "= 0.5")).status, 0)

    def test_device_without_a_budget(self) -> None:
        jump = "[device]\nmax_epoch_jump = %s\n"
        files = self.compiled(HEAD + jump % 7 + DAMAGE)
        document = json.loads(files["metrics.json"])
        self.assertEqual((document["device"], document["max_epoch_jump"]), (None, 7))
        shutil.rmtree(self.out)
        self.refused(HEAD + jump % 0 + DAMAGE, "[device]: max_epoch_jump: 0", "1 to 4294967295")
        self.refused(HEAD + jump % 7 + "epsilon = 1\n" + DAMAGE, "[device]", "window_epochs")

    def test_padding(self) -> None:
        pad = "[device]\npad = %s\n"
        for step in (0, 8, 16, 64):
            document = json.loads(self.compiled(HEAD + pad % step + DAMAGE)["metrics.json"])
            self.assertEqual(document["padding_bytes"], step)
            shutil.rmtree(self.out)
        for step in (1, 24, 48):
            self.refused(HEAD + pad % step + DAMAGE, "[device]: pad:", f"{step} is not one of 0, 8")
        self.refused(HEAD + pad % 128 + DAMAGE, "[device]: pad: 128", "0 to 64")

    def test_spending(self) -> None:
        where = ('metric "damage"',)
        good = HEAD + DAMAGE + "per_epoch = 255\nrequest_level = 2\n"
        self.assertEqual(self.compile(good).status, 0)
        shutil.rmtree(self.out)
        self.refused_each(good, "per_epoch = 255\n", {
            "per_epoch = 0\n": (*where, "per_epoch: 0", "1 to 255"),
            "per_epoch = 256\n": (*where, "per_epoch: 256"),
        })  # fmt: skip
        self.refused_each(good, "request_level = 2\n", {
            "request_level = 3\n": (*where, "request_level: 3", "0 to 2"),
            "forward = [4]\nrequest_level = 3\n": (*where, "request_level: 3", "0 to 2"),
            "forward = [4]\n": (*where, "per_epoch: 255", "with forward it is 1"),
        })  # fmt: skip

    def test_a_budget_counts_in_steps(self) -> None:
        """A charge is rounded up, a budget is rounded down."""
        text = HEAD + NIGHT + "window_epochs = 7\nwindow_epsilon = %s\n"
        self.refused(text % "0.1", 'metric "night"', "charged 0.10000039", "2^-20", "0.1:", "would do")
        self.assertEqual(self.compile(text % "0.10000038").status, 2)
        self.assertEqual(self.compile(text % "0.10000039").status, 0)

    def test_too_many(self) -> None:
        many = "".join(NIGHT.replace("7", str(i)).replace("night", f"m{i}") for i in range(1, 1026))
        self.refused(HEAD + many, "metric: 1025", "1024")


if __name__ == "__main__":
    unittest.main()
