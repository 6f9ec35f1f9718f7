"""Images of another size, an axis at a time: a choice of cells, or sums with weights."""
from __future__ import annotations

from math import floor, isfinite
from numbers import Real
from typing import Any

from ...arguments.kinds import is_int64
from ...arguments.numbers import sizes as ints
from ...autograd.enclosed import enclosed
from ...backends import backend
from ...dispatch import apply, function, need_float, op
from ...dtype import float32, float64, int64, uint8
from ...errors import AbsentError, ArgumentTypeError, ArgumentValueError, ShapeError, wrong_type
from ...layout import check_extent
from ..creation import arange
from .adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, stretch_means
from .padding import pad_from

MODES = {"nearest": (1, 2, 3), "nearest-exact": (1, 2, 3), "area": (1, 2, 3), "linear": (1,), "bilinear": (2,),
         "bicubic": (2,), "trilinear": (3,)}
"""How many axes besides batch and channels each mode is for."""


def place(k: int, step: float, n: int, out: int, corners: bool) -> float:
    """The place of the centre of cell k of the result among n cells.

    With `corners` the first and the last ones meet.

    Example:
        >>> place(1, 0.5, 4, 8, False), place(7, 0.5, 4, 8, True)
        (0.25, 3.0)
    """
    if not corners:
        return (k + 0.5) * step - 0.5
    return k * (n - 1) / (out - 1) if out > 1 else 0.0


def nearest(n: int, out: int, step: float, exact: bool, counted=float32) -> Any:
    """The one of n cells that each cell of the result repeats, an array.

    In float32, where a tie may fall one cell back.

    PyTorch counts so for images of any dtype, and in float64 for lines of float64.

    Example:
        >>> nearest(3, 6, 0.5, False).tolist(), nearest(28, 46, 28 / 46, False).tolist()[23]
        ([0, 0, 1, 1, 2, 2], 13)
    """
    places = arange(out, dtype=counted)._a
    places = (places + 0.5 if exact else places) * step
    return backend.clamp(backend.cast(backend.cast(places, float32.numpy), int64.numpy), None, n - 1)


def linear_weights(at: float, n: int) -> dict[int, float]:
    """The shares of the two cells on either side of a place.

    Before the first and after the last, all goes to that one.

    Example:
        >>> linear_weights(1.25, 4), linear_weights(-0.25, 4), linear_weights(3.25, 4)
        ({1: 0.75, 2: 0.25}, {0: 1.0, 1: 0.0}, {3: 1.0})
    """
    at = max(at, 0.0)
    left = min(floor(at), n - 1)
    return {left: 1 - (at - left), left + 1: at - left} if left < n - 1 else {left: 1.0}


def cubic_weights(at: float, n: int) -> dict[int, float]:
    """The shares of the four cells around a place, by Keys' cubic with slope -0.75; the ends are repeated.

    Source: Keys, IEEE TASSP 29 (1981).

    Example:
        >>> cubic_weights(1.5, 4)
        {0: -0.09375, 1: 0.59375, 2: 0.59375, 3: -0.09375}
    """
    left, shares = floor(at), {}
    for k in range(left - 1, left + 3):
        d = abs(at - k)
        share = (1.25 * d - 2.25) * d * d + 1 if d <= 1 else ((-0.75 * d + 3.75) * d - 6) * d + 3
        inside = min(max(k, 0), n - 1)
        shares[inside] = shares.get(inside, 0.0) + share
    return shares


@op(public=False, method=False)
class weighed:
    """y = weighed(x, dim, cells, weights)
    dx = weighed_zeros(g, x.shape[dim], dim, cells, weights)
    """
    def grad_x(F, g, shape, *, dim, cells, weights): return F.weighed_zeros(g, shape[dim], dim, cells, weights)


@op(public=False, method=False)
class weighed_zeros:
    """y = weighed_zeros(x, length, dim, cells, weights)
    dx = weighed(g, dim, cells, weights)
    """
    def grad_x(F, g, *, length, dim, cells, weights): return F.weighed(g, dim, cells, weights)


