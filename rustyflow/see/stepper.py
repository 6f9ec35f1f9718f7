"""The picture of a program that ran: its lines, the tensors that each made or changed, and their memory."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..claims.digits import spell
from ..scene import Figure, Frame, Link, Links, Look, Scene, Shape, draw
from ..scene.draw import LABEL, LEFT, NUMBER, RIGHT
from ..scene.measure import shorten, width
from ..scene.sequel import Opened, opened
from ..scene.text import say
from ..show.strides.figure import scene_of
from .record import Record, Step, touched
from .tell import about, lines_told, sentence
from .watch import Seen

TITLE = "%%see"

TOP, BOTTOM, HIGHEST = 24, 20, 484
"""Where the drawing begins, what is left free below, and how high it gets."""

PITCH, LINES, AIR = 22, 7, 16
"""The height of a line of code, the most that stand over a table, and what is between both."""

OPENED, POINTED = 24, 400
"""The most tensors that open their figure, and that tell all of themselves when they are pointed at."""

BAR, THIN = 16, 5
"""The widest cell of a bar of memory, and the thinnest."""

HERE = "style", "fill:none;stroke:var(--ink);stroke-width:3"
"""The look of what encloses the line that ran, and what it made or changed."""


class Steps(Figure):
    """The figure of a program's steps; in words it leaves out the rounds that are folded."""

    __slots__ = ()

    def text(self) -> str:
        """The steps in words."""
        scene = self.scene
        told = tuple(frame for frame in scene.frames if not frame.fine)
        return say(Scene(scene.title, scene.width, scene.height, (), tuple(
            Frame(frame.sentence, picture=frame.picture) for frame in told), about=scene.about))


class Column(NamedTuple):
    """A column of the table: its head, where its text stands in a row, its room, and its classes."""

    head: str
    x: float
    y: float
    room: float
    cls: str
    size: float = LABEL
    anchor: str = "start"

    def fitted(self, text: str) -> str:
        """A text, or as much of it as has room."""
        return shorten(text, self.room, self.size, "mono" in self.cls, "strong" in self.cls)


class Plan(NamedTuple):
    """The places of the code and the table: beside each other, or for long lines one over the other.

    Attributes:
        code: the width of the code; size: of its letters; lines: how many are seen. x, y, wide: of the table.
        rows: how many it has, each so high. columns: by what they hold. bar: the place of a bar of memory in a row, and
        its width.
    """

    code: float
    size: float
    lines: int
    x: float
    y: float
    wide: float
    rows: int
    high: float
    columns: Mapping[str, Column]
    bar: tuple[float, float, float]

    @property
    def bottom(self) -> float:
        """The lower end of both."""
        return max(TOP + self.lines * PITCH + 16, self.y + self.rows * self.high)


def figure(record: Record) -> Steps | None:
    """Returns the figure of a program that ran, None where no step of it was seen."""
    return Steps(Picture(record).scene()) if record.steps else None


