"""What ops allocate, in memories of the whole tensor, against what PyTorch needs for the same.

NumPy tells tracemalloc of its arrays, so bytes can be counted, and are the same on every machine. Half a tensor
more is free: a mask, or what work takes that goes a run of cells at a time.
"""

import tracemalloc
from functools import cache

import numpy as np
import pytest

import rustyflow as rf

N = 1000
BUFFER = 4 * N * N
"""Bytes of x, an (N, N) tensor of float32."""

NOTHING = """
    x.t() | x[1:, ::2] | x[:, None] | x.view(-1) | x.reshape(10, 100, N) | x[:, :500].reshape(10, 100, 500)
    x.flatten() | x.ravel() | x.squeeze() | x.unsqueeze(0) | x.diagonal() | x.narrow(1, 3, 5) | x.unfold(1, 10, 1)
    x.T.permute(1, 0) | x.split(100) | x.chunk(4) | x.movedim(0, 1) | x.as_strided((N, N), (1, N)) | x.view(rf.int32)
    x.detach() | x.numpy() | w.expand(N, N) | rf.broadcast_to(w, (N, N)) | rf.broadcast_tensors(w, x)
    rf.meshgrid(w, w, indexing="ij") | x.contiguous() | x.t().t().contiguous() | x.to(rf.float32) | x.float()
    x.type_as(y) | rf.from_numpy(x.numpy()) | rf.einsum("ij->ji", x) | rf.from_dlpack(x) | x.sum() | x.sum(0)
    x.t().sum(0) | x.t().mean(1) | x.amax(1) | x.t().amin(1) | x.prod(0) | x.max(1) | x.argmax()
    w.expand(N, N).sum() | x.any() | m.all(1) | m.count_nonzero() | rf.linalg.norm(x) | rf.linalg.norm(x.t())
    x.trace() | x.t() @ w | w @ x | x.add_(y) | x.add_(w) | x.mul_(2) | x.sub_(y.t()) | x.zero_() | x.fill_(2)
    x.copy_(y) | x.copy_(i) | x.t().add_(y) | x.masked_fill_(m, 0) | x.t().masked_fill_(m, 0)
    x.masked_scatter_(m, y) | x.index_fill_(0, r, 1.) | x.index_copy_(0, r, y) | x.index_add_(0, r, y)
    x.index_add_(1, r, y) | x.t().index_add_(0, r, y) | x.index_add_(0, r % 7, y) | x.scatter_(1, i, y)
    x.scatter_(0, i, 1.) | x.scatter_(1, i, y, reduce="multiply") | x.scatter_add_(1, i, y)
    x.t().scatter_add_(0, i, y) | x.index_put_((i, j), y) | x.index_put_((i, j), y, True) | x.__setitem__(r, y)
    x.__setitem__(m, 0.) | x.__setitem__((i, j), 1.) | x.__setitem__((slice(1, None), 0), 3.) | x.__setitem__(..., y)
    x.__setitem__((slice(None), r), y) | x.exp_() | x.neg_() | x.relu_() | x.floor_() | x.round_() | x.sigmoid_()
    x.t().sigmoid_() | x[:, ::2].sigmoid_() | x.erf_() | x.clamp_(0, 1) | x.clamp_(y, None) | x.pow_(2) | x.pow_(y)
    x.clamp_min_(0) | x.clamp_max_(y) | x.copysign_(y)
    x.lerp_(y, 0.3) | x.addcmul_(y, w) | x.addcdiv_(y, w[:, None]) | x.add_(y, alpha=2) | x.sub_(w, alpha=2)
    x.hypot_(y.t()) | x.remainder_(w) | x.eq_(y) | x.logical_not_() | x.cumsum_(1) | x.t().cumprod_(1) | x.tril_()
    x.t().triu_(1) | F.silu(x, inplace=True) | F.elu(x, inplace=True) | F.relu(x, inplace=True)
"""

