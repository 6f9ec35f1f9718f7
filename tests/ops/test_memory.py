"""What ops allocate, in memories of the whole tensor, against what PyTorch needs for the same.

NumPy tells tracemalloc of its arrays, so bytes can be counted, and are the same on every machine. Half a tensor
more is free: a mask, or what work takes that goes a run of cells at a time.
"""

import inspect
import re
import tracemalloc
from functools import cache

import numpy as np
import pytest

import rustyflow as rf
from tests.each import each

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
    x.var() | x.var(0) | x.t().std(1) | rf.var_mean(x, 1) | x.nansum() | x.nansum(1)
    rf.linalg.vector_norm(x, 2, 0) | x.norm(1) | x.norm(3, 1) | x.t().norm(3, 0) | x.norm(float("inf"))
    x.trace() | x.t() @ w | w @ x | x.add_(y) | x.add_(w) | x.mul_(2) | x.sub_(y.t()) | x.zero_() | x.fill_(2)
    x.copy_(y) | x.copy_(i) | x.t().add_(y) | x.masked_fill_(m, 0) | x.t().masked_fill_(m, 0)
    x.masked_scatter_(m, y) | x.index_fill_(0, r, 1.) | x.index_copy_(0, r, y) | x.index_add_(0, r, y)
    x.index_add_(1, r, y) | x.t().index_add_(0, r, y) | x.index_add_(0, r % 7, y) | x.scatter_(1, i, y)
    x.scatter_(0, i, 1.) | x.scatter_(1, i, y, reduce="multiply") | x.scatter_add_(1, i, y)
    x.scatter_reduce_(1, i, y, "prod") | x.scatter_reduce_(1, i, y, "amax", include_self=False)
    x.t().scatter_add_(0, i, y) | x.index_put_((i, j), y) | x.index_put_((i, j), y, True) | x.__setitem__(r, y)
    x.__setitem__(m, 0.) | x.__setitem__((i, j), 1.) | x.__setitem__((slice(1, None), 0), 3.) | x.__setitem__(..., y)
    x.__setitem__((slice(None), r), y) | x.exp_() | x.neg_() | x.relu_() | x.floor_() | x.round_() | x.sigmoid_()
    x.t().sigmoid_() | x[:, ::2].sigmoid_() | x.erf_() | x.clamp_(0, 1) | x.clamp_(y, None) | x.pow_(2) | x.pow_(y)
    x.clamp_min_(0) | x.clamp_max_(y) | x.copysign_(y)
    x.lerp_(y, 0.3) | x.addcmul_(y, w) | x.addcdiv_(y, w[:, None]) | x.add_(y, alpha=2) | x.sub_(w, alpha=2)
    x.hypot_(y.t()) | x.remainder_(w) | x.eq_(y) | x.logical_not_() | x.cumsum_(1) | x.t().cumprod_(1) | x.tril_()
    x.t().triu_(1) | F.silu(x, inplace=True) | F.elu(x, inplace=True) | F.relu(x, inplace=True)
    x.max(0) | x.t().min(1) | x.argmax(0) | x.argmin(0) | x.median(0) | x.median(1) | x.nanmedian(0) | x.nanmedian(1)
    x.topk(5) | x.topk(5, 0, False) | x.histc(100) | F.avg_pool2d(x.view(100, 100, 100), 2) | h.var()
    h.std() | h.norm() | h.norm(3) | h.prod() | h.prod(1) | h.t().norm(1, 0)
    F.adaptive_avg_pool1d(x.view(10, 10, -1), 5)
    F.interpolate(x.view(10, 10, 100, 100), scale_factor=0.5, mode="area") | F.embedding(r[:10], x.t())
