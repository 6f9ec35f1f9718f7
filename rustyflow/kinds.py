"""What kind of value an argument takes, by its name: PyTorch reads the kinds of all arguments before anything else.

So a wrong one is a TypeError, whatever else is wrong with the call. Flags are looked at before a call, for anything
would do for one; the others when a call has failed, and a right one costs nothing.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .errors import AbsentError, ArgumentTypeError, ArgumentValueError, NoTensorError, ShapeError, TensorError
from .layout import whole_number

if TYPE_CHECKING:
    from inspect import Parameter, Signature


def _is_whole(value: Any) -> bool:
    return _fits(value) or value.__class__ is int  # one that is too large is said to be


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex)) or getattr(value, "ndim", 1) == 0


def _fits(value: Any) -> bool:
    try:
        return whole_number(value) is not None
    except Exception:
        return False


def _too_wide(value: Any) -> bool:
    return value.__class__ is int and not -1 << 63 <= value < 1 << 63


def _are_sizes(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and all(map(_fits, value))


TESTS: dict[str, Callable[[Any], bool]] = {
    "int": _is_whole, "tuple of ints": _are_sizes, "Number": _is_number, "str": lambda value: isinstance(value, str),
    "Tensor": lambda value: hasattr(value, "_a"), "bool": lambda value: isinstance(value, bool),
    "None": lambda value: value is None, "anything": lambda value: True,
}

NAMED = {
    "int": "axis0 axis1 bins chunks col cov.correction decimals diagonal dim0 dim1 dim2 dimension downscale_factor "
           "end_dim gather.dim groups ignore_index index_add.dim index_copy.dim index_fill.dim index_select.dim k "
           "length m minlength n narrow.dim num_classes num_groups num_samples offset r row scatter.dim "
           "scatter_add.dim select.dim select.index select_scatter.index slice_scatter.end slice_scatter.start "
           "slice_scatter.step start_dim storage_offset unfold.size unsqueeze.axis upscale_factor",
    "tuple of ints": "as_strided.stride matrix_norm.dim normalized_shape pad size sizes split_sizes",
    "int or tuple of ints": "dilation dim dims dsplit.indices_or_sections hsplit.indices_or_sections "
                            "kernel_size moveaxis.destination moveaxis.source movedim.destination movedim.source "
                            "output_padding shifts stride vsplit.indices_or_sections",
    "int or Tensor": "narrow.start",
    "int or tuple of ints or bool": "std.dim std_mean.dim var.dim var_mean.dim",
    "int or tuple of ints or str": "padding",
    "int or tuple of ints or Tensor": "max.dim min.dim",
    "Number": "alpha base beta correction delta dropout_p dx eps histc.max histc.min label_smoothing lambd margin "
              "max_val min_val momentum nan negative_slope neginf p pad.value posinf rtol atol scale tau threshold tol",
    "Number or Tensor": "bernoulli.p matrix_rank.atol matrix_rank.rtol matrix_rank.tol fill_value max min value "
                        "where.input where.other",
    "Number or str": "cond.p matrix_norm.ord norm.ord norm.p normalize.p",
    "bool": "align_corners",
    "str": "UPLO approximate gaussian_nll_loss.reduction indexing interpolation multilabel_soft_margin_loss.reduction "
           "pad.mode poisson_nll_loss.reduction rounding_mode scatter.reduce side",
    "Tensor": "batch1 batch2 boundaries mask mat mat1 mat2 sorted_sequence source tensor1 tensor2 vec vec1 vec2",
    "Tensor or None": "running_mean running_var",
    "anything": "fold.dilation fold.kernel_size fold.padding fold.stride gaussian_nll_loss.eps gumbel_softmax.tau "
                "interpolate.size multi_margin_loss.p normalize.eps tensordot.dims unfold.dilation unfold.kernel_size "
                "unfold.padding unfold.stride",
}
"""The kinds of arguments: by their names, or by function and name where that differs."""

KINDS = {argument: kind.split(" or ") for kind, arguments in NAMED.items() for argument in arguments.split()}

ANY_FLAG = frozenset("""
    antialias create_graph gaussian_nll_loss.full hard inplace is_grads_batched materialize_grads raise_exception
    retain_graph return_indices strict triplet_margin_with_distance_loss.swap vectorize
""".split())
"""Flags that PyTorch reads in Python, where anything is true or false."""

OPEN = ("pin_memory", "requires_grad")
"""Flags that may be None as well, where a tensor is made."""

FIRM = frozenset("""
    cumulative_trapezoid.x max.dim median.dim min.dim nanmedian.dim prod.dim repeat_interleave.repeats scatter.reduce
    scatter_.reduce squeeze.dim squeeze_.dim std.unbiased std_mean.unbiased trapezoid.x trapz.x var.unbiased
    var_mean.unbiased
