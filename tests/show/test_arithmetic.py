"""What figures compute on the screen is true: behind `=` stands what the numbers before it come to, else it is `≈`."""

import re
from math import floor, log10

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow import show

NAMES = {name: getattr(np, name) for name in ("tanh", "exp", "log", "sqrt", "sin", "cos", "sum", "abs")}
EQUATION = re.compile(r"(.+) ([=≈]) (.+)")


def value(words):
    """What is written, as NumPy computes it; None for words."""
    said = re.sub(r"\[[\d., e-]*\]", lambda found: f"array({found[0]})", words.partition(", repeated")[0])
    try:
        with np.errstate(all="ignore"):
            return np.asarray(eval(said.replace("·", "*"), {"array": lambda row: np.array(row, float), **NAMES}), float)
    except (SyntaxError, NameError):
        return None


def comes_to(found, shown, digits):
    """Whether each number is rounded to the one shown: to some digits, below a million to a whole number at most."""
    for a, b in zip(found.reshape(-1), shown.reshape(-1), strict=True):
        places = digits - 1 - floor(log10(abs(a))) if a else 15
        if abs(a - b) > 0.50001 * 10.0 ** -(places if abs(a) >= 1e6 else max(0, places)) + 1e-15:
            return False
    return True


def true(line):
    """Whether a line of arithmetic is true, as far as it is arithmetic; and whether it is."""
    line = re.sub(r"^d\S+ = |^\S+: |^\[[\d, ]+\]: ", "", line)
    equation = EQUATION.fullmatch(line)
    found, shown = (value(equation[k]) for k in (1, 3)) if equation and "..." not in line else (None, None)
    if found is None or shown is None:
        return None
    found = found.reshape(shown.shape) if found.size == shown.size else np.broadcast_to(found, shown.shape)
    if "tanh(" in line and (close := [a for a, b in zip(found.flat, shown.flat, strict=True) if abs(b) == 1 != abs(a)]):
        return equation[2] == "≈" or min(1 - abs(a) for a in close) < 1e-6  # which float32 may have as 1
    full = re.search(r"0\.0*[1-9]\d\d|[1-9]\.\d{3}|[1-9]\d\.\d\d", line)  # no figure of two digits writes 0.333
    return any(comes_to(found, shown, digits) is (equation[2] == "=") for digits in ((3,) if full else (3, 2)))


def texts(figure, frame, ids):
    sets = figure.state(frame).sets
    return "".join(sets.get((id, "text"), "") for id in ids)


def lines(figure):
    """What the inspector, the ledger, the sentences and the origins of gradients compute."""
    for frame in range(len(figure.frames)):
        numbers = texts(figure, frame, [f"p1{k}" for k in range(10)])
        yield f"{numbers} {texts(figure, frame, ('r0', 'r1'))}".strip()
        before, came, now = (texts(figure, frame, (id,)) for id in ("l1", "l2", "l3"))
        if came and "numbers" not in before + came + now:
            yield f"{'' if before == 'nothing' else before} {came} {now if now[0] == '≈' else '= ' + now}".strip(" +")
    for family in figure.scene.links:
        for id in family.links:
            if re.fullmatch(r"o\d[qu]\d+", id):
                sentence = figure.state(link=id).sentence.partition(": ")[0].rstrip(".")
                yield sentence.partition(" = ")[2] if " = " in sentence.partition(" ≈ ")[0] else sentence


UNARY = [lambda x: x.tanh(), lambda x: x.exp(), lambda x: -x, lambda x: x * 3, lambda x: x / 3, lambda x: x * x,
         lambda x: 2 ** x, lambda x: (x * x + 1).sqrt(), lambda x: 1 - x]  # fmt: skip
