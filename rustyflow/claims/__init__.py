"""Claims: what is said of numbers is a tree that was evaluated, and the text is that tree's."""

from . import context, places, properties, windows  # noqa: F401 - they give functions of rules their meanings
