"""A run whose strip waits for a guess: what becomes of the gradient on its way to the input."""

from dataclasses import replace
from math import isfinite
from typing import Any

from ...scene import Asks, Frame, Scene
from ...scene.wire import sequel

SHRINKS, GROWS, EVEN, STOPS = "ABCD"
CHOICES = {SHRINKS: "it shrinks from layer to layer", GROWS: "it grows from layer to layer",
           EVEN: "it stays of about the same size", STOPS: "it is exactly 0 from one layer on"}  # fmt: skip

MUCH = 5.0
"""So many times as large or as small is more than about the same size."""


def answer(run: Any) -> str:
    """Returns the letter of what a run's gradient does, at the last step that was measured; "" where nothing tells."""
    norms = [norm for norm in (run.measured[-1].rows["gradient"] if run.measured else []) if norm == norm]
    if len(norms) < 2 or not all(map(isfinite, norms)):
        return ""
    if 0 in norms:
        return STOPS
    times = norms[-1] / norms[0]
    return SHRINKS if times > MUCH else GROWS if times < 1 / MUCH else EVEN


def question(run: Any) -> str:
    """Returns the question about a run."""
    return (f"The gradient of a loss goes from layer {run.layers[-1]} back to layer {run.layers[0]}, at the input. "
            f"What does its size (norm) do on the way, at step {run.measured[-1].step:,}?")  # fmt: skip


def locked(run: Any, whole: Scene, curve: tuple) -> Scene:
    """Returns the scene of the loss alone, which waits for a guess, with all that a guess leads to."""
    asks = Asks(question(run), CHOICES)
    found = {letter: told(run, whole, letter) for letter in CHOICES}
    frames = (Frame("The strip of gradients waits for a guess."),)
    return replace(whole, shapes=curve, frames=frames, links=(), paths=(), toggles={}, turned={}, still=0,
                   asks=asks._replace(sequel=sequel({}, found)))  # fmt: skip


def told(run: Any, whole: Scene, guess: str) -> Scene:
    """Returns the whole scene under what became of a guess."""
    right = answer(run)
    said = {right: "right, and your guess"} if guess == right else {right: "right", guess: "your guess"}
    return replace(whole, asks=Asks(question(run), CHOICES, said=said, open=False))
