"""Index tensors that a node keeps, and writes that reach the memory of their own index."""

import pytest

import rustyflow as rf
from tests.autograd.outcome import outcome

from .beside_torch import set_

KEPT = {
    "read": lambda m, x, i: x[i],
    "read along an axis": lambda m, x, i: x[:, i],
    "read at a mask": lambda m, x, i: x[i > 0],
    "read at a mask of an axis": lambda m, x, i: x[:, i > 0],
    "read at a list": lambda m, x, i: x[[0, 1]],
    "read at one number": lambda m, x, i: x[i[0]],
    "written": lambda m, x, i: set_(x, i, 2.0),
    "written from a tensor": lambda m, x, i: set_(m.ones(2, 2), i, x),
    "written at a mask": lambda m, x, i: set_(x, i > 0, 2.0),
    "written at a list": lambda m, x, i: set_(x, [0, 1], 2.0),
    "index_put": lambda m, x, i: x.index_put((i,), m.ones(2, 2)),
    "index_put, added": lambda m, x, i: x.index_put((i,), m.ones(2, 2), accumulate=True),
}


@pytest.mark.parametrize("kind", ["int64", "int32", "bool"])
@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("then", [lambda y, i: None, lambda y, i: i.zero_(), lambda y, i: y.backward()],
                         ids=["backward", "a write to the index", "two backwards"])
def test_a_node_keeps_its_index_tensors_which_a_backward_frees_and_no_write_may_reach(name, kind, then):
    torch = pytest.importorskip("torch")

    def seen(m):
        x, i = m.ones(2, 2, requires_grad=True), m.tensor([0, 1]).to(getattr(m, kind))
        y = KEPT[name](m, x * 1 if name.startswith("written") else x, i).sum()
        then(y, i)
        y.backward()
        return x.grad

    assert str(outcome(rf, seen)) == str(outcome(torch, seen))


def test_a_gradient_s_own_gradient_reads_indices_as_they_were():
    x, w, i = rf.zeros(3, requires_grad=True), rf.ones(2, requires_grad=True), rf.tensor([0, 2])
    g, = rf.autograd.grad((x[i] * w).sum(), x, create_graph=True)
    i.zero_()
    assert rf.autograd.grad((g * rf.arange(3)).sum(), w)[0].tolist() == [0, 2]


IN_ITS_OWN_MEMORY = {
    "itself": lambda m, i: set_(i, i, 1, i),
    "a part of itself": lambda m, i: set_(i, i[:2], 1, i),
    "a part that it does not reach": lambda m, i: set_(i[:3], i[3:], 1, i),
    "a part that it reaches": lambda m, i: set_(i[:3], i[2:4], 1, i),
    "a copy": lambda m, i: set_(i, i.clone(), i[:1], i),
    "one cell of itself": lambda m, i: set_(i, i[0], 1, i),
    "a mask, itself": lambda m, i: (lambda mask: set_(mask, mask, False, mask))(i == 0),
    "a mask, a row of itself": lambda m, i: (lambda mask: set_(mask, mask[0], False, mask))(i.view(2, 3) == 0),
    "index_put_": lambda m, i: i.index_put_((i,), m.tensor(1)),
    "one cell of its own at a mask of rows": lambda m, i: set_(i.view(2, 3), i[:2] > 0, i[4], i),
    "one cell of its own at a mask, with an axis": lambda m, i: set_(i, i > 0, i[4:5], i),
    "one cell of its own at an index": lambda m, i: set_(i.view(2, 3), [1], i[4], i),
    "a row of its own at a mask of rows": lambda m, i: set_(i.view(2, 3), i[:2] > 0, i[:3], i),
}


@pytest.mark.parametrize("name", IN_ITS_OWN_MEMORY)
def test_a_write_that_reaches_its_own_index_is_refused_as_in_torch(name):
    torch = pytest.importorskip("torch")
    program = IN_ITS_OWN_MEMORY[name]
    assert outcome(rf, lambda m: program(m, m.arange(6) % 2)) == outcome(torch, lambda m: program(m, m.arange(6) % 2))


def rows(i):
    return i.view(4, 1).expand(4, 3)


READ = {
    "scatter_add": lambda x, i: rf.zeros(4, 3).scatter_add(0, rows(i), x),
    "scatter": lambda x, i: rf.zeros(4, 3).scatter(0, rows(i), x),
    "gather": lambda x, i: x.gather(0, rows(i)),
    "index_select": lambda x, i: x.index_select(0, i),
    "index_add": lambda x, i: rf.zeros(4, 3).index_add(0, i, x),
    "index_copy": lambda x, i: rf.zeros(4, 3).index_copy(0, i, x),
    "index_put": lambda x, i: rf.zeros(4, 3).index_put((i,), x),
    "x[i]": lambda x, i: x[i],
    "x[i, j]": lambda x, i: x[i, rf.tensor([0, 1, 2, 0])],
    "take": lambda x, i: x.take(i),
    "embedding": lambda x, i: rf.nn.functional.embedding(i, x),
    "nll_loss": lambda x, i: rf.nn.functional.nll_loss(x.t(), i[:3]),
    "cross_entropy": lambda x, i: rf.nn.functional.cross_entropy(x.t(), i[:3]),
    "cross_entropy with weights": lambda x, i: rf.nn.functional.cross_entropy(x.t(), i[:3], rf.rand(4)),
}


@pytest.mark.parametrize("value", [2**62, -(2**62), 2**40, 12, -13])
@pytest.mark.parametrize("name", READ)
def test_an_index_that_was_changed_behind_the_library_s_back_reads_nothing_outside(name, value):
    x, i = rf.ones(4, 3, requires_grad=True), rf.tensor([0, 1, 2, 3])
    y = READ[name](x, i)
    i.data.fill_(value)
    with pytest.raises(RuntimeError, match=r"written to since, through \.data"):
        y.backward(rf.ones_like(y))
