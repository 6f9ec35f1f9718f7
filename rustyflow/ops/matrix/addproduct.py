"""A product added to a tensor: beta * x + alpha * (a product of a and b), as one node each."""
from __future__ import annotations

from ...arguments.numbers import fitted, numbers
from ...backends import backend
from ...dispatch import attach, check_shape, need_tensors, op, writes
from ...dtype import float16, float32, promote_types
from ...errors import DimError, ShapeError, align_right
from ..elementwise.arithmetic import factor
from .factors import as_many, factors, inner_sizes


def _plan(it, shapes, ranks, beta, alpha, **operands):
    """Check the operands (input and two factors, by the names that users know); return what `writes` wants of a plan.

    shapes(a.shape, b.shape) gives the two inner sizes that must be equal, if any, and the shape of the product.
    Raises:
        ShapeError, MatmulError, DTypeError (RuntimeErrors); ArgumentTypeError (a TypeError): beta or alpha is no
        number.
    """
    name = it.name
    factors(name, None, *ranks, **operands)
    beta, alpha = numbers(name, beta=beta, alpha=alpha)
    x, a, b = operands.values()
    inner, result = shapes(a._a.shape, b._a.shape)
    if ranks == (3, 3):
        as_many(name, batch1=a, batch2=b)
    if inner:
        inner_sizes(name, a, b, *inner)
    own = x._a.shape
    if own != result and (len(own) > len(result) or any(n not in (1, m) for n, m in zip(own[::-1], result[::-1]))):
        raise ShapeError(align_right(("input", own), ("product", result)),
                         f"{name}: input is expanded to the shape of the product, and {list(own)} cannot be",
                         "an input of that shape")
    wide = name not in ("addmv", "addr")  # these round the numbers to float16, as PyTorch
    d = float32 if wide and x.dtype is float16 else x.dtype
    beta, alpha = fitted(name, beta, d), fitted(name, alpha, d)

    def write(array):
        if array.shape != result:
            check_shape(x, result, name)
        if array.dtype is not x._a.dtype:  # addr alone takes several
            return backend.write(array, it.forward(backend, x._a, a._a, b._a, beta=beta, alpha=alpha))
        it.into(backend, array, a._a, b._a, beta=beta, alpha=alpha)
    return it, (a, b), {"beta": beta, "alpha": alpha}, write


def _times(x, number):
    """x itself for 1, else the product."""
    return x if number == 1 else x * number


def _product(F, a, b, number):
    return a @ b if number == 1 else F.scaled(a @ b, number)


@op
class addmm:
    """y = beta * x + alpha * (a @ b)        dx = g * beta        da = alpha * (g @ b.T)        db = alpha * (a.T @ g)

    Shapes: a (i, k), b (k, j), x broadcasts to (i, j). With beta = 0 x is not read, so its NaNs do not spread.
    Raises: MatmulError, ShapeError, DTypeError (RuntimeErrors).
    Source: https://pytorch.org/docs/stable/generated/torch.addmm.html

    Example:
        >>> import rustyflow as rf
        >>> rf.addmm(rf.ones(1, 2), rf.ones(1, 3), rf.ones(3, 2), alpha=2)
        tensor([[7., 7.]])
    """
    promote = None
    def forward(F, x, a, b, *, beta, alpha): return F.blend(x, F.matmul(a, b), beta, alpha)
    def into(F, x, a, b, *, beta, alpha): F.add_product(x, a, b, beta, alpha)
    def grad_x(F, g, *, beta, alpha): return _times(g, beta)
    def grad_a(F, g, b, *, beta, alpha): return _product(F, g, b.T, alpha)
    def grad_b(F, g, a, *, beta, alpha): return _product(F, a.T, g, alpha)

    @writes
    def call(input, mat1, mat2, *, beta=1, alpha=1):
        return _plan(addmm.op, lambda a, b: ((a[1], b[0]), a[:1] + b[1:]), (2, 2), beta, alpha,
                     input=input, mat1=mat1, mat2=mat2)


@op
class addmv:
    """y = beta * x + alpha * (a @ b)        dx = g * beta        da = alpha * outer(g, b)        db = alpha * (a.T @ g)

    Shapes: a (i, k), b (k,), x broadcasts to (i,).
    Raises: MatmulError, ShapeError, DTypeError (RuntimeErrors).
    Source: https://pytorch.org/docs/stable/generated/torch.addmv.html

    Example:
        >>> import rustyflow as rf
        >>> rf.addmv(rf.ones(2), rf.ones(2, 3), rf.ones(3))
        tensor([4., 4.])
    """
    promote = None
    def forward(F, x, a, b, *, beta, alpha): return F.blend(x, F.matmul(a, b), beta, alpha)
    def into(F, x, a, b, *, beta, alpha): F.add_product(x, a, b, beta, alpha)
    def grad_x(F, g, *, beta, alpha): return _times(g, beta)
    def grad_a(F, g, b, *, beta, alpha): return _times(F.unsqueeze(g, -1) * b, alpha)
    def grad_b(F, g, a, *, beta, alpha): return _product(F, a.T, g, alpha)

    @writes
    def call(input, mat, vec, *, beta=1, alpha=1):
        # PyTorch's error for factors that do not fit asks an input for its size, and one without axes has none
        if not input._a.ndim and mat._a.ndim == 2 and vec._a.ndim == 1 and vec._a.shape != mat._a.shape[1:]:
            raise DimError(align_right(("mat", mat._a.shape), ("vec", vec._a.shape)),
                           "addmv: a matrix has as many columns as the vector cells", "mat.t(), or another vec")
        return _plan(addmv.op, lambda a, b: ((a[1], b[0]), a[:1]), (2, 1), beta, alpha, input=input, mat=mat, vec=vec)


