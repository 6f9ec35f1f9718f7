"""Elementwise ops: arithmetic, exponentials, trigonometry, comparisons and selection."""
from __future__ import annotations

from .registry import apply, op


@op(inplace=True)
class add:
    """y = a + alpha * b        da = g        db = g * alpha

    Sum of two tensors, or of a tensor and a number; shapes broadcast.
    Source: https://pytorch.org/docs/stable/generated/torch.add.html

    Example:
        >>> import rustyflow as rf
        >>> rf.add(rf.tensor([1., 2.]), 10)
        tensor([11., 12.])
    """
    def forward(F, a, b): return a + b
    def grad_a(F, g): return g
    def grad_b(F, g): return g


@op(inplace=True)
class sub:
    """y = a - b        da = g        db = -g"""
    def forward(F, a, b): return a - b
    def grad_a(F, g): return g
    def grad_b(F, g): return -g


@op(inplace=True)
class mul:
    """y = a * b        da = g * b        db = g * a"""
    def forward(F, a, b): return a * b
    def grad_a(F, g, b): return g * b
    def grad_b(F, g, a): return g * a


@op(inplace=True)
class div:
    """y = a / b        da = g / b        db = -g * y / b"""
    promote = "float"
    def forward(F, a, b): return a / b
    def grad_a(F, g, b): return g / b
    def grad_b(F, g, a, b): return -g * ((a / b) / b)


@op(inplace=True)
class pow:
    """y = a ** b        da = g * b * a**(b - 1), 0 where b is 0        db = g * y * log(a), 0 where a is 0 and b >= 0"""
    def forward(F, a, b): return a ** b
    def grad_a(F, g, a, b): return F.where(b == 0, 0.0, g * (b * a ** (b - 1)))
    def grad_b(F, g, a, b, y): return F.where((a == 0) & (b >= 0), 0.0, g * (y * F.log(a)))


@op(inplace=True)
class neg:
    """y = -x        dx = -g"""
    def forward(F, x): return -x
    def grad_x(F, g): return -g


@op(inplace=True)
class exp:
    """y = exp(x)        dx = g * y"""
    promote = "float"
    def forward(F, x): return F.exp(x)
    def grad_x(F, g, y): return g * y


@op(inplace=True)
class log:
    """y = log(x)        dx = g / x"""
    promote = "float"
    def forward(F, x): return F.log(x)
    def grad_x(F, g, x): return g / x


@op(inplace=True)
class cos:
    """y = cos(x)        dx = -g * sin(x)"""
    promote = "float"
    def forward(F, x): return F.cos(x)
    def grad_x(F, g, x): return -g * F.sin(x)


@op(inplace=True)
class sin:
    """y = sin(x)        dx = g * cos(x)"""
    promote = "float"
    def forward(F, x): return F.sin(x)
    def grad_x(F, g, x): return g * F.cos(x)


@op(inplace=True)
class tanh:
    """y = tanh(x)        dx = g * (1 - y * y)"""
    promote = "float"
    def forward(F, x): return F.tanh(x)
    def grad_x(F, g, y): return g * (1 - y * y)


@op(inplace=True)
class sigmoid:
    """y = 1 / (1 + exp(-x))        dx = g * y * (1 - y)"""
    promote = "float"
    def forward(F, x): return F.sigmoid(x)
    def grad_x(F, g, y): return g * (y * (1 - y))


@op(inplace=True)
class relu:
    """y = maximum(x, 0)        dx = g where y > 0, else 0"""
    kinks = "at x = 0 the gradient is 0"
    def forward(F, x): return F.maximum(x, 0)
    def grad_x(F, g, y): return g * (y > 0)


@op
class where:
    """y = a where condition, else b        da = g where condition, else 0        db = 0 where condition, else g"""
    def forward(F, condition, a, b): return F.where(condition, a, b)
    def grad_a(F, g, condition): return F.where(condition, g, 0.0)
    def grad_b(F, g, condition): return F.where(condition, 0.0, g)

    def call(condition, input=None, other=None):
        return apply(where.op, condition, input, other)


def _compare(name, symbol, forward):
    doc = f"y = a {symbol} b, a tensor of bools; shapes broadcast.\n\nSource: https://pytorch.org/docs/stable/generated/torch.{name}.html"
    return op(type(name, (), {"__doc__": doc, "forward": forward, "__module__": __name__}))


eq = _compare("eq", "==", lambda F, a, b: a == b)
ne = _compare("ne", "!=", lambda F, a, b: a != b)
lt = _compare("lt", "<", lambda F, a, b: a < b)
le = _compare("le", "<=", lambda F, a, b: a <= b)
gt = _compare("gt", ">", lambda F, a, b: a > b)
ge = _compare("ge", ">=", lambda F, a, b: a >= b)
