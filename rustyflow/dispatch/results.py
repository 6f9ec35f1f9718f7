"""Results by name, such as values and the indices they came from."""
from __future__ import annotations

from collections import namedtuple

_pairs: dict = {}


def pair(name, *fields):
    """A named result such as torch.return_types.max.

    Example:
        >>> pair("max", "values", "indices")(1, 2)
        rustyflow.return_types.max(
        values=1,
        indices=2)
    """
    if name not in _pairs:
        body = {"__slots__": (), "__module__": "rustyflow.return_types", "__repr__": _told,
                "__reduce__": lambda self: (restored, (type(self).__name__, self._fields, tuple(self)))}
        _pairs[name] = type(name, (namedtuple(name, fields),), body)
    return _pairs[name]


def _told(self):
    fields = ",\n".join(f"{field}={value!r}" for field, value in zip(self._fields, self))
    return f"rustyflow.return_types.{type(self).__name__}(\n{fields})"


def restored(name, fields, values):
    """A named result that was pickled; its class is made here, and is none that a pickle could name."""
    return pair(name, *fields)(*values)
