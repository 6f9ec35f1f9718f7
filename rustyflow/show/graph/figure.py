"""show.graph: the program as a graph: its text form and its picture, with one selection for both."""

import re
from collections import Counter
from collections.abc import Sequence
from math import ceil, prod
from textwrap import wrap
from typing import Any

from ...claims.digits import short
from ...claims.say import told_letters
from ...dispatch.operation import OPS
from ...errors import TensorError
from ...errors.foreign import is_torch
from ...ir import Graph, Node
from ...ir.builder import ABSENT
from ...ir.names import Names as Known
from ...ir.node import owner
from ...ir.text import clean, label
from ...scene import Figure, Frame, Link, Links, Look, Scene, Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import shorten, width
from ...scene.scene import READ
from ...tensor import Tensor
from ...unfold import World
from ..kit.dag import LARGE, LOW, OPEN, TOP, WIDEST, Dag, lines_of, panel, repeated, repeats, room_for, small_box
from ..kit.opens import Opened, opened
from ..kit.past import as_it_was
from ..kit.story import Story
from ..kit.window import Window
from ..words.caller import caller_text
from ..words.given import Names, read_named, titled
from ..words.nodes import Voice, called, changed, shaped
from ..words.rule import (
    UNTRACKED,
    behind,
    below,
    gradients_too,
    in_prose,
    is_number,
    names_in,
    names_of,
    of_result,
    put,
    rule_of,
    ruled,
    rules_of,
    wrt,
)
from ..words.sentences import arriving, listed, many

STORY = 14
"""Up to so many nodes each has a step of its own, else each operation."""

ROW, LINES = 17, 7
"""Height of a line of text, and how many there is room for below the tallest graph; a card has as many as are seen."""

CARD = 308
"""The width of the card, which stands beside the lines of text; one for longer rules stands on all of them."""

CARDS = {"c": "card", "d": "wide"}
"""The letter of the lines of each card, and its id."""

FONT, ARRAY = draw.LABEL, 11
"""The font size of lines and cards; the characters that an array may have in a box."""

MANY_CELLS = 50_000
"""A graph of PyTorch's of more cells is not run again."""

SEEN, VIEW = 208, 200
"""The height of four boxes under each other, and of a window."""

TALLEST, MANY = 440, 18
"""Up to so tall a graph is drawn at once: four boxes under each other, which a projector shows whole, or more, of which
it shows the part that is told; a window on a larger graph has the height of four. Of so many lines of text all are seen
under a graph that is taller than a projector shows."""


def graph(y: Any, *more: Any, names: Names = None, title: str | None = None) -> Figure:
    """Shows the graph of a program: boxes joined by the arrows of the data, with a line of text each.

    Point at a box or a line to see both, what it reads, its rule, and what it keeps for backward. A graph too large for
    a projector is seen through a window, with a map above; one of more than 200 nodes is told in words.

    Args:
        y, more: results: rustyflow or PyTorch tensors, or a graph of `rustyflow.ir`.
        names: what to call y and more, ["loss"], or any tensors of the graph, {"w": w}; default: the program's names.
        title: the title; default: the results as the call has them, or the assignments of the same cell that made them.

    Raises:
        TypeError: not a tensor; a name or a title that is no text. ValueError: another number of names than tensors; a
        name of a tensor that is not in the graph.

    Example:
        >>> import rustyflow as rf
        >>> w, x = rf.tensor([2.0, 3.0], requires_grad=True), rf.tensor([0.5], requires_grad=True)
        >>> figure = rf.show.graph((w * x).sum())
        >>> print(figure.state(link="n3").sentence)
        %4 = mul reads w and x (repeated) and gives float32[2], and keeps w and x for backward.
    """
    title = titled(title)
    program, titles, known = read_named((y, *more), names, caller_text((y, *more)))
    results = [called(program[ref]) for ref in program.results]
    if any(titles):  # of what is too long the name alone
        titles = dict.fromkeys(text or name for text, name in zip(titles, results, strict=False))
    text = (";  " if any(" = " in title for title in titles) else ",  ").join(titles)
    return figure_of(program, title or text or f"The graph of {listed(results)}", (y, *more), known)


def scene_of(program: Graph, title: str) -> Scene:
    """The scene of a graph: its picture, or a few lines of text if it is too large for one."""
    return figure_of(program, title).scene


