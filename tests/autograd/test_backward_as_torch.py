"""Backward and its modes, right and wrong: each program gives PyTorch's result, or an error of PyTorch's type."""

import threading

import pytest

import rustyflow as rf
from tests.autograd.outcome import leaf, ones, outcome

torch = pytest.importorskip("torch")


def backward(how, *more):
    """The leaf's gradient after a backward of exp."""

    def program(m):
        x = leaf(m)
        how(m, x)
        return x.grad

    return program


def two_leaves(how):
    def program(m):
        x, z = leaf(m), leaf(m)
        found = how(m, x, z)
        return found, x.grad, z.grad

    return program


def second(m, x):
    y = (x * x).sum()
    y.backward()
    y.backward()


def partly_freed(m, x):
    a = x * x
    b, c = a.sum(), a.prod()
    b.backward()
    c.backward()


def twice(make):
    """A second walk, with nothing retained, through what `make` makes of a result."""

    def program(m):
        x = leaf(m)
        y = make(m, x + 0).sum()
        return y.backward(), y.backward(), x.grad

    return program


def set_to(key, value):
    """The tensor after a write into it."""

    def make(m, x):
        x[key] = value(m, x) if callable(value) else value
        return x

    return make


TWICE = {
    "by a number": lambda m, x: m.lerp(x, ones(m), 0.5),
    "by a tensor": lambda m, x: m.lerp(x, ones(m), ones(m)),
    "divided by a number": lambda m, x: x / 2,
    "the rest by a number": lambda m, x: x.remainder(2),
    "the rest by an untracked tensor": lambda m, x: x.remainder(ones(m)),
    "above a number": lambda m, x: x.clamp(min=2),
    "filled by a number": lambda m, x: x.masked_fill(m.tensor([True, False, True]), 2.0),
    "means of neighbours": lambda m, x: m.trapezoid(x, dx=2),
    "cells moved": lambda m, x: m.nn.functional.pixel_shuffle(x.expand(4, 3).reshape(1, 4, 1, 3), 2),
    "windows": lambda m, x: m.nn.functional.unfold(x.expand(1, 1, 3, 3), 2),
    "resized": lambda m, x: m.nn.functional.interpolate(x[None, None], 5),
    "a cell written": set_to(0, 2.0),
    "cells written": set_to(slice(1, None), lambda m, x: ones(m, 2)),
    "every cell written": set_to(slice(None), 2.0),
    "a view written to": lambda m, x: (x[1:].add_(1), x)[1],
}


def doubled(m):
    x = leaf(m)
    (x**3).sum().backward(create_graph=True)
    (x**2).sum().backward(create_graph=True)
    return m.autograd.grad(x.grad.sum(), x)


def added_to(grad):
    """The leaf's gradient after a backward that finds one there."""

    def program(m):
        x = leaf(m)
        x.grad = grad(m, x)
        (x * ones(m)).sum().backward()
        return x.grad

    return program


def laid_as_the_leaf(m):
    """The first gradient that a tracked backward leaves."""
    x = ones(m, 2, 3, requires_grad=True)
    (x.t() * x.t()).sum().backward(create_graph=True)
    return x.grad, x.grad.stride(), type(x.grad.grad_fn).__name__, x.grad._version


def moved_through_data(m):
    """A backward whose saved tensor got other numbers through .data, and then through itself."""
    x = leaf(m)
    y, z = (x**2).sum(), (x**3).sum()
    x.data *= 2
    y.backward()
    first = x.grad.tolist(), x._version
    with m.no_grad():
        x.mul_(2)
    return first, x._version, z.backward()


def detached(use, then=lambda y: None):
    """A backward through a use of a result that is detached in place before."""

    def program(m):
        x = leaf(m)
        y = x.exp()
        z = use(m, y).sum()
        y.detach_()
        then(y)
        z.backward()
        return x.grad, y.grad, y.is_leaf

    return program


def other_data(before, after):
    """A backward after x.data was set to a longer tensor."""

    def program(m):
        x = leaf(m)
        y = before(x)
        x.data = ones(m, 4)
        (y if after is None else after(x)).backward()

    return program


