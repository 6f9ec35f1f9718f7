"""What a figure shows in a frame, and a program that many figures are tested on."""

import rustyflow as rf
from rustyflow import show


def text(figure, id, *frame, **asked):
    """The words of a shape in a state."""
    return figure.state(*frame, **asked).sets.get((id, "text"), figure.scene.index[id].text)


def lit(figure, link=None, frame=0, toggles=None):
    """The ids that pointing at a shape, or a frame, lights."""
    state = figure.state(frame, link, toggles)
    return {id for id, classes in state.classes.items() if "lit" in classes}


def formula(sentence):
    """The formula at the end of a sentence, which is seen in the picture alone."""
    return sentence.rpartition(": ")[2]


def inspected(figure, frame):
    """The lines of the inspector below its heading."""
    lines = ("".join(text(figure, f"p{k}{i}", frame) for i in range(10)) for k in range(3))
    return [line for line in lines if line]


def steps(figure):
    """What the steps say that are told without details."""
    return [frame.sentence for frame in figure.frames if not frame.fine]


def said(figure):
    return [frame.sentence for frame in figure.frames]


def two_ways():
    """The figure of a program in which c reaches y twice."""
    a = rf.tensor(3.0, requires_grad=True)
    c = a * 2
    d = c * 5
    y = c + d
    return show.backward(y)


def after(figure, start):
    """The frames of the steps whose sentences begin so."""
    return [k for k, sentence in enumerate(said(figure)) if sentence.startswith(start)]


def card(figure, k):
    """The lines of the card of a node."""
    sets = figure.state(link=f"n{k}").sets
    said = (words for (id, what), words in sets.items() if what == "text" and id[0] in "cd" and words)
    return " ".join(" ".join(said).split())


def box(figure, k):
    """What stands in the box of a node."""
    return " ".join(part.text for part in figure.scene.index[f"n{k}"].walk() if part.tag == "text")
