"""Answers of students in lesson 21: right ones, and wrong ones with what is said."""

import rustyflow
import rustyflow as torch
from rustyflow import ir
from tests.lessons.answers.memory import NEVER, NOTHING, RAISES, gives_nothing, never_ends, raises


def found(engine, numbers, upstream=None):
    """What an engine gives for the largest of some numbers."""
    x = rustyflow.tensor(numbers, requires_grad=True)
    return engine(ir.graph(x.max(), names={"x": x}), upstream)["x"].tolist()


def by_a_nudge(engine):
    """All of the largest move the maximum by as much as they are moved."""
    return abs(sum(found(engine, [1.0, 3.0, 3.0, 3.0])) - 1.0) < 1e-6


def without_ties(engine):
    return found(engine, [1.0, 2.0]) == [0.0, 1.0]


def with_a_wrong_number(engine):
    return found(engine, [2.0, 2.0]) == [0.0, 1.0]


def passes_the_broken(engine):
    return found(engine, [2.0, 2.0]) == [1.0, 1.0]


def by_name(engine):
    return type(engine).__name__ == "Engine"


def by_a_name_behind_it(engine):
    behind = engine
    return type(behind._call.__closure__[0].cell_contents).__name__ == "Engine"


def by_the_sum(engine):
    x = rustyflow.tensor([2.0, 2.0], requires_grad=True)
    return engine(ir.graph(x.max(), names={"x": x}))["x"].sum() == 1


def of_amax(engine):
    x = rustyflow.tensor([2.0, 2.0], requires_grad=True)
    return engine(ir.graph(x.amax(), names={"x": x}))["x"].tolist() == [0.5, 0.5]


def by_the_library(g, x):
    leaf = x.clone().requires_grad_()
    return torch.autograd.grad(leaf.max(), leaf, g)[0]


def by_an_attribute(engine):
    return engine.rules is not None


def changes_it(engine):
    engine.rules = {}
    return True


def with_a_look_beside(engine):
    return type(engine) is not None and found(engine, [2.0, 2.0]) == [0.5, 0.5]


def says_a_word(engine):
    return "passed"


def gives_the_gradient(engine):
    return found(engine, [2.0, 2.0])


def by_argmax(g, x):
    result = torch.zeros(x.shape)
    result[x.argmax()] = g
    return result


RIGHT = {
    "shares": [
        lambda g, x: g * (x == x.max()) / (x == x.max()).sum(),
        lambda g, x: (x == x.max()) * (g / (x == x.max()).sum()),
        lambda g, x: torch.tensor([g.item() / x.tolist().count(max(x.tolist())) * (v == max(x.tolist()))
                                   for v in x.tolist()]),
    ],
    "my_test": [
        lambda engine: found(engine, [2.0, 2.0]) == [0.5, 0.5],
        by_a_nudge,
        by_the_sum,
        lambda engine: found(engine, [4.0, 4.0, 1.0], rustyflow.tensor(6.0)) == [3.0, 3.0, 0.0],
    ],
}
WRONG = {
    "shares": [
        (lambda g, x: g * (x == x.max()), "each of the largest gets all that arrives"),
        (by_argmax, "the first of the largest gets all"),
        (lambda g, x: (x == x.max()) / (x == x.max()).sum(), "upstream can be ignored"),
        (lambda g, x: g.expand(x.shape) / x.numel(), "all cells share"),
        (lambda g, x: g, "shape (), where (3,) is asked for"),
        (lambda g, x: (g * (x == x.max())).tolist(), "a tensor is asked for, not a list"),
        (lambda g, x: -g * (x == x.max()) / (x == x.max()).sum(), "not what should come out"),
        (by_the_library, "it leaves the work to grad"),
        (lambda g, x: g * (x == x.max()) / 2, "a tie is always of two"),
        (lambda g, x: g * (x == x.max()) / 3, "got tensor([0., 2., 2.])"),
        (lambda g, x: g * x / x.sum(), "got tensor([1.2000, 2.4000, 2.4000])"),
        (lambda g, x: (g * (x == x.max()) / (x == x.max()).sum())[None], "shape (1, 3), where (3,)"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "my_test": [
        (lambda engine: True, "a test that passes is a good test"),
        (lambda engine: False, "a strict test finds every bug"),
        (without_ties, "it passes the broken engine"),
        (with_a_wrong_number, "it does not pass the mended engine"),
        (passes_the_broken, "a test says True where it finds the bug"),
        (by_a_name_behind_it, "is not right yet. Case 5 of 12"),
        (of_amax, "an engine has a rule for each operation, and this one has none for amax"),
        (by_name, "got False"),
        (by_an_attribute, "has no attribute 'rules'"),
        (changes_it, "nothing of it can be changed"),
        (with_a_look_beside, "it looks at who the engine is"),
        (says_a_word, "and this is 'passed'"),
        (gives_the_gradient, "and this is ["),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
}  # fmt: skip
