"""What a string of a figure may be that holds a cell's number, `=` or `≈`, and which strings are none of that.

There are four kinds: the text of a claim, the reader's own text, a line of the IR, code. A string is put together of
texts of these kinds if what is left between them holds nothing; numbers alone, in a cell or a box, are the cells.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

from rustyflow.claims.claim import watch
from rustyflow.claims.digits import short
from rustyflow.ir import Node, text as printed
from rustyflow.ir.graphs import Graph

from .letters import CELL, without_arguments, without_equations
from .strings import strings

Text = tuple[str, str]
"""A string and, before it, the key of where it is seen."""

ALONE = re.compile(r"·?[][(),.\s+-]*(?:(?:\d[\d.]*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|nan|inf)[][(),.\s…-]*)+")
"""Numbers, and nothing besides: cells."""

OWN = re.compile(r"(^|/)(title|asks|belief|truth)|^note \d+/text")
"""The keys of what is quoted: a figure's title, a question's text and choices, what its lesson says of a belief, and
what is said of a text that was typed."""

PLACE = re.compile(r"(?<!\w)(?:dim \d+|[ijklmnop]) = \d+(?! ?[·*/+])(?: ?\.\.\.? ?\d+)?|^\d+=slot$")
"""A place on an axis, or the slots that it goes over: `i = 0`, `k = 0 ... 2`."""

SIGN = re.compile(r"(\b(?:with|of|and)|,) = (?=[a-z]{2})")
"""The sign as a word: `each line of text with = is a box`."""

SLOT = re.compile(r"\d+(\+\d+·(\d+|\(-\d+\)))*=\d+|\d+≠\d+·\d+=\d+")
"""A sum that leads to a slot, `2+1·4=6`, or one that does not, `1≠4·3=12`; what it comes to is worked out here."""

JOINED = re.compile(r"[\w)\]§¶][·*/+]§|§[·*/+][\w(¶]")
"""A claim's text (§) as a part of an equation that is none."""


def of_figure(draw: Callable[[], Any]) -> list[Text]:
    """The strings of a fifth kind of a figure that is drawn, with all claims that it makes under watch."""
    with watch() as claims, _graphs() as graphs:
        drawn = draw()
    texts = [*strings(drawn)]
    own = {line for key, text in texts if OWN.search(key) for line in (text, *text.splitlines())}
    lines = {line for graph in {id(graph): graph for graph in graphs}.values() for line in _printed(graph)}
    return fifth(texts, {str(claim) for claim in claims}, own | lines)


def fifth(texts: Sequence[Text], claims: Collection[str], quoted: Collection[str]) -> list[Text]:
    """The strings of a fifth kind with their keys, each once. A text may go on in the next lines of the same state.

    >>> fifth([("a", "y = 2·3 = 6."), ("b", "y has 0.5"), ("c", "y ≈ 3, by 0.5")], ["y = 2·3 = 6"], [])
    [('b', 'y has 0.5'), ('c', 'y ≈ 3, by 0.5')]
    >>> fifth([("a", "x.sum(dim=1) gives y = 2.5, so"), ("b", "3·y = 2.5"), ("c", "0.5, 2")], ["y = 2.5"], [])
    [('b', '3·y = 2.5')]
    >>> fifth([("a", "0 + 1·4 = 4"), ("b", "0 + 1·4 = 5"), ("c", "3·2 = 7")], [], [])
    [('b', '0 + 1·4 = 5'), ('c', '3·2 = 7')]
    >>> fifth([("f line p0", "y = 2 + 0.1"), ("f line p1", "≈ 2.1"), ("g", "z ≈ 2.10…")], ["y = 2 + 0.1 ≈ 2.1"], [])
    [('g', 'z ≈ 2.10…')]
    """
    known = Known(claims, quoted)
    found = dict[str, str]()
    for _, state in groupby(texts, key=lambda one: one[0].partition(" line ")[0]):
        lines = [*state]
        bad = [k for k, (_, text) in enumerate(lines) if not known.allows(text)]
        for start, end in [(k, k + n) for n in (2, 3) for k in range(len(lines) - n + 1)]:
            if set(bad) & {*range(start, end)} and known.allows(" ".join(text for _, text in lines[start:end])):
                bad = [k for k in bad if not start <= k < end]
        for k in bad:
            found.setdefault(lines[k][1], lines[k][0])
    return [(key, text) for text, key in found.items()]


