"""Gradients checked against what they mean: nudge each number and see how the result moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from ..errors import AbsentError, ArgumentTypeError, ArgumentValueError, GradError
from ..tensor import Tensor, enable_grad, no_grad
from .backward import grad


class GradcheckError(GradError):
    """A gradient that differs from the finite difference."""


def gradcheck(func: Callable, inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
              raise_exception: bool = True, nondet_tol: float = 0.0, fast_mode: bool = False, **other: bool) -> bool:
    """Compare each gradient of `func` with central differences, number by number; inputs should be float64.

    Each output is walked from alone, so that the gradients of the others are undefined. An input is nudged as if its
    cells were all its own, whatever its strides. At last zeros arrive, of which a rule that multiplies by what arrives
    leaves nothing.

    Args:
        func: takes the inputs, returns a tensor or several.
        nondet_tol: by how much two walks may differ.
        fast_mode: compare one random number per pair of input and output, `u @ J @ v`, instead of the whole Jacobian.
        other: PyTorch's `check_undefined_grad`, `check_grad_dtypes`, `check_backward_ad` and `masked` change nothing
        here.

    Raises:
        GradcheckError (a RuntimeError): one differs, names the input, the number and both values; or something is left
            where zeros arrive.
        ArgumentValueError (a ValueError): nothing to check.
        AbsentError (a NotImplementedError): a check of what rustyflow has not got.
    Source: https://pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html

    Example:
        >>> import rustyflow as rf
        >>> rf.autograd.gradcheck(lambda x: (x * x).sum(), rf.tensor([1., 2.], dtype=rf.float64, requires_grad=True))
        True
    """
    _known(other)
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    tracked = _tracked(inputs)
    if not tracked:
        raise ArgumentValueError("gradcheck with no tracked input",
                                 "gradcheck expects at least one input tensor to require gradient",
                                 "requires_grad=True on what to check")
    outs = _outputs(func, inputs)
    try:
        for k in tracked:
            fine = inputs[k].dtype.itemsize == 8
            for what, a, n in (_along if fast_mode else _cell_by_cell)(func, inputs, outs, k, eps, nondet_tol):
                if not abs(a - n) <= atol + rtol * abs(n):
                    coarse = f"check in float64: {inputs[k].dtype!r} may keep too few digits for a nudge of {eps:g}"
                    raise GradcheckError(f"{what}: backward says {a:.6g}, finite differences say {n:.6g}", "Jacobian "
                                         "mismatch: a gradient is how much the output moves per nudge of the input",
                                         "look at the rule of the op in between" if fine else coarse)
        _nothing_of_zeros(outs, [(k, inputs[k]) for k in tracked])
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func: Callable, inputs: Any, grad_outputs: Any = None, *, eps: float = 1e-6, atol: float = 1e-5,
                  rtol: float = 1e-3, raise_exception: bool = True, nondet_tol: float = 0.0, fast_mode: bool = False,
                  **other: bool) -> bool:
    """`gradcheck` of the gradients themselves, with upstream gradients that are not all ones.

    Raises:
        As `gradcheck`.
    Source: https://pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradgradcheck.html

    Example:
        >>> import rustyflow as rf
        >>> rf.autograd.gradgradcheck(lambda x: x ** 3, rf.tensor([1., 2.], dtype=rf.float64, requires_grad=True))
        True
    """
    _known(other)
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    tracked = _tracked(inputs)
    if grad_outputs is None:
        grad_outputs = [_uneven(y) for y in _outputs(func, inputs)]
    upstream = tuple(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else (grad_outputs,)

    def first(*args):
        given, gs = args[: len(inputs)], args[len(inputs) :]
        xs = [x if k not in tracked or x.requires_grad else x.detach().requires_grad_() for k, x in enumerate(given)]
        with enable_grad():
            ys = _outputs(func, xs)
            live = [(y, g) for y, g in zip(ys, gs, strict=True) if y.requires_grad]
            got: Sequence = [None] * len(tracked)
            if live:
                ys, gs = zip(*live, strict=True)
                got = grad(ys, [xs[k] for k in tracked], gs, create_graph=True, allow_unused=True)
        return tuple([xs[k].new_zeros(xs[k].shape) if g is None else g for k, g in zip(tracked, got, strict=False)])

    return gradcheck(first, (*inputs, *upstream), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                     nondet_tol=nondet_tol, fast_mode=fast_mode)


def _uneven(y: Tensor) -> Tensor:
    """An upstream gradient of quarters from -5/4 to 5/4."""
    quarters = [((7 * i + 3) % 11 - 5) / 4 for i in range(y.numel())]
    return y.new_tensor(quarters).view(y.shape).requires_grad_()


_ABSENT = ("check_forward_ad", "check_batched_grad", "check_batched_forward_grad", "check_fwd_over_rev")
_KNOWN = (*_ABSENT, "check_undefined_grad", "check_grad_dtypes", "check_backward_ad", "masked", "check_rev_over_rev",
          "gen_non_contig_grad_outputs")


def _known(other: dict) -> None:
    """Refuse arguments that PyTorch has not got, or that ask for what is not here."""
    for name, value in other.items():
        if name not in _KNOWN:
            raise ArgumentTypeError(f"gradcheck({name}=...)",
                                    f"gradcheck() got an unexpected keyword argument '{name}'",
                                    "see help(rustyflow.autograd.gradcheck)")
        if value and name in _ABSENT:
            raise AbsentError(f"gradcheck({name}=True)", "rustyflow has neither forward-mode derivatives nor vmap",
                              f"leave {name} out")


def _tracked(inputs: Sequence) -> list[int]:
    return [k for k, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]


def _outputs(func, inputs):
    out = func(*inputs)
    return [y for y in ((out,) if isinstance(out, Tensor) else out) if isinstance(y, Tensor) and y.is_floating_point()]


def _cell_by_cell(func, inputs, outs, k, eps, nondet_tol):
    """Every number of the Jacobians by input k: what it is, backward's value, the differences' value."""
    cells = range(inputs[k].numel())
    columns = [_differences(func, inputs, k, [float(i == j) for j in cells], eps) for i in cells]
    for j, y in enumerate(outs):
        for o in range(y.numel()):
            row = _backward(y, inputs[k], [float(i == o) for i in range(y.numel())], nondet_tol)
            for i, a in enumerate(row):
                yield f"output {j}, number {o}, by input {k}, number {i}", a, columns[i][j][o]


def _along(func, inputs, outs, k, eps, nondet_tol):
    """Per output one number, u @ J @ v, for directions that the global generator has no part in."""
    random = Random(k)
    v = [random.uniform(-1, 1) for _ in range(inputs[k].numel())]
    moved = _differences(func, inputs, k, v, eps)
    for j, y in enumerate(outs):
        u = [random.uniform(-1, 1) for _ in range(y.numel())]
        row = _backward(y, inputs[k], u, nondet_tol)
        yield (f"output {j} along a direction, by input {k} along another",
               sum(a * b for a, b in zip(row, v, strict=False)), sum(a * b for a, b in zip(moved[j], u, strict=False)))


def _differences(func, inputs, k, direction, eps) -> list[list[float]]:
    """The moves of every output, flat, as input k moves in a direction."""
    x, ends = inputs[k].detach(), []
    with no_grad():
        for sign in (1, -1):
            nudged = x.reshape(-1) + x.new_tensor([sign * eps * d for d in direction])
            given = [nudged.view(x.shape) if j == k else other for j, other in enumerate(inputs)]
            ends.append([y.detach().reshape(-1).tolist() for y in _outputs(func, given)])
    return [[(up - down) / (2 * eps) for up, down in zip(*pair, strict=False)] for pair in zip(*ends, strict=False)]


def _nothing_of_zeros(outs, tracked):
    """Refuses a rule that forgets what arrives, which one number alone would not show: there a 1 arrives.

    Raises:
        GradcheckError: a gradient is not 0 where only zeros arrive.
    """
    live = [y for y in outs if y.requires_grad]
    zeros = [y.new_zeros(y.shape) for y in live]
    got = grad(live, [x for _, x in tracked], zeros, retain_graph=True, allow_unused=True) if live else ()
    for (k, _), g in zip(tracked, got, strict=False):
        left = [] if g is None else [value for value in g.detach().reshape(-1).tolist() if value != 0]
        if left:
            raise GradcheckError(f"zeros arrive, and input {k} gets {left[0]:.6g}", "backward not multiplied by "
                                 "grad_output", "multiply by what arrives in the rule of the op in between")


def _backward(y, x, seed: list[float], nondet_tol) -> list[float]:
    """The gradient of y, weighted by a seed, by x, flat.

    Raises:
        GradcheckError: a second walk gives something else.
    """
    seed = y.new_tensor(seed).view(y.shape)

    def once():
        g = grad(y, x, seed, retain_graph=True, allow_unused=True)[0] if y.requires_grad else None
        return (x.new_zeros(x.shape) if g is None else g).detach().reshape(-1).tolist()

    found = once()
    for a, b in zip(found, once(), strict=False):
        if abs(a - b) > nondet_tol:
            raise GradcheckError(f"backward says {a!r}, then {b!r}",
                                 "Backward is not reentrant, i.e., running backward with same input and grad_output "
                                 "multiple times gives different values",
                                 "let the rule depend on its operands alone, or say how much with nondet_tol")
    return found