"""

IN_PLACE = """
    x.abs_() | x.acos_() | x.acosh_() | x.asin_() | x.asinh_() | x.atan_() | x.atanh_() | x.ceil_() | x.cos_()
    x.cosh_() | x.deg2rad_() | x.erfc_() | x.exp2_() | x.expm1_() | x.fix_() | x.frac_() | x.log_() | x.log10_()
    x.log1p_() | x.log2_() | x.nan_to_num_() | x.nan_to_num_(0., 1., 2.) | x.rad2deg_() | x.reciprocal_() | x.rsqrt_()
    x.sgn_() | i.sgn_() | x.sign_() | x.sin_() | x.sinc_() | x.sinh_() | x.sqrt_() | x.square_() | i.square_()
    x.tan_() | x.tanh_() | x.trunc_() | x.round_(decimals=2) | i.floor_() | i.cumsum_(1) | i.cumprod_(0)
    x.addmm_(y, y) | x.addmm_(y, y.t(), beta=2, alpha=3) | x.t().addmm_(y, y, beta=0) | x.addr_(w, w, alpha=3)
    x.t().addr_(w, w, beta=2) | x.view(-1).addmv_(y.view(-1, 1), w[:1], beta=2) | x[0].addmv_(y, w)
    x.view(1, N, N).baddbmm_(y[None], y[None], beta=2) | x.view(100, 100, 100).baddbmm_(*[y.view(100, 100, 100)] * 2)
    x.addbmm_(y.view(10, N, 100), y.view(10, 100, N), beta=2, alpha=3) | x.addcdiv_(y, w, value=2) | x.atan2_(w)
    i.bitwise_and_(j) | i.bitwise_left_shift_(1) | m.bitwise_not_() | i.bitwise_or_(1) | i.bitwise_right_shift_(j)
    i.bitwise_xor_(j) | x.div_(y) | x.div_(w, rounding_mode="floor") | i.div_(7, rounding_mode="trunc")
    x.div_(2, rounding_mode="trunc") | x.true_divide_(y) | x.double().float_power_(2) | x.floor_divide_(y)
    i.floor_divide_(2) | x.fmod_(w) | i.gcd_(j) | i.lcm_(j) | x.ge_(y) | x.gt_(1) | x.le_(y) | x.lt_(w) | x.ne_(y)
    x.heaviside_(w) | x.logical_and_(y) | x.logical_or_(y) | x.logical_xor_(y) | i.logical_xor_(j) | x.pow_(0.5)
    i.pow_(2) | i.pow_(j) | x.xlogy_(y) | x.index_add_(0, r, y, alpha=2) | x.index_add_(1, r % 7, y, alpha=2)
    x.index_put_((m,), w[0]) | x.fill_diagonal_(1) | x.uniform_() | x.t().uniform_(-1, 2) | x[:, ::2].uniform_()
    x.normal_() | x.t().normal_() | x.normal_(1, 2) | x.random_() | i.random_(10) | x.random_(2, 10) | m.random_()
    x.bernoulli_(0.3) | x.bernoulli_(y) | x.bernoulli_(y.t()) | i.bernoulli_(0.3) | x.exponential_()
    F.celu(x, 2., True) | F.hardsigmoid(x, True) | F.hardswish(x, True) | F.hardtanh(x, 0.3, 0.5, True)
    F.leaky_relu(x, 2., True) | F.mish(x, True) | F.relu6(x, True) | F.selu(x, True) | F.threshold(x, 0.5, 9., True)
    F.celu_(x) | F.elu_(x) | F.hardtanh_(x) | F.leaky_relu_(x) | F.relu_(x) | F.selu_(x) | F.threshold_(x, 0.5, 9.)
    F.dropout(x, 1., True, True) | F.dropout1d(x.view(10, 100, N), 0.5, True, True)
    F.dropout2d(x.view(10, 10, 100, 100), 0.5, True, True) | F.dropout3d(x.view(10, 10, 10, 10, 100), 0.5, True, True)
    x.as_strided_((N, N), (1, N)) | x.squeeze_() | x.unsqueeze_(0) | x.t_() | x.transpose_(0, 1) | x.swapaxes_(0, 1)
    x.swapdims_(0, 1) | x.detach_() | x.requires_grad_()
