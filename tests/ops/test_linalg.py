"""Products, sums of products, systems and norms: beside NumPy and PyTorch, batched, with every derivative."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow.autograd import gradcheck, gradgradcheck

from .beside_torch import Laid, agree, laid

# Worked by hand

def test_a_product_and_its_two_gradients():
    a, b = rf.tensor([[1.0, 2.0]], requires_grad=True), rf.tensor([[3.0], [4.0]], requires_grad=True)
    y = a @ b
    y.backward(rf.tensor([[10.0]]))
    assert y.item() == 11 and a.grad.tolist() == [[30, 40]] and b.grad.tolist() == [[10], [20]]


@pytest.mark.parametrize("a, b, name", [((2, 3), (3, 2), "MmBackward0"), ((3,), (3,), "DotBackward0"),
                                        ((2, 3), (3,), "MvBackward0"), ((5, 2, 3), (3, 2), "UnsafeViewBackward0")])
def test_nodes_have_torchs_names(a, b, name):
    assert (rf.ones(a, requires_grad=True) @ rf.ones(b)).grad_fn.name() == name


@pytest.mark.parametrize("a, b, fix", [
    ((3, 4), (2, 4), "a @ b.mT, where"), ((3, 4), (3, 2), "a.mT @ b, where"), ((3, 4), (3,), "a.mT @ b, where"),
    ((3, 4), (3, 4), "a @ b.mT or a.mT @ b, where"), ((3, 1), (4,), "a * b, for"), ((4,), (3, 1), "a * b, for"),
    ((4,), (3,), "no transpose"), ((3, 4), (5, 6), "no transpose"), ((2, 3, 4), (2, 5, 4), "a @ b.mT, where"),
])
def test_what_is_proposed_for_sizes_that_differ_can_be_run(a, b, fix):
    a, b = rf.ones(a), rf.ones(b)
    with pytest.raises(RuntimeError) as caught:
        a @ b
    assert caught.value.fix.startswith(fix)
    assert ("only axis" in caught.value.rule) == (b.ndim == 1)
    for code in caught.value.fix.partition(",")[0].split(" or ") if "," in fix else ():
        assert eval(code, {"a": a, "b": b}).numel()


@pytest.mark.parametrize("wrong, error, says", [
    (lambda: rf.ones(2, 3) @ rf.ones(2, 3), RuntimeError, "cannot be multiplied"),
                                                (lambda: rf.ones(2, 3) @ rf.tensor(1.0), RuntimeError, "at least 1D"),
    (lambda: rf.mm(rf.ones(2, 3), rf.ones(3)), RuntimeError, "mat2 must be a matrix"),
                                                (lambda: rf.ones(2, 2) @ rf.ones(2, 2, dtype=rf.float64), RuntimeError,
                                                 "same dtype"),
    (lambda: rf.matmul(rf.ones(2), 3), TypeError, "must be Tensor"), (lambda: rf.ones(2, 3, 4) @ rf.ones(3, 4, 2),
                                                                      RuntimeError, "must match"),
    (lambda: rf.einsum(rf.ones(2, 2), [0, "a"]), TypeError, "is a whole number"),
    (lambda: rf.einsum(rf.ones(2, 2), [0, 52]), ValueError, "not within the valid range"),
    (lambda: rf.einsum("ij->k", rf.ones(2, 2)), RuntimeError, "'k' does not appear"),
                                                (lambda: rf.einsum("ij,jk", rf.ones(2, 2), rf.ones(3, 2)), RuntimeError,
                                                 "size 2 in one place"),
    (lambda: rf.linalg.inv(rf.zeros(2, 2)), RuntimeError, "singular"), (lambda: rf.linalg.cholesky(-rf.eye(2)),
                                                                        RuntimeError, "positive-definite"),
    (lambda: rf.linalg.det(rf.ones(2, 3)), RuntimeError, "square"),
                                                (lambda: rf.tensordot(rf.ones(2, 3), rf.ones(2, 3), 1), RuntimeError,
                                                 "need to match"),
    (lambda: rf.addmm(rf.ones(5), rf.ones(2, 3), rf.ones(3, 4)), RuntimeError, "expanded to the shape"),
                                                (lambda: rf.linalg.norm(rf.ones(2), "fro"), RuntimeError,
                                                 "for matrices"),
    (lambda: rf.linalg.solve(rf.eye(2), rf.ones(3)), RuntimeError, "rows in B"),
    (lambda: rf.linalg.multi_dot([rf.eye(2), rf.ones(())]), RuntimeError, "must be 1D or 2D"),
    (lambda: rf.linalg.svd(rf.eye(2), driver="gesvd"), RuntimeError, "only supported on CUDA"),
    (lambda: rf.cross(rf.ones(3) > 0, rf.ones(3) > 0, dim=0), NotImplementedError, "numbers, not bools"),
    (lambda: rf.linalg.cross(rf.ones(()), rf.ones(())), IndexError, "no dimensions"),
    (lambda: rf.linalg.cross(rf.ones(3, 4), rf.ones(3, 4)), RuntimeError, "length 3 along dim"),
    (lambda: rf.linalg.cross(rf.ones(3), rf.ones(3).double()), RuntimeError, "expected scalar type float32"),
    (lambda: rf.linalg.vecdot(rf.tensor([1, 2]), rf.ones(2)), RuntimeError, "Expected a floating point"),
    (lambda: rf.linalg.vecdot(rf.ones(2), rf.ones(2).double()), RuntimeError, "x and y to have the same dtype"),
    (lambda: rf.linalg.vecdot(rf.ones(2), 3), TypeError, "argument 'y' must be Tensor"),
    (lambda: rf.linalg.vecdot(rf.ones(3), rf.ones(1)), RuntimeError, "cannot be multiplied"),
])
def test_errors_show_the_shapes(wrong, error, says):
    with pytest.raises(error, match=says) as caught:
        wrong()
    assert caught.value.was and caught.value.rule and caught.value.fix


def test_beta_zero_does_not_read_the_input():
    assert rf.addmm(rf.full((2, 2), float("nan")), rf.ones(2, 1), rf.ones(1, 2), beta=0).tolist() == [[1, 1], [1, 1]]


def test_the_gradient_of_a_singular_determinant_is_the_cofactor():
    x = rf.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=rf.float64, requires_grad=True)
    rf.det(x).backward()
    assert np.allclose(x.grad.numpy(), [[4, -2], [-2, 1]])


def test_the_logarithm_of_a_singular_determinant_has_a_gradient_of_nan_in_that_matrix_alone():
    x = rf.tensor([[[1.0, 2.0], [1.0, 2.0]], [[2.0, 0.0], [0.0, 4.0]]], requires_grad=True)
    rf.logdet(x).sum().backward()
    assert x.grad[0].isnan().all() and x.grad[1].tolist() == [[0.5, 0.0], [0.0, 0.25]]


def test_the_largest_norm_of_no_rows_is_zero_and_the_smallest_is_none():
    assert rf.linalg.matrix_norm(rf.zeros(0, 4), float("inf")).tolist() == 0.0
    with pytest.raises(IndexError, match="amin"):
        rf.linalg.matrix_norm(rf.zeros(0, 4), float("-inf"))


def test_bools_are_joined_in_an_outer_product_added():
    x, a = rf.tensor([[True, False], [False, False]]), rf.tensor([False, True])
    assert rf.addr(x, a, a).tolist() == [[True, False], [False, True]]
    assert rf.addr(x, a, a, beta=0).tolist() == [[False, False], [False, True]]


# Beside NumPy and PyTorch

@settings(max_examples=50)
@given(st.data())
def test_matmul_on_any_layout(data):
    k, i, j = (data.draw(st.integers(0, 3)) for _ in range(3))
    batch = data.draw(st.lists(st.integers(1, 3), max_size=2))
    shapes = data.draw(st.sampled_from([((k,), (k,)), ((i, k), (k,)), ((k,), (k, j)), ((i, k), (k, j)),
                                        ((*batch, i, k), (k, j)), ((*batch, i, k), (*batch, k, j)),
                                        ((*batch, i, k), (k,)), ((k,), (*batch, k, j)), ((1, i, k), (*batch, k, j))]))
    operands = [Laid(shape[::-1], (("permute", tuple(range(len(shape)))[::-1]),),
                     n) if data.draw(st.booleans()) else Laid(shape, (), n) for n, shape in enumerate(shapes)]
    agree(lambda m, a, b: a @ b, *operands)
    a, b = (operand.build(rf)[1].detach() for operand in operands)
    assert np.allclose((a @ b).numpy(), a.numpy() @ b.numpy())


@settings(max_examples=30)
@given(laid(rank=st.just(2), dtypes=st.sampled_from(("int64", "int32", "uint8"))))
def test_whole_numbers_multiply_and_wrap(x):
    agree(lambda m, x: x @ x.mT, x)


EQUATIONS = ["ij,jk->ik", "ij,kj", "bij,bjk->bik", "ij->ji", "ij->", "ii->i", "ii", "i,j->ij", "i,i->i", "ij,ij->i",
             "...ij,...jk->...ik", "b...->...b", "ij,j->i", "abc,cd,de->abe",
             "iij->j", "ij,jk,k->i", "i...,...->i...", "ba,c->bca", "aab,bcc->ac"]


@pytest.mark.parametrize("equation", EQUATIONS)
@settings(max_examples=8)
@given(st.data())
def test_einsum_as_in_torch(equation, data):
    sizes = {letter: data.draw(st.integers(1, 3), letter) for letter in "abcdeijk"}
    terms = equation.split("->")[0].split(",")
    shapes = [[n for c in term.replace("...", ".") for n in ([2, 3][:data.draw(st.just(2))] if c == "."
                                                             else [sizes[c]])] for term in terms]
    agree(lambda m, *xs: m.einsum(equation, *xs), *[Laid(tuple(shape), (), k) for k, shape in enumerate(shapes)])


def test_einsum_broadcasts_axes_of_size_one_and_takes_lists():
    a, b = rf.ones(1, 3), rf.arange(12.0).view(3, 4)
    assert rf.einsum("ij,jk->ik", a, b).tolist() == [[12, 15, 18, 21]]
    assert rf.einsum("ij,ik->jk", a, rf.ones(5, 2)).tolist() == [[5, 5]] * 3
    assert rf.einsum(a, [0, 1], b, [1, 2], [2, 0]).tolist() == [[12], [15], [18], [21]]
    assert rf.einsum(b, [0, 30]).shape == (3, 4) and rf.einsum(b, [51, 25]).shape == (4, 3)  # in order of the numbers


@pytest.mark.parametrize("equation, stride", [("ij,jk->ki", (2, 1)), ("aib,bj->jia", (4, 2, 1)),
                                              ("ij,jk,kl->li", (1, 5))])
def test_einsum_multiplies_so_that_the_output_comes_in_order(equation, stride):
    sizes = dict(zip("ijklab", (2, 3, 4, 5, 2, 3)))
    operands = [rf.ones([sizes[c] for c in term]) for term in equation.split("->")[0].split(",")]
    y = rf.einsum(equation, *operands)
    assert y.stride() == stride


def test_the_cross_product_of_two_vectors():
    assert rf.linalg.cross(rf.tensor([1.0, 2.0, 3.0]), rf.tensor([4.0, 5.0, 7.0])).tolist() == [-1, 5, -3]


PRODUCTS = {
    "outer": ((3,), (2,)), "inner": ((2, 3), (4, 3)), "kron": ((2, 3), (3, 2)), "cross": ((2, 3), (2, 3)),
            "bmm": ((2, 3, 4), (2, 4, 2)), "mv": ((3, 4), (4,)), "dot": ((4,), (4,)),
    "addmm": ((3,), (2, 4), (4, 3)), "addmv": ((1,), (3, 4), (4,)), "addr": ((2, 1), (2,), (3,)),
            "baddbmm": ((2, 2), (3, 2, 4), (3, 4, 2)), "addbmm": ((2, 2), (3, 2, 4), (3, 4, 2)),
}
SCALED = {"addmm", "addmv", "addr", "baddbmm", "addbmm"}


def product(name, m, *xs):
    call = getattr(m, name) if name != "cross" else m.linalg.cross
    return call(*xs, beta=0.5, alpha=3) if name in SCALED else call(*xs)


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_as_in_torch(name):
    agree(lambda m, *xs: product(name, m, *xs), *[Laid(shape[::-1], (("permute", tuple(range(len(shape)))[::-1]),),
                                                       k) for k, shape in enumerate(PRODUCTS[name])])


WELL = [[4.0, 1.0, 0.5], [1.0, 5.0, -1.0], [0.25, -1.0, 3.0]]
MATRICES = {
    "inv": lambda m, a, b: m.linalg.inv(a), "solve": lambda m, a, b: m.linalg.solve(a, b), "solve_vector": lambda m, a,
            b: m.linalg.solve(a, b[..., 0]),
    "solve_right": lambda m, a, b: m.linalg.solve(a, b.mT, left=False), "det": lambda m, a, b: m.linalg.det(a),
            "slogdet": lambda m, a, b: m.linalg.slogdet(a).logabsdet,
    "logdet": lambda m, a, b: m.logdet(a), "cholesky": lambda m, a, b: m.linalg.cholesky(a @ a.mT), "upper": lambda m,
            a, b: m.linalg.cholesky(a @ a.mT, upper=True),
    "trace": lambda m, a, b: m.trace(a[0] if a.ndim > 2 else a),
}
NORMS = {
    **{f"vector {p}": lambda m, a, b, p=p: m.linalg.vector_norm(a, p, -1) for p in (0, 1, 2, 3, 2.5, -1, float("inf"),
                                                                                    float("-inf"))},
    **{f"matrix {p}": lambda m, a, b, p=p: m.linalg.matrix_norm(a, p, keepdim=True)
       for p in ("fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf"))},
    "norm": lambda m, a, b: m.linalg.norm(a), "norm dim": lambda m, a, b: m.linalg.norm(a, 1, -1), "vecdot": lambda m,
         a, b: m.linalg.vecdot(a, a * a),
}


class Well:
    """A batch of regular matrices, or one, as an operand."""

    def __init__(self, batch):
        self.batch = batch

    def build(self, module):
        a = module.from_numpy(np.array([WELL, np.transpose(WELL).tolist()][:2] if self.batch
                                       else WELL)).requires_grad_()
        return a, a.mT


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("name", [*MATRICES, *NORMS])
def test_matrix_functions_as_in_torch(name, batch):
    agree(lambda m, a, b: {**MATRICES, **NORMS}[name](m, a, b), Well(batch),
          Laid((2, 3, 2) if batch else (3, 2), (), 5))


@pytest.mark.parametrize("dtype", [rf.float32, rf.float16])
@pytest.mark.parametrize("of, dim", [
    (lambda x: (x[0], x[1]), -1), (lambda x: (x[0].mT, x[1].mT), -1), (lambda x: (x, x[1, 2]), 1),
    (lambda x: (x, x), 0), (lambda x: (x[0, 0], x[1, 1]), 0), (lambda x: (x[:, :, :0], x[0, 0, :0]), -1),
])
def test_vecdot_is_the_sum_of_products_recorded_or_not(of, dim, dtype):
    a, b = of(rf.linspace(-2, 3, 24).view(2, 3, 4).to(dtype))
    y = rf.linalg.vecdot(a, b, dim=dim)
    assert rf.allclose(y, (a * b).sum(dim)) and rf.allclose(y, rf.linalg.vecdot(a.clone().requires_grad_(), b, dim=dim))


@pytest.mark.parametrize("p", [1, 2, 3, float("inf")])
def test_norms_of_zero_have_torchs_subgradient(p):
    agree(lambda m, x: m.linalg.vector_norm(x * 0, p), Laid((3,), (("slice", slice(None)),), 0))


@pytest.mark.parametrize("p", [-1, 0.5, 1.5, 2, 2.5, 3])
def test_the_second_derivative_of_a_norm_with_a_cell_of_zero_is_torchs(p):
    def second(m, x):
        x = x * m.tensor([1.0, 0.0, 2.0])
        g, = m.autograd.grad(m.linalg.vector_norm(x, p), x, create_graph=True)
        return g * g
    agree(second, Laid((3,), (("slice", slice(None)),), 0))


DOUBLE = [*[n for n in MATRICES if n != "trace"], "vector 2", "vector 3", "matrix fro", "norm"]


@pytest.mark.parametrize("name", DOUBLE)
def test_first_and_second_derivatives(name):
    a = rf.tensor([WELL, WELL], dtype=rf.float64).mT.clone().requires_grad_()
    b = rf.randn(2, 3, 2, dtype=rf.float64).requires_grad_()
    f = {**MATRICES, **NORMS}[name]
    assert gradcheck(lambda a, b: f(rf, a, b) + b.sum(), (a, b)) and gradgradcheck(lambda a, b: f(rf, a, b)
                                                                                   + (b * b).sum(), (a, b))


@pytest.mark.parametrize("name", PRODUCTS)
def test_first_and_second_derivatives_of_products(name):
    xs = tuple(rf.randn(shape, dtype=rf.float64).requires_grad_() for shape in PRODUCTS[name])
    assert gradcheck(lambda *xs: product(name, rf, *xs), xs) and gradgradcheck(lambda *xs: product(name, rf, *xs), xs)


@pytest.mark.parametrize("equation, shapes", [("ij,jk->ik", ((2, 3), (3, 2))), ("iij,j->i", ((2, 2, 3), (3,))),
                                              ("...i,...i->...", ((2, 3), (2, 3)))])
def test_first_and_second_derivatives_of_einsum(equation, shapes):
    xs = tuple(rf.randn(shape, dtype=rf.float64).requires_grad_() for shape in shapes)
    assert gradcheck(lambda *xs: rf.einsum(equation, *xs), xs) and gradgradcheck(lambda *xs: rf.einsum(equation, *xs),
                                                                                 xs)


def test_what_to_write_instead_loses_no_digits_and_names_the_axis_that_differs():
    with pytest.raises(RuntimeError, match=r"input\.to\(rustyflow\.float32\)"):
        rf.tensor([1, 2]) @ rf.tensor([1.5, 2.0])
    with pytest.raises(RuntimeError, match="as many matrices"):
        rf.bmm(rf.ones(2, 2, 2), rf.ones(3, 2, 2))


def test_rows_without_cells_are_no_distance_apart():
    assert rf.cdist(rf.ones(3, 0), rf.ones(2, 0), p=float("inf")).tolist() == [[0, 0]] * 3


@pytest.mark.parametrize("a, b", [((500, 40), (40, 30)), ((500, 40), (40,)), ((40,), (40, 30)), ((40,), (40,)),
                                  ((3, 500, 40), (3, 40, 30)), ((3, 500, 40), (40, 30)), ((500, 40), (3, 40, 30))])
def test_a_product_of_float16_is_rounded_once(a, b):
    a, b = [rf.randn(shape, generator=rf.Generator().manual_seed(1)).half() for shape in (a, b)]
    found = a @ b
    assert found.dtype is rf.float16 and rf.allclose(found, (a.float() @ b.float()).half(), rtol=1e-3, atol=0)
    out = rf.empty(found.shape, dtype=rf.float16)
    assert rf.matmul(a, b, out=out) is out and rf.equal(out, found)


@pytest.mark.parametrize("m", [[[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [0.0, 0.0]], [[3.0, 1.0], [0.0, 2.0]]])
def test_the_determinant_of_a_singular_matrix_has_second_derivatives(m):
    first, second = (rf.autograd.functional.hessian(run, rf.tensor(m)) for run in (
        rf.det, lambda x: x[0, 0] * x[1, 1] - x[0, 1] * x[1, 0]))
    assert rf.allclose(first, second, atol=1e-6)