BINARY = [lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / (y * y + 1)]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 3))
def test_no_backward_figure_says_what_is_not_so(seed, many, size):
    random = np.random.default_rng(seed)
    known = [rf.tensor(random.normal(size=n).round(2).tolist(), requires_grad=True) for n in (size, 1)]
    for _ in range(many):
        if random.random() < 0.5:
            known.append(UNARY[random.integers(len(UNARY))](known[random.integers(len(known))]))
        else:
            a, b = (known[random.integers(len(known))] for _ in "ab")
            known.append(BINARY[random.integers(len(BINARY))](a, b))
    y = known[-1].sum()
    figure = show.backward(y, title="y")
    said = [(line, true(line)) for line in lines(figure)]
    assert [line for line, so in said if so is False] == []
    assert any(so for _, so in said)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["+", "-", "*", "/"]))
def test_no_broadcast_figure_says_what_is_not_so(seed, op):
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, 1)).round(3), random.normal(size=3).round(3)
    b[b == 0] = 1  # a quotient by a divisor rounded to 0 is no arithmetic
    figure = show.broadcast(a, b, op=op, upstream=random.normal(size=(2, 3)), names=["a", "b"])
    for id in ("r0", "r4", "a0", "a3", "b0", "b1"):
        for toggles in ((), ("g",)):
            sentence = figure.state(link=id, toggles=toggles).sentence.partition(", summed")[0].rstrip(".")
            if " = " in sentence and "read" not in sentence and "arrives" not in sentence:
                line = sentence.partition(" = ")[2]
                assert true(line if toggles else line.partition(" = ")[2]) is True, sentence


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["sum", "mean", "prod"]))
def test_no_reduction_and_no_product_says_what_is_not_so(seed, op):
    random = np.random.default_rng(seed)
    x, w = random.normal(size=(2, 3)).round(4), random.normal(size=(3, 2)).round(4)
    reduced = show.reduce(x, op, 1, name="x")
    assert true(reduced.state(link="r0").sentence.rstrip(".").partition(" = ")[2]) is True
    product = show.matmul(x, w, names=["x", "w"])
    for toggles in ((), ("g",)):
        sentence = product.state(link="c0" if not toggles else "a0", toggles=toggles).sentence
        assert true(sentence.rstrip(".").partition(": row")[0].partition(" = ")[2]) is True


def test_a_third_times_three_is_about_one():
    x = rf.tensor(1.0, requires_grad=True)
    y = x / 3 * 3
    figure = show.backward(y)
    frame = next(k for k, sentence in enumerate(figure.sentences) if sentence.startswith("y: "))
    assert figure.sentences[frame] == "y: 0.333 * 3 ≈ 1."
    assert texts(figure, frame, [f"p1{k}" for k in range(10)]) == "0.333 * 3 ≈ 1"


def test_what_comes_close_to_1_is_no_1_for_its_gradient_is_made_of_the_rest():
    x = rf.tensor([7.0, 5.0], requires_grad=True)
    figure = show.backward(x.tanh().sum())
    assert "tanh: tanh([7, 5]) ≈ [1, 1]." in figure.sentences
    figure = show.backward(rf.zeros(2, requires_grad=True).tanh().sum())
    assert "tanh: tanh([0, 0]) = [0, 0]." in figure.sentences
    figure = show.backward(rf.tensor(9.0, requires_grad=True).sigmoid())
    assert "sigmoid: 1 / (1 + exp(-9)) ≈ 1." in figure.sentences


@pytest.mark.parametrize("many", [1, 2, 3])
def test_a_number_has_the_same_digits_in_its_box_and_in_every_rule(many):
    x = rf.tensor([float(n) for n in range(1, many + 1)], requires_grad=True)
    t = rf.tensor(3.0, requires_grad=True)
    y = (x / t * 0.7).sum()
    figure = show.backward(y)
    box = figure.scene.index["v3"].text
    rule = next(sentence for sentence in figure.sentences if sentence.startswith("mul: "))
    assert box.replace("[.", "[0.").replace(" .", " 0.").removeprefix(".") in rule.replace("mul: 0", "mul: ")
