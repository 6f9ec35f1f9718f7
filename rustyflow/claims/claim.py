"""Claims: an equation is what it is about, a tree of numbers, and the value that the engine has.

It is evaluated when it is made, and one that does not hold is not said: only the value then is. The digits of its
numbers and the sign before the value are chosen here, so that what is written comes to what is written.
"""

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from math import floor, isfinite, log10
from typing import Any

import numpy as np

from .digits import DIGITS, EQUAL, NEAR, NOISE, bracketed, is_exact, read, spell, spell_all
from .tree import FEWEST, TERMS, Leaf, Op, Tree, exact, exactly, floats, leaves, numbers, size, spelled, text

MORE = 3
"""Up to so many more digits are tried, until rounded numbers come to what is written."""

LONGEST = 15
"""The most digits of a whole number that does not fit into its bits."""

SLACK = 4
"""So many characters for each further digit a text may be longer than its room."""

FEW = 4
"""So many numbers may be written with all their digits, where no few tell it."""

CLOSE = 1e-2
"""Relative: how far off floats of few digits may be."""

SAME = Decimal("1e-55")
"""Relative: of 60 digits some of the last are lost where a third is multiplied by 3."""

_watched: ContextVar[list["Claim"] | None] = ContextVar("watched", default=None)


@contextmanager
def watch() -> Iterator[list["Claim"]]:
    """Keeps all claims that are made meanwhile, in order.

    >>> with watch() as claims:
    ...     _ = Claim("1 + 1", Leaf(2), 2)
    >>> [str(claim) for claim in claims]
    ['1 + 1 = 2']
    """
    token = _watched.set(claims := [])
    try:
        yield claims
    finally:
        _watched.reset(token)


