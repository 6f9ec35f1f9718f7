"""Unfold: any number of a program, value or gradient, opens into the expression that it comes from.

- `world.py` has the numbers behind a result, each worked out when it is asked for.
- `number.py` is one of them: its name, its value, its parts and what is written of it (`line.py`).
- `source.py` has the tensors and operations of the program, and `names.py` what they are called.
- `forward.py` tells a cell by the rule of its operation; `gradient.py` walks back once and keeps what arrives where.
"""

from .number import Number, Piece, Place
from .world import World

__all__ = ["World", "Number", "Piece", "Place"]
