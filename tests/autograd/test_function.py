"""Custom Functions, hooks, anomaly detection, and derivatives of functions."""

import runpy

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.autograd import Function, functional, gradcheck, gradgradcheck


class Sphere(Function):
    """Two results, one saved input, one saved result, one plain argument."""

    @staticmethod
    def forward(ctx, x, n):
        y = x.exp()
        ctx.save_for_backward(x, y)
        ctx.n = n
        return y, x * x * n

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y + h * 2 * x * ctx.n, None


def doubles(*values):
    return rf.tensor(values, dtype=rf.float64, requires_grad=True)


def test_a_function_with_two_results_first_and_second_derivatives():
    assert gradcheck(lambda x: Sphere.apply(x, 3), doubles(0.5, -1.0))
    assert gradgradcheck(lambda x: Sphere.apply(x, 3), doubles(0.5, -1.0))


def test_an_unused_result_comes_as_zeros_or_as_none():
    class Seen(Function):
        got = []

        @staticmethod
        def forward(ctx, x, materialize):
            ctx.set_materialize_grads(materialize)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, g, h):
            Seen.got.append(h if h is None else h.tolist())
            return g, None

    for wanted in (True, False):
        Seen.apply(doubles(1.0), wanted)[0].sum().backward()
    assert Seen.got == [[0.0], None]


def test_the_number_and_shape_of_gradients_is_checked():
    def make(back):
        return type(
            "Wrong", (Function,), {"forward": staticmethod(lambda ctx, x, y: x * y), "backward": staticmethod(back)}
        )

    x = doubles(1.0, 2.0)
    with pytest.raises(RuntimeError, match="incorrect number of gradients"):
        make(lambda ctx, g: g).apply(x, x).sum().backward()
    with pytest.raises(RuntimeError, match="invalid gradient at index 0"):
        make(lambda ctx, g: (rf.ones(3, dtype=rf.float64), None)).apply(x, x).sum().backward()


def test_mark_dirty_and_non_differentiable():
    class Shift(Function):
        @staticmethod
        def forward(ctx, x):
            x.add_(1)
            ctx.mark_dirty(x)
            whole = x.floor()
            ctx.mark_non_differentiable(whole)
            return x, whole

        @staticmethod
        def backward(ctx, g, _):
            return g * 10

    x = doubles(0.5)
    y = x * 2
    shifted, whole = Shift.apply(y)
    assert shifted is y and y.item() == 2.0 and not whole.requires_grad
    y.sum().backward()
    assert x.grad.item() == 20.0


def test_once_differentiable_refuses_a_second_derivative():
    from rustyflow.autograd.function import once_differentiable

    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            return g * 2

    x = doubles(1.0)
    Once.apply(x * x).sum().backward()
    (g,) = rf.autograd.grad((Once.apply(x * x) ** 2).sum(), x, create_graph=True)
    assert g.item() == 16.0  # of 4 x ** 4
    with pytest.raises(RuntimeError, match="once_differentiable"):
        g.sum().backward()


def test_what_a_node_lacks_is_said_by_its_own_name():
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g

    with pytest.raises(AttributeError, match="'SameBackward' object has no attribute 'foo'"):
        _ = Same.apply(doubles(1.0)).grad_fn.foo


@pytest.mark.parametrize("name", ["node", "to_save", "dirty", "apart", "materialize"])
def test_what_a_program_assigns_to_ctx_is_its_own(name):
    class Twice(Function):
        @staticmethod
        def forward(ctx, x):
            setattr(ctx, name, "mine")
            ctx.save_for_backward(x)
            ctx.mark_non_differentiable(at := x > 0)
            return x * 2, at

        @staticmethod
        def backward(ctx, g, _):
            assert getattr(ctx, name) == "mine" and ctx.saved_tensors[0].item() == 3.0
            return g * 2

    x = doubles(3.0)
    Twice.apply(x)[0].backward()
    assert x.grad.item() == 2.0


def test_setup_context_style():
    class Square(Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    x = doubles(3.0)
    Square.apply(x).backward()
    assert x.grad.item() == 6.0


def test_tensor_hooks_run_on_the_whole_gradient_in_order_and_can_be_removed():
    x, seen = doubles(1.0), []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.item()))
    handle = y.register_hook(lambda g: g * 100)
    (y + y * 3).backward(retain_graph=True)
    handle.remove()
    (y + y * 3).backward()
    assert seen == [4.0, 4.0] and x.grad.item() == 800.0 + 8.0


@pytest.mark.parametrize(
    "hook, message",
    [
        (lambda g: rf.ones(7, dtype=rf.float64), "changed the size"),
        (lambda g: 3, "Tensor or None"),
        (lambda g: g.float(), "changed the type"),
    ],
)
def test_a_hook_that_returns_nonsense_is_named(hook, message):
    x = doubles(1.0, 2.0)
    x.register_hook(hook)
    with pytest.raises((RuntimeError, TypeError), match=message):
        x.sum().backward()