def figure_of(program: Graph, title: str, results: Sequence[Any] = (), known: Known | None = None) -> Figure:
    """Returns the figure of a graph: its picture, or lines of text if it is too large.

    The numbers behind its `results` open, if these are tensors of rustyflow's; `known` are all of the program's.
    """
    world = _world(program, results, known)
    if not 0 < len(program) <= LARGE:
        return Figure(_told(program, title), world)
    picture, opens = GraphPicture(program, title), world and Opened(world, Voice(program))
    return Figure(picture.scene(), world, opens and (lambda: opened(opens, picture.opening(opens))))


def _world(program: Graph, results: Sequence[Any], known: Known | None) -> World | None:
    """The numbers behind results; of PyTorch's, whose operations are run again, where these are few and small."""
    theirs = any(map(is_torch, results))
    if not results or not (theirs or all(isinstance(y, Tensor) for y in results)):
        return None
    if theirs and (len(program) > LARGE or sum(prod(node.shape or ()) for node in program) > MANY_CELLS):
        return None
    try:
        return World(tuple(results), known or Known())
    except TensorError:  # nothing of it is kept
        return None


class GraphPicture:
    """Text, boxes and the card of one graph."""

    def __init__(self, program: Graph, title: str):
        self.graph, self.title, self.taken = program, title, names_in(program)
        self.lines = program.text(limit=None).splitlines()
        self.number = {node.id: k for k, node in enumerate(program.nodes)}
        self.kept = {s.ref for node in program for s in node.saved if not s.freed}
        self.readers = Counter(ref for node in program for ref in {*node.operands} if ref[:1] == "%")
        self.window: Window | None = None
        said, told = self._values(), {node.id: "" for node in program}
        ways = (said, SEEN, 14), (said, SEEN, 6), (told, SEEN, 14), (told, SEEN, 6), (told, TALLEST, 14)
        for self.values, tall, down in ways if len(program) <= OPEN else ():
            self.dag = Dag(program, self._size, LEFT, TOP, WIDEST - LEFT, down)
            if self.dag.right <= WIDEST and self.dag.bottom <= TOP + tall:
                break
        else:
            self.values = told
            self.dag = Dag(program, self._size, down=18)
            self.window = Window(self.dag, self.number, VIEW)
        self.right = WIDEST if self.window else max(RIGHT, 8 * ceil(self.dag.right / 8))
        self.wide, self.width = self.right - LEFT, self.right + LEFT
        self.room = self.wide - CARD - 16
        self.broken, self.rows = self._broken()
        y = (self.window or self.dag).bottom + 6
        low = room = max(LINES, int((LOW - 8 - y) / ROW))
        room = self.rows[-1] if self.rows[-1] <= MANY and self.dag.bottom > TOP + SEEN and not self.window else room
        self.seen = room if self.rows[-1] <= room else room - 1  # the last line says how much is not seen
        self.facts = {node.id: self._facts(node) for node in program}
        most = max(len(lines) for *_, lines in self.facts.values())
        self.deep = max(LINES, min(self.rows[-1], room), min(most, low))
        self.height = y + ROW * self.deep + 8
        arrows = self.dag.arrows(lambda a, b: program[b].is_view or program[b].kind == "expand")
        graph = (*arrows, *(self._box(node) for node in program))
        note = f"{many(sum(n.kind == 'op' for n in program), 'operation')}, {many(len(program), 'node')}"
        self.note, drawn = note, self.window.draw(graph) if self.window else graph
        self.shapes = (*drawn, *self._text(y), self._card("c", CARD, y), self._card("d", self.wide, y))

    def _ids(self, k: int) -> tuple[str, ...]:
        """Returns the ids of a node's box, its line, and its mark on the map of a large graph."""
        return (f"n{k}", f"t{k}", f"m{k}") if self.window else (f"n{k}", f"t{k}")

    def _lit(self, nodes: Sequence[Node]) -> Look:
        """Returns the look in which nodes and the arrows to their readers are lit, the first of them in sight."""
        if not nodes:
            return Look()
        ids = [node.id for node in nodes]
        arrows = [edge for edge, source, _, _ in self.dag.edges if source in ids]
        boxes = [id for node in nodes for id in self._ids(self.number[node.id])]
        return Look({"lit": (*boxes, *arrows)}, self._lines_at(self.number[ids[0]]) | self._onto(*ids))

    def _lines_at(self, k: int) -> dict[tuple[str, str], str]:
        """Returns what a state sets to bring a node's line into sight, and to count the lines out of sight."""
        row, last = self.rows[k], self.rows[-1] - self.seen
        if last <= 0:
            return {}
        first = last if row >= last else min(last, max(0, row - self.seen // 2))
        return {("lines", "transform"): draw.place(0, -ROW * first), ("more", "text"): self._more(first)}

    def _onto(self, *ids: str) -> dict[tuple[str, str], str]:
        """Returns what a state sets to bring nodes into sight, where not all are."""
        return self.window.onto(*ids) if self.window else {}

    def _text(self, y: float) -> tuple[Shape, Shape]:
        """Draws as many lines as there is room for, and says how many more there are."""
        size = (("width", self.wide), ("height", ROW * self.seen + 1))
        lines = draw.group("lines", *self._lines(), at=(0, 0))
        seen = Shape("svg", "", ("window",), (("x", LEFT), ("y", y), *size), (lines,))
        return seen, draw.text(LEFT, y + ROW * self.seen + 16, self._more(0), "muted", id="more")

    def _broken(self) -> tuple[list[list[str]], list[int]]:
        """Returns the lines, broken where they would run under the card, and the row in which each begins."""
        most, lines = int(self.room / width("0", FONT, mono=True)), self.lines
        if any(len(line) > most for line in lines):  # then a column of its own for the types costs rows
            lines = [re.sub(" +: ", " : ", line) for line in lines]
        bound = (re.sub(r"\[[^]]*\]|(saved)?: ", lambda match: match[0].replace(" ", "\xa0"), line) for line in lines)
        parts = (wrap(line, most, subsequent_indent=" " * 8, break_long_words=False) for line in bound)
        broken = [[part.replace("\xa0", " ") for part in line] for line in parts]
        rows = [0]
        for line in broken:
            rows.append(rows[-1] + len(line))
        return broken, rows

    def _more(self, first: int) -> str:
        """Says how many lines are out of sight."""
        above, below = first, self.rows[-1] - self.seen - first
        counts = [f"{n} more {where}" for n, where in ((above, "above"), (below, "below")) if n > 0]
        return "⋯ " + ", ".join(counts) if counts else ""

    def _size(self, node: Node) -> tuple[float, float]:
        if node.kind == "expand":
            return room_for(*repeated(self.graph, node)), 46
        lines = (self._first(node), draw.NUMBER), (self.values[node.id], draw.NUMBER), (self._second(node), FONT)
        wide = max(width(line, size, mono=True) + 18 for line, size in lines)
        return min(200.0, max(60.0, wide)), 66 if self.values[node.id] else 46

    def _values(self) -> dict[str, str]:
        """Returns the numbers of nodes with few, as their boxes show them."""
        graph = as_it_was(self.graph) if len(self.graph) <= OPEN else self.graph
        voice = Voice(graph)
        return {node.id: "" if changed(node) or any(out is None for out in node.outs) else voice.tight(node.outs, ARRAY)
                for node in graph}  # fmt: skip

    def _second(self, node: Node) -> str:
        """Returns a node's shape, in brackets, and which of its results are kept.

        A bare 2 would read as a value.
        """
        parts = dict.fromkeys(value.shape for value in node.results[: None if node.labels[:1] == ("0",) else 1])
        shape = ", ".join(map(str, map(list, parts))) if all(parts) else shaped(node)
        kept = [ref.partition(".")[2] for ref in node.refs if ref in self.kept]
        whose = [label for label in kept if label not in ('', *node.labels[:1]) and not label.isdigit()]
        alone = whose and node.labels[0] not in kept
        return f"{shape}, {' and '.join(whose)} kept" if alone else shape + ", kept" * bool(kept)

    def _first(self, node: Node) -> str:
        name = f" {label(node)}" if any(node.names) else ""
        return node.op + name if node.kind == "op" else clean(called(node))

    def _box(self, node: Node) -> Shape:
        at = self.dag.places[node.id]
        if node.kind == "expand":
            return small_box(f"n{self.number[node.id]}", at, repeated(self.graph, node))
        cls = "dashed" if node.is_view else ""
        value = self.values[node.id]
        inner = [
            panel(at.w, at.h, cls, 12 if node.kind in ("leaf", "parameter", "constant", "input") else 6),
            draw.text(at.w / 2, 20, self._first(node), "mono strong", draw.NUMBER, "middle", room=at.w - 10),
            *([draw.text(at.w / 2, 40, value, "mono", draw.NUMBER, "middle", room=at.w - 10)] if value else []),
            draw.text(at.w / 2, at.h - 8, self._second(node), "mono muted", FONT, "middle", room=at.w - 10),
        ]
        return draw.group(f"n{self.number[node.id]}", *inner, at=(at.x, at.y))

    def _lines(self) -> list[Shape]:
        shapes = []
        for k, (parts, row) in enumerate(zip(self.broken, self.rows, strict=False)):
            node, y = k < len(self.graph), 14 + ROW * row
            cls, id = ("mono", f"t{k}") if node else ("mono muted", "")
            shape = draw.text(0, y, parts[0], cls, FONT, id=id)
            if parts[1:]:
                lines = enumerate(parts)
                shape = shape._replace(text="", children=tuple(
                    Shape("tspan", "", (), (("x", 0), ("y", y + ROW * n)), (), part) for n, part in lines))  # fmt: skip
            shapes.append(shape)
        return shapes

    def _card(self, letter: str, wide: float, y: float) -> Shape:
        """A card at the right: a heading, PyTorch's name, what is kept, the rules."""
        texts = [draw.text(16, 22, "", "mono strong", draw.NUMBER, id=f"{letter}0")]
        for k in range(1, self.deep):
            texts.append(draw.text(16, 22 + ROW * k, "", "muted" if k < 3 else "mono", FONT, id=f"{letter}{k}"))
        parts = panel(wide, ROW * self.deep + 6), *texts
        return draw.group(CARDS[letter], *parts, cls="aside off", at=(self.right - wide, y))

    # -- words -------------------------------------------------------------------------------------------------------

    def _read_by(self, node: Node) -> list[str]:
        """Returns the names of all that a node reads."""
        names = []
        for ref in (ref for ref in node.operands if ref != ABSENT):
            if ref[:1] != "%":
                names.append("something untracked" if ref == "?" else short(ref))
                continue
            again = self.graph[ref].kind == "expand" and repeats(self.graph, self.graph[ref])
            names.append(self._result(below(self.graph, ref)) + (" (repeated)" if again else ""))
        return names

    def _name(self, node: Node) -> str:
        """Returns the name of a node in sentences: the program's, else its id."""
        return clean(node.name) if node.name and not node.labels else node.id

    def _sentence(self, node: Node) -> str:
        """The sentence for a node."""
        many_ = len(node.labels) if node.labels[:1] != ("y",) else 1  # the others are for its gradient alone
        gives = f"gives {listed([str(result) for result in node.results[: many_ or 1]], 4)}"
        if node.kind in ("leaf", "parameter"):
            return f"{self._name(node)} is a {node.kind}: backward ends here and adds to {self._name(node)}.grad."
        if node.kind == "constant":
            since = f" {writer} has written over it since." if (writer := node.results[0].overwritten) else ""
            return f"{self._name(node)} is a constant: nothing tracks it, and no gradient flows to it.{since}"
        if node.kind == "expand":
            sentence = f"{self._result(node.operands[0])} is read as {list(node.shape)}"
            if not repeats(self.graph, node):
                return f"{sentence}, with axes of size 1 in front: nothing is repeated."
            return f"{sentence} with stride 0, by broadcasting{': backward sums over it' * node.requires_grad}."
        if node.kind != "op":
            return f"{node.id} = {node.op} {gives}."
        reads = listed(self._read_by(node)) if node.operands else "nothing"
        views, whose = ("views", "their") if len(node.labels) > 1 else ("a view", "its")
        view = f", {views} of {self._result(node.base)} without numbers of {whose} own" if node.is_view else ""
        kept = list(dict.fromkeys(self._kept(s.ref) for s in node.saved))
        keeps = f", and keeps {listed(kept)} for backward" if kept and not node.saved[0].freed else ""
        keeps = ", and has let go of what it kept" if node.saved and node.saved[0].freed else keeps
        if by := [*filter(None, (s.overwritten for s in node.saved))]:
            keeps += f": {by[0]} has written over that since, so that no backward passes here"
        if put(rule_of(node, "y"), {}) in ("value", "value, repeated", "0"):  # of what is written over nothing is read
            over, *value = self._read_by(node)
            return f"{node.id} = {node.op} writes {listed(value or ['0'])} over {over} and {gives}{view}{keeps}."
        return f"{node.id} = {node.op} reads {reads} and {gives}{view}{keeps}."

    def _result(self, ref: str) -> str:
        """Returns the name of a result in sentences: the program's, else an id such as `%2.values`."""
        node = self.graph[ref]
        return of_result(node.id if node.labels else self._name(node), node, ref)

    def _kept(self, ref: str) -> str:
        """Returns the name of something that a node kept: the program's for one result of several, else words."""
        if ref[:1] != "%":
            return "something untracked" if ref == "?" else f"the number {short(ref)}"
        node, label = self.graph[ref], ref.partition(".")[2]
        name = node.names[node.labels.index(label)] if label and node.names else None
        own_names = sum(map(bool, node.names))
        if name or label in ("", "y") or label.isdigit():
            return self._result(ref)
        if label == "indices" and node.op.startswith(("max", "min")):  # max_pool2d too
            return f"the places of the {node.op[:3]}ima"
        if node.rule == "standardize":  # of what it reads: its result has mean 0
            return f"the {label}s of {self._read_by(node)[0]}"
        return f"the {label} of {node.id if own_names > 1 or not node.name else clean(node.name)}"

    def _rules(self, node: Node) -> list[str]:
        """Returns the rules of a node in the program's names, without those for numbers, which have no gradient."""
        names = names_of(self.graph, node, self._name)
        if node.kind == "expand" and not repeats(self.graph, node):
            of = names["x"]
            sign = "+=" if self.readers[node.operands[0]] > 1 else "="
            both = [f"{names['y']} = {of} with axes of size 1 in front", f"{wrt(of, self.taken)} {sign} g without them"]
            return both if node.requires_grad else both[:1]
        op = OPS.get(node.rule)
        operands = dict(zip(getattr(op, "operands", ()), node.operands, strict=False))
        sources = {letter: behind(self.graph, ref) for letter, ref in operands.items()}
        # what is repeated gets its sum from the expand, by a rule of its own
        wide = {letter: ref for letter, ref in operands.items() if ref != below(self.graph, ref)}
        asked = node.kind == "expand" or any(other.requires_grad for other in self.graph)
        idle = [f"d{letter}" for letter, name in names.items() if sources.get(letter, node) is None or name == UNTRACKED
                or asked and not (node.requires_grad and sources.get(letter, node).requires_grad)]  # fmt: skip
        lines = ruled([rule for rule in rules_of(node) if not {*rule.names} & {*idle}], names, wide, self.taken)
        twice = [letter for letter, ref in operands.items() if letter not in wide and self.readers[ref] > 1]
        shared, texts = {wrt(names[letter], self.taken) for letter in twice}, []
        for left, right in lines:
            head, sign = left.partition("[")[0] or left, "="
            if head in shared:  # others may add to it, too
                sign = "+="
            shared |= {head}
            if getattr(op, "variadic", False) and left == "dx":  # of any of them
                left, sign = "each gets", ""
            if len(node.labels) > 1 and ", a tuple of" in right:  # a name is one of them
                left, sign = "gives", ""
            texts.append(" ".join(filter(None, (left, sign if left else "", right))))
        return texts

    @staticmethod
    def _wrapped(rules: Sequence[str], wide: float) -> list[str]:
        most = int((wide - 30) / width("0", FONT, mono=True))
        return [line for rule in rules for line in wrap(rule, most, subsequent_indent="  ")]

    def _card_of(self, node: Node) -> tuple[str, tuple[str, ...]]:
        """Returns the letter of the card that a node needs, and its lines."""
        small, wide = self.facts[node.id]
        letter, lines = ("c", small) if small and len(small) <= self.deep else ("d", wide)
        if len(lines) > self.deep and lines[2] and width(both := f"{lines[1]}; {lines[2]}", FONT) <= self.wide - 30:
            lines = [lines[0], both, *lines[3:]]
        if len(lines) > self.deep:
            lines = [*lines[: self.deep - 1], f"{lines[self.deep - 1]} …"]
        return letter, tuple([*lines, *[""] * self.deep][: self.deep])

    def _facts(self, node: Node) -> tuple[list[str], list[str]]:
        """Returns the lines of a node's small card, if that is wide enough, and of the wide one.

        They are a heading, PyTorch's name, what is kept or where the kinks are, and the rules.
        """
        kinks = getattr(OPS.get(node.rule), "kinks", "")
        kinks = in_prose(kinks, gradients_too(names_of(self.graph, node, self._name))) if kinks else ""
        saved = dict.fromkeys(
            (s.ref, self._kept(s.ref), f"version {s.version}{f', since {s.overwritten}' * bool(s.overwritten)}")
            for s in node.saved if s.version is not None)  # fmt: skip
        versions: dict[str, list[str]] = {}
        for _, name, version in saved:
            versions.setdefault(version, []).append(name)
        versioned = listed([f"{listed(names)} ({version})" for version, names in versions.items()]) if saved else ""
        said_rules = self._rules(node)
        refs = dict(zip(getattr(OPS.get(node.rule), "operands", ()), node.operands, strict=False))
        back = [rule for rule in rules_of(node) if rule.left[:1] == "d" and not is_number(refs.get(rule.left[1:], "?"))]
        letters = {letter for rule in back for letter in told_letters(rule)}
        read = [ref for letter, ref in refs.items() if is_number(ref) and letter in letters]
        nothing = f"keeps the number {listed(read)}" if read else "keeps nothing"
        nothing = "keeps the index" if _holds_index(node) else nothing
        nothing = "changes a part, PyTorch hides how" if node.op == "copy_slices" and not node.rule else nothing
        kept = kinks or (f"keeps {versioned}" if saved else nothing if node.kind == "op" else "")
        two = "LogSoftmaxBackward0 and " * (node.rule == "cross_entropy")
        words_, few = f"in PyTorch: {two}{node.torch}" if node.torch else str(node.results[0]), kept
        if not kinks and saved and width(kept, FONT) > CARD - 30:  # the sentence below says which
            few = f"keeps {many(len(saved), 'tensor' if all(ref[:1] in '%?' for ref, _, _ in saved) else 'value')}"
        head, fits = f"{node.id}  {called(node)}", all(width(line, FONT) <= CARD - 30 for line in (words_, few))
        small = [head, words_, few, *self._wrapped(said_rules, CARD)] if fits else []
        return small, [head, words_, kept, *self._wrapped(said_rules, self.wide)]

    def _links(self) -> tuple[Links, ...]:
        """Lets a box and its line of text light each other, and fill a card.

        The box lights with all its arrows, the line with the arrows from what it reads.

        Where not all is seen at once each brings the other into sight, and a mark on the map both.
        """
        links: dict[tuple, dict[str, Link]] = {}  # families, each of those that set the same
        for k, node in enumerate(self.graph):
            letter, lines = self._card_of(node)
            room = (CARD if letter == "c" else self.wide) - 30
            sizes = (draw.NUMBER if n == 0 else FONT for n in range(len(lines)))
            card = {(f"{letter}{n}", "text"): shorten(line, room, size, n == 0 or n > 2, n == 0)
                    for n, (line, size) in enumerate(zip(lines, sizes, strict=True))}  # fmt: skip
            sentence, line, box = self._sentence(node), self._lines_at(k), self._onto(node.id)
            for id, moved in zip(self._ids(k), (line, box, line | box), strict=False):
                arrows = self.dag.touching(node.id) if id[0] == "n" else self.dag.into(node.id)
                link = Link((*self._ids(k), *arrows), (sentence, *card.values(), *moved.values()))
                links.setdefault((CARDS[letter], *card, *moved), {})[id] = link
        return tuple(
            Links((0,), family, {target: (n,) for n, target in enumerate(targets, 1)}, {"-off": (card,)})
            for (card, *targets), family in links.items()
        )

    def opening(self, it: Opened) -> dict[str, Any]:
        """Returns what the boxes, their lines and their marks open into."""
        boxes = [it.box(node, False) for node in self.graph]
        return {id: box for k, box in enumerate(boxes) for id in self._ids(k)}

    # -- the story ---------------------------------------------------------------------------------------------------

    def scene(self) -> Scene:
        """Tells the whole, then node after node as the program ran, then what is shared."""
        nodes, story = self.graph.nodes, Story()
        box = f": each line of text with = is a box of the picture{', which is seen in part' if self.window else ''}"
        up = arriving(self.taken)
        arrives = f" In rules {up} is the gradient that arrives, for g is the program's." if up != "g" else ""
        story.tell(f"{self._begins()}{box}.{arrives}", picture=box)
        for k in range(len(nodes)):
            story.later(f"{k}", coming=self._ids(k))
        for k, node in enumerate(nodes):
            if len(nodes) <= STORY or node.kind == "op":
                told, seen = map(str, range(k + 1)), Look(sets=self._lines_at(k))
                story.tell(self._sentence(node), *told, link=f"{'m' if self.window else 't'}{k}", looks=(seen,))
        shared = [node for node in nodes if len(self.graph.users(node.id)) > 1]
        story.tell(self._shared(shared), *map(str, range(len(nodes))), looks=(self._lit(shared),))
        boxes, lines = ([f"{kind}{k}" for k in range(len(nodes))] for kind in ("m" if self.window else "n", "t"))
        return Scene(
            self.title, self.width, self.height, self.shapes, tuple(story.frames), self._links(),
            ((tuple(boxes),), tuple((line,) for line in lines)), still=0, about=tuple(self.lines),
            least=READ if self.height > LOW + 1 else Scene.least, note=self.note,
        )  # fmt: skip

    def _begins(self) -> str:
        """Says how many operations made the results, and from which leaves."""
        leaves = [self._name(node) for node in self.graph if node.kind in ("leaf", "parameter")]
        refs = [ref for ref in self.graph.results if self.graph[ref].kind in ("op", "expand")] or self.graph.results
        results = listed([self._result(ref) for ref in refs])
        ops = sum(node.kind == "op" for node in self.graph)
        untold = all(node.kind == "constant" for node in self.graph)
        begin = f"Nothing is recorded of how {results} came about, for no gradient is asked for" if untold else (
            f"{many(ops, 'operation')} made {results}" if ops else f"No operation made {results}")  # fmt: skip
        begin += f" from {listed(leaves, 4)}" if ops and leaves else ""
        return begin

    def _shared(self, shared: list[Node]) -> str:
        """Says which nodes are read more than once, and how many boxes a tree would need."""
        if not shared:
            return "From no box leads more than one arrow: here the graph is a tree."
        size: dict[str, int] = {}
        for node in self.graph:
            size[node.id] = 1 + sum(size[owner(ref)] for ref in node.operands if ref[:1] == "%")
        tree = sum(size[owner(ref)] for ref in self.graph.results)
        names = [node.id if sum(map(bool, node.names)) > 1 else self._name(node) for node in shared]
        are = f"{listed(names, 4)} {'is' if len(shared) == 1 else 'are'}"
        return f"{are} read more than once: a tree would need {tree:,} boxes, the graph needs {len(self.graph)}."


def _holds_index(node: Node) -> bool:
    """True if a node keeps an index; one that a backward has freed does not."""
    try:
        return bool(getattr(node.history, "_saved_indices", ()))
    except RuntimeError:
        return False


def _told(program: Graph, title: str) -> Scene:
    """Returns the scene of a graph too large to draw: its size, and its first and last lines."""
    counts: dict[str, int] = {}
    for node in program:
        counts[node.op] = counts.get(node.op, 0) + 1
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:8]
    lines = program.text(limit=13).splitlines()
    nodes = many(len(program), "node")
    sentence = f"{nodes}, more than the {LARGE} that are drawn: the first and last lines of the text. "
    sentence += "For a picture, show a smaller part, such as one turn of a loop."
    if not len(program):
        sentence = "An empty graph: nothing was tracked."
    note = ", ".join(f"{count:,} {op}" for op, count in most)
    return Scene(title, 860, draw.STAGE, lines_of(lines), (Frame(sentence),), about=(note, *lines), note=note)
