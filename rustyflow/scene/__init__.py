"""Scenes: pictures as immutable values, and their readers: SVG, text and the browser. Knows nothing of tensors."""

from .figure import Figure, once, static
from .scene import Asks, Frame, Inner, Link, Links, Look, Scene, Shape, State
from .sequel import in_turn
from .unfolds import BEYOND, LEAF, Level, Part, Unfolds

__all__ = [
    "BEYOND", "LEAF", "Asks", "Figure", "Frame", "Inner", "Level", "Link", "Links", "Look", "Part", "Scene", "Shape",
    "State", "Unfolds", "in_turn", "once", "static",
]  # fmt: skip
