# SPDX-License-Identifier: Apache-2.0
"""
The vectors of sealing, and of requests' signatures. The ones that crypto.json takes from
standards are recomputed here in plain Python, AES apart. Its "envelopes" are made here from sdk/proto/WIRE.md alone.

    crypto.py              writes the envelopes into crypto.json
    crypto.py --check      is crypto.json what the standards' functions and this page make?
    crypto.py --header FILE         the vectors as C, for devices
"""
import hashlib
import hmac
import json
import struct
import sys
from pathlib import Path
from typing import Any

from specification import chacha20, labelled

FILE = Path(__file__).with_name("crypto.json")
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


def edges() -> list[dict[str, str]]:
    """Scalars and points where field arithmetic errs if it does. A result of 0 is to be refused."""
    def u(x: int) -> bytes:
        return x.to_bytes(32, "little")

    usual = bytes(range(7, 39))
    scalars = [bytes(32), bytes([255]) * 32, u(1 << 255), u(7), u((1 << 254) - 1), u(0x5555 << 120),
               b"\x00\xff" * 16, u(sum(1 << k for k in range(0, 256, 51)))]
    # Twice each: a number of the field in its two forms; the highest bit, which does not count.
    both_forms = [form for x in range(19) for form in (x, PRIME + x)]
    highest_bit = [x + (1 << 255) for x in (0, 1, 2, 9, PRIME - 1, PRIME, PRIME + 2, (1 << 255) - 1)]
    # Limbs of 26 and 25 bits, and of 32, that are full, empty, or about to carry.
    starts = (0, 26, 51, 77, 102, 128, 153, 179, 204, 230)
    limbs = [1 << at for at in starts] + [(1 << at) - 1 for at in starts[1:]] + [PRIME - (1 << at) for at in starts]
    limbs += [sum(1 << at for at in starts), sum(((1 << 25) - 1) << at for at in starts)]
    limbs += [int("ffffffff00000000" * 4, 16) % (1 << 255), int("00000000ffffffff" * 4, 16)]
    pairs = [(scalar, u(9)) for scalar in scalars]
    pairs += [(usual, u(x)) for x in both_forms + highest_bit + limbs]
    return [{"scalar": scalar.hex(), "point": point.hex(), "out": x25519(scalar, point).hex()}
            for scalar, point in pairs]


# P-256: FIPS 186-4, D.1.2.3. A point is (x, y), or None at infinity.
P256 = 2**256 - 2**224 + 2**192 + 2**96 - 1
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
P256_B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
P256_BASE = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
             0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)
Point = tuple[int, int] | None


def add_points(a: Point, b: Point) -> Point:
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if (a[1] + b[1]) % P256 == 0:
            return None
        slope = (3 * a[0] ** 2 - 3) * pow(2 * a[1], -1, P256)
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P256)
    x = (slope**2 - a[0] - b[0]) % P256
    return x, (slope * (a[0] - x) - a[1]) % P256


def times(k: int, point: Point) -> Point:
    out: Point = None
    while k:
        out = add_points(out, point) if k & 1 else out
        k, point = k >> 1, add_points(point, point)
    return out


def ecdsa_verify(key: bytes, text: bytes, signature: bytes) -> bool:
    """FIPS 186-4, 6.4, on P-256 with SHA-256."""
    x, y, r, s = (int.from_bytes(b, "big") for b in (key[:32], key[32:], signature[:32], signature[32:]))
    on_curve = x < P256 and y < P256 and (y * y - x**3 + 3 * x - P256_B) % P256 == 0
    if not on_curve or not 0 < r < P256_ORDER or not 0 < s < P256_ORDER:
        return False
    e, w = int.from_bytes(hashlib.sha256(text).digest(), "big"), pow(s, -1, P256_ORDER)
    sum_ = add_points(times(e * w % P256_ORDER, P256_BASE), times(r * w % P256_ORDER, (x, y)))
    return sum_ is not None and sum_[0] % P256_ORDER == r


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


