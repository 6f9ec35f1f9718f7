"""The odd ends of autograd, right and wrong: each program gives PyTorch's result, or an error of PyTorch's type."""

import threading

import pytest

import rustyflow as rf
from tests.autograd.outcome import leaf, ones, outcome, plain

torch = pytest.importorskip("torch")


def hooked(hook, on="result"):
    """The leaf's gradient when a hook is set on the leaf, on a result, or on a result's node."""

    def program(m):
        x = leaf(m)
        y = x * 2
        {
            "leaf": x.register_hook,
            "result": y.register_hook,
            "node": y.grad_fn.register_hook,
            "before node": y.grad_fn.register_prehook,
            "leaf's node": y.grad_fn.next_functions[0][0].register_prehook,
            "after leaf": x.register_post_accumulate_grad_hook,
        }[on](hook)
        y.sum().backward()
        return x.grad

    return program


def seen(on, make=lambda m, x: x * x):
    """What a hook sees."""

    def program(m):
        x, found = leaf(m), []
        y = make(m, x)
        at = y.grad_fn if on == "node" else y.grad_fn.next_functions[0][0]
        at.register_hook(lambda into, out: found.append(plain((into, out))))
        y.sum().backward()
        return found

    return program


def calls(m):
    x, order = leaf(m), []
    y = x * 2
    y.register_hook(lambda g: order.append("first"))
    y.retain_grad()
    y.register_hook(lambda g: order.append("second"))
    y.grad_fn.register_prehook(lambda g: order.append("before"))
    y.grad_fn.register_hook(lambda into, out: order.append("after"))
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    return order, y.grad, x.grad


def several(on):
    """What a hook on a node with several results sees: indices have no gradient."""

    def program(m):
        x, found = m.arange(6, dtype=m.float64).view(2, 3).requires_grad_(), []
        largest = x.max(1).values
        getattr(largest.grad_fn, on)(lambda *gradients: found.append(plain(gradients)))
        largest.sum().backward()
        return found

    return program


def retained(write, of=lambda y: y):
    """What retain_grad() gives a result, or a view of it, that is written to afterwards."""

    def program(m):
        x = leaf(m)
        y = x * 2
        v = of(y)
        v.retain_grad()
        write(m, y)
        (y * 2 + v.sum()).sum().backward()
        return v.grad, v.retains_grad, x.grad

    return program


def on_the_way(walk):
    """Which hooks of a leaf's node and of a result's node a walk for some gradients alone calls."""

    def program(m):
        x, found = leaf(m), []
        y = x * 2
        for node in (y.grad_fn, y.grad_fn.next_functions[0][0]):
            node.register_prehook(lambda out: (out[0] * 10,))
            node.register_hook(lambda into, out: found.append(plain((into, out))))
        x.register_post_accumulate_grad_hook(lambda p: found.append(plain(p.grad)))
        return walk(m, x, y), found, x.grad, y.grad, y.retains_grad

    return program


def after_a_pause(m):
    x, found = leaf(m), []
    x.register_hook(lambda g: found.append(plain(g)))
    x.grad = ones(m)
    x.requires_grad_(False)
    x.mul_(2)
    x.requires_grad_()
    (x * x).sum().backward()
    return x.grad, found


def after_leaf(how):
    def program(m):
        x, found = leaf(m), []
        x.register_post_accumulate_grad_hook(lambda p: found.append(plain(p.grad)))
        how(m, x)
        return found

    return program


