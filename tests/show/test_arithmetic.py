"""What figures compute on the screen is true: behind `=` is exactly what the numbers before it come to, in full, else
`≈`."""

import re
from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf, isfinite, nan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow import show

EQUATION = re.compile(r"(.+) ([=≈]) (.+)")
SHAPE = re.compile(r"\(\d+,")  # stands for numbers that have no room
NUMBER = re.compile(r"(?<![\w.])(?:(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?|inf|nan)(?![\w.])")


def fine(f):
    """A function of a number with 60 digits, which is exact where it has an end."""

    def one(x):
        with localcontext() as context:
            context.prec = 60
            return Fraction(f(Decimal(x.numerator) / Decimal(x.denominator)))

    return np.vectorize(one, otypes=[object])


def sine(x):
    term, total, n = x, x, 1
    while term and abs(term) > Decimal("1e-58"):
        term, n = -term * x * x / ((n + 1) * (n + 2)), n + 2
        total += term
    return total


NAMES = {
    "exp": fine(Decimal.exp), "log": fine(Decimal.ln), "sqrt": fine(Decimal.sqrt), "sin": fine(sine), "abs": np.abs,
    "tanh": fine(lambda x: 1 - 2 / ((2 * x).exp() + 1)), "sum": np.sum,
}  # fmt: skip


def value(words):
    """What is written comes to, in fractions; None for words."""
    said = words.partition(", repeated")[0].replace("·", "*")
    said = re.sub(r"\[[\d., e-]*\]", lambda found: f"array({found[0]})", said)
    said = NUMBER.sub(lambda found: f"number('{found[0]}')", said)
    number = {"number": lambda word: {"inf": inf, "nan": nan}[word] if word.isalpha() else Fraction(word)}
    try:
        return np.asarray(eval(said, {"array": lambda row: np.array(row, object), **number, **NAMES}), object)
    except (SyntaxError, NameError):
        return None


def comes_to(found, shown):
    """Whether each number is the one shown."""
    pairs = zip(np.ravel(found), np.ravel(shown), strict=True)
    return all(a == b or not isfinite(a) and a != a and b != b for a, b in pairs)


def true(line):
    """Whether a line of arithmetic is true, as far as it is arithmetic."""
    line = re.sub(r"^d\S+ = |^\S+: |^\[[\d, ]+\]: |, (with more digits|which rounding has made) \S+$", "", line)
    equation = EQUATION.fullmatch(line)
    whole = equation and "..." not in line and not SHAPE.search(line)
    found, shown = (value(equation[k]) for k in (1, 3)) if whole else (None, None)
    if found is None or shown is None:
        return None
    found = found.reshape(shown.shape) if found.size == shown.size else np.broadcast_to(found, shown.shape)
    digits = sum(Fraction(word) for word in NUMBER.findall(line) if word.isalpha() is False) / 50
    near = all(abs(a - b) <= abs(b) / 10 + digits for a, b in zip(found.flat, shown.flat, strict=True)
               if isfinite(a) and isfinite(b))  # fmt: skip
    return near and (equation[2] == "≈" or comes_to(found, shown))


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
    assert figure.sentences[frame] == "y: 0.333·3 ≈ 1."
    assert texts(figure, frame, [f"p1{k}" for k in range(10)]) == "0.333·3 ≈ 1"


def test_a_result_that_is_cut_is_told_as_such_though_the_numbers_on_the_screen_come_to_it():
    x = rf.tensor([2.0, 1.0], requires_grad=True)
    thirds = rf.tensor([1 / 3, 0.5])
    assert show.matmul(thirds, x).state(link="c0").sentence.endswith(": thirds @ x = 0.333·2 + 0.5·1 ≈ 1.17.")
    figure = show.broadcast(x, thirds, op="*")
    assert figure.state(link="a0", toggles=("g",)).sentence.endswith(": x.grad[0] = 1·0.333 ≈ 0.333.")
    assert figure.state(link="a1", toggles=("g",)).sentence.endswith(": x.grad[1] = 4·0.5 = 2.")
    figure = show.broadcast(rf.ones(2, 2), thirds, upstream=rf.full((2, 2), 1 / 3))
    assert "so it gets the sum of 2 gradients: ≈ 0.667." in figure.text()
    figure = show.broadcast(rf.ones(2, 2), thirds)
    copies = ["".join(map(str, figure.state(link=f"b{k}").sets.values())) for k in (2, 3)]
    assert ["[0] ≈ 0.333" in line for line in copies] == [True, False]
    assert "y[1] = thirds[0] ≈ 0.333" in show.op("gather", thirds, 0, rf.tensor([1, 0]), names=["thirds", "i"]).text()
    thirds.requires_grad_()
    figure = show.broadcast(2, thirds, op="**")
    assert figure.state(link="b1", toggles=("g",)).sentence.endswith(": thirds.grad[1] = 4·1.414·log(2) ≈ 3.92.")


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


