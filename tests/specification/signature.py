# SPDX-License-Identifier: Apache-2.0
"""ECDSA on P-256, in plain Python: what a request is signed with."""
import hashlib

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
