"""A number that is cut is told as one: behind a `≈`, or within an equation that comes to something by one."""

import re

import pytest

import rustyflow as rf
from rustyflow import show

CUT = r"-?(?:0?\.0*[1-9]\d\d|[1-9]\.\d\d|[1-9]\d\.\d)"
"""A number of three digits that has a part after the point: of random numbers nearly each has more."""

SAYS = r"(?<![≈<>])=|gives|has|had|is|From|from|sends|sent|ma[dk]es?|becomes|it:|far:|in:|out:|1:|cells:"
ALONE = re.compile(rf"(?:{SAYS}) (?:\[[-\d., \[\]]*{CUT}[-\d., \[\]]*\]|{CUT}\d*)(?=[.;,:]|$| [a-zA-Z(])")
"""What says a number, or an array with one, and the number, which is no part of a formula."""


def random(*shape):
    return rf.randn(*shape).requires_grad_()


def mlp():
    hidden = rf.tanh(random(2, 3) @ random(3, 2) + random(2))
    return show.backward((hidden * hidden).mean())


def hooked():
    x = random(3)
    x.register_hook(lambda g: g * 1.2345)
    return show.backward((x.sin() + x).sum())


def given():
    x, y = random(3), random(3)
    return show.backward(x.exp() * y - x, rf.randn(3))


def had():
    x = random(2)
    (x * x).sum().backward()
    return show.backward(x.exp().sum())


def normalized():
    x = random(2, 3)
    centred = x - x.mean(-1, keepdim=True)
    normal = centred * (centred.square().mean(-1, keepdim=True) + 1e-5).rsqrt()
    return show.backward((normal[0] * random(3)).sum())


FIGURES = {
    "normalized": normalized, "mlp": mlp, "hooked": hooked, "given": given, "had": had,
    "matmul": lambda: show.matmul(random(2, 3), random(3, 2)), "outer": lambda: show.matmul(random(2, 1), random(1, 2)),
    "batched": lambda: show.matmul(random(2, 2, 2), random(2, 2)),
    **{f"broadcast {op}": lambda op=op: show.broadcast(random(2, 1), random(3), op=op) for op in ("+", "*", "maximum")},
    **{f"reduce {op}": lambda op=op: show.reduce(random(3, 2), op, dim=0, upstream=rf.randn(2))
       for op in ("sum", "mean", "amax", "prod", "std", "logsumexp")},
    **{op: lambda op=op: show.op(op, random(2, 2)) for op in ("exp", "relu", "gelu", "sort", "trace", "square")},
    "add": lambda: show.op("add", random(2, 2), random(2)),
    "mse": lambda: show.op("mse_loss", random(2), random(2), reduction="none"),
    "gather": lambda: show.op("gather", random(2, 3), dim=1, index=rf.tensor([[0, 2], [1, 1]])),
    "where": lambda: show.op("where", rf.tensor([True, False]), random(2), random(2)),
    "slice": lambda: show.op(lambda x: x[1:] * 1, random(3)),
}  # fmt: skip


def sentences(figure):
    """Of all frames, with the lines of their inspectors, and of all that can be pointed at, on both sides."""
    yield from (said for frame in figure.frames for said in (
        frame.sentence.values() if isinstance(frame.sentence, dict) else [frame.sentence]))  # fmt: skip
    for frame in range(len(figure.frames)):
        sets = figure.state(frame).sets
        yield from ("".join(sets.get((f"p{row}{n}", "text"), "") for n in range(9)) for row in range(5))
    for toggles in ((), *([("g",)] if "g" in figure.scene.toggles else [])):
        yield from (figure.state(link=link, toggles=toggles).sentence for links in figure.scene.links
                    for link in links.links)  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_no_number_that_is_cut_is_said_to_be_all_of_it(name):
    rf.manual_seed(3)
    said = [*sentences(FIGURES[name]())]
    cut = [words for words in said if ALONE.search(words)]
    assert not cut, cut[:3]
    assert any("≈" in words for words in said)


def test_what_says_a_number_that_is_cut_is_found():
    for words in ("y[0] = 0.333.", "%2 gives [0.333, 1].", "x has 1.27; 1 of 2.", "a[0] is sent -0.333, which is"):
        assert ALONE.search(words), words
    for words in ("y[0] ≈ 0.333.", "y = 0.333·3 ≈ 1.", "x has ≈ [1, 0.333].", "x[0] = 0.5."):
        assert not ALONE.search(words), words


def test_a_part_of_a_gradient_that_is_cut_is_told_as_such():
    h = rf.tensor([[0.2, -1.1, 3.0], [1.0, 0.0, -0.4]], requires_grad=True)
    figure = show.broadcast(h, h.sum(1).unsqueeze(1), op="/")
    said = {figure.state(link=link, toggles=("g",)).sentence for links in figure.scene.links for link in links.links}
    assert any(words.endswith(": h.grad[0, 0] gets from this place 1 / 2.1 ≈ 0.476.") for words in said)
