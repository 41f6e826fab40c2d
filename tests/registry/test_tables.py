# SPDX-License-Identifier: Apache-2.0
"""Every type at once: the C that a device sees against metrics.json, the header, the names."""
import json
import re
import shutil
import subprocess
import unittest
from pathlib import Path
from typing import Any

from support import HEAD, INCLUDE, ROOT, Workspace, metric

HERE = Path(__file__).parent
EVERY = (HERE / "every_type.toml").read_text("utf-8")
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wpedantic", "-Werror"]
TYPES = ("boolean", "category", "set", "string", "integer", "vector", "mean", "counter",
         "quantile", "histogram", "location", "distribution")  # by their numbers
MECHANISMS = (
    ("randomized_response", "laplace_threshold", "k_randomized_response", "optimized_unary")
    + ("unary", "rappor", "basic_rappor", "discrete_laplace", "one_bit_mean", "noised_sum",
       "exponential", "noised_points", "window_response", "hashed", "inverse_sensitivity",
       "design", "sorted_points", "window_mean", "pad_and_sample")
)  # fmt: skip


def threshold(text: str, bits: int = 64) -> str:
    return f"{int(text):0{bits // 4}x}"


def channel(table: dict[str, Any]) -> list[str]:
    ones = [threshold(table[key]) for key in ("one_if_zero", "one_if_one")]
    return [str(table["bits"]), *ones]


def geometric(table: dict[str, Any]) -> list[str]:
    bits = table["digit_bits"]
    values = [*table["digits"], *filter(None, [table.get("overflow")])]
    return [str(bits), str(len(table["digits"])), *(threshold(text, bits) for text in values)]


def laplace(table: dict[str, Any]) -> list[str]:
    words = []
    for noise in table["noise"]:
        words += [threshold(noise["nonzero"]), *geometric(noise)]
    keys = ("min", "max", "publish_min", "publish_max", "length", "l1_half")
    return words + [str(table[key]) for key in keys]


def row_noise(table: dict[str, Any]) -> list[str]:
    (noise,) = table["noise"]
    return [threshold(noise["nonzero"]), *geometric(noise)]


def sums(table: dict[str, Any]) -> list[str]:
    words = row_noise(table)
    for row_class in table["classes"]:
        numbers = (row_class["step"], row_class["rows"], *row_class["weights"])
        words += [str(number) for number in numbers]
    shows = 0 if "block" not in table else 1 if table["classes"][0]["step"] > 1 else 2
    return [*words, str(table["event"]), str(table.get("block", 0)), str(shows)]


def points(table: dict[str, Any]) -> list[str]:
    words = row_noise(table)
    for some in table["classes"]:
        words += [str(number) for number in some.values()]
    return [*words, str(table["places"]), str(table["axes"])]


def quantile(m: dict[str, Any]) -> list[str]:
    table = m["table"]
    step, rest = divmod(m["max"] - m["min"] + 1, m["bins"])
    own = (m["min"], m["max"], m["bins"], rest, step, table["delta"], table["rank"])
    return [str(number) for number in (*table["weights"], *own)]


def table_words(m: dict[str, Any]) -> list[str]:
    table = m["table"]
    if "weights" in table:
        return quantile(m)
    if "axes" in table:
        return points(table)
    if "lattice" in table:
        return laplace(table["lattice"]) + [str(table["threshold"])]
    if "classes" in table:
        return sums(table)
    if "publish_min" in table:
        return laplace(table)
    if "noise" in table:
        numbers = (m["min"], m["max"], m["length"])
        return [*row_noise(table), *map(str, numbers)]
    if "channel" in table:
        words = [word for pair in table["channel"] for word in channel(pair)]
        return [*words, str(table["size"]), str(table["max_members"])]
    if isinstance(table.get("permanent"), str):
        words = [threshold(text) for text in (*table["keep"], table["permanent"])]
        return words + [str(table[key]) for key in ("size", "cohorts", "max_bytes", "categories")]
    if "permanent" in table:
        words = []
        for both in zip(table["permanent"], table["instantaneous"]):
            words += channel(both[0]) + channel(both[1])
        keys = ("bits", "hashes", "cohorts", "max_bytes", "max_values", "chained")
        words += [str(table[key]) for key in keys]
        return [*words, str(int(table["protects"] == "sequence"))]
    if "rows" in table:
        flat = [text for level in table["rows"] for row in level for text in row]
        return [threshold(text) for text in flat] + [str(table["size"])]
    words = [threshold(text) for text in table.get("flip", table.get("keep"))]
    if "named" in table:
        return words + [str(table[key]) for key in ("size", "max_members", "named")]
    if "design" in table:
        words += map(str, (*table["design"], table["answers"]))
    if "half" in table and "scale" in table:
        own = (m["min"], m["max"], m["bins"], table["half"], table["scale"])
        return words + [str(number) for number in own]
    if "half" in table:
        step, rest = divmod(m["max"] - m["min"] + 1, m["bins"])
        words += map(str, (m["min"], m["max"], m["bins"], table["half"], rest, step))
    if "scale" in table:
        words += [str(m["min"]), str(m["max"]), table["scale"]]
    return words + [str(table[key]) for key in ("size",) if key in table]


