"""The steps of the broadcast figure: the rules one by one, then a few cells, then the way back."""

from ..scene import Frame, Look, Scene, draw
from ..scene.scene import Says
from .broadcast_scene import Picture
from .kit.alignment import Index
from .kit.grids import OPERANDS
from .kit.story import two_sided
from .words.sentences import listed, many

BACK = "shares", "S"
"""What is yet to come only on the way back: on the way there nothing waits for it."""

SENDS = "Backward: point at a gradient that arrives to see where it goes, at a number to see the sum that it gets."
MADE_UP = " The gradients that arrive are made up here."


def tell(picture: Picture) -> Scene:
    """The scene: the picture with its links and the frames of its story."""
    frames, pending = [], _pending(picture)
    sends = SENDS + MADE_UP * bool(picture.backward and picture.backward.made_up)

    def step(says: Says, *done: str, **kwargs) -> None:
        for key in done:
            pending.pop(key, None)
        if "clash" in done:
            pending["clash"] = _struck(picture)
        back = "toggles" in kwargs
        looks = tuple(look for key, look in pending.items() if back or not key.startswith(BACK))
        frames.append(Frame(says, looks, **kwargs))

    shape = f"{picture.result} has shape {picture.met.shape}"
    if picture.fits and picture.cells:
        says = f"{shape}: point at a cell of it to see what it reads, at one of {_either(picture)} to see who reads it."
        frames.append(Frame({"": says, "g": sends} if picture.backward else says))
    _rules(picture, step)
    if picture.met.shape is None:
        _mend(picture, step)
        return Scene(picture.title, 860, picture.height, picture.shapes, tuple(frames), about=_about(picture))
    still = -1
    if picture.fits:
        _stretch(picture, step)
        if picture.cells:
            _read(picture, step)
            still = next(i for i, frame in enumerate(frames) if frame.link == f"r{picture.number[_sample(picture)]}")
        _back(picture, step)
    if picture.backward:
        forward = f"{shape}: each of its cells reads one number of {listed(picture.names)}."
        frames = two_sided(frames, picture.links, {"": forward, "g": sends})
    return Scene(
        picture.title, 860, picture.height, picture.shapes, tuple(frames), picture.links, _paths(picture),
        {"g": "backward"} if picture.backward else {}, still, _about(picture),
    )  # fmt: skip


def _either(picture: Picture) -> str:
    """`a or b`"""
    return " or ".join(dict.fromkeys(picture.names)) if len(picture.names) < 4 else "an operand"


def _pending(picture: Picture) -> dict[str, Look]:
    """What has not happened yet, by name; a frame takes away what it tells."""
    met, rows = picture.met, range(len(picture.sources))
    missing = tuple(f"T{k}_{d}" for k in rows for d in range(met.missing(k)))
    looks = {"align": Look({"off": ("tb",)}, {(id, "transform"): at for id, at in picture.table.moves.items()})}
    looks["missing"] = Look({"off": missing})
    looks |= {f"v{d}": Look({"off": (f"v{d}",)}) for d in range(met.rank)}
    looks["result"] = Look({"off": ("tr", "tm") if met.shape is not None else ("tr",)})
    looks |= {f"x{n}": Look({"off": (f"x{n}", *(("xh",) * (n == 0)))}) for n in range(len(picture.repairs))}
    if picture.fits:
        looks |= {f"G{k}": _folded(picture, k) for k in rows}
        looks["cells"] = Look({"off": ("GR", "lg") if picture.legend else ("GR",)})
        if picture.backward:
            shares = tuple(f"{OPERANDS[k]}{n}" for k in rows if picture.flows(k) for n in range(len(picture.cells)))
            summed = [k for k in rows if picture.summed(k)]
            margins = (*(f"S{k}" for k in summed), *(("ls",) if picture.legend and summed else ()))
            looks["shares"] = Look({"waiting": shares, "off": margins})
            looks |= {f"S{k}": Look({"waiting": picture.margin(k)}) for k in summed}
    return looks


def _folded(picture: Picture, k: int) -> Look:
    """The copies of an operand before they are copies: each on the stored cell that it repeats."""
    off, sets = [], {}
    for n, cell in enumerate(picture.cells):
        first = picture.met.first(k, cell)
        if first != cell:
            off.append(f"{OPERANDS[k]}{n}")
            if not picture.plan.dots and first in picture.plan.grid.places:
                (x, y), (dx, dy) = picture.homes[k], picture.plan.grid.places[first]
                sets[f"{OPERANDS[k]}{n}", "transform"] = draw.place(x + dx, y + dy)
    name, shape = picture.names[k], picture.met.shapes[k]
    sets[f"N{k}", "text"] = f"{name}, {shape}"
    return Look({"off": tuple(off)}, sets)


