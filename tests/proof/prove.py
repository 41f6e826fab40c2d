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
ADOPT = CLIENT + "adopt.cpp"
CHECK = CLIENT + "registry_check.cpp"
DECODE = "sdk/src/report/decode_request.cpp"
FLASH = "ports/storage/sotto_flash.c"
FOLDERS = ("sdk/src", "ports/storage")
WIPE = "_ZN5sotto6crypto4wipeEPvj.0"

# A checksum costs CBMC minutes: it reads its bytes, and is anything.
ANY_CHECKSUM = (
    FLASH,
    "    for (size_t i = 0; i < length_bytes; ++i) {\n        crc ^= bytes[i];",
    "    if (length_bytes != 0) {\n        proof_read(bytes, length_bytes);\n    }\n    return proof_any();\n"
    "    for (size_t i = 0; i < length_bytes; ++i) {\n        crc ^= bytes[i];",
)


def any_answer(name, function, arguments, but="true"):
    """A function that another harness proves answers anything."""
    before = f"bool {function}({arguments}) {{"
    after = f"{before}\n    return {but} && proof_any() == 0;\n}}\nbool real_{function}({arguments}) {{"
    return name, before, after


# By name: the harness, with its definitions; sources behind it. The most rounds of a loop, and of
# loops by name. Edits of a source, and a fault: file, a part of it, and another in its place.
PROOFS = {
    "request": {
        "sources": [STUBS],
        "unwind": 6,
        "fault": ("sdk/src/report/decode_request.cpp", "|| length > left_", "|| length > left_ + 1"),
    },
    "state": {
        "sources": [STUBS, CLIENT + "state.cpp", CLIENT + "stored.cpp"],
        "unwind": 33,
        "loops": {WIPE: 161},
        "fault": (CLIENT + "state.cpp", "} else if (size > capacity) {", "} else if (size > capacity + 4) {"),
    },
    "entropy": {
        "sources": [STUBS, ENTROPY + "health.cpp"],
        "unwind": 7,
        "loops": {
            WIPE: 16,
            "_ZN5sotto7entropyL10next_lowerEPKNS0_7cutoffsEjj.0": 15,
        },
        "fault": (ENTROPY + "gather.cpp", "read(source, chunk, now)", "read(source, chunk, now + 8)"),
    },
    "outer": {
        "sources": [STUBS],
        "edits": [any_answer(DECODE, "decode_body", "request &decoded")],
        "unwind": 6,
        "fault": (DECODE, "signature_length == signature_bytes &&", "signature_length <= signature_bytes &&"),
    },
    "body": {
        "harness": "decode",
        "defines": ["BODY"],
        "sources": [STUBS],
        "edits": [any_answer(DECODE, "is_rising", "const uint8_t *select, size_t length_bytes")],
        "unwind": 6,
        "fault": (DECODE, "if (left_ < 4)", "if (left_ < 3)"),
    },
    "selection": {
        "harness": "decode",
        "sources": [STUBS],
        "unwind": 9,
        "fault": (DECODE, "left_ > 0 && shift < 35", "shift < 35"),
    },
    "costs": {
        "harness": "registry",
        "defines": ["COSTS"],
        "sources": [STUBS],
        "unwind": 8,
        "fault": (CHECK, "i < reports; ++i", "i <= reports; ++i"),
    },
    "fingerprints": {
        "harness": "registry",
        "defines": ["FINGERPRINTS"],
        "sources": [STUBS],
        "unwind": 8,
        "fault": (CHECK, "forward_count; ++i) {\n            is_", "forward_count + 1; ++i) {\n            is_"),
    },
    "registry": {
        "sources": [STUBS],
        "edits": [
            any_answer(CHECK, "is_table", "const sotto_metric &m"),
            any_answer(CHECK, "is_forward", "const sotto_metric &m"),
            any_answer(CHECK, "are_costs", "const sotto_metric &m", "m.cost != nullptr"),
            any_answer(CHECK, "is_fingerprint_taken", "const sotto_registry &registry, const sotto_metric &m"),
        ],
        "unwind": 5,
        "fault": (CHECK, "i < m.level_count; ++i", "i <= m.level_count; ++i"),
    },
    "accounts": {
        "harness": "adopt",
        "defines": ["ACCOUNTS"],
        "sources": [STUBS],
        "unwind": 5,
        "fault": (ADOPT, "at(place).words() > used_ - place ||", "at(place).words() > room_ ||"),
    },
    "moved_releases": {
        "harness": "adopt",
        "defines": ["MOVE"],
        "sources": [STUBS],
        "unwind": 66,
        "fault": (ADOPT, "size_t{4} * (room_ - before_)) {", "size_t{4} * room_) {"),
    },
    "releases": {
        "harness": "adopt",
        "sources": [STUBS],
        "unwind": 4,
        "fault": (ADOPT, "i < client_.memory.release_capacity", "i <= client_.memory.release_capacity"),
    },
    "flash_scan": {
        "harness": "flash",
        "defines": ["SCAN"],
        "sources": [STUBS],
        "edits": [ANY_CHECKSUM],
        "unwind": 5,
        "loops": {"_ZL6forgetPVhj.0": 33},
        "fault": (FLASH, "found.value <= room - HEAD_BYTES", "found.value <= room"),
    },
    "flash_pages": {
        "harness": "flash",
        "defines": ["PAGES"],
        "sources": [STUBS],
        "edits": [ANY_CHECKSUM],
        "unwind": 33,
        "fault": (FLASH, "i < MARKS; ++i", "i <= MARKS; ++i"),
    },
    "flash_load": {
        "harness": "flash",
        "defines": ["LOAD"],
        "sources": [STUBS],
        "edits": [ANY_CHECKSUM],
        "unwind": 13,
        "fault": (FLASH, "page_bytes - at - HEAD_BYTES)", "page_bytes - at)"),
    },
    "flash_add": {
        "harness": "flash",
        "defines": ["ADD"],
        "sources": [STUBS],
        "edits": [ANY_CHECKSUM],
        "unwind": 13,
        "loops": {"_ZL6forgetPVhj.0": 33},
        "fault": (FLASH, "w->fill == size", "w->fill > size"),
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


def plant(edits, out):
    """Copies of sources with edits, in a folder that is searched before ours: by the source's name."""
    copies = {}
    for name, before, after in edits:
        text = copies[name].read_text() if name in copies else (ROOT / name).read_text()
        if text.count(before) != 1:
            sys.exit(f"prove: {name} must have '{before}' once, to be replaced")
        folder = next(folder for folder in FOLDERS if name.startswith(folder))
        copies[name] = out / "planted" / pathlib.Path(name).relative_to(folder)
        copies[name].parent.mkdir(parents=True, exist_ok=True)
        copies[name].write_text(text.replace(before, after))
    return copies


def main():
    name, nanopb, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    is_planted = sys.argv[4:] == ["--planted"]
    for tool in ("clang-14", "llvm-link-14", "opt-14", "cadical"):
        if shutil.which(tool) is None:
            skip(f"{tool} is missing")
    prover = subprocess.run([ROOT / "tools/setup.sh", "--prover"], capture_output=True, text=True)
    if prover.returncode == 3:
        skip("CBMC is missing")
    if prover.returncode != 0:
        sys.exit(f"prove: {prover.stderr}")
    proof = PROOFS[name]
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    copies = plant([*proof.get("edits", []), *([proof["fault"]] if is_planted else [])], out)
    includes = [f"-I{d}" for d in (out / "planted", HERE, "sdk/include", *FOLDERS)]
    includes += [f"-D{word}" for word in proof.get("defines", [])]
    includes += ["-isystem", "sdk/proto", "-isystem", nanopb, "-isystem", HERE / "libc"]
    modules = []
    harness = f"tests/proof/harness/{proof.get('harness', name)}.cpp"
    for i, source in enumerate([harness, *proof["sources"]]):
        source = copies.get(source, source)
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
