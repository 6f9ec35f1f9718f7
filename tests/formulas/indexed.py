"""Sums over indices: `y[n, o, i, j] = sum(x[n, c, i * s + p, j * s + q] * w[o, c, p, q]) + bias[o]`, taken literally.

An index that stands alone runs along its axis; one that the left side has not is summed over.
"""

import re

import numpy as np

READ = re.compile(r"(\w+)\[([^\]]+)\]")


def grid(left: str, right: str, arrays: dict, shape: tuple) -> dict[str, np.ndarray]:
    """Every index as an axis of its own, those of the left side first.

    >>> {name: a.shape for name, a in grid("y[i]", "sum(x[i, k])", {"x": np.zeros((2, 3))}, (2,)).items()}
    {'i': (2, 1), 'k': (1, 3)}
    """
    sizes = dict(zip(READ.match(left)[2].split(", "), shape, strict=True))
    for name, places in READ.findall(right):
        for place, n in zip(places.split(", "), arrays[name].shape, strict=True):
            if place.isidentifier():
                sizes.setdefault(place, n)
    return dict(zip(sizes, np.ogrid[tuple(slice(n) for n in sizes.values())], strict=True))


def summed(right: str, names: dict, kept: int) -> np.ndarray:
    """The right side, its sum over the axes behind the first `kept`."""
    names = {**names, "sum": lambda a: a.sum(tuple(range(kept, a.ndim)), keepdims=True)}
    return eval(right, {"__builtins__": {}, **names})  # our own docstrings


def swapped(right: str, names: dict, left: str, g: np.ndarray, which: str) -> np.ndarray:
    """The same sum with g in place of y: g times the other factors, added where the sum reads this one."""
    factors = [f"{name}[{places}]" for name, places in READ.findall(re.search(r"sum\((.*)\)", right)[1])]
    (own,) = [factor for factor in factors if factor.startswith(which + "[")]
    others = [factor for factor in factors if factor != own]
    scope = {"__builtins__": {}, **names, "g": g}
    out = np.zeros(names[which].shape)
    product = eval(" * ".join([f"g[{READ.match(left)[2]}]", *others]), scope)
    where = np.broadcast_arrays(product, *eval(f"({READ.match(own)[2]})", scope))
    np.add.at(out, tuple(where[1:]), where[0])
    return out