ROOTS = {
    "no number": backward(lambda m, x: x.exp().backward()),
    "another shape": backward(lambda m, x: x.exp().backward(ones(m, 2))),
    "a shape that would broadcast": backward(lambda m, x: x.exp().backward(ones(m, 1))),
    "another float": backward(lambda m, x: x.exp().backward(m.ones(3))),
    "a list": backward(lambda m, x: x.exp().backward([1.0, 1.0, 1.0])),
    "a tracked seed": backward(lambda m, x: x.exp().backward(leaf(m))),
    "whole numbers": backward(lambda m, x: x.argmax().backward()),
    "several": backward(lambda m, x: m.autograd.backward([x.sum(), (x * x).sum()])),
    "one untracked": backward(lambda m, x: m.autograd.backward([x.sum(), ones(m, 1).sum()])),
    "too few seeds": backward(lambda m, x: m.autograd.backward([x.sum(), x.sum()], [None])),
    "a leaf": lambda m: leaf(m, 2.0).backward(),
    "twice": backward(second),
    "twice, nothing saved": backward(lambda m, x: [(x + 1).sum().backward()] * 2),
    "partly freed": backward(partly_freed),
    "no tensor": lambda m: m.autograd.backward(3.0),
    "inputs that are no tensors": backward(lambda m, x: x.sum().backward(inputs=[3.0])),
    "grad of no tensor": lambda m: m.autograd.grad(3.0, leaf(m)),
    "grad for no tensor": backward(lambda m, x: m.autograd.grad(x.sum(), [3.0])),
    "a root of no use": two_leaves(
        lambda m, x, z: (lambda y: (m.autograd.backward([x.sum(), y], inputs=[x]), y.backward())[1:])(z.exp().sum())
    ),
    "a leaf detached between two walks": lambda m: (
        lambda x: (lambda y: (x.sum().backward(), x.detach_(), y.backward(), x.grad)[3])(x.exp().sum()))(leaf(m)),
    "a result detached in place that was read": detached(lambda m, y: y.sin()),
    "a result detached in place that was read twice": detached(lambda m, y: y * y),
    "a result detached in place that is none's to read": detached(lambda m, y: y + 1),
    "a result detached in place and tracked again": detached(lambda m, y: y.sin(), then=lambda y: y.requires_grad_()),
    "a result detached in place, then read": lambda m: (
        lambda x, y: (y.detach_(), (y * y * x).sum().backward(), x.grad)[2])(x := leaf(m), x.exp()),
    "a leaf detached in place": lambda m: (lambda x: (x.exp().sum().backward(), x.detach_(), x.grad)[1:])(leaf(m)),
    "no inputs": backward(lambda m, x: x.sum().backward(inputs=[])),
    "untracked inputs": backward(lambda m, x: x.sum().backward(inputs=[ones(m)])),
    "one input": two_leaves(lambda m, x, z: (x * z).sum().backward(inputs=x)),
    "an input out of reach": two_leaves(lambda m, x, z: x.sum().backward(inputs=[z])),
    "unused": two_leaves(lambda m, x, z: m.autograd.grad(x.sum(), [x, z])),
    "unused, allowed": two_leaves(lambda m, x, z: m.autograd.grad(x.sum(), [x, z], allow_unused=True)),
    "unused, zeros": two_leaves(lambda m, x, z: m.autograd.grad(x.sum(), [x, z], materialize_grads=True)),
    "zeros but not allowed": two_leaves(
        lambda m, x, z: m.autograd.grad(x.sum(), [x], materialize_grads=True, allow_unused=False)
    ),
    "no input": two_leaves(lambda m, x, z: m.autograd.grad(x.sum(), [])),
    "an input twice": two_leaves(lambda m, x, z: m.autograd.grad((x * x).sum(), [x, x])),
    "a leaf by itself": lambda m: (lambda x: m.autograd.grad(x, x))(leaf(m, 2.0)),
    "second derivatives in .grad": doubled,
    "grad of another shape": lambda m: setattr(leaf(m), "grad", ones(m, 2)),
    "grad of another dtype": lambda m: setattr(leaf(m), "grad", m.ones(3)),
    "grad a number": lambda m: setattr(leaf(m), "grad", 3),
    "grad the leaf": lambda m: (lambda x: setattr(x, "grad", x))(leaf(m)),
    "grad in memory of one cell": added_to(lambda m, x: ones(m, 1).expand(3)),
    "grad in the leaf's own memory": added_to(lambda m, x: x.detach()),
    "other data than was saved": other_data(lambda x: (x * x).sum(), None),
    "other data than has a grad": other_data(lambda x: x.sum().backward(), lambda x: x.exp().sum()),
    "whole numbers tracked": lambda m: m.ones(3, dtype=m.int64).requires_grad_(),
    "a result untracked": lambda m: (leaf(m) * 2).requires_grad_(False),
    "a result's flag": lambda m: setattr(leaf(m) * 2, "requires_grad", True),
    "a view detached in place": lambda m: (leaf(m) * 2)[0].detach_(),
    "a leaf written to": lambda m: leaf(m).add_(1),
    "modes": lambda m: m.set_grad_enabled("yes"),
}


