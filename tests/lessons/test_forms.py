"""An answer that is no plain function: an object, a method, a partial, what lies in a dict or a class."""

import linecache
from functools import partial

import pytest

import rustyflow
from rustyflow.lessons import (
    a_program_is_a_graph,
    rows_meet_columns,
    the_axis_that_disappears,
    your_own_engine,
)

SOFTMAX = the_axis_that_disappears.softmax_by_hand
SUM = your_own_engine.vjp_sum
STRAIGHT = a_program_is_a_graph.straight


def cell(source, torch="rustyflow"):
    """What a notebook's cell has named `answer`."""
    source = f"import {torch} as torch\n{source}"
    file = f"<cell {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {"__name__": "__main__"}
    exec(compile(source, file, "exec"), names)
    return names["answer"]


class ByTheLibrary:
    def __call__(self, x, dim):
        return x.softmax(dim)

    def method(self, x, dim):
        return x.softmax(dim)


class InALoop:
    def __call__(self, x):
        y = x
        for turn in range(3):
            y = y.tanh() if turn == 1 else y * x
        return y


BORROWED = {
    "an object": ByTheLibrary(), "a method": ByTheLibrary().method, "a partial": partial(rustyflow.softmax),
    "a class": cell("class C:\n    def go(self, x, dim): return x.softmax(dim)\n"
                    "def answer(x, dim): return C().go(x, dim)"),
    "a static method": cell("class C:\n    @staticmethod\n    def go(x, dim): return x.softmax(dim)\n"
                            "def answer(x, dim): return C.go(x, dim)"),
    "an object of the cell": cell("class C:\n    def go(self, x, dim): return x.softmax(dim)\nc = C()\n"
                                  "def answer(x, dim): return c.go(x, dim)"),
    "a dict": cell("rules = {'s': lambda x, dim: x.softmax(dim)}\ndef answer(x, dim): return rules['s'](x, dim)"),
    "a tuple": cell("rules = (torch.softmax,)\ndef answer(x, dim): return rules[0](x, dim)"),
    "a default": cell("def answer(x, dim, s=torch.softmax): return s(x, dim)"),
    "a cached function": cell("from functools import cache\n@cache\ndef answer(x, dim): return x.softmax(dim)"),
    "a module": cell("class M(torch.nn.Module):\n    def forward(self, x, dim): return x.softmax(dim)\nanswer = M()"),
}  # fmt: skip


@pytest.mark.parametrize("answer", BORROWED.values(), ids=BORROWED)
def test_work_that_is_left_to_the_library_is_seen_in_whatever_it_is_wrapped(answer):
    said = SOFTMAX(answer)
    assert said.score == 0 and "But it calls softmax, which" in said.text, said.text


def test_a_loop_and_a_product_are_seen_in_an_object():
    assert "it has a loop or an if" in STRAIGHT(InALoop()).text
    product = cell("class P:\n    def __call__(self, a, b, i, j): return (a @ b)[i, j]\nanswer = P()")
    assert "it leaves the work to @" in rows_meet_columns.product_cell(product).text


def test_an_object_that_does_the_work_itself_is_right():
    by_hand = cell("class S:\n    def exp(self, x): return x.exp()\n    def __call__(self, x, dim):\n"
                   "        e = self.exp(x)\n        return e / e.sum(dim, keepdim=True)\nanswer = S()")  # fmt: skip
    data = cell("numbers = [0.5] * 5000\ndef answer(x, dim):\n    e = x.exp()\n"
                "    return e / e.sum(dim, keepdim=True) + 0 * numbers[0]")  # fmt: skip
    itself = cell("ring = []\nring.append(ring)\ndef answer(x, dim):\n    e = x.exp()\n"
                  "    return e / e.sum(dim, keepdim=True) if ring else ring")  # fmt: skip
    assert SOFTMAX(by_hand).score == SOFTMAX(data).score == SOFTMAX(itself).score == 1


WITH_PYTORCH = {
    "a dict": "rules = {'sum': lambda g, x: torch.ones_like(x) * g}\ndef answer(g, x): return rules['sum'](g, x)",
    "a tuple": "rules = (torch.ones_like, torch.mul)\ndef answer(g, x): return rules[1](rules[0](x), g)",
    "a list of tensors": "ones = [torch.ones(())]\ndef answer(g, x): return ones[0] * g.expand(x.shape)",
    "a partial": "from functools import partial\ndef by(one, g, x): return torch.full_like(x, one) * g\n"
                 "answer = partial(by, 1.0)",
    "a cached function": "from functools import lru_cache\n@lru_cache\ndef ones(n): return torch.ones(n)\n"
                         "def answer(g, x): return ones(tuple(x.shape)) * g",
    "a method": "class R:\n    def go(self, g, x): return torch.ones_like(x) * g\nanswer = R().go",
    "an object": "class R:\n    def __call__(self, g, x): return torch.ones_like(x) * g\nanswer = R()",
}  # fmt: skip


@pytest.mark.parametrize("torch", ["rustyflow", "torch"])
@pytest.mark.parametrize("source", WITH_PYTORCH.values(), ids=WITH_PYTORCH)
def test_an_answer_may_reach_pytorch_through_what_holds_its_functions(source, torch):
    pytest.importorskip(torch)
    said = SUM(cell(source, torch))
    assert said.score == 1, said.text


def test_what_an_answer_counts_in_a_dict_of_its_notebook_stays_there():
    pytest.importorskip("torch")
    answer = cell("seen = {'calls': 0}\ndef answer(g, x):\n    seen['calls'] += 1\n"
                  "    return torch.ones(x.shape) * g", "torch")  # fmt: skip
    assert SUM(answer).score == 1 and answer.__globals__["seen"]["calls"] >= SUM.many