ONE = """
    x + y | x.t() + y.t() | x + y.t() | x + w | w.expand(N, N) + w.expand(N, N) | x * 2 | 2 - x | x ** 2 | x ** 0.5
    -x | x / w[:, None] | x.maximum(y) | x.exp() | x.t().tanh() | x.sigmoid() | x.rsqrt()
    x.relu() | x.erf() | F.gelu(x) | F.silu(x) | F.softplus(x) | F.logsigmoid(x) | x.clamp(0, 1) | rf.where(m, x, 0.)
    x.t().reshape(-1) | x.t().contiguous() | x.clone() | x.flip(0) | x.roll(3, 1) | rf.rot90(x) | rf.diag(w) | x @ y
    x.t() @ y | x.t() @ y.t() | x @ y.mT | F.linear(x, y) | rf.addmm(x, x, y) | rf.einsum("ij,kj->ik", x, y)
    rf.outer(w, w) | rf.tensordot(x, y, ([1], [1])) | rf.inner(x, y) | x.view(10, 100, N) @ y
    rf.cat([x[:500], x[500:]]) | rf.stack([x[:500], x[500:]]) | x[:500].repeat_interleave(2, 0)
    F.pad(x, (1, -1, 1, -1)) | x[r] | x[:, r] | x[i, j] | x[m] | x.index_select(1, r) | x.gather(1, i)
    x.t().gather(0, i) | x.take(i) | x.take_along_dim(i, 1) | x.masked_select(m) | x.masked_fill(m, 0)
    x.scatter(1, i, y) | x.scatter_add(1, i, y) | x.index_add(0, r, y) | x.index_copy(0, r, y)
    x.index_fill(0, r, 1.) | x.index_put((i, j), y) | F.embedding(r, x) | x.cumsum(1) | x.t().cumprod(1)
    x.softmax(1) | x.logsumexp(1) | F.layer_norm(x, (N,)) | F.cross_entropy(x, r) | rf.zeros(N, N)
    rf.full((N, N), 2.) | rf.zeros_like(x) | rf.linspace(0, 1, N * N) | rf.arange(0., N * N)
"""

BACKWARD = """
    x * y | x + w | x.exp() | x.t() | x.view(-1) | x.expand(2, N, N) | x[1:] | x[:, ::2]
    x.unfold(1, 10, 10) | x.sum() | x.sum(0) | x.mean(1) | x.max(1)[0] | x.prod(1) | x.cumsum(1) | x.softmax(1)
    x @ y | F.gelu(x) | x[r] | x[:, r] | x.index_select(1, r) | x.gather(1, i) | x.scatter_add(1, i, y)
    x.scatter(1, i, y) | F.embedding(r, x) | x.index_add(0, r, y) | x.index_copy(0, r, y) | x.index_put((i, j), y)
    x.masked_fill(m, 0.) | rf.where(m, x, y) | x.topk(10, 1)[0] | rf.cat([x, y]) | x.flip(0) | F.cross_entropy(x, r)
"""


def calls(table):
    return [text.strip() for line in table.strip().splitlines() for text in line.split(" | ")]


@cache
def indices():
    rng = np.random.default_rng(0)
    each = [rng.permutation(N) for _ in range(N)]
    return np.array(each), rng.integers(0, N, (N, N)), rng.permutation(N), rng.random((N, N)) > 0.5


def operands():
    """Two tensors x and y, a vector w, indices i and j of all cells and r of all rows, a mask m."""
    i, j, r, m = map(rf.from_numpy, indices())
    return {"rf": rf, "F": rf.nn.functional, "N": N, "x": rf.ones(N, N), "y": rf.ones(N, N), "w": rf.ones(N),
            "i": i, "j": j, "r": r, "m": m}


def buffers(run):
    """What a call takes at its peak, its result included, in memories of x."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        result = run()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    del result
    return (peak - before) / BUFFER


CASES = [(text, needed) for needed, table in enumerate((NOTHING, ONE)) for text in calls(table)]


@pytest.mark.parametrize(("text", "needed"), CASES)
def test_no_op_takes_more_memory_than_pytorch_needs(text, needed):
    code = compile(text, text, "eval")
    eval(code, operands())  # what is loaded or kept at a first call is no part of the op
    given = operands()
    assert buffers(lambda: eval(code, given)) < needed + 0.5


@pytest.mark.parametrize("text", calls(BACKWARD))
def test_a_backward_takes_the_memory_of_the_gradient(text):
    code = compile(text, text, "eval")
    for _ in range(2):
        given = operands()
        x = given["x"].requires_grad_()
        y = eval(code, given)
        g = rf.ones_like(y)
        taken = buffers(lambda y=y, g=g: y.backward(g))
    assert x.grad.shape == x.shape and taken < 1.5
