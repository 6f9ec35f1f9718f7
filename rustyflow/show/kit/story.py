"""The frames of a figure, one sentence each, forward and then backward; later parts wait for theirs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...scene import Frame, Links, Look
from ...scene.scene import Sentence, fill, of_side


class Story:
    """Frames in the order in which they are told.

    >>> story = Story()
    >>> story.later("R", off=("r0", "r1"))
    >>> story.tell("The cells are there.")
    >>> story.tell("And their sum.", "R", link="r0")
    >>> [len(frame.looks) for frame in story.frames]
    [1, 0]
    """

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.waiting: dict[str, tuple[Look, bool]] = {}

    def later(self, name: str, look: Look | None = None, back: bool = False, **classes: Iterable[str]) -> None:
        """Hides parts, or gives them another look, until `name` is told.

        With `back` that holds in frames of the way back alone.
        """
        change = look or Look({cls: tuple(ids) for cls, ids in classes.items()})
        self.waiting[name] = change, back

    def tell(
        self, sentence: Sentence, *told: str, link: str | None = None, lit: Iterable[str] = (),
        looks: Iterable[Look] = (), back: bool = False, fine: bool = False, picture: str = "",
        sends: Iterable[tuple[str, str]] = (), seen: str = "",
    ) -> None:  # fmt: skip
        """Adds a frame, which shows the parts that waited for it, lights a link or shapes, and has looks.

        It may be of the way back, or a detail of the next; `picture` is the part of its sentence about the picture
        alone, and `sends` are numbers that fly, from one shape to another, `seen` a shorter sentence for the eye.
        """
        for name in told:
            self.waiting.pop(name, None)
        waiting = (look for look, only in self.waiting.values() if back or not only)
        spot = (Look({"lit": lit}),) if (lit := tuple(lit)) else ()
        toggles = ("g",) if back else ()
        self.frames.append(Frame(sentence, (*waiting, *spot, *looks), link, toggles, fine, picture, tuple(sends), seen))

    def two_sided(self, links: Sequence[Links], forward: str, backward: str) -> None:
        """Give each frame a sentence for the other side too: what its link says there, or one of these."""
        self.frames = list(two_sided(self.frames, links, {"": forward, "g": backward}))


def two_sided(frames: Iterable[Frame], links: Sequence[Links], other: Mapping[str, str]) -> tuple[Frame, ...]:
    """The frames, each with a sentence for forward (`""`) and for backward (`"g"`), whichever of them it tells itself.

    The other side of a frame that lights a link says what that link says there; of the rest, what `other` says.

    >>> from rustyflow.scene import Link
    >>> links = (Links({"": "It is read.", "g": "It is summed."}, {"a": Link(("a",))}),)
    >>> steps = (Frame("Forward."), Frame("Look: a.", link="a"), Frame("And back.", toggles=("g",)))
    >>> [frame.sentence for frame in two_sided(steps, links, {"": "Values.", "g": "Gradients."})]  # doctest: +ELLIPSIS
    [{'': 'Forward.', 'g': 'Gradients.'}, {'': 'Look: a.', 'g': 'It is summed.'}, {'': 'Values.', 'g': 'And back.'}]
    """
    def turned(frame: Frame) -> Frame:
        if isinstance(frame.sentence, Mapping):
            return frame
        here, there = ("g", "") if "g" in frame.toggles else ("", "g")
        sentence = other[there]
        if frame.link is not None:
            family = next(family for family in links if frame.link in family.links)
            sentence = fill(of_side(family.sentence, (there,)), family.links[frame.link].args)
        both = {here: frame.sentence, there: sentence}
        return replace(frame, sentence={"": both[""], "g": both["g"]})

    return tuple(map(turned, frames))