@dataclass(frozen=True)
class Claim:
    """An equation.

    Args:
        about: what it is of, `y[0]`; nothing for the right side alone.
        tree: what it is made of.
        value: what the engine has: a number or an array.
        bits: of a dtype of whole numbers, which wrap around.
        room: the most characters of the tree's text; longer sums leave some terms out.
        digits: of the value.
        most: of terms.
        verb: in the place of the first `=`, as in `x.grad[0] gets 2·3 = 6`.

    >>> from .tree import added, of_pairs, times
    >>> str(Claim("y", of_pairs([(3.0, 0.5), (2.0, 1.0)]), 3.5)), str(Claim("y", times(1 / 3, 2.0), 2 / 3))
    ('y = 3·0.5 + 2·1 = 3.5', 'y = 0.3333·2 ≈ 0.667')
    >>> str(Claim("y", times(3.0, 0.24456), 0.73368)), str(Claim("y", times(255, 2), 254, bits=8))
    ('y = 3·0.2446 ≈ 0.734', 'y = 255·2 = 510, which 8 bits hold as 254')
    >>> str(Claim("y", times(2.0, 2.0), 5.0)), str(Claim("y", Leaf(7.0), 7.0)), str(Claim("y", Leaf(1 / 3), 1 / 3))
    ('y = 5', 'y = 7', 'y ≈ 0.333')
    >>> str(Claim("y", added([1.0, -0.99999997]), 3e-8)), str(Claim("y", times(1e-3, 2), 2e-3))
    ('y = 1 + (-0.99999997) = 3e-8', 'y = 0.001·2 = 0.002')
    """

    about: str
    tree: Tree
    value: Any
    bits: int = field(default=0, kw_only=True)
    room: int = field(default=0, kw_only=True)
    digits: int = field(default=DIGITS, kw_only=True)
    most: int = field(default=TERMS, kw_only=True)
    verb: str = field(default=EQUAL, kw_only=True)

    def __post_init__(self) -> None:
        if (watched := _watched.get()) is not None:
            watched.append(self)

    @cached_property
    def holds(self) -> bool:
        """True if the tree comes to the value, but for what floats lose."""
        try:
            if all(self._near(a, b) for a, b in self._pairs(floats(self.tree))):
                return True
        except (ArithmeticError, KeyError, TypeError, ValueError, AttributeError):
            pass
        whole = self._whole if self.bits else None  # whole numbers may have more digits than floats hold
        return whole is not None and self._same(whole, 0)

    @cached_property
    def _whole(self) -> Any:
        """The number that the tree comes to with all digits."""
        return exact(self.tree, 0)

    @cached_property
    def _size(self) -> float:
        return size(self.tree)

    @cached_property
    def wraps(self) -> int | None:
        """The whole number that the tree comes to, where its dtype's bits keep another."""
        whole = self._whole if self.bits else None
        if not isinstance(whole, Decimal | int) or whole == self.value or not Decimal(whole).is_finite():
            return None
        with exactly():
            return int(whole) if (Decimal(whole) - self.value) % 2**self.bits == 0 else None

    @cached_property
    def pieces(self) -> tuple[str, str, str, str]:
        """The claim in four pieces: its subject with a sign, the tree, the sign before the value, and the value.

        The two in the middle are empty where the value is said alone.
        """
        alone = isinstance(self.tree, Leaf) and isinstance(self.value, int)  # a sentence has room for a whole number
        result, most = spelled(self.value, 0 if alone else self.digits), self._most
        if self.wraps is not None:
            whole = str(self.wraps)
            came = f" {EQUAL} {whole}" if len(whole) <= LONGEST else ""  # of more digits nobody reads them all
            return self._about, text(self.tree, 0, most), f"{came}, which {self.bits} bits hold as ", \
                spell_all(self.value)  # fmt: skip
        if self.holds and (not isinstance(self.tree, Leaf) or self.tree.name):
            digits, sign = self.told
            left = text(self.tree, digits, most)
            if digits == 0 and sign == EQUAL and not self._same(self._whole, self.digits):
                result = spelled(self.value, 0)
            if left != result:
                return self._about, left, f" {sign}{self._lost} ", result
        if self._in_full:
            return self._about, "", "", result
        near = f"{NEAR} " if self.verb == EQUAL or not self.about else f"{self.verb} {NEAR} "
        return f"{self.about} {near}".lstrip(), "", "", result

    def __str__(self) -> str:
        return "".join(self.pieces)

    @property
    def _about(self) -> str:
        return f"{self.about} {self.verb} " if self.about else ""

    @cached_property
    def _in_full(self) -> bool:
        """True if all of the value is written.

        Of a sum it is all but for what its dtype lost of the greatest term.
        """
        lost = Decimal(NOISE) * Decimal(self._size) if isinstance(self.tree, Op) else Decimal(0)
        return all(self._is_full(value, lost) for value in numbers(self.value))

    def _is_full(self, value: Any, lost: Decimal) -> bool:
        spelling = spell(value, self.digits)
        if is_exact(spelling, value) or isinstance(self.tree, Leaf) and isinstance(value, int):
            return True
        same = isinstance(value, float) and spelling == spell(value, self.digits + MORE)
        return same and abs(Decimal(spelling) - read(value, 0)) <= lost

    @cached_property
    def _most(self) -> int:
        """The number of terms for which there is room."""
        if not self.room:
            return self.most
        more = range(FEWEST + 1, self.most + 1)
        fit = bisect_left(more, True, key=lambda most: len(text(self.tree, self.digits, most)) > self.room)
        return min(self.most, FEWEST + fit)

    @cached_property
    def told(self) -> tuple[int, str]:
        """With how many digits the numbers are written, 0 for all, and the sign before what they come to."""
        for digits in range(self.digits, self.digits + (MORE if self._few else 0) + 1):
            if digits > self.digits and 0 < self.room < len(text(self.tree, digits)) - SLACK * (digits - self.digits):
                break
            reached = exact(self.tree, digits)
            rough = reached if _finite(reached) else floats(self.tree, digits)
            if self._comes_out(rough):
                return digits, self._sign(reached, digits)
        if self._small:  # of few numbers all digits are said where few would mislead
            whole = self._whole
            same = whole is not None and (self._same(whole, 0) or self._same(whole, self.digits))
            return 0, EQUAL if same else NEAR
        return self.digits, self._sign(exact(self.tree, self.digits), self.digits)

    @property
    def _few(self) -> bool:
        return sum(np.size(leaf.value) for leaf in leaves(self.tree)) <= TERMS

    @property
    def _lost(self) -> str:
        """The words for a single number that no few digits come to: what they come to, and why."""
        if not self._few or np.ndim(self.value) or self.told[1] == EQUAL:
            return ""
        reached, whole, (value,) = exact(self.tree, self.told[0]), self._whole, numbers(self.value)
        if isinstance(value, bool) or not isfinite(value) or not isinstance(reached, Decimal):
            return ""
        if not reached.is_finite():
            return ""
        size = abs(float(reached)) if reached == whole else self._size  # nothing is hidden where nothing is cut
        if _rounds_to(reached, value, self.digits, size, 1.0):
            return ""
        with exactly():
            whole = whole if _finite(whole) else Decimal(float(floats(self.tree)))
            more = abs(whole - read(value, 0)) * 2 <= abs(reached - read(value, 0))
        why = "with more digits" if more else "which rounding has made"
        return f" {spell(float(reached) + 0.0, self.digits)}, {why}"

    @property
    def _small(self) -> bool:
        each = [value for leaf in leaves(self.tree) for value in numbers(leaf.value)]
        return len(each) <= FEW or all(isinstance(value, int) for value in each)

    def _sign(self, reached: Any, digits: int) -> str:
        """`=` where what is written comes to exactly what is written, and that is all of the value."""
        if reached is None:  # nobody works it out by hand: every number has to be written in full
            each = [value for leaf in leaves(self.tree) for value in numbers(leaf.value)]
            return EQUAL if self._in_full and all(is_exact(spell(v, digits), v) for v in each) else NEAR
        return EQUAL if self._in_full and self._same(reached, self.digits) else NEAR

    def _pairs(self, reached: Any) -> Iterator[tuple[Any, Any]]:
        if isinstance(self.value, int | float) and isinstance(reached, Decimal | int | float):
            return iter([(reached, self.value)])
        reached, value = np.asarray(reached, object), np.asarray(self.value)
        reached = reached.reshape(value.shape) if reached.size == value.size else np.broadcast_to(reached, value.shape)
        return zip(reached.reshape(-1).tolist(), numbers(value), strict=True)

    def _same(self, reached: Any, digits: int) -> bool:
        with exactly():
            return all(_is(a, read(b, digits)) for a, b in self._pairs(reached))

    def _near(self, reached: Any, value: Any) -> bool:
        if isinstance(value, bool | complex) or isinstance(reached, complex):
            return _is(reached, value)
        if not isfinite(value) or not isfinite(reached):
            return reached == value or reached != reached and value != value
        return abs(reached - value) <= CLOSE * max(abs(value), NOISE * self._size / CLOSE)

    def _comes_out(self, reached: Any) -> bool:
        """True if what was found is what is shown, once it is rounded to its last digit."""
        return all(_rounds_to(a, b, self.digits, self._size) for a, b in self._pairs(reached))


