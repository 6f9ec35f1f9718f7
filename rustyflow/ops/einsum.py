"""Einstein's summation: a product of tensors written with one letter per axis."""
from __future__ import annotations

from math import prod

from ..errors import ArgumentTypeError, ArgumentValueError, ShapeError
from ..tensor import Tensor
from .arithmetic import mul
from .linalg import matmul
from .reduce import sum
from .registry import function, not_a_tensor
from .shape import reshape
from .part import diagonal
from .view import permute, squeeze, view


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
    if isinstance(equation, Tensor) and not operands:
        raise ArgumentValueError("einsum of a tensor alone", "einsum(): must specify the equation string and at least "
                                                             "one operand", "einsum('ij->ji', x)")
    if isinstance(equation, Tensor):
        equation, operands = _from_lists((equation, *operands))
    if not isinstance(equation, str):
        raise ArgumentTypeError(f"einsum({type(equation).__name__}, ...)",
                                f"einsum(): argument 'equation' must be str, not {type(equation).__name__}",
                                "e.g. 'ij,jk->ik'")
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    for k, x in enumerate(operands):
        if not isinstance(x, Tensor):
            raise not_a_tensor("einsum", f"operands[{k}]", x)
    terms, output = parse(equation, [x._a.ndim for x in operands])
    sizes: dict = {}
    for term, x in zip(terms, operands):
        for letter, n in zip(term, x._a.shape):
            if sizes.setdefault(letter, n) == 1:
                sizes[letter] = n
            elif n not in (1, sizes[letter]):
                raise ShapeError(f"einsum({equation!r}) of shapes {', '.join(str(tuple(o.shape)) for o in operands)}",
                                 f"axis {_name(letter)} has size {sizes[letter]} in one place and {n} in another",
                                 "axes of one letter are equally long, or 1")
    factors = [_simple(x, term, sizes) for x, term in zip(operands, terms)]
    x, letters = factors[0]
    for k, (y, others) in enumerate(factors[1:], 1):
        later = set(output).union(*[term for _, term in factors[k + 1:]])
        x, letters = _product(x, letters, y, others, later)
    x, letters = _summed(x, letters, set(output))
    for letter in output:
        if letter not in letters:                   # an axis that had size 1 everywhere it was
            x, letters = x.unsqueeze(-1), [*letters, letter]
    return permute(x, [letters.index(letter) for letter in output])


def parse(equation: str, ranks: list[int]) -> tuple[list[list], list]:
    """The letters of every operand's axes, and of the output's; the axes under '...' are numbered from the right.

    Example:
        >>> parse("...ij,jk", [3, 2])
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
        if output.count(c) > 1 or not any(c in term for term in spread):
            raise ShapeError(f"{equation!r}", f"einsum(): output subscript {_name(c)} appears more than once in the "
                                              f"output" if output.count(c) > 1
                             else f"einsum(): output subscript {_name(c)} does not appear in the equation for any "
                                  f"input operand", "name each letter of the output once")
    return spread, output


def _letters(equation, term, rank, dots=()):
    head, ellipsis, tail = term.partition("...")
    if not (head + tail).isascii() or not all(c.isalpha() for c in head + tail):
        raise ShapeError(f"{equation!r}", f"einsum(): invalid subscript given in term {term!r}, subscripts must be in "
                                          f"[a-zA-Z]", "letters, commas, ... and ->")
    if rank is None:
        return [*head, *(dots if ellipsis else ()), *tail]
    free = rank - len(head) - len(tail)
    if free < 0 or (free and not ellipsis):
        raise ShapeError(f"term {term!r} for a tensor with {rank} dims",
                         f"einsum(): the number of subscripts in the equation ({len(head) + len(tail)}) does not match "
                         f"the "
                         f"number of dimensions ({rank}) for an operand"
                         + ("" if ellipsis else " and no ellipsis was given"), "one letter per axis")
    return [*head, *range(free, 0, -1), *tail]


def _from_lists(parts):
    """einsum(x, [0, 1], y, [1, 2], [0, 2]): numbers in place of letters."""
    def word(numbers):
        return "".join("..." if n is Ellipsis else chr(97 + n) if n < 26 else chr(39 + n) for n in numbers)
    pairs, output = parts[:len(parts) // 2 * 2], parts[-1:] if len(parts) % 2 else ()
    return ",".join(map(word, pairs[1::2])) + "".join("->" + word(o) for o in output), pairs[::2]


def _name(letter):
    return f"'{letter}'" if isinstance(letter, str) else "under '...'"


def _simple(x, letters, sizes):
    """An operand with each letter once and no axis of size 1 that another operand has longer."""
    letters = list(letters)
    for letter in [c for c in dict.fromkeys(letters) if letters.count(c) > 1]:
        while letters.count(letter) > 1:
            a = letters.index(letter)
            b = letters.index(letter, a + 1)
            if x._a.shape[a] != x._a.shape[b]:
                raise ShapeError(f"shape {tuple(x.shape)}", f"einsum(): subscript {_name(letter)} is repeated for axes "
                                                            f"{a} and {b}, whose sizes differ", "a square")
            x, letters = diagonal(x, 0, a, b), [c for d, c in enumerate(letters) if d not in (a, b)] + [letter]
    ones = [d for d, c in enumerate(letters) if x._a.shape[d] == 1 and sizes[c] != 1]
    return (squeeze(x, tuple(ones)), [c for d, c in enumerate(letters) if d not in ones]) if ones else (x, letters)


def _summed(x, letters, keep):
    """The sum over the axes whose letters nobody asks for any more."""
    gone = tuple([d for d, c in enumerate(letters) if c not in keep])
    return (sum(x, gone), [c for c in letters if c in keep]) if gone else (x, letters)


def _product(x, a, y, b, later):
    """The product of two factors, summed over the letters that only they share."""
    x, a = _summed(x, a, later | set(b))
    y, b = _summed(y, b, later | set(a))
    batch, inner = [c for c in a if c in b and c in later], [c for c in a if c in b and c not in later]
    rows, columns = [c for c in a if c not in b], [c for c in b if c not in a]
    x, y = permute(x, [a.index(c) for c in batch + rows + inner]), permute(y, [b.index(c) for c in batch + inner
                                                                               + columns])
    p, q, r = len(batch), len(batch) + len(rows), len(batch) + len(inner)
    s, u = x._a.shape, y._a.shape
    if not inner:
        return mul(reshape(x, (*s, *[1] * len(columns))), reshape(y, (*u[:p], *[1] * len(rows),
                                                                      *u[p:]))), batch + rows + columns
    left, right = reshape(x, (*s[:p], prod(s[p:q]), prod(s[q:]))), reshape(y, (*u[:p], prod(u[p:r]), prod(u[r:])))
    return view(matmul(left, right), (*s[:p], *s[p:q], *u[r:])), batch + rows + columns
