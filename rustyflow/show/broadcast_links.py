"""What the broadcast figure says when something is pointed at: the formula under the grids, and the links."""

from typing import Any

from ..scene import Link, Links, Shape, draw
from .kit.alignment import Index
from .kit.grids import LEFT, OPERANDS, RIGHT
from .kit.line import BACKWARD, FORWARD, flow
from .words.numbers import bracketed
from .words.sentences import indexed


class Lines:
    """The words of a picture: one formula whose parts the links fill in, forward and backward.

    Attributes:
        shapes: the formula. links: what lights with what. bottom: where it ends.
    """

    def __init__(self, picture: Any, y: float):
        self.picture, self.names, self.met = picture, picture.names, picture.met
        self.many = len(picture.sources)
        self.bottom = y
        self.shapes = self._formula(y)
        self.links = self._links()

    def _formula(self, y: float) -> list[Shape]:
        """A line under the grids, whose words the links fill in: what is read, or what is summed."""
        picture = self.picture
        if not picture.cells:
            return []
        longest = max((len("".join(self.read(n))) for n in range(len(picture.cells))), default=1)
        if picture.backward:
            summed = [self.sums(k, picture.cells[r[0]]) for k in range(self.many) if picture.flows(k)
                      for r in picture.copies[k].values()]  # fmt: skip
            longest = max([longest, *(len("".join(w)) for w in summed)])
        size = max(15.0, min(22.0, (RIGHT - LEFT) / longest / 0.615))
        flip = "unless-g" if picture.backward else ""
        shapes = [flow(*FORWARD, x=LEFT, y=y, size=size, cls=flip)]
        if picture.backward:
            shapes.append(flow(*BACKWARD, x=LEFT, y=y, size=size, cls="when-g"))
            shapes.append(draw.text(LEFT, y + 23, "", "muted when-g", 15, id="h4"))
        self.bottom = y + (30 if picture.backward else 12)
        return shapes

    def read(self, n: int) -> tuple[str, str, str, str]:
        """The parts of the formula of a result cell."""
        picture = self.picture
        cell, parts = picture.cells[n], range(self.many)
        cells = picture.operation.says([picture.called(k, cell) for k in parts])
        values = picture.operation.says([bracketed(draw.spell(picture.reads[k][n])) for k in parts])
        head = f"{indexed(self._whole(), cell)} = " if cell else ""
        return head, cells, f" = {values} {picture.signs[n]} ", draw.spell(picture.values[n])

    def _whole(self) -> str:
        picture = self.picture
        return f"({picture.result})" if " " in picture.result and picture.result[-1] != ")" else picture.result

    def sums(self, k: int, cell: Index) -> tuple[str, str, str, str]:
        """The parts of the formula of a stored cell's gradient."""
        picture = self.picture
        terms, equals, total = picture.sum_of(k, cell)
        head = f"{indexed(self.names[k] + '.grad', picture.owns[k][picture.number[cell]])} = "
        return (head, terms, f" {equals} ", total) if terms != total else (head, terms, "", "")

    def sent(self, cell: Index) -> str:
        """What one upstream gradient becomes, for each operand."""
        picture = self.picture
        n = picture.number[cell]
        return ", ".join(f"{picture.sent(k, n)} to {self._grad(k, n)}" for k in range(self.many) if picture.flows(k))

    def _grad(self, k: int, n: int) -> str:
        """The gradient that position `n` of the result adds to: `a.grad[1, 0]`."""
        return indexed(f"{self.names[k]}.grad", self.picture.owns[k][n])

    def _links(self) -> tuple[Links, ...]:
        """Result cells light what they read, stored cells all their readers, copies and sums what they belong to."""
        picture = self.picture
        if not picture.cells:
            return ()
        many = range(self.many)
        families = [self._result_links()]
        for k in many:
            families.append(self._stored_links(k))
            if not picture.plan.dots and self.met.repeated(k):
                families.append(self._copy_links(k))
        return tuple(families)

    def _sets(self, first: int) -> dict:
        picture = self.picture
        sets = {(f"f{i}", "text"): (first + i,) for i in range(4)}
        if picture.backward:
            sets |= {(f"h{i}", "text"): (first + 4 + i,) for i in range(5)}
        return sets

    def _result_links(self) -> Links:
        picture = self.picture
        links = {}
        for n, cell in enumerate(picture.cells):
            here = [f"r{n}", *(f"{OPERANDS[k]}{n}" for k in range(self.many))]
            sums = [f"s{OPERANDS[k]}{picture.firsts[k][n]}" for k in range(self.many) if picture.summed(k)]
            stored = [picture.real(k, cell) for k in range(self.many)]
            args = self.read(n)
            if picture.backward:
                up = draw.spell(picture.backward.upstream[n])
                args += (f"{indexed('g', cell)} = {up}", " sends ", "", self.sent(cell), "")
            links[f"r{n}"] = Link(self._sided([*here, *sums], stored), args)
        says: Any = (0, 1, 2, 3, ".")
        if picture.backward:
            says = {"": says, "g": (4, ", which arrives at this result cell,", 5, 7, ".")}
        return Links(says, links, self._sets(0))

    def _sided(self, here: list[str], stored: list[str]) -> Any:
        """Forward also the numbers stored; backward those places hold the gradients of other cells."""
        forward = tuple(dict.fromkeys((*here, *stored)))
        return {"": forward, "g": tuple(here)} if self.picture.backward else forward

    def _stored_links(self, k: int) -> Links:
        """A stored cell, and the sum in the margin: everything that reads it, everything that is added up."""
        picture = self.picture
        links, name, dots = {}, self.names[k], picture.plan.dots
        for own, readers in picture.copies[k].items():
            cell, again = picture.cells[readers[0]], len(readers)
            me = f"{OPERANDS[k]}{readers[0]}"
            lights = [me, *(f"r{n}" for n in readers)] + ([] if dots else [f"{OPERANDS[k]}{n}" for n in readers[1:]])
            lights += [f"s{OPERANDS[k]}{readers[0]}"] if picture.summed(k) else []
            value = draw.spell(picture.reads[k][readers[0]])
            times = "once" if again == 1 else f"{again} times" if picture.plan.whole else "again and again"
            args: tuple = (f"{indexed(name, own)} = {value}", f" is read {times}", "", "")
            if picture.backward:
                words = (
                    self.sums(k, cell) if picture.flows(k) else (f"{indexed(name, own)} gets no gradient", "", "", "")
                )
                args += (*words, self._why(k))
            where = [f"[{', '.join(map(str, picture.cells[n]))}]" for n in readers[:5]]
            more = f" and {again - 5} more" if again > 5 else ""
            args += (f", by {self._whole()}{', '.join(where)}{more}" if self.met.rank else "",)
            links[me] = Link(tuple(lights), args)
            if picture.summed(k):
                links[f"s{OPERANDS[k]}{readers[0]}"] = links[me]
        says: Any = (0, 1, 9 if picture.backward else 4, ".")
        if picture.backward:
            says = {"": says, "g": (4, 5, 6, 7, *((", ", 8) if picture.flows(k) and self.met.repeated(k) else ()), ".")}
        return Links(says, links, self._sets(0))

    def _why(self, k: int) -> str:
        picture = self.picture
        if not picture.flows(k):
            return ""
        if not self.met.repeated(k):
            return "nothing to sum: it was read once"
        axes = "axis" if len(self.met.repeated(k)) == 1 else "axes"
        return f"summed over {picture.along(k)}, the {axes} along which {self.names[k]} was repeated"

    def _copy_links(self, k: int) -> Links:
        """A virtual copy: the stored cell that it is, and the one result cell that reads it there."""
        picture = self.picture
        links, name = {}, self.names[k]
        for n, cell in enumerate(picture.cells):
            first = picture.firsts[k][n]
            if first == n:
                continue
            me = f"{OPERANDS[k]}{n}"
            here = [me, f"r{n}", *([f"s{OPERANDS[k]}{first}"] if picture.summed(k) else [])]
            args: tuple = (picture.called(k, cell), draw.spell(picture.reads[k][n]), ", ".join(map(str, cell)))
            if picture.backward:
                share = draw.spell(picture.backward.shares[k][n]) if picture.flows(k) else "nothing"
                args += (share, self._grad(k, n))
            links[me] = Link(self._sided(here, [f"{OPERANDS[k]}{first}"]), args)
        stride = "strides" if len(self.met.repeated(k)) > 1 else "stride"
        words = (f"{name}'s cell at [", 2, f"] is virtual: {stride} 0 along {picture.along(k)}, reads ", 0, " again.")
        sets = {("f0", "text"): (f"{name} at [", 2, "] is "), ("f1", "text"): (0,), ("f2", "text"): " = ",
                ("f3", "text"): (1,)}  # fmt: skip
        if not picture.backward:
            return Links(words, links, sets)
        back = (f"{name}'s virtual cell at [", 2, "] is sent ", 3, ", which is added to ", 4, ".")
        sets |= {("h0", "text"): (f"{name} at [", 2, "] gets "), ("h1", "text"): (3,), ("h2", "text"): ", added to ",
                 ("h3", "text"): (4,), ("h4", "text"): ""}  # fmt: skip
        return Links({"": words, "g": back}, links, sets)
