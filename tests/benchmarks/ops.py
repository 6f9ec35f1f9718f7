"""`python -m tests.benchmarks.ops [NAME ...] [--rounds N] [--over RATIO]`: ops beside the NumPy calls they stand for.

At 1e6 elements of float32, contiguous and transposed, one thread, rounds interleaved, medians; results are compared
before anything is timed. PyTorch runs the same text as rustyflow. Where NumPy has no such call, its text is the fewest
calls that do the same, and the name has a star; a name with ~ has random numbers, which cannot be compared (NumPy draws
from an MT19937 of its own). Where PyTorch lays a result out in rows whatever the order of its operand, NumPy's text
asks for rows, too: C is np.ascontiguousarray. In the texts x is a tensor and X one that requires grad.
"""
from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import cache

from .harness import as_arrays, libraries  # first: it asks for one thread

import numpy as np  # isort: skip

ROWS = """
    add | x + y | x + y
    add, row | x + w | x + w
    add, number | x + 2 | x + 2
    sub | x - y | x - y
    mul | x * y | x * y
    div | x / y | x / y
    floor_divide | x // y | x // y
    remainder | x % y | x % y
    fmod | m.fmod(x, y) | np.fmod(x, y)
    pow | x ** y | x ** y
    pow 2 | x ** 2 | x ** 2
    pow 0.5 | x ** 0.5 | x ** 0.5
    neg | -x | -x
    abs | m.abs(s) | np.abs(s)
    sign | m.sign(s) | np.sign(s)
    square | m.square(x) | np.square(x)
    sqrt | m.sqrt(x) | np.sqrt(x)
    rsqrt* | m.rsqrt(x) | 1 / np.sqrt(x)
    reciprocal | m.reciprocal(x) | np.reciprocal(x)
    exp | m.exp(x) | np.exp(x)
    exp2 | m.exp2(x) | np.exp2(x)
    expm1 | m.expm1(x) | np.expm1(x)
    log | m.log(x) | np.log(x)
    log2 | m.log2(x) | np.log2(x)
    log10 | m.log10(x) | np.log10(x, dtype="f8").astype("f4")
    log1p | m.log1p(x) | np.log1p(x)
    sin | m.sin(x) | np.sin(x)
    cos | m.cos(x) | np.cos(x)
    tan | m.tan(x) | np.tan(x)
    asin | m.asin(u) | np.arcsin(u)
    acos | m.acos(u) | np.arccos(u)
    atan | m.atan(x) | np.arctan(x)
    atan2 | m.atan2(x, y) | np.arctan2(x, y)
    sinh | m.sinh(x) | np.sinh(x)
    cosh | m.cosh(x) | np.cosh(x)
    tanh | m.tanh(x) | np.tanh(x)
    asinh | m.asinh(x) | np.arcsinh(x)
    acosh | m.acosh(x + 1) | np.arccosh(x + 1)
    atanh | m.atanh(u) | np.arctanh(u)
    sigmoid* | m.sigmoid(s) | 1 / (1 + np.exp(-s))
    floor | m.floor(s) | np.floor(s)
    ceil | m.ceil(s) | np.ceil(s)
    round | m.round(s) | np.rint(s)
    trunc | m.trunc(s) | np.trunc(s)
    frac* | m.frac(s) | s - np.trunc(s)
    lerp* | m.lerp(x, y, 0.3) | x + np.float32(0.3) * (y - x)
    clamp | m.clamp(s, -1, 1) | np.clip(s, -1, 1)
    clamp_min | m.clamp_min(s, 0) | np.maximum(s, 0)
    where | m.where(b, x, y) | np.where(b, x, y)
    maximum | m.maximum(x, y) | np.maximum(x, y)
    nan_to_num | m.nan_to_num(x) | np.nan_to_num(x)
    addcmul* | m.addcmul(x, y, u) | x + y * u
    addcdiv* | m.addcdiv(x, y, u) | x + y / u
    logaddexp | m.logaddexp(x, y) | np.logaddexp(x, y)
    hypot | m.hypot(x, y) | np.hypot(x, y)
    xlogy* | m.xlogy(x, y) | x * np.log(y)
    eq | x == y | x == y
    lt | x < y | x < y
    isnan | m.isnan(x) | np.isnan(x)
    isinf | m.isinf(x) | np.isinf(x)
    isfinite | m.isfinite(x) | np.isfinite(x)
    isclose | m.isclose(x, y) | np.isclose(x, y)
    allclose | m.allclose(x, x) | np.allclose(x, x)
    equal | m.equal(x, x) | np.array_equal(x, x)
    logical_and | m.logical_and(b, c) | np.logical_and(b, c)
    bitwise_and | n & k | n & k
    bitwise_not | ~n | ~n
    int add | n + k | n + k
    int floor_divide | n // (k + 1) | n // (k + 1)
    float to int | x.long() | x.astype(np.int64)
    relu | m.relu(s) | np.maximum(s, 0)
    gelu tanh* | F.gelu(s, approximate="tanh") | 0.5 * s * (1 + np.tanh(0.7978846 * (s + 0.044715 * s * s * s)))
    silu* | F.silu(s) | s / (1 + np.exp(-s))
    softplus* | F.softplus(s) | np.log1p(np.exp(s))
    leaky_relu* | F.leaky_relu(s) | np.where(s > 0, s, s * np.float32(0.01))
    elu* | F.elu(s) | np.where(s > 0, s, np.expm1(s))
    softmax* | m.softmax(s, 1) | (e := np.exp(C(s - s.max(1)[:, None]))) / e.sum(1)[:, None]
    log_softmax* | m.log_softmax(s, 1) | (e := C(s - s.max(1)[:, None])) - np.log(np.exp(e).sum(1))[:, None]
    layer_norm* | F.layer_norm(s, (1000,)) | (s - s.mean(1)[:, None]) / np.sqrt(s.var(1)[:, None] + 1e-5)
    mse_loss* | F.mse_loss(x, y) | np.mean((x - y) ** 2)
    sum | x.sum() | x.sum()
    sum 0 | x.sum(0) | x.sum(0)
    sum 1 | x.sum(1) | x.sum(1)
    mean | x.mean() | x.mean()
    mean 1 | x.mean(1) | x.mean(1)
    prod | m.prod(z) | np.prod(z)
    amax | x.amax() | x.max()
    amax 1 | x.amax(1) | x.max(1)
    max 1* | x.max(1) | (x.max(1), x.argmax(1))
    argmax | x.argmax() | x.argmax()
    argmax 1 | x.argmax(1) | x.argmax(1)
    var | x.var() | x.var(ddof=1)
    var 0 | x.var(0) | x.var(0, ddof=1)
    std 1 | x.std(1) | x.std(1, ddof=1)
    cumsum | x.cumsum(1) | x.cumsum(1)
    cumsum 0 | x.cumsum(0) | x.cumsum(0)
    cumprod | m.cumprod(z, 1) | np.cumprod(z, 1)
    logsumexp* | m.logsumexp(s, 1) | np.log(np.exp(s - (e := s.max(1, keepdims=True))).sum(1)) + e[:, 0]
    any | o.any() | o.any()
    all | a.all() | a.all()
    any 1 | o.any(1) | o.any(1)
    all 0 | a.all(0) | a.all(0)
    any float | x.any() | x.any()
    all float | x.all() | x.all()
    norm | m.linalg.norm(x) | np.linalg.norm(x)
    vector_norm 1 | m.linalg.vector_norm(x, dim=1) | np.linalg.vector_norm(x, axis=1)
    median* | x.median() | np.partition(x, 499999, None)[499999]
    count_nonzero | m.count_nonzero(b) | np.count_nonzero(b)
    count_nonzero float | m.count_nonzero(x) | np.count_nonzero(x)
    bincount | m.bincount(n.reshape(-1)) | np.bincount(n.reshape(-1))
    clone | x.clone() | x.copy("K")
    contiguous T | x.t().contiguous() | np.ascontiguousarray(x.T)
    repeat | m.tile(h, (2, 2)) | np.tile(h, (2, 2))
    repeat_interleave | m.repeat_interleave(h, 4, 0) | np.repeat(h, 4, 0)
    flip | m.flip(x, (0,)) | np.flip(x, 0).copy("K")
    roll | m.roll(x, 3, 1) | np.roll(C(x), 3, 1)
    rot90 | m.rot90(x) | np.rot90(x).copy()
    cat | m.cat([h, h, h, h]) | np.concatenate([h, h, h, h], out=np.empty((2000, 500), h.dtype))
    cat 1 | m.cat([h, h, h, h], 1) | np.concatenate([h, h, h, h], 1, out=np.empty((500, 2000), h.dtype))
    stack | m.stack([h, h, h, h]) | np.stack([h, h, h, h], out=np.empty((4, 500, 500), h.dtype))
    vstack | m.vstack([h, h, h, h]) | C(np.vstack([h, h, h, h]))
    index rows | x[r] | x[r]
    index columns | x[:, r] | np.take(x, r, 1)
    index pairs | x[i, j] | x[i, j]
    index mask | x[b] | x[b]
    index_select | m.index_select(x, 0, r) | np.take(x, r, 0)
    index_select 1 | m.index_select(x, 1, r) | np.take(x, r, 1)
    gather 0 | m.gather(x, 0, i) | np.take_along_axis(x, i, 0)
    gather 1 | m.gather(x, 1, i) | np.take_along_axis(x, i, 1)
    take | m.take(x, l) | np.take(x, l)
    take_along_dim | m.take_along_dim(x, i, 1) | np.take_along_axis(x, i, 1)
    masked_select | m.masked_select(x, b) | x[b]
    masked_fill | m.masked_fill(x, b, 0) | np.where(b, np.float32(0), x)
    scatter* | m.scatter(x, 1, i, y) | (e := x.copy(), np.put_along_axis(e, i, y, 1))[0]
    scatter_add* | m.scatter_add(x, 1, i, y) | (e := x.copy(), np.add.at(e, (R, i), y))[0]
    index_add* | m.index_add(x, 0, r, y) | (e := x.copy(), np.add.at(e, r, y))[0]
    index_copy* | m.index_copy(x, 0, r, y) | (e := x.copy(), e.__setitem__(r, y))[0]
    index_fill* | m.index_fill(x, 0, r, 2.) | (e := x.copy(), e.__setitem__(r, 2.))[0]
    index_put* | m.index_put(x, (i, j), y) | (e := x.copy(), e.__setitem__((i, j), y))[0]
    masked_fill_ | f.masked_fill_(b, 0.) | np.copyto(f, 0, where=b)
    setitem mask | f.__setitem__(b, 0.) | f.__setitem__(b, 0)
    setitem rows | f.__setitem__(r, y) | f.__setitem__(r, y)
    setitem slice | f.__setitem__(slice(None), y) | f.__setitem__(slice(None), y)
    scatter_ | f.scatter_(1, i, y) | np.put_along_axis(f, i, y, 1)
    scatter_add_ | f.scatter_add_(1, i, y) | np.add.at(f, (R, i), y)
    index_add_ | f.index_add_(0, r, y) | np.add.at(f, r, y)
    index_copy_ | f.index_copy_(0, r, y) | f.__setitem__(r, y)
    index_fill_ | f.index_fill_(0, r, 2.) | f.__setitem__(r, 2)
    add_ | f.add_(x) | np.add(f, x, out=f)
    mul_ number | f.mul_(1.) | np.multiply(f, 1, out=f)
    copy_ | f.copy_(x) | np.copyto(f, x)
    zero_ | f.zero_() | f.fill(0)
    tril | m.tril(x) | np.tril(x)
    triu | m.triu(x, 1) | np.triu(x, 1)
    diag_embed* | m.diag(w) | np.diag(w)
    nonzero* | m.nonzero(b) | np.stack(b.nonzero(), 1)
    argwhere* | m.argwhere(b) | np.argwhere(b)
    sort* | x.sort(dim=1, stable=True) | ((e := x.argsort(1, kind="stable")), np.take_along_axis(x, e, 1))[::-1]
    argsort | x.argsort(dim=1, stable=True) | x.argsort(1, kind="stable")
    topk* | x.topk(10, 1)[0] | (e := np.take_along_axis(x, np.argpartition(x, 990, 1)[:, 990:], 1), -np.sort(-e, 1))[1]
    searchsorted | m.searchsorted(w, x) | np.searchsorted(w, x)
    unique | m.unique(n) | np.unique(n)
    unique float | m.unique(x) | np.unique(x)
    matmul | x @ y | x @ y
    matmul T | x @ y.mT | x @ y.T
    mv | x @ w | x @ w
    bmm | g @ g | g @ g
    dot | v @ v | v @ v
    outer | m.outer(w, w) | np.outer(w, w)
    einsum | m.einsum("ij,kj->ik", h, h) | np.einsum("ij,kj->ik", h, h, optimize=True)
    tensordot | m.tensordot(g, g, ([1, 2], [1, 2])) | np.tensordot(g, g, ([1, 2], [1, 2]))
    addmm* | m.addmm(x, x, y) | x + x @ y
    trace | m.trace(x) | np.trace(x)
    kron | m.kron(t, t) | np.kron(t, t)
    inv | m.linalg.inv(h) | np.linalg.inv(h)
    solve | m.linalg.solve(h, h) | np.linalg.solve(h, h)
    embedding | F.embedding(r, x) | x[r]
    pad | F.pad(x, (1, 1, 1, 1)) | np.pad(C(x), 1)
    one_hot* | F.one_hot(r, 1000) | np.eye(1000, dtype=np.int64)[r]
    dropout* | F.dropout(x, 0.) | x.copy()
    zeros | m.zeros(1000, 1000) | np.zeros((1000, 1000), np.float32)
    ones | m.ones(1000, 1000) | np.ones((1000, 1000), np.float32)
    full | m.full((1000, 1000), 2.5) | np.full((1000, 1000), 2.5, np.float32)
    arange | m.arange(1000000) | np.arange(1000000)
    arange float | m.arange(0., 1000000.) | np.arange(1000000, dtype=np.float32)
    linspace | m.linspace(0, 1, 1000000) | np.linspace(0, 1, 1000000, dtype=np.float32)
    eye | m.eye(1000) | np.eye(1000, dtype=np.float32)
    rand~ | m.rand(1000, 1000) | rng.random((1000, 1000), np.float32)
    randn~ | m.randn(1000, 1000) | rng.standard_normal((1000, 1000), np.float32)
    randint~ | m.randint(0, 10, (1000, 1000)) | rng.integers(0, 10, (1000, 1000))
    randperm~ | m.randperm(1000000) | rng.permutation(1000000)
    bernoulli~ | m.bernoulli(x) | (rng.random((1000, 1000)) < x).astype(np.float32)
    erf | m.erf(s) |
    erfc | m.erfc(s) |
    gelu | F.gelu(s) |
    conv2d | F.conv2d(p, q, padding=1) |
    max_pool2d | F.max_pool2d(p, 2) |
    avg_pool2d | F.avg_pool2d(p, 2) |
    gather, backward | grad(m.gather(X, 1, i), y) |
    index_select, backward | grad(m.index_select(X, 0, r), y) |
    index rows, backward | grad(X[r], y) |
    index pairs, backward | grad(X[i, j], y) |
    scatter, backward | grad(m.scatter(X, 1, i, y), y) |
    scatter_add, backward | grad(m.scatter_add(X, 1, i, y), y) |
    index_add, backward | grad(m.index_add(X, 0, r, y), y) |
    index_put, backward | grad(m.index_put(X, (i, j), y), y) |
    masked_fill, backward | grad(m.masked_fill(X, b, 0.), y) |
    embedding, backward | grad(F.embedding(r, X), y) |
    sort, backward | grad(X.sort(dim=1, stable=True)[0], y) |
    topk, backward | grad(D.topk(10, 1)[0], y[:, :10], D) |
    cumsum, backward | grad(X.cumsum(1), y) |
    cumprod, backward | grad(m.cumprod(X, 1), y) |
    max 1, backward | grad(X.max(1)[0], w) |
    amax 1, backward | grad(X.amax(1), w) |
    prod 1, backward | grad(X.prod(1), w) |
    cat, backward | grad(m.cat([X, x]), y.repeat(2, 1)) |
    repeat, backward | grad(X.repeat(2, 1), y.repeat(2, 1)) |
    flip, backward | grad(X.flip(0), y) |
    slice, backward | grad(X[1:], y[1:]) |
    unfold, backward | grad(X.unfold(1, 10, 5), y.unfold(1, 10, 5)) |
    conv2d, backward | grad(F.conv2d(P, q, padding=1), F.conv2d(p, q, padding=1), P) |
    max_pool2d, backward | grad(F.max_pool2d(P, 2), p[:, :, ::2, ::2], P) |
    avg_pool2d, backward | grad(F.avg_pool2d(P, 2), p[:, :, ::2, ::2], P) |
"""


