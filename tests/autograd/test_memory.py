"""What a graph holds alive, what a walk lets go of, and that a gradient's memory is its own."""

import gc
import tracemalloc
import weakref

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.layout import is_dense


def test_a_chain_of_100_000_nodes_is_made_walked_and_let_go_without_recursion():
    """Python ends recursion after a thousand frames; tests/long walks a million."""
    x = rf.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y.neg()
    y.backward()
    del y
    assert x.grad.item() == 1.0


class Saves(rf.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(x, y)
        return y, x * 2

    @staticmethod
    def backward(ctx, g, h):
        return g * ctx.saved_tensors[1] + 2 * h


def overwritten(x):
    y = x * 1
    y[0].mul_(y[1].clone())
    y.exp_()
    return y.sum()


handles = []


def handled(x):
    y = x * 2
    handles[:] = [y.register_hook(lambda g: None), y.grad_fn.register_hook(lambda into, out: None)]
    return y.exp().sum()


def retained(x):
    y = x.exp()
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    y.grad_fn.register_hook(lambda into, out: None)
    return (y * y).sum()


def twice(x):
    (g,) = rf.autograd.grad((x.exp() * x).sum(), x, create_graph=True)
    return (g * g).sum()


def into_leaf(x):
    (x.exp() * x).sum().backward(create_graph=True)
    g, x.grad = x.grad, None
    return (g * x).sum()


def watched(x):
    y = (x.exp() * x).sum()
    rf.autograd.backward_steps(y)
    rf.autograd.provenance(y, x, (0,))
    return y


PROGRAMS = {
    "saved results": lambda x: (x.exp() * x).tanh().sum(),
    "views": lambda x: (x.exp()[1:].view(2, 1).expand(2, 3).t() * x.exp()[:2]).sum(),
    "several results": lambda x: sum(part.sum() for part in x.exp().split(1)) + x.exp().sort().values.sum(),
    "written in place": overwritten,
    "a Function": lambda x: sum(part.sum() for part in Saves.apply(x)),
    "hooks": retained,
    "handles of hooks": handled,
    "a double backward": twice,
    "a double backward into .grad": into_leaf,
    "watched": watched,
}


@pytest.mark.parametrize("walked", [False, True], ids=["never walked", "walked"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_dies_with_its_result_and_without_the_garbage_collector(name, walked):
    gc.disable()
    try:
        x = rf.rand(3, requires_grad=True)
        y = PROGRAMS[name](x)
        nodes, waiting = {}, [y.grad_fn]
        while waiting:
            node = waiting.pop()
            if node is not None and id(node) not in nodes and node.name() != "AccumulateGrad":
                nodes[id(node)] = weakref.ref(node)
                waiting += [parent for parent, _ in node.next_functions]
        if walked:
            y.backward(retain_graph=True)
        del node, waiting, y
        assert len(nodes) >= 3 and [ref() for ref in nodes.values()] == [None] * len(nodes)
    finally:
        gc.enable()


def test_saved_values_are_let_go_of_as_the_walk_goes():
    x = rf.rand(100, requires_grad=True)
    y, kept, alive = x, [], []
    for _ in range(10):
        y = y.exp()
        kept.append(weakref.ref(y.untyped_storage()))
        if len(kept) == 1:
            y.grad_fn.register_prehook(lambda g: alive.extend(ref() is not None for ref in kept))
        y = y * 0.1
    last = y.sum()
    del y
    assert all(ref() is not None for ref in kept)
    last.backward()
    assert alive == [True] + [False] * 9  # the one whose turn it is
    assert not any(ref() is not None for ref in kept)


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("kind", [rf.int64, rf.int32])
def test_a_backward_lets_go_of_index_arrays(kind, write):
    x = rf.ones(4, requires_grad=True)
    tracemalloc.start()
    try:
        i = rf.zeros(100_000, dtype=kind)
        if write:
            z = x * 1
            z[i] = 2.0
        else:
            z = x[i]
        made = z.untyped_storage().nbytes()
        z.sum().backward()
        del i
        assert tracemalloc.get_traced_memory()[0] < made + 100_000
    finally:
        tracemalloc.stop()


def arrays_of(step):
    parts = [step.upstream, step.contribution]
    for part in [one for p in parts for one in (p if type(p) is list else [p])]:
        if part is not None:
            yield part.detach().numpy() if isinstance(part, rf.Tensor) else np.asarray(part)


SHARERS = {
    "sum of leaves": lambda a, b: a + b,
    "a leaf twice": lambda a, b: a + a,
    "one number for all": lambda a, b: a.sum() + b.sum(),
    "views": lambda a, b: a.view(-1) + b.reshape(-1),
    "transposed": lambda a, b: a.t() + b.t(),
    "stretched": lambda a, b: a + b[0],
    "the leaf itself": lambda a, b: a,
    "joined": lambda a, b: rf.cat([a, b]),
    "copied": lambda a, b: (a * 1).copy_(b) + a.clone(),
    "in place": lambda a, b: (a * 1).add_(b),
    "parts": lambda a, b: a.split(1)[0] + b.unbind(0)[1],
}


@pytest.mark.parametrize("how", ["fresh", "accumulated", "create_graph", "inputs"])
@pytest.mark.parametrize("name", SHARERS)
def test_a_gradient_is_dense_and_shares_memory_with_nothing(name, how):
    a, b = rf.rand(3, 4, requires_grad=True), rf.rand(3, 4, requires_grad=True)
    seen, steps = [], []
    if how != "inputs":
        for x in (a, b):
            x.register_hook(seen.append)
    y = SHARERS[name](a, b)
    upstream = rf.rand(()).expand(y.shape)
    reached = [x for x in (a, b) if x is a or name != "the leaf itself" and name != "a leaf twice"]
    for _ in range(2 if how == "accumulated" else 1):
        rf.autograd.backward(
            y,
            upstream,
            retain_graph=True,
            create_graph=how == "create_graph",
            inputs=reached if how == "inputs" else None,
            observer=steps.append,
        )
    others = [t.detach().numpy() for t in (upstream, a, b, y, *seen)] + [array for s in steps for array in arrays_of(s)]
    for x in reached:
        grad = x.grad.detach().numpy()
        assert is_dense(grad.shape, x.grad.stride())
        assert not any(np.shares_memory(grad, other) for other in others)
        others.append(grad)


def test_what_grad_returns_shares_memory_as_in_pytorch():
    a, b, u = rf.rand(3, 2, requires_grad=True), rf.rand(3, 2, requires_grad=True), rf.rand(3, 2)
    y = a + b
    assert all(g is u for g in rf.autograd.grad(y, [a, b, y], u))
    ga, gb = rf.autograd.grad(y.exp(), [a, b], u)
    assert ga is gb and not np.shares_memory(ga.numpy(), u.numpy())
    u = rf.rand(3, 4)
    ga, gb = rf.autograd.grad(rf.hstack([a, b]), [a, b], u)
    assert ga.untyped_storage() is gb.untyped_storage() is u.untyped_storage()
    assert (ga.stride(), ga.storage_offset(), gb.stride(), gb.storage_offset()) == ((4, 1), 0, (4, 1), 2)
    gb.zero_()
    assert u._version == 1 and u[:, 2:].tolist() == [[0, 0]] * 3


@pytest.mark.parametrize("how", ["function", "hook"])
def test_a_write_through_a_gradient_that_is_a_saved_tensor_is_counted(how):
    class Half(rf.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x / 2

        @staticmethod
        def backward(ctx, g):
            return ctx.saved_tensors[0]

    x = rf.rand(3, requires_grad=True)
    if how == "function":
        y = Half.apply(x)
    else:
        y = x * x / 2
        x.register_hook(lambda g: x.detach())
    (g,) = rf.autograd.grad(y, x, rf.ones(3), retain_graph=True)
    assert g.untyped_storage() is x.untyped_storage()
    g.zero_()
    with pytest.raises(RuntimeError, match="was written into since, by zero_"):
        (y + y * y).sum().backward()


def test_no_gradient_leads_into_memory_that_may_only_be_read():
    array = np.arange(6.0).reshape(2, 3)
    array.flags.writeable = False
    x, saved = rf.ones(2, 3, dtype=rf.float64, requires_grad=True), rf.from_numpy(array)
    x.register_hook(lambda g: saved)
    (g,) = rf.autograd.grad(x.sum(), x)
    assert g.zero_().eq(0).all() and array.sum() == 15


def test_a_gradient_that_grad_returns_can_be_written_to():
    a = rf.rand(3, 2, requires_grad=True)
    for y in (a.sum(), a.mean(), a.expand(4, 3, 2)[0, 0].sum(), a.sum(0)):
        (g,) = rf.autograd.grad(y, a, rf.ones(()).expand(y.shape))
        assert g.add_(1).ne(1).any()
    b = rf.tensor(2., requires_grad=True)
    (g,) = rf.autograd.grad(b * 3, b)
    assert g.add_(1).item() == 4


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_retained_gradient_shares_no_memory_with_the_seed(create_graph):
    y, upstream = rf.rand(3, requires_grad=True) * 2, rf.rand(3)
    y.retain_grad()
    y.backward(upstream, create_graph=create_graph)
    assert not np.shares_memory(y.grad.detach().numpy(), upstream.numpy())


ENDS = {
    "summed": lambda y: y.sum().backward(),
    "summed, the result kept": lambda y: (y, y.sum().backward()),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_million_numbers_through_a_program_and_back_take_at_most_30_mib(end):
    x = rf.rand(1_000_000, requires_grad=True)

    def program():
        x.grad = None
        ENDS[end](rf.tanh(rf.exp(x) * x) * x)

    program()  # what is made once is no part of it
    x.grad = None
    tracemalloc.start()
    try:
        program()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert x.untyped_storage().nbytes() < peak <= 30 * 2**20
