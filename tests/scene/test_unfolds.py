"""Numbers that open, as values: what a scene holds of them, what the player is given, what Python answers."""

import json
import zlib
from base64 import b64decode

import pytest

from rustyflow.errors import ArgumentValueError
from rustyflow.scene import BEYOND, LEAF, Asks, Figure, Frame, Level, Link, Links, Part, Scene, Unfolds, draw, in_turn
from rustyflow.scene.unfolds import packed
from rustyflow.scene.wire import encode, pack
from rustyflow.show.kit.unfold import unfolds
from tests.scene import opening

Y = Level("y", (Part(1, "z", "3", "z0"), "·2 + ", Part(LEAF, "x", "(-1)")), "=", "5")
Z = Level("z", ("max(", Part(LEAF, "x", "(-1)"), ", 3)"), "=", "3")


def scene(told, **more):
    cells = tuple(draw.cell(id, 20, 20 + 46 * k, 1) for k, id in enumerate(("y0", "z0")))
    links = Links("One.", {"y0": Link(("y0",))})
    return Scene("y", 100, 140, cells, (Frame("Two numbers."),), (links,), unfolds=told, **more)


def test_a_level_is_written_as_one_reads_it():
    assert str(Y) == "y = z·2 + x = 3·2 + (-1) = 5"
    why = Z._replace(sign="\u2248", note="as x[0] is False")
    assert str(why) == "z = max(x, 3) = max((-1), 3) \u2248 3, as x[0] is False"
    assert str(Level("y", (Part(LEAF, "3", "3"),), "=", "3")) == "y = 3"
    assert [part.letters for part in Y.numbers] == ["z", "x"]


@pytest.mark.parametrize("told, why", [
    (lambda: Unfolds((Y,), {"y0": Part(0, "y", "5")}), "level 1 of 1"),
    (lambda: Unfolds((Y, Z), {"y0": Part(-3, "y", "5")}), "level -3 of 2"),
    (lambda: scene(Unfolds((Y, Z), {"y9": Part(0, "y", "5")})), "'y9'"),
    (lambda: scene(Unfolds((Y, Z._replace(pieces=(Part(LEAF, "x", "1", "x9"),))), {"y0": Part(0, "y", "5")})), "'x9'"),
    (lambda: scene(Unfolds((Y, Z), {"z0": Part(1, "z", "3")})), "has no link"),
    (lambda: scene(Unfolds((Y, Z), {"y0": {"g": Part(0, "y", "5")}})), "side 'g'"),
])  # fmt: skip
def test_what_cannot_open_is_refused_when_it_is_made(told, why):
    with pytest.raises(ValueError, match=why):
        told()


def test_each_part_travels_once_and_lines_break_between_terms():
    twice = Level("s", (Part(0, "y", "5"), " + (a + b)·", Part(0, "y", "5"), " - ", Part(BEYOND, "q", "1")), "=", "1")
    told = packed([Y, Z, twice])
    assert told["levels"][2] == ["s", [[2], ["+ (a + b)·", 2], ["- ", 3]], "=", "1"]
    assert told["parts"] == [[1, "z", "3", "z0"], [-1, "x", "(-1)"], [0, "y", "5"], [-2, "q", "1"]]
    every = Y._replace(every=(Y.numbers[0], Part(LEAF, "v", "7"), Y.numbers[1]), read="a b")
    assert packed([every])["levels"] == [["y", [[0, "·2"], ["+ ", 1]], "=", "5", "", 0, [0, 2, 1], "a b"]]
    assert [part.letters for part in every.numbers] == ["z", "v", "x"]
    assert packed([]) == {"levels": [], "parts": []}


def test_both_sides_of_a_shape_open_into_their_own_number():
    value, gradient = Part(0, "y", "5"), Part(1, "z", "3", grad=True)
    data = json.loads(encode(scene(Unfolds((Y, Z), {"y0": {"": value, "g": gradient}}), toggles={"g": "backward"})))
    assert data["unfolds"]["opens"] == {"by": {"": {"y0": 0}, "g": {"y0": 1}}}
    data = json.loads(encode(scene(Unfolds((Y, Z), {"y0": {"g": gradient}}), toggles={"g": "backward"})))
    assert data["unfolds"]["opens"] == {"by": {"": {}, "g": {"y0": 0}}}
    data = json.loads(encode(scene(Unfolds((Y, Z), {"y0": value}), toggles={"g": "backward"})))
    assert data["unfolds"]["opens"] == {"by": {"": {"y0": 0}}}