def varint(x: int) -> bytes:
    return bytes([x]) if x < 0x80 else bytes([x & 0x7F | 0x80]) + varint(x >> 7)


def envelope(registry: int, public_key: bytes, ephemeral: bytes, batch: bytes) -> bytes:
    header = b"\x08\x02\x15" + struct.pack("<I", registry)
    header += b"\x25" + struct.pack("<I", key_id(public_key))
    enc, _, key, nonce = key_schedule(public_key, ephemeral, INFO, CHACHA20_POLY1305)
    sealed = chacha20_poly1305(key, nonce, header, batch)
    content = header + b"\x2a\x20" + enc + b"\x32" + varint(len(sealed)) + sealed
    return varint(len(content)) + content


def envelopes() -> list[dict[str, Any]]:
    seed = b"\x11" + bytes.fromhex("886e81a8f629a95f")
    batches = [seed + bytes.fromhex("1a0101420101") + b"\x4a\x0f" + bytes(15)]  # WIRE.md's
    batches.append(seed + b"\x1a\x10" + b"\x01" * 16 + b"\x42\x02\x55\x55" + b"\x4a\x1f" + bytes(31))
    result = []
    for i, batch in enumerate(batches):
        private, ephemeral = bytes(range(i, i + 32)), bytes(range(100 + i, 132 + i))
        public = x25519(private, bytes([9]) + bytes(31))
        result.append({
            "registry": "3c1277dd", "private_key": private.hex(), "public_key": public.hex(),
            "key_id": f"{key_id(public):08x}", "ephemeral": ephemeral.hex(), "batch": batch.hex(),
            "envelope": envelope(0x3C1277DD, public, ephemeral, batch).hex()})
    return result


