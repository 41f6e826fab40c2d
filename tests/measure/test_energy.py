# SPDX-License-Identifier: Apache-2.0
"""Joules: what is known of the radios, and what the formulas must obey."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "measure"))
import energy  # noqa: E402
import measure  # noqa: E402

RESULTS = json.loads(measure.RESULTS.read_text())


class Energy(unittest.TestCase):
    def test_lora_takes_the_time_that_is_known(self) -> None:
        """LoRaWAN's ten bytes and 51, as every calculator of air time has them."""
        for size, spreading, milliseconds in ((23, 7, 61.7), (23, 12, 1482.8), (64, 12, 2793.5)):
            self.assertAlmostEqual(1000 * energy.lora_seconds(size, spreading), milliseconds, delta=0.05)

    def test_a_byte_too_many_is_another_frame(self) -> None:
        for spreading, most in energy.LORA_PAYLOAD.items():
            full, more = energy.lora(most, spreading), energy.lora(most + 1, spreading)
            self.assertAlmostEqual(more, full + energy.lora(1, spreading))
        listening = energy.BLE_VOLTS * energy.BLE_RX * energy.BLE_LISTENING
        self.assertGreater(energy.ble(energy.BLE_PAYLOAD + 1) - energy.ble(energy.BLE_PAYLOAD), listening)

    def test_the_processor_is_paid_for_its_instructions(self) -> None:
        sealed = next(row for name, row in energy.rows(RESULTS).items() if name.startswith("a boolean, sealed"))
        count = RESULTS["microbit"]["client"]["calls"]["flush_1"]["instructions"]
        # 275 uA a megahertz at 3 V is 825 pJ a cycle.
        self.assertAlmostEqual(sealed["nRF51822, Cortex-M0"], count * 1.5 * 825e-12)

    def test_the_page_names_each_number(self) -> None:
        page = measure.ENERGY.read_text(encoding="utf-8")
        for number in ("275 µA", "58 µA", "7.1 mA", "6.5 mA", "244 bytes", "21 bytes", "380 µs", "29 mA", "11.5 mA",
                       "222 bytes", "51 at SF12", "105 mJ", "115 mA", "180 kbit/s", "2,430 J", "3,650"):
            self.assertIn(number, page)


if __name__ == "__main__":
    unittest.main()