HOOKS = {
    "none": hooked(lambda g: None),
    "fewer cells": hooked(lambda g: g[:1]),
    "one number": hooked(lambda g: g.sum()),
    "another dtype": hooked(lambda g: g.float(), "leaf"),
    "a number": hooked(lambda g: 3.0, "leaf"),
    "raises": hooked(lambda g: 1 / 0),
    "node replaces": hooked(lambda into, out: (into[0] * 10, *into[1:]), "node"),
    "node adds one": hooked(lambda into, out: (*into, None), "node"),
    "node leaves one out": hooked(lambda into, out: into[:1], "node"),
    "node gives a tensor": hooked(lambda into, out: into[0], "node"),
    "node gives a number": hooked(lambda into, out: (3, None), "node"),
    "node changes a size": hooked(lambda into, out: (into[0][:1], None), "node"),
    "node gives none": hooked(lambda into, out: (None, None), "node"),
    "node fills in": lambda m: (
        lambda y: (y.grad_fn.register_hook(lambda into, out: (into[0], out[0])), y.sum().backward())
    )(leaf(m) * ones(m)),
    "before node, none": hooked(lambda out: (None,), "before node"),
    "before node": hooked(lambda out: (out[0] * 5,), "before node"),
    "before node, a tensor": hooked(lambda out: out[0] * 5, "before node"),
    "before node, a size": hooked(lambda out: (out[0][:1],), "before node"),
    "before leaf": hooked(lambda out: (out[0] * 7,), "leaf's node"),
    "after leaf returns": hooked(lambda p: 3, "after leaf"),
    "node sees": seen("node"),
    "node sees a constant": seen("node", lambda m, x: x * 2),
    "leaf sees": seen("leaf"),
    "node sees what broadcasting was undone of": seen("node", lambda m, x: x * ones(m, 2, 3)),
    "order": calls,
    "node replaces what takes indices": lambda m: (
        lambda x, y: (y.grad_fn.register_hook(lambda into, out: (into[0] * 10,)), y.sum().backward(), x.grad)[2]
    )(*(lambda x: (x, x.index_select(0, m.tensor([0, 0]))))(leaf(m))),
    "before a node with indices": several("register_prehook"),
    "after a node with indices": several("register_hook"),
    "stays while no gradient is wanted": after_a_pause,
    "grad": on_the_way(lambda m, x, y: m.autograd.grad((y * y).sum(), [x])),
    "grad of a result": on_the_way(lambda m, x, y: m.autograd.grad((y * y).sum(), [y])),
    "inputs": on_the_way(lambda m, x, y: (y * y).sum().backward(inputs=[x])),
    "inputs, a result": on_the_way(lambda m, x, y: (y * y).sum().backward(inputs=[y])),
    "inputs, twice": on_the_way(lambda m, x, y: [(y * y).sum().backward(inputs=[x, y, x]) for _ in range(2)]),
    "retained, written to": retained(lambda m, y: y.mul_(3)),
    "retained, part written to": retained(lambda m, y: y[:2].mul_(3)),
    "retained, part replaced": retained(lambda m, y: y.__setitem__(0, 5.0)),
    "retained, written to twice": retained(lambda m, y: y.mul_(3).clamp_(0, 8)),
    "retained, a view of what is written to": retained(lambda m, y: y.mul_(3), lambda y: y[:2]),
    "after leaf, twice": after_leaf(lambda m, x: [(x * 2).sum().backward() for _ in range(2)]),
    "after leaf, inputs": after_leaf(lambda m, x: (x * 2).sum().backward(inputs=[x])),
    "after leaf, grad": after_leaf(lambda m, x: m.autograd.grad((x * 2).sum(), x)),
    "untracked": lambda m: ones(m).register_hook(print),
    "after no leaf": lambda m: (leaf(m) * 2).register_post_accumulate_grad_hook(print),
    "retain untracked": lambda m: ones(m).retain_grad(),
}


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


def doubled(m):
    x = leaf(m)
    (x**3).sum().backward(create_graph=True)
    (x**2).sum().backward(create_graph=True)
    return m.autograd.grad(x.grad.sum(), x)


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

PROGRAMS = {
    f"{group}: {name}": program
    for group, programs in {"hook": HOOKS, "root": ROOTS, "whole": WHOLE}.items()
    for name, program in programs.items()
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_what_it_does_under_pytorch(name):
    assert str(outcome(rf, PROGRAMS[name])) == str(outcome(torch, PROGRAMS[name]))


def numbers(m, x):
    return [
        1 - x,
        1 + x,
        2 * x,
        x - 1,
        x**2,
        2**x,
        x % 2,
        x.clamp(0, 1),
        x.log1p(),
        x.lerp(x * 2, 0.5),
        x.masked_fill(x > 0, 1.0),
    ]


def shapes(m, x):
    y = x.reshape(1, 3, 1)
    return [
        y.squeeze(),
        y.squeeze(0),
        y.squeeze((0, 2)),
        y[0],
        y[..., None],
        y.expand(2, 3, 1),
        y.sum(),
        y.sum(1),
        y.mT,
    ]


def places(m, x):
    k = m.tensor([0, 2])
    return [
        x.index_select(0, k),
        x[k],
        x.gather(0, k),
        x.scatter(0, k, 1.0),
        m.where(x > 1, x, 0.0),
        m.cat([x, x]),
        x.sort().values,
        x.max(0).values,
    ]


def layers(m, x):
    f, w = m.nn.functional, ones(m, 2, 3)
    own = function_of_two(m)
    return [
        f.linear(x.reshape(1, 3), w),
        f.embedding(m.tensor([0]), x.reshape(1, 3)),
        f.layer_norm(x, (3,)),
        own.apply(x, 3, ones(m)),
    ]


def function_of_two(m):
    return type(
        "Own",
        (m.autograd.Function,),
        {
            "forward": staticmethod(lambda ctx, x, n, y: x * n * y),
            "backward": staticmethod(lambda ctx, g: (g, None, None)),
        },
    )


@pytest.mark.parametrize("program", [numbers, shapes, places, layers])
def test_nodes_and_their_next_functions_are_as_pytorch_shows_them(program):
    def said(m):
        results = program(m, leaf(m))
        return [
            (
                y.grad_fn.name(),
                [(parent and parent.name().rpartition(":")[2], k) for parent, k in y.grad_fn.next_functions],
            )
            for y in results
        ]

    assert said(rf) == said(torch)
