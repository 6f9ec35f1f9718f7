"""Unfold: any number of a program, value or gradient, opens into the expression that it comes from.

- `world.py` has the numbers behind a result, each worked out when it is asked for; `number.py` is one of them, with its
  name, its value, its parts and what is written of it (`line.py`, from trees as `trees.py` has them).
- `source.py` has the tensors and operations of the program, `names.py` what they are called, and `values.py` their
  arrays: kept, saved for a gradient, or computed again (`again.py`).
- `tell.py` tells one cell of one operation: by its rule (`ruled.py`), by numbering (`moved.py`), or by its trace
  (`traced.py`); an operation that has others inside opens as calls (`inside.py`). What does not come to the engine's
  number is not said.
- `gradient.py` walks back once and keeps what arrives where; `shares.py` adds up what readers send.
- `foreign.py` runs a program of PyTorch's once more, from what its graph's nodes have kept.
"""

from .number import Number, Piece, Place
from .world import World

__all__ = ["World", "Number", "Piece", "Place"]