def holds(text: str) -> bool:
    """True if there is something in it that only a claim may say, or a quotation."""
    return bool(re.search("[=≈]", text) or CELL.search(text))


def plain(text: str) -> str:
    """A text without arguments, spaces around signs, and marks around names that are read from right to left."""
    text = without_arguments(re.sub("[\u2068\u2069]", "", text))
    text = re.sub(r"(?<![\w.])\.(?=\d)", "0.", text)  # .5 in a box
    text = PLACE.sub("", SIGN.sub(r"\1 ", re.sub("[<>!=]=", "≷", text)))
    return re.sub(r"\s*([=≈·*/+,:])\s*", r"\1", re.sub(r"\s+", " ", text)).strip(" .")


class Known:
    """The texts of claims, and what is quoted."""

    def __init__(self, claims: Collection[str], quoted: Collection[str]):
        marks = {plain(text): mark for some, mark in ((claims, "§"), (quoted, "¶")) for text in some}
        self.marks = {text: marks[text] for text in sorted(marks, key=len, reverse=True) if text}
        self.seen: dict[str, bool] = {}

    def allows(self, text: str) -> bool:
        """True for a text that is of one of the four kinds."""
        if text not in self.seen:
            self.seen[text] = not holds(text) or bool(ALONE.fullmatch(text)) or self._is_known(plain(text))
        return self.seen[text]

    def _is_known(self, text: str) -> bool:
        if text in self.marks or not holds(text) or SLOT.fullmatch(text) and _comes_out(text):
            return True
        for part, mark in self.marks.items():
            if part in text and not re.fullmatch(r"-?\d+", part):
                text = self._marked(text, part, mark)
        text = without_equations(self._without_cut(text))
        return not holds(text) and not JOINED.search(text)

    def _marked(self, text: str, part: str, mark: str) -> str:
        """A text with a mark for a part of it, where that is not a part of a word; a claimed number, of an equation."""
        number = mark == "§" and not re.search(r"[^\W\d]|[=≈]", part)
        beside = r"\w" + "·*+/" * number
        before = rf"(?<![{beside}.%])" if part[0].isalnum() else r"(?<![\w)])" * (part[0] == "[")
        after = rf"(?![{beside}]|\.\d)" * part[-1].isalnum()
        return re.sub(before + re.escape(part) + after, mark, text)

    def _without_cut(self, text: str) -> str:
        """A text that is cut to its line without the beginning of a known one before `…`, or the end of one after."""
        before, cut, after = map(str.strip, text.partition("…"))
        if not cut:
            return text
        for part in self.marks:
            at, end = before.find(part[:8]), after.rfind(part[-8:])
            if at >= 0 and len(before) - at > 3 and part.startswith(before[at:]):
                before = before[:at]
            if end >= 0 and part.endswith(after[: end + 8]):
                after = after[end + 8 :]
        return f"{before} {after}"


def _comes_out(text: str) -> bool:
    sums = [eval(part.replace("·", "*")) for part in re.split("[=≠]", text)]
    return all((a == b) == (sign == "=") for a, b, sign in zip(sums, sums[1:], re.findall("[=≠]", text)))


@contextmanager
def _graphs() -> Iterator[list[Graph]]:
    """All graphs of the IR that are made meanwhile."""
    graphs, init = [], Graph.__init__

    def kept(self, *args, **kwargs):
        init(self, *args, **kwargs)
        graphs.append(self)

    Graph.__init__ = kept
    try:
        yield graphs
    finally:
        Graph.__init__ = init


def _printed(graph: Graph) -> Iterator[str]:
    """The lines of a graph, what they begin with, and the numbers in them."""
    for node in graph.nodes:
        yield from (printed.line(node), f"{node.id} = {printed.call(node)}", f"{node.id} = {node.op}")
        yield from _numbers(node)
    yield from graph.text().splitlines()


def _numbers(node: Node) -> Iterator[str]:
    """The numbers that a call was given."""
    given = [operand for operand in node.operands if operand[:1] != "%"]
    for number in (*given, *(str(value) for _, value in node.attrs if isinstance(value, float))):
        yield from (number, short(number))