def _struck(picture: Picture) -> Look:
    """The sizes that clash."""
    met = picture.met
    bad = [d for d in range(met.rank) if met.verdict(d) == "clash"]
    return Look({"lit": tuple(f"T{k}_{d}" for d in bad for k, own in enumerate(met.padded) if own[d] != 1)})


def _rules(picture: Picture, step) -> None:
    met, names = picture.met, picture.names
    shapes = listed([f"{name} has shape {shape}" for name, shape in zip(names, met.shapes, strict=True)])
    step(f"{shapes}: which of their numbers meet?")
    step("Rule 1: write the shapes under each other from the right, last axis under last axis.", "align")
    lacking = [k for k in range(len(names)) if met.missing(k)]
    if lacking:
        read = listed([f"{names[k]} counts as {met.padded[k]}" for k in lacking])
        step(f"Rule 2: where a shape has no axis left, put a 1 in front: {read}.", "missing")
    for dim in reversed(range(met.rank)):
        if met.verdict(dim) == "clash":
            return step(_column(picture, dim), f"v{dim}", "result", "clash")
        says = _column(picture, dim)
        step({"": says, "g": _summed_over(picture, dim)} if picture.backward else says, f"v{dim}")
    if met.shape is None:
        return
    stored, pretended = picture.numbers()
    are = f"{many(stored, 'number')} {'is' if stored == 1 else 'are'} stored"
    says = f"So {picture.result} has shape {met.shape}. {are}, and read as if there were {pretended:,}."
    if pairs := met.stretched():
        one, other = ("one", "the other") if len(names) == 2 else (names[k] for k in pairs[0])
        told = picture.table.stretch(f", so every number of {one} meets every number of {other}")
        says += f" {told.replace('both sides', 'Both sides')}."
    step(says, "result")


def _column(picture: Picture, dim: int) -> str:
    met = picture.met
    letter, names = f"{draw.LETTERS[dim]}, dim {dim}", picture.names
    sizes = [shape[dim] for shape in met.padded]
    verdict = met.verdict(dim)
    if verdict == "equal":
        return f"Along {letter}, the sizes are equal ({sizes[0]:,}), so they match one to one."
    unlike = [k for k, n in enumerate(sizes) if n != 1]
    if verdict == "clash":
        meets = " meets ".join(f"{sizes[k]:,} of {names[k]}" for k in unlike)
        return f"Along {letter}, {meets}: sizes must be equal or 1, so {picture.result} is an error."
    repeats, it = ("repeats", "it is") if sizes.count(1) == 1 else ("repeat", "they are")
    times = f"{it} left out" if met.sizes[dim] == 0 else f"{repeats} {met.sizes[dim]:,} times"
    why = f"with stride 0: {it} read again, not copied"
    unlike = len({dim < met.missing(k) for k, n in enumerate(sizes) if n == 1}) == 2 and met.sizes[dim]
    joined = ", and they" if unlike else " and"
    return f"Rule 3: along {letter}, {picture.table.ones(dim, 'size 1')}{joined} {times}, {why}."


def _summed_over(picture: Picture, dim: int) -> str:
    letter = f"{draw.LETTERS[dim]}, dim {dim}"
    summed = [k for k in range(len(picture.names)) if picture.summed(k) and dim in picture.met.repeated(k)]
    who = [f"{picture.names[k]}.grad" for k in summed]
    if not who:
        return f"Backward: along {letter}, nothing was repeated, so no gradient is summed."
    are = "is" if len(who) == 1 else "are"
    return f"Backward: {listed(who)} {are} summed over {letter}, the axis of the virtual cells."


def _mend(picture: Picture, step) -> None:
    says = "The rules look at sizes only from the right, and never guess: here is what you can write."
    if not picture.repairs:
        says = "No change of one tensor alone makes these shapes fit."
    step(says, *(f"v{d}" for d in range(picture.met.rank)))
    for n, repair in enumerate(picture.repairs):
        name = picture.names[repair.operand]
        code = " or ".join(code.format(name) for code in repair.codes)
        shape = repair.shapes[repair.operand]
        step(f"{code} has shape {shape}, and then the result has shape {repair.result}.", f"x{n}")


def _stretch(picture: Picture, step) -> None:
    met = picture.met
    for k, name in enumerate(picture.names):
        again = met.repeated(k)
        if not again:
            continue
        if not picture.cells:
            step(f"{name} is read as {met.shape}: an axis of size 0 leaves nothing to read.", f"G{k}")
            continue
        source = picture.sources[k]
        times = _times(picture, k)
        held = "its one number is" if source.numel == 1 else f"its {source.numel:,} numbers are each"
        stride = f"stride 0 along {picture.along(k)}"
        step(f"{name} is read as {met.shape}: {held} read {times:,} times, with {stride}; nothing is copied.", f"G{k}")


