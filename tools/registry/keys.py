# SPDX-License-Identifier: Apache-2.0
"""The public keys that batches are sealed with: [[key]] in metrics.toml and the files it names."""
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from .errors import RegistryError, within
from .fields import Fields, show
from .model import Registry, SealKey
from .names import quoted

KEYS_MAX = 16
EPOCH_MAX = (1 << 32) - 2
NEVER = (1 << 32) - 1  # a last epoch that no epoch is past
FIELD_PRIME = 2**255 - 19
CURVE_A = 486662


def read_keys(fields: Fields) -> tuple[SealKey, ...]:
    tables = fields.table.get("key", [])
    if not isinstance(tables, list):
        raise RegistryError(f"key: {show(tables)}; write each key under [[key]]")
    if len(tables) > KEYS_MAX:
        raise RegistryError(f"key: {len(tables)} of them; at most {KEYS_MAX} are allowed")
    keys = []
    for position, table in enumerate(tables, start=1):
        with within(f"[[key]] number {position}"):
            if not isinstance(table, dict):
                raise RegistryError(f"{show(table)} is not a table")
            keys.append(_key(Fields(table, ("file", "last_epoch"))))
    return tuple(keys)


def _key(fields: Fields) -> SealKey:
    file = fields.string("file", "the name of a public key, as sotto keygen wrote it")
    return SealKey(file, fields.integer("last_epoch", 0, EPOCH_MAX, default=NEVER))


def load_keys(registry: Registry, folder: Path, read_text: Callable[[str], str]) -> Registry:
    """The registry with its key files read; their names are relative to the folder."""
    loaded: list[SealKey] = []
    for position, key in enumerate(registry.keys, start=1):
        with within(f"[[key]] number {position}: file {quoted(key.file)}"):
            public_key = parse_public_key(read_text(str(folder / key.file)))
            if any(key_id(public_key) == key_id(other.public_key) for other in loaded):
                raise RegistryError("is a key that stands there already; keys must differ")
        loaded.append(replace(key, public_key=public_key))
    return replace(registry, keys=tuple(loaded))


def parse_public_key(text: str) -> bytes:
    """Reads the file of `sotto keygen`: a first line, the key and its id, which must fit it."""
    if text.startswith("sotto private key"):
        raise RegistryError("is a private key: keep it at the aggregator and name the public one")
    match = re.fullmatch(r"sotto public key v1\nx25519 ([0-9a-f]{64})\nid ([0-9a-f]{8})\n", text)
    if not match:
        raise RegistryError("is no public key as sotto keygen writes it")
    public_key = bytes.fromhex(match[1])
    if f"{key_id(public_key):08x}" != match[2]:
        raise RegistryError(f"its id {match[2]} does not fit its key: a digit was changed")
    u = int.from_bytes(public_key, "little")
    if u >= FIELD_PRIME or _is_of_small_order(u):
        raise RegistryError("its x25519 is none that sotto keygen makes")
    return public_key


def _is_of_small_order(u: int) -> bool:
    """Is the order 1, 2, 4 or 8? The shared secret is zero then (RFC 7748, 6.1). Infinity
    after three doublings of x/z (Montgomery 1987, 10.3.1)."""
    x, z = u, 1
    for _ in range(3):
        x, z = (
            pow(x * x - z * z, 2, FIELD_PRIME),
            4 * x * z * (x * x + CURVE_A * x * z + z * z) % FIELD_PRIME,
        )
    return z == 0


def key_id(public_key: bytes) -> int:
    label = b"sotto key v1"
    return int.from_bytes(
        hashlib.sha256(bytes([len(label)]) + label + public_key).digest()[:4], "big"
    )


def definitions(keys: tuple[SealKey, ...]) -> str:
    """The tables in C, ending in `sealing`; nothing without keys."""
    if not keys:
        return ""
    entries = "\n".join(_entry(key) for key in keys)
    return f"""\
static const sotto_seal_key seal_keys[{len(keys)}] = {{
{entries}
}};

static const sotto_sealing sealing = {{
    .keys = seal_keys,
    .key_count = {len(keys)},
    .seal = sotto_seal_hpke,
}};

"""


def _entry(key: SealKey) -> str:
    last = "UINT32_MAX" if key.last_epoch == NEVER else f"{key.last_epoch}u"
    values = [f"0x{byte:02x}" for byte in key.public_key]
    rows = (values[at : at + 8] for at in range(0, len(values), 8))
    lines = "\n".join(f"            {', '.join(row)}," for row in rows)
    return f"""\
    {{
        .id = 0x{key_id(key.public_key):08x}u,
        .last_epoch = {last},
        .public_key = {{
{lines}
        }},
    }},"""
