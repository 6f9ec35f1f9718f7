"""show.op of every op, on two inputs: a cell that is lit moves the result, one that is not does not; and what comes
back is the engine's gradient."""

import re
from functools import cache
from itertools import product

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.backends import loops
from rustyflow.ops import OPS
from rustyflow.show.op.maps import formula, larger, own_letters, spelled
from rustyflow.show.op.picture import BACK, LETTERS
from rustyflow.show.op.reads import first_tensor, reads
from rustyflow.show.op.sends import gradients
from tests.show.each_op import CALLS, GOES, STILL, inputs
from tests.show.seen import lit

each_name = pytest.mark.parametrize("name", CALLS)


@pytest.fixture(params=[False, True], ids=["first", "second"])
def second(request):
    """Which of a call's two inputs: the second has another shape and is strided where it can be."""
    return request.param


def test_every_op_has_a_call():
    assert {name.partition(" ")[0] for name in CALLS} >= set(OPS)
    assert set(STILL) | GOES <= set(CALLS)


@cache
def drawn(name, second):
    operands = inputs(name, second)
    return show.op(CALLS[name][0], *operands, names=[*"abcdekm"[: len(operands)]]), operands


def tries(operands, k, index):
    """Twenty other values of a cell, some of them those of other cells, for equal numbers may count."""
    x, random = operands[k].numpy(), np.random.default_rng(k)
    if x.dtype.kind == "b":
        return [not x[index]]
    if x.dtype.kind in "iu":
        return [value for value in range(-3, 17) if value != x[index]]
    near = [x[index] + by for by in (0.03, -0.02, 1.0, -1.0)]
    some = [float(v) for other in operands for v in random.permutation(other.numpy().ravel())[:5]][:10]
    return [*near, *some, 0.0, -x[index], 9.0, -9.0, np.inf, np.nan]


def result(program, operands):
    return np.array(first_tensor(program(*operands)).detach().numpy())


def moved(program, operands):
    """Which cells of which operand move which cells of the result: by a number, and by one that is none, too."""
    before, found, odd = result(program, operands), set(), set()
    for k, x in enumerate(operands):
        cells = x.numpy()
        for index in np.ndindex(cells.shape):
            was = cells[index]
            for value in tries(operands, k, index):
                cells[index] = value
                try:
                    with np.errstate(all="ignore"):
                        after = result(program, operands)
                except (RuntimeError, ValueError, IndexError, ArithmeticError):
                    continue
                finally:
                    cells[index] = was
                if after.shape == before.shape:
                    other = ~np.isclose(after, before, 1e-12, 0, equal_nan=True)
                    (found if np.isfinite(value) else odd).update(
                        (k, flat(index, cells.shape), int(n)) for n in np.flatnonzero(other)
                    )
    return found, odd


def flat(index, shape):
    return int(np.ravel_multi_index(index, shape)) if shape else 0


def lights(figure, operands):
    """The same of what a figure lights, from the result's side and from the operands'."""
    y = len([id for id in figure.scene.index if id[0] == "y" and id[1:].isdigit()])
    read = [(id, n) for n in range(y) for id in lit(figure, f"y{n}") if id[0] in LETTERS]  # not of parts between
    from_y = {(LETTERS.index(id[0]), int(id[1:]), n) for id, n in read}
    of_x = {
        (k, n, int(id[1:]))
        for k, x in enumerate(operands) for n in range(x.numel()) for id in lit(figure, f"{LETTERS[k]}{n}")
        if id[0] == "y"
    }  # fmt: skip
    return from_y, of_x


@each_name
def test_who_is_lit_moves_the_result_and_nobody_else_does(name, second):
    figure, operands = drawn(name, second)
    if not figure.scene.links:
        assert any(f"has no function {absent}" in figure.sentences[0] for absent in loops.ABSENT)
        return
    from_y, of_x = lights(figure, operands)
    assert from_y == of_x
    numbers, odd = moved(CALLS[name][0], operands)
    counted = [k for k, x in enumerate(operands) if x.is_floating_point()] or range(len(operands))
    assert {one for one in numbers if name not in GOES or one[0] in counted} <= from_y
    assert from_y <= numbers | odd or name in STILL


