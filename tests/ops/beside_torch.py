"""The same call under rustyflow and PyTorch, on the same memory: values, dtypes, shapes, views' strides, gradients."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import strategies as st

import rustyflow


@dataclass(frozen=True)
class Laid:
    """A leaf and the views that make the operand of it, so that a gradient flows back through them."""

    shape: tuple
    views: tuple = ()
    seed: int = 0
    dtype: str = "float64"

    def build(self, module):
        numbers = np.random.default_rng(self.seed).integers(-8, 9, self.shape) / 4
        leaf = module.from_numpy(np.asarray(numbers, self.dtype))
        if self.dtype.startswith("float"):
            leaf.requires_grad_()
        x = leaf
        for name, *how in self.views:
            x = getattr(x, name)(*how) if name != "slice" else x[how[0]]
        return leaf, x


@st.composite
def laid(draw, rank=st.integers(0, 3), sizes=st.integers(1, 4), dtypes=st.just("float64"), expands=True):
    """A tensor of any layout: permuted, sliced with steps and offsets, expanded."""
    shape = tuple(draw(st.lists(sizes, min_size=(r := draw(rank)), max_size=r)))
    views, held = [], list(shape)
    for d in range(len(shape)):
        how = draw(st.sampled_from(("whole", "sliced", "expanded") if expands else ("whole", "sliced")))
        if how == "sliced":
            start, step = draw(st.integers(0, 2)), draw(st.integers(1, 3))
            held[d] = start + step * shape[d]
            views.append(("slice", (slice(None),) * d + (slice(start, None, step),)))
        elif how == "expanded":
            held[d] = 1
            views.append(("expand", *[-1] * d, shape[d], *[-1] * (len(shape) - d - 1)))
    order = draw(st.permutations(range(len(shape))))
    if shape and draw(st.booleans()):
        views.append(("permute", tuple(order)))
    return Laid(tuple(held), tuple(views), draw(st.integers(0, 99)), draw(dtypes))


def run(module, call, operands):
    built = [operand.build(module) for operand in operands]
    try:
        result = call(module, *[x for _, x in built])
    except Exception as error:
        return next(t.__name__ for t in type(error).__mro__ if t.__module__ == "builtins"), [], built
    outs = list(result) if isinstance(result, (tuple, list)) else [result]
    total = None
    for k, out in enumerate(outs):
        if out.requires_grad:
            upstream = module.from_numpy(np.asarray(np.random.default_rng(k).standard_normal(tuple(out.shape))))
            term = (out * upstream).sum()
            total = term if total is None else total + term
    if total is not None and total.requires_grad:
        total.backward()
    return None, outs, built


pairs = lambda low, high: st.tuples(st.integers(low, high), st.integers(low, high))  # noqa: E731


def rf_shape(data, shape):
    """A tensor of this shape in any layout."""
    made = data.draw(laid(rank=st.just(0)))
    views, held = [], list(shape)
    if data.draw(st.booleans()):
        held[0] = 2 * shape[0] + 1
        views = [("slice", (slice(1, None, 2),))]
    if len(shape) > 1 and data.draw(st.booleans()):
        held[-1], held[-2] = held[-2], held[-1]
        views = [("transpose", -1, -2), *views]
    return type(made)(tuple(held), tuple(views), made.seed)


def agree(call, *operands, copies=False, atol=1e-8):
    """Assert that a call gives the same under both libraries.

    `copies` says that its result shares no memory, `atol` how much rounding of terms that cancel may leave.
    """
    torch = pytest.importorskip("torch")
    error, wanted, theirs = run(torch, call, operands)
    own_error, got, ours = run(rustyflow, call, operands)
    assert own_error == error
    assert len(wanted) == len(got)
    homes = [[leaf.untyped_storage().data_ptr() for leaf, _ in built] for built in (theirs, ours)]
    for a, b in zip(wanted, got, strict=True):
        assert tuple(b.shape) == tuple(a.shape)
        assert str(b.dtype).split(".")[1] == str(a.dtype).split(".")[1]
        assert np.allclose(b.detach().numpy(), a.detach().numpy(), atol=atol, equal_nan=True)
        shared = [[x.numel() > 0 and x.untyped_storage().data_ptr() == home for home in side]
                  for x, side in ((a, homes[0]), (b, homes[1]))]
        assert shared[0] == shared[1] and not (copies and any(shared[1]))
        if any(shared[0]):
            assert (b.stride(), b.storage_offset()) == (a.stride(), a.storage_offset())
    for (a, _), (b, _) in zip(theirs, ours, strict=True):
        if a.requires_grad:
            assert (a.grad is None) == (b.grad is None)
            near = atol if a.dtype == torch.float64 else max(atol, 2e-6)  # sums of some terms of either sign
            assert a.grad is None or np.allclose(b.grad.numpy(), a.grad.numpy(), atol=near, equal_nan=True)


def set_(x, key, value, shown=None):
    """A copy in which a key is set; or what shows the write, which then reaches x's own memory."""
    y = x.clone() if shown is None else x
    y[key] = value
    return y if shown is None else shown