def anomaly(program, **how):
    def watched(m):
        with m.autograd.detect_anomaly(**how):
            return program(m)

    return watched


def generator(m):
    @m.no_grad()
    def steps(x):
        for _ in range(2):
            yield (x * 2).requires_grad

    return [(tracked, m.is_grad_enabled()) for tracked in steps(leaf(m))]


def inner(m):
    x = leaf(m)

    def hook(g):
        with m.enable_grad():
            (x * 3).sum().backward()

    y = x * x
    y.register_hook(hook)
    y.sum().backward()
    return x.grad


def inner_without_grad(m):
    x = leaf(m)
    y = x * 2
    y.register_hook(lambda g: (x * 5).sum().backward())
    y.sum().backward()


def inner_freed(m):
    x = leaf(m)
    y = x.exp()
    z = (y * y).sum()
    y.register_hook(lambda g: z.backward())
    z.backward()


def interrupted(m):
    x, first = leaf(m), [1]
    y = x.exp()
    z = y.exp().sum()

    def hook(g):
        if first:
            first.clear()
            raise KeyboardInterrupt

    y.register_hook(hook)
    try:
        z.backward(retain_graph=True)
    except KeyboardInterrupt:
        assert x.grad is None and m.is_grad_enabled()
    z.backward()
    return x.grad


def in_threads(m):
    found, shared = {}, leaf(m)

    def work(k):
        with m.no_grad() if k % 2 else m.enable_grad():
            x = leaf(m, float(k))
            tracked = (x * 2).requires_grad
        for _ in range(50):
            (x * x * x).sum().backward()
        found[k] = tracked, x.grad.item(), m.autograd.grad((shared * k).sum(), shared)[0].tolist()

    with m.no_grad():
        threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    return [found[k] for k in sorted(found)]


def mode_again(m):
    off, found = m.set_grad_enabled(mode=False), []
    m.set_grad_enabled(True)
    with off:
        found.append(m.is_grad_enabled())
    return found, m.is_grad_enabled()


WHOLE = {
    "a tracked gradient's memory": laid_as_the_leaf,
    "through .data": lambda m: (lambda x, y: (x.data.mul_(2), setattr(x, "data", x.data * 2), y.backward(), x.grad)[3])(
        x := leaf(m), (x**2).sum()
    ),
    "through .data and not": moved_through_data,
    "a mode entered again": mode_again,
    "nan": anomaly(lambda m: leaf(m, -1.0).sqrt().backward()),
    "whether it is on": lambda m: (anomaly(lambda m: m.is_anomaly_enabled())(m), m.is_anomaly_enabled()),
    "nan unchecked": anomaly(backward(lambda m, x: (-x).sqrt().sum().backward()), check_nan=False),
    "infinity": anomaly(lambda m: (lambda x: x.log().backward() or x.grad)(leaf(m, 0.0))),
    "generator": generator,
    "backward in backward": inner,
    "backward in backward, nothing tracked": inner_without_grad,
    "backward in backward, freed": inner_freed,
    "interrupted": interrupted,
    "threads": in_threads,
}

PROGRAMS = ROOTS | WHOLE | {f"{name}, twice": twice(make) for name, make in TWICE.items()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_what_it_does_under_pytorch(name):
    assert str(outcome(rf, PROGRAMS[name])) == str(outcome(torch, PROGRAMS[name]))
