"""The figure show.op: any operation, cell by cell.

Each number shows what it was read from, and a gradient how it comes back over the same way.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...backends.loops.number import ManySteps
from ...errors import AbsentError, ArgumentTypeError, GradError
from ...ops.creation import from_numpy
from ...scene import Figure
from ...tensor import Tensor
from ..calls.beside import repeated, with_outside
from ..calls.call import MANY, as_ours, fits, function, parameters, program, taken_out, tensors_in
from ..kit.tracked import opened
from ..kit.widened import widened
from ..source import Source, source_of, with_origins
from ..words.caller import Words, caller_text, parts as parts_in
from ..words.given import Names, named, titled
from ..words.sentences import many
from .limits import is_drawn, not_drawn, rule_told, smaller, told, too_large, watched
from .picture import LETTERS, OpPicture
from .reads import Call, Written, first_tensor, laid, reads
from .runs import as_numbers
from .sends import gradients, operations


def op(
    f: str | Callable, *operands: Any, upstream: Any = None, one_by_one: bool = False,
    names: Names = None, title: str | None = None, **attributes: Any,
) -> Figure:  # fmt: skip
    """Draws any operation, cell by cell.

    A result pointed at lights what was read for it, an operand's cell all its readers.

    Nothing of the picture is written for an operation: what is read is followed while it runs, the formula in letters
    is shown if it is found again for other sizes and numbers, and the gradients are those of the engine. `g` turns to
    the backward side, where the same links run the other way. Of several results the first is shown.

    Args:
        f: an operation by name, such as "gather"; a function of rustyflow, or one of your own, such as
            `lambda x: x[::2]`.
        operands: what it takes, in its order; tensors and arrays, also in lists, are drawn. So are tensors that f uses
            from outside, a module's weights too, of up to 256 cells; what f changes meanwhile is put back.
        attributes: further arguments of the operation, such as dim=1.
        upstream: the gradient that arrives, of the result's shape; default: small unequal integers.
        one_by_one: make the results before one's eyes, a read, or a product that is added, a step.
        names: what to call the tensors, ["x", "w"] or {"w": w}; default: the names in the calling line.
        title: the title; default: the call in these names, of a lambda what it computes.

    Raises:
        TypeError: no function, no tensor among the operands; a name or a title that is no text. ValueError: another
        number of names than tensors; no operation of this name; one that writes to
        an operand, or to a tensor from outside; no tensor as result. And what the operation raises.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        >>> figure = rf.show.op("cumsum", x, dim=1, names=["x"])
        >>> print(figure.state(link="y5").sentence)
        y[1, 2] adds up 3 numbers of x: y[1, 2] = 4 + 5 + 6 = 15.
        >>> print(figure.state(link="a3", toggles=("g",)).sentence)
        x.grad[1, 0] collects from g[1, 0], g[1, 1] and g[1, 2]: x.grad[1, 0] = 4 + 1 + 2 = 7.
    """
    asked = asked_of(f, operands, attributes, caller_text((f, *operands)), names, title)
    sources = [source_of(x, name) for x, name in zip(asked.tensors, asked.names)]
    sources = with_origins(sources, asked.tensors, asked.texts)
    return widened(figure_of(asked.call, sources, asked.title, upstream, one_by_one, asked.variables), sources)


class Asked(NamedTuple):
    """An operation as it is asked for: as a function of its tensors alone, these, their names, and the program.

    `variables`: of the program.
    """

    call: Call
    tensors: list[Any]
    names: list[str]
    title: str
    texts: list[str | None]
    variables: Mapping[str, Any]


def asked_of(f: Any, operands: Sequence, attributes: Mapping, caller: Words, names: Names,
             title: str | None) -> Asked:  # fmt: skip
    """Returns what is asked for, of an operation and its arguments as given, and the caller's words for them."""
    tensors = tensors_in((operands, attributes))
    if not tensors:
        raise ArgumentTypeError("no tensor among the operands", "a figure draws tensors", "show.op('exp', x)")
    given_as = [*zip(operands, caller.arguments[1:]), *((x, caller.keywords.get(key)) for key, x in attributes.items())]
    written = [part for x, w in given_as for part in parts_in(x, w)]
    texts = [next((w for x, w in written if x is tensor), None) for tensor in tensors]
    stands: list[str] = []
    once = caller._replace(arguments=tuple(w if texts.count(w) == 1 else None for w in texts))
    own = parameters(f, operands, attributes, tensors)
    called = named(names, tensors, once.names(tensors, "abcdekm", own=own))
    if names is None:
        stands = [*filter(None, once.letters(called))]
    else:
        texts = [None] * len(tensors)
    title = titled(title) or ",  ".join(
        [program(f, caller.arguments[0], operands, attributes, tensors, called), *stands]
    )
    f, attributes = as_ours(f, operands, attributes)
    call = function(f)
    fits(call, operands, attributes)
    it = caller.arguments[0] if (caller.arguments[0] or "").isidentifier() else None
    call, more, left = with_outside(call, operands, attributes, tensors, called, it, len(LETTERS))
    title = ",  ".join([title, *left])
    return Asked(call, [*tensors, *more.values()], [*called, *more], title, [*texts, *more], caller.variables)


