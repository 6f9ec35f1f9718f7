"""Singular values and eigenvalues where they are hard: of singular, negative, half or NaN matrices."""

import pytest

import rustyflow as rf

from .beside_torch import agree

NAN = float("nan")
CELLS = [[0.0, 1.0], [2.0, 3.0]]


class Matrix:
    """One of given cells, as an operand."""

    def __init__(self, cells, dtype="float64"):
        self.cells, self.dtype = cells, dtype

    def build(self, module):
        a = module.tensor(self.cells, dtype=getattr(module, self.dtype), requires_grad=True)
        return a, a.mT


def test_the_gradient_of_the_eigenvalue_of_a_negative_matrix():
    v = rf.tensor([1.0, 2.0, 3.0])
    x = (-rf.outer(v, v)).requires_grad_()
    rf.linalg.eigvalsh(x)[0].backward()
    assert rf.allclose(x.grad, rf.outer(v, v) / 14)


@pytest.mark.parametrize("cells", [[[-1.0, 0.0], [0.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]], [[-1.0, 9.0], [0.5, 0.0]]])
@pytest.mark.parametrize("triangle", "LU")
def test_eigenvectors_of_indefinite_and_singular_matrices_as_in_torch(cells, triangle):
    agree(lambda m, a: (m.linalg.eigh(a, triangle)[1] ** 2 * m.tensor(CELLS, dtype=m.float64)).sum(), Matrix(cells))


def test_small_eigenvalues_are_found_beside_a_large_one():
    assert rf.linalg.eigvalsh(rf.tensor([1e8, 1.0, 2.0, 3.0]).diag()).tolist() == [1, 2, 3, 1e8]


def test_an_eigenvector_s_gradient_is_not_finite_where_eigenvalues_are_equal():
    x = rf.eye(2, requires_grad=True)
    w, v = rf.linalg.eigh(x)
    w.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [[1, 0], [0, 1]]
    (v**2 * rf.tensor(CELLS)).sum().backward()
    assert x.grad.isnan().all()


def test_one_node_for_both_results():
    w, v = rf.linalg.eigh(rf.eye(2, requires_grad=True))
    assert w.grad_fn is v.grad_fn and w.grad_fn.name() == "LinalgEighBackward0"


@pytest.mark.parametrize("which", [0, 2])
def test_singular_vectors_of_a_singular_matrix_have_torch_s_gradient(which):
    agree(lambda m, a: (m.linalg.svd(a)[which] ** 2 * m.tensor(CELLS, dtype=m.float64)).sum(),
          Matrix([[1.0, 2.0], [2.0, 4.0]]))  # fmt: skip


@pytest.mark.parametrize("call", [
    rf.linalg.svd, rf.linalg.svdvals, rf.svd, rf.linalg.cond, rf.linalg.matrix_rank, rf.linalg.cholesky,
    lambda x: rf.linalg.matrix_norm(x, 2), rf.linalg.eigh, rf.linalg.eigvalsh,
])  # fmt: skip
def test_a_matrix_of_nan_is_refused(call):
    with pytest.raises(rf.linalg.LinAlgError, match="could not be completed because .*\ntry:  "):
        call(rf.full((3, 3), NAN))


@pytest.mark.parametrize("call", [rf.linalg.svd, rf.linalg.svdvals, rf.svd, rf.linalg.cond, rf.linalg.matrix_rank])
def test_half_floats_are_not_implemented(call):
    with pytest.raises(NotImplementedError, match=r"not implemented for float16\ntry:  x.float()"):
        call(rf.eye(2).half())


def test_a_batch_of_which_one_matrix_is_nan_is_refused_by_cholesky():
    with pytest.raises(rf.linalg.LinAlgError, match="positive-definite"):
        rf.linalg.cholesky(rf.stack([rf.eye(2), rf.full((2, 2), NAN)]))


def test_svd_without_vectors_gives_square_zeros():
    u, s, v = rf.svd(rf.ones(2, 3, 2), compute_uv=False)
    assert u.shape == (2, 3, 3) and v.shape == (2, 2, 2) and not u.any() and not v.any()
    assert rf.allclose(s[:, 0], rf.tensor(6.0).sqrt())


def test_the_rank_of_a_symmetric_matrix_reads_one_triangle():
    a = rf.tensor([[1.0, 2.0], [1.0, 1.0]])
    assert rf.linalg.matrix_rank(a) == 2 and rf.linalg.matrix_rank(a, hermitian=True) == 1
    with pytest.raises(TypeError, match="'hermitian' must be bool"):
        rf.linalg.matrix_rank(a, hermitian=1)


@pytest.mark.parametrize("p", ["fro", "nuc", 1, -1, float("inf")])
def test_the_condition_of_a_singular_matrix_is_infinite(p):
    found = rf.linalg.cond(rf.stack([rf.ones(2, 2), 3 * rf.eye(2)]), p)
    assert found[0] == float("inf") and 0.9 < found[1] < 4.1
