"""Data to learn from without a download: points in the plane and pictures, made here, scikit-learn's digits and
flowers, and the words of the course."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments.explain import explaining_once
from ..errors import ArgumentValueError
from ..errors.installation import extra, install
from ..ops.creation import from_numpy
from ..tensor import Tensor
from .glyphs import glyphs as glyphs


@explaining_once
def moons(n: int, noise: float = 0.1, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Two half circles that reach into each other.

    Args:
        n: how many points. noise: the standard deviation of what is added to each coordinate.
        seed: of NumPy's generator.

    Returns the points, float32 of shape (n, 2), and their classes, int64 of shape (n,).

    Raises:
        ValueError: fewer than two points.

    Example:
        >>> import rustyflow as rf
        >>> x, y = rf.utils.data.sets.moons(100)
        >>> x.shape, y.bincount()
        (rustyflow.Size([100, 2]), tensor([50, 50]))
    """
    classes, angle, random = _begin(n, seed)
    turn = np.pi * angle
    points = np.where(classes, [1 - np.cos(turn), 0.5 - np.sin(turn)], [np.cos(turn), np.sin(turn)]).T
    return _points(points, classes, noise, random)


@explaining_once
def spirals(n: int, noise: float = 0.02, turns: float = 1.5, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Two arms that wind around each other: no straight line, and no circle, parts them.

    Args:
        n: how many points. noise: the standard deviation of what is added to each coordinate. turns: how often an arm
            goes around. seed: of NumPy's generator.

    Returns the points, float32 of shape (n, 2), and their classes, int64 of shape (n,).

    Raises:
        ValueError: fewer than two points.

    Example:
        >>> import rustyflow as rf
        >>> x, y = rf.utils.data.sets.spirals(10)
        >>> x.dtype, bool((x.norm(dim=1) < 1.2).all())
        (rustyflow.float32, True)
    """
    classes, reach, random = _begin(n, seed)
    turn = 2 * np.pi * turns * reach + np.pi * classes
    return _points((reach * np.array([np.cos(turn), np.sin(turn)])).T, classes, noise, random)


def _begin(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    if n < 2:
        raise ArgumentValueError(f"n={n}", "there is a point of each class", "n=200")
    random = np.random.default_rng(seed)
    classes = np.arange(n) % 2
    return classes, random.uniform(0, 1, n), random


def _points(
    points: np.ndarray, classes: np.ndarray, noise: float, random: np.random.Generator
) -> tuple[Tensor, Tensor]:
    points = points + random.normal(0, noise, points.shape)
    return from_numpy(points.astype(np.float32)), from_numpy(classes.astype(np.int64))


@explaining_once
def digits() -> tuple[Tensor, Tensor]:
    """1,797 handwritten digits of 8 x 8 grey cells, which come with scikit-learn.

    Returns the images, float32 of shape (1797, 1, 8, 8) with numbers from 0 to 1, and the digits, int64 of shape
    (1797,).

    Raises:
        ModuleNotFoundError: scikit-learn is not installed.
    Source: Alpaydin and Kaynak, Optical Recognition of Handwritten Digits (1998)

    Example:
        >>> import pytest
        >>> _ = pytest.importorskip("sklearn")
        >>> import rustyflow as rf
        >>> x, y = rf.utils.data.sets.digits()
        >>> x.shape, y[:3]
        (rustyflow.Size([1797, 1, 8, 8]), tensor([0, 1, 2]))
    """
    found = _sklearn().load_digits()
    images = (found.images[:, None] / 16).astype(np.float32)
    return from_numpy(images), from_numpy(found.target.astype(np.int64))


@explaining_once
def iris() -> tuple[Tensor, Tensor]:
    """150 flowers of three species, by four lengths in centimetres, which come with scikit-learn.

    Returns the lengths, float32 of shape (150, 4), and the species, int64 of shape (150,).

    Raises:
        ModuleNotFoundError: scikit-learn is not installed.
    Source: Fisher, The use of multiple measurements in taxonomic problems (1936)

    Example:
        >>> import pytest
        >>> _ = pytest.importorskip("sklearn")
        >>> import rustyflow as rf
        >>> x, y = rf.utils.data.sets.iris()
        >>> x.shape, y.bincount()
        (rustyflow.Size([150, 4]), tensor([50, 50, 50]))
    """
    found = _sklearn().load_iris()
    return from_numpy(found.data.astype(np.float32)), from_numpy(found.target.astype(np.int64))


@explaining_once
def course() -> str:
    """The text of the course's lessons, one after the other, for a model of characters: some 27,000 of them.

    Raises:
        FileNotFoundError: the course is not here.

    Example:
        >>> import rustyflow as rf
        >>> text = rf.utils.data.sets.course()
        >>> numbers = rf.tensor([sorted(set(text)).index(letter) for letter in text[:1000]])
        >>> numbers.shape
        rustyflow.Size([1000])
    """
    folder = course_folder()
    if folder is None:
        raise FileNotFoundError("the course is neither in the package nor beside it, in a checkout's folder notebooks; "
                                f"installed again, rustyflow has it: {install()} --force-reinstall --no-deps")
    books = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.ipynb"))]
    cells = [cell for book in books for cell in book["cells"] if cell["cell_type"] == "markdown"]
    return "\n\n".join("".join(cell["source"]) for cell in cells)


def course_folder() -> Path | None:
    """The place of the lessons: in the package or, in a checkout, in `notebooks`; None without any."""
    package = Path(__file__).resolve().parents[1]
    places = (package / "course", package.parent / "notebooks")
    return next((place for place in places if any(place.glob("*.ipynb"))), None)


def _sklearn() -> Any:
    with extra("data", "digits and flowers, which come with scikit-learn", "moons(200), which needs nothing"):
        from sklearn import datasets
    return datasets
