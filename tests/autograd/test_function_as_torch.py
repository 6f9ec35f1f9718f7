"""Functions of one's own and derivatives of functions, right and wrong: PyTorch's result, or an error of its type."""

import numpy as np
import pytest

import rustyflow as rf
from tests.autograd.outcome import leaf, ones, outcome

torch = pytest.importorskip("torch")


def function(m, forward, backward, **more):
    return type(
        "Own", (m.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward), **more}
    )


def gives(backward, arguments=1):
    """The leaf's gradient through a Function whose backward is this."""

    def program(m):
        x = leaf(m)
        forward = (lambda ctx, x: x * 2) if arguments == 1 else lambda ctx, x, y: x * y
        function(m, forward, backward).apply(*[x] * arguments).sum().backward()
        return x.grad

    return program


def keeps(forward, then=lambda m, x, y: m.autograd.grad(y.sum(), x), backward=lambda ctx, g: g * 7, on=lambda x: x * 1):
    """What comes of a Function whose forward is this."""

    def program(m):
        x = leaf(m)
        return then(m, x, function(m, forward, backward).apply(on(x)))

    return program


def saving(ctx, x):
    ctx.save_for_backward(x)
    return x**3


def forgets(m, *numbers):
    """What gradcheck says of a rule that sends the factor alone, on as many numbers."""
    x = m.tensor(list(numbers), dtype=m.float64, requires_grad=True)
    own = function(m, lambda ctx, x: x * 2, lambda ctx, g: m.full_like(g, 2))
    return m.autograd.gradcheck(own.apply, (x,), raise_exception=False), m.autograd.gradcheck(own.apply, (x,))


def by_keyword(m):
    x, k = leaf(m), leaf(m, 5.0)
    own = function(m, lambda ctx, x, k: x * k, lambda ctx, g: (g * 2, g.sum() * 3))
    return m.autograd.grad(own.apply(k=k, x=x).sum(), [x, k])


def left_out(m):
    seen = []
    more = {"setup_context": staticmethod(lambda ctx, inputs, output: seen.append(inputs[1:]))}
    own = function(m, lambda x, k=2: x * k, lambda ctx, g: (g, None), **more)
    x = leaf(m)
    return m.autograd.grad(own.apply(x).sum(), x), seen


def dirty(ctx, x):
    x.add_(1)
    ctx.mark_dirty(x)
    return x


def dirty_and_not_returned(ctx, x):
    dirty(ctx, x)
    return x * 2


def dirty_among_others(ctx, x):
    return dirty(ctx, x), x * 2


def apart(ctx, x):
    y = x * 2
    ctx.mark_non_differentiable(y)
    return x * 3, y


def cube(ctx, g):
    return g * 3 * ctx.saved_tensors[0] ** 2


def twice(m, x, y):
    (g,) = m.autograd.grad(y.sum(), x, create_graph=True)
    return m.autograd.grad(g.sum(), x)


def first(m, x, y):
    return m.autograd.grad(y[0].sum(), x)


def again(m, x, y):
    y.sum().backward()
    y.sum().backward()
    return x.grad


def two_of_three(m):
    own = function(
        m,
        lambda ctx, x: ctx.save_for_backward(x) or (x**2, x**3, x.long()),
        lambda ctx, g, h, i: (2 * g + 3 * h * ctx.saved_tensors[0]) * ctx.saved_tensors[0],
    )
    (g,) = m.autograd.grad(own.apply(x := leaf(m))[1].sum(), x, create_graph=True)
    return g, m.autograd.grad(g.sum(), x)