def figure_of(
    call: Call, sources: Sequence[Source], title: str, upstream: Any = None, one_by_one: bool = False,
    variables: Mapping[str, Any] | None = None,
) -> Figure:  # fmt: skip
    """Returns the figure of an operation on some operands.

    `variables`: of the program, for names of what the operands were made of.
    """
    if len(sources) > len(LETTERS):
        few = f"Up to {len(LETTERS)} operands are drawn. Try a lambda of fewer, with the others' numbers in it."
        return _told(sources, title, None, few)
    f, *given = call.args[:3] if isinstance(call, partial) else (call, (), {})
    named = [(source.name, source.shape) for source in sources]
    if max(source.numel for source in sources) > MANY:
        return _told(sources, title, None, f"{too_large(named)} {smaller(repeated(call), sources)}")
    foreign = isinstance(call, partial) and not str(getattr(f, "__module__", "")).startswith("rustyflow")
    call = repeated(call)
    arrays = as_numbers(call, [laid(source.array()) for source in sources])
    given_ = [*map(from_numpy, arrays)]
    try:
        with watched() as steps:
            results = call(*given_)
    except ArgumentTypeError as error:
        if "instead" not in error.facts:  # it is not PyTorch's function that was called
            raise
        rule = "a figure runs f on rustyflow's tensors, with the numbers of its operands"
        write = f"{error.facts['instead'] or 'what rustyflow has'} in f"
        raise ArgumentTypeError(error.was, rule, write) from error
    result, several = first_tensor(results), 1 if isinstance(results, Tensor) else len(results)
    array = result.detach().numpy()
    itself = any(x is result for x in given_)
    view = next((k for k, x in enumerate(arrays) if np.may_share_memory(x, array)), None)
    shape = tuple(result.shape)
    by_rule = partial(rule_told, steps, given_, [source.name for source in sources])
    if not all(map(is_drawn, (*arrays, array))):
        why = f"{by_rule()} {too_large([*named, ('the result', shape)])}".lstrip()
        return _told(sources, title, shape, f"{why} {smaller(call, sources)}")
    try:
        run = reads(call, arrays)._replace(view=view, itself=itself)  # as loops, some views are others
    except AbsentError as absent:
        why = f"Its cells cannot be followed: {absent.rule}."
        return _told(sources, title, shape, f"{why} Try {absent.fix}." if absent.fix else why)
    except ManySteps as error:
        why = f"Its cells are not drawn: to follow what its {many(array.size, 'result')} read takes {error.was}."
        why = f"{by_rule()} {why}".lstrip()
        return _told(sources, title, shape, f"{why} {smaller(call, sources)}")
    except Written as error:
        raise not_drawn(error, f, *given, [source.name for source in sources], title) from None
    real = [k for k, source in enumerate(sources) if source.dtype.startswith("float")]
    flow, refused = None, ""
    try:
        flow = gradients(call, run, upstream, real)
    except (GradError, AbsentError) as error:
        refused = error.rule
    except ManySteps as error:
        refused = f"to follow it takes {error.was}"
    through = list(dict.fromkeys(flow.operations if flow else operations(call, run))) if foreign else []
    picture = OpPicture(call, run, sources, title, flow, through, one_by_one, several)
    world = picture.world(call, variables)
    scene = picture.scene(refused, taken_out(f) if foreign else "")
    return Figure(scene, world, world and (lambda: opened(world, picture.opens())))


def _told(*words: Any) -> Figure:
    """A figure of words alone."""
    return Figure(told(*words))