def test_a_mistake_in_a_readers_function_is_told_as_it_is():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g.foo

    with pytest.raises(AttributeError, match="^'Tensor' object has no attribute 'foo'"):
        Wrong.apply(doubles(1.0)).sum().backward()
    with pytest.raises(AttributeError, match="^'Tensor' object has no attribute 'foo'"):
        gradcheck(lambda x: x.foo, doubles(1.0))
    for hook, told in ((lambda: 1, "takes 0 positional arguments but 1 was given$"), (3, "int. object is not c")):
        y = doubles(1.0) * 2
        y.register_hook(hook)
        with pytest.raises(TypeError, match=told):
            y.sum().backward()


def test_retain_grad_post_accumulate_and_node_hooks():
    x, order = doubles(1.0), []
    y = x * 2
    y.retain_grad()
    x.register_post_accumulate_grad_hook(lambda p: order.append(("leaf", p.grad.item())))
    y.grad_fn.register_hook(lambda into, out: order.append(("node", into[0].item(), out[0].item())))
    (y * 5).backward()
    assert y.grad.item() == 5.0 and y.retains_grad and order == [("node", 10.0, 5.0), ("leaf", 10.0)]


def test_anomaly_detection_names_the_op_and_the_line():
    x = rf.tensor([-1.0, 4.0], requires_grad=True)
    with rf.autograd.detect_anomaly():
        y = x.sqrt().sum()  # the line to be named
        with pytest.raises(
            RuntimeError,
            match=r"(?s)SqrtBackward0, test_function.py.*the line to be named.*nan values in its 0th output",
        ):
            y.backward()
    x.sqrt().sum().backward()


def test_anomaly_detection_ends_as_it_began():
    def nan_is_found():
        try:
            rf.tensor(-1.0, requires_grad=True).sqrt().backward()
        except RuntimeError:
            return True
        return False

    with rf.autograd.detect_anomaly(check_nan=False):
        with rf.autograd.detect_anomaly():
            assert nan_is_found()
        assert rf.is_anomaly_enabled() and not nan_is_found()
    with rf.autograd.detect_anomaly():
        with rf.autograd.detect_anomaly(check_nan=False):
            assert not nan_is_found()
        assert nan_is_found()
    assert not rf.is_anomaly_enabled() and not nan_is_found()


def test_anomaly_detection_takes_no_folder_for_the_library_by_its_name(tmp_path):
    program = tmp_path / "rustyflow" / "mine.py"
    program.parent.mkdir()
    program.write_text("def root(x):\n    return x.sqrt()  # mine\n")
    with rf.autograd.detect_anomaly():
        y = runpy.run_path(str(program))["root"](rf.tensor(-1.0, requires_grad=True))
        with pytest.raises(RuntimeError, match=r"mine.py, line 2.*# mine"):
            y.backward()


def test_functional_derivatives_of_a_function_worked_by_hand():
    f = lambda x, y: x * x * y  # noqa: E731
    x, y = doubles(1.0, 2.0), doubles(3.0, 5.0)
    jx, jy = functional.jacobian(f, (x, y))
    assert jx.tolist() == [[6.0, 0.0], [0.0, 20.0]] and jy.tolist() == [[1.0, 0.0], [0.0, 4.0]]
    v = rf.tensor([1.0, 10.0], dtype=rf.float64)
    assert functional.vjp(f, (x, y), v)[1][0].tolist() == [6.0, 200.0]
    assert functional.jvp(f, (x, y), (v, v))[1].tolist() == [7.0, 240.0]
    h = functional.hessian(lambda x, y: f(x, y).sum(), (x, y))
    assert h[0][0].tolist() == [[6.0, 0.0], [0.0, 10.0]] and h[0][1].tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_gradcheck_finds_a_wrong_rule():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a - b

        @staticmethod
        def backward(ctx, g):
            return g, g

    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        gradcheck(Wrong.apply, (doubles(1.0), doubles(2.0)))
    assert not gradcheck(Wrong.apply, (doubles(1.0), doubles(2.0)), raise_exception=False)


@pytest.mark.parametrize("name", ["jacobian", "hessian", "vjp", "jvp"])
def test_functional_agrees_with_pytorch(name):
    torch = pytest.importorskip("torch")
    data = np.linspace(-1, 1, 6).reshape(2, 3)

    def run(m):
        x = m.tensor(data, dtype=m.float64)
        f = (lambda x: (x.exp() * x.sum(0)).sum()) if name == "hessian" else (lambda x: x.exp() * x.sum(0))
        of = m.autograd.functional
        extra = () if name in ("jacobian", "hessian") else (m.tensor(data[::-1].copy(), dtype=m.float64),)
        out = getattr(of, name)(f, x, *extra)
        return [o.numpy() for o in (out if isinstance(out, tuple) else (out,))]

    for ours, theirs in zip(run(rf), run(torch), strict=False):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
