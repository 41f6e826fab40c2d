# SPDX-License-Identifier: Apache-2.0
"""A batch as bytes: the columns, ids and padding of sdk/proto/WIRE.md."""
from streams import stream


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


def words_of_numbers(numbers: list[int]) -> bytes:
    """4 bytes each, little-endian: two's complement, or modulo 2^32."""
    return b"".join((number % 2**32).to_bytes(4, "little") for number in numbers)
