"""What a program gives, or the type of the error it raises, said so that it can be compared between libraries."""

import numpy as np


def leaf(m, *values):
    return m.tensor(values or (1.0, 2.0, 3.0), dtype=m.float64, requires_grad=True)


def ones(m, *shape, **how):
    return m.ones(shape or 3, **{"dtype": m.float64, **how})


def plain(value):
    """What can be compared of a result."""
    if type(value).__name__ in ("Tensor", "Parameter"):
        return (
            np.round(np.array(value.detach().tolist()), 9).tolist(),
            str(value.dtype).rpartition(".")[2],
            value.requires_grad,
        )
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    return value if isinstance(value, (int, float, str, type(None))) else type(value).__name__


def outcome(m, program):
    try:
        return "gives", plain(program(m))
    except Exception as error:
        return "raises", next(t.__name__ for t in type(error).__mro__ if t.__module__ == "builtins")
