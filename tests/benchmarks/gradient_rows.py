"""Gradients, which NumPy has none of: rows as in `op_rows`."""

ROWS = """
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
