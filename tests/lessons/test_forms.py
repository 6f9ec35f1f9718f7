"""An answer that is no plain function: an object, a method, a partial, what lies in a dict or a class."""

import linecache
from functools import partial

import pytest

import rustyflow
from rustyflow.lessons import (
    a_program_is_a_graph,
    rows_meet_columns,
    the_axis_that_disappears,
)

SOFTMAX = the_axis_that_disappears.softmax_by_hand
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