@cache
def operands(transposed: bool) -> dict[str, np.ndarray]:
    """What the texts name: x, y, u in (0.1, 1), s of both signs, z near 1, d all different; masks; whole numbers."""
    rng, shape = np.random.default_rng(0), (1000, 1000)
    x, y, u = (rng.uniform(0.1, 0.99, shape).astype(np.float32) for _ in range(3))
    n, k, j = (rng.integers(0, 1000, shape) for _ in range(3))
    found = {"x": x, "y": y, "u": u, "s": rng.standard_normal(shape).astype(np.float32), "z": 1 + x * np.float32(1e-3),
             "b": x > 0.5, "c": y > 0.5, "o": x > 2, "a": x < 2, "n": n, "k": k, "j": j, "f": x.copy(),
             "i": rng.permuted(np.broadcast_to(np.arange(1000), shape), axis=1),
             "h": x[:500, :500] + 50 * np.eye(500, dtype=np.float32), "t": x[:31, :31]}
    if transposed:
        found = {name: value.T.copy().T for name, value in found.items()}
    return found | {"w": np.sort(x[0]), "v": x.reshape(-1), "r": rng.permutation(1000), "g": x.reshape(100, 100, 100),
                    "l": rng.permutation(1000000).reshape(shape), "p": x[:960, :1000].reshape(16, 3, 100, 200),
                    "q": x[:12, :9].reshape(4, 3, 3, 3),
                    "d": rng.permutation(1000000).astype(np.float32).reshape(shape)}