def forward_words(table: dict[str, Any]) -> list[str]:
    if "given" in table:
        return channel(table["given"][0]) + channel(table["given"][1])
    if "to_value" in table:
        return [threshold(text) for text in (*table["to_value"], table["keep_last"])]
    if "keep" in table:
        return [threshold(text) for text in (*table["keep_last"], table["keep"])]
    words = [threshold(table["opposite"]), threshold(table["stay"])]
    for part in ("within", "beyond", "tail"):
        words += geometric(table[part])
    return words


def expected_line(m: dict[str, Any]) -> str:
    mechanism = m["mechanism"]
    if mechanism == "laplace_threshold" and "lattice" not in m["table"]:
        mechanism = "randomized_response"
    numbers = [m["id"], TYPES.index(m["type"]) + 1, MECHANISMS.index(mechanism) + 1]
    numbers += [len(m["levels"]), len(m["forward"]), m["value_words"], m["random_bytes"]]
    words = [m["fingerprint"], *map(str, numbers), *table_words(m)]
    words += [word for f in m["forward"] for word in forward_words(f["table"])]
    return " ".join(words + spending_words(m))


def spending_words(m: dict[str, Any]) -> list[str]:
    window = m["window"]["epochs"] if m["window"] else 0
    keys = ("budget", "per_epoch", "request_level", "cost_reports")
    return [str(window), *(str(m[key]) for key in keys), *m["costs"]]


