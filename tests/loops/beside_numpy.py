"""The same program under both backends, forward and backward."""

import math

from hypothesis import strategies as st

import rustyflow as rf
from rustyflow.backends import use

# Eighths: sums and products of a few of them are exact in float32, in whatever order they are added
EIGHTHS = st.integers(-24, 24).map(lambda n: n / 8)
LAYOUTS = {
    "dense": lambda x: x,
    "transposed": lambda x: x.transpose(0, -1) if x.ndim else x,
    "sliced": lambda x: x[..., 1:] if x.ndim and x.shape[-1] > 1 else x,
    "every other": lambda x: x[::2] if x.ndim else x,
    "repeated": lambda x: x[:1].expand(3, *x.shape[1:]) if x.ndim and x.shape[0] else x,
    "windows": lambda x: x.unfold(-1, 2, 1) if x.ndim and x.shape[-1] > 1 else x,
}


@st.composite
def arrays(draw, values=EIGHTHS, most=3, sizes=(0, 4)):
    shape = draw(st.lists(st.integers(*sizes), max_size=most))
    cells = draw(st.lists(values, min_size=math.prod(shape), max_size=math.prod(shape)))
    return shape, cells, draw(st.sampled_from(sorted(LAYOUTS)))


def run(name, program, *inputs, dtype=rf.float32):
    """Results and gradients of a program on leaves read through layouts, as nested lists."""
    with use(name):
        leaves = [rf.tensor(cells, dtype=dtype).reshape(shape).detach().requires_grad_() for shape, cells, _ in inputs]
        try:
            y = program(*[LAYOUTS[layout](x) for x, (_, _, layout) in zip(leaves, inputs)])
        except (RuntimeError, IndexError) as error:
            return type(error), error.rule.partition(":")[0].partition("(")[0]
        g = rf.arange(y.numel(), dtype=y.dtype).reshape(y.shape) - 2
        if y.requires_grad:
            y.backward(g)
        return y.dtype, list(y.shape), y.tolist(), [x.grad if x.grad is None else x.grad.tolist() for x in leaves]


def same(program, *inputs, digits=None, dtype=rf.float32):
    expected, got = (run(name, program, *inputs, dtype=dtype) for name in ("numpy", "loops"))
    assert got[:2] == expected[:2] and alike(got[2:], expected[2:], digits)


def alike(a, b, digits):
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(alike(x, y, digits) for x, y in zip(a, b))
    if a is None or b is None:
        return a is b
    return (
        a == b
        or (a != a and b != b)
        or (digits is not None and math.isclose(a, b, rel_tol=10**-digits, abs_tol=10**-digits))
    )
