# SPDX-License-Identifier: Apache-2.0
"""The one error that a user sees, and how it learns where it happened."""
from collections.abc import Iterator
from contextlib import contextmanager


class RegistryError(Exception):
    """A refusal: one sentence that says what is wrong and what is allowed."""


@contextmanager
def within(place: str) -> Iterator[None]:
    """Puts the place (a file, a metric, a key) in front of any refusal from inside."""
    try:
        yield
    except RegistryError as error:
        raise RegistryError(f"{place}: {error}") from None


def one_line(text: str) -> str:
    """The text in printable ASCII, so that no name or value can break out of the line."""
    plain = text.encode("ascii", "backslashreplace").decode("ascii")
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in plain)