EXACT = re.compile(r"[-\d.e+*·/() ]+ [=≈] [-\d.e]+")


def equations(figure, toggles=()):
    """What the sentences of all that can be pointed at compute: numbers alone, and what they come to."""
    for family in figure.scene.links:
        for id in family.links:
            sentence = re.sub(r"\[[\d, ]+\]", "", figure.state(link=id, toggles=toggles).sentence)
            yield from (part.strip() for part in re.split(r" = (?=.* [=≈] )|, |\. |: |;|\.$", sentence)
                        if EXACT.fullmatch(part.strip()))  # fmt: skip


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 6), st.sampled_from(["float32", "float64"]))
def test_an_equation_is_exactly_true_of_the_numbers_that_it_shows(seed, digits, kind):
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, 3)).round(digits).astype(kind), random.normal(size=(3, 2)).round(digits).astype(kind)
    figures = show.matmul(a, b, names="ab"), show.reduce(a, "mean", 1, name="a"), show.reduce(a, "prod", 0, name="a"), \
        show.broadcast(a, a[0], op="*", names="ab"), show.op("softmax", a, 1, names="a"), show.op("exp", a, names="a")
    for figure in figures:
        told = [(line, true(line)) for toggles in ((), *[("g",)] * bool(figure.scene.toggles))
                for line in equations(figure, toggles)]  # fmt: skip
        assert [line for line, so in told if not so] == []
        assert told or figure in figures[4:]


@pytest.mark.parametrize("a, b, op, said", [
    (0.1 + 0.2, 0.3, "==", "0.30000000000000004 == 0.3 = False"), (3.01, 3.01, "*", "3.01·3.01 ≈ 9.06"),
    (1.0001234, 1.0001, "-", "1.0001234 - 1.0001 = 2.34e-5"), (0.5, 0.25, "+", "0.5 + 0.25 = 0.75"),
    (2.9999999, 1.0, "//", "2.9999999 // 1 = 2"), (1.0, 0.0, "/", "1 / 0 = inf"), (2.0, 0.5, "**", "2 ** 0.5 ≈ 1.41"),
    (4.0, 0.5, "**", "4 ** 0.5 = 2"), (0.0, float("inf"), "*", "0·inf = nan"),
    (3.0, 4.0, "hypot", "sqrt(3·3 + 4·4) = 5"),
    (1.0, 2.0, "atan2", "atan2(1, 2) ≈ 0.464"), (1e-7, 3.0, "*", "1e-7·3 = 3e-7"),
])  # fmt: skip
def test_digits_are_those_that_make_it_true(a, b, op, said):
    figure = show.broadcast(np.array([a]), np.array([b]), op=op, names=["a", "b"])
    assert figure.state(link="r0").sentence.endswith(f" = {said}.")


@pytest.mark.parametrize("kind, a, b, op, said", [
    ("uint8", 200, 100, "+", "200 + 100 = 300, which 8 bits hold as 44"),
    ("int8", 100, 100, "+", "100 + 100 = 200, which 8 bits hold as -56"), ("int32", 7, -2, "//", "7 // (-2) = -4"),
    ("int64", 2**62, 4, "*", "4611686018427387904·4, which 64 bits hold as 0"),
    ("uint8", 250, 7, "**", "250 ** 7, which 8 bits hold as 128"), ("float64", 0, 0, "**", "0 ** 0 = 1"),
    ("bool", True, True, "+", "True + True = True"), ("int64", 1234567, 1, "+", "1.23e6 + 1 ≈ 1.23e6"),
])  # fmt: skip
def test_whole_numbers_that_do_not_fit_wrap_around(kind, a, b, op, said):
    figure = show.broadcast(np.array([a], kind), np.array([b], kind), op=op, names=["a", "b"])
    assert figure.state(link="r0", toggles=()).sentence.endswith(f" = {said}.")