FUNCTIONS = {
    **{
        f"{name}, {n}": gives(back, n)
        for n in (1, 2)
        for name, back in {
            "none": lambda ctx, g: None,
            "one": lambda ctx, g: g,
            "two": lambda ctx, g: (g, g),
            "and none": lambda ctx, g: (g, None, None),
            "fewer cells": lambda ctx, g: g[:1],
            "one number": lambda ctx, g: g.sum(),
            "another float": lambda ctx, g: g.float(),
            "a number": lambda ctx, g: 3.0,
            "a list": lambda ctx, g: [g],
            "raises": lambda ctx, g: 1 / 0,
            "stretched": lambda ctx, g: g.expand(2, 3),
            "an array": lambda ctx, g: np.ones(3),
        }.items()
    },
    "as it came": keeps(lambda ctx, x: x),
    "a view": keeps(lambda ctx, x: x.view(3, 1), backward=lambda ctx, g: g.view(3)),
    "a view, written to": keeps(lambda ctx, x: x.view(3, 1), lambda m, x, y: y.mul_(2)),
    "a number for a result": keeps(lambda ctx, x: 3.0, lambda m, x, y: y),
    "other things beside": keeps(
        lambda ctx, x: (x * 2, "a", None),
        lambda m, x, y: (y[1:], m.autograd.grad(y[0].sum(), x)),
        lambda ctx, g, *_: g * 5,
    ),
    "a list of results": keeps(lambda ctx, x: [x * 2], lambda m, x, y: [part.requires_grad for part in y]),
    "whole numbers": keeps(lambda ctx, x: x.long(), lambda m, x, y: y.requires_grad),
    "saved": keeps(saving, backward=cube),
    "saves a number": keeps(lambda ctx, x: ctx.save_for_backward(3) or x * 2),
    "saved and overwritten": keeps(saving, lambda m, x, y: again(m, x, y), cube),
    "second derivative": keeps(saving, twice, cube),
    "again": keeps(lambda ctx, x: x * 2, again),
    "dirty": keeps(dirty),
    "dirty leaf": keeps(dirty, on=lambda x: x),
    "dirty view": keeps(dirty, on=lambda x: (x * 2)[1:]),
    "dirty, as often as it is counted": keeps(dirty, lambda m, x, y: y._version),
    "dirty and untracked, as often as it is counted": keeps(
        dirty, lambda m, x, y: y._version, on=lambda x: x.detach().clone()
    ),
    "dirty and not returned": keeps(dirty_and_not_returned),
    "dirty, one of two": keeps(dirty_among_others, first, backward=lambda ctx, g, h: g * 7),
    "dirty view, one of two": keeps(
        dirty_among_others, first, backward=lambda ctx, g, h: g * 7, on=lambda x: (x * 2)[1:]
    ),
    "dirty view, untracked, one of two": keeps(dirty_among_others, lambda m, x, y: y, on=lambda x: x.detach()[1:]),
    "no gradient": keeps(
        apart, lambda m, x, y: (y[1].requires_grad, m.autograd.grad(y[0].sum(), x)), lambda ctx, g, h: g * 5 + h
    ),
    "how it prints": keeps(
        lambda ctx, x: x * 2, lambda m, x, y: repr(y.grad_fn).partition(" ")[0].replace("rustyflow", "torch")
    ),
    "its name": keeps(lambda ctx, x: x * 2, lambda m, x, y: y.grad_fn.name()),
    "ctx is the node": keeps(lambda ctx, x: setattr(ctx, "k", 5) or x * 2, lambda m, x, y: y.grad_fn.k),
    "keywords": lambda m: function(m, lambda ctx, x, k=2: x * k, lambda ctx, g: g).apply(leaf(m), k=3),
    "all by keyword, in another order": by_keyword,
    "left out, for setup_context": left_out,
    "an instance": lambda m: function(m, lambda ctx, x: x, lambda ctx, g: g)()(leaf(m)),
    "one of two results, its gradient recorded": two_of_three,
    "a gradient for a number": lambda m: (
        function(m, lambda ctx, x, k: x * k, lambda ctx, g: (g, g)).apply(leaf(m), 3).sum().backward()
    ),
    "a node that takes a number": lambda m: (
        lambda x, own, seen: (
            (y := own.apply(x, 3, x * 2)).grad_fn.register_hook(lambda into, out: seen.append(len(into))),
            y.sum().backward(),
            seen,
            y.grad_fn.next_functions[1][0].name(),
        )[2:]
    )(leaf(m), function(m, lambda ctx, x, k, z: x * k * z, lambda ctx, g: (g, None, g)), []),
    "no forward": lambda m: type("Own", (m.autograd.Function,), {}).apply(leaf(m)),
    "no backward": lambda m: (
        type("Own", (m.autograd.Function,), {"forward": staticmethod(lambda ctx, x: x * 2)})
        .apply(leaf(m))
        .sum()
        .backward()
    ),
    "vjp": lambda m: m.autograd.grad(
        type(
            "Own",
            (m.autograd.Function,),
            {"forward": staticmethod(lambda ctx, x: x * 2), "vjp": staticmethod(lambda ctx, g: g * 4)},
        )
        .apply(x := leaf(m))
        .sum(),
        x,
    ),
}


