"""Calls of widgets that do not fit: the rule, the name that may be meant, and the whole form."""

import pytest
import traitlets

import rustyflow as rf
from rustyflow import show, widgets
from rustyflow.errors import CallError

X = rf.arange(6.0).view(2, 3)
W = rf.ones(2, requires_grad=True)


class Rows(widgets.Widget):
    rows = traitlets.Int(2).tag(sync=True)

    def make(self):
        return show.strides(rf.arange(self.rows), names=["x"])


@pytest.mark.parametrize("call, rule, fix", [
    (lambda: widgets.Strides(X, name="a"), "'name'", "names='a'; widgets.Strides(*tensors,"),
    (lambda: widgets.Reduce(X, keepdims=True), "'keepdims'", "keepdim=True; widgets.Reduce(x,"),
    (lambda: widgets.Matmul(X), "missing a required argument: 'b'", "widgets.Matmul(a, b,"),
    (lambda: widgets.Graph(W.sum(), titel="a"), "'titel'", "title='a'; widgets.Graph(y,"),
    (lambda: widgets.Backward(), "missing a required argument: 'y'", "widgets.Backward(y,"),
    (lambda: widgets.Op("exp", X, name=["x"]), "'name'", "names=['x']; exp(input)"),
    (lambda: widgets.StridesPlayground(X, nmae="x"), "'nmae'", "name='x'; widgets.StridesPlayground(x,"),
    (lambda: widgets.BroadcastPlayground((3, 1), (4,), op="+"), "'op'", "widgets.BroadcastPlayground(*shapes)"),
    (lambda: widgets.Curve(abs, 1.0, nudges=1), "'nudges'", "nudge=1; widgets.Curve(f, at=1.0"),
    (lambda: widgets.Expression(), "missing a required argument: 'text'", "widgets.Expression(text,"),
    (lambda: widgets.Expression("a", a=W, backwards=False), "'backwards'", "backward=False; widgets.Expression(text,"),
    (lambda: widgets.BeTheEngine(W.sum(), upstrem=3), "'upstrem'", "upstream=3; widgets.BeTheEngine(y,"),
    (lambda: widgets.Predict(), "missing a required argument: 'question'", "widgets.Predict(question)"),
    (lambda: widgets.beside(show.strides(X), gap=2), "'gap'", "widgets.beside(*parts)"),
    (lambda: Rows(rws=3), "'rws'", "rows=..."),
])  # fmt: skip
def test_a_call_that_does_not_fit_says_what_is_meant(call, rule, fix):
    with pytest.raises(TypeError) as caught:
        call()
    assert isinstance(caught.value, CallError)
    assert rule in caught.value.rule and caught.value.fix.startswith(fix)


def test_what_fits_is_made_and_named_by_the_caller():
    y = X.t()
    assert Rows(rows=3).rows == 3 and widgets.Strides(y).figure.scene.title == "y"


@pytest.mark.parametrize("text, name, write", [
    ("a − b", "minus sign U+2212", "a - b"), ("a – b", "en dash U+2013", "a - b"),
    ("a × b", "multiplication sign U+00D7", "a * b"), ("a·b", "middle dot U+00B7", "a*b"),
    ("a²", "superscript two U+00B2", "a**2"), ("a ÷ 2", "division sign U+00F7", "a / 2"),
    ("a ≤ b", "less-than or equal to U+2264", "a <= b"), ("“a”", "left double quotation mark U+201C", '"a"'),
    ("ａ*b", "fullwidth latin small letter a U+FF41", "a*b"), ("a*２", "fullwidth digit two U+FF12", "a*2"),
    ("（a*b）", "fullwidth left parenthesis U+FF08", "(a*b)"), ("a +\u00a0b", "no-break space U+00A0", "a + b"),
    ("a\u200b*b", "zero width space U+200B", "a*b"), ("a ⊗ b", "circled times U+2297", "letters, digits and signs"),
])  # fmt: skip
def test_a_pasted_character_is_named_and_never_read_as_another(text, name, write):
    widget = widgets.Expression("a * b", a=W, b=W)
    before = widget.figure
    widget.text = text
    assert widget.figure is before and name in widget._note and f"\ntry: {write}" in widget._note
    with pytest.raises(ValueError, match="U\\+"):
        widgets.Expression(text, a=W, b=W)


@pytest.mark.parametrize("typed", ["[1, −2]", "[1， 2]", "[１, 2]"])
def test_pasted_numbers_and_shapes_are_told_apart_too(typed):
    widget = widgets.Expression("a * b", a=W, b=W)
    widget.cells = [typed, "[1, 2]"]
    assert "U+" in widget._note and "\ntry: [1, " in widget._note
    play = widgets.BroadcastPlayground((3, 1), (4,))
    play.shapes = ["3 × 1", "4"]
    assert "multiplication sign" in play._note and "try: 3 , 1" in play._note


def test_a_name_may_have_letters_of_its_own():
    widget = widgets.Expression("α * 2", {"α": W})
    assert widget.result.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("text, rows, fix", [
    ("a * b", ["a:  3  1", "b:  2  4"], "unsqueeze"),
    ("a @ b", ["a:  3  1", "b:  2  4"], ""),
    ("a + b.t()", ["a:  3  1", "b:  4  2"], ""),
    ("a.view(2, 2)", [], ""),
])  # fmt: skip
def test_an_error_is_said_in_all_its_parts(text, rows, fix):
    widget = widgets.Expression("a.sum() + b.sum()", a=rf.ones(3, 1, requires_grad=True), b=rf.ones(2, 4))
    widget.text = text
    said = widget._note.replace("\u2007", " ")
    assert said.startswith("The figure stays as it was. ") and "\ntry: " in said
    assert all(row in said for row in rows)