"""

SCRATCH = {"x.normal_(1, 2)": 0.6, "x.t().normal_()": 0.6, "x.normal_()": 0.6, "x.double().float_power_(2)": 2.5}
"""What may take more than half a tensor, in full: the arrays in which a run of 65,536 normal numbers is made, which are
no more for a longer tensor; and the double precision copy that the program itself makes.
"""

ONE = """
    x + y | x.t() + y.t() | x + y.t() | x + w | w.expand(N, N) + w.expand(N, N) | x * 2 | 2 - x | x ** 2 | x ** 0.5
    -x | x / w[:, None] | x.maximum(y) | x.exp() | x.t().tanh() | x.sigmoid() | x.rsqrt()
    x.frac() | x.lerp(y, 0.3) | x.nan_to_num() | x.round(decimals=2) | x.div(y, rounding_mode="trunc") | x ** -2
    rf.sub(x, y, alpha=2) | x.addcmul(y, w) | F.leaky_relu(x) | F.elu(x) | F.celu(x, 2.) | F.selu(x) | F.mish(x)
    F.hardswish(x) | F.hardsigmoid(x) | F.softshrink(x) | F.threshold(x, 0.5, 9.) | F.hardshrink(x)
    F.dropout(x, 0.5, True, True) | F.dropout(x, 1.) | rf.rand(N, N) | rf.bernoulli(x) | rf.addmm(x, x, y, beta=2)
    rf.addbmm(x, y.view(10, N, 100), y.view(10, 100, N)) | x.index_add(0, r, y, alpha=2)
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
    x.log_softmax(1) | x.log_softmax(0) | F.prelu(x, w) | x.remainder(y) | F.mse_loss(x, y)
    F.mse_loss(x, y, reduction="none") | F.binary_cross_entropy_with_logits(x, y, w) | F.binary_cross_entropy(x, y.t())
    x.masked_scatter(m, y) | x.select_scatter(w, 0, 3) | x.slice_scatter(x[::2], 0, 0, N, 2) | x.diagonal_scatter(w)
    F.unfold(x.view(1, 1, N, N), 10, stride=10) | rf.searchsorted(w, x[:500]) | x[:500, :500].nonzero()
    rf.full((N, N), 2.) | rf.zeros_like(x) | rf.linspace(0, 1, N * N) | rf.arange(0., N * N)
    F.smooth_l1_loss(x, y) | F.huber_loss(x, y, reduction="none") | x.remainder(w) | F.batch_norm(x, w, w, w, w)
    F.prelu(x, 2 * w) | F.pad(x.view(10, 10, 100, 100), (1, 1, 1, 1), "reflect") | rf.multinomial(x, 5)
    F.avg_pool2d(x.view(100, 100, 100), 3, 1, 1) | F.max_pool2d(x.view(1, 100, 100, 100), 2)
    rf.cross(x.view(-1)[:-1].view(-1, 3), y.view(-1)[1:].view(-1, 3)) | h * 2 | 3 / h
    h.softmax(1) | h.log_softmax(0)
    x.t()[:500].repeat(2, 1) | x.t()[:, :500].tile(2) | x.t()[:, r] | x.t()[:500].repeat_interleave(2, 0)
    x.t()[i, j] | x.t()[:, m[0]] | x[i.t(), j] | x[r[:, None], r] | x.t().take(i) | x.t().take(i.t())
    rf.linalg.inv(e) | rf.linalg.cholesky(e) | rf.linalg.solve(e, e) | rf.linalg.det(e)
    rf.isin(x, w) | rf.isin(i, r[:50]) | rf.block_diag(x[:500, :500], x[500:, 500:]) | rf.cdist(x[:, :3], y[:, :3])
    rf.cdist(x, y[:100]) | h.sigmoid() | F.silu(h) | h.lerp(h, 0.3)
    F.layer_norm(h, (N,)) | F.batch_norm(x.t(), w, w) | F.batch_norm(x.t(), None, None, training=True)
    F.embedding(r, x.t()) | F.pad(x[None], (1, 1), "circular") | F.pad(x[None, None], (1, 1, 1, 1), "reflect")
    F.pad(x.view(10, 10, 100, 100), (1, 1, 1, 1), "replicate") | F.interpolate(x[:500].view(10, 50, N), scale_factor=2)
    F.interpolate(x[None, None, :500, :500], scale_factor=2) | F.adaptive_avg_pool2d(x.view(10, 10, 100, 100), (3, 70))
    F.max_pool1d(x.view(10, 100, N), 2) | F.conv2d(x.view(10, 1, 100, N), w[:9].view(1, 1, 3, 3), stride=2)
    F.conv1d(x.view(1, 1, -1), w[:50].view(1, 1, 50))
    F.scaled_dot_product_attention(*[x.view(2, 5, N, 100)] * 3)
    F.scaled_dot_product_attention(*[x.view(2, 5, N, 100)] * 3, m, scale=2.)
    F.scaled_dot_product_attention(*[x.view(2, N, 5, 100).transpose(1, 2)] * 3, is_causal=True)
"""

NOTHING_TOO = """
    F.smooth_l1_loss(x, y) | F.huber_loss(x, y) | F.binary_cross_entropy_with_logits(x, y) | x.diag()
    F.multi_margin_loss(x, r)
"""

ONE_TOO = """
    F.binary_cross_entropy(x, y) | F.soft_margin_loss(x, y) | 2 ** x | x.masked_fill(m, 0) | x.masked_fill(w > 0, 0)
    rf.heaviside(x, w) | rf.heaviside(x, y) | x.nanmedian() | x.maximum(y) | F.hardsigmoid(x)
