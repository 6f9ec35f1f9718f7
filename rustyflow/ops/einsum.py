"""Einstein's summation: a product of tensors written with one letter per axis."""
from __future__ import annotations

from functools import lru_cache
from math import prod
from operator import index as as_int
from string import ascii_lowercase, ascii_uppercase

from ..errors import ArgumentTypeError, ArgumentValueError, ShapeError
from ..tensor import Tensor
from .arithmetic import mul
from .guard import need_tensors
from .linalg import bmm
from .part import diagonal
from .reduce import sum
from .registry import apply_view, function
from .shape import movedim, reshape
from .view import permute, unsqueeze, view


@function(method=False)
def einsum(equation, *operands):
    """Products of cells whose letters agree, summed over the letters that the output does not name.

    'ij,jk->ik' is a matrix product, 'ii->i' a diagonal, 'bij->bji' a transpose. Spaces do not matter; '...' stands for
    any number of axes, which broadcast; without '->' the output has the letters that occur once, in order of the
    alphabet. Axes of size 1 broadcast. The operands are multiplied from left to right, each step a batched matrix
    product.
    Raises:
        ShapeError (a RuntimeError): letters that do not fit the axes, sizes that clash, an output letter that no
        operand has.
    Source: https://pytorch.org/docs/stable/generated/torch.einsum.html

    Example:
        >>> import rustyflow as rf
        >>> rf.einsum('ij,j->i', rf.ones(2, 3), rf.tensor([1., 2., 3.]))
        tensor([6., 6.])
    """
    equation, operands = _arguments(equation, operands)
    terms, output = parse(equation, tuple([x._a.ndim for x in operands]))
    _check_sizes(equation, terms, operands)
    gone = {c for term in terms for c in term}.difference(output)
    under_dots = sorted([c for c in gone if isinstance(c, int)], reverse=True)
    places = [*output, *under_dots, *sorted([c for c in gone if isinstance(c, str)])]
    made = [_aligned(x, term, places) for x, term in zip(operands, terms)]
    summed, x = range(len(output), len(places)), made[0]
    if len(made) == 1:
        return sum(x, tuple(summed)) if gone else x
    last = {d: max([k for k, y in enumerate(made) if y._a.shape[d] != 1], default=0) for d in summed}
    for k, y in enumerate(made[1:], 1):
        a, b, now = x._a.shape, y._a.shape, [d for d in summed if last[d] <= k]
        x = _summed(x, [d for d in now if a[d] != 1 == b[d]])
        y = _summed(y, [d for d in now if a[d] == 1 != b[d]])
        x = _product(x, y, [d for d in now if a[d] != 1 != b[d]])
    return view(x, x._a.shape[:len(output)]) if gone else x


def _arguments(equation, operands):
    """The equation and its operands, in whichever way they were given."""
    if isinstance(equation, Tensor) and not operands:
        raise ArgumentValueError("einsum of a tensor alone",
                                 "einsum(): must specify the equation string and at least one operand",
                                 "einsum('ij->ji', x)")
    if isinstance(equation, Tensor):
        equation, operands = _from_lists((equation, *operands))
    if not isinstance(equation, str):
        raise ArgumentTypeError(f"einsum({type(equation).__name__}, ...)",
                                f"einsum(): argument 'equation' must be str, not {type(equation).__name__}",
                                "e.g. 'ij,jk->ik'")
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    need_tensors("einsum", **{f"operands[{k}]": x for k, x in enumerate(operands)})
    return equation, operands


def _check_sizes(equation, terms, operands):
    sizes: dict = {}
    for term, x in zip(terms, operands):
        for letter, n in zip(term, x._a.shape):
            if sizes.setdefault(letter, n) == 1:
                sizes[letter] = n
            elif n not in (1, sizes[letter]):
                raise ShapeError(f"einsum({equation!r}) of shapes {', '.join(str(tuple(o.shape)) for o in operands)}",
                                 f"axis {_name(letter)} has size {sizes[letter]} in one place and {n} in another",
                                 "axes of one letter are equally long, or 1")


@lru_cache(1000)
def parse(equation: str, ranks: tuple[int, ...]) -> tuple[list[list], list]:
    """The letters of every operand's axes, and of the output's; the axes under '...' are numbered from the right.

    Example:
        >>> parse("...ij,jk", (3, 2))
        ([[1, 'i', 'j'], ['j', 'k']], [1, 'i', 'k'])
    """
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ShapeError(f"{equation!r} for {len(ranks)} operands",
                         f"einsum(): the equation has {len(terms)} terms, there are {len(ranks)} operands",
                         "one term per operand")
    spread = [_letters(equation, term, rank) for term, rank in zip(terms, ranks)]
    dots = sorted({c for term in spread for c in term if isinstance(c, int)}, reverse=True)
    if arrow:
        output = _letters(equation, right, None, dots)
    else:
        flat = [c for term in spread for c in term if isinstance(c, str)]
        output = dots + sorted(c for c in set(flat) if flat.count(c) == 1)
    for c in output:
        if output.count(c) > 1:
            wrong = "appears more than once in the output"
        elif not any(c in term for term in spread):
            wrong = "does not appear in the equation for any input operand"
        else:
            continue
        raise ShapeError(f"{equation!r}",
                         f"einsum(): output subscript {_name(c)} {wrong}",
                         "name each letter of the output once")
    return spread, output


