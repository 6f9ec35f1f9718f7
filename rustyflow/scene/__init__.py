"""Scenes: pictures as immutable values, and their readers: SVG, text and the browser. Knows nothing of tensors."""

from .figure import Figure, once, static
from .scene import Asks, Frame, Link, Links, Look, Scene, Shape, State
from .sequel import in_turn

__all__ = ["Asks", "Figure", "Frame", "Link", "Links", "Look", "Scene", "Shape", "State", "in_turn", "once", "static"]
