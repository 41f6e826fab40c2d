# SPDX-License-Identifier: Apache-2.0
"""
The vectors of sealing, and of requests' signatures. The ones that crypto.json takes from
standards are recomputed here in plain Python, AES apart. Its "envelopes" are made
from sdk/proto/WIRE.md alone. tests/specification has the functions.

    crypto.py              writes the envelopes into crypto.json
    crypto.py --check      is crypto.json what the standards' functions and this page make?
    crypto.py --header FILE         the vectors as C, for devices
"""
import hashlib
import hmac
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "specification"))

from seal import (  # noqa: E402
    AES_128_GCM,
    CHACHA20_POLY1305,
    PRIME,
    chacha20_poly1305,
    envelope,
    expand,
    extract,
    key_id,
    key_schedule,
    schedule_context,
    x25519,
)
from signature import ecdsa_verify  # noqa: E402

FILE = Path(__file__).with_name("crypto.json")


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
