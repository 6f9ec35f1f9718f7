"""The card that a notebook shows of a check's result: a mark, colour and words, and the reader's own numbers."""

import re
from collections.abc import Iterable
from html import escape
from typing import Any, NamedTuple

from ....claims.digits import spell

MARKS = {"Right": ("✓", "#16835a"), "Not right yet": ("✗", "#d24343"), "Not attempted yet": ("…", "#7a8390")}
"""Of each verdict its mark, and a colour that is seen on white and on black."""

BELIEF = re.compile(r'This is what follows from "(.*?)"', re.S)
MONO = "font-family:var(--jp-code-font-family,monospace);white-space:pre-wrap;margin:.4em 0"
MOST = 64
"""So many numbers of a result are drawn; of a longer one the place is said alone."""


class Own(NamedTuple):
    """A reader's own result, in rows, and the place of its first wrong number."""

    rows: tuple[tuple[Any, ...], ...]
    place: tuple[int, ...]

    @property
    def said(self) -> str:
        """The place in words.

        >>> Own(((1, 2),), (0, 1)).said
        '[0, 1] is the first that is wrong'
        """
        return f"{list(self.place)} is the first that is wrong"


def verdict(text: str, score: float) -> str:
    """The verdict on a result, in words.

    >>> verdict("step is right", 1.0), verdict("a  7 is not it", 0.0), verdict("sum_to: not attempted yet.", 0.0)
    ('Right', 'Not right yet', 'Not attempted yet')
    """
    if score >= 1:
        return "Right"
    waits = re.search(r"not (attempted|answered) yet", text, re.I) and " is not it" not in text and not score
    return "Not attempted yet" if waits else "Not right yet"


def card(text: str, score: float, own: Own | None = None) -> str:
    """Returns the HTML of a result: the verdict, the words of its text, and the numbers, a wrong one framed.

    >>> "<b>averaged</b>" in card('This is what follows from "averaged". It is a sum.', 0.0)
    True
    >>> "<i>" in card("got <i>", 0.0)
    False
    """
    words = verdict(text, score)
    mark, colour = MARKS[words]
    head = (
        f'<p style="margin:0 0 .5em;font-size:1.25em"><span aria-hidden="true" style="color:{colour};font-weight:bold">'
        f"{mark}</span> <b>{words}</b></p>"
    )
    style = f"max-width:46em;padding:.7em 1em;border:2px solid {colour};border-radius:8px;line-height:1.4"
    body = "".join(_body(text)) + _table(own, colour)
    return f'<div role="group" aria-label="{words}" style="{style}">{head}{body}</div>'


def _body(text: str) -> Iterable[str]:
    """Paragraphs; where a line has its words in columns, or begins with a space, lines stay as they are."""
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        if re.search(r"^ |\S  +\S", part, re.M):
            yield f'<pre style="{MONO}">{escape(part)}</pre>'
        else:
            told = BELIEF.sub(r'This is what follows from "<b>\1</b>"', escape(part, quote=False))
            yield f'<p style="margin:.4em 0">{told}</p>'


def _table(own: Own | None, colour: str) -> str:
    if own is None:
        return ""
    row, column = (0, *own.place)[-2:]
    box = "min-width:2.4em;padding:.3em .5em;text-align:center;font-family:var(--jp-code-font-family,monospace);border:"
    edges = {True: f"3px solid {colour};font-weight:bold", False: "1px solid #8a93a0"}
    body = ""
    for i, numbers in enumerate(own.rows):
        styles = (box + edges[(i, j) == (row, column)] for j in range(len(numbers)))
        cells = (f'<td style="{style}">{escape(spell(n))}</td>' for style, n in zip(styles, numbers, strict=True))
        body += f"<tr>{''.join(cells)}</tr>"
    said = f'<p style="margin:.6em 0 .2em">yours: {escape(own.said)}</p>'
    return f'{said}<table aria-label="yours" style="border-collapse:collapse"><tbody>{body}</tbody></table>'


def own_numbers(value: Any, key: Any, same: Any) -> Own | None:
    """The reader's result and its first wrong number, where its shape is right and has one axis or two.

    Args:
        value, key: tensors; anything else has no picture. same: tells whether two numbers are the same.
    """
    shape = tuple(getattr(value, "shape", ()))
    if not 1 <= len(shape) <= 2 or shape != tuple(getattr(key, "shape", ())):
        return None
    given, wanted = (one.tolist() if len(shape) == 2 else [one.tolist()] for one in (value, key))
    wrong = ((i, j) for i, row in enumerate(given) for j, number in enumerate(row) if not same(number, wanted[i][j]))
    place = next(wrong, None)
    if place is None or sum(map(len, given)) > MOST:
        return None
    return Own(tuple(map(tuple, given)), place[-len(shape) :])
