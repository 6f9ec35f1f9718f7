"""Derivatives of functions: vector-Jacobian and Jacobian-vector products, Jacobians, Hessians.

Source: https://pytorch.org/docs/stable/autograd.html#functional-higher-level-api
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..arguments.explain import explaining_once
from ..dispatch import recording as F
from ..errors import ArgumentTypeError, ArgumentValueError, GradError, ShapeError, align_right, kind_of
from ..tensor import Tensor, enable_grad
from .backward import grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def _run(func, inputs, create_graph):
    """The function's inputs as fresh tracked tensors, and its outputs, both as tuples, with whether each was a
    tuple."""
    given = inputs if isinstance(inputs, tuple) else (inputs,)
    _tensors(given, "an input", "the inputs must be either a Tensor or a tuple of Tensors",
             "pass a tensor or a tuple of tensors")
    tracked = tuple(x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in given)
    out = func(*tracked)
    outs = (out,) if isinstance(out, Tensor) else tuple(out) if isinstance(out, (tuple, list)) else (out,)
    _tensors(outs, "a result", "the outputs of the user-provided function must all be Tensors", "return tensors")
    return tracked, isinstance(inputs, Tensor), outs, isinstance(out, Tensor)


def _tensors(given, what, rule, fix):
    for x in given:
        if not isinstance(x, Tensor):
            raise ArgumentTypeError(f"{what} of type {kind_of(x)}", rule, fix, value=x)


def _grads(outs, inputs, v, create_graph, strict=False):
    live = [(y, g) for y, g in zip(outs, v, strict=False) if y.requires_grad]
    got: Any = [None] * len(inputs)
    if live:
        ys, gs = zip(*live)
        got = grad(ys, inputs, gs, create_graph=create_graph, retain_graph=True, allow_unused=True)
    for k, g in enumerate(got):
        if strict and g is None:
            raise GradError("strict=True", f"The output of the user-provided function is independent of input {k}",
                            "strict=False gives zeros")
        if strict and create_graph and not g.requires_grad:
            raise GradError("strict=True, create_graph=True",
                            f"The jacobian of the user-provided function is independent of input {k}. This is not "
                            "allowed in strict mode when create_graph=True.",
                            "strict=False gives a derivative that is not tracked")
    return tuple(x.new_zeros(x.shape) if g is None else g for g, x in zip(got, inputs, strict=False))


def _vector(v, like, what):
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise GradError(f"{what} without v", "the vector v can only be None if the user-provided function returns "
                            "a single Tensor with a single element", "give v")
        return (like[0].new_ones(like[0].shape),)
    v = (v,) if isinstance(v, Tensor) else tuple(v)
    if len(v) != len(like):
        raise GradError(f"{len(v)} tensors in v, {len(like)} to multiply",
                        f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.",
                        "give one tensor for each")
    for a, b in zip(v, like, strict=False):
        if a.shape != b.shape:
            raise ShapeError(align_right(("v", tuple(a.shape)), ("tensor", tuple(b.shape))),
                             "v has invalid size: it has the shape of what it multiplies", "reshape v")
    return v


@enable_grad()
@explaining_once
def vjp(func: Callable, inputs, v=None, create_graph: bool = False, strict: bool = False):
    """(func(inputs), v @ J): one backward.

    Raises:
        GradError (a RuntimeError): no v for several elements. ShapeError: v of another shape than the result.
    Source: https://pytorch.org/docs/stable/generated/torch.autograd.functional.vjp.html

    Example:
        >>> import rustyflow as rf
        >>> rf.autograd.functional.vjp(lambda x: x * x, rf.tensor([1., 2.]), rf.tensor([1., 10.]))[1]
        tensor([ 2., 40.])
    """
    tracked, single, outs, alone = _run(func, inputs, create_graph)
    got = _grads(outs, tracked, _vector(v, outs, "vjp"), create_graph, strict)
    return _tidy(outs, alone, create_graph), _tidy(got, single, create_graph)


@enable_grad()
@explaining_once
def jvp(func: Callable, inputs, v=None, create_graph: bool = False, strict: bool = False):
    """(func(inputs), J @ v), by two backwards: the vector-Jacobian product is linear in its vector, and its own
    gradient is J @ v.

    Source: https://pytorch.org/docs/stable/generated/torch.autograd.functional.jvp.html

    Example:
        >>> import rustyflow as rf
        >>> rf.autograd.functional.jvp(lambda x: x * x, rf.tensor([1., 2.]), rf.tensor([1., 10.]))[1]
        tensor([ 2., 40.])
    """
    tracked, single, outs, alone = _run(func, inputs, create_graph)
    v = _vector(v, tracked, "jvp")
    probes = tuple(y.new_zeros(y.shape).requires_grad_() for y in outs)
    through = _grads(outs, tracked, probes, True, strict)
    got = _grads(through, probes, v, create_graph, strict)
    return _tidy(outs, alone, create_graph), _tidy(got, alone, create_graph)


def _tidy(tensors, alone, create_graph):
    tensors = tuple(tensors) if create_graph else tuple(t.detach() for t in tensors)
    return tensors[0] if alone else tensors


@enable_grad()
@explaining_once
def jacobian(func: Callable, inputs, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
             strategy: str = "reverse-mode"):
    """All first derivatives: shape of the result + shape of the input; nested tuples where either is a tuple.

    `vectorize` and `strategy` choose between ways to the same numbers; there is one here, a backward per number of the
    result.
    Raises:
        ArgumentTypeError (a TypeError): an input that is no tensor. GradError (a RuntimeError): strict, and
        independent of an input.
    Source: https://pytorch.org/docs/stable/generated/torch.autograd.functional.jacobian.html

    Example:
        >>> import rustyflow as rf
        >>> rf.autograd.functional.jacobian(lambda x: x * x, rf.tensor([1., 2.]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    if strategy not in ("reverse-mode", "forward-mode"):
        raise ArgumentValueError(f"strategy={strategy!r}",
                                 'Expected strategy to be either "forward-mode" or "reverse-mode"',
                                 "leave it out: the numbers are the same")
    tracked, single, outs, alone = _run(func, inputs, create_graph)
    rows = []
    for y in outs:
        columns: list[list] = [[] for _ in tracked]
        for k in range(y.numel()):
            seed = y.new_zeros(y.numel())
            seed[k] = 1
            for column, g in zip(columns, _grads((y,), tracked, (seed.view(y.shape),), create_graph, strict)):
                column.append(g.reshape(1, -1))
        rows.append(tuple([(F.cat(c) if c else y.new_zeros(0, x.numel())).reshape((*y.shape, *x.shape))
                           for c, x in zip(columns, tracked)]))
    if not create_graph:
        rows = [tuple(j.detach() for j in row) for row in rows]
    table = [row[0] if single else row for row in rows]
    return table[0] if alone else tuple(table)


@explaining_once
def hessian(func: Callable, inputs, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
            outer_jacobian_strategy: str = "reverse-mode"):
    """All second derivatives of a function with one number as result.

    Raises:
        GradError (a RuntimeError): the result has more than one element.
    Source: https://pytorch.org/docs/stable/generated/torch.autograd.functional.hessian.html

    Example:
        >>> import rustyflow as rf
        >>> rf.autograd.functional.hessian(lambda x: (x ** 3).sum(), rf.tensor([1., 2.]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    single = isinstance(inputs, Tensor)
    table = jacobian(_gradient_of(func, []), inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return table[0] if single else table


@explaining_once
def vhp(func: Callable, inputs, v=None, create_graph: bool = False, strict: bool = False):
    """(func(inputs), v @ H), for a function with one number as result, whose Hessian is H: two backwards.

    Raises:
        GradError (a RuntimeError): the result has more than one element, or no v for several. ShapeError: v of another
        shape than the inputs.
    Source: https://pytorch.org/docs/stable/generated/torch.autograd.functional.vhp.html

    Example:
        >>> import rustyflow as rf
        >>> rf.autograd.functional.vhp(lambda x: (x ** 3).sum(), rf.tensor([1., 2.]), rf.tensor([1., 10.]))
        (tensor(9.), tensor([  6., 120.]))
    """
    values: list[Tensor] = []
    got = vjp(_gradient_of(func, values), inputs, (v,) if isinstance(v, Tensor) else v, create_graph, strict)[1]
    return values[0] if create_graph else values[0].detach(), got


@explaining_once
def hvp(func: Callable, inputs, v=None, create_graph: bool = False, strict: bool = False):
    """(func(inputs), H @ v): the same as `vhp`, since a Hessian is symmetric.

    Source: https://pytorch.org/docs/stable/generated/torch.autograd.functional.hvp.html

    Example:
        >>> import rustyflow as rf
        >>> rf.autograd.functional.hvp(lambda x: (x ** 3).sum(), rf.tensor([1., 2.]), rf.tensor([1., 10.]))[1]
        tensor([  6., 120.])
    """
    return vhp(func, inputs, v, create_graph, strict)


def _gradient_of(func, values):
    """The function's gradient as a function, which puts what the function itself gives into `values`.

    Raises (when called):
        GradError (a RuntimeError): the function's result has more than one element.
    """

    def first(*xs):
        y = func(*xs)
        if not isinstance(y, Tensor) or y.numel() != 1:
            raise GradError("hessian of a function with several results",
                            "The Tensor returned by the function given to hessian should contain a single element",
                            "sum it first")
        values.append(y)
        return _grads((y.reshape(()),), xs, (y.new_ones(()),), True)

    return first


def __dir__():
    return __all__
