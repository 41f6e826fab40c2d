# SPDX-License-Identifier: Apache-2.0
"""An operator's request to the devices, as a device reads it: the section Requests of sdk/proto/WIRE.md."""
from typing import NamedTuple

from batch import varint
from signature import ecdsa_verify
from streams import labelled

MESSAGE_MAX = 512


class Refused(ValueError):
    """A request that is malformed, not signed, not allowed, or old."""


class Asked(NamedTuple):
    registry: int
    metric: int
    level: int
    first_epoch: int
    last_epoch: int
    serial: int
    select: list[int]


class Fields:
    """Fields in ascending order of their numbers, each once, in shortest form."""

    def __init__(self, data: bytes):
        self.data = data

    def take(self, count: int) -> bytes:
        if count > len(self.data):
            raise Refused("cut short")
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def varint(self) -> int:
        x = shift = 0
        while True:
            byte = self.take(1)[0]
            x |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        if x >= 2**32 or len(varint(x)) * 7 != shift:
            raise Refused("a varint that is too long")
        return x

    def has(self, tag: int) -> bool:
        is_there = self.data[:1] == bytes([tag])
        self.data = self.data[is_there:]
        return is_there

    def number(self, field: int) -> int:
        """0 where it is left out."""
        if not self.has(field << 3):
            return 0
        x = self.varint()
        if x == 0:
            raise Refused("a zero that is written")
        return x

    def bytes(self, field: int) -> bytes:
        return self.take(self.varint()) if self.has(field << 3 | 2) else b""


def opened(message: bytes, key: bytes) -> Asked:
    """The request that a message brings, if `key` has signed it: x and y of a point on P-256."""
    outer = Fields(message)
    body, signature = outer.bytes(1), outer.bytes(2)
    if len(message) > MESSAGE_MAX or outer.data or len(signature) != 64:
        raise Refused("no message of a body and a signature")
    asked = read(body)
    if not ecdsa_verify(key, labelled("sotto request v1") + body, signature):
        raise Refused("not signed by the operator")
    return asked


def read(body: bytes) -> Asked:
    fields = Fields(body)
    if not fields.has(1 << 3 | 5):
        raise Refused("no registry")
    registry = int.from_bytes(fields.take(4), "little")
    metric, level, first, last, serial = (fields.number(field) for field in range(2, 7))
    select = []
    has_select = fields.data[:1] == b"\x3a"
    inner = Fields(fields.bytes(7))
    while inner.data:
        select.append(inner.varint())
    if (fields.data or 0 in (registry, metric, level, serial) or first > last or has_select and not select
            or any(a >= b for a, b in zip(select, select[1:]))):
        raise Refused("not the canonical form")
    return Asked(registry, metric, level, first, last, serial, select)
