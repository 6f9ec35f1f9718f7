"""Ops and the NumPy calls they stand for: name, the text for rustyflow and PyTorch, that for NumPy if it has one."""

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
    softmax* | m.softmax(s, 1) | (e := np.exp(C(s - s.max(1)[:, None]))) / e.sum(1)[:, None]
    log_softmax* | m.log_softmax(s, 1) | (e := C(s - s.max(1)[:, None])) - np.log(np.exp(e).sum(1))[:, None]
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
    cumsum | x.cumsum(1) | C(x.cumsum(1))
    cumsum 0 | x.cumsum(0) | C(x.cumsum(0))
    cumprod | m.cumprod(z, 1) | C(np.cumprod(z, 1))
    logsumexp* | m.logsumexp(s, 1) | np.log(np.exp(s - (e := s.max(1, keepdims=True))).sum(1)) + e[:, 0]
    any | o.any() | o.any()
    all | a.all() | a.all()
    any 1 | o.any(1) | o.any(1)
    all 0 | a.all(0) | a.all(0)
    any float | x.any() | x.any()
    all float | x.all() | x.all()
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
    zeros | m.zeros(1000, 1000) | np.zeros((1000, 1000), np.float32)
    ones | m.ones(1000, 1000) | np.ones((1000, 1000), np.float32)
    full | m.full((1000, 1000), 2.5) | np.full((1000, 1000), 2.5, np.float32)
    arange | m.arange(1000000) | np.arange(1000000)
    arange float | m.arange(0., 1000000.) | np.arange(1000000, dtype=np.float32)
    linspace | m.linspace(0, 1, 1000000) | np.linspace(0, 1, 1000000, dtype=np.float32)
    eye | m.eye(1000) | np.eye(1000, dtype=np.float32)
    rand~ | m.rand(1000, 1000) | np.random.rand(1000, 1000)
    rand, new~ | m.rand(1000, 1000) | rng.random((1000, 1000), np.float32)
    randn~ | m.randn(1000, 1000) | np.random.randn(1000, 1000)
    randn, new~ | m.randn(1000, 1000) | rng.standard_normal((1000, 1000), np.float32)
    randint~ | m.randint(0, 10, (1000, 1000)) | np.random.randint(0, 10, (1000, 1000))
    randint, new~ | m.randint(0, 10, (1000, 1000)) | rng.integers(0, 10, (1000, 1000))
    randperm~ | m.randperm(1000000) | np.random.permutation(1000000)
    bernoulli~ | m.bernoulli(x) | (rng.random((1000, 1000)) < x).astype(np.float32)
    erf | m.erf(s) |
    erfc | m.erfc(s) |
    ne number | x != 2 | x != 2
    ge | x >= y | x >= y
    logical_not | m.logical_not(b) | np.logical_not(b)
    logical_xor | m.logical_xor(x, y) | np.logical_xor(x, y)
    isposinf | m.isposinf(x) | np.isposinf(x)
    signbit | m.signbit(s) | np.signbit(s)
    copysign | m.copysign(x, s) | np.copysign(x, s)
    heaviside | m.heaviside(s, y) | np.heaviside(s, y)
    fmax | m.fmax(x, y) | np.fmax(x, y)
    float_power | m.float_power(x, 2) | np.float_power(x, 2)
    sinc | m.sinc(x) | np.sinc(x)
    deg2rad | m.deg2rad(x) | np.deg2rad(x)
    rad2deg | m.rad2deg(x) | np.rad2deg(x)
    minimum | m.minimum(x, y) | np.minimum(x, y)
    clamp tensors | m.clamp(s, u, y) | np.minimum(np.maximum(s, u), y)
    isin* | m.isin(n, k[0]) | np.isin(n, k[0])
    gcd | m.gcd(n, k) | np.gcd(n, k)
    lcm | m.lcm(n, k) | np.lcm(n, k)
    shift | n << 2 | n << 2
    int mul | n * k | n * k
    int remainder | n % 7 | n % 7
    int div | n / (k + 1) | (n / (k + 1)).astype(np.float32)
    int to float | n.float() | n.astype(np.float32)
    to bool | x.bool() | x.astype(bool)
    to double | x.double() | x.astype(np.float64)
    to half | x.half() | x.astype(np.float16)
    half add | x.half() + 1 | x.astype(np.float16) + np.float16(1)
    softmax 0* | m.softmax(s, 0) | (e := np.exp(C(s - s.max(0)))) / e.sum(0)
    int sum | n.sum() | n.sum()
    bool sum 1 | b.sum(1) | b.sum(1)
    nansum | x.nansum() | np.nansum(x)
    nanmean 1 | x.nanmean(1) | np.nanmean(x, 1)
    prod 1 | x.prod(1) | x.prod(1)
    min 0* | x.min(0) | (x.min(0), x.argmin(0))
    aminmax* | m.aminmax(x) | (x.min(), x.max())
    std | x.std() | x.std(ddof=1)
    var_mean 1* | m.var_mean(x, 1) | (x.var(1, ddof=1), x.mean(1))
    cummax* | m.cummax(x, 1) | (e := np.maximum.accumulate(x, 1), np.maximum.accumulate((x == e) * R[:, 0], 1))
    logcumsumexp* | m.logcumsumexp(x, 1) | np.logaddexp.accumulate(x, 1)
    int cumsum | n.cumsum(1) | n.cumsum(1)
    diff | m.diff(x) | np.diff(x)
    trapezoid | m.trapezoid(x) | np.trapezoid(x)
    quantile 1 | m.quantile(x, 0.3, 1) | np.quantile(x, 0.3, 1)
    median 1* | x.median(1) | (np.take_along_axis(x, e := np.argpartition(x, 499, 1)[:, 499:500], 1)[:, 0], e[:, 0])
    histc* | m.histc(x, 50) | np.histogram(x, 50)[0].astype(np.float32)
    norm 1* | x.norm(3) | (np.abs(x) ** 3).sum() ** (1 / 3)
    reshape T | x.t().reshape(-1) | x.T.reshape(-1)
    flatten T | x.t().flatten() | x.T.flatten()
    fliplr | m.fliplr(x) | np.fliplr(x).copy("K")
    hstack | m.hstack([h, h]) | C(np.hstack([h, h]))
    dstack | m.dstack([h, h]) | C(np.dstack([h, h]))
    expand add | x.expand(2, 1000, 1000) + 1 | np.broadcast_to(x, (2, 1000, 1000)) + 1
    unfold copy | x.unfold(1, 10, 5).clone() | C(np.lib.stride_tricks.sliding_window_view(x, 10, 1)[:, ::5])
    index slice copy | x[::2].clone() | x[::2].copy("K")
    index list | x[r, :500] | x[r, :500]
    index outer | x[r[:, None], r] | x[r[:, None], r]
    tril_indices | m.tril_indices(1000, 1000) | np.array(np.tril_indices(1000, 0, 1000))
    tensor | m.tensor(N) | np.array(N)
    full_like | m.full_like(x, 3) | np.full_like(x, 3)
    logspace | m.logspace(0, 1, 1000000) | np.logspace(0, 1, 1000000, dtype=np.float32)
    normal~ | m.normal(x, u) | rng.normal(x, u).astype(np.float32)
    tolist | x.tolist() | x.tolist()
    le | x <= y | x <= y
    gt row | x > w | x > w
    logical_or | m.logical_or(b, c) | np.logical_or(b, c)
    isneginf | m.isneginf(x) | np.isneginf(x)
    isreal | m.isreal(x) | np.isreal(x)
    bitwise_or | m.bitwise_or(n, k) | np.bitwise_or(n, k)
    bitwise_xor | n ^ k | n ^ k
    bool and | b & c | b & c
    right shift | n >> k % 8 | n >> k % 8
    rsub | m.rsub(x, y) | y - x
    number sub | 2 - x | 2 - x
    number div* | 2 / x | np.reciprocal(x) * 2
    number pow | 2 ** x | C(2 ** x)
    pow 3 | x ** 3 | x * x * x
    int pow | n ** 2 | n ** 2
    int abs | m.abs(n - k) | np.abs(n - k)
    int maximum | m.maximum(n, k) | np.maximum(n, k)
    int clamp | n.clamp(5, 500) | np.clip(n, 5, 500)
    int eq | n == k | n == k
    int where | m.where(b, n, k) | np.where(b, n, k)
    fmin | m.fmin(x, y) | np.fmin(x, y)
    clamp_max | m.clamp_max(s, 0) | np.minimum(s, 0)
    where number | m.where(b, x, 0.) | np.where(b, x, np.float32(0))
    sgn | m.sgn(s) | np.sign(s)
    mul column | x * w[:, None] | x * w[:, None]
    lerp tensor* | m.lerp(x, y, u) | x + u * (y - x)
    round decimals | m.round(s, decimals=2) | np.round(s, 2)
    div floor | m.div(x, y, rounding_mode="floor") | np.floor_divide(x, y)
    div trunc* | m.div(x, y, rounding_mode="trunc") | np.trunc(x / y)
    amin | x.amin() | x.min()
    amin 0 | x.amin(0) | x.min(0)
    argmin 0 | x.argmin(0) | x.argmin(0)
    prod 0 | z.prod(0) | z.prod(0)
    mean 0 | x.mean(0) | x.mean(0)
    int sum 1 | n.sum(1) | n.sum(1)
    int amax 1 | n.amax(1) | n.max(1)
    int prod 0 | (n % 2 + 1).prod(0) | (n % 2 + 1).prod(0)
    sum three | g.sum((0, 2)) | g.sum((0, 2))
    sum_to_size* | x.sum_to_size(1, 1000) | x.sum(0, keepdims=True)
    std_mean 0* | m.std_mean(x, 0) | (x.std(0, ddof=1), x.mean(0))
    logsumexp 0* | m.logsumexp(s, 0) | np.log(np.exp(s - (e := s.max(0))).sum(0)) + e
    nanmedian* | x.nanmedian() | np.nanmedian(x)
    nanquantile 1 | m.nanquantile(x, 0.3, 1) | np.nanquantile(x, 0.3, 1)
    quantile | m.quantile(x, 0.3) | np.quantile(x, 0.3)
    kthvalue* | m.kthvalue(x, 5, 1)[0] | np.take_along_axis(x, np.argpartition(x, 4, 1)[:, 4:5], 1)[:, 0]
    cummin 0* | m.cummin(x, 0) | (e := np.minimum.accumulate(x, 0), np.maximum.accumulate((x == e) * R, 0))
    cumprod 0 | m.cumprod(z, 0) | C(np.cumprod(z, 0))
    cumulative_trapezoid* | m.cumulative_trapezoid(x) | np.cumsum((x[:, 1:] + x[:, :-1]) / 2, 1)
    diff 0 | m.diff(x, dim=0) | np.diff(x, axis=0)
    dist* | m.dist(x, y) | np.linalg.norm(x - y)
    msort | m.msort(x) | np.sort(x, 0)
    int sort* | n.sort(dim=1, stable=True) | ((e := n.argsort(1, kind="stable")), np.take_along_axis(n, e, 1))[::-1]
    sort flat* | v.sort(stable=True) | ((e := np.argsort(v, kind="stable")), v[e])[::-1]
    bucketize | m.bucketize(x, w) | np.searchsorted(w, x)
    unique counts | m.unique(n, return_counts=True) | np.unique(n, return_counts=True)
    unique inverse | m.unique(n, return_inverse=True) | np.unique(n, return_inverse=True)
    unique_consecutive* | m.unique_consecutive(n) | (e := n.reshape(-1))[np.concatenate(([True], e[1:] != e[:-1]))]
    block_diag* | m.block_diag(h, h) | np.block([[h, np.zeros_like(h)], [np.zeros_like(h), h]])
    cartesian_prod* | m.cartesian_prod(w, w) | np.stack(np.meshgrid(w, w, indexing="ij"), -1).reshape(-1, 2)
    column_stack | m.column_stack([h, h]) | C(np.column_stack([h, h]))
    cosine_similarity* | m.cosine_similarity(x, y) | (x * y).sum(1) / np.sqrt((x * x).sum(1) * (y * y).sum(1))
    select_scatter* | m.select_scatter(x, w, 0, 1) | (e := x.copy("K"), e.__setitem__(1, w))[0]
    slice_scatter* | m.slice_scatter(x, y[:10], 0, 0, 10) | (e := x.copy("K"), e.__setitem__(slice(10), y[:10]))[0]
    diagonal_scatter* | m.diagonal_scatter(x, w) | (e := x.copy("K"), np.fill_diagonal(e, w))[0]
    masked_scatter* | m.masked_scatter(x, b, y) | (e := x.copy("K"), np.place(e, b, y.reshape(-1)))[0]
    index_put add* | m.index_put(x, (i, j), y, True) | (e := x.copy(), np.add.at(e, (i, j), y))[0]
    flipud | m.flipud(x) | np.flipud(x).copy("K")
    roll flat | m.roll(x, 3) | np.roll(C(x), 3)
    permute copy | g.permute(2, 0, 1).contiguous() | C(g.transpose(2, 0, 1))
    pixel_shuffle* | m.pixel_shuffle(g, 2) | g.reshape(25, 2, 2, 100, 100).transpose(0, 3, 1, 4, 2).reshape(25, 200, -1)
    repeat_interleave counts* | x.repeat_interleave(r % 3, 0) | C(np.repeat(x, r % 3, 0))
    repeat_interleave 1 | m.repeat_interleave(h, 4, 1) | np.repeat(h, 4, 1)
    stack 2 | m.stack([h, h], 2) | C(np.stack([h, h], 2))
    zeros_like | m.zeros_like(x) | np.zeros_like(x)
    ones_like | m.ones_like(x) | np.ones_like(x)
    triu_indices | m.triu_indices(1000, 1000) | np.array(np.triu_indices(1000, 0, 1000))
    as_tensor | m.as_tensor(x, dtype=m.float64) | np.asarray(x, dtype=np.float64)
    multinomial~ | m.multinomial(v, 1000, True) | rng.choice(1000000, 1000, p=v.astype("f8") / v.sum(dtype="f8"))
    int to int | n.int() | n.astype(np.int32)
    bool to float | b.float() | b.astype(np.float32)
    bool to int | b.long() | b.astype(np.int64)
"""