@each_name
def test_what_comes_back_adds_up_to_the_engine_s_gradient(name, second):
    figure, operands = drawn(name, second)
    if "g" not in figure.scene.toggles:
        refused = "There is no way back" in " ".join(figure.sentences)
        assert refused or not figure.scene.links or not flows(name, operands)
        return
    program = CALLS[name][0]
    flow = gradients(program, reads(program, [x.numpy() for x in operands]), None)
    leaves = [x.clone().requires_grad_(total is not None) for x, total in zip(operands, flow.totals)]
    y = first_tensor(program(*leaves))
    wanted = [x for x in leaves if x.requires_grad]
    engine = iter(rf.autograd.grad(y, wanted, rf.from_numpy(flow.upstream), allow_unused=True))
    for k, total in enumerate(flow.totals):
        if total is None:
            continue
        terms = np.zeros(total.shape)
        for index, sent in flow.factors[k].items():
            terms[index] = sum(flow.upstream[cell] * by for cell, by in sent.items())
        np.testing.assert_allclose(terms, next(engine).numpy(), rtol=1e-9, atol=1e-11)
        for n, index in enumerate(np.ndindex(total.shape)):
            senders = {f"g{flat(cell, flow.upstream.shape)}" for cell in flow.factors[k].get(index, ())}
            shown = {id for id in lit(figure, f"{BACK[k]}{n}", toggles=("g",)) if id[0] == "g"}
            readers = {f"g{id[1:]}" for id in lit(figure, f"{LETTERS[k]}{n}") if id[0] == "y"}
            assert shown in (senders, readers) and senders <= shown  # of products those with a factor of 0, too


def flows(name, operands):
    """Whether the engine finds a way back."""
    leaves = [x.clone().requires_grad_(x.is_floating_point()) for x in operands]
    return first_tensor(CALLS[name][0](*leaves)).requires_grad


@each_name
def test_a_formula_is_run_at_random_indices(name, second):
    figure, operands = drawn(name, second)
    text = next((line for line in figure.scene.about if " reads " in line), None)
    if text is None:
        return
    program, names, random = CALLS[name][0], [*"abcdekm"[: len(operands)]], np.random.default_rng(0)
    own = reads(program, [x.numpy() for x in operands])
    found, y, letters = formula(program, own), re.match(r"\w+", text)[0], own_letters(names, own.result.ndim)
    grown = lambda run: all(n > 1 or was == 1 for n, was in zip(run.result.shape, own.result.shape))  # noqa: E731
    others = [run for apart in (False, True) for run in larger(program, own, apart)]
    assert len(others) >= 2
    for run in [own, *filter(grown, others[-2:])]:
        said = spelled(found, names, [x.shape for x in run.operands], y, letters, own.result.shape)
        assert run is not own or said == text
        for _ in range(5):
            cell = tuple(int(random.integers(n)) for n in run.result.shape)
            assert cells_named(said, cell, run, names) == set(run.cells[cell]), (said, cell)


def cells_named(text, cell, run, names):
    """The cells that a formula names: by its words, and by the first cell how far a window reaches."""
    head, _, tail = text.partition(" reads ")
    known = dict(zip(head.partition("[")[2].rstrip("]").split(", "), cell)) if cell else {}
    known |= {name: x for name, x in zip(names, run.operands)}
    parts = [(names.index(word.partition("[")[0]), apart(word.partition("[")[2][:-1])) for word in apart(tail)]
    ends, first = {}, next(iter(run.cells.values()))
    for k, axes in parts:
        for d, axis in enumerate(axes):
            for free in set(re.findall(r"[i-p]", axis)) - set(known):
                reach = ends.get(free, len({i[d] for n, i in first if n == k}))
                ends[free] = run.operands[k].shape[d] if axis == free else reach
    found = set()
    for k, axes in parts:
        free = [letter for letter in ends if any(letter in axis for axis in axes)]
        for at in product(*(range(ends[letter]) for letter in free)):
            ranges = [
                spelled_out(axis, {**known, **dict(zip(free, at))}, n) for axis, n in zip(axes, run.operands[k].shape)
            ]
            found |= {(k, index) for index in product(*ranges)}
    return found


def apart(words):
    """Words between commas that stand in no brackets."""
    parts, depth = [""], 0
    for sign in words:
        depth += (sign == "[") - (sign == "]")
        parts = [*parts, ""] if sign == "," and not depth else [*parts[:-1], parts[-1] + sign]
    return [part.strip() for part in parts if part]


def spelled_out(axis, known, size):
    """The indices that an axis of a formula names: 2i+k, 0..i, b[i, 0]."""
    start, *end = [eval(re.sub(r"(?<=\d)(?=[i-p])", "*", word), {}, known) for word in axis.split("..")]
    return range(max(0, start), min(size - 1, end[0]) + 1) if end else [int(start) % size]
