# SPDX-License-Identifier: Apache-2.0
"""
Writes wire.json: hashes, keys, streams and reports as sdk/proto/WIRE.md specifies them, computed here
from the specification alone, for implementations in any language. The SDK's tests read the same file.

    specification.py [--check]      with --check: is the committed file what this makes?
"""
import hashlib
import json
import struct
import sys
from pathlib import Path

FILE = Path(__file__).with_name("wire.json")


def labelled(label: str) -> bytes:
    return bytes([len(label)]) + label.encode()


def be32(x: int) -> bytes:
    return struct.pack(">I", x)


def string_digest(cohort: int, text: bytes, max_bytes: int) -> bytes:
    fits = len(text) <= max_bytes
    length = len(text) if fits else 0xFFFFFFFF
    padded = (text if fits else b"").ljust(max_bytes, b"\0")
    return hashlib.sha256(labelled("sotto bloom v1") + be32(cohort) + be32(length) + padded).digest()


def category_digest(category: int) -> bytes:
    return hashlib.sha256(labelled("sotto category v1") + be32(category)).digest()


def bloom_positions(digest: bytes, hashes: int, bits: int) -> list[int]:
    return [int.from_bytes(digest[4 * i:4 * i + 4], "big") * bits >> 32 for i in range(hashes)]


def chacha20(key: bytes, nonce: bytes, counter: int, count: int) -> bytes:
    """The key stream of RFC 8439."""
    out = b""
    for block in range(-(-count // 64)):
        state = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574]
        state += [*struct.unpack("<8I", key), (counter + block) & 0xFFFFFFFF, *struct.unpack("<3I", nonce)]
        x = list(state)

        def quarter(a: int, b: int, c: int, d: int) -> None:
            for p, q, r, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[p] = (x[p] + x[q]) & 0xFFFFFFFF
                x[r] ^= x[p]
                x[r] = (x[r] << turn | x[r] >> (32 - turn)) & 0xFFFFFFFF

        for _ in range(10):
            for column in range(4):
                quarter(column, column + 4, column + 8, column + 12)
            for i in range(4):
                quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
        out += struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in zip(x, state)))
    return out[:count]


def stream(key: bytes, purpose: str, number: int, count: int) -> bytes:
    return chacha20(key, purpose.encode() + be32(number), 0, count)


def block_input(sixteen: bytes) -> tuple[bytes, int]:
    return sixteen[:12], int.from_bytes(sixteen[12:], "little")


def prf(key: bytes, purpose: str, number: int, sixteen: bytes) -> bytes:
    return chacha20(stream(key, purpose, number, 32), *block_input(sixteen), 32)


def cohort(secret: bytes, cohorts: int) -> int:
    return int.from_bytes(stream(secret, "sotto-co", 0, 4), "little") * cohorts >> 32


def long_prf(key: bytes, purpose: str, number: int, digest: bytes, count: int) -> bytes:
    return chacha20(prf(key, purpose, number, digest[:16]), *block_input(digest[16:]), count)


def with_definition(definition: bytes, what: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(definition, what.ljust(32, b"\0")))


def value_stream(secret: bytes, metric: int, definition: bytes, digest: bytes, count: int) -> tuple[bytes, bytes]:
    """The tag, whose lowest bit is always set, and so many bytes of permanent noise."""
    both = long_prf(secret, "sotto-vk", metric, with_definition(definition, digest), 8 + count)
    return bytes([both[0] | 1]) + both[1:8], both[8:]


def steps_key(secret: bytes, metric: int, definition: bytes, tag: bytes) -> bytes:
    return long_prf(secret, "sotto-sk", metric, with_definition(definition, tag), 32)


def varint(x: int) -> bytes:
    out = b""
    while x > 127:
        out += bytes([x & 127 | 128])
        x >>= 7
    return out + bytes([x])


def field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + varint(len(content)) + content


def new_ids(seed: bytes, count: int) -> list[bytes]:
    ids = stream(seed + bytes(24), "sotto-id", 0, 8 * count)
    return [ids[8 * i : 8 * i + 8] for i in range(count)]


def values(reports: list[dict]) -> bytes:
    """The column of values: whole numbers of a width in bits, and bytes that begin with a byte."""
    text = ""  # the lowest bit first
    for report in reports:
        for number, width in report["bits"]:
            text += f"{number:0{width}b}"[::-1]
        if report["bytes"]:
            text += "0" * (-len(text) % 8)
            text += "".join(f"{byte:08b}"[::-1] for byte in bytes.fromhex(report["bytes"]))
    text += "0" * (-len(text) % 8)
    return bytes(int(text[i : i + 8][::-1], 2) for i in range(0, len(text), 8))


def batch(epoch: int, seed: bytes, reports: list[dict], padding: int) -> bytes:
    """A Batch of reports by ascending metric; `id` is that of a release that had one."""
    ids = [report["metric"] for report in reports]
    known = [2 if report["id"] else 0 for report in reports]
    columns = [
        [id - last for id, last in zip(ids, [0, *ids])],
        [report["level"] for report in reports],
        [report["age"] for report in reports],
        [known[i] + report["selected"] for i, report in enumerate(reports)],
    ]
    out = b"\x08" + varint(epoch) if epoch else b""
    out += b"\x11" + seed if 0 in known else b""
    for number, column in enumerate(columns, 3):
        out += field(number, b"".join(map(varint, column))) if any(column) else b""
    releases = b"".join(bytes.fromhex(report["id"] or "") for report in reports)
    out += field(7, releases) if releases else b""
    out += field(8, values(reports))
    gap = -len(out) % padding if padding else 0
    return out + (field(9, bytes((gap if gap > 1 else gap + padding) - 2)) if gap else b"")


def report(metric: int, bits: list, level: int = 0, age: int = 0, id: str = "", selected: int = 0,
           whole: bytes = b"") -> dict:
    return {"metric": metric, "level": level, "age": age, "id": id, "selected": selected,
            "bits": bits, "bytes": whole.hex()}


def words(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}i", *numbers)


def batches() -> list[dict]:
    known = "0102030405060708"
    every = [
        report(1, [(1, 1)]),  # a boolean
        report(5, [(11, 4)], level=2, id=known),  # one of 12 categories
        report(8, [], age=300, whole=b"\x3f"),  # a set of 6
        report(9, [(37, 6)], whole=bytes(range(16))),  # a string of 64 cohorts
        report(9, [(37, 6)], level=1, id="f" * 16, whole=bytes(range(16, 32))),
        report(11, [], whole=words(-20)),  # an integer
        report(13, [], whole=words(-8, 0, 8)),  # a vector
        report(14, [(2, 16)], whole=words(-1, 70000)),  # two rows of a counter
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
        "about": "Examples of sdk/proto/WIRE.md; bytes in hex. Made by specification.py.",
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
            print(f"{FILE.name} is not what specification.py makes", file=sys.stderr)
            return 1
        return 0
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