def _along(x, axis: int, out: int, scale: float | None, mode: str, corners: bool):
    """One axis of x at its new size."""
    n = x._a.shape[axis]
    step = _step(n, out, scale)
    shares = cubic_weights if mode == "bicubic" else linear_weights
    each = [shares(place(k, step, n, out, corners), n) for k in range(out)]
    most = max(map(len, each))
    cells = [[*read, *[*read][-1:] * (most - len(read))] for read in each]
    weights = [[*read.values(), *[0.0] * (most - len(read))] for read in each]
    return weighed(x, axis, backend.from_data([*zip(*cells)], "int64"), backend.from_data([*zip(*weights)], x._a.dtype))


def _step(n: int, out: int, scale: float | None) -> float:
    """The number of cells of an axis between two of the result; a given scale counts exactly."""
    return 1 / scale if scale else n / out


def _each(shape, size, scale_factor) -> list:
    """The new size of each axis, or its scale.

    Raises:
        ArgumentValueError (a ValueError): both or neither, or another number of axes.
    """
    if (size is None) == (scale_factor is None):
        both = "only one of size or scale_factor should be defined" if size is not None else \
            "either size or scale_factor should be defined"
        raise ArgumentValueError(f"interpolate(size={size}, scale_factor={scale_factor})", both, "scale_factor=2")
    given: Any = size if scale_factor is None else scale_factor
    each = list(given) if isinstance(given, (tuple, list)) else [given] * len(shape)
    if len(each) != len(shape):
        raise ArgumentValueError(f"{len(each)} numbers for {len(shape)} axes", "Input and output must have the same "
                                 "number of spatial dimensions", "one number, or one for each axis after the channels")
    return each


def _sizes(shape, each, scale_factor, anew: bool) -> tuple[list[int], list]:
    """The new size of each axis, and the scale that counts for it.

    There is none where size was given, or is to tell `anew`.

    Raises:
        ArgumentTypeError (a TypeError): no whole numbers, or a size of more than 64 bits. As `_scaled`.
    """
    if scale_factor is None:
        return ints((each,), "interpolate", "size", "interpolate(x, 8)"), [None] * len(shape)
    if not anew:
        return _scaled(shape, each), each
    sizes = [int(n * scale) for n, scale in zip(shape, each)]
    if not all(map(is_int64, sizes)):
        raise ArgumentTypeError(f"interpolate(scale_factor={scale_factor!r:.60})", "interpolate(): a size that "
                                "comes of it has more than 64 bits", "a smaller scale_factor")
    return sizes, [None] * len(shape)


def _scaled(shape, scales) -> list[int]:
    """The size that each axis comes to.

    Raises:
        ArgumentTypeError (a TypeError): a scale that is no number. ShapeError (a RuntimeError): inf or nan.
    """
    if not all(isinstance(scale, Real) for scale in scales):
        raise ArgumentTypeError(f"interpolate(scale_factor={scales!r:.60})", "interpolate(): argument 'scale_factor' "
                                "must be a float, or one for each axis", "a Python number, e.g. scale_factor=2")
    if not all(map(isfinite, scales)):
        raise ShapeError(f"interpolate(scale_factor={scales!r})", "value cannot be converted to type int64_t without "
                         "overflow", "a finite scale_factor")
    return [floor(n * scale) for n, scale in zip(shape, scales)]


def _node(input, size=None, scale_factor=None, mode="nearest", *more, **named) -> str:
    """PyTorch's name for the node; means over areas are pooling there."""
    words = "".join([word.capitalize() for word in mode.split("-")])
    return f"{'AdaptiveAvgPool' if mode == 'area' else f'Upsample{words}'}{input._a.ndim - 2}DBackward0"


