"""The story of show.strides: what the tensors share, how each comes and reads its memory, what that says of writes."""

from collections.abc import Iterator, Mapping, Sequence

from ...claims.claim import equation
from ...scene import Link, Links, Look, Scene, draw
from ..kit.line import mapped
from ..kit.reading import Index
from ..kit.story import Story
from ..words.sentences import listed, many
from .board import Board
from .change import changed
from .picture import CHANGE, StridesPicture, whole
from .view import View, hop_links, slot_links, times
from .walk import MERGE, fails, grows, order, repeats

LEAST = 0.65
"""How small a projector may draw what a step tells of: a cell, its slot far below, and the formula, all in sight."""

OTHERS = "the other", "any other"


def _differing(read: Mapping[View, Sequence[int]]) -> tuple[int, int]:
    """The number of views that read a slot, and the number of different cells as which they do."""
    return len(read), len(set(map(tuple, read.values())))


class StridesStory(StridesPicture):
    """The picture, told step by step, with what lights up when one points at it."""

    def scene(self) -> Scene:
        """Tells the whole, the memory, the way each view reads it, the order of reading, and what is shared."""
        story, first, last = Story(), self.views[0], self.views[-1]
        if some := any(view.cells for view in self.views):
            link, seen = self._differs()
            story.tell(self._whole() + seen, looks=last.focus, link=link)
        for view in self.views:
            story.later(f"g{view.number}", self._to_come(view))
            if view.founds:
                story.later(f"p{view.number}", self._to_grow(view))
            if view.copies and not view.board.small:
                rest = {(view.board[cell], "transform"): draw.place(*view.board.places[stored])
                        for cell, stored in view.copies.items()}  # fmt: skip
                story.later(f"v{view.number}", Look({"off": view.board.of(view.copies)}, rest))
        # before the first view comes there is only memory: none of it is hatched, and no arrow comes from a cell
        story.later("unread", Look({"-unread": tuple(id for line in self.lines for id in line.ids), "off": ("w",)}))
        if self.alone:
            story.later("facts", off=("k0", "f0"))
        if some:
            story.tell(self._memory())
        for view in self.views:
            if self.unmet and view.number:
                fails(story, first, self.wanted)
            self._tell(story, view)
        still = len(story.frames) - 1 if self.alone else -1
        if self.alone and len(first.cells) > 1:
            order(story, first)
            repeats(story, first)
        self._sharing(story, last)
        boards = [*(view.board for view in self.views), *self.lines]
        paths = tuple(board.path(board.rows) for board in boards)
        return Scene(
            self.title, 860, self.height, self.shapes, tuple(story.frames), tuple(self._point()), paths, still=still,
            about=tuple(self._about()), least=LEAST, note=self._note(), flows={"": tuple(
                (view.line.letter, view.board.letter) for view in self.views if not view.board.small
            )},
        )  # fmt: skip

    def _point(self) -> Iterator[Links]:
        """Lets cells light their slot and fill the formula, and slots light every cell that reads them."""
        for view in self.views:
            yield (cells := self._cell_links(view))
            yield from hop_links(view, cells)
        for line, storage in zip(self.lines, self.tapes, strict=True):
            yield slot_links(line, bool(self.kin or self.also.get(storage.source.storage)))

    def _cell_links(self, view: View) -> Links:
        links = {}
        for n, (cell, slot) in enumerate(view.slots.items()):
            value, seen = equation("", view.values[cell]), view.storage.seen(slot, view, self.kin_reads)
            args = ", ".join(map(str, cell)), slot, value, seen, view.arrows[cell], *cell
            named = {other: other.board[at] for other, at in reversed(view.storage.readers[slot]) if other is not view}
            links[n] = Link((view.board[cell], view.line[slot], *named.values()), args)
        here = (view.name, "[", 0, "]") if view.axes else (view.name,)
        sums = {2 * n + 2: (5 + dim, times(view.source.stride[dim])) for n, dim in enumerate(view.terms)}
        sums[2 * len(view.terms) + 2] = (1,)
        sets = {("w", "d"): (4,), (f"r{view.number}", "text"): (*here, " reads slot")}
        sets |= {(f"q{view.number}_{term}", "text"): parts for term, parts in sums.items()}
        rest = (*(id for other in self.views if other is not view for id in other.panel), *[MERGE] * self.unmet)
        sentence = *here, " is slot ", 1, ", value ", 2, 3, "."
        return Links(sentence, mapped(view.board.letter, links), sets, {"off": rest, "-off": view.panel})

    def _to_come(self, view: View) -> Look:
        """Returns the look of a view before it comes.

        Its cells rest, unseen, where the tensor that it was made of has them, or on the slots they read, and move from
        there.

        What no view reads yet is hatched.
        """
        first = view.storage.readings[0] is view and view.number > 0
        readers = {} if first else view.storage.readers
        unread = view.line.of(slot for slot in readers if readers[slot][0][0] is view)
        places = {} if view.board.small else {view.board[cell]: view.origin(cell) for cell in view.slots}
        sets = {(id, "transform"): draw.place(*place) for id, place in places.items()}
        return Look({"off": (*view.board.heads(f"g{view.number}"), *view.board.ids), "unread": unread}, sets)

    def _to_grow(self, view: View) -> Look:
        """Returns the look of a storage before it comes: its slots rest on those that they are copied from."""
        taken = {} if view.line.small or not view.taken or view.old.line.small else view.taken
        sets = {(view.line[slot], "transform"): draw.place(*view.old.line.places[was]) for slot, was in taken.items()}
        return Look({"off": (*view.line.heads(f"p{self.tapes.index(view.storage)}"), *view.line.ids)}, sets)

    def _whole(self) -> str:
        """Says what the tensors share, so that a figure can be explored before it is stepped through."""
        last, held, size = len(self.views) - 1, len(self.tapes), many(self.views[0].source.size, "number")
        names = listed([view.name for view in self.views])
        if self.unmet:
            which = "{} and {} do not merge".format(*self.wanted.dims)
            if self.wanted.source.numpy:
                return f"{self.wanted.code} cannot be a view: axes {which}. It makes a copy instead."
            return f"{self.wanted.code} cannot be: dims {which}. {self.views[1].name} makes a copy instead."
        if last and held > last:
            return f"{names} have a storage each: what is written to one is not seen in {OTHERS[last > 1]}."
        if last and held > 1:
            return f"{names} have {held} storages: only some of them see the same numbers."
        if self.one:
            return f"{names} are names of one tensor: they read its storage of {size} in the same way."
        if last:
            if not all(view.source.numel for view in self.views):
                return f"{names} share one storage of {size}."
            ways = {(s.shape, s.stride, s.offset, s.dtype) for s in (view.source for view in self.views)}
            how = {1: f", {'all' if last > 1 else 'both'} in the same way", last + 1: ", each in its own way"}
            return f"{names} read one storage of {size}{how.get(len(ways), '')}."
        if self.base:
            return f"{names} is a view of {self.base.name}: a way of reading its storage of {size}."
        return f"{names} is a way of reading a storage of {size}."

    def _differs(self) -> tuple[str | None, str]:
        """A slot that views read as different cells, and the sentence for it; nothing where there is none.

        The story ends with the last such slot, and opens with the first.
        """
        first, last = self._shared()[0], self._shared()[-1]
        slot, cells, line = first
        if _differing(dict(cells))[1] < 2 or slot == last[0]:
            return None, ""
        return line[slot], f" Slot {slot} is {listed([view.called(cell) for view, cell in dict(cells).items()])}."

    def _shared(self) -> list[tuple[int, Sequence[tuple[View, Index]], Board | None]]:
        """The slots that most views read, of these those with most different cells; their readers and their tapes."""
        pairs = zip(self.tapes, self.lines, strict=True)
        read = [(slot, cells, line) for storage, line in pairs for slot, cells in storage.readers.items()]
        most = max((_differing(dict(cells)) for _, cells, _ in read), default=0)
        return [found for found in read if _differing(dict(found[1])) == most] or [(0, (), None)]

    def _memory(self) -> str:
        source, size = self.views[0].source, self.views[0].source.size
        owner = self.base or source
        if not size:
            return f"The storage of {owner.name} is empty: there is nothing to read."
        where = f"addresses 0 to {size - 1:,}" if size > 1 else "address 0"
        if owner.numel < size:
            return f"{owner.name} reads a storage of {many(size, 'number')}, one line of memory, at {where}."
        return f"{owner.name} keeps {many(size, 'number')} in one line of memory, its storage, at {where}."

    def _tell(self, story: Story, view: View) -> None:
        """Tells that a view comes: its first cell, what a step along each axis moves, then one cell in full."""
        come = f"g{view.number}", "unread"
        if view.founds:
            story.tell(grows(view, self._sharers(view)), f"p{view.number}")
        if not view.cells:
            story.tell(self._arrives(view), *come, "facts", looks=view.focus)
            return
        facts = [f"k{view.number}{word}" for word in self._moved(view)]
        story.tell(self._arrives(view), *come, looks=view.focus, lit=facts)
        first, last = view.cells[0], view.cells[-1]
        if view.copies:
            stored = len(view.cells) - len(view.copies)
            same = f"the same {stored} numbers are" if stored > 1 else "the same number is"
            sentence = f"Along {view.still()}, stride 0: {same} read again, dashed, and not stored again."
            story.tell(sentence, f"v{view.number}", looks=view.focus)
        if not view.brief and view.axes:
            sentence = f"The first cell, {view.called(first)}, reads slot {view.source.offset}: that is storage_offset."
            story.tell(sentence, "facts", link=view.board[first], looks=view.focus)
        for dim, cell in view.steps:
            link = view.hops[dim].id if dim in view.hops else view.board[cell]
            story.tell(view.step(dim), link=link, looks=view.focus)
        if first != last or not view.axes or view.brief:
            slot, value = view.slots[last], equation("", view.values[last])
            seen = view.storage.seen(slot, view, self.kin_reads)
            sentence = f"{view.called(last)} is slot {slot}, value {value}{seen}."
            story.tell(sentence, "facts", link=view.board[last], looks=view.focus)

    def _moved(self, view: View) -> list[str]:
        """Returns the words of the facts in which a view differs from the tensor that it was made of.

        Of a view with a new storage these are all.
        """
        if view.founds:
            return list(CHANGE)
        if view.old is None or view.old.storage is not view.storage:
            return []
        new, old = dict(self._facts(view)), dict(self._facts(view.old))
        return [word for word in CHANGE if new[word] != old[word]]

    def _arrives(self, view: View) -> str:
        source, shape = view.source, f"{view.name} has shape {view.source.shape}"
        if not source.numel:
            return f"{shape}: an axis of size 0 leaves no cells, so it reads nothing."
        if view.number and self.one:
            return f"{view.name} is another name for the same tensor: what is written to it is seen through both."
        if same := [v.name for v in self.views[: view.number] if v.source.of and v.source.of == source.of]:
            return f"{view.name} is another name for {same[0]}: what is written to it is seen through both."
        if view.number and view.old and view.old.storage is view.storage:
            return f"From {view.old.name} to {view.name}: {changed(source, view.old.source)}. Nothing is copied."
        if not source.shape:
            return f"{shape}: no axes, one cell."
        if view.number:
            one = ", one slot after the other" if source.contiguous and source.numel > 1 else ""
            return f"{view.name} reads it with shape {source.shape} and stride {source.stride}{one}."
        cells = f"each of its {many(source.numel, 'cell')}" if source.numel > 1 else "its one cell"
        return f"{shape}: {cells} reads one slot.{' Nothing was copied.' if self.base else ''}"

    def _sharing(self, story: Story, view: View) -> None:
        """Tells of a number that several tensors read, each as another cell where there is such a one.

        Of the numbers with most readers, and of those with most different cells, the last.
        """
        if self.kin and view.cells:
            names = listed([view.name, *(source.name for source in self.kin)])
            slot = view.slots[view.cells[len(view.cells) // 2]]
            read = {reading.source.name for reading, cells in self.kin_reads if slot in cells}
            seen = f"a number written to slot {slot} through one is seen through {OTHERS[len(self.kin) > 1]}"
            if not all(source.name in read or whole(source) for source in self.kin):
                seen = "a number written to a slot is seen through all that read it"
            story.tell(f"{names} share this storage: {seen}.", link=view.line[slot])
            return
        slot, cells, _ = self._shared()[-1]
        if len(dict(cells)) > 1:  # more than one view
            seen = f"through one is seen through {OTHERS[len(cells) > 2]}"
            seen = "there is seen by all" if any(view.source.locked for view, _ in cells) else seen
            told = listed([view.called(cell) for view, cell in cells])
            sentence = f"Slot {slot} is read by {told}: a number written {seen}."
            story.tell(sentence, link=cells[0][0].line[slot], looks=view.focus)
