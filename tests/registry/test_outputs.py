# SPDX-License-Identifier: Apache-2.0
"""The three files: what they say, that compilers accept them, and that they agree."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import unittest

from support import DAMAGE, DEVICE, GOOD, HEAD, INCLUDE, NIGHT, ROOT, Workspace

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wpedantic", "-Werror"]
C = [["gcc", "-std=c99"], ["clang-14", "-std=c99"]]
CPP = [[compiler, f"-std=c++{year}"] for compiler in ("g++", "clang++-14") for year in (11, 20)]
LONG = (
    f'[registry]\nname = "{"r" * 32}"\nversion = 1\n[[metric]]\nid = 65535\nname = "{"m" * 64}"\n'
    'type = "boolean"\nepsilons = [0.123456789012345678901234567891, 10.123456789]\n'
)
AWKWARD = "sotto std memory init time uint16_t sotto_status bird_strikes_client".split()

USE_CPP = """
#include "metrics.h"
#include "metrics.h"
#include <cstdlib>
static bird_strikes::client device;
int main() {
    const sotto_port port = {};
    size_t length = 0;
    uint8_t buffer[64];
    if (device.init(port) != SOTTO_OK || device.advance(1) != SOTTO_OK) {
        return 1;
    }
    if (device.report(bird_strikes::damage, %s) != SOTTO_OK) {
        return 1;
    }
    return device.flush(buffer, sizeof buffer, length) == SOTTO_OK ? 0 : 1;
}
"""
USE_C = """
#include "metrics.h"
#include "metrics.c"
static bird_strikes_client device;
int main(void) {
    const sotto_port port = {0};
    %s bird_strikes_init(&device, &port);
    return status == SOTTO_OK && BIRD_STRIKES_DAMAGE == 1u ? 0 : 1;
}
"""


class Accepted(Workspace):
    """By compilers, under every warning that the SDK itself is built with and more."""

    def compiles(
        self, command: list[str], source: str, output: tuple[str, ...] = ("-fsyntax-only",)
    ) -> bool:
        if shutil.which(command[0]) is None:
            self.skipTest(f"{command[0]} is not installed")
        language = "c++" if "++" in command[0] else "c"
        run = subprocess.run(
            [*command, *WARNINGS, f"-I{INCLUDE}", f"-I{self.out}", *output]
            + ["-x", language, "-"],
            input=source, text=True, capture_output=True, check=False,
        )  # fmt: skip
        self.diagnosis = run.stderr
        return run.returncode == 0

    def test_c(self) -> None:
        self.compiled(GOOD)
        for command in C:
            with self.subTest(command=command):
                used = USE_C % "sotto_status status ="
                self.assertTrue(self.compiles(command, used), self.diagnosis)

    def test_cpp(self) -> None:
        self.compiled(GOOD)
        for command in CPP:
            with self.subTest(command=command):
                self.assertTrue(self.compiles(command, USE_CPP % "true"), self.diagnosis)

    def test_the_longest_and_most_awkward_names(self) -> None:
        self.compiled(LONG)
        self.assertTrue(self.compiles(CPP[0], '#include "metrics.h"'), self.diagnosis)
        metrics = (NIGHT.replace("7", f"{i}").replace("night", n) for i, n in enumerate(AWKWARD, 1))
        self.compiled(HEAD + "".join(metrics))
        self.assertTrue(self.compiles(CPP[0], '#include "metrics.h"'), self.diagnosis)

    def test_mistakes_do_not_compile(self) -> None:
        self.compiled(GOOD)
        self.assertFalse(self.compiles(CPP[0], USE_CPP % "1"), "a number is not a boolean")
        self.assertIn("deleted", self.diagnosis)
        ignored = USE_C % "sotto_status status = SOTTO_OK;"
        output = ("-S", "-o", os.devnull)  # gcc finds this one only when it generates code
        self.assertFalse(self.compiles(C[0], ignored, output), "a status can't be ignored")
        self.assertIn("unused", self.diagnosis)

    def test_columns(self) -> None:
        for text in (GOOD, HEAD.replace("bird-strikes", "r" * 20) + NIGHT):
            for name, content in self.compiled(text).items():
                if not name.endswith(".json"):
                    self.assertLessEqual(max(map(len, content.splitlines())), 100, name)

    def test_the_layout_is_clang_formats(self) -> None:
        program = shutil.which("clang-format-14") or shutil.which("clang-format")
        if program is None:
            self.skipTest("clang-format is not installed")
        style = f"--style=file:{ROOT / '.clang-format'}"
        self.compiled(GOOD)
        run = subprocess.run(
            [program, style, "--dry-run", "-Werror"]
            + [str(self.out / name) for name in ("metrics.h", "metrics.c")],
            text=True, capture_output=True, check=False,
        )  # fmt: skip
        self.assertEqual((run.returncode, run.stderr), (0, ""))


class Contents(Workspace):
    def test_json(self) -> None:
        document = json.loads(self.compiled(GOOD)["metrics.json"])
        keys = ["format", "registry", "device", "budget", "max_epoch_jump", "state", "metrics"]
        self.assertEqual(list(document), keys)
        self.assertEqual(document["format"], 2)
        self.assertEqual(document["device"], {"window_epochs": 30, "epsilon": "16"})
        damage, night = document["metrics"]
        self.assertEqual((damage["id"], damage["name"]), (1, "damage"))
        self.assertEqual(damage["window"], {"epochs": 7, "epsilon": "8"})
        self.assertEqual((damage["random_bytes"], damage["value_words"]), (8, 1))
        self.assertEqual([level["nominal"] for level in damage["levels"]], ["0.5", "1", "2"])
        self.assertEqual(damage["joint"], damage["levels"][-1]["realised"])
        self.assertEqual(damage["levels"][0]["probabilities"]["flip"]["denominator_bits"], 192)
        self.assertEqual(
            damage["levels"][2]["probabilities"],
            {"flip": {"numerator": damage["table"]["flip"][2], "denominator_bits": 64}},
        )
        self.assertIsNone(night["window"])
        self.assertEqual(night["levels"][0]["nominal"], "0.1")

    def test_json_without_device(self) -> None:
        files = self.compiled(HEAD + NIGHT)
        self.assertIsNone(json.loads(files["metrics.json"])["device"])
        self.assertTrue(files["metrics.json"].endswith("}\n"))

    def test_epsilons_are_normalised(self) -> None:
        written = "[0.0010, 1e-1, 0.50, 1, 2.0, 3_0.0, 3.2e1]"
        text = HEAD + NIGHT.replace("[1e-1]", written)
        levels = json.loads(self.compiled(text)["metrics.json"])["metrics"][0]["levels"]
        self.assertEqual(
            [level["nominal"] for level in levels], ["0.001", "0.1", "0.5", "1", "2", "30", "32"]
        )

    def test_c_and_json_hold_the_same_integers(self) -> None:
        files = self.compiled(GOOD)
        document = json.loads(files["metrics.json"])
        limbs = re.findall(r"\{\{0x([0-9a-f]{8})u, 0x([0-9a-f]{8})u\}\}", files["metrics.c"])
        flips = [flip for metric in document["metrics"] for flip in metric["table"]["flip"]]
        self.assertEqual([str(int(high + low, 16)) for low, high in limbs], flips)
        prints = re.findall(r"fingerprint = 0x([0-9a-f]{8})u", files["metrics.c"])
        expected = [metric["fingerprint"] for metric in document["metrics"]]
        self.assertEqual(prints, [*expected, document["registry"]["fingerprint"]])

    def test_metrics_ascend_by_id(self) -> None:
        ordered, turned = self.compiled(HEAD + DAMAGE + NIGHT), self.compiled(HEAD + NIGHT + DAMAGE)
        self.assertEqual(ordered, turned)
        self.assertLess(ordered["metrics.c"].find(".id = 1"), ordered["metrics.c"].find(".id = 7"))

    def test_releases_grow_with_the_metrics(self) -> None:
        many = "".join(
            NIGHT.replace("7", str(i), 1).replace("night", f"night_{i}") for i in range(1, 11)
        )
        header = self.compiled(HEAD + many)["metrics.h"]
        self.assertIn("uint32_t accounts[55];", header)
        self.assertIn("sotto_release releases[20];", header)
        self.assertIn("sotto_release releases[8];", self.compiled(GOOD)["metrics.h"])

    def test_nothing_of_this_machine_is_in_them(self) -> None:
        for content in self.compiled(GOOD).values():
            self.assertNotIn(str(self.folder), content)
        self.assertIn("from metrics.toml; do not edit.", (self.out / "metrics.h").read_text())

    def test_deterministic(self) -> None:
        first = self.compiled(GOOD)
        self.assertEqual(first, self.compiled(GOOD))
        same = GOOD.replace("[0.5, 1, 2]", "[5e-1, 1.0, 2.00] # the same").replace("\n", "\r\n")
        self.assertEqual(first, self.compiled(same))


class Fingerprints(Workspace):
    def prints(self, text: str) -> tuple[str, list[str]]:
        document = json.loads(self.compiled(text)["metrics.json"])
        return (
            document["registry"]["fingerprint"],
            [metric["fingerprint"] for metric in document["metrics"]],
        )

    def test_recomputed_by_hand(self) -> None:
        registry, (damage, night) = self.prints(GOOD)
        canonical = (
            '{"epsilons":["0.1"],"id":7,"mechanism":"randomized_response","name":"night",'
            '"table":{"bits":64,"flip":["8762587358261559785"]},"type":"boolean"}'
        )
        digest = hashlib.sha256(b"\x0fsotto metric v1" + canonical.encode()).hexdigest()
        self.assertEqual(night, digest[:8])
        canonical = (
            '{"device":{"epsilon":"16","window_epochs":30},"max_epoch_jump":400,"metrics":'
            '[{"fingerprint":"%s","per_epoch":1,"request_level":0,'
            '"window":{"epochs":7,"epsilon":"8"}},'
            '{"fingerprint":"%s","per_epoch":1,"request_level":0,"window":null}],'
            '"name":"bird-strikes","version":1}' % (damage, night)
        )
        digest = hashlib.sha256(b"\x11sotto registry v1" + canonical.encode()).hexdigest()
        self.assertEqual(registry, digest[:8])

    def test_what_changes_them(self) -> None:
        registry, metrics = self.prints(GOOD)
        for old, new in (
            ("bird-strikes", "bird-strike"), ("version = 1", "version = 2"),
            (DEVICE, ""), ("epsilon = 16", "epsilon = 15"),
            ("window_epochs = 7", "window_epochs = 8"),
        ):  # fmt: skip
            with self.subTest(new=new):
                other = self.prints(GOOD.replace(old, new))
                self.assertNotEqual(other[0], registry)
                self.assertEqual(other[1], metrics)
        for old, new in (
            ("id = 1", "id = 2"), ("damage", "damaged"), ("1, 2]", "1, 3]"), ("1, 2]", "1]"),
        ):  # fmt: skip
            with self.subTest(new=new):
                other = self.prints(GOOD.replace(old, new))
                self.assertNotEqual(other[0], registry)
                self.assertNotEqual(other[1][0], metrics[0])
                self.assertEqual(other[1][1], metrics[1])


if __name__ == "__main__":
    unittest.main()
