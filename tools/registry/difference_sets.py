# SPDX-License-Identifier: Apache-2.0
"""
Cyclic difference sets: w numbers below N whose differences modulo N are each number but 0 equally
often, lambda = w (w - 1) / (N - 1) times. Two families are made, and each set is checked in whole
before it is used, so that nothing rests on their theorems:

- Singer (1938): the powers of a generator of GF(q^(m+1)) that lie in a hyperplane over GF(q).
  N = (q^(m+1) - 1) / (q - 1), w = (q^m - 1) / (q - 1).
- Residues of a prime N: squares where N = 3 mod 4 (Paley 1933). Fourth powers where N = 4 a^2 + 1
  with an odd a; with 0 among them where N = 4 a^2 + 9 (Chowla 1944, Lehmer 1953).
"""
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from math import isqrt

from .errors import RegistryError
from .limits import CATEGORIES_MAX, SUPPORT_MAX

Set = tuple[int, ...]


@dataclass(frozen=True)
class Family:
    """The parameters of a set, and how it is made."""

    size: int
    count: int
    make: Callable[[], Set]


def is_difference_set(size: int, elements: Set) -> bool:
    """Rising, below `size`, and each difference but 0 as often as any other."""
    if list(elements) != sorted(set(elements)) or not all(0 <= e < size for e in elements):
        return False
    times = [0] * size
    for a in elements:
        for b in elements:
            times[a - b] += 1  # a negative index counts from the end: modulo size
    return len(set(times[1:])) == 1


def checked(size: int, elements: Set) -> Set:
    if not is_difference_set(size, elements):
        raise RegistryError(f"categories: the set made for {size} answers is no difference set")
    return elements


@cache
def families() -> tuple[Family, ...]:
    """Ascending by size. A set of one element, which is k-ary, is none."""
    found = [*_singer_families(), *_residue_families()]
    return tuple(sorted(found, key=lambda family: (family.size, family.count)))


def _is_prime(n: int) -> bool:
    return n > 1 and all(n % d for d in range(2, isqrt(n) + 1))


def _prime_powers(most: int) -> Iterator[tuple[int, int]]:
    for p in filter(_is_prime, range(2, most + 1)):
        power = 1
        while p**power <= most:
            yield p, power
            power += 1


def _singer_families() -> Iterator[Family]:
    for p, power in _prime_powers(SUPPORT_MAX - 1):
        q, m = p**power, 2
        while (size := (q ** (m + 1) - 1) // (q - 1)) <= CATEGORIES_MAX:
            count = (q**m - 1) // (q - 1)
            if count <= SUPPORT_MAX:
                yield Family(size, count, partial(singer, p, power, m))
            m += 1


def _residue_families() -> Iterator[Family]:
    for n in filter(_is_prime, range(7, 4 * SUPPORT_MAX)):
        if n % 4 == 3 and n // 2 <= SUPPORT_MAX:
            yield Family(n, n // 2, partial(residues, n, 2, False))
        for has_zero, rest in ((False, n - 1), (True, n - 9)):
            a = isqrt(max(rest, 0) // 4)
            count = n // 4 + has_zero
            if a % 2 == 1 and 4 * a * a == rest and 1 < count <= SUPPORT_MAX:
                yield Family(n, count, partial(residues, n, 4, has_zero))


def residues(n: int, power: int, has_zero: bool) -> Set:
    return tuple(sorted({pow(x, power, n) for x in range(0 if has_zero else 1, n)}))


class Field:
    """GF(p^power): element sum(c_i p^i) is the polynomial with coefficients c_i."""

    def __init__(self, p: int, power: int):
        self.p, self.q = p, p**power
        for tail in product(range(p), repeat=power):
            self.exponents = self._powers_of_x(tail) if power > 1 else self._powers(tail[0])
            if len(self.exponents) == self.q - 1:
                break
        self.logarithm = {x: i for i, x in enumerate(self.exponents)}

    def _powers(self, root: int) -> list[int]:
        powers, x = [1], root % self.p
        while x > 1:
            powers.append(x)
            x = x * root % self.p
        return powers

    def _powers_of_x(self, tail: tuple[int, ...]) -> list[int]:
        """Until they come again, where x^power = sum(tail_i x^i)."""
        first = (1, *[0] * (len(tail) - 1))
        powers, x = [first], shifted(first, tail, self._plus_prime)
        while x != first and any(x) and len(powers) < self.q:
            powers.append(x)
            x = shifted(x, tail, self._plus_prime)
        return [sum(c * self.p**i for i, c in enumerate(x)) for x in powers]

    def _plus_prime(self, a: int, b: int, c: int) -> int:
        return (a + b * c) % self.p

    def times(self, a: int, b: int) -> int:
        if a == 0 or b == 0:
            return 0
        return self.exponents[(self.logarithm[a] + self.logarithm[b]) % (self.q - 1)]

    def plus(self, a: int, b: int) -> int:
        if self.p == self.q:
            return (a + b) % self.p
        total, place = 0, 1
        while a or b:
            total += (a + b) % self.p * place
            a, b, place = a // self.p, b // self.p, place * self.p
        return total

    def plus_product(self, a: int, b: int, c: int) -> int:
        return self.plus(a, self.times(b, c))


def shifted(
    x: tuple[int, ...], tail: tuple[int, ...], plus_product: Callable[[int, int, int], int]
) -> tuple[int, ...]:
    """x times the variable."""
    return tuple(plus_product(a, x[-1], b) for a, b in zip((0, *x[:-1]), tail))


@cache
def singer(p: int, power: int, m: int) -> Set:
    field = Field(p, power)
    size = (field.q ** (m + 1) - 1) // (field.q - 1)
    for rest in product(range(field.q), repeat=m):
        # No x of one norm may generate enough: constants change first.
        for constant in range(1, field.q):
            if found := _hyperplane(field, (constant, *rest), size):
                return found
    raise AssertionError(f"GF({field.q}^{m + 1}) has no generator")


def _hyperplane(field: Field, tail: tuple[int, ...], size: int) -> Set:
    """The x^i, i < size, without a constant; () where x generates too few."""
    x, found = (1, *[0] * (len(tail) - 1)), []
    for i in range(size):
        if i and not any(x[1:]):
            return ()
        if x[0] == 0:
            found.append(i)
        x = shifted(x, tail, field.plus_product)
    return () if any(x[1:]) else tuple(found)
