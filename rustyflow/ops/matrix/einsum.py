"""Einstein's summation: a product of tensors written with one letter per axis."""
from __future__ import annotations

from functools import lru_cache
from math import prod
from operator import index as as_int
from string import ascii_lowercase, ascii_uppercase

from ...dispatch import apply_view, function, need_tensors
from ...errors import ArgumentTypeError, ArgumentValueError, ShapeError, wrong_type
from ...tensor import Tensor
from ..elementwise.arithmetic import mul
from ..reduce.sums import sum
from ..views import diagonal, movedim, permute, reshape, unsqueeze, view
from .linalg import bmm


@function(method=False)
def einsum(equation="", /, *operands):
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
    turns, steps, summed = _plan(equation, tuple([x._a.shape for x in operands]))
    x, *others = [_aligned(x, *turn) for x, turn in zip(operands, turns)]
    if not others:
        return sum(x, summed) if summed else x
    for y, (alone, its, product) in zip(others, steps):
        x, y = _summed(x, alone), _summed(y, its)
        x = _product(x, y, *product) if product else mul(x, y)
    return view(x, x._a.shape[:-len(summed)]) if summed else x


def _arguments(equation, operands):
    """The equation and its operands, in whichever way they were given."""
    if not operands:
        raise ArgumentValueError(f"einsum of {equation!r:.40} alone",
                                 "einsum(): must specify the equation string and at least one operand",
                                 "einsum('ij->ji', x)")
    if isinstance(equation, Tensor):
        equation, operands = _from_lists((equation, *operands))
    if not isinstance(equation, str):
        raise wrong_type("einsum", "equation", equation, "str", "e.g. 'ij,jk->ik'")
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        return _arguments(equation, tuple(operands[0]))
    if not all([isinstance(x, Tensor) for x in operands]):
        need_tensors("einsum", **{f"operands[{k}]": x for k, x in enumerate(operands)})
    return equation, operands


@lru_cache(1000)
def _plan(equation, shapes):
    """(the layout of each operand, a step for each after the first, the summed axes, last ones).

    A step is (axes to sum in the product so far, axes to sum in the operand, how the two are multiplied).
    """
    terms, output = parse(equation, tuple(map(len, shapes)))
    _check_sizes(equation, terms, shapes)
    gone = {c for term in terms for c in term}.difference(output)
    under_dots = sorted([c for c in gone if isinstance(c, int)], reverse=True)
    places = [*output, *under_dots, *sorted([c for c in gone if isinstance(c, str)])]
    squares, orders, (a, *others) = zip(*[_axes(shape, term, places) for shape, term in zip(shapes, terms)])
    summed, steps = tuple(range(len(output), len(places))), []
    last = {d: max([k for k, b in enumerate((a, *others)) if b[d] != 1], default=0) for d in summed}
    for k, b in enumerate(others, 1):
        now = [d for d in summed if last[d] <= k]
        alone, its = [tuple([d for d in now if m[d] != 1 == n[d]]) for m, n in ((a, b), (b, a))]
        inner = [d for d in now if a[d] != 1 != b[d]]
        steps.append((alone, its, _factors(a, b, inner, alone + its) if inner else None))
        a = tuple([1 if d in now else n if m == 1 else m for d, (m, n) in enumerate(zip(a, b))])
    return tuple(zip(squares, orders)), steps, summed


def _check_sizes(equation, terms, shapes):
    sizes: dict = {}
    for term, shape in zip(terms, shapes):
        for letter, n in zip(term, shape):
            if sizes.setdefault(letter, n) == 1:
                sizes[letter] = n
            elif n not in (1, sizes[letter]):
                raise ShapeError(f"einsum({equation!r}) of shapes {', '.join(map(str, shapes))}",
                                 f"axis {_name(letter)} has size {sizes[letter]} in one place and {n} in another",
                                 "axes of one letter are equally long, or 1")


