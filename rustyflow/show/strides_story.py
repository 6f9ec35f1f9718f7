"""The steps of the strides figure: what a teacher says over it, one thing at a time."""

from itertools import islice, pairwise

from ..layout import slots
from ..scene import Frame, Look, Scene, draw
from .kit.reading import NUMBERED
from .strides_links import links, stepped
from .strides_scene import Picture
from .words.sentences import listed, many

WALK = 6
"""How many slots of a walk are named."""

LEAST = 0.65
"""How small a projector may draw what a step tells of: a cell, its slot far below, and the formula, all in sight."""

OTHERS = "the other", "any other"


def tell(picture: Picture) -> Scene:
    """The scene: the picture with its links and the frames of its story."""
    several = len(picture.sources) > 1
    frames = [_whole(picture), _memory(picture)] if any(r.cells for r in picture.readings) else []
    for view in range(len(picture.sources)):
        frames.append(_arrives(picture, view))
        if picture.readings[view].cells:
            frames += _reads(picture, view)
    still = len(frames) - 1
    if not several and len(picture.readings[0].cells) > 1:
        frames += [_order(picture), *_repeats(picture)]
    frames += _sharing(picture)
    paths = [tuple(tuple(picture.cell(v, n) for n in row) for row in b.rows) for v, b in enumerate(picture.boards)]
    for number, line in enumerate(picture.tapes):
        view = picture.tape_of.index(number)
        paths.append(tuple(tuple(picture.slot(view, slot) for slot in row) for row in line.rows))
    return Scene(
        picture.title, 860, picture.height, picture.shapes, tuple(frames), links(picture), tuple(paths),
        still=len(frames) - 1 if several else still, about=tuple(_about(picture)), least=LEAST,
    )  # fmt: skip


def _looks(picture: Picture, seen: int, told: int | None) -> tuple[Look, ...]:
    """The picture when the first `seen` views are there and the card and formula of view `told` show."""
    if (seen, told) not in picture.looks:
        picture.looks[seen, told] = (_present(picture, seen), _focus(picture, told))
    return picture.looks[seen, told]


def _present(picture: Picture, seen: int) -> Look:
    """Cells of views to come rest, unseen, on the slots they read: they rise from there."""
    off, sets = [], {}
    for view in range(seen, len(picture.sources)):
        reading, line = picture.readings[view], picture.tapes[picture.tape_of[view]]
        off.append(f"g{view}")
        for number, slot in enumerate(reading.slots):
            off.append(picture.cell(view, number))
            if len(reading.cells) <= NUMBERED and slot in line.places:
                sets[picture.cell(view, number), "transform"] = draw.place(*line.places[slot])
    for number in range(len(picture.tapes)):
        if number not in picture.tape_of[: max(seen, 1)]:
            off.append(f"p{number}")
            off += [picture.slot(picture.tape_of.index(number), s) for s in picture.tapes[number].places]
    unread, bare = [], []
    for number, line in enumerate(picture.tapes):
        view = picture.tape_of.index(number)
        for slot in line.places:
            cells = picture.readers[number].get(slot, [])
            if seen and cells and all(v >= seen for v, _ in cells):
                unread.append(picture.slot(view, slot))
            elif not seen and not cells:
                bare.append(picture.slot(view, slot))
    return Look({"off": tuple(off), "unread": tuple(unread), "-unread": tuple(bare)}, sets)


def _focus(picture: Picture, told: int | None) -> Look:
    if len(picture.sources) == 1:
        return Look({"off": ("k0", "f0")} if told is None else {})
    return Look({"-off": () if told is None else (f"k{told}", f"f{told}")})


def _whole(picture: Picture) -> Frame:
    """All of it, so that a figure can be explored before it is stepped through."""
    sources, last = picture.sources, len(picture.sources) - 1
    size = many(sources[0].size, "number")
    names = listed([source.name for source in sources])
    if last and len(picture.tapes) > last:
        says = f"{names} have a storage each: what is written to one is not seen in {OTHERS[last > 1]}."
    elif last and len(picture.tapes) > 1:
        says = f"{names} have {len(picture.tapes)} storages: only some of them see the same numbers."
    elif last:
        says = f"{names} read one storage of {size}, each in its own way."
    elif picture.kin:
        says = f"{names} is a view of {picture.kin[0].name}: a way of reading its storage of {size}."
    else:
        says = f"{names} is a way of reading a storage of {size}."
    return Frame(says, _looks(picture, last + 1, last))


def _memory(picture: Picture) -> Frame:
    source = picture.sources[0]
    owner = picture.kin[0].name if picture.kin else source.name
    size = source.size
    if not size:
        return Frame(f"The storage of {owner} is empty: there is nothing to read.", _looks(picture, 0, None))
    where = f"addresses 0 to {size - 1:,}" if size > 1 else "address 0"
    says = f"{owner} keeps {many(size, 'number')} in one line of memory, its storage, at {where}."
    return Frame(says, _looks(picture, 0, None))