@op
class addr:
    """y = beta * x + alpha * outer(a, b)        dx = g * beta        da = alpha * (g @ b)        db = alpha * (g.T @ a)

    Shapes: a (i,), b (j,), x broadcasts to (i, j). Of several dtypes the common one is that of the result.
    Raises: ShapeError, DTypeError (RuntimeErrors).
    Source: https://pytorch.org/docs/stable/generated/torch.addr.html

    Example:
        >>> import rustyflow as rf
        >>> rf.addr(rf.zeros(2, 2), rf.tensor([1., 2.]), rf.tensor([3., 4.]))
        tensor([[3., 4.],
                [6., 8.]])
    """
    def forward(F, x, a, b, *, beta, alpha):
        if not x.flags.c_contiguous and x.shape == (*a.shape, *b.shape) and 0 < F.stride(x)[0] < F.stride(x)[1]:
            return addr.op.forward(F, x.T, b, a, beta=beta, alpha=alpha).T  # laid as x is
        return F.blend(x, F.unsqueeze(a, -1) * b, beta, alpha)

    def into(F, x, a, b, *, beta, alpha):
        F.over(lambda F, x, a, b: F.blend(x, a * b, beta, alpha), F, x, F.unsqueeze(a, -1), b)

    def grad_x(F, g, *, beta, alpha): return _times(g, beta)
    def grad_a(F, g, b, *, beta, alpha): return _product(F, g, b, alpha)
    def grad_b(F, g, a, *, beta, alpha): return _product(F, g.T, a, alpha)

    @writes
    def call(input, vec1, vec2, *, beta=1, alpha=1):
        need_tensors("addr", input=input, vec1=vec1, vec2=vec2)
        common = promote_types(input.dtype, promote_types(vec1.dtype, vec2.dtype))  # also of an input without axes
        x, vec1, vec2 = [v if v.dtype is common else v.to(common) for v in (input, vec1, vec2)]
        beta, alpha = factor("addr", "beta", beta, vec1), factor("addr", "alpha", alpha, vec1)
        return _plan(addr.op, lambda a, b: ((), a + b), (1, 1), beta, alpha, input=x, vec1=vec1, vec2=vec2)


@op
class baddbmm:
    """y = beta * x + alpha * (a @ b)        dx = g * beta        da = alpha * (g @ b.mT)        db = alpha * (a.mT @ g)

    Shapes: a (n, i, k), b (n, k, j), x broadcasts to (n, i, j).
    Raises: MatmulError, ShapeError, DTypeError (RuntimeErrors).
    Source: https://pytorch.org/docs/stable/generated/torch.baddbmm.html

    Example:
        >>> import rustyflow as rf
        >>> rf.baddbmm(rf.ones(2, 1, 1), rf.ones(2, 1, 3), rf.ones(2, 3, 1)).flatten()
        tensor([4., 4.])
    """
    promote = None
    def forward(F, x, a, b, *, beta, alpha): return F.blend(x, F.matmul(a, b), beta, alpha)
    def into(F, x, a, b, *, beta, alpha): F.add_product(x, a, b, beta, alpha)
    def grad_x(F, g, *, beta, alpha): return _times(g, beta)
    def grad_a(F, g, b, *, beta, alpha): return _product(F, g, b.mT, alpha)
    def grad_b(F, g, a, *, beta, alpha): return _product(F, a.mT, g, alpha)

    @writes
    def call(input, batch1, batch2, *, beta=1, alpha=1):
        return _plan(baddbmm.op, lambda a, b: ((a[2], b[1]), a[:2] + b[2:]), (3, 3), beta, alpha,
                     input=input, batch1=batch1, batch2=batch2)


@op
class addbmm:
    """y = beta * x + alpha * sum(a @ b, 0)
    dx = g * beta        da = alpha * (g @ b.mT)        db = alpha * (a.mT @ g)

    Shapes: a (n, i, k), b (n, k, j), x broadcasts to (i, j).
    Raises: MatmulError, ShapeError, DTypeError (RuntimeErrors).
    Source: https://pytorch.org/docs/stable/generated/torch.addbmm.html

    Example:
        >>> import rustyflow as rf
        >>> rf.addbmm(rf.ones(1, 1), rf.ones(2, 1, 3), rf.ones(2, 3, 1))
        tensor([[7.]])
    """
    promote = None
    def into(F, x, a, b, *, beta, alpha): F.add_products(x, a, b, beta, alpha)

    def forward(F, x, a, b, *, beta, alpha):
        y = F.dense(F.expand(x, (a.shape[1], b.shape[2])))
        F.add_products(y, a, b, beta, alpha)
        return y

    def grad_x(F, g, *, beta, alpha): return _times(g, beta)
    def grad_a(F, g, b, *, beta, alpha): return _product(F, F.unsqueeze(g, 0), b.mT, alpha)
    def grad_b(F, g, a, *, beta, alpha): return _product(F, a.mT, F.unsqueeze(g, 0), alpha)

    @writes
    def call(input, batch1, batch2, *, beta=1, alpha=1):
        return _plan(addbmm.op, lambda a, b: ((a[2], b[1]), a[1:2] + b[2:]), (3, 3), beta, alpha,
                     input=input, batch1=batch1, batch2=batch2)


attach(addmm, addmv, addr, addbmm, baddbmm)
