#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The cost of Sotto on a device: bytes of code and stack, and instructions, counted under QEMU.

    measure.py BUILD_FOLDER…            measures each board's build and writes results.json, every
                                        row into docs/PERFORMANCE.md, ten rows into README.md and
                                        joules into docs/ENERGY.md
    measure.py --check BUILD_FOLDER     exit 1 if that board costs more than results.json says: any
                                        byte, or more than two in a hundred of stack or instructions
    measure.py --check-readme           exit 1 if one of these pages shows other tables than
                                        results.json makes

A build folder is that of a device preset: cmake --preset cortex-m0 && cmake --build --preset cortex-m0.
"""
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import energy

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = HERE / "results.json"
README = ROOT / "README.md"
PERFORMANCE = ROOT / "docs" / "PERFORMANCE.md"
ENERGY = ROOT / "docs" / "ENERGY.md"
SLACK = 1.02  # for counts of a run; sizes have none
TICKS = 2  # a board's clock: a call begins with a tick, as the empty call does, and ends between two
CORE_TEXT_MAX = 4096  # on Cortex-M0, as is what follows
NOISED_SUMS_MAX = 900
CLIENT_FLASH_MAX, CLIENT_RAM_MAX = 30 * 1024, 4096
BATCH_OF_16_MAX = 136
BOOLEAN_MAX, RAPPOR_128_MAX = 24, 40  # reports
# More than one may be in what a metric of the mechanism needs; a difference to a program with none.
MECHANISMS = {
    "randomized response": ["below"],
    "k-ary randomized response": ["mix"],
    "unary bits, sets": ["noised_bits", "set_members", "one_member"],
    "RAPPOR, strings": ["bloom_bits", "noised_bits", "instantaneous_bits"],
    "RAPPOR, one-hot": ["set_members", "noised_bits", "instantaneous_bits"],
    "Laplace-threshold bits": ["laplace_top", "laplace_below", "published_word"],
    "discrete Laplace, vectors": ["clamped_value", "clip_l1", "laplace_top", "laplace_below"],
    "one-bit mean": ["rounded_to_one_bit", "clamped_number", "below"],
    "noised sums over time": [
        "modular_laplace", "way_in", "open_row_count", "add_event", "clamped_amount", "is_beginning",
        "total_of"],
    "noised sums over places": ["modular_laplace", "add_point", "row_count"],
    "noised sums, whole": [],  # all that NOISED_SUM_SOURCES define
    "relaxing forward": ["forward_bits", "forward_category", "forward_laplace"],
}
# Noise modulo 2^32, rows over time, their weights and running totals, layers of places.
NOISED_SUM_SOURCES = ("modular_laplace", "noised_sum", "noised_points")
# Programs, and what each is larger than: the difference is a row. The first is the whole client.
CLIENTS = {
    "sealed client": ("client_size", "nothing"), "request verifier": ("request_size", "client_size"),
    "a counter": ("counter_size", "client_size"),
}
# Calls of client_cost.c.
CALLS = {
    "report": "sealed client: a report", "flush_1": "sealed client: flush of 1",
    "flush_16": "sealed client: flush of 16",
    "seal": "sealing alone, 384 bytes", "x25519": "its X25519, one of two",
    "setup": "its keys, both X25519 included", "encryption": "its encryption",
    "request": "a request: verified, 14 releases relaxed",
}
# They wipe the stack that they used: the words left deep in it are the wiping's own.
WIPED = {"flush_1", "flush_16", "resend", "seal"}
CLOCK_HZ = {
    "microbit": 16e6, "mps2-an385": 25e6, "mps2-an386": 25e6, "mps2-an505": 20e6,
    "riscv32-virt": 1e9,
}
# Metrics of tests/mechanisms.toml; the others are variants.
METRICS = {
    "1": "boolean", "2": "boolean, Laplace bits, unit grid", "3": "boolean, Laplace bits, fine grid",
    "4": "category, k-ary", "5": "category of 40, optimized unary", "6": "category of 40, unary",
    "7": "category of 40, RAPPOR", "8": "set of 6", "9": "string, RAPPOR 128 bits",
    "11": "integer 0 to 400", "13": "vector of 3", "14": "mean",
    "21": "category of 6, design response", "23": "vector of 3, sorted points",
    "24": "mean, windows", "25": "set of 6, pad and sample", "26": "set of 6, pad and sample, pairs",
    "27": "category of 12, hashed",
}
# A level above the ladder.
FORWARD = {
    "1": "forward: boolean", "4": "forward: category, k-ary", "5": "forward: category of 40, unary",
    "7": "forward: category of 40, RAPPOR", "11": "forward: integer", "13": "forward: vector of 3",
}


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def report_bytes(envelope: bytes) -> int:
    """
    Bytes of the one report in a plain envelope, as sdk/proto/WIRE.md has them: its batch without
    the epoch and padding.
    """
    epoch, seed, padding = 1, 2, 9
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            at += 1
            value |= (envelope[at - 1] & 127) << shift
            shift += 7
            if envelope[at - 1] < 128:
                return value

    varint()
    at += 2 + 5 + 1  # version, registry, the batch's tag
    varint()
    sent = 0
    while at < len(envelope) and (field := envelope[at] >> 3) != padding:
        begin, at = at, at + 1
        if field == seed:
            at += 8
        else:
            number = varint()
            at += 0 if field == epoch else number
        sent += at - begin if field != epoch else 0
    return sent


class Board:
    def __init__(self, build: Path) -> None:
        cache = dict(
            re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
        )
        self.name = cache["SOTTO_BOARD"]
        self.build, self.nm = build, cache["CMAKE_NM"]
        self.prefix = self.nm.removesuffix("nm")
        toolchain = json.loads((build / "compile_commands.json").read_text())[0]["command"]
        self.flags = re.findall(r"-m(?:cpu|thumb|float|fpu|arch|abi|cmodel)\S*", toolchain)
        self.archive = str(build / "sdk" / "libsotto_core.a")
        self.cost = self.program("cost")
        is_riscv = self.name == "riscv32-virt"
        self.qemu = [
            *(["qemu-system-riscv32", "-M", "virt", "-bios", "none"] if is_riscv
              else ["qemu-system-arm", "-M", self.name]),
            "-nographic", "-monitor", "none", "-serial", "null",
            "-semihosting-config", "enable=on,target=native"]

    def program(self, name: str) -> str:
        return str(self.build / "bin" / f"{name}.elf")

    def memory(self, name: str) -> tuple[int, int]:
        """Bytes of flash and of static RAM."""
        text, data, bss = map(int, run(self.prefix + "size", self.program(name)).splitlines()[1].split()[:3])
        return text + data, data + bss

    def text_bytes(self, *options: str) -> int:
        with tempfile.TemporaryDirectory() as folder:
            program = str(Path(folder, "program"))
            start = Path(folder, "start.c")
            start.write_text(
                "void start(void) {}\n"
                "void *memcpy(void *t, const void *f, unsigned n) { return (void)f, (void)n, t; }\n"
                "void *memset(void *t, int b, unsigned n) { return (void)b, (void)n, t; }\n"
            )
            subprocess.run(
                [self.prefix + "gcc", *self.flags, "-Os", "-ffunction-sections", "-ffreestanding",
                 "-nostdlib", "-nostartfiles", "-Wl,-e,start", "-Wl,--gc-sections", *options,
                 str(start), self.archive, "-lgcc", "-o", program],
                check=True)
            return int(run(self.prefix + "size", program).splitlines()[1].split()[0])

    def sizes(self) -> dict[str, Any]:
        symbols = run(self.nm, "--defined-only", self.archive)
        plain = run(self.nm, "-C", "--defined-only", self.archive)
        named: dict[str, str] = {}
        of_source = defaultdict(list)
        source = ""
        for mangled, demangled in zip(symbols.splitlines(), plain.splitlines()):
            source = mangled.split(".")[0] if mangled.endswith(":") else source
            match = re.search(r" [TW] sotto::(\w+)\(", demangled)
            if match:
                named[match[1]] = mangled.split()[-1]
                of_source[source].append(match[1])
        roots_of = MECHANISMS | {
            "noised sums, whole": [name for source in NOISED_SUM_SOURCES for name in of_source[source]]
        }
        nothing = self.text_bytes()
        objects = [line.split() for line in run(self.prefix + "size", self.archive).splitlines()[1:]]
        whole = sum(int(sizes[0]) for sizes in objects)
        data = sum(int(sizes[1]) + int(sizes[2]) for sizes in objects)
        parts = {
            name: self.text_bytes(*(f"-Wl,-u,{named[root]}" for root in roots)) - nothing
            for name, roots in roots_of.items()
        }
        firmware_flash, firmware_ram = self.memory("firmware")
        return {
            "core": whole, "core_data": data, "mechanisms": parts,
            "firmware_flash": firmware_flash, "firmware_ram": firmware_ram,
        }

    def client(self) -> dict[str, Any]:
        """The whole sealed client: memory, and what its calls take."""
        calls: dict[str, dict[str, int]] = {}
        length: dict[str, int] = {}
        done = subprocess.run(
            [*self.qemu, "-icount", "shift=0", "-kernel", self.program("client_cost")],
            check=True, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
        for name, *numbers in re.findall(r"^(\w+) (\d+) (\d+) (\d+) (\d+)$", done.stdout + done.stderr, re.MULTILINE):
            ticks, stack, length[name], left = map(int, numbers)
            calls[name] = {"instructions": round(ticks * 1e9 / CLOCK_HZ[self.name]), "stack": stack}
            if name in WIPED:
                calls[name]["left"] = left
        nothing = calls.pop("nothing")
        for call in calls.values():
            call["instructions"] -= nothing["instructions"]
        memory = {}
        for row, (program, base) in CLIENTS.items():
            (flash, ram), (base_flash, base_ram) = self.memory(program), self.memory(base)
            memory[row] = {"flash": flash - base_flash, "ram": ram - base_ram}
        stack = {name: call["stack"] for name, call in calls.items()}
        verifier = stack.pop("request")
        return {
            "sealed client": memory["sealed client"] | {"stack": max(stack.values())},
            "request verifier": memory["request verifier"] | {"stack": verifier},
            "a counter": memory["a counter"],
            "calls": calls,
            "batch_of_1": length["flush_1"], "batch_of_16": length["flush_16"],
        }

    def costs(self) -> dict[str, Any]:
        """Stack and instructions of a report and its flush, by metric of tests/mechanisms.toml."""
        symbols = run(self.nm, self.cost).splitlines()
        mark = int(next(line for line in symbols if line.endswith(" mark")).split()[0], 16) & ~1
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log")
            done = subprocess.run(
                [*self.qemu, "-singlestep", "-d", "exec,nochain", "-D", str(log), "-kernel", self.cost],
                check=True, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
            counts, count = [], 0
            with open(log, encoding="utf-8") as lines:
                for line in lines:
                    if line.startswith("Trace"):
                        count += 1
                        if int(line.split("/", 2)[1], 16) == mark:
                            counts.append(count)
                            count = 0
        output = done.stdout + done.stderr
        measured = re.findall(r"^(stack|forward) (\d+) (\d+)$", output, re.MULTILINE)
        assert len(counts) == 3 * len(measured), "every call between markers says what it was"
        calls: dict[str, dict[str, dict[str, Any]]] = {"stack": {}, "forward": {}}
        for i, (what, metric, stack) in enumerate(measured):
            calls[what][metric] = {"stack": int(stack), "instructions": [counts[3 * i + 1], counts[3 * i + 2]]}
        envelopes = re.findall(r"^report (\d+) ([0-9a-f]+)", output, re.MULTILINE)
        return {
            "plain_boolean_bytes": next(len(e) // 2 for metric, e in envelopes if metric == "1"),
            "report_bytes": {metric: report_bytes(bytes.fromhex(envelope)) for metric, envelope in envelopes},
            "stack": {metric: call["stack"] for metric, call in calls["stack"].items()},
            "instructions": {metric: call["instructions"] for metric, call in calls["stack"].items()},
            "forward": calls["forward"],
        }

    def measure(self) -> dict[str, Any]:
        return self.sizes() | self.costs() | {"client": self.client()}


def exceeded(budget: Any, now: Any, path: str, clock_hz: float) -> list[str]:
    if isinstance(budget, dict):
        if budget.keys() != now.keys():
            return [f"{path}: measured and in results.json are not the same: {sorted(budget.keys() ^ now.keys())}"]
        return [line for key in budget for line in exceeded(budget[key], now[key], f"{path}: {key}", clock_hz)]
    if isinstance(budget, list):
        pairs = enumerate(zip(budget, now, strict=True))
        return [line for i, (a, b) in pairs for line in exceeded(a, b, f"{path} [{i}]", clock_hz)]
    counted_while_running = re.search(": (stack|instructions|forward|calls)\\b", path)
    most = budget * SLACK if counted_while_running else budget
    if path.endswith(": instructions"):  # counted by the clock
        most += TICKS * 1e9 / clock_hz
    return [f"{path}: {now:,} now, {budget:,} in results.json"] if now > most else []


def above_goals(now: dict[str, Any]) -> list[str]:
    client = now["client"]
    whole = client["sealed client"]
    goals = [
        ("the core's code", now["core"], CORE_TEXT_MAX),
        ("noised sums", now["mechanisms"]["noised sums, whole"], NOISED_SUMS_MAX),
        ("the sealed client's flash", whole["flash"], CLIENT_FLASH_MAX),
        ("its RAM, stack included", whole["ram"] + whole["stack"], CLIENT_RAM_MAX),
        ("a sealed batch of 16 booleans", client["batch_of_16"], BATCH_OF_16_MAX),
        ("a boolean's report", now["report_bytes"]["1"], BOOLEAN_MAX),
        ("a 128-bit RAPPOR report", now["report_bytes"]["9"], RAPPOR_128_MAX),
    ]
    return [f"{what}: {bytes_:,} bytes, at most {most:,} are allowed" for what, bytes_, most in goals if bytes_ > most]


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "| --- |" + " ---: |" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


TITLES = {
    "microbit": "Cortex-M0", "mps2-an385": "M3", "mps2-an386": "M4F", "mps2-an505": "M33",
    "riscv32-virt": "RV32IMAC",
}


Rows = list[list[str]]


def size_rows(results: dict[str, Any], boards: list[str]) -> Rows:
    number = "{:,}".format
    sizes = [["the core, everything: code"] + [number(results[b]["core"]) for b in boards]]
    sizes.append(["the core, everything: data"] + [number(results[b]["core_data"]) for b in boards])
    for name in MECHANISMS:
        sizes.append([name] + [number(results[b]["mechanisms"][name]) for b in boards])
    sizes.append(["example firmware, flash"] + [number(results[b]["firmware_flash"]) for b in boards])
    sizes.append(["example firmware, static RAM"] + [number(results[b]["firmware_ram"]) for b in boards])
    sizes.append(["deepest stack of any report"] + [number(max(results[b]["stack"].values())) for b in boards])
    clients = [results[b]["client"] for b in boards]
    for row in CLIENTS:
        sizes.append([f"{row}, flash"] + [number(c[row]["flash"]) for c in clients])
        if "stack" in clients[0][row]:
            ram = [f"{c[row]['ram']:,} + {c[row]['stack']:,}" for c in clients]
            sizes.append([f"{row}, static RAM + stack", *ram])
        else:
            sizes.append([f"{row}, static RAM"] + [number(c[row]["ram"]) for c in clients])
    return sizes


def report_rows(results: dict[str, Any], boards: list[str]) -> Rows:
    """A report, or a level above the ladder, and the flush after it."""
    rows, first = [], results[boards[0]]
    for metric, name in METRICS.items():
        pairs = [results[b]["instructions"][metric] for b in boards]
        rows.append([name, *map(thousands, pairs), f"{first['stack'][metric]:,}", f"{first['report_bytes'][metric]:,}"])
    for metric, name in FORWARD.items():
        pairs = [results[b]["forward"][metric]["instructions"] for b in boards]
        rows.append([name, *map(thousands, pairs), f"{first['forward'][metric]['stack']:,}", ""])
    return rows


def thousands(counts: list[int]) -> str:
    return " + ".join(f"{count / 1000:,.1f}" for count in counts)


def call_rows(results: dict[str, Any], boards: list[str]) -> Rows:
    clients = [results[b]["client"] for b in boards]
    rows = []
    for call, name in CALLS.items():
        counts = [thousands([c["calls"][call]["instructions"]]) for c in clients]
        written = {"flush_1": "batch_of_1", "flush_16": "batch_of_16"}.get(call)
        rows.append([name, *counts, f"{clients[0]['calls'][call]['stack']:,}",
                     f"{clients[0][written]:,}" if written else ""])
    return rows


def tables(results: dict[str, Any], shown: Sequence[str] = ()) -> str:
    """The rows of these names; without names, all."""
    boards = [board for board in TITLES if board in results]
    titles = [TITLES[b] for b in boards]
    sizes = size_rows(results, boards)
    costs = report_rows(results, boards) + call_rows(results, boards)
    missing = set(shown) - {row[0] for row in sizes + costs}
    if missing:
        raise ValueError(f"README_ROWS names rows that no table has: {sorted(missing)}")
    sizes, costs = ([row for row in rows if not shown or row[0] in shown] for rows in (sizes, costs))
    return (
        table(["bytes", *titles], sizes)
        + "\n\n"
        + table(["thousand instructions, report + flush", *titles, "stack, M0", "bytes sent"], costs)
    )


BEGIN, END = "<!-- tools/measure/measure.py writes what follows -->", "<!-- to here -->"
# The rows of the README; docs/PERFORMANCE.md has every row.
README_ROWS = (
    "the core, everything: code", "sealed client, flash", "sealed client, static RAM + stack",
    "request verifier, flash", "boolean", "category, k-ary", "string, RAPPOR 128 bits",
    "integer 0 to 400", "sealed client: flush of 1", "a request: verified, 14 releases relaxed",
)
PAGES = {README: README_ROWS, PERFORMANCE: ()}


def page_with(text: str, written: str) -> str:
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n" + written + "\n" + END + rest.split(END)[1]


def pages(results: dict[str, Any]) -> dict[Path, str]:
    written = {page: tables(results, rows) for page, rows in PAGES.items()}
    written[ENERGY] = energy.tables(results)
    return {page: page_with(page.read_text(encoding="utf-8"), text) for page, text in written.items()}


def stale_pages(results: dict[str, Any]) -> list[str]:
    return [page.name for page, text in pages(results).items() if page.read_text(encoding="utf-8") != text]


def main() -> int:
    arguments = sys.argv[1:]
    if arguments == ["--check-readme"]:
        stale = stale_pages(json.loads(RESULTS.read_text()))
        for page in stale:
            print(f"{page} shows other costs than tools/measure/results.json", file=sys.stderr)
        return bool(stale)
    if len(arguments) == 2 and arguments[0] == "--check":
        board = Board(Path(arguments[1]))
        now = board.measure()
        lines = exceeded(json.loads(RESULTS.read_text())[board.name], now, board.name, CLOCK_HZ[board.name])
        if board.name == "microbit":
            lines += above_goals(now)
        for line in lines:
            print(line, file=sys.stderr)
        if lines:
            print("if that is wanted: tools/measure/measure.py build/cortex-m0 …", file=sys.stderr)
        return bool(lines)
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    results: dict[str, Any] = defaultdict(dict, json.loads(RESULTS.read_text()) if RESULTS.exists() else {})
    for argument in arguments:
        board = Board(Path(argument))
        results[board.name] = board.measure()
        print(f"{board.name}: core {results[board.name]['core']:,} bytes", file=sys.stderr)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    for page, text in pages(results).items():
        page.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