@function(public=False, method=False)
@enclosed(_node)
def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
                antialias=False):
    """An image, a line or a volume at another size.

    mode: 'nearest', 'nearest-exact', 'area' (means), 'linear' (one axis), 'bilinear' and 'bicubic' (two), 'trilinear'
    (three). With align_corners the centres of the corner cells stay where they are.
    Shapes: (N, C, ...) with one to three axes after the channels.

    Raises:
        ArgumentValueError (a ValueError): both size and scale_factor, or neither; align_corners with a mode that has
        none. AbsentError (a NotImplementedError): a mode for another number of axes, antialias. ShapeError (a
        RuntimeError): no cell to read, or none to write. UnsupportedDTypeError (a NotImplementedError): no floats; of
        bytes only the nearest are taken.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.interpolate(rf.tensor([[[1., 3.]]]), scale_factor=2, mode="linear")
        tensor([[[1.0000, 1.5000, 2.5000, 3.0000]]])
    """
    if align_corners is not None and not isinstance(align_corners, bool):
        raise wrong_type("interpolate", "align_corners", align_corners, "bool", "True or False")
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ArgumentValueError(f"interpolate(mode={mode!r}, align_corners={align_corners})",
                                 "align_corners option can only be set with the interpolating modes: linear | "
                                 "bilinear | bicubic | trilinear", "leave align_corners out")
    each = _each(input._a.shape[2:], size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise ArgumentValueError(f"interpolate(size={size}, recompute_scale_factor=True)", "recompute_scale_factor is "
                                 "not meaningful with an explicit size", "leave recompute_scale_factor out")
    shape = input._a.shape[2:]
    _check_mode(input, mode)
    if antialias:
        raise AbsentError("interpolate(antialias=True)", "rustyflow resizes without a filter", "mode='area' to shrink")
    if input.dtype != uint8 or not mode.startswith("nearest"):
        need_float("interpolate", input)
    sizes, scales = _sizes(shape, each, scale_factor, bool(recompute_scale_factor) or mode == "area")
    check_extent(tuple(sizes))
    if mode == "area" and len(shape) < 3:
        return (adaptive_avg_pool1d if len(shape) == 1 else adaptive_avg_pool2d)(input, sizes)
    if mode == "area":
        return stretch_means(input, sizes)
    if min(*input._a.shape[1:], *sizes) < 1:
        raise ShapeError(f"interpolate of size {tuple(shape)} to {tuple(sizes)}",
                         "Input and output sizes should be greater than 0", "a larger size or scale_factor")
    return _resized(input, sizes, scales, mode, bool(align_corners))


def _check_mode(input, mode) -> None:
    """Refuse a mode that is none, or one for another number of axes.

    Raises:
        AbsentError (a NotImplementedError).
    """
    shape, modes = input._a.shape[2:], MODES.get(mode, ()) if isinstance(mode, str) else ()
    if len(shape) not in modes:
        fit = [name for name, axes in MODES.items() if len(shape) in axes]
        lacks = 4 - input._a.ndim if 2 in modes else len(shape) + 1 in modes
        raise AbsentError(f"interpolate of shape {tuple(input.shape)}, mode={mode!r}",
                          "Input Error: Only 3D, 4D and 5D input Tensors supported, with the modes: nearest | "
                          "nearest-exact | area, linear (3D), bilinear | bicubic (4D), trilinear (5D)",
                          "x[None, None] gives an image its batch and channels" if lacks == 2
                          else "x[None] gives an image its batch" if lacks == 1
                          else f"one of the modes {', '.join(fit)}" if fit else "one to three axes after the channels")


def _resized(input, sizes, scales, mode: str, corners: bool):
    """The nearest cells, or each axis in turn as shares of its neighbours."""
    shape = input._a.shape[2:]
    if mode.startswith("nearest"):
        counted = float64 if input.dtype is float64 and len(shape) == 1 else float32
        reads = [nearest(n, out, _step(n, out, scale), mode == "nearest-exact", counted)
                 for n, out, scale in zip(shape, sizes, scales)]
        return apply(pad_from.op, input, dims=tuple(range(2, 2 + len(shape))), arrays=backend.ix_(*reads))
    y = input.float() if input._a.itemsize == 2 else input
    for axis, (out, scale) in enumerate(zip(sizes, scales), 2):
        if out != shape[axis - 2] or mode == "bicubic":  # the others leave an axis of the same size, whatever the scale
            y = _along(y, axis, out, scale, mode, corners)
    return y.clone() if y is input else y.to(input.dtype)
