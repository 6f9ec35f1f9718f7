"""Products, factorizations and norms: rows as in `op_rows`."""

ROWS = """
    norm | m.linalg.norm(x) | np.linalg.norm(x)
    vector_norm 1 | m.linalg.vector_norm(x, dim=1) | np.linalg.vector_norm(x, axis=1)
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
    cov | m.cov(h) | np.cov(h, dtype=np.float32)
    cross* | m.linalg.cross((e := v[:999999].reshape(-1, 3)), e + 1) | np.cross((e := v[:999999].reshape(-1, 3)), e + 1)
    addmv* | m.addmv(w, x, w) | w + x @ w
    addr* | m.addr(x, w, w) | x + np.outer(w, w)
    baddbmm* | m.baddbmm(g, g, g) | g + g @ g
    einsum batch | m.einsum("bij,bjk->bik", g, g) | np.einsum("bij,bjk->bik", g, g, optimize=True)
    einsum trace | m.einsum("ij,ij->", x, y) | np.einsum("ij,ij->", x, y, optimize=True)
    det | m.linalg.det(h) | np.linalg.det(h)
    slogdet | m.linalg.slogdet(h) | np.linalg.slogdet(h)
    cholesky | m.linalg.cholesky(h @ h.mT) | np.linalg.cholesky(h @ h.T)
    eigvalsh | m.linalg.eigvalsh(h @ h.mT) | np.linalg.eigvalsh(h @ h.T)
    svdvals | m.linalg.svdvals(h) | np.linalg.svdvals(h)
    inv batch | m.linalg.inv(g + h[:100, :100]) | np.linalg.inv(g + h[:100, :100])
    cdist* | m.cdist(x, y) | np.sqrt((x * x).sum(1)[:, None] + (y * y).sum(1) - 2 * x @ y.T)
    vector_norm inf | m.linalg.vector_norm(x, float("inf"), 1) | np.linalg.vector_norm(x, ord=np.inf, axis=1)
    matrix_norm 1 | m.linalg.matrix_norm(x, 1) | np.linalg.norm(x, 1)
    vecdot | m.linalg.vecdot(x, y) | np.vecdot(x, y)
    inner | m.inner(h, h) | np.inner(h, h)
    addbmm* | m.addbmm(g[0], g, g) | g[0] + (g @ g).sum(0)
    matrix_power | m.linalg.matrix_power(h, 3) | np.linalg.matrix_power(h, 3)
    multi_dot | m.linalg.multi_dot([h, h, h]) | np.linalg.multi_dot([h, h, h])
    matrix_rank | m.linalg.matrix_rank(h) | np.linalg.matrix_rank(h)
    cond | m.linalg.cond(h) | np.linalg.cond(h)
    svd~ | m.linalg.svd(h) | np.linalg.svd(h)
    eigh~ | m.linalg.eigh(h + h.mT) | np.linalg.eigh(h + h.T)
    logdet* | m.logdet(h) | np.linalg.slogdet(h)[1]
    solve vector | m.linalg.solve(h, h[0]) | np.linalg.solve(h, h[0])
    vander | m.linalg.vander(w, N=1000) | np.vander(w, 1000, increasing=True)
    corrcoef | m.corrcoef(h) | np.corrcoef(h, dtype=np.float32)
"""
