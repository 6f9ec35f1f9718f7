"""Functions of `nn.functional`, and the fewest calls of NumPy that do the same: rows as in `op_rows`."""

ROWS = """
    gelu tanh* | F.gelu(s, approximate="tanh") | 0.5 * s * (1 + np.tanh(0.7978846 * (s + 0.044715 * s * s * s)))
    silu* | F.silu(s) | s / (1 + np.exp(-s))
    softplus* | F.softplus(s) | np.log1p(np.exp(s))
    leaky_relu* | F.leaky_relu(s) | np.where(s > 0, s, s * np.float32(0.01))
    elu* | F.elu(s) | np.where(s > 0, s, np.expm1(s))
    layer_norm* | F.layer_norm(s, (1000,)) | (s - s.mean(1)[:, None]) / np.sqrt(s.var(1)[:, None] + 1e-5)
    mse_loss* | F.mse_loss(x, y) | np.mean((x - y) ** 2)
    embedding | F.embedding(r, x) | x[r]
    pad | F.pad(x, (1, 1, 1, 1)) | np.pad(C(x), 1)
    one_hot* | F.one_hot(r, 1000) | np.eye(1000, dtype=np.int64)[r]
    dropout* | F.dropout(x, 0.) | x.copy()
    gelu | F.gelu(s) |
    conv2d | F.conv2d(p, q, padding=1) |
    max_pool2d | F.max_pool2d(p, 2) |
    avg_pool2d | F.avg_pool2d(p, 2) |
    mse none* | F.mse_loss(x, y, reduction="none") | (x - y) ** 2
    l1_loss* | F.l1_loss(x, y) | np.mean(np.abs(x - y))
    normalize* | F.normalize(x) | x / np.linalg.norm(x, axis=1, keepdims=True)
    cross_entropy* | F.cross_entropy(s, r) | np.mean(np.log(np.exp(e := s - s.max(1)[:, None]).sum(1)) - e[R[:, 0], r])
    linear* | F.linear(x, y, w) | x @ y.T + w
    pairwise_distance* | F.pairwise_distance(x, y) | np.linalg.norm(x - y + np.float32(1e-6), axis=1)
    relu6 | F.relu6(s) | np.clip(s, 0, 6)
    hardtanh | F.hardtanh(s) | np.clip(s, -1, 1)
    celu* | F.celu(s) | np.where(s > 0, s, np.expm1(s))
    selu* | F.selu(s) | np.float32(1.0507) * np.where(s > 0, s, np.float32(1.67326) * np.expm1(s))
    hardsigmoid* | F.hardsigmoid(s) | np.clip(s / 6 + np.float32(0.5), 0, 1)
    hardswish* | F.hardswish(s) | s * np.clip(s + 3, 0, 6) / 6
    mish* | F.mish(s) | s * np.tanh(np.log1p(np.exp(s)))
    softsign* | F.softsign(s) | s / (1 + np.abs(s))
    tanhshrink* | F.tanhshrink(s) | s - np.tanh(s)
    logsigmoid* | F.logsigmoid(s) | C(-np.log1p(np.exp(-s)))
    softshrink* | F.softshrink(s) | np.sign(s) * np.maximum(np.abs(s) - np.float32(0.5), 0)
    hardshrink* | F.hardshrink(s) | np.where(np.abs(s) > 0.5, s, np.float32(0))
    threshold* | F.threshold(s, 0., 1.) | np.where(s > 0, s, np.float32(1))
    glu* | F.glu(s) | s[:, :500] / (1 + np.exp(-s[:, 500:]))
    prelu* | F.prelu(s, w[:1]) | np.where(s > 0, s, w[0] * s)
    binary_cross_entropy* | F.binary_cross_entropy(x, y) | -np.mean(y * np.log(x) + (1 - y) * np.log(1 - x))
    bce with logits* | F.binary_cross_entropy_with_logits(s, y) | np.mean(np.log1p(np.exp(s)) - s * y)
    kl_div* | F.kl_div(x, y, reduction="sum") / 1e6 | np.sum(y * (np.log(y) - x)) / 1e6
    smooth_l1_loss* | F.smooth_l1_loss(x, y) | np.mean(np.where((e := abs(x - y)) < 1, e * e / 2, e - np.float32(0.5)))
    poisson_nll_loss* | F.poisson_nll_loss(x, y) | np.mean(np.exp(x) - y * x)
    gaussian_nll_loss* | F.gaussian_nll_loss(x, y, u) | np.mean(np.log(u) + (x - y) ** 2 / u) / 2
    soft_margin_loss* | F.soft_margin_loss(s, y) | np.mean(np.log1p(np.exp(-y * s)))
    margin_ranking_loss* | F.margin_ranking_loss(x, y, s) | np.mean(np.maximum(-s * (x - y), 0))
    nll_loss* | F.nll_loss(s, r) | -np.mean(s[R[:, 0], r])
    batch_norm* | F.batch_norm(s, None, None, training=True) | (s - s.mean(0)) / np.sqrt(s.var(0) + 1e-5)
    group_norm | F.group_norm(s, 10) |
    instance_norm* | F.instance_norm(g) | (g - g.mean(2)[..., None]) / np.sqrt(g.var(2)[..., None] + 1e-5)
    rms_norm* | F.rms_norm(s, (1000,)) | C(s / np.sqrt((s * s).mean(1)[:, None]))
    max_pool1d* | F.max_pool1d(g, 2) | g.reshape(100, 100, 50, 2).max(3)
    avg_pool1d* | F.avg_pool1d(g, 2) | g.reshape(100, 100, 50, 2).mean(3)
    interpolate* | F.interpolate(p[:4], scale_factor=2) | C(p[:4].repeat(2, 2).repeat(2, 3))
    pad reflect | F.pad(p, (1, 1, 1, 1), "reflect") | np.pad(p, ((0, 0), (0, 0), (1, 1), (1, 1)), "reflect")
    interpolate bilinear | F.interpolate(p[:4], scale_factor=2, mode="bilinear") |
    attention | F.scaled_dot_product_attention(e := x.reshape(2, 5, 1000, 100), e, e) |
    conv1d | F.conv1d(g, g[:, :, :3]) |
    conv_transpose2d | F.conv_transpose2d(p, q.transpose(0, 1)) |
    unfold | F.unfold(p, 3) |
    fold | F.fold(x[:, :961].reshape(1, 1000, 961), 40, 10) |
    adaptive_avg_pool2d | F.adaptive_avg_pool2d(p, 5) |
    pad circular | F.pad(p, (1, 1, 1, 1), "circular") |
    dropout half~ | F.dropout(x, 0.5) | x * (rng.random((1000, 1000), np.float32) < np.float32(0.5)) * 2
"""
