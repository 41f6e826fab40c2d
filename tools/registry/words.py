# SPDX-License-Identifier: Apache-2.0
"""Words for people who read estimates. No device has them, and no fingerprint depends on them."""
from datetime import date
from typing import Any

from .errors import RegistryError
from .fields import Fields, show

REGISTRY_KEYS = ("epoch_days", "epoch_start")
METRIC_KEYS = ("title", "description")
LONGEST = {"title": 60, "unit": 20, "description": 400}  # characters
EPOCH_DAYS_MAX = 366
FIRST_DAY = date(1970, 1, 1)  # as sotto_epoch_from_unix counts


def read_metric_words(fields: Fields, keys: tuple[str, ...]) -> dict[str, Any]:
    """The words that are there; `keys` are the type's own beside METRIC_KEYS."""
    texts = {key: _text(fields, key, most) for key, most in LONGEST.items() if key in fields}
    return texts | ({"ordered": True} if "ordered" in keys and fields.flag("ordered") else {})


def read_calendar(fields: Fields) -> dict[str, Any]:
    """Nothing where epochs have no dates."""
    if "epoch_days" not in fields:
        if "epoch_start" in fields:
            raise RegistryError("epoch_start: needs epoch_days, the length of an epoch")
        return {}
    days = fields.integer("epoch_days", 1, EPOCH_DAYS_MAX)
    return {"epoch_days": days, "epoch_start": _day(fields).isoformat()}


def _day(fields: Fields) -> date:
    start = fields.table.get("epoch_start", FIRST_DAY)
    if type(start) is not date or start < FIRST_DAY:  # a date and time is a date in Python
        text = start.isoformat() if isinstance(start, date) else show(start)
        raise RegistryError(f"epoch_start: {text} is not a day from {FIRST_DAY} on, without quotes")
    return start


def _text(fields: Fields, key: str, most: int) -> str:
    what = f"1 to {most} printable characters, in quotes"
    text = fields.string(key, what)
    if not 1 <= len(text) <= most or not text.isprintable() or text != text.strip():
        raise RegistryError(f"{key}: {show(text)} is not {what}, without blanks around them")
    return text