def differing(document: dict[str, Any], iterations: int = 1000) -> list[str]:
    """Where the document is not what its inputs make."""
    wrong = []

    def compare(name: str, made: bytes, given: str) -> None:
        if made.hex() != given:
            wrong.append(f"{name}: {made.hex()} computed, {given} given")

    def inputs(entry: dict[str, str], *keys: str) -> list[bytes]:
        return [bytes.fromhex(entry[key]) for key in keys]

    for v in document["sha256"]["vectors"]:
        compare("sha256", hashlib.sha256(*inputs(v, "text")).digest(), v["digest"])
    for v in document["hmac_sha256"]["vectors"]:
        compare("hmac_sha256", hmac.new(*inputs(v, "key", "text"), "sha256").digest(), v["tag"])
    for v in document["hkdf_sha256"]["vectors"]:
        compare("hkdf_extract", extract(*inputs(v, "salt", "ikm")), v["prk"])
        compare("hkdf_expand", expand(*inputs(v, "prk", "info"), len(v["okm"]) // 2), v["okm"])
    for v in document["chacha20_poly1305"]["vectors"]:
        made = chacha20_poly1305(*inputs(v, "key", "nonce", "aad", "text"))
        compare("chacha20_poly1305", made, v["sealed"])
    for v in document["x25519"]["vectors"]:
        compare("x25519", x25519(*inputs(v, "scalar", "point")), v["out"])
    for point in document["x25519"]["small_order"]:
        compare("small order", x25519(bytes(range(32)), bytes.fromhex(point)), bytes(32).hex())
    k = u = bytes([9]) + bytes(31)
    for i in range(1, iterations + 1):
        k, u = x25519(k, u), k
        if str(i) in document["x25519"]["iterated"]:
            compare(f"x25519 {i} times", k, document["x25519"]["iterated"][str(i)])
    for v in document["ecdsa_p256_sha256"]["vectors"]:
        made = str(int(ecdsa_verify(*inputs(v, "key", "text", "signature")))).encode()
        compare("ecdsa_p256_sha256", made, v["valid"].encode().hex())
    info = bytes.fromhex(document["hpke"]["info"])
    for v in document["hpke"]["vectors"]:
        aead = AES_128_GCM if v["aead"] == "AES-128-GCM" else CHACHA20_POLY1305
        made = key_schedule(*inputs(v, "public_key", "ephemeral"), info, aead)
        for name, bytes_made in zip(("enc", "shared_secret", "key", "base_nonce"), made):
            compare(f"hpke {v['aead']} {name}", bytes_made, v[name])
    for v in document["requests"]:
        message = bytes.fromhex(v["message"])
        body, signature = request_body(v), message[-64:]
        compare("request", b"\x0a" + bytes([len(body)]) + body + b"\x12\x40" + signature, v["message"])
        label = b"sotto request v1"
        if not ecdsa_verify(bytes.fromhex(v["key"]), bytes([len(label)]) + label + body, signature):
            wrong.append("request: not signed by its key")
    if document["envelopes"] != envelopes():
        wrong.append("envelopes: not what WIRE.md makes; run crypto.py")
    return wrong


def request_body(v: dict[str, str]) -> bytes:
    """WIRE.md, Requests; numbers below 128, none of them 0."""
    numbers = (v[key] for key in ("metric", "level", "first_epoch", "last_epoch", "serial"))
    fields = b"".join(bytes([8 * tag, int(number)]) for tag, number in enumerate(numbers, start=2))
    select = bytes.fromhex(v["select"])
    return (b"\x0d" + bytes.fromhex(v["registry"])[::-1] + fields
            + (b"\x3a" + bytes([len(select)]) + select if select else b""))


def header(document: dict[str, Any]) -> str:
    lines = ["// SPDX-License-Identifier: Apache-2.0", "// Made by crypto.py from crypto.json.", "#pragma once", ""]

    def table(name: str, keys: tuple[str, ...], entries: list[dict[str, Any]]) -> None:
        lines.append(f"struct {name}_vector {{ const char *{', *'.join(keys)}; }};")
        lines.append(f"static const {name}_vector {name}_vectors[] = {{")
        for entry in entries:
            lines.append("    {" + ", ".join(f'"{entry[key]}"' for key in keys) + "},")
        lines.append("};")

    for name in ("sha256", "hmac_sha256", "hkdf_sha256", "chacha20_poly1305", "x25519", "ctr_drbg",
                 "ecdsa_p256_sha256"):
        table(name, tuple(document[name]["vectors"][0]), document[name]["vectors"])
    table("envelope", tuple(document["envelopes"][0]), document["envelopes"])
    table("request", tuple(document["requests"][0]), document["requests"])
    table("edge", ("scalar", "point", "out"), edges())
    points = [{"point": point} for point in document["x25519"]["small_order"]]
    table("small_order", ("point",), points)
    for name in ("iterated", "iterated_long"):
        iterated = [{"times": n, "out": out} for n, out in document["x25519"][name].items()]
        table(name, ("times", "out"), iterated)
    hpke = next(v for v in document["hpke"]["vectors"] if v["aead"] == "ChaCha20Poly1305")
    schedule = schedule_context(bytes.fromhex(document["hpke"]["info"]), CHACHA20_POLY1305).hex()
    rest = {"schedule": schedule, "text": document["hpke"]["text"]}
    table("hpke", ("schedule", "text", "public_key", "ephemeral", "enc", "key", "base_nonce"), [hpke | rest])
    table("encryption", ("sequence", "aad", "sealed"), hpke["encryptions"])
    return "\n".join(lines) + "\n"


def main() -> int:
    document = json.loads(FILE.read_text(encoding="utf-8"))
    if sys.argv[1:2] == ["--header"]:
        Path(sys.argv[2]).write_text(header(document), encoding="utf-8")
        return 0
    if sys.argv[1:] == ["--check"]:
        wrong = differing(document)
        control = json.loads(json.dumps(document).replace("ba7816bf", "ba7816be"))
        if len(differing(control, 1)) != 1 + len(differing(document, 1)):
            wrong.append("a wrong digest is not noticed")
        print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
        return 1 if wrong else 0
    document["envelopes"] = envelopes()
    FILE.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
