"""Whole numbers near the ends of their dtype: every figure draws them, and each equation that it says holds."""

import re
from fractions import Fraction

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show

DTYPES = "uint8", "int8", "int16", "int32", "int64"
NAMES = {"__builtins__": {}, "F": Fraction, "max": max, "min": min}
VALUE = re.compile(r"(-?\d+(?:\.\d+)?(?:e-?\d+)?|True|False)(?:, which (\d+) bits hold as (-?\d+))?")

LONG = re.compile(r" = (\(?-?\d[^=≈a-z]*[ ·][^=≈a-z]*), which (\d+) bits hold as (-?\d+)")


def pairs(dtype):
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    return [[most, 1], [most, 5], [most, most - 1], [least or 3, most], [least or 2, 1], [least + 1, least or 7]]


def sentences(figure):
    scene, found = figure.scene, []
    states = [{"link": id} for family in scene.links for id in [*family.links]]
    for state in [*states, *({"frame": n} for n in range(len(scene.frames)))]:
        found.append(figure.state(**state).sentence)
    return dict.fromkeys(found)


def worked(expression):
    """What an expression of whole numbers comes to, exactly; None of one with other words in it."""
    words = re.sub(r"\d+(\.\d+)?e\d+", lambda m: str(int(Fraction(m[0]))), expression).replace("·", "*")
    words = words.replace("amax(", "max(").replace("amin(", "min(")
    if "..." in words or re.search(r"[\[\]@]|[a-z]+", words.replace("max(", "").replace("min(", "")):
        return None
    if re.search(r"\*\* \d{4}", words):  # a power that nobody writes out
        return None
    return eval(re.sub(r"(?<!\*\* )\b\d+\b", r"F(\g<0>)" if " / " in words else r"\g<0>", words), NAMES)


def check(figure):
    """Every equation that a figure says, worked out again; how many."""
    count = 0
    for sentence in sentences(figure):
        for words, bits, holds in LONG.findall(sentence):
            count += 1  # so many digits that they are not said
            assert (worked(words) - int(holds)) % 2 ** int(bits) == 0, sentence
        parts = re.split(r" (=|≈) ", sentence.removesuffix("."))
        for expression, sign, rest in zip(parts[::2], parts[1::2], parts[2::2]):
            found, told = worked(expression.rpartition(": ")[2]), VALUE.match(rest)
            if found is None or told is None:
                continue
            value, bits, holds = told.groups()
            count, shown = count + 1, Fraction({"True": 1, "False": 0}.get(value, value))
            if sign == "=":
                assert found == shown, sentence
            else:
                assert abs(found - shown) <= abs(shown) / 100, sentence
            if bits and "e" not in expression + value:
                assert (found - int(holds)) % 2 ** int(bits) == 0, sentence
    return count


@pytest.mark.parametrize("op", ["sum", "prod", "amax", "amin", "max", "min", "argmax", "median", "all", "cumsum"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_reduction_of_sentinels_says_no_false_number(dtype, op):
    for pair in pairs(dtype):
        for x in (np.array(pair, dtype), rf.tensor(np.array([pair, pair[::-1]], dtype))):
            if op == "cumsum":
                assert sentences(show.op("cumsum", x, 0))
            else:
                assert check(show.reduce(x, op)) or op in ("argmax", "median", "all")


@pytest.mark.parametrize("op", ["+", "-", "*", "//", "%", "**", "==", "<", "<=", "&", "|", "^", "maximum", "gcd", "/"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_broadcasting_of_sentinels_says_no_false_number(dtype, op):
    for pair in pairs(dtype):
        x = np.array(pair, dtype)
        for a in (x, rf.tensor(x)):
            figure = show.broadcast(a[:, None], a, op=op)
            assert check(figure) or op in ("maximum", "gcd", "**")


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_and_other_operations_of_sentinels_say_no_false_number(dtype):
    for pair in pairs(dtype):
        x = rf.tensor(np.array([pair, [2, 3]], dtype))
        for figure in (show.matmul(x, x), show.op("matmul", x, x), show.op("sum", x, 1), show.op("mul", x, x),
                       show.op("square", x), show.op("neg", x), show.op("diff", x)):  # fmt: skip
            check(figure)
        w = rf.ones(2, requires_grad=True)
        for figure in (show.strides(x, x.t()), show.graph((w * x).sum()), show.backward((w * x).sum())):
            assert sentences(figure)


def test_what_a_sum_would_be_is_said_by_hand():
    most = np.iinfo("int64").max
    figure = show.reduce(np.array([most, 5]), "sum", name="x")
    said = figure.state(link="r0").sentence.partition(": ")[2]
    assert said == f"x.sum() = {most} + 5, which 64 bits hold as {-most + 3}."
    figure = show.reduce(np.array([most, 5]), "max", name="x")
    assert figure.state(link="r0").sentence.partition(": ")[2] == "x.max() = max(9.22e18, 5) ≈ 9.22e18."
    figure = show.matmul(np.array([[255, 5]], "uint8"), np.array([255, 5], "uint8"), names=["a", "x"])
    assert "Row 0 of a meets x: (a @ x)[0] = 255·255 + 5·5 = 65050, which 8 bits hold as 26." in sentences(figure)
    figure = show.broadcast(np.array([most]), np.array([5]), op="&", names=["a", "b"])
    assert f"a[0] and b[0] meet: (a & b)[0] = a[0] & b[0] = {most} & 5 = 5." in sentences(figure)


def test_a_number_of_64_bits_without_sign_is_told_what_to_write():
    with pytest.raises(TypeError, match="astype") as caught:
        show.broadcast(np.array([2**64 - 1], "uint64"), np.array([1], "uint64"), names=["a", "b"])
    assert caught.value.fix == "a.astype(float)"
