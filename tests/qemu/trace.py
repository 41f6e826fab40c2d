# SPDX-License-Identifier: Apache-2.0
"""
Fixed time on a microcontroller: runs trace.cpp on an emulated board instruction by instruction,
with different values and randomness. For every draw of every mechanism it compares the instructions
executed and the addresses accessed. Both must be equal, in whatever library the linker took in too.
Nothing may divide or else take a time that depends on operands. Controls must fail.

    trace.py MACHINE TRACE.elf NM OBJDUMP [--counts] [--long-products]

With --counts it prints a table of the counts, as JSON. With --long-products the program may multiply
32 bits into 64. Cortex-M3 alone takes its time for it.
"""
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

MACHINE, FIRMWARE, NM, OBJDUMP = sys.argv[1:5]
IS_RISCV = MACHINE == "riscv32-virt"
QEMU = (
    ["qemu-system-riscv32", "-M", "virt", "-bios", "none"] if IS_RISCV else ["qemu-system-arm", "-M", MACHINE]
)
# Their time may depend on the operands (umull on Cortex-M3), or they divide.
PRODUCTS = "" if "--long-products" in sys.argv else "|mull|mlal"
SLOW = re.compile(rf"^(div|rem|(u|s)(div{PRODUCTS}))")
# As slow where there is no instruction for it, and fast only for some operands.
SLOW_CALL = re.compile(r"^__\w*(div|mod)")
MEMORY = re.compile(r"^(c\.)?(ldr|str|ldm|stm|push|pop|l[bhw]u?|s[bhw]|[ls]wsp)(\.|$)|^(ldr|str|ldm|stm)")
CONSTANT_MOVE = re.compile(r"mov\w\w r\d+, #\d+")
CONTROLS = 3

Trace = tuple[tuple[int, tuple[int, ...]], ...]