def test_a_question_that_takes_a_guess_gives_no_number_away():
    told = Unfolds((Y, Z), {"y0": Part(0, "y", "5")})
    asked = Asks("How much is y?", {"A": "4", "B": "6"})
    assert "max(" not in encode(scene(told, asks=asked))
    assert "max(" in encode(scene(told, asks=asked._replace(open=False)))
    assert "max(" in encode(in_turn(scene(None), scene(told)))


def test_the_text_says_that_numbers_open_and_the_still_picture_does_not_change():
    told = Unfolds((Y, Z), {"y0": Part(0, "y", "5")})
    assert 'numbers open: Enter on one, and once more, or .where("y")' in Figure(scene(told)).text()
    assert "open" not in Figure(scene(None)).text() and Figure(scene(told)).svg() == Figure(scene(None)).svg()


def test_levels_are_written_breadth_first_each_number_once():
    told = opening.figure().scene.unfolds
    names = [level.about for level in told.levels]
    assert len(names) == len(told.opens) + names.count("s") == 24 + 6 and names.index("s") == 24
    assert len(set(names)) == 25
    assert str(told.levels[names.index("dw[0, 0]")]) == \
        "dw[0, 0] = x[0, 0]·dz[0, 0] + x[1, 0]·dz[1, 0] = 1·0.5 + 0·1.88 = 0.5, which a hook put in place of 8"
    part = told.levels[names.index("dw[0, 0]")].numbers[1]
    assert (told.levels[part.opens].about, part.shape, part.grad) == ("dz[0, 0]", "zg0", True)


@pytest.mark.parametrize("most", [0, 7, 20])
def test_what_is_beyond_the_most_is_left_to_python(most):
    told = opening.figure(most).scene.unfolds
    assert len(told.levels) == most
    assert [part.opens for _, _, part in told.roots()] == [*range(min(most, 24))] + [BEYOND] * (24 - most)
    assert told.more("zg0", (), ())[0].about == "dz[0, 0]"
    first, *rest = told.more("wg1", (), ("dz[1, 1]", "s"))
    assert str(first) == "s = 1 - h[1, 1]·h[1, 1] = 1 - (-0.46)·(-0.46) \u2248 0.79"
    assert rest[0].about == "h[1, 1]"


@pytest.mark.parametrize("shape, path", [("nothing", ()), ("wg1", ("x[0, 0]",)), ("wg1", ("dz[0, 9]",)), ("hg0", ()),
                                         ("wg1", ("x[0, 0]", "x[0, 0]"))])  # fmt: skip
def test_there_is_nothing_more_of_a_leaf_and_of_what_is_not_there(shape, path):
    assert opening.figure().scene.unfolds.more(shape, (), path) is None


def test_a_side_asks_for_its_own_number():
    x, y = opening.Number("x", 2.0), opening.Number("g", 4.0, ("2·2",))
    z = opening.Number("y", 6.0, (x.written(), "·3"))
    both = unfolds({"a": {"": z, "g": y}, "b": y, "c": x}, lambda place: None)
    assert both.more("a", ("g",), ())[0].about == "g" and both.more("a", (), ())[0].about == "y"
    assert both.more("b", ("g",), ())[0].about == "g"
    assert [*both.opens] == ["a", "b"] and isinstance(both.opens["b"], Part) and both.opens["a"]["g"] == both.opens["b"]


def test_thousands_of_levels_stay_small():
    """2,000 sentences of some 50 letters: less than 20 bytes each, as they are packed."""
    chain = opening.Number("y0", 1.0)
    for k in range(2000):
        chain = opening.Number(f"y{k + 1}", (k * 7919 % 1000) / 1000, (chain.written(), " * a[", str(k), "] + b"))
    told = unfolds({"y0": chain}, lambda place: None)
    bare = len(b64decode(pack(scene(None))))
    assert len(told.levels) == 2000 and len(b64decode(pack(scene(told)))) - bare < 2000 * 20
    assert zlib.decompress(b64decode(pack(scene(told)))).count(b'"y1000"') == 2


def test_a_figure_without_numbers_says_which_have_some():
    with pytest.raises(ArgumentValueError, match="open into nothing") as raised:
        Figure(scene(None)).where("y[0]")
    assert "show.backward" in str(raised.value)


def test_a_figure_hands_the_question_to_its_world():
    class World:
        def where(self, what, index=(), grad=False):
            return what, index, grad

    figure = Figure(scene(None), World())
    assert figure.where("y[0]") == ("y[0]", (), False) and figure.where(7, (0, 1), grad=True) == (7, (0, 1), True)
