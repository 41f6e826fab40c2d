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


def report(release: bytes, metric: int, level: int, age: int, cohort_number: int | None, value: bytes) -> bytes:
    """A Report; `value` is the encoded member of the oneof."""
    out = b"\x0a\x08" + release + b"\x10" + varint(metric)
    out += b"\x18" + varint(level) if level else b""
    out += b"\x20" + varint(age) if age else b""
    out += b"\x2d" + struct.pack("<I", cohort_number) if cohort_number is not None else b""
    return out + value


def index(x: int) -> bytes:
    return b"\x3d" + struct.pack("<I", x)


def number(x: int) -> bytes:
    return b"\x45" + struct.pack("<i", x)


def bits(x: bytes) -> bytes:
    return b"\x4a" + varint(len(x)) + x


def numbers(xs: list[int]) -> bytes:
    return b"\x52" + varint(4 * len(xs)) + struct.pack(f"<{len(xs)}i", *xs)


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
    release = bytes.fromhex("886e81a8f629a95f")
    reports = [
        ("boolean", dict(metric=1, level=0, age=0, cohort=None), index(1)),
        ("category", dict(metric=300, level=2, age=0, cohort=None), index(65534)),
        ("integer", dict(metric=11, level=0, age=5, cohort=None), number(-20)),
        ("vector", dict(metric=13, level=1, age=0, cohort=None), numbers([-8, 0, 8])),
        ("string", dict(metric=9, level=0, age=0, cohort=0), bits(bytes(range(16)))),
        ("set", dict(metric=8, level=0, age=300, cohort=None), bits(b"\x3f")),
    ]
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
                         ("sotto-co", 0), ("sotto-rs", 7))],
        "report": [
            {"type": name, **fields, "release": release.hex(), "bytes":
             report(release, fields["metric"], fields["level"], fields["age"], fields["cohort"], value).hex()}
            for name, fields, value in reports],
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