def _axes(shape, letters, places):
    """The way to give an operand one axis per place.

    It is (pairs of axes of one letter, whose diagonal is taken; the order of its axes and of those it lacks; the shape
    that it then has).
    """
    letters, shape, pairs = list(letters), list(shape), []
    for letter in [c for c in dict.fromkeys(letters) if letters.count(c) > 1]:
        while letters.count(letter) > 1:
            a = letters.index(letter)
            b = letters.index(letter, a + 1)
            if shape[a] != shape[b]:
                raise ShapeError(f"shape {tuple(shape)}",
                                 f"einsum(): subscript {_name(letter)} is repeated for axes {a} and {b}, "
                                 "whose sizes differ",
                                 "a square")
            pairs.append((a, b))
            del letters[b], shape[b]
    letters += [c for c in places if c not in letters]
    order = [letters.index(c) for c in places]
    return tuple(pairs), tuple(order), tuple([shape[k] if k < len(shape) else 1 for k in order])


def _factors(a, b, inner, gone):
    """The way to multiply two aligned shapes as batches of matrices, summed over the axes `inner`.

    Returns whether the second one is the left factor, because its axes come first in the output, so that the product
    has them in order; the order of axes and the shape of each factor, the shape of the product and the order of its
    axes.
    """
    a, b = [[1 if d in gone else n for d, n in enumerate(shape)] for shape in (a, b)]
    free = [d for d in range(len(a)) if d not in inner]
    batch = [d for d in free if a[d] != 1 != b[d]]
    rows = [d for d in free if a[d] != 1 == b[d]]
    columns = [d for d in free if a[d] == 1]
    its_own = [d for d in columns if d not in gone]
    if swap := bool(rows and its_own) and its_own[-1] < rows[0]:
        a, b, rows, columns = b, a, columns, rows
    n, m, k = [prod([a[d] for d in dims]) for dims in (batch, rows, inner)]
    p = prod([b[d] for d in columns])
    order = *batch, *rows, *inner, *columns
    size = tuple([1 if d in inner else (a, b)[d in columns][d] for d in order])
    back = tuple([order.index(d) for d in range(len(order))])
    return swap, order, (n, m, k), (*batch, *inner, *columns, *rows), (n, k, p), size, back


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
        ArgumentTypeError (a TypeError), ArgumentValueError (a ValueError): no number from 0 to 51. ShapeError (a
        RuntimeError): a tensor of several cells instead.
    """
    def letter(n):
        if n is Ellipsis:
            return "..."
        try:
            n = as_int(n)
        except TypeError:
            wrong = ArgumentTypeError
            if isinstance(n, Tensor):  # PyTorch compares a tensor with 0 and 52
                wrong = ShapeError if n._a.size != 1 else ArgumentValueError if not 0 <= n.item() < 52 else wrong
            raise wrong(f"einsum with {n!r:.60} among the numbers of axes",
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


def _aligned(x, pairs, order):
    """An operand with one axis per letter, in the order that all operands share: the output's axes, then those summed.
    """
    for a, b in pairs:
        x = movedim(diagonal(x, 0, a, b), -1, a)
    for d in range(x._a.ndim, len(order)):
        x = apply_view(unsqueeze.op, x, dim=d)
    return _turned(x, order)


def _turned(x, order):
    """permute, which is recorded even where it changes nothing, as in PyTorch."""
    return apply_view(permute.op, x, dims=order) if x.requires_grad or order != tuple(range(len(order))) else x


def _summed(x, dims):
    return sum(x, dims, keepdim=True) if dims else x


def _product(x, y, swap, order, shape, its_order, its_shape, size, back):
    """The product of two aligned factors, in which the axes that were summed stay with size 1."""
    if swap:
        x, y = y, x
    product = bmm(reshape(_turned(x, order), shape), reshape(_turned(y, its_order), its_shape))
    return _turned(apply_view(view.op, product, size=size), back)
