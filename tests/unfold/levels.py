"""All numbers behind a result, each held against the engine: as one level, as it is written, and from the leaves up."""

import math
import re

import numpy as np
import pytest

from rustyflow.claims.tree import Op, floats
from rustyflow.unfold.trees import At

LONGEST = 150

FUNCTIONS = {name: getattr(math, name) for name in "exp sqrt tanh sin cos log".split()}
FUNCTIONS |= {"max": lambda *x: max(x), "min": lambda *x: min(x), "maximum": max, "minimum": min, "abs": abs,
              "nan": math.nan, "inf": math.inf}


def roots(world):
    """Every cell of every tensor, and of every gradient."""
    for source in world.every:
        for i in np.ndindex(*source.shape):
            yield world.at_source(source, i)
            if (grad := world.grad_source(source, i)) is not None:
                yield grad


def behind(world):
    """Every number behind a result, each after its parts."""
    seen, order = set(), []
    for root in roots(world):
        waiting = [(root, False)]
        while waiting:
            number, ready = waiting.pop()
            if ready:
                order.append(number)
            elif number not in seen:
                seen.add(number)
                waiting += [(number, True), *((part, False) for part in number.parts)]
    return order


def filled(tree, value):
    """A level's tree with other numbers in the place of its parts."""
    if isinstance(tree, Op):
        return Op(tree.how, tuple(filled(part, value) for part in tree.parts))
    return tree._replace(value=value(tree.number)) if isinstance(tree, At) else tree


def near(a, b, fine):
    return a == b or a != a and b != b or abs(a - b) <= fine * max(1, abs(a), abs(b))


def hold(world, fine=1e-9, untold=()):
    """Hold every level against the engine; returns the numbers, each after its parts."""
    order, grown, placed, inner = behind(world), {}, {}, {}
    for number in order:
        assert all(len(line) <= LONGEST for line in str(number).split("\n")), str(number)
        below = max((placed[part] for part in number.parts), default=0)
        inside = max((inner[part] for part in number.parts if part.place is None), default=0)
        placed[number] = below + (number.place is not None)
        inner[number] = inside + 1 if number.place is None else 0
        grown[number] = number.value
        if not number.opens:
            assert number.note in untold or not re.match("and|but", number.note), str(number)
            continue
        assert number.parts or number.note or not number.value, f"{number} comes from nowhere"
        level = floats(filled(number.tree, lambda part: float(part.value)))
        assert near(float(level), float(number.value), fine), f"{number}: {level}"
        grown[number] = float(floats(filled(number.tree, grown.__getitem__)))
        assert near(grown[number], float(number.value), fine), f"{number}: {grown[number]} from the leaves"
        written(number)
    return order, max(placed.values()), max(inner.values())


def written(number):
    """The line in numbers comes to what stands behind it, but for the digits that are cut."""
    letters, digits = number.letters, number.numbers
    assert letters.count("(") == letters.count(")") and digits.count("(") == digits.count(")"), str(number)
    parts = {part.brief for part in number.parts}
    assert all(piece.letters in parts for piece in number.pieces if not isinstance(piece, str))
    if "..." in digits or "rounding" in number.digits or not set(re.findall(r"[a-z]\w*", digits)) <= {*FUNCTIONS, "e"}:
        return
    try:
        reached = eval(digits.replace("·", "*"), {"__builtins__": {}}, FUNCTIONS)
    except ZeroDivisionError:
        return
    size, value = max((abs(float(part.value)) for part in number.parts), default=1.0), float(number.value)
    assert near(reached, value, 0.02) or abs(reached - value) <= 0.02 * max(1, size) ** 2, str(number)


def refused(error, *texts):
    """What is raised says all of this."""
    return pytest.raises(error, match="(?s)" + ".*".join(map(re.escape, texts)))