def planned(lines: Sequence[str], tensors: Iterable[Seen], at_once: int) -> Plan:
    """Returns the places of code and table, for lines, the tensors that are shown, so many at once."""
    tensors = list(tensors)
    longest = max((len(line) for line in lines), default=0)
    names = _widest((x.name for x in tensors), 40, 156)
    shapes = _widest((str(x.shape) for x in tensors), 42, 150)
    kin = _widest(map(_kin, tensors), 54, 160)
    kinds = max((width(_kind(x), LABEL) for x in tensors), default=0) + 14
    number = 34 if len(lines) < 100 else 44
    code = number + longest * width("0", LABEL, True) + 20
    table = 12 + names + max(shapes + kin, kinds) + 100
    if code + AIR + table <= RIGHT - LEFT:
        x, wide = LEFT + code + AIR, RIGHT - LEFT - code - AIR
        seen = min(len(lines), int((HIGHEST - TOP - BOTTOM - 16) / PITCH))
        rows = min(at_once, int((HIGHEST - TOP - BOTTOM - 24) / 46))
        bar = 12 + names + max(shapes + kin, min(kinds, shapes + kin))
        columns = {
            "name": Column("name", 12, 19, names - 8, "mono strong"),
            "shape": Column("shape", 12 + names, 19, shapes - 8, "mono"),
            "of": Column("", 12 + names + shapes, 19, kin - 8, "mono strong"),
            "kind": Column("", 12 + names, 37, bar - 20 - names, "muted", LABEL),
            "ends": Column("", wide - 10, 37, wide - bar - 10, "mono muted", LABEL, "end"),
        }
        return Plan(code, LABEL, seen, x, TOP + 24, wide, rows, 46, columns, (bar, 6, wide - bar - 10))
    wide = RIGHT - LEFT
    size = LABEL
    seen = min(len(lines), LINES)
    y = TOP + seen * PITCH + 16 + AIR + 24
    rows = min(at_once, int((HIGHEST - BOTTOM - y) / 30))
    at, columns = 12.0, dict[str, Column]()
    for key, head, room, cls, font in (("name", "name", names, "mono strong", LABEL), ("shape", "shape", shapes, "mono",
            LABEL), ("kind", "dtype", min(kinds, 170), "muted", LABEL), ("of", "", kin, "mono strong", LABEL)):
        columns[key] = Column(head, at, 18, room - 8, cls, font)
        at += room
    columns["ends"] = Column("least to greatest", wide - 10, 18, 130, "mono", LABEL, "end")
    return Plan(wide, size, seen, LEFT, y, wide, rows, 30, columns, (at, 5, wide - at - 150))


def _widest(texts: Iterable[str], least: float, most: float) -> float:
    """The width of a column that has these texts."""
    return min(most, max([least, *(width(text, LABEL, mono=True) for text in texts)])) + 14


def _kind(x: Seen) -> str:
    return f"{x.dtype}, requires grad" if x.asks else x.dtype


def _kin(x: Seen) -> str:
    """The tensor whose memory it reads, or that it is."""
    return f"{x.of} itself" if x.same else f"view of {x.of}" if x.of else "new"


def _ends(x: Seen) -> str:
    """The least and the greatest number, the number alone of one cell."""
    if x.least is None or x.most is None:
        return "all nan" if x.nans else ""
    ends = [spell(x.least)] if x.numel == 1 else [spell(x.least), spell(x.most)]
    return " to ".join(ends) + (", nan" if x.nans else "")


