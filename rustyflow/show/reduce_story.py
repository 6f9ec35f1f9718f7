"""The steps of the reduction figure: lane by lane, what is left of the shape, and the way back."""

from ..scene import Frame, Look, Scene, draw
from ..scene.scene import Says
from .broadcast_links import indexed
from .reduce_scene import Picture
from .words.sentences import listed, many
from .kit.story import two_sided

FRAMED = 5
"""How many steps of the first lane, and how many lanes, have a frame each."""


def tell(picture: Picture) -> Scene:
    """The whole, the lanes one by one, what is left of the shape, and the way back."""
    links = picture.links()
    shape = f"shape {picture.shape}"
    whole = f"{picture.title} has {shape}: point at a result to see its lane, at a cell to see where it goes."
    turned = "Backward: point at a gradient that arrives, or at a cell that gets one."
    frames = [Frame(_both(picture, whole, turned))]
    if picture.order and picture.dims:
        lane = picture.lanes[picture.order[0]]
        lanes, cells = many(len(picture.order), "lane"), many(picture.length, "cell")
        says = f"Along {picture.axes}, {picture.name} has {lanes} of {cells}."
        frames.append(Frame(says, (Look({"off": ("R",), "lit": tuple(f"a{n}" for n in lane)}),)))
        for m, first in enumerate(picture.order[:FRAMED]):
            later = Look({"off": tuple(f"r{k}" for k in range(m + 1, len(picture.order)))})
            said = f"{indexed(picture.title, picture.own(first))} = {picture.expression(picture.lanes[first])}"
            says = f"{said} {picture.signs[first]} {draw.spell(picture.results[first])}."
            frames.append(Frame(says, (later,), f"r{m}"))
        stays, are, it = ("stays", "is", "it") if len(picture.dims) == 1 else ("stay", "are", "them")
        gone = f"{are} gone; keepdim=True would leave {it}"
        slot = f"{stays if picture.keepdim else gone}, with size 1"
        says = f"{picture.source.shape} has become {picture.shape}: {picture.axes} {slot}."
        frames.append(Frame(_both(picture, says, "Backward: each gradient that arrives fans out over its lane again.")))
    still = min(2, len(frames) - 1)
    if picture.back is not None and picture.order:
        frames += _backward(picture)
        forward = f"{picture.title} has {shape}: each of its cells is made of one lane of {picture.name}."
        frames = two_sided(frames, links, {"": forward, "g": turned})
    path = tuple(tuple(f"a{picture.number[c]}" for c in row) for row in picture.plan.grid.rows)
    flips = {"g": "backward"} if picture.back is not None else {}
    about = (f"{picture.name}: shape {picture.source.shape}, {picture.source.dtype}", f"{picture.title}: {shape}")
    return Scene(
        picture.title, 860, picture.height, picture.shapes, tuple(frames), links,
        (path, (tuple(f"r{m}" for m in range(len(picture.order))),)), flips, still, about,
    )  # fmt: skip


def _backward(picture: Picture) -> list[Frame]:
    """What arrives, how it fans out over the first lane, and that no gradient is lost."""
    first = picture.order[0]
    lane, up = picture.lanes[first], draw.spell(picture.upstream[first])
    how = {"sum": "times 1", "mean": f"times 1/{picture.length}"}.get(picture.op, "times what the operation says")
    come = "comes, for the one result" if len(picture.order) == 1 else "come, one for each result"
    says = f"Backward: {many(len(picture.order), 'upstream gradient')} {come}."
    waiting = Look({"waiting": tuple(f"a{n}" for n in range(len(picture.cells))), "off": ("bars",)})
    frames = [Frame(says, (waiting,), toggles=("g",))]
    got = listed([draw.spell(picture.back[n]) for n in lane], 8)
    says = f"{indexed('g', picture.own(first))} = {up} fans out over its lane, {how}: {got}."
    frames.append(Frame(says, (), "r0", ("g",)))
    if picture.op in ("max", "min", "amax", "amin"):
        frames += _ties(picture)
    coming, going = draw.spell(float(sum(picture.upstream.values()))), draw.spell(float(sum(picture.back)))
    frames.append(
        Frame(f"Gradient in: {coming}; gradient out: {going}: reduce forward, expand backward.", toggles=("g",))
    )
    return frames


def _ties(picture: Picture) -> list[Frame]:
    """The first lane in which several cells are the largest, or the smallest, and what they get."""
    for m, first in enumerate(picture.order):
        same = [n for n in picture.lanes[first] if picture.values[n] == picture.results[first]]
        if len(same) > 1:
            cells = listed([indexed(picture.name, picture.cells[n]) for n in same])
            rule = "shares it equally" if picture.op[0] == "a" or len(picture.dims) > 1 else "gives all to one of them"
            return [Frame(f"{cells} are equal: {picture.op} {rule}.", (), f"r{m}", ("g",))]
    return []


def _both(picture: Picture, forward: str, backward: str) -> Says:
    """What is said of a figure of two sides; of one without a gradient, the first alone."""
    return forward if picture.back is None else {"": forward, "g": backward}
