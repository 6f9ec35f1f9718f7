"""A matrix of more than 65,536 cells goes to LAPACK alone, in its own precision, and keeps what small ones promise."""

import pytest

import rustyflow as rf

N = 260
SPECIAL = "inv solve det slogdet cholesky eigh eigvalsh svd svdvals".split()


def near_identity(dtype):
    noise = rf.randn(N, N, generator=rf.Generator().manual_seed(3), dtype=rf.float64)
    return (rf.eye(N, dtype=rf.float64) + noise / 80).to(dtype)


def positive(a):
    return a @ a.mT + rf.eye(N, dtype=a.dtype)


def rebuilt(name, a):
    """What a function's result says of `a`, and what that ought to be."""
    eye = rf.eye(N, dtype=a.dtype)
    if name == "inv":
        return rf.linalg.inv(a) @ a, eye
    if name == "solve":
        return a @ rf.linalg.solve(a, eye[:, :3]), eye[:, :3]
    if name == "det":
        return rf.linalg.det(a[[1, 0, *range(2, N)]]).double(), -rf.linalg.svdvals(a.double()).prod()
    if name == "slogdet":
        sign, log = rf.linalg.slogdet(-a[1:, 1:])
        return sign * log, -rf.linalg.svdvals(a[1:, 1:]).log().sum()
    if name == "cholesky":
        lower = rf.linalg.cholesky(positive(a))
        return lower.tril() @ lower.mT, positive(a)
    if name == "eigh":
        w, v = rf.linalg.eigh(positive(a))
        return (v * w) @ v.mT, positive(a)
    if name == "eigvalsh":
        return rf.linalg.eigvalsh(positive(a)), rf.linalg.eigh(positive(a)).eigenvalues
    u, s, vh = rf.linalg.svd(a[:, :-3], full_matrices=False)
    return (u * s @ vh, a[:, :-3]) if name == "svd" else (rf.linalg.svdvals(a[:, :-3]), s)


@pytest.mark.parametrize("dtype", [rf.float32, rf.float64])
@pytest.mark.parametrize("name", SPECIAL)
def test_a_large_matrix_is_rebuilt_from_what_was_found(name, dtype):
    found, wanted = rebuilt(name, near_identity(dtype))
    assert rf.allclose(found, wanted, rtol=1e-4, atol=2e-5)
    if dtype is rf.float64:
        assert rf.allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_each_large_matrix_of_a_batch_is_found():
    a = near_identity(rf.float32)
    both = rf.linalg.inv(rf.stack([a, a.mT]))
    assert both.stride() == (N * N, 1, N) and rf.equal(both[0], rf.linalg.inv(a))
    assert rf.equal(both[1], rf.linalg.inv(a.mT))


@pytest.mark.parametrize("call", [rf.linalg.inv, rf.linalg.cholesky, lambda x: rf.linalg.eigh(x)[1]])
def test_a_batch_of_no_large_matrices_gives_none(call):
    assert call(rf.zeros(2, 0, N, N)).shape == (2, 0, N, N)


@pytest.mark.parametrize("call", [rf.linalg.inv, rf.linalg.cholesky, lambda x: rf.linalg.solve(x, x)])
def test_a_large_singular_matrix_is_refused(call):
    with pytest.raises(rf.linalg.LinAlgError, match="singular|positive-definite"):
        call(rf.zeros(N, N))


@pytest.mark.parametrize("call", [rf.linalg.eigvalsh, rf.linalg.svd, rf.linalg.svdvals, rf.linalg.cholesky])
def test_a_large_matrix_of_nan_is_refused(call):
    with pytest.raises(rf.linalg.LinAlgError):
        call(rf.full((N, N), float("nan")))


def test_the_determinant_of_a_large_singular_matrix_has_a_gradient():
    x = rf.eye(N)
    x[2, 2] = 0
    x.requires_grad_()
    y = rf.linalg.det(x)
    y.backward()
    wanted = rf.zeros(N, N)
    wanted[2, 2] = 1
    assert not y and rf.allclose(x.grad, wanted, atol=1e-6)


def test_the_determinant_of_a_large_matrix_has_the_gradient_of_its_logarithm_times_itself():
    x = near_identity(rf.float64).requires_grad_()
    direct, = rf.autograd.grad(rf.linalg.det(x), x)
    by_log, = rf.autograd.grad(rf.linalg.slogdet(x).logabsdet, x)
    assert rf.allclose(direct, by_log * rf.linalg.det(x))


@pytest.mark.parametrize("n", [2, N])
def test_the_upper_factor_reads_the_upper_triangle(n):
    x = rf.eye(n)
    x[0, 1], x[1, 0] = 0.5, float("nan")
    assert rf.linalg.cholesky(x, upper=True)[0, 1] == 0.5 and rf.linalg.cholesky(x.mT)[1, 0] == 0.5


@pytest.mark.parametrize("turn", [lambda x: x, lambda x: x.mT])
def test_a_large_inverse_is_written_where_it_is_wanted(turn):
    a = near_identity(rf.float32)
    out = turn(rf.empty(N, N))
    assert rf.linalg.inv(a, out=out) is out and rf.allclose(out, rf.linalg.inv(a), atol=1e-5)
