# SPDX-License-Identifier: Apache-2.0
"""[requests] in metrics.toml: whose signed requests the devices obey."""
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from .c_style import array
from .errors import RegistryError, within
from .fields import Fields
from .model import Registry, RequestKey
from .names import quoted

SERIAL_MAX = (1 << 32) - 2  # one above it is left

# P-256 (FIPS 186-4, D.1.2.3): y^2 = x^3 - 3 x + B modulo PRIME.
PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B


def read_request_key(table: dict) -> RequestKey:
    fields = Fields(table, ("key", "after_serial"))
    return RequestKey(
        fields.string("key", "the name of a public key of sotto keygen --requests"),
        fields.integer("after_serial", 0, SERIAL_MAX, default=0),
    )


def load_request_key(
    registry: Registry, folder: Path, read_text: Callable[[str], str]
) -> Registry:
    """The registry with the key's file read; its name is relative to the folder."""
    key = registry.request_key
    if key is None:
        return registry
    with within(f"[requests]: key {quoted(key.file)}"):
        public_key = parse_request_key(read_text(str(folder / key.file)))
    return replace(registry, request_key=replace(key, public_key=public_key))


def parse_request_key(text: str) -> bytes:
    """Reads the file of `sotto keygen --requests`: x and y, and the id, which must fit."""
    if text.startswith("sotto private"):
        raise RegistryError("is a private key: keep it with the operator and name the public one")
    if text.startswith("sotto public key"):
        raise RegistryError("is a key that seals; sotto keygen --requests makes one that signs")
    match = re.fullmatch(
        r"sotto public request key v1\np256 ([0-9a-f]{128})\nid ([0-9a-f]{8})\n", text
    )
    if not match:
        raise RegistryError("is no public key as sotto keygen --requests writes it")
    public_key = bytes.fromhex(match[1])
    if key_id(public_key) != match[2]:
        raise RegistryError(f"its id {match[2]} does not fit its key: a digit was changed")
    x, y = (int.from_bytes(public_key[at : at + 32], "big") for at in (0, 32))
    if x >= PRIME or y >= PRIME or (y * y - (x**3 - 3 * x + B)) % PRIME != 0:
        raise RegistryError("its p256 is no point of the curve")
    return public_key


def key_id(public_key: bytes) -> str:
    label = b"sotto request key v1"
    return hashlib.sha256(bytes([len(label)]) + label + public_key).digest()[:4].hex()


def definition(key: RequestKey | None) -> str:
    """The table in C, `request_key`; nothing without a key."""
    if key is None:
        return ""
    values = [f"0x{byte:02x}" for byte in key.public_key]
    return array(f"static const uint8_t request_key[{len(values)}]", values) + "\n"
