"""`python -m tests.benchmarks.memory [WORD ...] [--over TENSORS] [--transposed]`: what calls take, beside PyTorch.

At 1e6 elements of float32: what is allocated at the highest point of a call beyond its operands and what it
leaves, in tensors of 1e6 float32. Then the same of the call and its gradients together, for every floating
operand, the upstream gradient given. Counted, not timed: NumPy tells tracemalloc of its arrays, PyTorch its profiler.
What a library takes without telling (the work of LAPACK and MKL) is counted on neither side.
"""
from __future__ import annotations

import argparse
import re
import tracemalloc
from collections.abc import Callable

from .harness import libraries  # first: it asks for one thread

from .ops import operands  # isort: skip

TENSOR = 4e6
"""Bytes of 1e6 elements of float32."""

CALLS = """
    x + y | x + w | x + 2 | x - y | x * y | x / y | m.div(x, y, rounding_mode="floor") | x // y | x % y | m.fmod(x, y)
    x * n | n / x | x ** y | x ** 2 | x ** 0.5 | x ** 3 | 2 ** x | m.float_power(x, 2) | -x | x.abs() | s.sign()
    x.square()
    x.sqrt() | x.rsqrt() | x.reciprocal() | x.exp() | x.exp2() | x.expm1() | x.log() | x.log2() | x.log10()
    x.log1p() | x.sin() | x.cos() | x.tan() | x.asin() | x.acos() | x.atan() | m.atan2(x, y) | x.sinh() | x.cosh()
    x.tanh() | x.asinh() | m.acosh(d) | x.atanh() | s.sigmoid() | x.erf() | x.erfc() | s.floor() | s.ceil()
    s.round() | m.round(s, decimals=2) | s.trunc() | s.frac() | m.lerp(x, y, 0.3) | m.lerp(x, y, u) | s.clamp(-1, 1)
    s.clamp(x, y) | s.clamp_min(0) | s.clamp_max(0) | m.where(b, x, y) | m.where(b, x, 0.) | m.maximum(x, y)
    m.minimum(x, y) | m.fmax(x, y) | m.fmin(x, y) | m.nan_to_num(x) | m.addcmul(x, y, u) | m.addcdiv(x, y, u)
    m.logaddexp(x, y) | m.hypot(x, y) | m.xlogy(x, y) | m.copysign(x, s) | m.heaviside(s, w) | m.sgn(s) | m.sinc(x)
    m.deg2rad(x) | m.rad2deg(x) | m.rsub(x, y) | m.signbit(s) | m.positive(x) | m.gcd(n, k) | m.lcm(n, k) | x == y
    x != 2 | x < y | x >= 0.5 | x.isnan() | x.isinf() | x.isfinite() | m.isposinf(x) | m.isneginf(x) | m.isreal(x)
    m.isclose(x, y) | m.allclose(x, x) | m.equal(x, x) | m.isin(n, k[0]) | m.isin(x, w) | m.logical_and(b, c)
    m.logical_not(x) | m.logical_xor(x, y) | n & k | n ^ k | ~n | n << 2 | n >> k | n + k | n * 2 | n // (7 + 0)
    n % 7 | n / k | -n | n.abs() | x.long() | x.double() | x.half() | n.float() | x.bool() | b.float()
    x.half() + y.half() | x.half().exp() | x.half().sum() | x.half().softmax(1) | x.half().tanh()
    x.half() @ w.half() | x.half().prod() | x.half().norm() | x.half().std() | x.half().cumsum(0)
    F.layer_norm(x.half(), (1000,)) | x.sum() | x.sum(0) | x.sum(1) | x.sum(1, dtype=m.float64) | n.sum() | b.sum(1)
    x.mean() | x.mean(0) | x.prod() | x.prod(0) | x.prod(1) | x.amax() | x.amax(0) | x.amin(1) | m.aminmax(x)
    x.max() | x.max(0) | x.min(1) | x.argmax() | x.argmax(0) | x.argmin(1) | x.var() | x.var(0) | x.std(1)
    m.var_mean(x, 1) | m.std_mean(x) | x.cumsum(0) | x.cumsum(1) | x.cumprod(0) | z.cumprod(1) | m.logcumsumexp(x, 1)
    m.cummax(x, 1) | m.cummin(x, 0) | n.cumsum(0) | m.logsumexp(s, 1) | m.logsumexp(s, (0, 1)) | x.any() | b.all(1)
    x.any(0) | x.norm() | x.norm(1, 1) | x.norm(3) | m.linalg.norm(x, dim=1) | m.linalg.vector_norm(x, 1, 0)
    m.linalg.matrix_norm(x) | m.linalg.matrix_norm(x, 1) | m.dist(x, y) | m.dist(x, y, 1) | x.median() | x.median(1)
    x.nanmedian() | x.nanmedian(1) | m.count_nonzero(x) | m.count_nonzero(b, 1) | x.nansum() | x.nanmean(1)
    m.quantile(x, 0.3, 1) | m.nanquantile(x, 0.5, 1) | m.histc(x, 50) | m.bincount(n.view(-1)) | m.diff(x)
    m.diff(x, dim=0) | m.trapezoid(x) | m.cumulative_trapezoid(x) | m.cov(h) | m.corrcoef(h) | m.kthvalue(x, 5, 1)
    x.clone() | x.t().contiguous() | x.t().clone() | x.repeat(2, 1) | m.tile(h, (2, 2)) | m.repeat_interleave(h, 4, 0)
    m.repeat_interleave(x, 2, 1) | x.repeat_interleave(r % 3, 0) | x.flip(0) | x.flip(0, 1) | x.roll(3, 1) | x.roll(3)
    x.rot90() | m.fliplr(x) | x.t().reshape(-1) | x.t().flatten() | m.cat([x, y]) | m.cat([x, y], 1) | m.stack([x, y])
    m.stack([x, y], 2) | m.hstack([x, y]) | m.vstack([x, y]) | m.dstack([x, y]) | m.column_stack([v, v])
    x.unfold(1, 10, 5) | m.block_diag(h, h) | m.combinations(v[:1000]) | m.cartesian_prod(w, w)
    m.meshgrid(w, w, indexing="ij") | m.vander(w, 1000) | m.chunk(x, 2)[0] | m.diag_embed(w) | m.diag(w)
    m.diagflat(w) | m.diagonal_scatter(x, w) | m.select_scatter(x, w, 0, 1) | m.slice_scatter(x, y[:10], 0, 0, 10)
    m.channel_shuffle(x.view(1, 10, 100, 1000), 2) | m.pixel_shuffle(x.view(1, 100, 100, 100), 2)
    m.pixel_unshuffle(x.view(1, 1, 1000, 1000), 2) | x[r] | x[:, r] | x[i, j] | x[b] | x[:, b[0]] | x[r.tolist()]
    x[r, :500] | x[r[:, None], r] | x[::2] | x[..., 3] | x[None] | x[None, :, None] | m.index_select(x, 0, r)
    m.index_select(x, 1, r) | m.gather(x, 0, i) | m.gather(x, 1, i) | m.take(x, l) | m.take_along_dim(x, i, 1)
    m.masked_select(x, b) | m.masked_fill(x, b, 0) | m.scatter(x, 1, i, y) | m.scatter(x, 1, i, 2.)
    m.scatter_add(x, 1, i, y) | m.index_add(x, 0, r, y) | m.index_add(x, 1, r, y) | m.index_copy(x, 0, r, y)
    m.index_fill(x, 0, r, 2.)
    m.index_put(x, (i, j), y) | m.index_put(x, (i, j), y, True) | m.masked_scatter(x, b, y) | m.tril(x) | m.triu(x, 1)
    m.tril_indices(1000, 1000) | m.triu_indices(1000, 1000) | m.nonzero(b) | m.nonzero(x) | m.argwhere(b)
    m.nonzero(b, as_tuple=True) | x.sort(1) | x.sort(0) | x.sort(1, True) | x.view(-1).sort() | x.argsort(1)
    x.msort() | x.argsort(0) | x.topk(10) | x.topk(10, 0) | x.topk(900, 1) | m.searchsorted(w, x) | m.bucketize(x, w)
    m.unique(n) | m.unique(x) | m.unique(n, return_inverse=True) | m.unique(n, return_counts=True)
    m.unique(n % 5, dim=0) | m.unique_consecutive(n) | m.unique_consecutive(n, return_inverse=True) | m.flatten(x.t())
    x.expand(2, 1000, 1000) + 1 | x @ y | x @ y.mT | x.mT @ y | x @ w | w @ x | m.mm(x, y) | g @ g | m.bmm(g, g)
    v @ v | m.outer(w, w) | m.mv(x, w) | m.einsum("ij,kj->ik", x, y) | m.einsum("ij,ij->", x, y)
    m.einsum("ij->ji", x) | m.einsum("bij,bjk->bik", g, g) | m.einsum("ij->i", x) | m.einsum("i,j->ij", w, w)
    m.tensordot(x, y, 1) | m.tensordot(g, g, ([1, 2], [1, 2])) | m.addmm(x, y, u) | m.addmm(x, y, u, beta=2, alpha=3)
    m.addmv(w, x, w) | m.addbmm(g[0], g, g) | m.baddbmm(g, g, g) | m.addr(x, w, w) | m.trace(x) | m.kron(t, t)
    m.linalg.multi_dot([x, y, u]) | m.cross(A, A) | m.linalg.inv(e) | m.linalg.solve(e, x) | m.linalg.solve(e, w)
    m.linalg.det(e) | m.linalg.slogdet(e) | m.logdet(e) | m.linalg.cholesky(e) | m.linalg.cholesky(e, upper=True)
    m.linalg.eigh(e) | m.linalg.eigvalsh(e) | m.linalg.svd(h) | m.linalg.svdvals(h) | m.linalg.matrix_power(x, 3)
    m.linalg.matrix_power(e, -1) | m.linalg.matrix_rank(h) | m.linalg.inv(E) | m.linalg.det(E) | m.linalg.cholesky(E)
    m.linalg.solve(E, E) | m.linalg.slogdet(E) | m.linalg.eigh(E) | m.linalg.svd(E) | m.cdist(h, h) | m.cdist(h, h, 1)
    m.cosine_similarity(x, y) | F.pairwise_distance(x, y) | F.relu(s) | F.relu6(s) | F.leaky_relu(s) | F.elu(s)
    F.selu(s) | F.celu(s) | F.gelu(s) | F.gelu(s, approximate="tanh") | F.silu(s) | F.mish(s) | F.softplus(s)
    F.hardtanh(s) | F.hardsigmoid(s) | F.hardswish(s) | F.hardshrink(s) | F.softshrink(s) | F.softsign(s)
    F.tanhshrink(s) | F.threshold(s, 0., 1.) | F.logsigmoid(s) | F.glu(s) | F.prelu(s, w[:1]) | F.softmax(s, 1)
    F.softmax(s, 0) | F.log_softmax(s, 1) | F.softmin(s, 1) | F.linear(x, y, w) | F.linear(x, y)
    F.cross_entropy(s, r) | F.cross_entropy(s, r, label_smoothing=0.1) | F.cross_entropy(s, y) | F.nll_loss(s, r)
    F.cross_entropy(s, r, w) | F.mse_loss(x, y) | F.mse_loss(x, y, reduction="none") | F.l1_loss(x, y)
    F.smooth_l1_loss(x, y) | F.huber_loss(x, y) | F.binary_cross_entropy(x, y)
    F.binary_cross_entropy_with_logits(s, y) | F.kl_div(x, y) | F.poisson_nll_loss(x, y)
    F.gaussian_nll_loss(x, y, u) | F.hinge_embedding_loss(x, s.sign()) | F.soft_margin_loss(x, s.sign())
    F.margin_ranking_loss(x, y, s.sign()) | F.multi_margin_loss(x, r) | F.multilabel_soft_margin_loss(x, b.float())
    F.triplet_margin_loss(x, y, u) | F.cosine_embedding_loss(x, y, w.sign()) | F.layer_norm(s, (1000,))
    F.layer_norm(s, (1000,), w, w) | F.rms_norm(s, (1000,)) | F.batch_norm(s, None, None, training=True)
    F.batch_norm(s, w, w) | F.group_norm(s, 10) | F.instance_norm(g) | F.normalize(x) | F.conv1d(G, a)
    F.conv2d(p, q) | F.conv2d(p, q, padding=1) | F.conv2d(p, q[:, :, :1, :1]) | F.conv2d(p, q, stride=2)
    F.conv2d(p, q, dilation=2) | F.conv2d(p, q[:3, :1], groups=3) | F.conv2d(x.view(1, 1, 1000, 1000), q[:1, :1])
    F.conv_transpose1d(G, a) | F.conv_transpose2d(p, q.mT.view(3, 4, 3, 3)) | F.max_pool1d(G, 2) | F.max_pool2d(p, 2)
    F.max_pool2d(p, 3, 1) | F.max_pool2d(p, 2, return_indices=True) | F.avg_pool1d(G, 2) | F.avg_pool2d(p, 2)
    F.avg_pool2d(p, 3, 1) | F.adaptive_avg_pool2d(p, 5) | F.adaptive_avg_pool1d(G, 5) | F.embedding(r, x)
    F.embedding(n % 100, w[:100, None]) | F.dropout(x) | F.dropout(x, 0.) | F.dropout2d(p) | F.pad(x, (1, 1))
    F.pad(p, (1, 1, 1, 1), "reflect") | F.pad(p, (1, 1, 1, 1), "replicate") | F.pad(p, (1, 1, 1, 1), "circular")
    F.one_hot(r, 1000) | F.scaled_dot_product_attention(H, H, H)
    F.scaled_dot_product_attention(H, H, H, is_causal=True) | F.unfold(p, 3) | F.interpolate(p, scale_factor=2)
    F.interpolate(p, scale_factor=2, mode="bilinear") | F.interpolate(p, scale_factor=0.5, mode="area")
    F.fold(F.unfold(p[:4], 3), (100, 200), 3) | F.fold(v.view(1, 100, 10000), (1000, 1000), 10, stride=10)
    F.dropout1d(g) | F.dropout3d(p.view(16, 3, 10, 10, 200)) | F.triplet_margin_with_distance_loss(x, y, u)
    F.gumbel_softmax(s) | F.channel_shuffle(x.view(1, 10, 100, 1000), 2) | m.zeros(1000, 1000) | m.ones(1000, 1000)
    m.full((1000, 1000), 2.5) | m.arange(1000000.) | m.arange(1000000) | m.linspace(0, 1, 1000000)
    m.logspace(0, 1, 1000000) | m.eye(1000) | m.zeros_like(x) | m.full_like(x, 3) | x.new_ones(1000, 1000)
    m.rand(1000, 1000) | m.randn(1000, 1000) | m.randint(0, 10, (1000, 1000)) | m.randperm(1000000) | m.normal(x, u)
    m.normal(0, 1, (1000, 1000)) | m.bernoulli(x) | m.multinomial(x, 100) | m.multinomial(x, 2000, True)
    m.rand_like(x) | m.randn_like(x) | m.tensor(x) | m.as_tensor(x, dtype=m.float64) | m.tensor(N) | m.from_numpy(N)
    b & c | n << k | m.logical_or(x, y) | m.clip(x, 0.2, 0.7) | m.floor_divide(n, 7) | m.where(b) | w[:, None] + w - x
    m.as_strided(x, (1000, 1000), (1, 1000)) | m.broadcast_to(w, (1000, 1000)) | m.broadcast_tensors(w, x)
    m.diagonal(x) | m.diag(x) | m.narrow(x, 0, 1, 500) | m.select(x, 0, 1) | m.split(x, 100) | m.unbind(x)
    m.tensor_split(x, 3) | m.unflatten(x, 1, (10, 100)) | m.ravel(x.t()) | m.permute(g, (2, 0, 1)).contiguous()
    m.permute(g, (2, 0, 1)) + g | m.movedim(g, 0, 2).sum(1) | m.adjoint(x) | m.atleast_3d(x) | m.fill(x, 2.)
    m.unravel_index(n.view(-1), (1000, 1000)) | m.frombuffer(N.tobytes(), dtype=m.float32) | m.empty_like(x)
    m.from_dlpack(x.detach()) | m.ones_like(x) | m.randint_like(x, 10) | x.new_full((1000, 1000), 2.)
    x.new_tensor(N) | x.sum_to_size(1, 1000) | g.sum_to_size(1, 100) | x.type_as(n) | x.int() | x.byte()
    x.to("cpu", copy=True) | m.dot(v, v) | m.linalg.vecdot(x, y) | m.linalg.vecdot(x, y, dim=0)
    m.linalg.diagonal(g) | m.linalg.cond(h) | g.sum((0, 2)) | g.var((0, 2)) | g.max(1) | g.cumsum(1) | g.softmax(1)
"""


