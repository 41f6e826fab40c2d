# SPDX-License-Identifier: Apache-2.0
"""Hashes, keys and streams: the section of that name in sdk/proto/WIRE.md."""
import hashlib
import struct


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