def _finite(reached: Any) -> bool:
    each = [reached] if isinstance(reached, Decimal) else np.ravel(reached).tolist()
    return reached is not None and all(v == v for v in each)


def _is(reached: Any, shown: Any) -> bool:
    """True if what was found is what is shown; as a bool all but 0 is True."""
    if isinstance(shown, bool):
        return bool(reached) == shown
    if not isinstance(reached, Decimal) or not isinstance(shown, Decimal):
        return bool(reached == shown)
    if not reached.is_finite() or not shown.is_finite():
        return reached == shown or reached.is_nan() and shown.is_nan()
    return abs(reached - shown) <= SAME * abs(shown)


def _rounds_to(reached: Any, value: Any, digits: int, most: float, by: float = 0.51) -> bool:
    """True if a number, rounded to the last digit of the shown value, is that value.

    `by` is the part of that digit by which they may differ.
    """
    if isinstance(value, bool | complex):
        return _is(reached, value)
    reached, written = float(reached), float(read(value, digits))
    if not isfinite(written) or not isfinite(reached) or reached == written:
        return reached == written or reached != reached and written != written
    last = 10.0 ** (floor(log10(abs(written) or most or 1.0)) - digits + 1)
    if written and (exponent := Decimal(spell(value, digits)).as_tuple().exponent) < 0:
        last = min(last, 10.0**exponent)
    return abs(reached - written) <= by * last


def equation(about: str, value: Any, digits: int = DIGITS) -> str:
    """The claim that something is a number: `y = 0.5`, `y ≈ 0.333`; without what it is about the number alone.

    >>> equation("y", 0.5), equation("y", [1 / 3, 1]), equation("", 1 / 3), equation("", 1000011)
    ('y = 0.5', 'y ≈ [0.333, 1]', '≈ 0.333', '1000011')
    """
    return str(Claim(about, Leaf(value), value, digits=digits))


def sign_of(value: Any, digits: int = DIGITS) -> str:
    """The sign before a number or an array as it is written with so many digits.

    >>> sign_of(0.5), sign_of(np.array([1 / 3, 1.0]))
    ('=', '≈')
    """
    return EQUAL if Claim("", Leaf(value), value, digits=digits)._in_full else NEAR


def worked(tree: Tree) -> str:
    """The claim that a tree comes to what it comes to, whole numbers or floats.

    >>> from .tree import of_pairs
    >>> worked(of_pairs([(4, 2), (3, 5)])), worked(of_pairs([(0.5, 3)]))
    ('4·2 + 3·5 = 23', '0.5·3 = 1.5')
    """
    value = exact(tree, 0)
    return str(Claim("", tree, int(value) if value == int(value) else float(value)))


@dataclass(frozen=True)
class Sends:
    """The claim that a gradient is sent on times a number, or a number each.

    Args:
        about: the gradient that arrives, by its name.
        factor: a number or an array.
        arrives, sent: the gradient, and what the engine made of it.
        digits: of the factor.

    >>> one = np.ones(1)
    >>> str(Sends("g", 0.5, np.ones(2), np.full(2, 0.5))), str(Sends("g", -one / 3, one, -one / 3))
    ('g·0.5', '≈ g·[-0.333]')
    """

    about: str
    factor: Any
    arrives: Any
    sent: Any
    digits: int = DIGITS

    __post_init__ = Claim.__post_init__

    @property
    def holds(self) -> bool:
        """True if the product is what was sent, to a thousandth; a number alone may have been repeated."""
        with np.errstate(all="ignore"):
            product = np.asarray(self.factor * np.asarray(self.arrives))
        if product.shape != np.shape(self.sent):
            product, sent = np.unique(product), np.unique(self.sent)
            return product.shape == sent.shape and np.allclose(product, sent, 1e-3, 1e-6, equal_nan=True)
        return np.allclose(product, self.sent, 1e-3, 1e-6, equal_nan=True)

    def __str__(self) -> str:
        near = f"{NEAR} " * (sign_of(self.factor, self.digits) == NEAR)
        return f"{near}{self.about}·{bracketed(spelled(self.factor, self.digits))}"
