"""Softmax and its logarithm: from any numbers to shares that add up to 1, without overflow."""
from __future__ import annotations

from ...dispatch import apply, function, need_tensors, op, recording, renamed
from ...dtype import as_dtype
from ...errors import warn
from ...layout import wrap_dim


def _along(it, input, dim, dtype):
    """The op along an axis, in the dtype asked for."""
    dim = wrap_dim(dim, input._a.ndim)
    if not input._a.size and input._a.dtype.kind != "f" and dtype is None:
        return input.clone()  # of nothing, PyTorch makes nothing, whatever the dtype
    return apply(it, input if dtype is None else input.to(as_dtype(dtype)), dim=dim)


@op
class softmax:
    """y = e / s with e = exp(x), s = sum(e, dim, True)        dx = y * (g - sum(g * y, dim, True))

    Worked out as y = t / sum(t, dim, True) with m = amax(x, dim, True), t = exp(x - m), so that exp cannot overflow.
    Floating dtypes, or give `dtype`.
    Raises: DimError (an IndexError): no such axis. UnsupportedDTypeError (a NotImplementedError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html

    Example:
        >>> import rustyflow as rf
        >>> rf.softmax(rf.tensor([[0., 0.], [0., 1000.]]), dim=1)
        tensor([[0.5000, 0.5000],
                [0.0000, 1.0000]])
    """
    takes = "f"

    def forward(F, x, *, dim, safe=False):
        y = F.softmax(x, dim)
        return F.where(F.amax(x, dim, True) == float("-inf"), 0.0, y) if safe and x.size else y

    def grad_x(F, g, y, *, dim, safe=False): return F.softmax_input(g, y, dim)

    def call(input, dim, dtype=None):
        return _along(softmax.op, input, dim, dtype)


_safe = renamed(softmax.op, "SafeSoftmaxBackward0")


def safe_softmax(x, dim):
    """softmax that gives a line of -inf no shares, instead of NaN."""
    return apply(_safe, x, dim=wrap_dim(dim, x._a.ndim), safe=True)


@op
class log_softmax:
    """y = x - log(s) with s = sum(exp(x), dim, True)        dx = g - exp(y) * sum(g, dim, True)

    The logarithm of softmax, exact where softmax itself rounds to 0. Floating dtypes, or give `dtype`.
    Worked out as y = x - m - log(sum(exp(x - m), dim, True)) with m = amax(x, dim, True), so that exp cannot overflow.
    Raises: as softmax.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html

    Example:
        >>> import rustyflow as rf
        >>> rf.log_softmax(rf.tensor([0., 1000.]), dim=0)
        tensor([-1000.,     0.])
    """
    takes = "f"
    def grad_x(F, g, y, *, dim): return F.log_softmax_input(g, y, dim)

    def call(input, dim, dtype=None):
        return _along(log_softmax.op, input, dim, dtype)


def usual_dim(name: str, ndim: int) -> int:
    """The axis taken when none is named: the first for 0, 1 and 3 axes, else the second.

    It is a guess, so it warns.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     usual_dim("softmax", 2)
        1
    """
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
         "dim=X as an argument.")
    return 0 if ndim in (0, 1, 3) else 1


@function(public=False, method=False)
def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """softmax of -x: large shares for small numbers.

    Shapes: input of any shape; the result has the same, and adds up to 1 along dim.
    Raises:
        DimError (an IndexError): no such axis. UnsupportedDTypeError (a NotImplementedError): whole numbers without
            dtype.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.softmin.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.softmin(rf.tensor([0., 1000.]), dim=0)
        tensor([1., 0.])
    """
    need_tensors("softmin", input=input)
    return (-input).softmax(usual_dim("softmin", input._a.ndim) if dim is None else dim, dtype=dtype)


@function(public=False, method=False)
def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A random class per row, of probabilities softmax(logits), in a form that gradients pass through.

    softmax((logits + noise) / tau) with Gumbel noise: the smaller tau, the nearer to one class. With `hard` the result
    is one-hot, and its gradient that of the soft one. The draws are PyTorch's own after manual_seed.
    Shapes: logits of any shape, the classes along dim; the result has the same.
    Raises:
        DimError (an IndexError): no such axis. RandomError (a RuntimeError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.gumbel_softmax.html; Jang et al., arXiv
        1611.01144

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> _ = rf.manual_seed(0)
        >>> F.gumbel_softmax(rf.zeros(2, 4), hard=True).sum(1)
        tensor([1., 1.])
    """
    need_tensors("gumbel_softmax", logits=logits)
    noisy = recording.empty(logits._a.shape, dtype=logits.dtype).exponential_().log_().neg_()
    noisy = (logits + noisy) / tau
    soft = noisy.softmax(dim)
    if not hard:
        return soft
    at = soft.max(dim, keepdim=True)[1]
    return logits.detach().new_zeros(logits._a.shape).scatter_(dim, at, 1.0) - soft.detach() + soft
