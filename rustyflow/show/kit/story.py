"""Frames of a picture with two sides, each with a sentence for the side that `g` turns up."""

from collections.abc import Iterable, Mapping, Sequence

from ...scene import Frame, Links
from ...scene.scene import fill, spoken


def two_sided(frames: Iterable[Frame], links: Sequence[Links], other: Mapping[str, str]) -> tuple[Frame, ...]:
    """The frames, each with a sentence for forward (`""`) and for backward (`"g"`), whichever of them it tells itself.

    The other side of a frame that lights a link says what that link says there; of the rest, what `other` says.

    >>> from rustyflow.scene import Link
    >>> links = (Links({"": "It is read.", "g": "It is summed."}, {"a": Link(("a",))}),)
    >>> steps = (Frame("Forward."), Frame("Look: a.", link="a"), Frame("And back.", toggles=("g",)))
    >>> [frame.says for frame in two_sided(steps, links, {"": "Values.", "g": "Gradients."})]  # doctest: +ELLIPSIS
    [{'': 'Forward.', 'g': 'Gradients.'}, {'': 'Look: a.', 'g': 'It is summed.'}, {'': 'Values.', 'g': 'And back.'}]
    """
    family = {trigger: (made, link) for made in links for trigger, link in made.links.items()}

    def turned(frame: Frame) -> Frame:
        if isinstance(frame.says, Mapping):
            return frame
        here, there = ("g", "") if "g" in frame.toggles else ("", "g")
        says = other[there]
        if frame.link is not None:
            made, link = family[frame.link]
            says = fill(spoken(made.says, (there,)), link.args)
        both = {here: frame.says, there: says}
        return Frame({"": both[""], "g": both["g"]}, frame.looks, frame.link, frame.toggles)

    return tuple(map(turned, frames))