class EveryType(Workspace):
    def run_compiler(self, command: list[str], source: str | None = None) -> None:
        if shutil.which(command[0]) is None:
            self.skipTest(f"{command[0]} is not installed")
        command = [*command, *WARNINGS, f"-I{INCLUDE}", f"-I{self.out}"]
        run = subprocess.run(command, input=source, text=True, capture_output=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_a_device_sees_the_integers_of_the_json(self) -> None:
        document = json.loads(self.compiled(EVERY)["metrics.json"])
        program = self.folder / "dump"
        sources = [str(HERE / "dump_tables.c"), str(self.out / "metrics.c")]
        define = "-DREGISTRY=every_type_registry"
        tables_only = "-Wl,--unresolved-symbols=ignore-all"
        self.run_compiler(["gcc", "-std=c99", define, *sources, tables_only, "-o", str(program)])
        run = subprocess.run([program], text=True, capture_output=True, check=True)
        first, *lines = run.stdout.splitlines()
        fingerprint = document["registry"]["fingerprint"]
        self.assertEqual(first, f"{fingerprint} 30 {40 << 19} 1000")
        self.assertEqual(lines, [expected_line(m) for m in document["metrics"]])
        self.assertEqual({m["type"] for m in document["metrics"]}, set(filter(None, TYPES)))
        self.assertEqual({m["mechanism"] for m in document["metrics"]}, set(filter(None, MECHANISMS)))

    def test_compilers(self) -> None:
        self.compiled(EVERY)
        use = "#include <stdint.h>\n#include \"metrics.h\"\n"
        c_use = use + "int use(every_type_client *c, const sotto_port *p);\n"
        c_use += "int use(every_type_client *c, const sotto_port *p)\n"
        c_use += "{ return every_type_init(c, p) == SOTTO_OK ? EVERY_TYPE_PHASE_CLIMB : 1; }\n"
        self.run_compiler(["gcc", "-std=c99", "-fsyntax-only", "-xc", "-"], c_use)
        self.run_compiler(["clang-14", "-std=c99", "-fsyntax-only", str(self.out / "metrics.c")])
        handles = "".join(
            f"static_assert(sizeof(::sotto::{kind}_metric<every_type::registry>) && "
            f"every_type::{name}.id > 0, \"\");\n"
            "static ::sotto::%s_metric<every_type::registry> as_%s = every_type::%s;\n"
            "uint16_t use_%s();\nuint16_t use_%s() { return as_%s.id; }\n"
            % (kind, name, name, name, name, name)
            for kind, name in (
                ("boolean", "smoke"), ("boolean", "lamp_fine"), ("category", "phase"),
                ("category", "season"), ("set", "rooms"), ("string", "app"), ("integer", "speed"),
                ("vector", "histogram"), ("vector", "ordered"), ("mean", "height"), ("counter", "door"),
                ("histogram", "each_bin"), ("histogram", "hybrid"),
                ("location", "squares"),
                ("distribution", "delay"), ("quantile", "middle"),
            )
        )  # fmt: skip
        for command in (["g++", "-std=c++11"], ["clang++-14", "-std=c++20"]):
            self.run_compiler([*command, "-fsyntax-only", "-xc++", "-"], use + handles)

    def test_the_layout_is_clang_formats(self) -> None:
        program = shutil.which("clang-format-14") or shutil.which("clang-format")
        if program is None:
            self.skipTest("clang-format is not installed")
        files = self.compiled(EVERY)
        style = f"--style=file:{ROOT / '.clang-format'}"
        for name in ("metrics.h", "metrics.c"):
            run = subprocess.run(
                [program, style, str(self.out / name)], text=True, capture_output=True, check=True
            )
            self.assertEqual(run.stdout, files[name])

    def test_memory(self) -> None:
        header = self.compiled(EVERY)["metrics.h"]
        document = json.loads((self.out / "metrics.json").read_text())
        random = max(m["random_bytes"] for m in document["metrics"])
        windows = [document["device"]["window_epochs"]]
        windows += [m["window"]["epochs"] for m in document["metrics"] if m["window"]]
        self.assertGreater(len(windows), 1)
        app, model = [m for m in document["metrics"] if m["cost_reports"]]
        self.assertEqual((app["window"], model["window"]), (None, None))
        windows += [document["device"]["window_epochs"]] * 2  # their releases are counted for it
        # Twenty-seven metrics and the device, twice but one the epochs of each window, four value tags.
        accounts = 5 * 28 + sum(2 * epochs - 1 for epochs in windows) + 2 * 4
        for line in (
            f"uint32_t accounts[{accounts}];", "sotto_release releases[54];",
            f"uint32_t words[{54 * 35}];", f"uint32_t work[{2 * 35}];", # the widest value: 35
            f"uint8_t random[{random}];",
            f"client->random,\n        {accounts},\n        54,\n        35,\n        {random},\n",
            f"{random},\n        168,\n        client->rows,\n",
            "uint32_t rows[168];",
        ):  # fmt: skip
            self.assertIn(line, header)

    def test_the_smallest_buffer(self) -> None:
        """sdk/proto/WIRE.md: a report of a boolean takes 74 bytes, and a padded step more."""
        for kind, own, size in (
            ("boolean", "", 74), ("integer", "min = 0\nmax = 9\n", 74),
            ("category", 'size = 1024\nmechanism = "unary"\n', 204),
            ("vector", "length = 256\nmin = 0\nmax = 1\n", 1100),
        ):  # fmt: skip
            header = self.compiled(HEAD + metric(kind, own))["metrics.h"]
            found = re.search(r"#define BIRD_STRIKES_FLUSH_BYTES_MIN (\d+)u", header)
            self.assertEqual(int(found.group(1)), size)
        for name in ("flush_bytes_min", "flush_bytes_max", "state_bytes"):
            taken = HEAD + metric("boolean", "").replace('"it"', f'"{name}"')
            self.assertEqual(self.compile(taken).status, 2)

    def test_a_large_range_compiles(self) -> None:
        own = "min = 0\nmax = 1000000\nforward = [3]\n"
        self.compiled(HEAD + metric("integer", own, "[0.25, 0.5, 1, 2]"))


class Names(Workspace):
    def constants(self, labels: list[str], name: str = "it") -> list[str]:
        text = HEAD + metric("category", f"categories = {json.dumps(labels)}\n")
        header = self.compiled(text.replace('"it"', f'"{name}"'))["metrics.h"]
        return re.findall(r"^    (BIRD_STRIKES_\w+ = \d+),?$", header, re.MULTILINE)

    def test_safe_and_unique(self) -> None:
        prefix = "BIRD_STRIKES_IT"
        for labels, expected in (
            (["Climb", "Take off"], ["CLIMB = 0", "TAKE_OFF = 1"]),
            (["a b", "a-b", "A_B"], ["A_B = 0", "A_B_1 = 1", "A_B_2 = 2"]),
            (["a", "a 2", "A"], ["A = 0", "A_2 = 1"]),  # A_2 is taken: the third has no name
            (["\u00e9t\u00e9", "747"], ["747 = 1"]),
            (["---", "***"], []),
            (["x" * 128, "y"], ["Y = 1"]),
        ):
            ours = self.constants(labels)
            self.assertEqual(ours, [f"{prefix}_{name}" for name in expected], labels)

    def test_a_label_that_would_end_the_comment(self) -> None:
        text = HEAD + metric("category", 'categories = ["*/ #error \\u00e9", "b"]\n')
        header = self.compiled(text)["metrics.h"]
        self.assertIn("?/ #error", header)
        self.assertIn("has no name in C", header)
        self.assertNotIn("*/ #error", header)

    def test_a_name_that_another_metric_has(self) -> None:
        second = metric("boolean", "").replace('"it"', '"it_climb"').replace("id = 1", "id = 2")
        text = HEAD + metric("category", 'categories = ["climb", "cruise"]\n') + second
        header = self.compiled(text)["metrics.h"]
        self.assertIn("#define BIRD_STRIKES_IT_CLIMB 2u", header)
        self.assertIn("BIRD_STRIKES_IT_CLIMB_0 = 0", header)


if __name__ == "__main__":
    unittest.main()
