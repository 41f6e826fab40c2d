# SPDX-License-Identifier: Apache-2.0
"""A sealed envelope: HPKE in plain Python, and the section Sealing of sdk/proto/WIRE.md."""
import hashlib
import hmac
import struct

from batch import varint
from streams import chacha20, labelled

PRIME = 2**255 - 19
INFO = b"sotto envelope v1"
AES_128_GCM, CHACHA20_POLY1305 = 1, 3


def x25519(scalar: bytes, point: bytes) -> bytes:
    """RFC 7748, 5."""
    k = int.from_bytes(scalar, "little") & ~7 & (1 << 254) - 1 | 1 << 254
    x1 = int.from_bytes(point, "little") & (1 << 255) - 1
    x2, z2, x3, z3 = 1, 0, x1, 1
    for t in reversed(range(255)):
        if k >> t & 1:
            x2, x3, z2, z3 = x3, x2, z3, z2
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        aa, bb, da, cb = a * a, b * b, d * a, c * b
        x3, z3 = (da + cb) ** 2 % PRIME, x1 * (da - cb) ** 2 % PRIME
        x2, z2 = aa * bb % PRIME, (aa - bb) * (aa + 121665 * (aa - bb)) % PRIME
        if k >> t & 1:
            x2, x3, z2, z3 = x3, x2, z3, z2
    return (x2 * pow(z2, PRIME - 2, PRIME) % PRIME).to_bytes(32, "little")


def poly1305(key: bytes, text: bytes) -> bytes:
    """RFC 8439, 2.5."""
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    sum_ = 0
    for at in range(0, len(text), 16):
        sum_ = (sum_ + int.from_bytes(text[at:at + 16] + b"\1", "little")) * r % (2**130 - 5)
    return ((sum_ + int.from_bytes(key[16:], "little")) % 2**128).to_bytes(16, "little")


def chacha20_poly1305(key: bytes, nonce: bytes, aad: bytes, text: bytes) -> bytes:
    """RFC 8439, 2.8."""
    stream = chacha20(key, nonce, 1, len(text))
    out = bytes(a ^ b for a, b in zip(text, stream))
    filled = b"".join(part + bytes(-len(part) % 16) for part in (aad, out))
    return out + poly1305(chacha20(key, nonce, 0, 32), filled + struct.pack("<QQ", len(aad), len(out)))


def extract(salt: bytes, key: bytes) -> bytes:
    return hmac.new(salt, key, "sha256").digest()


def expand(key: bytes, info: bytes, length: int) -> bytes:
    out, block, number = b"", b"", 0
    while len(out) < length:
        number += 1
        block = hmac.new(key, block + info + bytes([number]), "sha256").digest()
        out += block
    return out[:length]


def labelled_extract(suite: bytes, salt: bytes, label: bytes, key: bytes) -> bytes:
    return extract(salt, b"HPKE-v1" + suite + label + key)


def hpke_suite(aead: int) -> bytes:
    return b"HPKE" + struct.pack(">HHH", 0x20, 1, aead)


def schedule_context(info: bytes, aead: int) -> bytes:
    """key_schedule_context of RFC 9180, 5.1, in base mode."""
    suite = hpke_suite(aead)
    hashes = [labelled_extract(suite, b"", b"psk_id_hash", b""), labelled_extract(suite, b"", b"info_hash", info)]
    return b"\0" + b"".join(hashes)


def key_schedule(
    public_key: bytes, ephemeral: bytes, info: bytes, aead: int
) -> tuple[bytes, bytes, bytes, bytes]:
    """SetupBaseS of RFC 9180: enc, shared secret, key and base nonce."""
    kem = b"KEM" + struct.pack(">H", 0x20)
    suite = hpke_suite(aead)

    def labelled_expand(suite: bytes, key: bytes, label: bytes, context: bytes, length: int) -> bytes:
        return expand(key, struct.pack(">H", length) + b"HPKE-v1" + suite + label + context, length)

    enc = x25519(ephemeral, bytes([9]) + bytes(31))
    key = labelled_extract(kem, b"", b"eae_prk", x25519(ephemeral, public_key))
    shared = labelled_expand(kem, key, b"shared_secret", enc + public_key, 32)
    context = schedule_context(info, aead)
    secret = labelled_extract(suite, shared, b"secret", b"")
    length = 16 if aead == AES_128_GCM else 32
    return (enc, shared, labelled_expand(suite, secret, b"key", context, length),
            labelled_expand(suite, secret, b"base_nonce", context, 12))


def key_id(public_key: bytes) -> int:
    return int.from_bytes(hashlib.sha256(labelled("sotto key v1") + public_key).digest()[:4], "big")


def header(registry: int, public_key: bytes | None = None) -> bytes:
    """The envelope before the batch or, sealed, before `enc`: the associated data."""
    out = b"\x08\x02\x15" + struct.pack("<I", registry)
    return out if public_key is None else out + b"\x25" + struct.pack("<I", key_id(public_key))


def ephemeral_key(drawn: bytes, registry: int, public_key: bytes, batch: bytes) -> bytes:
    text = labelled("sotto ephemeral v1") + drawn + header(registry, public_key) + batch
    return hashlib.sha256(text).digest()


def envelope(registry: int, public_key: bytes, ephemeral: bytes, batch: bytes) -> bytes:
    aad = header(registry, public_key)
    enc, _, key, nonce = key_schedule(public_key, ephemeral, INFO, CHACHA20_POLY1305)
    sealed = chacha20_poly1305(key, nonce, aad, batch)
    content = aad + b"\x2a\x20" + enc + b"\x32" + varint(len(sealed)) + sealed
    return varint(len(content)) + content
