# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/ENERGY.md: joules of what results.json counts. measure.py writes them there."""
import math
from typing import Any

# Volts and amperes of the data sheets that the page names.
CYCLES = 1.5  # an instruction
CORES = {"microbit": ("nRF51822, Cortex-M0", 3.0 * 275e-12), "mps2-an386": ("nRF52832, Cortex-M4F", 3.0 * 58e-12)}
BLE_VOLTS, BLE_TX, BLE_RX = 3.0, 7.1e-3, 6.5e-3
BLE_PAYLOAD, BLE_AROUND = 244, 21  # bytes: of one notification, and of preamble to CRC around it
BLE_LISTENING = 380e-6  # ramp, the other side's empty packet, the space between
LORA_VOLTS, LORA_TX, LORA_RX = 3.3, 29e-3, 11.5e-3
LORA_PAYLOAD, LORA_AROUND = {7: 222, 12: 51}, 13  # LoRaWAN, EU868
LTE_EVENT, LTE_VOLTS, LTE_TX, LTE_BITS = 0.105, 3.7, 0.115, 180e3
CELL = 0.225 * 3600 * 3.0  # a CR2032
FLUSHES = 3650


def ble(size: int) -> float:
    packets = math.ceil(size / BLE_PAYLOAD)
    on_air = 8e-6 * (size + packets * BLE_AROUND)
    return BLE_VOLTS * (BLE_TX * on_air + BLE_RX * BLE_LISTENING * packets)


def lora_seconds(size: int, spreading: int) -> float:
    """Time on air of SX1276, 4.1.1.7: 125 kHz, 4/5, 8 symbols of preamble, header and CRC."""
    slow = 2 if spreading > 10 else 0
    symbols = 8 + max(math.ceil((8 * size - 4 * spreading + 44) / (4 * (spreading - slow))) * 5, 0)
    return (12.25 + symbols) * 2**spreading / 125e3


def lora(size: int, spreading: int) -> float:
    """Frames as full as they may be, each with two windows of eight symbols after it."""
    most, energy = LORA_PAYLOAD[spreading], 0.0
    while size > 0:
        listening = 2 * 8 * 2**spreading / 125e3
        sending = lora_seconds(min(size, most) + LORA_AROUND, spreading)
        energy += LORA_VOLTS * (LORA_TX * sending + LORA_RX * listening)
        size -= most
    return energy


def lte_m(size: int) -> float:
    return LTE_EVENT + LTE_VOLTS * LTE_TX * 8 * (size + 28) / LTE_BITS  # IP and UDP


RADIOS = {
    "BLE": ble, "LoRa, SF7": lambda size: lora(size, 7), "LoRa, SF12": lambda size: lora(size, 12),
    "LTE-M": lte_m,
}


def rows(results: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Joules of a flush, and of the way of its bytes, by what is sent."""
    board = results["microbit"]
    sent = {"a boolean, plain": (None, board["plain_boolean_bytes"])}
    for name, call in (("a boolean, sealed", "1"), ("16 booleans, sealed", "16")):
        sent[name] = (f"flush_{call}", board["client"][f"batch_of_{call}"])
    found = {}
    for name, (call, size) in sent.items():
        cores = {}
        for b, (title, joules) in CORES.items():
            calls = results[b]["client"]["calls"]
            count = calls[call]["instructions"] if call else sum(results[b]["instructions"]["1"])
            cores[title] = count * CYCLES * joules
        found[f"{name}: {size} bytes"] = cores | {radio: way(size) for radio, way in RADIOS.items()}
    return found


def table(header: list[str], lines: list[list[str]]) -> str:
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, rule, *lines])


def tables(results: dict[str, Any]) -> str:
    found = rows(results)
    titles = list(next(iter(found.values())))
    joules = [[name, *(f"{1000 * x:,.2f}" for x in row.values())] for name, row in found.items()]
    shares = [[name, *(f"{100 * FLUSHES * x / CELL:,.2f} %" for x in row.values())] for name, row in found.items()]
    return (table(["millijoules of one", *titles], joules) + "\n\n"
            + table([f"{FLUSHES:,} of a CR2032's energy", *titles], shares))