def of(name, *arguments, **how):
    return lambda m: getattr(m.autograd.functional, name)(
        *[a(m) if callable(a) and a in (leaf, ones, pair) else a for a in arguments], **how
    )


def counted(m):
    """A value and a product, tracked though nothing around it is; and how often the function was called."""
    calls = []
    with m.no_grad():
        value, product = m.autograd.functional.vhp(
            lambda x: (calls.append(1), (x**3).sum())[1], ones(m), ones(m), create_graph=True
        )
        table = m.autograd.functional.jacobian(lambda x: x**3, ones(m), create_graph=True)
    return value, product, table, len(calls)


def pair(m):
    return leaf(m), leaf(m)


FUNCTIONALS = {
    "vjp": of("vjp", lambda x: x.exp(), leaf, ones),
    "vjp of a number": of("vjp", lambda x: x.sum(), leaf),
    "vjp, no v": of("vjp", lambda x: x.exp(), leaf),
    "vjp, too few v": of("vjp", lambda x: (x * 2, x.sum()), leaf, ones),
    "vjp of two": of("vjp", lambda x, y: x * y, pair, ones),
    "vjp, no tensor": of("vjp", lambda x: 3, leaf),
    "vjp of no tensor": of("vjp", lambda x: x, 3),
    "jacobian of no tensor": of("jacobian", lambda x: 3, leaf),
    "jvp": of("jvp", lambda x: x.exp(), leaf, ones),
    "vjp of another": of("vjp", lambda x: x.detach() * 2, leaf, ones),
    "vjp, strict": of("vjp", lambda x: x.detach() * 2, leaf, ones, strict=True),
    "jvp, no v": of("jvp", lambda x: x.exp(), leaf),
    "vhp": of("vhp", lambda x: (x**3).sum(), leaf, ones),
    "hvp": of("hvp", lambda x: (x**3).sum(), leaf, ones),
    "jacobian": of("jacobian", lambda x: x.exp(), leaf),
    "jacobian of two": of("jacobian", lambda x, y: (x * y, x.sum()), pair),
    "jacobian, tracked": of("jacobian", lambda x: x**3, leaf, create_graph=True),
    "jacobian, strict": of("jacobian", lambda x: x.detach(), leaf, strict=True),
    "hessian": of("hessian", lambda x: (x**3).sum(), leaf),
    "hessian of two": of("hessian", lambda x, y: (x * x * y).sum(), pair),
    "vhp, tracked, in no_grad": counted,
    **{
        f"{name}, strict and tracked, {how}": of(name, f, leaf, *v, strict=True, create_graph=True)
        for name, v in {"jacobian": (), "vjp": (ones,), "jvp": (ones,)}.items()
        for how, f in {"of a line": lambda x: x * 2, "of a curve": lambda x: x**3}.items()
    },
    "hessian, strict and tracked, of a line": of(
        "hessian", lambda x: (x * 2).sum(), leaf, strict=True, create_graph=True
    ),
    "hessian of several": of("hessian", lambda x: x * 2, leaf),
    "hessian of a line": of("hessian", lambda x: (x * 2).sum(), leaf),
    "gradcheck, untracked": lambda m: m.autograd.gradcheck(lambda x: x * 2, ones(m)),
    "gradcheck": lambda m: m.autograd.gradcheck(lambda x, y: (x * y, x.sum()), pair(m)),
    "gradcheck, unknown": lambda m: m.autograd.gradcheck(lambda x: x, leaf(m), speed=1),
    "gradcheck, forgets what arrives at a number": lambda m: forgets(m, 3.0),
    "gradcheck, forgets what arrives at three": lambda m: forgets(m, 3.0, 0.0, -1.5),
    "gradcheck, forgets what arrives at none": lambda m: forgets(m),
    "gradgradcheck": lambda m: m.autograd.gradgradcheck(lambda x: x**3, leaf(m)),
    "gradcheck, fast": lambda m: m.autograd.gradcheck(lambda x: x.exp(), leaf(m), fast_mode=True),
    "gradcheck, cut": lambda m: m.autograd.gradcheck(lambda x: x.detach() * x, leaf(m), raise_exception=False),
}


PROGRAMS = {
    f"{group}: {name}": program
    for group, programs in {"function": FUNCTIONS, "functional": FUNCTIONALS}.items()
    for name, program in programs.items()
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_what_it_does_under_pytorch(name):
    assert str(outcome(rf, PROGRAMS[name])) == str(outcome(torch, PROGRAMS[name]))
