# SPDX-License-Identifier: Apache-2.0
"""
Writes wire.json: hashes, keys, streams and reports as sdk/proto/WIRE.md specifies them, computed by
tests/specification from the specification alone. It is for implementations in any language; the SDK's tests read
the same file.

    wire.py [--check]      with --check: is the committed file what this makes?
"""
import hashlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "specification"))

from batch import batch, new_ids, report, words_of_numbers  # noqa: E402
from streams import (  # noqa: E402
    bloom_positions,
    category_digest,
    chacha20,
    cohort,
    labelled,
    steps_key,
    stream,
    string_digest,
    value_stream,
)

FILE = Path(__file__).with_name("wire.json")


def batches() -> list[dict]:
    known = "0102030405060708"
    every = [
        report(1, [(1, 1)]),  # a boolean
        report(5, [(11, 4)], level=2, id=known),  # one of 12 categories
        report(8, [], age=300, whole=b"\x3f"),  # a set of 6
        report(9, [(37, 6)], whole=bytes(range(16))),  # a string of 64 cohorts
        report(9, [(37, 6)], level=1, id="f" * 16, whole=bytes(range(16, 32))),
        report(11, [], whole=words_of_numbers([-20])),  # an integer
        report(13, [], whole=words_of_numbers([-8, 0, 8])),  # a vector
        report(14, [(2, 16)], whole=words_of_numbers([-1, 70000])),  # two rows of a counter
        report(300, [(65533, 16)], id="0" * 15 + "1", selected=1, level=1),  # one of 65,534 categories
    ]
    cases = [
        (0, 32, [report(1, [(1, 1)])]),
        (20000, 0, [report(i, [(i % 2, 1)]) for i in range(1, 17)]),
        (20000, 32, [report(i, [(i % 2, 1)]) for i in range(1, 17)]),
        (20000, 16, [report(1, [(0, 1)], level=1, id=known)]),
        (70000, 64, every),
    ]
    seed = bytes.fromhex("886e81a8f629a95f")
    return [
        {"epoch": epoch, "seed": seed.hex(), "padding": padding, "reports": reports,
         "ids": [id.hex() for id in new_ids(seed, sum(not r["id"] for r in reports))],
         "bytes": batch(epoch, seed, reports, padding).hex()}
        for epoch, padding, reports in cases
    ]


def document() -> dict:
    secret, other = bytes(range(32)), bytes(range(255, 223, -1))
    texts = [b"", b"B-737-300", "Flughafen Zürich".encode(), b"x" * 24, b"x" * 25]
    digests = [
        {"cohort": c, "max_bytes": 24, "text": text.hex(), "digest": string_digest(c, text, 24).hex(),
         "positions": {
             f"{h} of {b}": bloom_positions(string_digest(c, text, 24), h, b)
             for h, b in ((2, 128), (8, 100), (1, 8))}}
        for c in (0, 63) for text in texts
    ]
    digest = string_digest(5, texts[1], 24)
    definition = hashlib.sha256(labelled("sotto metric v1") + b"{}").digest()
    return {
        "about": "Examples of sdk/proto/WIRE.md; bytes in hex. Made by wire.py.",
        "string_digest": digests,
        "category_digest": [{"category": c, "digest": category_digest(c).hex()} for c in (0, 39, 65534)],
        "cohort": [
            {"secret": s.hex(), "cohorts": n, "cohort": cohort(s, n)}
            for s in (secret, other) for n in (1, 64, 1000, 1024)],
        "value_stream": [
            {"secret": s.hex(), "metric": m, "definition": f.hex(), "digest": d.hex(),
             "tag": tag.hex(), "noise": noise.hex()}
            for s, m, f in (
                (secret, 1, definition), (secret, 2, definition), (other, 65535, definition),
                # The same first 4 bytes, as in a fingerprint, and one other bit behind them.
                (secret, 1, definition[:31] + bytes([definition[31] ^ 1])))
            for d in (digest, digest[:31] + b"\0", b"\xff" * 32)
            for tag, noise in (value_stream(s, m, f, d, 100),)],
        "steps_key": [
            {"secret": secret.hex(), "metric": 7, "definition": definition.hex(), "tag": t.hex(),
             "key": steps_key(secret, 7, definition, t).hex()}
            for t in (bytes([1]) + bytes(7), bytes(range(1, 9)))],
        "stream": [
            {"key": k.hex(), "purpose": p, "number": n, "bytes": stream(k, p, n, 100).hex()}
            for k in (secret, other)
            for p, n in (("sotto-ld", 0), ("sotto-ld", 1), ("sotto-ir", 0), ("sotto-pr", 15), ("sotto-pf", 2),
                         ("sotto-co", 0), ("sotto-rs", 7), ("sotto-bs", 0), ("sotto-id", 0))],
        "batch": batches(),
    }


def main() -> int:
    # RFC 8439, appendix A.1, test vectors 1 and 4.
    assert chacha20(bytes(32), bytes(12), 0, 8).hex() == "76b8e0ada0f13d90"
    assert chacha20(b"\0\xff" + bytes(30), bytes(12), 2, 8).hex() == "72d54dfbf12ec44b"
    text = json.dumps(document(), indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        if FILE.read_text(encoding="utf-8") != text:
            print(f"{FILE.name} is not what wire.py makes", file=sys.stderr)
            return 1
        return 0
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
