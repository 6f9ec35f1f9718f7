"""Hooks, right and wrong: each program gives PyTorch's result, or an error of PyTorch's type."""

import copy
import warnings

import pytest

import rustyflow as rf
from rustyflow import ir
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


def written_to(on, make):
    """The leaf's gradient after a hook that changes what it is given, and returns nothing."""

    def program(m):
        x = leaf(m)
        y = x * 2
        {
            "leaf": x.register_hook,
            "result": y.register_hook,
            "node": lambda hook: y.grad_fn.register_hook(lambda into, out: hook(into)),
            "before node": y.grad_fn.register_prehook,
        }[on](lambda g: (g[0] if isinstance(g, tuple) else g).mul_(10)[:0].tolist() or None)
        make(m, y).sum().backward()
        return x.grad

    return program


def doubling(m):
    """Doubling, by a backward that writes to the gradient it is given."""

    class Doubling(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g.mul_(2)

    x = leaf(m)
    Doubling.apply(x).sum().backward()
    return x.grad


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


def replaced(wanted):
    """What grad gives for results whose gradient hooks replace, and which it goes through or ends at."""

    def program(m):
        x = leaf(m)
        a, b = (x * 2)[:2].unbind(0)
        z = a * 3 + b * 4
        for y, k in ((a, 10), (b, 100), (z, 1000)):
            y.register_hook(lambda g, k=k: g * k)
        return m.autograd.grad(z, wanted(a, b, x, z))

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
    "written to, a product's gradient": written_to("result", lambda m, y: y * ones(m)),
    "written to, a sum's gradient": written_to("result", lambda m, y: y),
    "written to, a part's gradient": written_to("result", lambda m, y: y[:2]),
    "written to, a leaf's gradient": written_to("leaf", lambda m, y: y * ones(m)),
    "written to, before the node": written_to("before node", lambda m, y: y),
    "written to, after the node": written_to("node", lambda m, y: y),
    "written to, in a backward": doubling,
    "before a node with indices": several("register_prehook"),
    "after a node with indices": several("register_hook"),
    "stays while no gradient is wanted": after_a_pause,
    "grad": on_the_way(lambda m, x, y: m.autograd.grad((y * y).sum(), [x])),
    "grad of a result": on_the_way(lambda m, x, y: m.autograd.grad((y * y).sum(), [y])),
    "grad, replaced": replaced(lambda a, b, x, z: [a]),
    "grad, replaced on the way": replaced(lambda a, b, x, z: [a, x]),
    "grad, replaced before and on the way": replaced(lambda a, b, x, z: [z, b, x]),
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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_does_what_it_does_under_pytorch(name):
    assert str(outcome(rf, HOOKS[name])) == str(outcome(torch, HOOKS[name]))


def asked_by_hand(m):
    w = leaf(m)
    (w * w).sum().backward()
    w = w - 0.1 * w.grad
    return w


def made(ask):
    """A result of which something was asked."""

    def program(m):
        y = leaf(m) * 2
        ask(m, y)
        return y

    return program


def unrecorded(m):
    with m.no_grad():
        return leaf(m) * 2


def written_to_before_it_was_read(m):
    x = leaf(m) * 2
    with m.no_grad():
        view = x[:1]
    x.add_(1)
    return view


READ = {
    "a result": lambda m: leaf(m) * 2,
    "a result that took a leaf's name": asked_by_hand,
    "a view": lambda m: leaf(m)[:1],
    "one of several results": lambda m: leaf(m).max(0)[0],
    "one of several views": lambda m: leaf(m).unbind()[0],
    "a leaf": leaf,
    "a leaf, after backward": lambda m: [x := leaf(m), x.sum().backward()][0],
    "no gradient asked": ones,
    "detached": lambda m: (leaf(m) * 2).detach(),
    "unrecorded": unrecorded,
    "a view made unrecorded, of what was written to": written_to_before_it_was_read,
    "retained": made(lambda m, y: y.retain_grad()),
    "retained, then written to": made(lambda m, y: [y.retain_grad(), y.mul_(2)]),
    "set": made(lambda m, y: setattr(y, "grad", m.ones_like(y))),
    "set and deleted": made(lambda m, y: [setattr(y, "grad", m.ones_like(y)), delattr(y, "grad")]),
    "filled, as an input of backward": made(lambda m, y: (y * y).sum().backward(inputs=[y])),
    "asked of grad": made(lambda m, y: m.autograd.grad(y.sum(), y)),
}


@pytest.mark.parametrize("name", READ)
def test_reading_the_gradient_of_a_result_warns_where_pytorch_warns(name):
    told = []
    for m in rf, torch:
        x = READ[name](m)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _ = x.grad
        told.append([(w.category, str(w.message)[:75], w.filename) for w in caught])
    assert told[0] == told[1]


@pytest.mark.filterwarnings("error")
def test_the_library_reads_no_gradient_of_a_result(tmp_path):
    y = leaf(rf) * 2
    repr(y), copy.copy(y), ir.graph(y).text(), rf.save({"y": y}, tmp_path / "y.safetensors"), y.detach_()
