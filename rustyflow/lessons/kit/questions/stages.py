"""The stages of a question: before a guess, after a first wrong one, and when it is played out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ....scene import Asks, Frame, Link, Links, Scene, in_turn
from ....scene.scene import Sentence
from ....scene.wire import sequel
from .pictures import among, bare

SUPPOSED = "If this were so"

LARGEST = 60 << 10
"""As much of a page, in bytes, is given to what the choices of one question lead to."""


def locked(question: Any, tried: str = "") -> Scene:
    """The question before its picture, of which no frame, no link and no word is left.

    After a first wrong guess, `tried`, it names the belief that leads there, and asks once more.
    """
    case, choices = question.case, question.choices()
    scene = question.locked(**case) if question.locked else bare()
    points = {}
    for letter, answer in choices.items() if question.points else ():
        if (id := question.points(answer, **case)) in scene.index:
            points[id] = letter
    keys = f"{', '.join(choices)} or a click chooses"
    sentence = f"{keys}{'; so does pointing at the picture' if points else ''}. Then Enter."
    said = {}
    if tried:
        belief = question.held(tried).belief
        sentence = f'Not {tried}: that follows from "{belief}". Take another one.'
        if _told(question, belief):
            sentence = f"Not {tried}. Look once more, and take another one."
        said[tried] = "your first guess"
    words = {letter: question.words(answer) for letter, answer in choices.items()}
    links = {id: Link((id,), (letter, words[letter])) for id, letter in points.items()}
    text = question.ask(**case)
    return replace(
        scene,
        title=" ".join(text.split()),
        frames=(Frame(sentence),),
        links=(Links((0, ": ", 1), links),) if links else (),
        paths=tuple(found for group in scene.paths if (found := among(group, points))),
        toggles={},
        still=0,
        about=(),
        asks=Asks(text, words, points, said),
    )


def told(question: Any, guesses: Sequence[str]) -> Scene:
    """The outcome of the guesses: the last wrong one played out under its belief's name, then what is so."""
    case, choices, key = question.case, question.choices(), question.right()
    wrong = [letter for letter in guesses if letter != key]
    right = f"{key}, {question.words(choices[key])}"
    why = question.why(**case)
    if guesses[-1] == key:
        scene = _opened(question, key, [f"Right: {right}. {why}"])
    else:
        held = question.held(guesses[-1])
        supposed = _supposed(question, guesses[-1], f'You took {guesses[-1]}. It follows from "{held.belief}".')
        so = _opened(question, key, [f"It is not so. {held.truth}", f"The answer is {right}. {why}"])
        scene = in_turn(supposed, so)
    said = {key: "right"} | {letter: "your guess" for letter in wrong}
    said |= {wrong[0]: "your first guess"} if len(guesses) > 1 else {}
    said |= {key: "right, and your guess"} if guesses[-1] == key else {}
    return _closed(question, scene, said)


def alone(question: Any) -> Scene:
    """The question for a page without Python: what each choice leads to is packed in it, up to `LARGEST` bytes.

    Beyond that each belief is told in words, and nothing is drawn.
    """
    scene = locked(question)
    letters = {letter: (letter,) for letter in question.choices()}
    again = {letter: locked(question, letter).frames[0].sentence for letter in letters if letter != question.right()}
    for asked in (question, replace(question, played=None)):
        scenes = {letter: told(asked, guesses) for letter, guesses in letters.items()}
        each = {letter: played(asked, letter).frames for letter in letters}
        begins = {letter: (frames[0].sentence, len(frames)) for letter, frames in each.items()}
        begins[question.right()] = begins[question.right()][0], len(scenes[question.right()].frames)
        packed = sequel(again, scenes, begins)
        if len(packed) <= LARGEST:
            break
    return replace(scene, asks=scene.asks._replace(sequel=packed))


def played(question: Any, letter: str) -> Scene:
    """The outcome of a choice alone; what is right is marked at the end, once the answer is told."""
    key, choices = question.right(), question.choices()
    first = f"{letter}, {question.words(choices[letter])}: this is what follows."
    if letter == key:
        scene = _played(question, letter)
        own = scene.frames if question.played else ()
        scene = replace(scene, frames=(replace(scene.frames[0], sentence=first), *own), still=-1)
    else:
        scene = _supposed(question, letter, f'{first} Whoever takes it believes: "{question.held(letter).belief}".')
    said = ({key: "right"} if question.told else {}) | {letter: "played"}
    return _closed(question, scene, said)


def _closed(question: Any, scene: Scene, said: dict[str, str]) -> Scene:
    """The scene under its question, whose choices say what became of them, and take no more guesses."""
    text, words = question.ask(**question.case), {one: question.words(x) for one, x in question.choices().items()}
    return replace(scene, title=" ".join(text.split()), about=(), asks=Asks(text, words, {}, said, open=False))


def _told(question: Any, sentence: str) -> bool:
    """True if a sentence names the answer."""
    return question.words(question.key(**question.case)) in sentence


def _opened(question: Any, letter: str, sentence: Sequence[str]) -> Scene:
    """The picture of what is so: it begins lit, with these sentences, and then tells its own story."""
    scene = _played(question, letter)
    lit = scene.frames[scene.still]
    first = tuple(replace(lit, sentence=sentence) for sentence in sentence)
    own = scene.frames if question.played else ()
    return replace(scene, frames=(*first, *own), still=len(first) - 1)


def _supposed(question: Any, letter: str, sentence: str) -> Scene:
    """The picture in which a wrong answer is so, which each of its sentences says first."""
    scene = _played(question, letter)
    own = scene.frames if question.played else ()
    frames = tuple(replace(frame, sentence=_suppose(frame.sentence)) for frame in own)
    links = tuple(replace(family, sentence=_suppose(family.sentence)) for family in scene.links)
    return replace(scene, frames=(replace(scene.frames[0], sentence=sentence), *frames), links=links)


def _played(question: Any, letter: str) -> Scene:
    return question.played(question.choices()[letter], **question.case) if question.played else bare()


def _suppose(sentence: Sentence) -> Any:
    if isinstance(sentence, Mapping):
        return {side: _suppose(part) for side, part in sentence.items()}
    parts = (sentence,) if isinstance(sentence, str) else sentence
    begins = isinstance(parts[0], str) and parts[0].startswith(SUPPOSED)
    made = parts if begins else (f"{SUPPOSED}: ", *parts)
    return "".join(made) if isinstance(sentence, str) else made