def names(m, given: dict, records: bool) -> dict:
    """The operands as tensors of library `m`."""
    found = {key: m.from_numpy(value.copy("K")) for key, value in given.items()}
    x, v = found["x"], found["v"]
    found |= {"e": (x @ x.mT / 1000 + m.eye(1000)), "E": (v[:998001].view(-1, 3, 3) + 3 * m.eye(3)),
              "A": v[:999999].view(-1, 3), "G": v.view(10, 10, 10000), "H": v.view(2, 5, 1000, 100),
              "a": found["y"][:10, :30].reshape(10, 10, 3), "B": m.stack([x, found["y"]])}
    found["E"] = found["E"] @ found["E"].mT
    found = {key: t.detach().clone() for key, t in found.items()}
    if records:
        for t in found.values():
            if t.dtype == m.float32:
                t.requires_grad_()
    return found | {"m": m, "F": m.nn.functional, "N": given["x"]}


def tensors(result, m) -> list:
    """The tensors that a call gave, whatever it put them in."""
    if isinstance(result, m.Tensor):
        return [result]
    return [t for part in result for t in tensors(part, m)] if isinstance(result, (tuple, list)) else []


def allocated(run: Callable) -> float:
    """By NumPy: tensors at the highest point beyond what is left."""
    run()
    tracemalloc.start()
    try:
        kept = run()  # noqa: F841
        left, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (most - left) / TENSOR