def _letters(equation, term, rank, dots=()):
    head, ellipsis, tail = term.partition("...")
    if not (head + tail).isascii() or not all(c.isalpha() for c in head + tail):
        raise ShapeError(f"{equation!r}",
                         f"einsum(): invalid subscript given in term {term!r}, subscripts must be in [a-zA-Z]",
                         "letters, commas, ... and ->")
    if rank is None:
        return [*head, *(dots if ellipsis else ()), *tail]
    free = rank - len(head) - len(tail)
    if free < 0 or (free and not ellipsis):
        raise ShapeError(f"term {term!r} for a tensor with {rank} dims",
                         f"einsum(): the number of subscripts in the equation ({len(head) + len(tail)}) does not "
                         f"match the number of dimensions ({rank}) for an operand"
                         + ("" if ellipsis else " and no ellipsis was given"),
                         "one letter per axis")
    return [*head, *range(free, 0, -1), *tail]


def _from_lists(parts):
    """einsum(x, [0, 1], y, [1, 2], [0, 2]): numbers in place of letters, of which capitals come first.

    Raises:
        ArgumentTypeError (a TypeError), ArgumentValueError (a ValueError): no number from 0 to 51.
    """
    def letter(n):
        if n is Ellipsis:
            return "..."
        try:
            n = as_int(n)
        except TypeError:
            raise ArgumentTypeError(f"einsum with {n!r:.60} among the numbers of axes",
                                    "einsum(): a subscript in a list is a whole number, or ...",
                                    "einsum(x, [0, 1], y, [1, 2]), or letters: 'ij,jk'") from None
        if not 0 <= n < 52:
            raise ArgumentValueError(f"einsum with {n} among the numbers of axes",
                                     "einsum(): subscript in subscript list is not within the valid range [0, 52)",
                                     "numbers from 0 on, one for each axis")
        return (ascii_uppercase + ascii_lowercase)[n]

    def word(numbers):
        return "".join(map(letter, numbers))
    pairs, output = parts[:len(parts) // 2 * 2], parts[-1:] if len(parts) % 2 else ()
    return ",".join(map(word, pairs[1::2])) + "".join("->" + word(o) for o in output), pairs[::2]


def _name(letter):
    return f"'{letter}'" if isinstance(letter, str) else "under '...'"


def _aligned(x, letters, places):
    """An operand whose axes stand in one order for all: the output's, then those that are summed; each letter once."""
    letters = list(letters)
    for letter in [c for c in dict.fromkeys(letters) if letters.count(c) > 1]:
        while letters.count(letter) > 1:
            a = letters.index(letter)
            b = letters.index(letter, a + 1)
            if x._a.shape[a] != x._a.shape[b]:
                raise ShapeError(f"shape {tuple(x.shape)}",
                                 f"einsum(): subscript {_name(letter)} is repeated for axes {a} and {b}, "
                                 "whose sizes differ",
                                 "a square")
            x = movedim(diagonal(x, 0, a, b), -1, a)
            del letters[b]
    for letter in places:
        if letter not in letters:
            x = apply_view(unsqueeze.op, x, dim=len(letters))
            letters.append(letter)
    return _turned(x, [letters.index(letter) for letter in places])


def _turned(x, order):
    """permute, which is recorded even where it changes nothing, as in PyTorch."""
    order = tuple(order)
    return apply_view(permute.op, x, dims=order) if x.requires_grad or order != tuple(range(len(order))) else x


def _summed(x, dims):
    return sum(x, tuple(dims), keepdim=True) if dims else x


def _product(x, y, inner):
    """The product of two aligned factors, summed over the axes `inner`, which stay with size 1."""
    if not inner:
        return mul(x, y)
    shapes = x._a.shape, y._a.shape
    free = [d for d in range(x._a.ndim) if d not in inner]
    batch = [d for d in free if shapes[0][d] != 1 != shapes[1][d]]
    rows = [d for d in free if shapes[0][d] != 1 == shapes[1][d]]
    columns = [d for d in free if shapes[0][d] == 1]
    n, m, k = [prod([shapes[0][d] for d in dims]) for dims in (batch, rows, inner)]
    p = prod([shapes[1][d] for d in columns])
    order = [*batch, *rows, *inner, *columns]
    left = reshape(_turned(x, order), (n, m, k))
    right = reshape(_turned(y, [*batch, *inner, *columns, *rows]), (n, k, p))
    size = tuple([1 if d in inner else shapes[d in columns][d] for d in order])
    return _turned(apply_view(view.op, bmm(left, right), size=size), [order.index(d) for d in range(len(order))])
