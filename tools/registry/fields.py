# SPDX-License-Identifier: Apache-2.0
"""Reads the keys of one TOML table; every refusal names the key and what is allowed."""
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from .errors import RegistryError
from .names import quoted

SIGNIFICANT_DIGITS = 30
LEVELS_MAX = 16
EPSILON_MIN = Decimal("0.001")
EPSILON_MAX = Decimal(32)
DEVICE_EPSILON_MAX = Decimal(2000)  # a window's, over all metrics


@dataclass(frozen=True)
class Real:
    """A TOML float as it is written, so that no binary float comes near it."""

    text: str


def show(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Real):
        return value.text if len(value.text) <= 48 else f"{value.text[:40]}..."
    if isinstance(value, int):
        return str(value) if value.bit_length() <= 128 else "a number of more than 128 bits"
    if isinstance(value, str):
        return f"the string {quoted(value)}"
    if isinstance(value, list):
        return "an array"
    return "a table" if isinstance(value, dict) else "a date or time"


def exact_number(value: Any, low: Decimal, high: Decimal) -> Fraction:
    """The number exactly as written. The range is checked first: 1e999999 is never expanded."""
    if isinstance(value, bool) or not isinstance(value, (int, Real)):
        raise RegistryError(f"{show(value)} is not a number in [{low}, {high}]")
    outside = RegistryError(f"{show(value)} is outside [{low}, {high}]")
    if isinstance(value, int) and value.bit_length() > 64:
        raise outside
    try:
        number = Decimal(value.text if isinstance(value, Real) else value)
    except ArithmeticError:
        raise outside from None
    if not number.is_finite():
        raise RegistryError(f"{show(value)} is not a number in [{low}, {high}]")
    if not low <= number <= high:
        raise outside
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    if len(digits) > SIGNIFICANT_DIGITS:
        raise RegistryError(f"{show(value)} has more than {SIGNIFICANT_DIGITS} significant digits")
    return Fraction(number)


def is_integer(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def allowed_keys(keys: Iterable[str]) -> str:
    return "allowed are " + ", ".join(keys)


class Fields:
    """The keys of one table; any that is not among `allowed` is refused at once."""

    def __init__(self, table: dict[str, Any], allowed: Iterable[str]) -> None:
        self.table = table
        allowed = list(allowed)
        for key in table:
            if key not in allowed:
                near = get_close_matches(key[:64], allowed, n=1)
                hint = f'; did you mean "{near[0]}"?' if near else ""
                raise RegistryError(f"unknown key {quoted(key)}{hint} ({allowed_keys(allowed)})")

    def __contains__(self, key: str) -> bool:
        return key in self.table

    def value(self, key: str, what: str) -> Any:
        if key not in self.table:
            raise RegistryError(f"{key}: missing, and must be {what}")
        return self.table[key]

    def integer(self, key: str, low: int, high: int, default: int | None = None) -> int:
        if default is not None and key not in self.table:
            return default
        what = f"an integer from {low} to {high}"
        value = self.value(key, what)
        if not is_integer(value, low, high):
            raise RegistryError(f"{key}: {show(value)} is not {what}")
        return value

    def flag(self, key: str) -> bool:
        """False where it is missing."""
        value = self.table.get(key, False)
        if not isinstance(value, bool):
            raise RegistryError(f"{key}: {show(value)} is not true or false")
        return value

    def string(self, key: str, what: str) -> str:
        value = self.value(key, what)
        if not isinstance(value, str):
            raise RegistryError(f"{key}: {show(value)} is not {what}")
        return value

    def choice(self, key: str, choices: Iterable[str], default: str | None = None) -> str:
        if default is not None and key not in self.table:
            return default
        choices = list(choices)
        what = "one of " + ", ".join(f'"{choice}"' for choice in choices)
        value = self.value(key, what)
        if not isinstance(value, str) or value not in choices:
            text = quoted(value) if isinstance(value, str) else show(value)
            raise RegistryError(f"{key}: {text} is not {what}")
        return value

    def array(self, key: str, what: str) -> list[Any]:
        value = self.value(key, what)
        if not isinstance(value, list):
            raise RegistryError(f"{key}: {show(value)} is not {what}")
        return value

    def labels(self, key: str, most: int) -> list[str]:
        """At least two different names of values."""
        labels = self.array(key, "an array of at least two names")
        if not 2 <= len(labels) <= most:
            raise RegistryError(f"{key}: {len(labels)} of them; 2 to {most} are allowed")
        for label in labels:
            if not isinstance(label, str):
                raise RegistryError(f"{key}: {show(label)} is not a name in quotes")
            if not 1 <= len(label) <= 128 or not label.isprintable():
                raise RegistryError(f"{key}: {quoted(label)} is not 1 to 128 printable characters")
        seen: set[str] = set()
        for label in labels:
            if label in seen:
                raise RegistryError(f"{key}: {quoted(label)} is there twice; names must differ")
            seen.add(label)
        return labels

    def epsilon(self, key: str, most: Decimal = EPSILON_MAX) -> Fraction:
        value = self.value(key, f"a number in [{EPSILON_MIN}, {most}]")
        return self._number(key, value, EPSILON_MIN, most)

    def ladder(self, key: str) -> tuple[Fraction, ...]:
        what = f"an array of rising numbers in [{EPSILON_MIN}, {EPSILON_MAX}]"
        values = self.levels(key, what)
        epsilons = tuple(self._number(key, value, EPSILON_MIN, EPSILON_MAX) for value in values)
        for i in range(1, len(epsilons)):
            if epsilons[i] <= epsilons[i - 1]:
                raise RegistryError(
                    f"{key}: {show(values[i])} does not rise above {show(values[i - 1])};"
                    " each level must be greater than the one before"
                )
        return epsilons

    def probabilities(self, key: str, values: Iterable[Any]) -> list[Fraction]:
        return [self._number(key, value, Decimal(0), Decimal(1)) for value in values]

    def rank(self, key: str) -> Fraction:
        """A share of all, in thousandths: neither none nor all."""
        value = self.value(key, "a number in [0.001, 0.999], 0.5 for the median")
        rank = self._number(key, value, Decimal("0.001"), Decimal("0.999"))
        if (rank * 1000).denominator != 1:
            raise RegistryError(f"{key}: {show(value)} has more than three decimals")
        return rank

    def levels(self, key: str, what: str) -> list[Any]:
        values = self.array(key, what)
        if not 1 <= len(values) <= LEVELS_MAX:
            raise RegistryError(f"{key}: {len(values)} levels; 1 to {LEVELS_MAX} are allowed")
        return values

    @staticmethod
    def _number(key: str, value: Any, low: Decimal, high: Decimal) -> Fraction:
        try:
            return exact_number(value, low, high)
        except RegistryError as error:
            raise RegistryError(f"{key}: {error}") from None
