#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves by CBMC that code of the device keeps to its memory, for all inputs of a harness.

    prove.py NAME NANOPB OUT             the proof
    prove.py NAME NANOPB OUT --planted   with a fault in the code, which CBMC has to find

Exits 77 where a tool is not there. README.md says what is proved.
"""

import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STUBS = "tests/proof/stubs.cpp"
CLIENT, ENTROPY = "sdk/src/client/", "sdk/src/entropy/"

# By harness: sources behind it, the most rounds of a loop and of loops by name, and a fault. A fault
# has a file, a part of it, and what takes its place.
PROOFS = {
    "request": {
        "sources": [STUBS],
        "unwind": 6,
        "fault": ("sdk/src/report/decode_request.cpp", "|| length > left_", "|| length > left_ + 1"),
    },
    "state": {
        "sources": [STUBS, CLIENT + "state.cpp", CLIENT + "stored.cpp"],
        "unwind": 33,
        "loops": {"_ZN5sotto6crypto4wipeEPvj.0": 161},
        "fault": (CLIENT + "state.cpp", "} else if (size > capacity) {", "} else if (size > capacity + 4) {"),
    },
    "entropy": {
        "sources": [STUBS, ENTROPY + "health.cpp"],
        "unwind": 7,
        "loops": {
            "_ZN5sotto6crypto4wipeEPvj.0": 16,
            "_ZN5sotto7entropyL10next_lowerEPKNS0_7cutoffsEjj.0": 15,
        },
        "fault": (ENTROPY + "gather.cpp", "read(source, chunk, now)", "read(source, chunk, now + 8)"),
    },
}

# As a device's compiler lays out memory: 32 bits, numbers of 64 bits at multiples of 8.
CLANG = """--target=i386-none-elf -malign-double -std=c++17 -ffreestanding -fno-exceptions -fno-rtti
    -fno-threadsafe-statics -O0 -Xclang -disable-O0-optnone -gline-tables-only -Wno-c99-designator
    -fsanitize=undefined -fno-sanitize=pointer-overflow,object-size,vptr,function,alignment,null
    -fsanitize-trap=all -S -emit-llvm""".split()
CBMC = """--32 --function prove --bounds-check --pointer-check --pointer-overflow-check
    --unwinding-assertions --object-bits 12 --slice-formula --external-sat-solver cadical""".split()


def skip(what):
    print(f"prove: skipped: {what}; tools/setup.sh test obtains it")
    sys.exit(77)


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if result.returncode != 0:
        sys.exit(f"prove: {' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout


def plant(fault, out):
    """A copy of a source with the fault, in a folder that is searched before ours."""
    name, before, after = fault
    text = (ROOT / name).read_text()
    if text.count(before) != 1:
        sys.exit(f"prove: {name} must have '{before}' once, to plant a fault in")
    copy = out / "planted" / pathlib.Path(name).relative_to("sdk/src")
    copy.parent.mkdir(parents=True)
    copy.write_text(text.replace(before, after))
    return copy


def main():
    name, nanopb, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    is_planted = sys.argv[4:] == ["--planted"]
    for tool in ("clang-14", "llvm-link-14", "opt-14", "cadical"):
        if shutil.which(tool) is None:
            skip(f"{tool} is missing")
    prover = subprocess.run([ROOT / "tools/setup.sh", "--prover"], capture_output=True, text=True)
    if prover.returncode != 0:
        skip("CBMC is missing")
    proof = PROOFS[name]
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    planted = plant(proof["fault"], out) if is_planted else None
    includes = [f"-I{d}" for d in (out / "planted", HERE, "sdk/include", "sdk/src")]
    includes += ["-isystem", "sdk/proto", "-isystem", nanopb, "-isystem", HERE / "libc"]
    modules = []
    for i, source in enumerate([f"tests/proof/harness/{name}.cpp", *proof["sources"]]):
        source = planted if planted and source == proof["fault"][0] else source
        modules.append(out / f"{i}.ll")
        run(["clang-14", *CLANG, *includes, source, "-o", modules[-1]])
    # The harness replaces what stands elsewhere.
    whole = out / "whole.ll"
    run(["llvm-link-14", "-S", *modules[1:], f"--override={modules[0]}", "-o", whole])
    run(["opt-14", "-S", "-passes=mem2reg", whole, "-o", whole])
    (out / "whole.c").write_text(run([sys.executable, HERE / "ir_to_c.py", whole]))
    loops = ",".join(f"{loop}:{rounds}" for loop, rounds in proof.get("loops", {}).items())
    command = [prover.stdout.strip(), *CBMC, "--unwind", str(proof["unwind"]), f"-I{HERE}"]
    command += ["--unwindset", loops] if loops else []
    command += ["--stop-on-fail"] if is_planted else []
    result = subprocess.run([*command, out / "whole.c"], capture_output=True, text=True, cwd=ROOT)
    (out / "cbmc.txt").write_text(result.stdout + result.stderr)
    lines = result.stdout.splitlines()
    if result.returncode not in (0, 10):
        sys.exit(f"prove: CBMC ended with {result.returncode}\n" + "\n".join(lines[-5:]))
    if is_planted:
        at = lines.index("Violated property:") if "Violated property:" in lines else None
        if at is None or "unwinding assertion" in lines[at + 2]:
            sys.exit(f"prove: the fault in {proof['fault'][0]} was not found")
        print("\n".join(lines[at : at + 3]))
        return
    failed = [line for line in lines if line.endswith(": FAILURE")]
    summary = [line for line in lines if line.startswith("** ")]
    print("\n".join(failed + summary[1:]))
    if result.returncode != 0 or not summary:
        sys.exit(f"prove: {name} is not proved; {out}/cbmc.txt has all")


if __name__ == "__main__":
    main()