def programs(ours: str, numpys: str, transposed: bool, installed: dict) -> dict[str, Callable]:
    """A row's texts as a function per library."""
    given = operands(transposed)
    made = {}
    for name in ("rustyflow", "torch", "numpy"):
        if name in installed and (ours, ours, numpys)[len(made)]:
            m, names = installed[name], {**given, "f": given["f"].copy("K")}
            if name == "numpy":
                names |= {"np": np, "C": np.ascontiguousarray, "R": np.arange(1000)[:, None],
                          "rng": np.random.Generator(np.random.MT19937(0))}
            else:
                names = {key: m.from_numpy(value) for key, value in names.items()}
                names |= {key.upper(): m.from_numpy(given[key]).requires_grad_() for key in "xpd"}
                names |= {"m": m, "F": m.nn.functional}
                names["grad"] = lambda y, g, of=names["X"], m=m: m.autograd.grad(y, of, g)[0]
            made[name] = eval(f"lambda: {ours if name != 'numpy' else numpys}", names)
    return made


def agree(made: dict[str, Callable]) -> None:
    """Refuse to time what gives different results.

    Raises:
        AssertionError: two libraries disagree.
    """
    results = [as_arrays(run()) for run in made.values()]
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=False):
            np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-3)


def medians(made: dict[str, Callable], rounds: int, seconds: float = 2.0) -> dict[str, float]:
    """Median CPU seconds of one run each, in turns; short ones several times a turn, and fewer turns of long ones."""
    times: dict[str, list[float]] = {name: [] for name in made}
    began, often = time.perf_counter(), 1
    for k in range(rounds):
        if k > 2 and time.perf_counter() - began > seconds:
            break
        for name, run in made.items():
            start = time.process_time()
            for _ in range(often):
                run()
            times[name].append((time.process_time() - start) / often)
        often = max(1, int(0.001 / max(1e-6, min([t[0] for t in times.values()]))))
    return {name: statistics.median(t) for name, t in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only the rows whose name has one of these words in it")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--over", type=float, default=0, help="only rows at least so far from NumPy (or PyTorch)")
    args = parser.parse_args()
    installed = libraries()
    print(f"{'op':<26}{'layout':<12}{'rustyflow':>12}{'numpy':>12}{'torch':>12}{'/ numpy':>9}{'/ torch':>9}")
    for row in ROWS.strip().splitlines():
        name, ours, numpys = (text.strip() for text in f"{row} ".split(" | "))
        if args.names and not any(word in name for word in args.names):
            continue
        for layout in ("contiguous", "transposed"):
            made = programs(ours, numpys, layout == "transposed", installed)
            if not name.endswith("~"):
                agree(made)
            times = medians(made, args.rounds)
            ratios = [times["rustyflow"] / times[other] if other in times else None for other in ("numpy", "torch")]
            if next((r for r in ratios if r is not None), 0) >= args.over:
                shown = [f"{times[n] * 1e6:.0f}us" if n in times else "-" for n in ("rustyflow", "numpy", "torch")]
                shown += ["-" if r is None else f"{r:.2f}" for r in ratios]
                print(("{:<26}{:<12}" + 3 * "{:>12}" + 2 * "{:>9}").format(name, layout, *shown), flush=True)


if __name__ == "__main__":
    main()
