"""Scenes: pictures as immutable values, and their readers: SVG, text and the browser. Knows nothing of tensors."""

from .figure import Figure, once, static
from .scene import Frame, Link, Links, Look, Scene, Shape, State

__all__ = ["Figure", "Frame", "Link", "Links", "Look", "Scene", "Shape", "State", "once", "static"]
