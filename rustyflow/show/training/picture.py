"""The picture of a run: its loss, a strip of layers by steps, and one step's numbers beside them."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import floor, isfinite, log10
from typing import Any

from ...claims.claim import Claim, equation
from ...claims.digits import spell
from ...claims.tree import Leaf
from ...scene import Figure, Frame, Link, Links, Scene, Shape, draw
from ...scene.measure import shorten
from ..kit.axes import Axis, around
from ..words.sentences import listed
from .asked import CHOICES, locked, question, told
from .inner import inner_of
from .watch import KINDS

COLUMNS, ROWS = 120, 12
"""The most steps that stand beside each other, and layers under each other; of more some are left out."""

LEFT, RIGHT, TOP, TALL, ROW, BAR = 152, 640, 32, 120, 24, 56
"""The edges of the plots, the height of the loss's, that of a layer, and the longest bar."""

WARM = "gradient", "update"
"""The kinds that are gradients, or made of them."""

SHADES, DIGITS, FAR = 8, 2, 20
"""The shades of a strip, the digits of its numbers, and how many times as large a number is when that is said."""

SIDES = {"": "gradient", "a": "activation", "u": "update", "z": "dead"}
"""The kind that is drawn, by the toggle that is on."""

TITLES = {"gradient": "norm of the gradient", "activation": "size of the output", "update": "update by weight",
          "dead": "share of units at 0"}  # fmt: skip

BRIEF = {"a": "outputs", "u": "updates", "z": "units at 0"}


def drawn(run: Any, seconds: float) -> Figure:
    """Returns the figure of a run that has seen a step, or the one that waits for a guess.

    The figures of kept steps are made as it is first packed, as far as that takes so many seconds.
    """
    picture = Picture(run)
    scene = picture.scene()
    if run.asks:
        return Figure(locked(run, scene, tuple(picture.curve(dots=False))))
    scene = told(run, scene, run.guessed) if run.guessed else scene
    return Figure(scene, inner=(lambda: inner_of(run, seconds)) if run.kept else None)


def text_of(run: Any) -> str:
    """Returns a run in words, its first step, the worst and the last one, or the question before it."""
    picture = Picture(run)
    if run.asks:
        return "\n".join([run.title, question(run), *(f"  {letter}  {words}" for letter, words in CHOICES.items())])
    ends = dict.fromkeys((picture.steps[0], run.worst, picture.steps[-1]))
    return "\n".join([run.title, picture.note, *(picture.sentence(step) for step in ends)])