"""
"""Where x and y may lie in rows or in columns."""

TWO = """
    rf.randperm(N * N) | rf.unique_consecutive(j) | rf.tril_indices(N, N) | rf.triu_indices(N, N) | rf.vander(w)
    rf.multinomial(x, N, True) | rf.linalg.eigh(e) | rf.linalg.cholesky(rf.eye(N))
    F.conv2d(x[None, None], w[:9].view(1, 1, 3, 3), padding=1) | F.conv2d(x[None, None], w[:81].view(1, 1, 9, 9))
    F.conv2d(x[None, None], w[:1].view(1, 1, 1, 1))
"""

THREE = "x.sort(1) | x.sort(0, descending=True) | x.cummax(1) | x.t().cummin(1) | rf.combinations(w)"
"""A tensor, and its places in int64."""

FOUR = "rf.unique_consecutive(j, return_inverse=True)"

SIX = "j.unique(return_inverse=True)"
"""Numbers of int64 in order, where they were, and which each is."""

BACKWARD = """
    rf.addmm(y, x, y, alpha=3) | F.glu(x)
    x * y | x + w | x.exp() | x.t() | x.view(-1) | x.expand(2, N, N) | x[1:] | x[:, ::2]
    x.unfold(1, 10, 10) | x.sum() | x.sum(0) | x.mean(1) | x.max(1)[0] | x.prod(1) | x.cumsum(1) | x.softmax(1)
    x @ y | F.gelu(x) | x[r] | x[:, r] | x.index_select(1, r) | x.gather(1, i) | x.scatter_add(1, i, y)
    x.scatter(1, i, y) | F.embedding(r, x) | x.index_add(0, r, y) | x.index_copy(0, r, y) | x.index_put((i, j), y)
    x.masked_fill(m, 0.) | rf.where(m, x, y) | x.topk(10, 1)[0] | rf.cat([x, y]) | x.flip(0) | F.cross_entropy(x, r)
    F.silu(x) | F.mish(x) | F.elu(x) | F.celu(x, 2.) | F.leaky_relu(x) | F.softplus(x) | F.hardswish(x)
    x.log_softmax(1) | x.log_softmax(0) | F.smooth_l1_loss(x, y) | F.huber_loss(x, y) | rf.addmm(y, x, y)
    x.view(10, 100, N) @ y | x.view(100, 100, 100).exp() | F.avg_pool2d(x.view(100, 100, 100), 3, 1, 1) | x.amax(1)
    x.amin() | x.max() | F.pad(x, (1, 1, 1, 1)) | rf.block_diag(x, w) | rf.cdist(x[:200], y[:200]) | x.norm(2, 1)
    F.unfold(x.view(1, 1, N, N), 3) | x.unfold(1, 10, 5)
    F.unfold(x.view(10, 10, 100, 100), 3, 2, stride=2) | F.pad(x.view(1, 1, N, N), (1, 1, 1, 1), "reflect")
    F.pad(x.view(10, 10, 100, 100), (1, 1, 1, 1), "circular") | F.interpolate(x.view(1, 1, N, N), scale_factor=2)
    F.interpolate(x.view(10, 10, 100, 100), scale_factor=0.5, mode="area")
    x[i, j] | x[r[:, None], r] | x.take(i) | y.index_put((i, j), x) | y.select_scatter(x[0], 0, 1)
    y.diagonal_scatter(x[0]) | F.multi_margin_loss(x, r) | F.fold(x.view(1, 100, 10000), (N, N), 10, stride=10)
"""

BACKWARD_TOO = """
    x.tanh() | x - x.detach().tanh() | x.maximum(y) | x.minimum(w) | x.clamp(0, 1) | x.clamp(y, y) | x.clamp_min(0)
    x.clamp_max(w) | F.relu(x) | F.hardsigmoid(x) | F.mse_loss(x, y) | F.mse_loss(x, y, reduction="none")
    F.l1_loss(x, y) | F.smooth_l1_loss(x, y) | F.huber_loss(x, y) | rf.maximum(y, x) | x.nanmedian()
    F.binary_cross_entropy(x, y) | F.soft_margin_loss(x, y) | x.select_scatter(w, 0, 3) | x.diagonal_scatter(w)
"""
"""Where x and y may lie in rows or in columns."""

TWICE = """
    x * x | x @ x | F.conv2d(x[None, None], w[:4].view(1, 1, 2, 2))
    F.conv2d(x[None, None], w[:4].view(1, 1, 2, 2), stride=2) | x * i | x / i
"""
"""A gradient to which a second is added; or what is not much less to work with."""

THRICE = """
    F.scaled_dot_product_attention(x.view(2, 5, N, 100), *[y.view(2, 5, N, 100)] * 2)
    F.scaled_dot_product_attention(x.view(2, N, 5, 100).transpose(1, 2), *[y.view(2, 5, N, 100)] * 2, is_causal=True)
