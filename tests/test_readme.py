"""The README is true: its tour runs and prints what it says, and its pictures are what the library draws."""

import contextlib
import io
import re
from pathlib import Path

import pytest

import rustyflow
from rustyflow import show
from rustyflow.see.exhibit import exhibit

from .see.lines import failed

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def refused(torch):
    """The picture of an error of a mask that was not given its axes of 1."""
    names = {"scores": torch.ones(2, 4, 6, 6), "pad": torch.ones(2, 6), "__name__": "__main__"}
    return exhibit(failed("attn = (scores + pad).softmax(-1)", names), seconds=60).svg()


def pictures():
    """The README's pictures, drawn now: file name, text."""
    x = rustyflow.arange(12).view(3, 4)
    y = x.t()[1:, :2]
    strides = show.strides(x, y, title="y = x.t()[1:, :2]")
    a = rustyflow.tensor([[10.0], [20.0], [30.0]], requires_grad=True)
    b = rustyflow.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    broadcast = show.broadcast(a, b)
    yield "strides.svg", strides.svg(frame=len(strides.frames) - 3)
    yield "broadcast.svg", broadcast.svg()
    yield "error.svg", refused(rustyflow)


def test_the_tour_prints_what_it_says():
    parts = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(parts) == 2 and all(len(part.splitlines()) <= 24 for part in parts)
    tour = "".join(parts)
    said = [comment.strip() for comment in re.findall(r"^ *print\(.*\)  +# (.*)$", tour, re.MULTILINE)]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(tour, {})
    assert out.getvalue().strip().splitlines() == said


def test_the_pictures_are_what_the_library_draws():
    for name, drawn in pictures():
        kept = (ROOT / "notebooks/pictures" / name).read_text(encoding="utf-8")
        assert kept == drawn, f"draw {name} again: python -m tests.test_readme"
        assert f"notebooks/pictures/{name}" in README


def test_an_error_of_pytorchs_has_the_same_picture():
    torch = pytest.importorskip("torch")
    assert refused(torch) == refused(rustyflow)


if __name__ == "__main__":
    for name, drawn in pictures():
        (ROOT / "notebooks/pictures" / name).write_text(drawn, encoding="utf-8")
