"""Widgets: figures that Python makes anew while one looks at them. Needs anywidget: `pip install rustyflow[lab]`."""

from .base import Widget

__all__ = ["Widget"]
