"""A scene said in words: what a screen reader reads, what a terminal prints, what nbval compares."""

import re

from .scene import Frame, Scene, State, fill, of_side


def printable(text: str) -> str:
    """Text with what cannot be printed spelled out: a name from outside forges no line, no command and no markup.

    >>> print(printable("a\\nb\\x1b"))
    a\\nb\\x1b
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


_LETTER = "[\u0590-\u08ff\ufb1e-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
RTL = f"{_LETTER}(?: ?[0-9_]*{_LETTER})*(?:[0-9_]+(?![A-Za-z0-9_]))?"
"""A name, or several words, in Hebrew, Arabic or another script that is written from right to left."""


def isolated(text: str) -> str:
    """Text for a picture: such a name between marks of Unicode's, so that what stands beside it keeps its order.

    Without them `(2, 3)` after one reads `(3 ,2)`. Text that is compared or copied has no marks.

    >>> isolated("\u05e9\u05dd_1 (2, 3)") == "\u2068\u05e9\u05dd_1\u2069 (2, 3)"
    True
    """
    return text if text.isascii() else re.sub(RTL, "\u2068\\g<0>\u2069", text)


def say(scene: Scene, state: State | None = None, opens: str = "") -> str:
    """The whole scene in words, or one state's sentence.

    First its title and what holds in every frame, then the sentence of each frame with its details under it. `opens`:
    the name of a number that opens in it, where they do.

    >>> from rustyflow.scene.scene import Frame
    >>> print(say(Scene("x", 40, 40, (), (Frame("One number."), Frame("And another.")), about=("shape (1,)",))))
    x
      shape (1,)
    1. One number.
    2. And another.
    """
    if state is not None:
        return printable(state.sentence)
    lines = [scene.title, *("  " + line for line in scene.about)]
    if scene.asks:
        lines = [*scene.asks.text.splitlines(), *(f"  {letter}  {words}" for letter, words in scene.asks.lines())]
    elif name := opens or next((level.about for level in scene.unfolds.levels), "") if scene.unfolds else opens:
        lines.append(f'  numbers open: Enter on one, and once more, or .where("{name}"), tells what it was made of')
    told = {toggle for frame in scene.frames for toggle in frame.toggles}  # these sides have steps of their own
    number, fine = 0, []
    for frame in scene.frames:
        if frame.fine:
            fine.append(f"  - {_read(frame)}")
            continue
        number += 1
        if number == 2:  # the first step has shown at once what the details after it tell one by one
            lines, fine = [*lines, *fine], []
        lines.append(f"{number}. {_read(frame)}")
        if not isinstance(frame.sentence, str | tuple):
            others = [t for t in frame.sentence if t and t not in frame.toggles and t not in told]
            lines += [f"   {scene.toggles[t]}: {_read(frame, (t,))}" for t in others]
        lines += fine
        fine = []
    return "\n".join(map(printable, [*lines, *fine]))


def _read(frame: Frame, toggles: tuple[str, ...] | None = None) -> str:
    """A frame's own sentence, or that of a side, without what only a picture is for.

    >>> _read(Frame("Ten cells: point at one.", picture=": point at one"))
    'Ten cells.'
    """
    side = frame.toggles if toggles is None else toggles
    return fill(of_side(frame.sentence, side), ()).replace(frame.picture, "", 1)


def alternative(scene: Scene, state: State) -> str:
    """The alt text of a picture: the title and the sentence of what it shows."""
    return printable(f"{scene.title}. {state.sentence}")
