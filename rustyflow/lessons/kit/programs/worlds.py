"""A small program in two worlds: as a belief has it, and as it runs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ....claims.claim import equation
from ....scene import Frame, Look, Scene, Shape, draw
from ....tensor import Tensor
from ..answers.misconception import believed
from ..questions.stages import SUPPOSED

ERROR, SEVERAL = "an error", 2
"""What a line gives that is refused; the most lines that are told to fail."""


class Row(NamedTuple):
    """A line of a program, what it would give, and what it gives; an empty one is not drawn."""

    code: str
    supposed: str
    real: str = ""

    @property
    def fails(self) -> bool:
        """True if both worlds give something, and not the same."""
        return bool(self.supposed and self.real) and self.supposed != self.real


def said(value: Any) -> str:
    """A value as a line of a program shows it; a float as far as there is room for it.

    >>> from rustyflow import tensor
    >>> said(1 / 3), said((2, 3)), said(tensor(7.0)), said(True), said(ValueError("no"))
    ('≈ 0.333', '(2, 3)', '7', 'True', 'an error')
    """
    if isinstance(value, Exception):
        return ERROR
    if isinstance(value, tuple):
        return str((*value,))
    value = value.item() if isinstance(value, Tensor) and value.numel() == 1 else value
    return equation("", value) if isinstance(value, float) else str(value)


def runs(code: str, **names: Any) -> Any:
    """The value of an expression, with the library; the error itself where it is refused.

    >>> runs("x + 1", x=2), runs("x / 0", x=1)
    (3, ZeroDivisionError('division by zero'))
    """
    try:
        return eval(code, names)
    except (ArithmeticError, RuntimeError, TypeError, ValueError, IndexError) as problem:
        return problem


def row(code: str, supposed: Any, real: Any) -> Row:
    """A line with two values."""
    return Row(code, said(supposed), said(real))


def tried(code: str, supposed: Any, **names: Any) -> Row:
    """A line whose second value is what it gives when it runs with some names.

    >>> tried("x / 2", 3, x=4)
    Row(code='x / 2', supposed='3', real='2')
    """
    return row(code, supposed, runs(code, **names))


def world(*rows: Row, head: str = "what runs", comes: str = "It is") -> Scene:
    """The picture of a belief: its values beside the lines, and those that run where it fails.

    `head` stands over what runs, and `comes` before it in a sentence.

    >>> scene = world(Row("len(c)", "3", "2"), Row("c.numel()", "6", "6"))
    >>> [frame.sentence for frame in scene.frames]
    ['If this were so, len(c) would be 3.', 'If this were so, len(c) would be 3. It is 2.']
    """
    failing = [k for k, one in enumerate(rows) if one.fails][:SEVERAL]
    hidden = tuple(f"r{k}" for k, one in enumerate(rows) if one.real) + ("real",)
    frames = []
    for n, k in enumerate(failing):
        would = f"{SUPPOSED}, {rows[k].code} would be {rows[k].supposed}."
        if not n:
            frames.append(Frame(would, (Look({"lit": (f"s{k}",)}), Look({"off": hidden}))))
        frames.append(Frame(f"{would} {comes} {rows[k].real}.", (Look({"lit": (f"s{k}", f"r{k}")}),)))
    return _drawn(rows, frames, ("if this were so", head))


def ran(*rows: tuple[str, Any]) -> Scene:
    """The picture of what is so: lines, and what they give.

    >>> [frame.sentence for frame in ran(("len(c)", 2)).frames]
    ['len(c) is 2.']
    """
    made = [Row(code, "", said(value)) for code, value in rows]
    said_is = [f"{one.code} is {one.real.rstrip('.')}." for one in made]
    frames = [Frame(words, (Look({"lit": (f"r{k}",)}),)) for k, words in enumerate(said_is)]
    return _drawn(made, frames, ("", "what runs"))


def smaller(
    answer: Any, question: Any, case: Mapping[str, Any], cases: Mapping[str, Mapping[str, Any]]
) -> Scene:
    """The picture of a belief in smaller cases, each by its words, up to a colon in the answer."""
    held = believed(question.misconceptions, dict(case), answer)
    if held is None:
        return ran(*((words, _first(question.key(**small))) for words, small in cases.items()))
    both = ((words, held.answer(**small), question.key(**small)) for words, small in cases.items())
    return world(*(row(words, _first(supposed), _first(real)) for words, supposed, real in both))


def _first(answer: Any) -> Any:
    return answer.partition(":")[0] if isinstance(answer, str) else answer


def _drawn(rows: Sequence[Row], frames: Sequence[Frame], heads: tuple[str, str]) -> Scene:
    """The lines below each other, and beside them one value or two."""
    words = (max(draw.width(one[k], draw.NUMBER, mono=True) for one in rows) for k in range(3))
    code, *wide = words
    lefts, x = [], draw.LEFT + code + draw.BETWEEN
    for head, room in zip(heads, wide, strict=True):
        lefts.append(x)
        x += (max(room + 20, draw.width(head, draw.LABEL)) + draw.BETWEEN) if head else 0
    shapes = tuple(_shapes(rows, heads, lefts, [max(room + 20, draw.CELL) for room in wide]))
    wider = max(860.0, x - draw.BETWEEN + draw.LEFT)
    return Scene("", wider, 44 + (draw.CELL + 8) * len(rows), shapes, tuple(frames), still=-1)


def _shapes(
    rows: Sequence[Row], heads: Sequence[str], lefts: Sequence[float], wide: Sequence[float]
) -> Iterator[Shape]:
    for id, head, x in zip(("supposed", "real"), heads, lefts, strict=True):
        if head:
            yield draw.text(x, 24, head, "muted", draw.LABEL, id=id)
    for k, one in enumerate(rows):
        y = 36 + (draw.CELL + 8) * k
        yield draw.text(draw.LEFT, y + 28, one.code, "mono", draw.NUMBER)
        for letter, words, x, w in zip("sr", one[1:], lefts, wide, strict=True):
            if words:
                cls = "virtual" if letter == "s" else ""
                yield draw.cell(f"{letter}{k}", x, y, words, cls, w=w, size=draw.NUMBER)
