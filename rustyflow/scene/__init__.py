"""Scenes: pictures as immutable values, and their readers: SVG, text and the browser. Knows nothing of tensors."""

from .scene import Frame, Link, Links, Look, Scene, Shape, State

__all__ = ["Frame", "Link", "Links", "Look", "Scene", "Shape", "State"]
