"""A picture whose numbers open, made by hand: loss of tanh(x @ w), values and gradients, with all of its levels."""

from dataclasses import dataclass, field, replace
from math import tanh
from typing import NamedTuple

from rustyflow.scene import Figure, Frame, Link, Links, Scene, draw
from rustyflow.show.kit.unfold import unfolds

X, W = [[1, 2], [0, -1]], [[0.5, -0.25, 2], [-0.25, 0.5, 1]]
UP = [[0.5, -1, 0.25], [2, 0.53, -0.125]]


class Place(NamedTuple):
    tensor: str
    index: tuple[int, int]
    grad: bool = False


class Piece(NamedTuple):
    number: "Number"
    letters: str
    digits: str


@dataclass(eq=False)
class Number:
    """What `unfolds` asks of a number."""

    name: str
    value: float
    pieces: tuple = ()
    place: Place | None = None
    note: str = ""
    asked: list = field(default_factory=list)

    @property
    def opens(self):
        return bool(self.pieces)

    @property
    def made(self):
        return self.opens

    @property
    def digits(self):
        return f"{self.value:.2f}".rstrip("0").rstrip(".").replace("-0.00", "0")

    @property
    def sign(self):
        return "=" if abs(float(self.digits) - self.value) < 1e-9 else "\u2248"

    def written(self):
        return Piece(self, self.name, f"({self.digits})" if self.digits.startswith("-") else self.digits)


def named(letter, cell, grad=False):
    return f"{'d' * grad}{letter}[{cell[0]}, {cell[1]}]"


def program():
    """Each number of h = tanh(x @ w), of its gradients, dh given, by place."""
    told = {}

    def number(letter, cell, value, *pieces, grad=False, note=""):
        place = Place(letter, cell, grad)
        told[place] = Number(named(letter, cell, grad), value, pieces, place, note)
        return told[place]

    def dot(pairs):
        pieces = [" + " if k else "" for k in range(len(pairs))]
        written = (piece for plus, (a, b) in zip(pieces, pairs) for piece in (plus, a.written(), "·", b.written()))
        return sum(a.value * b.value for a, b in pairs), [piece for piece in written if piece]

    x = [[number("x", (i, k), v) for k, v in enumerate(row)] for i, row in enumerate(X)]
    w = [[number("w", (k, j), v) for j, v in enumerate(row)] for k, row in enumerate(W)]
    dh = [[number("h", (i, j), v, grad=True) for j, v in enumerate(row)] for i, row in enumerate(UP)]
    dz = [[None] * 3 for _ in X]
    for i, row in enumerate(x):
        for j in range(3):
            value, pieces = dot([(row[k], w[k][j]) for k in range(2)])
            z = number("z", (i, j), value, *pieces)
            h = number("h", (i, j), tanh(value), "tanh(", z.written(), ")")
            slope = Number("s", 1 - h.value**2, ("1 - ", h.written(), "·", h.written()))
            pieces = dh[i][j].written(), "·", slope.written()
            dz[i][j] = number("z", (i, j), dh[i][j].value * slope.value, *pieces, grad=True)
    for k in range(2):
        for j in range(3):
            value, pieces = dot([(x[i][k], dz[i][j]) for i in range(2)])
            note = "which a hook put in place of 8" if (k, j) == (0, 0) else ""
            number("w", (k, j), value, *pieces, grad=True, note=note)
    return told


def shape_of(place):
    columns = 2 if place.tensor == "x" else 3
    return f"{place.tensor}{'g' * place.grad}{place.index[0] * columns + place.index[1]}"


def figure(most=2000, numbers=None, of="loss = 0.86", title="h = (x @ w).tanh()", later=False):
    told = program() if numbers is None else numbers
    rows, links = [], {}
    places = [("x", False, 20, 40), ("w", False, 160, 40), ("z", False, 340, 40), ("h", False, 520, 40),
              ("w", True, 160, 160), ("z", True, 340, 160), ("h", True, 520, 160)]  # fmt: skip
    shapes = []
    for letter, grad, left, top in places:
        cells = {place: number for place, number in told.items() if (place.tensor, place.grad) == (letter, grad)}
        shapes.append(draw.text(left, top + 30, "d" * grad + letter))
        for place, number in cells.items():
            at = left + 46 * place.index[1], top + 40 + 46 * place.index[0]
            shapes.append(draw.cell(shape_of(place), *at, number.digits, cls="grad" if grad else ""))
            links[shape_of(place)] = Link((shape_of(place),), (number.name, number.digits))
        rows.append(tuple(tuple(shape_of(p) for p in cells if p.index[0] == i) for i in range(2)))
    levels = unfolds({shape_of(p): n for p, n in told.items() if (p.tensor, p.grad) != ("h", True)}, shape_of, most, of)
    frames = Frame("Forward and backward."), Frame("The first gradient.", link="wg0"), Frame("All of them.")
    family = Links((0, " is ", 1, "."), links)
    scene = Scene(title, 700, 320, tuple(shapes), frames, (family,), tuple(rows))
    return Figure(scene, unfolds=lambda: levels) if later else Figure(replace(scene, unfolds=levels))


def long():
    """The same with one number of 150 letters, one of a single term as long as that, and one with a long name."""
    told = program()
    terms = [piece for k in range(8) for piece in (" + " * (k > 0), told["x", (0, 1), False].written(), "·",
                                                   told["z", (k % 2, k // 2 % 3), True].written())]  # fmt: skip
    told["w", (0, 0), True].pieces = tuple(filter(None, terms))
    inner = (piece for k in range(7) for piece in (", " * (k > 0), told["z", (k % 2, k % 3), True].written()))
    told["w", (0, 1), True].pieces = ("maximum(", *filter(None, inner), ", -1000000.125, some_other_name)")
    told["z", (0, 2), True].name = "(the_first_layer @ weights_of_the_second + a_bias_that_is_added)[0, 2]"
    z = told["z", (0, 2), True].written()
    told["w", (0, 2), True].pieces = ("2·", z, " + (1 - ", z, ")")
    return figure(numbers=told)