def _sample(picture: Picture) -> Index:
    """A cell that is not in a corner where that can be had: (1, 2) of (3, 4)."""
    wanted = tuple(min(1 + (d == picture.met.rank - 1), n - 1) for d, n in enumerate(picture.met.shape))
    return wanted if wanted in picture.number else picture.cells[0]


def _read(picture: Picture, step) -> None:
    met, sample = picture.met, _sample(picture)
    first, at = picture.cells[0], picture.number[sample]
    if sample != first:
        reads = listed([picture.called(k, first) for k in range(len(picture.names))])
        step(f"Each cell of {picture.result} reads one number of each: {reads} for the first.", "cells", link="r0")
    step("".join(picture.lines.read(at)) + ".", "cells", link=f"r{at}")
    for k in range(len(picture.names)):
        if met.repeated(k):
            cells = many(_times(picture, k), "cell")
            says = f"{picture.called(k, sample)} is read by {cells} of the result, along {picture.along(k)}."
            return step(says, link=picture.real(k, sample))


def _back(picture: Picture, step) -> None:
    met, names = picture.met, picture.names
    if not picture.cells:
        return
    if picture.backward is None:
        most = max(range(len(names)), key=lambda k: _times(picture, k))
        if _times(picture, most) > 1 and not picture.plan.whole or picture.plan.dots:
            times = f"{_times(picture, most):,} gradients"
            step(f"Backward, each number of {names[most]} is sent {times}, and gets their sum.")
        return
    sample = _sample(picture)
    says = f"Backward: each cell of {picture.result} receives an upstream gradient, g"
    says += ": numbers made up here, unless you give yours with upstream=." if picture.backward.made_up else "."
    step(says, toggles=("g",))
    shares = f"Each sends its share back to what it read: {picture.lines.sent(sample)}."
    step(shares, "shares", link=f"r{picture.number[sample]}", toggles=("g",))
    for k, name in enumerate(names):
        if not picture.flows(k):
            step(f"{name} has no gradient here: it only chooses.", toggles=("g",))
        elif met.repeated(k):
            times = _times(picture, k)
            *_, total = picture.sum_of(k, sample)
            says = (
                f"{picture.called(k, sample)} was read {times} times, so it gets the sum of {times} gradients: {total}."
            )
            step(says, f"S{k}", link=picture.real(k, sample), toggles=("g",))
    told = [f"{name}.grad is summed over {picture.along(k)}" for k, name in enumerate(names) if picture.summed(k)]
    alone = [k for k in range(len(names)) if picture.flows(k) and not met.repeated(k) and picture.backward.asked[k]]
    whole = [f"{names[k]}.grad is what arrives" for k in alone]
    if told:
        step(f"In all, {listed([*told, *whole])}: repeat forward, sum backward.", toggles=("g",))
    else:
        step("Nothing was repeated, so nothing is summed: each gradient is what arrives.", toggles=("g",))


def _times(picture: Picture, k: int) -> int:
    times = 1
    for dim in picture.met.repeated(k):
        times *= picture.met.sizes[dim]
    return times


def _paths(picture: Picture) -> tuple:
    if not picture.cells:
        return ()
    groups = [tuple(tuple(f"r{picture.number[cell]}" for cell in row) for row in picture.plan.grid.rows)]
    linked = {id for family in picture.links for id in family.links}
    for k in range(len(picture.sources)):
        rows = (tuple(f"{OPERANDS[k]}{picture.number[cell]}" for cell in row) for row in picture.plan.grid.rows)
        groups.append(tuple(kept for row in rows if (kept := tuple(id for id in row if id in linked))))
    return tuple(groups)


def _about(picture: Picture) -> tuple[str, ...]:
    met = picture.met
    lines = [f"{name}: shape {shape}, {source.dtype}" for name, shape, source in
             zip(picture.names, met.shapes, picture.sources, strict=True)]  # fmt: skip
    lines += [f"dim {d}: {picture.table.verdict(d)}" for d in range(met.rank)]
    if met.shape is not None:
        stored, pretended = picture.numbers()
        lines.append(f"{picture.result}: shape {met.shape}; {many(stored, 'number')} stored, read as {pretended:,}")
        if picture.backward and picture.backward.made_up:
            lines.append("the gradients that arrive are made up: upstream= gives others")
        if picture.backward and picture.backward.lifted:
            lines.append("integers have no gradient in a program; it is drawn as for floats")
    return tuple(lines)
