"""Checks of the first hour: one vote, a nudge, and an engine with two blanks; nothing need be done before."""

from dataclasses import replace

from . import align_from_the_right, nudge_it, your_own_engine
from .kit.programs.engine_picture import training
from .kit.programs.fits import CARS

__all__ = ["CARS", "backward", "perfect_loss", "smaller_nudges", "training"]

perfect_loss = replace(align_from_the_right.perfect_loss)
smaller_nudges = replace(nudge_it.smaller_nudges)
backward = replace(your_own_engine.backward)
