"""Gradients checked against what they mean: nudge each number and see how the result moves."""
from __future__ import annotations

from typing import Any, Callable, Sequence

from ..creation import tensor, zeros, zeros_like
from ..errors import GradError
from ..history import no_grad
from ..tensor import Tensor
from .backward import grad


class GradcheckError(GradError):
    """A gradient that differs from the finite difference."""


def _outputs(func, inputs):
    out = func(*inputs)
    return [y for y in ((out,) if isinstance(out, Tensor) else out) if isinstance(y, Tensor) and y.is_floating_point()]


def numerical_jacobian(func: Callable, inputs: Sequence, k: int, eps: float) -> list:
    """Central differences of every output by every number of input k: lists of rows (input numbers) of flat outputs."""
    base = inputs[k]
    values = base.detach().clone().contiguous()
    flat, columns = values.view(-1), []
    with no_grad():
        for i in range(flat.numel()):
            ends = []
            for sign in (1, -1):
                nudged = flat.clone()
                nudged[i] += sign * eps
                given = [nudged.view(base.shape) if j == k else x for j, x in enumerate(inputs)]
                ends.append([y.detach().clone().reshape(-1).tolist() for y in _outputs(func, given)])
            columns.append([[(up - down) / (2 * eps) for up, down in zip(*pair)] for pair in zip(*ends)])
    return columns


def gradcheck(func: Callable, inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3, raise_exception: bool = True,
              nondet_tol: float = 0.0, check_undefined_grad: bool = True, fast_mode: bool = False, **ignored) -> bool:
    """Compare each gradient of `func` with central differences, number by number; inputs should be float64.

    Raises:
        GradcheckError (a RuntimeError): one differs; names the input, the number and both values.
    Source: https://pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html

    Example:
        >>> import rustyflow as rf
        >>> gradcheck(lambda x: (x * x).sum(), rf.tensor([1., 2.], dtype=rf.float64, requires_grad=True))
        True
    """
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    tracked = [k for k, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    if not tracked:
        raise GradError("gradcheck with no tracked input", "gradcheck expects at least one input tensor to require gradient", "requires_grad=True on what to check")
    outs = _outputs(func, inputs)
    for k in tracked:
        expected = numerical_jacobian(func, inputs, k, eps)
        for j, y in enumerate(outs):
            got = _analytic(y, inputs[k])
            for o in range(y.numel()):
                for i in range(inputs[k].numel()):
                    a, n = got[o][i], expected[i][j][o]
                    if not abs(a - n) <= atol + rtol * abs(n):
                        if not raise_exception:
                            return False
                        raise GradcheckError(f"output {j}, number {o}, by input {k}, number {i}: backward says {a:.6g}, finite differences say {n:.6g}",
                                             "Jacobian mismatch: a gradient is how much the output moves per nudge of the input", "look at the rule of the op in between")
    return True


def _analytic(y, x):
    rows = []
    for o in range(y.numel()):
        seed = zeros(y.numel(), dtype=y.dtype)
        seed[o] = 1
        g = grad(y, x, seed.view(y.shape), retain_graph=True, allow_unused=True)[0] if y.requires_grad else None
        rows.append((zeros_like(x) if g is None else g).detach().reshape(-1).tolist())
    return rows


def gradgradcheck(func: Callable, inputs: Any, grad_outputs: Any = None, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
                  raise_exception: bool = True, **ignored) -> bool:
    """`gradcheck` of the gradients themselves, with upstream gradients that are not all ones.

    Source: https://pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradgradcheck.html

    Example:
        >>> import rustyflow as rf
        >>> gradgradcheck(lambda x: x ** 3, rf.tensor([1., 2.], dtype=rf.float64, requires_grad=True))
        True
    """
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    outs = _outputs(func, inputs)
    if grad_outputs is None:
        grad_outputs = [tensor([((7 * i + 3) % 11 - 5) / 4 for i in range(y.numel())], dtype=y.dtype).view(y.shape).requires_grad_() for y in outs]
    upstream = tuple(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else (grad_outputs,)
    tracked = [k for k, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]

    def first(*args):
        xs, gs = args[:len(inputs)], args[len(inputs):]
        xs = tuple(x if not isinstance(x, Tensor) or not x.is_floating_point() or x.requires_grad else x.detach().requires_grad_(k in tracked) for k, x in enumerate(xs))
        from ..history import enable_grad
        with enable_grad():
            return tuple(g for g in grad(_outputs(func, xs), [xs[k] for k in tracked], gs, create_graph=True, allow_unused=True) if g is not None)
    return gradcheck(first, (*inputs, *upstream), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)
