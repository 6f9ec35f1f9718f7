"""What lights with what in the strides figure: a cell its slot and the sum, a slot every cell that reads it."""

from collections.abc import Iterator
from itertools import chain

from ..scene import Link, Links, draw
from ..scene.scene import Template
from .strides_scene import ARROWS, TAPES, Picture
from .words.sentences import listed, many


def links(picture: Picture) -> tuple[Links, ...]:
    """Cells light their slot and fill the formula; slots light every cell that reads them."""
    cells = [_cell_links(picture, view) for view in range(len(picture.sources))]
    slots = (_slot_links(picture, number) for number in range(len(picture.tapes)))
    hops = (_hop_links(picture, view, cells[view]) for view in range(len(picture.sources)))
    return (*cells, *slots, *chain.from_iterable(hops))


def _cell_links(picture: Picture, view: int) -> Links:
    source, reading = picture.sources[view], picture.readings[view]
    others = ["off"] if len(picture.sources) > 1 else []
    links = {}
    drawn = zip(reading.cells, reading.slots, picture.values[view], strict=True)
    for number, (index, slot, value) in enumerate(drawn):
        d = picture.arrow(view, number, slot)
        args = (", ".join(map(str, index)), slot, draw.in_full(value), picture.seen(view, slot), d, *index)
        links[picture.cell(view, number)] = Link((picture.cell(view, number), picture.slot(view, slot)), args)
    result = f"q{view}_{2 * len(source.shape) + 2}"
    sets: dict[tuple[str, str], Template] = {("w", "d"): (4,), (result, "text"): (1,)}
    for dim, step in enumerate(source.stride):
        sets[f"q{view}_{2 * dim + 2}", "text"] = (5 + dim, f"·{step}" if step >= 0 else f"·({step})")
    here = (source.name, "[", 0, "]") if source.shape else (source.name,)
    sets[f"r{view}", "text"] = (*here, " reads slot")
    classes = {}
    if others:
        rest = tuple(f"{p}{v}" for p in "kf" for v in range(len(picture.sources)) if v != view)
        classes = {"off": rest, "-off": (f"k{view}", f"f{view}")}
    return Links((*here, " is slot ", 1, ", value ", 2, 3, "."), links, sets, classes)


def _hop_links(picture: Picture, view: int, cells: Links) -> Iterator[Links]:
    """One step along an axis: two cells, the arc between their slots instead of an arrow, and the cell's formula."""
    drawn = {shape.id for shape in picture.hops}
    sets = {target: said for target, said in cells.sets.items() if target != ("w", "d")}
    for dim, number in picture.steps(view):
        if (hop := picture.hop(view, dim)) in drawn:
            start = picture.cell(view, 0), picture.slot(view, picture.readings[view].slots[0])
            lights, args = cells.links[picture.cell(view, number)]
            classes = {**cells.classes, "-off": (*cells.classes.get("-off", ()), hop)}
            yield Links(stepped(picture, view, dim), {hop: Link((*start, *lights), args)}, sets, classes)


def stepped(picture: Picture, view: int, dim: int) -> str:
    """What one step along an axis moves."""
    source, letter = picture.sources[view], draw.LETTERS[picture.readings[view].axes[dim] % 8]
    by, n = source.stride[dim], source.shape[dim]
    along = f"One step along {letter}, dim {dim}, moves "
    if by == 0:
        return along + f"0 slots: stride[{dim}] is 0, so all {n:,} positions read the same number."
    return along + f"{many(abs(by), 'slot')}{' back' if by < 0 else ''}: stride[{dim}] is {by}."


def _slot_links(picture: Picture, number: int) -> Links:
    found, made, values = picture.readers[number], picture.tapes[number], picture.held[number]
    links = {}
    for slot in made.places:
        cells = found.get(slot, [])
        told = listed([picture.called(*cell) for cell in cells]) if cells else ""
        unread = "is never read" if _all_drawn(picture, number) else "is read by no cell drawn here"
        says = f"is read by {told}" if told else unread
        d = "".join(picture.arrow(v, n, slot) for v, n in cells[:ARROWS])
        lights = (f"{TAPES[number]}{slot}", *(picture.cell(v, n) for v, n in cells))
        links[f"{TAPES[number]}{slot}"] = Link(lights, (slot, draw.in_full(values[slot]), says, d))
    return Links(("Slot ", 0, " holds ", 1, " and ", 2, "."), links, {("w", "d"): (3,)})


def _all_drawn(picture: Picture, number: int) -> bool:
    return all(r.whole for v, r in enumerate(picture.readings) if picture.tape_of[v] == number)