class Picture:
    """The parts of the picture, of the steps that are drawn."""

    def __init__(self, run: Any):
        self.run = run
        seen = [m.step for m in run.measured] or range(len(run.losses))
        self.steps = [*chosen(seen, (run.worst, *run.kept), COLUMNS)]
        self.rows = dict(run.measured)
        layers = range(len(run.layers))
        self.layers = [*layers] if len(layers) <= ROWS else [*chosen(layers, (), ROWS)]
        self.kinds = [kind for kind in KINDS if any(v == v and (v or kind != "dead") for row in self.rows.values()
                                                    for v in row[kind])]  # fmt: skip
        self.strip = TOP + TALL + 48
        self.bottom = self.strip + ROW * len(self.layers)

    @property
    def note(self) -> str:
        """The number of steps that were seen, and of those that were measured."""
        several = ", the last of several losses a step" if self.run.several > 1 else ""
        return f"{len(self.run.losses):,} steps, {len(self.run.measured):,} measured{several}"

    @cached_property
    def across(self) -> Axis:
        """The steps."""
        last = len(self.run.losses) - 1
        return Axis(0, max(1, last), LEFT, RIGHT)

    @cached_property
    def losses(self) -> dict[str, Axis]:
        """The losses, as they are and as logarithms where all are above 0."""
        seen = [loss for loss in (*self.run.losses, *(loss for _, loss in self.run.valid)) if isfinite(loss)] or [0.0]
        low, high = min(seen), max(seen)
        plain = {"": around(seen, TOP + TALL, TOP, air=0)}
        if low <= 0:
            return plain
        ends = (low, high) if high / low > 1.01 else (low / 2 or low, high * 2)
        return plain | {"l": Axis(*ends, TOP + TALL, TOP, log=True)}

    def range(self, kind: str) -> tuple[float, float]:
        """The least and the greatest logarithm of a kind's numbers, without those of 0; a share is its own measure."""
        if kind == "dead":
            return 0.0, 1.0
        seen = [log10(v) for m in self.run.measured for v in m.rows[kind] if isfinite(v) and v > 0] or [0.0]
        return min(seen), max(seen)

    def part(self, kind: str, value: float, low: float, high: float) -> float:
        """The place of a number between the least, 0, and the greatest, 1."""
        if not isfinite(value) or kind != "dead" and value <= 0:
            return 0.0
        return ((value if kind == "dead" else log10(value)) - low) / (high - low or 1)

    def scene(self) -> Scene:
        """The whole picture."""
        toggles = {toggle: BRIEF[toggle] for toggle, kind in SIDES.items() if toggle and kind in self.kinds}
        toggles |= {"l": "log loss"} if "l" in self.losses else {}
        shapes = (*self.curve(), *self.strips(), *self.beside(), *self.columns())
        links = self.links()
        frames = tuple(Frame(dict(zip(self.told(), self.told_of(step), strict=True)), link=f"s{step}",
                             picture=self.opens(step)) for step in self.steps)  # fmt: skip
        return Scene(self.run.title, draw.RIGHT + 24, self.bottom + 48, shapes, frames, (links,),
                     ((tuple(f"s{step}" for step in self.steps),),), toggles, still=-1, note=self.note)  # fmt: skip

    # -- the loss ----------------------------------------------------------------------------------------------------

    def curve(self, dots: bool = True) -> Iterator[Shape]:
        """The loss of each step as a line, with ticks and a dot; the other scale waits for its key."""
        yield draw.text(24, TOP + 6, "loss", "strong", 18)
        for side, scale in self.losses.items():
            cls = f"when-{side}" if side else "unless-l"
            for at, words in ((scale.at(v), words) for v, words in scale.ticks()):
                yield Shape("path", "", ("rule", cls), (("d", f"M{LEFT} {at:g}H{RIGHT}"),))
                yield draw.text(LEFT - 10, at + 5, words, f"muted mono {cls}", 14, "end")
            yield Shape("path", "", ("edge", cls), (("d", self.line(enumerate(self.run.losses), scale)),))
            if self.run.valid:
                yield Shape("path", "", ("edge", "dashed", cls), (("d", self.line(self.run.valid, scale)),))
            dot = (("r", 6), ("cy", 0), ("cx", 0))
            if dots:
                yield draw.group(f"dot{side}", Shape("circle", "", ("cursor",), dot), cls=cls, at=(LEFT, TOP))

    def line(self, losses: Any, scale: Axis) -> str:
        """The path through losses, with gaps where they are no numbers; of several at one pixel the extremes."""
        pixels: dict[int, list[float]] = {}
        for step, loss in losses:
            pixels.setdefault(round(self.across.at(step)), []).append(scale.at(loss) if isfinite(loss) else loss)
        path, pen = [], "M"
        for x, ys in pixels.items():
            for y in dict.fromkeys((ys[0], min(ys), max(ys), ys[-1])):
                if isfinite(y):
                    path.append(f"{pen}{x} {y:.1f}")
                pen = "L" if isfinite(y) else "M"
        return "".join(path)

    # -- the strips ---------------------------------------------------------------------------------------------------

    def strips(self) -> Iterator[Shape]:
        """A row for each layer, in shades of one kind of numbers."""
        top = self.strip
        yield draw.text(24, top - 10, "layer", "strong", 18)
        for k, layer in enumerate(self.layers):
            name = shorten(self.run.layers[layer], LEFT - 34, 14, mono=True)
            yield draw.text(LEFT - 10, top + ROW * k + 17, name, "muted mono", 14, "end", id=f"layer{k}")
        for toggle, kind in SIDES.items():
            if kind not in self.kinds:
                continue
            low, high = self.range(kind)
            boxes: dict[int, list[str]] = {}
            for n, (x, w) in enumerate(self.places()):
                for k, layer in enumerate(self.layers):
                    value = self.rows[self.steps[n]][kind][layer]
                    if isfinite(value):
                        shade = min(SHADES - 1, int(self.part(kind, value, low, high) * SHADES))
                        boxes.setdefault(shade, []).append(f"M{x:g} {top + ROW * k}h{w:g}v{ROW - 2}h-{w:g}z")
            for shade, parts in sorted(boxes.items()):
                yield Shape("path", "", ("heat", kind, f"shade{shade}", *shown_on(toggle)), (("d", "".join(parts)),))

    def places(self) -> Iterator[tuple[float, float]]:
        """The left edge and the width of each step's column: half way to those beside it."""
        if not self.rows:
            return
        middles = [self.across.at(step) for step in self.steps]
        edges = [LEFT, *((a + b) / 2 for a, b in zip(middles, middles[1:], strict=False)), RIGHT]
        for a, b in zip(edges, edges[1:], strict=False):
            yield round(a, 1), round(b - a, 1)

    # -- beside and over them ------------------------------------------------------------------------------------------

    def beside(self) -> Iterator[Shape]:
        """The numbers of one step: its loss, and each layer's with a bar."""
        x, top = RIGHT + 24, self.strip
        yield draw.text(x, TOP + 26, "", "mono strong", 24, id="loss")
        yield draw.text(x, TOP + 52, "", "muted", 14, id="step")
        for toggle, kind in SIDES.items():
            if kind not in self.kinds:
                continue
            cls, ink = " ".join(shown_on(toggle)), "grad-ink" if kind in WARM else ""
            yield draw.text(x, top - 14, TITLES[kind], f"strong {ink} {cls}", 14)
            yield from self.scale(kind, x, cls)
            for k in range(len(self.layers)):
                yield draw.text(x, top + ROW * k + 17, "", f"mono {ink} {cls}", 18, id=f"{kind}{k}")
                yield Shape("path", f"{kind}bar{k}", ("heat", kind, *cls.split()), (("d", ""),))

    def scale(self, kind: str, x: float, cls: str) -> Iterator[Shape]:
        """The shades of a strip, with the numbers of the palest and of the darkest."""
        y, ends = self.bottom + 6, self.range(kind) if kind == "dead" else [10**end for end in self.range(kind)]
        for shade in range(SHADES):
            box = (("d", f"M{x + 21 * shade} {y}h20v10h-20z"),)
            yield Shape("path", "", ("heat", kind, f"shade{shade}", *cls.split()), box)
        for at, end, anchor in ((x, ends[0], "start"), (x + 21 * SHADES, ends[1], "end")):
            yield draw.text(at, y + 26, rounded(end), f"muted mono {cls}", 14, anchor)

    def columns(self) -> Iterator[Shape]:
        """The cursor, the ticks of the steps, and a place to point at for each of them."""
        for at, words in ((self.across.at(v), words) for v, words in self.across.ticks() if v == int(v)):
            yield draw.text(at, self.bottom + 18, words, "muted mono", 14, "middle")
        yield draw.text(24, self.bottom + 18, "step", "strong", 18)
        low = TOP + TALL + 24
        for at in (self.across.at(step) for step in self.run.kept):
            yield Shape("path", "", ("mark",), (("d", f"M{at - 6:g} {low}h12l-6 -10z"),))
        line = Shape("path", "", ("cursor",), (("d", f"M0 {TOP - 10}V{self.bottom}"),))
        yield draw.group("cursor", line, at=(LEFT, 0))
        edges = [*self.places()] or [(self.across.at(step) - 2, 4) for step in self.steps]
        for step, (x, w) in zip(self.steps, edges, strict=True):
            box = (("x", x), ("y", TOP - 10), ("width", w), ("height", self.bottom - TOP + 10))
            yield Shape("rect", f"s{step}", ("touch",), box)

    def links(self) -> Links:
        """The links of the steps: their sentences, and the places of cursor, dots, numbers and bars."""
        facts = {step: self.facts(step) for step in self.steps}
        parts = [*facts[self.steps[0]]]
        sentence = {toggle: (len(parts) + n,) for n, toggle in enumerate(self.told())}
        links = {f"s{step}": Link((f"s{step}",), (*facts[step].values(), *self.told_of(step))) for step in self.steps}
        return Links(sentence, links, {part: (n,) for n, part in enumerate(parts)})

    def facts(self, step: int) -> dict[tuple[str, str], str]:
        """The texts and places of one step, by the shapes that have them."""
        facts = {("cursor", "transform"): draw.place(self.across.at(step), 0), ("step", "text"): f"step {step:,}",
                 ("loss", "text"): spell(float(self.run.losses[step]))}  # fmt: skip
        facts |= {(f"dot{side}", "transform"): self.dot(side, step) for side in self.losses}
        for kind in self.kinds:
            low, high = self.range(kind)
            for k, layer in enumerate(self.layers):
                value = self.rows[step][kind][layer]
                long = max(1, round(BAR * self.part(kind, value, low, high)))
                facts[f"{kind}{k}", "text"] = rounded(value)
                facts[f"{kind}bar{k}", "d"] = f"M{RIGHT + 116} {self.strip + 4 + ROW * k}h{long}v{ROW - 8}h-{long}z"
        return facts

    def dot(self, side: str, step: int) -> str:
        """The place of a loss on one of the scales; beyond it of one that is no number."""
        loss, scale = self.run.losses[step], self.losses[side]
        return draw.place(self.across.at(step), round(scale.at(loss), 1) if isfinite(loss) else TOP - 10)

    # -- in words -----------------------------------------------------------------------------------------------------

    def told(self) -> list[str]:
        """The sides that have a sentence of their own."""
        return [toggle for toggle, kind in SIDES.items() if not toggle or kind in self.kinds]

    def told_of(self, step: int) -> list[str]:
        """A sentence about a step for each side."""
        return [self.sentence(step, SIDES[toggle]) + self.opens(step) for toggle in self.told()]

    def opens(self, step: int) -> str:
        """The words that say of a kept step which key opens which figure."""
        doors = enumerate(self.run.figures.items())
        ways = [f"{key} {'its' if n else 'opens its'} {label}" for n, (key, (label, _)) in doors]
        return f" Kept: {listed(ways)}." if step in self.run.kept and ways else ""

    def sentence(self, step: int, kind: str = "gradient") -> str:
        """The loss of a step, and the layers of the least and the greatest number."""
        value = float(self.run.losses[step])
        loss = Claim("the loss", Leaf(value), value, verb="is") if step not in self.run.silent else "no backward"
        head = f"Step {step:,}: {loss}."
        if kind not in self.kinds or step not in self.rows:
            return head
        seen = {self.run.layers[k]: v for k, v in enumerate(self.rows[step][kind]) if isfinite(v)}
        if not seen:
            return head
        least, most = min(seen, key=seen.__getitem__), max(seen, key=seen.__getitem__)
        return f"{head} {compared(kind, least, seen[least], most, seen[most])}"


