"""The sentences of show.strides about a whole tensor: its walk through memory, repetitions, copies."""

from collections.abc import Sequence
from itertools import islice, pairwise

from ...claims.claim import Claim
from ...claims.tree import times
from ...layout import slots
from ...scene import Look, draw
from ..kit.story import Story
from ..words.sentences import listed, many
from .change import Asked
from .view import View

WALK = 6
"""How many slots of a walk are named."""

MERGE = "fm"
"""The id of the equation that a view would have to fulfil, in the place of the formulas."""


def grows(view: View, sharers: Sequence[str] = ()) -> str:
    """A storage comes, into which numbers were copied, if that is known, or which others read."""
    begin, size = f"{view.name} has a storage of its own", many(view.source.numel, "number")
    if view.taken:
        other = list(view.taken.values()) != list(view.old.slots.values())
        order = "in another order" if other else "in the order in which they are read"
        return f"{begin}: the {size} of {view.old.name} were copied into it, {order}."
    if sharers:
        seen = "what is written to a slot of it is seen through all that read that slot"
        return f"{view.name} reads another storage, shared with {listed(sharers)}: {seen}."
    return f"{begin}: what is written to it is seen through no other."


def fails(story: Story, view: View, wanted: Asked) -> None:
    """Why a view cannot be: the two axes, and the equation."""
    (d, e), looks = wanted.dims, [Look({"-off": ("k0", MERGE)})]
    stride, shape, last = view.source.stride, view.source.shape, (0,) * len(view.axes)
    way = [tuple(n if k == e else 0 for k in range(len(last))) for n in range(shape[e])]
    way = [cell for cell in (*way, tuple(int(k == d) for k in range(len(last)))) if cell in view.slots]
    places = [view.line.places[view.slots[cell]] for cell in way]
    hops = "" if view.line.small else "".join(draw.hop(a, b, view.line.w) for a, b in pairwise(places) if a != b)
    lit = dict.fromkeys(id for cell in way for id in (view.board[cell], view.line[view.slots[cell]]))
    sentence = f"{wanted.code} would keep the order, so dims {d} and {e} of {view.name} would merge"
    looks.append(Look(sets={("w", "d"): hops}))
    story.tell(f"{sentence}: one axis, one stride.", looks=looks, lit=lit)
    must, far = f"stride[{d}] must be stride[{e}] * shape[{e}]", times(stride[e], shape[e])
    sentence = f"For that {must}, and {stride[d]} is not {Claim('', far, stride[e] * shape[e])}"
    then = "so reshape copies" if view.source.numpy else "and view is an error"
    story.tell(f"{sentence}: no stride can say it, {then}.", looks=looks, lit=lit)


def order(story: Story, view: View) -> None:
    """The first cells in order, and hops between the slots they read."""
    source, line = view.source, view.line
    first = islice(slots(tuple(min(n, WALK) for n in source.shape), source.stride, source.offset), WALK)
    visits = f"visits slots {', '.join(map(str, first))}" + (", ..." if source.numel > WALK else "")
    order = "one after the other, so it is" if source.contiguous else "not one after the other, so it is not"
    walk = list(view.slots.items())[: WALK if view.whole else 0]
    lit = dict.fromkeys(id for cell, slot in walk for id in (view.board[cell], line[slot]))
    places = [line.places[slot] for _, slot in walk]
    hops = "" if line.small else "".join(draw.hop(a, b, line.w) for a, b in pairwise(places) if a != b)
    sentence = f"Read in order, {view.name} {visits}: {order} contiguous."
    story.tell(sentence, lit=lit, looks=[Look(sets={("w", "d"): hops})])


def repeats(story: Story, view: View) -> None:
    """The slot that most cells of a view read, if any is read by several."""
    if view.aliased:
        readers = view.storage.readers
        slot = min(view.aliased, key=lambda slot: (-len(readers[slot]), slot))
        means = f"{view.name} looks like {view.source.numel} numbers, and reads only {many(len(readers), 'slot')}."
        means = means if view.whole else "written to through one of them, all change."
        cells = listed([view.called(cell) for _, cell in readers[slot]], 4)
        story.tell(f"Slot {slot} is read by {cells}: {means}", link=view.line[slot])