"""
"""Three gradients that are made together."""


def calls(table):
    return [text.strip() for line in table.splitlines() if line for text in line.split(" | ")]


@cache
def indices():
    rng = np.random.default_rng(0)
    rows = [rng.permutation(N) for _ in range(N)]
    return np.array(rows), rng.integers(0, N, (N, N)), rng.permutation(N), rng.random((N, N)) > 0.5


def operands(names, columns=False):
    """Those that are named of the tensors x, y and, of float16, h, the vector w, the small matrices e, the indices i
    and j of all cells and r of all rows, and the mask m.

    What has two axes lies in rows, or in columns.
    """
    made = {"x": lambda: rf.ones(N, N), "y": lambda: rf.ones(N, N), "w": lambda: rf.ones(N),
            "h": lambda: rf.ones(N, N, dtype=rf.float16), "e": lambda: rf.eye(2).repeat(N * N // 4, 1, 1),
            **{name: lambda k=k: rf.tensor(indices()[k]) for k, name in enumerate("ijrm")}}
    given = {name: make() for name, make in made.items() if name in names}
    known = {"rf": rf, "F": rf.nn.functional, "N": N}
    return known | {k: v.t() if columns and k != "e" else v for k, v in given.items()}


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


TABLES = {0: NOTHING + IN_PLACE, 1: ONE, 2: TWO, 3: THREE, 4: FOUR, 6: SIX}
CASES = [(text, needed) for needed, table in TABLES.items() for text in calls(table)]


@pytest.mark.filterwarnings("ignore:Using cross without")
@each("text, needed, columns", [
    *[(text, needed, False) for text, needed in CASES],
    *[(text, needed, columns) for needed, table in enumerate((NOTHING_TOO, ONE_TOO))
      for text in calls(table) for columns in (False, True)]])
def test_no_op_takes_more_memory_than_pytorch_needs(text, needed, columns):
    code, most = compile(text, text, "eval"), SCRATCH.get(text, needed + 0.5)

    def taken():
        given = operands(code.co_names, columns)
        return buffers(lambda: eval(code, given))

    assert taken() < most or taken() < most  # what is loaded or kept at a first call is no part of the op


def test_every_function_that_writes_in_place_is_asked():
    said = set(re.findall(r"\.(\w+)\(", NOTHING + IN_PLACE))
    written = {name: getattr(rf.Tensor, name) for name in dir(rf.Tensor) if name.endswith("_") and name[0] != "_"}
    # a function is one by all its names
    functions = {name: getattr(method, "__wrapped__", method) for name, method in written.items()}
    asked = {functions[name] for name in said if name in functions}
    assert [name for name, function in functions.items() if function not in asked] == []
    flagged = {name for name in rf.nn.functional.__all__
               if "inplace" in inspect.signature(getattr(rf.nn.functional, name)).parameters}
    assert {name for name in rf.nn.functional.__all__ if name.endswith("_")} | flagged <= said


def recorded(text, columns):
    """A call's result, which knows its x, and a gradient for it."""
    code = compile(text, text, "eval")
    given = operands(code.co_names, columns)
    x = given["x"].requires_grad_()
    y = eval(code, given)
    y.x = x
    return y, rf.ones_like(y)


@pytest.mark.parametrize("back", [rf.autograd.backward, lambda y, g: rf.autograd.grad(y, y.x, g)], ids=["add", "give"])
@each("text, needed, columns", [
    *[(text, n, False) for n, table in enumerate((BACKWARD, TWICE, THRICE), 1) for text in calls(table)],
    *[(text, 1, columns) for text in calls(BACKWARD_TOO) for columns in (False, True)]])
def test_a_backward_takes_the_memory_of_the_gradient(text, needed, columns, back):
    def taken():
        y, g = recorded(text, columns)
        return buffers(lambda: back(y, g))

    assert taken() < needed + 0.5 or taken() < needed + 0.5  # what is kept at a first walk is no part of the next


def test_a_gradient_that_is_given_lies_as_the_walk_left_it():
    x, u = rf.arange(12.0).view(3, 4).t().requires_grad_(), rf.ones(3, 4)
    assert rf.autograd.grad(-x, x, u.t())[0].stride() == rf.autograd.grad(x.t() * 2, x, u)[0].stride() == (1, 4)
    y = rf.ones(2, 3, requires_grad=True)
    upstream = rf.ones(2, 3)
    one, again = rf.autograd.grad(y + 0, [y, y], upstream)
    assert one is again is upstream