def allocated_by_torch(run: Callable) -> float:
    """By PyTorch, from the events of its profiler."""
    from torch.profiler import ProfilerActivity, profile

    run()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        kept = run()  # noqa: F841
    events, todo = [], list(profiler.profiler.kineto_results.experimental_event_tree())
    while todo:
        event = todo.pop()
        todo += event.children
        if str(event.tag).endswith("Allocation"):
            events.append((event.start_time_ns, event.extra_fields.alloc_size))
    now = most = 0
    for _, size in sorted(events):
        now += size
        most = max(most, now)
    return (most - now) / TENSOR


def program(text: str, m, names: dict, back: bool) -> Callable:
    """The call, with its gradient if `back`.

    Raises:
        LookupError: nothing the call gave has a gradient.
    """
    call = eval(f"lambda: {text}", names)
    if not back:
        return call
    leaves = [names[key] for key in sorted(set(re.findall(r"\b[a-zA-Z]\b", text)))
              if isinstance(names.get(key), m.Tensor) and names[key].requires_grad]
    upstream = [m.ones_like(t) for t in tensors(call(), m) if t.requires_grad]
    if not leaves or not upstream:
        raise LookupError

    def run():
        results = tensors(call(), m)
        return results, m.autograd.grad([t for t in results if t.requires_grad], leaves, upstream, allow_unused=True)
    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only the calls with one of these in them")
    parser.add_argument("--over", type=float, default=-99, help="only calls that take at least so many tensors more")
    parser.add_argument("--transposed", action="store_true", help="matrices whose columns lie together")
    args = parser.parse_args()
    libs = {key: m for key, m in libraries().items() if key in ("rustyflow", "torch")}
    given = operands(args.transposed)
    for back in (False, True):
        found = {key: names(m, given, back) for key, m in libs.items()}
        print(f"{'call and gradient' if back else 'call':<72}{'rustyflow':>10}{'torch':>10}{'more':>8}")
        count = over = 0
        for text in re.split(r" \| |\n", CALLS.strip()):
            text = text.strip()
            if args.words and not any(word in text for word in args.words):
                continue
            try:
                runs = [program(text, m, found[key], back) for key, m in libs.items()]
                ours, theirs = allocated(runs[0]), allocated_by_torch(runs[1])
            except (LookupError, RuntimeError) as error:
                assert back or args.transposed, error  # some have no derivative or view, in PyTorch neither
                continue
            count += 1
            over += ours - theirs > 0.6
            if ours - theirs >= args.over:
                print(f"{text:<72}{ours:>10.2f}{theirs:>10.2f}{ours - theirs:>8.2f}", flush=True)
        print(count, "calls,", over, "over 0.6")


if __name__ == "__main__":
    main()