class Picture:
    """The parts of the picture."""

    def __init__(self, record: Record):
        self.record, self.program, self.steps = record, record.program, [*record.steps]
        self.lines = self.program.lines
        self.order = {name: k for k, name in enumerate(dict.fromkeys(x.name for s in self.steps for x in s.tensors))}
        every = {id(x): x for step in self.steps for x in step.tensors}
        most = max(len(step.tensors) for step in self.steps)
        self.plan = planned(self.lines, every.values(), most)
        self.looks: dict[tuple, Look] = {}
        self.opens: dict[int, Opened | None] = {}
        self.height = 0.0
        self.touches: dict[tuple[int, int], tuple[str, Seen, Look | None]] = {}
        self.last: dict[str, int] = {}

    def scene(self) -> Scene:
        """The scene: a frame a step, those of folded rounds as details."""
        frames = tuple(self._frames())
        touches = [self._touch(id, slot) for (_, slot), (id, _, _) in self._ordered()]
        note = lines_told(self.record)
        main = draw.group("all", *self._code(), *self._table(), *touches)
        inner = [one for one in self.opens.values() if one]
        height = {"": (low := self.plan.bottom + BOTTOM), "opened": max(low, self.height)}
        return Scene(
            TITLE, RIGHT + LEFT, height, (main, *(one.group for one in inner)), frames,
            (*self._links(), *(family for one in inner for family in one.links)),
            (tuple((id,) for _, (id, _, _) in self._ordered()), *(group for one in inner for group in one.paths)),
            about=(f"{note}.", *self._about()), note=note,
        )  # fmt: skip

    def _about(self) -> Iterator[str]:
        if self.record.fault is not None:
            yield f"Looking ended before the program did: {self.record.fault!r:.100}."

    # -- what stays --------------------------------------------------------------------------------------------------

    def _code(self) -> list[Shape]:
        """The lines of code that are seen, their numbers, and what encloses the line that ran."""
        plan = self.plan
        panel = Shape("rect", "", ("panel",), (("x", LEFT), ("y", TOP), ("width", round(plan.code, 1)),
                      ("height", plan.lines * PITCH + 16), ("rx", 6)))  # fmt: skip
        shapes = [panel, Shape("path", "here", (), (("d", ""), HERE))]
        for k in range(plan.lines):
            y = TOP + 8 + PITCH * k + 16
            shapes.append(draw.text(LEFT + 30, y, str(k + 1), "mono muted", LABEL, "end", id=f"n{k}"))
            shapes.append(draw.text(LEFT + 42, y, self._line(k), "mono", plan.size, id=f"c{k}"))
        return shapes

    def _line(self, k: int) -> str:
        return shorten(self.lines[k].expandtabs(4), self.plan.code - 52, self.plan.size, mono=True)

    def _table(self) -> list[Shape]:
        """The head of the table and its rows, empty."""
        plan = self.plan
        shapes = [draw.text(plan.x + column.x, plan.y - 8, column.head, "muted strong", LABEL, column.anchor)
                  for column in plan.columns.values() if column.head and plan.rows]  # fmt: skip
        if plan.rows:
            shapes.append(draw.text(plan.x + plan.bar[0], plan.y - 8, "its memory", "muted strong", LABEL))
        for k in range(plan.rows):
            frame = Shape("rect", f"f{k}", ("off",), (("width", round(plan.wide, 1)), ("height", plan.high - 4),
                          ("rx", 6), HERE))  # fmt: skip
            bars = [Shape("path", f"{letter}{k}", cls, (("d", ""),)) for letter, cls in (
                ("u", ("unread", "dot")), ("r", ("heat",)), ("w", ("cursor",)))]  # fmt: skip
            texts = [draw.text(c.x, c.y, "", c.cls, c.size, c.anchor, f"{key}{k}") for key, c in plan.columns.items()]
            shapes.append(draw.group(f"row{k}", frame, *bars, *texts, at=(plan.x, plan.y + plan.high * k)))
        shapes.append(Shape("path", "tie", ("edge",), (("d", ""),)))
        shapes.append(draw.text(plan.x + 12, plan.y + plan.high * plan.rows + 14, "", "muted", LABEL, id="more"))
        return shapes

    def _touch(self, id: str, slot: int) -> Shape:
        plan = self.plan
        return Shape("rect", id, ("touch", "off"), (("x", plan.x), ("y", plan.y + plan.high * slot),
                     ("width", plan.wide), ("height", plan.high - 4)))  # fmt: skip

    # -- what changes ------------------------------------------------------------------------------------------------

    def _frames(self) -> Iterator[Frame]:
        for k, step in enumerate(self.steps):
            self.last.update(dict.fromkeys((*step.made, *step.changed), k))
            totals = [(r.round, self.record.totals.get((r.loop, r.run), r.round)) for r in step.rounds]
            fine = any(1 < n < total for n, total in totals)
            told, aside = sentence(self.record, step), ""
            n, total = totals[-1] if totals else (0, 0)
            if not fine and n == total > 2 and step.number == step.rounds[-1].loop:
                aside = " Press d for them." if total > 3 else " Press d for it."
                folded = f"Rounds 2 to {total - 1:,} are" if total > 3 else "Round 2 is"
                told = f"{told} {folded} folded.{aside}"
            yield Frame(told, tuple(self._looks(step, fine)), fine=fine, picture=aside)

    def _looks(self, step: Step, fine: bool) -> Iterator[Look]:
        """Yields the looks of a step: the line, and each row."""
        yield self._lit(step)
        shown = self._shown(step)
        hidden = len(step.tensors) - len(shown)
        more = f"and {hidden} more" if hidden else ""
        yield self._look("more", more, lambda text: Look(sets={("more", "text"): text}))
        for slot, x in enumerate(shown):
            yield self._look("row", (slot, x), lambda _, slot=slot, x=x: self._row(slot, x), id(x))
            if not fine and (touch := self._pointed(slot, x, step)):
                yield self._look("touch", touch, lambda id: Look({"-off": (id,)}))
        lit = tuple(f"f{slot}" for slot, x in enumerate(shown) if x.name in step.made or x.name in step.changed)
        yield self._look("lit", lit, lambda ids: Look({"-off": ids}))
        if step.memories:
            yield self._marks(step, shown)

    def _look(self, kind: str, what, make, key=None) -> Look:
        """A look that many frames share is one."""
        key = kind, what if key is None else (what[0], key)
        if key not in self.looks:
            self.looks[key] = make(what)
        return self.looks[key]

    def _lit(self, step: Step) -> Look:
        """The line that ran, in a window of lines that has it."""
        statement, plan = self.program.statements[step.number], self.plan
        first, last = statement.first - 1, statement.last - 1
        top = min(max(0, first - plan.lines // 2), len(self.lines) - plan.lines)

        def make(_) -> Look:
            begin, end = (min(max(0, n - top), plan.lines - 1) for n in (first, last))
            x, y = LEFT + 6, TOP + 8 + PITCH * begin
            wide, high = plan.code - 12, PITCH * (end - begin + 1)
            box = (f"M{x + 5:g} {y:g}h{wide - 10:g}q5 0 5 5v{high - 10:g}q0 5 -5 5"
                   f"h{10 - wide:g}q-5 0 -5 -5v{10 - high:g}q0 -5 5 -5z")  # fmt: skip
            texts = {(f"n{k}", "text"): str(top + k + 1) for k in range(plan.lines)}
            texts |= {(f"c{k}", "text"): self._line(top + k) for k in range(plan.lines)}
            bold = tuple(f"c{k}" for k in range(begin, end + 1))
            return Look({"strong": bold}, {("here", "d"): box, **(texts if plan.lines < len(self.lines) else {})})

        return self._look("line", (first, last), make)

    def _shown(self, step: Step) -> list[Seen]:
        """The tensors that have a row: all, or those that were made or changed last."""
        recent = sorted(step.tensors, key=lambda x: -self.last.get(x.name, -1))[: self.plan.rows]
        return sorted(recent, key=lambda x: self.order[x.name])

    def _row(self, slot: int, x: Seen) -> Look:
        """The texts and the bar of a tensor in a row."""
        columns = self.plan.columns
        texts = {"name": x.name, "shape": str(x.shape), "of": _kin(x), "kind": _kind(x), "ends": _ends(x)}
        sets = {(f"{key}{slot}", "text"): columns[key].fitted(text) for key, text in texts.items()}
        read, unread = self._bar(x)
        sets |= {(f"r{slot}", "d"): read, (f"u{slot}", "d"): unread}
        return Look({} if x.of else {"muted": (f"of{slot}",), "-strong": (f"of{slot}",)}, sets)

    def _bar(self, x: Seen) -> tuple[str, str]:
        """The cells of its memory that a tensor reads, and those that it does not."""
        bins, _, _ = self._bins(x)
        if not bins:
            return "", ""
        read = np.zeros(bins, bool)
        read[self._at(x, x.slots())] = True
        return self._boxes(x, np.flatnonzero(read)), self._boxes(x, np.flatnonzero(~read))

    def _bins(self, x: Seen) -> tuple[int, float, float]:
        """The number of cells in the bar of a memory, the way from one to the next, and their width."""
        size, room = x.size, self.plan.bar[2]
        bins = min(size, int(room / THIN))
        pitch = min(BAR, room / max(bins, 1))
        return bins, pitch, max(pitch - (2 if pitch > 7 else 1), 1)

    def _at(self, x: Seen, slots: np.ndarray) -> np.ndarray:
        """The cells of the bar in which slots are."""
        bins, _, _ = self._bins(x)
        return np.unique(slots * bins // max(x.size, 1))

    def _boxes(self, x: Seen, at: Iterable[int], grow: float = 0) -> str:
        """The path of some cells of a bar."""
        _, pitch, wide = self._bins(x)
        left, y, _ = self.plan.bar
        return "".join(f"M{left + pitch * k - grow:.5g} {y - grow:g}h{wide + 2 * grow:.4g}v{16 + 2 * grow:g}"
                       f"h-{wide + 2 * grow:.4g}z" for k in at)  # fmt: skip

    def _marks(self, step: Step, shown: Sequence[Seen]) -> Look:
        """The cells that were written, in each row that reads them, and ties between them."""
        sets, ties = {}, ""
        for memory in step.memories:
            rows = [(slot, x, touched(memory, x)) for slot, x in enumerate(shown) if x.name in step.changed]
            rows = [(slot, x, slots) for slot, x, slots in rows if len(slots)]
            for slot, x, slots in rows:
                sets[f"w{slot}", "d"] = self._boxes(x, self._at(x, slots), 0.5)
            if memory.written is not None and len(memory.written) == 1:
                for (upper, x, _), (lower, _, _) in zip(rows, rows[1:]):
                    ties += self._tie(x, memory.written[0], upper, lower)
        return Look(sets={**sets, ("tie", "d"): ties} if ties else sets)

    def _tie(self, x: Seen, slot: int, upper: int, lower: int) -> str:
        plan, (_, pitch, wide) = self.plan, self._bins(x)
        at = plan.x + plan.bar[0] + pitch * int(self._at(x, np.array([slot]))[0]) + wide / 2
        begin, end = (plan.y + plan.high * row + plan.bar[1] for row in (upper, lower))
        return f"M{at:.5g} {begin + 16:g}V{end:g}"

    # -- what is pointed at ------------------------------------------------------------------------------------------

    def _pointed(self, slot: int, x: Seen, step: Step) -> str:
        """The id of what one points at for a tensor in a row, "" where there are too many."""
        key = id(x), slot
        if key not in self.touches:
            if len(self.touches) >= POINTED:
                return ""
            self.touches[key] = f"t{len(self.touches)}", x, self._opens(x, step)
        return self.touches[key][0]

    def _ordered(self) -> list[tuple[tuple[int, int], tuple[str, Seen, Look | None]]]:
        """The order in which keys go from one tensor that is seen to the next: that of the rows."""
        return sorted(self.touches.items(), key=lambda item: item[0][1])

    def _links(self) -> Iterator[Links]:
        for (_, slot), (id, x, look) in self.touches.items():
            link = Link((f"name{slot}", f"shape{slot}"), (about(x),))
            if look is None:
                text = {"": (0, f" %see {x.name} draws it as it is now.")}
            else:
                text = {"": (0, " Enter opens its figure."), "pinned": (0, " Esc goes back to the lines.")}
            yield Links(text, {id: link}, opens=look)

    def _opens(self, x: Seen, step: Step) -> Look | None:
        """The look that opens the figure of a tensor, if it has one."""
        if id(x) not in self.opens:
            self.opens[id(x)] = self._opened(x, step)
        inner = self.opens[id(x)]
        return inner and inner.look

    def _opened(self, x: Seen, step: Step) -> Opened | None:
        """The figure of a tensor as it was, beside the one whose memory it reads."""
        many = sum(one is not None for one in self.opens.values())
        if many >= OPENED or x.numbers is None:
            return None
        line = self.program.statements[step.number].first
        kin = [y for y in step.tensors if x.of and y.name == x.of and y.key == x.key and not x.same]
        scene, name = scene_of([y.source() for y in (*kin, x)]), f"{x.name} after line {line}"
        if isinstance(scene.height, Mapping) or scene.height > HIGHEST:
            return None
        head = draw.text(LEFT, 18, name, "mono strong", NUMBER)
        lower = draw.group("", *scene.shapes, at=(0, TOP))
        scene = replace(scene, shapes=(head, lower), height=scene.height + TOP)
        self.height = max(self.height, scene.height)
        return opened(scene, f"-{many}", "all")