def _arrives(picture: Picture, view: int) -> Frame:
    source, told = picture.sources[view], None if picture.readings[view].cells else view  # how it reads is told next
    looks = _looks(picture, view + 1, told)
    earlier = [s.name for s in picture.sources[:view] if s.storage == source.storage]
    shape = f"shape {source.shape}"
    if not source.numel:
        says = f"{source.name} has {shape}: an axis of size 0 leaves no cells, so it reads nothing."
    elif not source.shape:
        says = f"{source.name} has {shape}: no axes, one cell."
    elif view and not earlier:
        says = f"{source.name} has a storage of its own: what is written to it is seen through no other."
    elif view:
        says = f"{source.name} reads the same storage with {shape} and stride {source.stride}: nothing was copied."
    else:
        cells = many(source.numel, "cell")
        says = f"{source.name} has {shape}: each of its {cells} reads one slot." if source.numel > 1 else (
            f"{source.name} has {shape}: its one cell reads one slot.")  # fmt: skip
        if picture.kin:
            says += " Nothing was copied."
    return Frame(says, looks)


def _reads(picture: Picture, view: int) -> list[Frame]:
    """Where the first cell is, what one step along each axis moves, and one cell with everything in it."""
    source, reading, looks = picture.sources[view], picture.readings[view], _looks(picture, view + 1, view)
    rank, brief, frames = len(source.shape), picture.brief(view), []
    first, last, n = reading.cells[0], reading.cells[-1], len(reading.cells) - 1
    if not brief and rank:
        says = f"The first cell, {picture.called(view, 0)}, reads slot {source.offset}: that is storage_offset."
        frames.append(Frame(says, looks, picture.cell(view, 0)))
    for dim, number in picture.steps(view):
        hop = picture.hop(view, dim)
        link = hop if hop in {shape.id for shape in picture.hops} else picture.cell(view, number)
        frames.append(Frame(stepped(picture, view, dim), looks, link))
    if first != last or not rank or brief:
        slot = reading.slots[-1]
        value, seen = draw.in_full(picture.values[view][-1]), picture.seen(view, slot)
        says = f"{picture.called(view, n)} is slot {slot}, value {value}{seen}."
        frames.append(Frame(says, looks, picture.cell(view, n)))
    return frames


def _order(picture: Picture) -> Frame:
    """The first cells in order, and hops between the slots they read."""
    source, reading, line = picture.sources[0], picture.readings[0], picture.tapes[0]
    first = islice(slots(tuple(min(n, WALK) for n in source.shape), source.stride, source.offset), WALK)
    visits = f"visits slots {', '.join(map(str, first))}" + (", ..." if source.numel > WALK else "")
    if source.contiguous:
        says = f"Read in order, {source.name} {visits}: one after the other, so it is contiguous."
    else:
        says = f"Read in order, {source.name} {visits}: not one after the other, so it is not contiguous."
    seen = range(min(WALK, len(reading.cells)) if reading.whole else 0)
    lit = [id for n in seen for id in (picture.cell(0, n), picture.slot(0, reading.slots[n]))]
    ends = [line.places[reading.slots[n]] for n in seen]
    hops = "" if line.dots else "".join(draw.hop(a, b, line.w) for a, b in pairwise(ends) if a != b)
    return Frame(says, (*_looks(picture, 1, 0), Look({"lit": tuple(dict.fromkeys(lit))}, {("w", "d"): hops})))


def _repeats(picture: Picture) -> list[Frame]:
    if not picture.aliased[0]:
        return []
    slot = min(picture.aliased[0], key=lambda s: (-len(picture.readers[0][s]), s))
    cells = [picture.called(*cell) for cell in picture.readers[0][slot]]
    source, stored = picture.sources[0], len(picture.readers[0])
    says = f"Slot {slot} is read by {listed(cells, 4)}: "
    if picture.readings[0].whole:
        are = "is" if stored == 1 else "are"
        says += f"{source.name} looks like {source.numel} numbers, and only {stored} {are} stored."
    else:
        says += "written to through one of them, all change."
    return [Frame(says, _looks(picture, 1, 0), picture.slot(0, slot))]


def _sharing(picture: Picture) -> list[Frame]:
    """A number that several tensors read."""
    looks = _looks(picture, len(picture.sources), len(picture.sources) - 1)
    if picture.kin and picture.readings[0].cells:
        names = listed([s.name for s in (picture.sources[0], *picture.kin)])
        slot = picture.readings[0].slots[len(picture.readings[0].slots) // 2]
        other = OTHERS[len(picture.kin) > 1]
        says = f"{names} share this storage: a number written to slot {slot} through one is seen through {other}."
        return [Frame(says, looks, picture.slot(0, slot))]
    best = None
    for number, found in enumerate(picture.readers):
        for slot, cells in found.items():
            views = len({v for v, _ in cells})
            if views > 1 and (best is None or views >= best[0]):
                best = views, number, slot, cells
    if best is None:
        return []
    _, number, slot, cells = best
    told = listed([picture.called(*cell) for cell in cells])
    says = f"Slot {slot} is read by {told}: a number written through one is seen through {OTHERS[len(cells) > 2]}."
    return [Frame(says, looks, picture.slot(picture.tape_of.index(number), slot))]


def _about(picture: Picture) -> list[str]:
    lines = []
    for view, source in enumerate(picture.sources):
        if len(picture.sources) > 1:
            lines.append(f"{source.name}:")
        pad = "  " if len(picture.sources) > 1 else ""
        lines += [f"{pad}{word}: {value}" for word, value in picture.facts(view)]
    return [*lines, *picture.summaries()]