def symbols() -> dict[str, tuple[int, int]]:
    lines = subprocess.run([NM, "-S", "-C", FIRMWARE], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in lines.splitlines():
        parts = line.split(maxsplit=3)
        if len(parts) == 4 and parts[2] in "tTwW":
            found[parts[3]] = (int(parts[0], 16) & ~1, int(parts[1], 16))
    return found


def instructions() -> dict[int, tuple[str, str]]:
    text = subprocess.run(
        [OBJDUMP, "-d", "--no-show-raw-insn", FIRMWARE], check=True, capture_output=True, text=True
    ).stdout
    found = {}
    for match in re.finditer(r"^[ \t]*([0-9a-f]+):\t(\S+)[ \t]*([^;@\n]*)", text, re.MULTILINE):
        found[int(match[1], 16)] = (match[2], match[3].strip())
    return found


if IS_RISCV:
    NAMES = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6"
    REGISTERS = {name: i for i, name in enumerate(NAMES.split())}
    DUMP, FIRST_ARGUMENT = re.compile(r"x\d+/\w+ +([0-9a-f]{8})"), 10
else:
    REGISTERS = {f"r{i}": i for i in range(16)}
    REGISTERS |= {"sl": 10, "fp": 11, "ip": 12, "sp": 13, "lr": 14, "pc": 15}
    DUMP, FIRST_ARGUMENT = re.compile(r"R\d\d=([0-9a-f]{8})"), 0


def registers_of(entry: str) -> list[int]:
    return [int(value, 16) for value in DUMP.findall(entry)]


def address_registers(mnemonic: str, operands: str) -> list[int]:
    """Registers that make the address of a memory instruction."""
    if IS_RISCV:
        return [REGISTERS[re.search(r"\((\w+)\)", operands)[1]]]
    if mnemonic.startswith(("push", "pop")):
        return [13]
    if mnemonic.startswith(("ldm", "stm")):
        return [REGISTERS[operands.split(",")[0].strip(" !")]]
    inside = re.search(r"\[([^\]]*)\]", operands)
    if inside is None:
        return [15]
    names = [part.strip() for part in inside[1].split(",")]
    return [REGISTERS[name] for name in names if name in REGISTERS]


def traced() -> list[range]:
    """All code but that which calls the draws: what a compiler calls by itself is nobody's symbol."""
    text = subprocess.run([OBJDUMP, "-h", FIRMWARE], check=True, capture_output=True, text=True).stdout
    start, size = symbols()["trace_all"]
    found = []
    for match in re.finditer(
            r"^ *\d+ \S+ +([0-9a-f]{8}) +([0-9a-f]{8}) .*\n.*\bCODE\b", text, re.MULTILINE):
        first = int(match[2], 16)
        end = first + int(match[1], 16)
        found += [range(first, min(max(first, start), end)), range(max(first, min(start + size, end)), end)]
    return [part for part in found if part]


def run() -> str:
    ranges = [f"0x{part.start:x}+0x{len(part):x}" for part in traced()]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        subprocess.run(
            [*QEMU, "-nographic", "-monitor", "none", "-serial", "null",
             "-semihosting-config", "enable=on,target=native", "-singlestep",
             "-d", "exec,cpu,nochain", "-dfilter", ",".join(ranges), "-D", str(log), "-kernel", FIRMWARE],
            check=True, timeout=1200, stdin=subprocess.DEVNULL)
        return log.read_text()


def conditions_in(code: dict[int, tuple[str, str]]) -> set[int]:
    """
    "it" blocks: their conditions on flags are not seen in the program counter. One move of a constant
    takes its cycle whether it is made or not (fiat-crypto's !!x becomes one).
    """
    return {
        pc for pc, (mnemonic, _) in code.items()
        if re.fullmatch(r"it[te]*", mnemonic)
        and not (mnemonic == "it" and CONSTANT_MOVE.fullmatch(" ".join(code.get(pc + 2, ("", "")))))
    }


def traces(log: str) -> tuple[dict[tuple[int, int], list[Trace]], dict[tuple[int, int], int]]:
    """By (metric, what): the trace of each run, and where one is slow."""
    names = symbols()
    begin, end = names["trace_begin"][0], names["trace_end"][0]
    code = instructions()
    memory = {
        pc: address_registers(mnemonic, operands)
        for pc, (mnemonic, operands) in code.items()
        if MEMORY.match(mnemonic)
    }
    conditions = conditions_in(code)
    found: dict[tuple[int, int], list[Trace]] = defaultdict(list)
    slow_at = {pc for pc, (mnemonic, _) in code.items() if SLOW.match(mnemonic)}
    slow_at |= {start for name, (start, _) in names.items() if SLOW_CALL.match(name)}
    slow: dict[tuple[int, int], int] = {}
    key, steps = None, []
    for entry in log.split("Trace ")[1:]:
        pc = int(entry.split("/", 2)[1], 16)
        if pc == begin:
            registers = registers_of(entry)
            key, steps = (registers[FIRST_ARGUMENT], registers[FIRST_ARGUMENT + 1]), []
        elif pc == end and key is not None:
            found[key].append(tuple(steps))
            key = None
        elif key is not None and pc != begin and not begin <= pc < begin + names["trace_begin"][1]:
            seen: tuple[int, ...] = ()
            if pc in memory or pc in conditions:
                registers = registers_of(entry)
                seen = tuple(registers[i] for i in memory.get(pc, []))
                if pc in conditions:
                    seen += (int(re.search(r"XPSR=([0-9a-f]{8})", entry)[1], 16) >> 28,)
            steps.append((pc, seen))
            if pc in slow_at:
                slow[key] = pc
    return found, slow


def main() -> int:
    found, slow = traces(run())
    failures, counts = [], {}
    for (metric, what), all_runs in sorted(found.items()):
        same = all(trace == all_runs[0] for trace in all_runs)
        if metric == 0:
            if same and (metric, what) not in slow:
                failures.append(f"control {what} was not caught")
            continue
        if at := slow.get((metric, what)):
            failures.append(f"metric {metric}, {what}: at {at:#x} the time may depend on the operands")
        counts[f"{metric}/{what}"] = len(all_runs[0])
        if len(all_runs) != 6 or not all_runs[0]:
            failures.append(f"metric {metric}, {what}: {len(all_runs)} runs of {len(all_runs[0])} instructions")
        if not same:
            at = next(
                (step[0] for trace in all_runs for step, first in zip(trace, all_runs[0]) if step != first),
                None,
            )
            failures.append(f"metric {metric}, {what}: differs between runs, first at {at and hex(at)}")
    if len([key for key in found if key[0] == 0]) != CONTROLS:
        failures.append("the controls did not run")
    if "--counts" in sys.argv:
        print(json.dumps(counts))
    for failure in failures:
        print(f"{MACHINE}: {failure}", file=sys.stderr)
    if not failures and "--counts" not in sys.argv:
        print(f"{MACHINE}: {len(counts)} draws, {sum(counts.values())} instructions: the same for every value "
              f"and all randomness; {CONTROLS} controls were caught")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