def shown_on(toggle: str) -> tuple[str, ...]:
    """The classes of what is drawn on one side: of several that are on, the first counts.

    >>> shown_on(""), shown_on("u")
    (('unless-a', 'unless-u', 'unless-z'), ('when-u', 'unless-a'))
    """
    others = [side for side in SIDES if side]
    before = others[: others.index(toggle)] if toggle else others
    return (*([f"when-{toggle}"] if toggle else []), *(f"unless-{side}" for side in before))


def compared(kind: str, least: str, low: float, most: str, high: float) -> str:
    """A kind's least and greatest numbers in words.

    >>> compared("gradient", "0", 1e-7, "8", 0.012)
    'Layer 0 gets a gradient of norm 1e-7, more than 100,000 times smaller than layer 8.'
    >>> compared("dead", "0", 0.25, "0", 0.25), compared("update", "0", 0.001, "1", 0.002)
    ('In layer 0 a share of 0.25 of the units is at 0.', 'Layer 0 changes by 0.001 of its size, layer 1 by 0.002.')
    """
    if kind == "dead":
        return f"In layer {most} a share of {short_of(high)} of the units is at 0."
    verb = {"gradient": "gets a gradient of norm", "activation": "gives numbers of size", "update": "changes by"}[kind]
    rest = " of its size" if kind == "update" else ""
    head = f"Layer {least} {verb} {short_of(low)}{rest}"
    if least == most:
        return f"{head}."
    if low > 0 and high / low >= FAR:
        times = high / low
        return f"{head}, more than {floor_of(times):,} times smaller than layer {most}."
    return f"{head}, layer {most} {'by ' if kind == 'update' else ''}{short_of(high)}."


def short_of(value: float) -> str:
    """A number in two digits, with the sign that tells so."""
    return equation("", value, DIGITS)


def floor_of(times: float) -> int:
    """A number from 1 on in one digit, which it is not less than.

    >>> floor_of(119_999.0), floor_of(24.0)
    (100000, 20)
    """
    size = 10 ** floor(log10(times))
    return int(times // size) * size


def rounded(value: float) -> str:
    """A measured number in a row of such, in two digits; a dash where none was measured."""
    return "-" if value != value else spell(value, DIGITS)


def chosen(steps: Sequence[int], also: Sequence[int], most: int) -> Iterator[int]:
    """Of many steps some, evenly apart, among them the first, the last, and a few more if they are there.

    >>> [*chosen(range(9), [5], 5)], [*chosen(range(3), [7], 5)]
    ([0, 2, 5, 6, 8], [0, 1, 2])
    """
    if len(steps) <= most:
        yield from steps
        return
    even = {steps[round(k * (len(steps) - 1) / (most - 1))] for k in range(most)}
    for step in {*also} & {*steps} - even:
        nearest = min(even - {steps[0], steps[-1], *also}, key=lambda other: abs(other - step))
        even = even - {nearest} | {step}
    yield from sorted(even)