""".split())
"""Arguments that may be left out, and yet not be None."""

PAIRED = frozenset(("max", "mean", "median", "min", "nanmedian", "prod", "sum"))
"""Functions whose keepdim is nothing without a dim."""

PYTHON = frozenset("""
    adaptive_avg_pool2d batch_norm binary_cross_entropy binary_cross_entropy_with_logits dropout1d dropout2d dropout3d
    embedding gaussian_nll_loss glu group_norm huber_loss instance_norm interpolate kl_div l1_loss margin_ranking_loss
    mse_loss multi_margin_loss norm normalize smooth_l1_loss softmin softsign split tanhshrink tensordot
    triplet_margin_with_distance_loss unravel_index
""".split())
"""Functions that are Python in PyTorch as well, and miss an attribute of what is no tensor."""


ASKED = frozenset("""
    batch_norm.training dropout.p dropout1d.p dropout2d.p dropout3d.p embedding.padding_idx group_norm.num_groups
    hardtanh.max_val hardtanh.min_val multi_margin_loss.p smooth_l1_loss.beta triplet_margin_loss.margin
    triplet_margin_with_distance_loss.margin unique.return_counts unique.return_inverse
    unique_consecutive.return_counts unique_consecutive.return_inverse
""".split())
"""Arguments that PyTorch compares or asks for their truth in Python, which a tensor of several cells has not."""


LISTS = frozenset(("norm", "normalize"))
"""Functions of Python in PyTorch that make a list of a single dim, of which one too large is a TypeError."""


def kinds_of(name: str, parameter: Parameter) -> list[str]:
    """The kinds that an argument of a function may have; none where that is not known."""
    if type(parameter.default) is bool:
        return [] if {parameter.name, f"{name}.{parameter.name}"} & {*ANY_FLAG, *OPEN} else ["bool"]
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return []
    return KINDS.get(f"{name.removesuffix('_')}.{parameter.name}") or KINDS.get(parameter.name, [])


def kind_of(value: Any) -> str:
    """What a value is, as a message calls it: NumPy's bool is not Python's."""
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def checked_first(name: str, call: Callable) -> dict[str, tuple[int, bool]]:
    """The arguments of a function that are looked at before a call, where they stand, and whether they are flags.

    99 for an argument that is given by its name alone.

    Example:
        >>> def topk(input, k, dim=-1, largest=True, *, stable=False): ...
        >>> checked_first("topk", topk)
        {'largest': (3, True), 'stable': (99, True)}
    """
    end, last = call.__code__.co_argcount, call.__defaults__ or ()
    found = [(key, k, default) for k, key, default in zip(
        range(end - len(last), end), call.__code__.co_varnames[end - len(last):end], last)]
    found += [(key, 99, default) for key, default in (call.__kwdefaults__ or {}).items()]
    return {key: (k, default is not None) for key, k, default in found if f"{name}.{key}" in FIRM
            or type(default) is bool and not {key, f"{name}.{key}"} & ANY_FLAG}


def check_first(name: str, where: dict[str, tuple[int, bool]], args: tuple, kwargs: dict[str, Any]) -> None:
    """Refuse what is neither True nor False where one of them belongs, for anything else would be taken for one of
    them; None for an argument that may only be left out; and keepdim without the dim that it speaks of.

    Raises:
        ArgumentTypeError (a TypeError). ShapeError (a RuntimeError): a tensor of several cells as a flag.
    """
    for key, (at, flag) in where.items():
        value = args[at] if at < len(args) else kwargs.get(key, False)
        if value.__class__ is bool or not flag and value is not None:
            continue
        if not flag:
            raise ArgumentTypeError(f"{name}({key}=None)", f"{name}(): argument '{key}' may be left out, but not be "
                                    "None", f"leave '{key}' out; where it was given, look where the None comes from")
        if value is None and key in OPEN and name != "tensor":
            continue
        if (error := no_truth(name, key, value)) is not None:
            raise error
        raise ArgumentTypeError(f"{name}({key}={value!r:.60})", f"{name}(): argument '{key}' must be bool, not "
                                f"{kind_of(value)}", f"{key}=True, or {key}=False")
    if "keepdim" in kwargs and len(args) == 1 and name in PAIRED and not kwargs.keys() & {"dim", "axis"}:
        raise ArgumentTypeError(f"{name}(input, keepdim={kwargs['keepdim']})", f"{name}(): keepdim needs a dim",
                                f"{name}(input, dim, keepdim=True)")


def wrong_kind(name: str, fits: Signature, given: dict[str, Any], form: str) -> TensorError | None:
    """The error for the first argument that is of another kind than its name says; None where all are right.

    `form` is how the call may be written.

    Example:
        >>> from inspect import signature
        >>> def chunk(input, chunks, dim=0): ...
        >>> print(wrong_kind("chunk", signature(chunk), {"chunks": "two"}, "x.chunk(chunks, dim=0)"))
        chunk(chunks='two')
        rule: chunk(): argument 'chunks' must be int, not str
        try:  x.chunk(chunks, dim=0)
        >>> wrong_kind("chunk", signature(chunk), {"chunks": 2}, "")
    """
    for argument, value in given.items():
        if (error := no_truth(name, argument, value)) is not None:
            return error
        kinds = kinds_of(name, parameter := fits.parameters[argument])
        varying = parameter.kind is parameter.VAR_POSITIONAL and argument != "args"
        if varying:  # sizes or dims, one by one or as one sequence
            several = value[0] if len(value) == 1 and isinstance(value[0], (tuple, list)) else value
            value = next(filter(_too_wide, several), None)
        if _too_wide(value) and (varying or "int" in kinds):
            wrong = ArgumentTypeError if varying or name in LISTS else ArgumentValueError
            return wrong(f"{name}({argument}=a number of {value.bit_length()} bits)",
                         f"{name}(): argument '{argument}': Overflow when unpacking long long",
                         "a number that int64 has")
        if not kinds or value is parameter.default:
            continue
        if kinds == ["Tensor"] and not TESTS["Tensor"](value):
            return not_a_tensor(name, argument, value)
        if not any([TESTS[kind](value) for kind in kinds]):
            within = [n for n in value if not _fits(n)] if isinstance(value, (tuple, list)) else []
            got = f"{kind_of(value)}{f' with {within[0]!r:.30}' if within else ''}"
            return ArgumentTypeError(f"{name}({argument}={value!r:.60})",
                                     f"{name}(): argument '{argument}' must be {' or '.join(kinds)}, not {got}",
                                     form)
    return None


def no_truth(name: str, argument: str, value: Any) -> ShapeError | None:
    """The error for a tensor of several cells, or of none, where PyTorch asks whether a flag or a number is true."""
    if f"{name.removesuffix('_')}.{argument}" not in ASKED or not hasattr(value, "_a") or value._a.size == 1:
        return None
    cells = "more than one value" if value._a.size else "no values"
    return ShapeError(f"{name}({argument}=a tensor of shape {tuple(value.shape)})",
                      f"Boolean value of Tensor with {cells} is ambiguous: '{argument}' is one value",
                      f"{argument}= a Python number, or True or False")


def not_a_tensor(name: str, operand: str, value: Any, python: bool = False, number: bool = False) -> TensorError:
    """The error for an operand that is no tensor, nor a `number` where one would do: a TypeError, and an AttributeError
    where PyTorch has that.
    """
    kind = type(value).__name__
    wrong = NoTensorError if python or name in PYTHON else ArgumentTypeError
    return wrong(f"{name}({operand}={value!r:.60}) got {kind}",
                 f"{name}(): argument '{operand}' must be Tensor{' or Number' * number}, not {kind}",
                 _tensor_instead(operand, value), value=value)


def _tensor_instead(operand: str, value: Any) -> str:
    """What to write in place of a value that is no tensor."""
    if value is None:
        return f"give '{operand}'; where it was given, look where the None comes from"
    if isinstance(value, str):
        return f"a tensor; where {value!r:.20} is meant for another argument, give it by that one's name"
    if isinstance(value, (list, tuple)) and any(hasattr(part, "_a") for part in value):
        return f"rustyflow.stack({operand}), which keeps the gradients of its tensors"
    if isinstance(value, dict):
        return f"the tensors are the values of a dict: {operand}[{next(iter(value), 'name')!r:.20}]"
    if callable(value):
        return f"call it, where it makes a tensor: {getattr(value, '__name__', operand)}(...)"
    from .creation import tensor
    try:
        tensor(value)
    except Exception:
        return "a tensor, such as rustyflow.tensor([1.0, 2.0])"
    return "wrap it: rustyflow.tensor(...)"


def no_complex(name: str, operand: str, value: complex) -> AbsentError:
    """The error for a complex number where a number may be."""
    return AbsentError(f"{name}({operand}={value!r})", "rustyflow has no complex dtypes",
                       "keep real and imaginary parts in two tensors")
