"""The layer inside a module at which an error came up: its path, its input, and one that fits."""

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from .failure import Failure, frames_of
from .layer import made_like
from .line import copied
from .run import aside, evaluated, executed
from .twins import Twins


class Inside(NamedTuple):
    """A layer in a module that a line calls.

    `path` leads from that module to it, as `[4]` or `.body[0]`, "" to itself; `given` is what it was called with first.
    """

    called: ast.expr
    path: str
    layer: Any
    given: Any

    @property
    def name(self) -> str:
        """The reader's way to write it, as `net[4]`."""
        return ast.unparse(self.called) + self.path


def inside_of(failure: Failure) -> Inside | None:
    """Returns the layer at which a call of a module failed, None where no module is called by a name."""
    called = getattr(failure.line.node, "func", None)
    calls = [(f["self"], f["args"][0]) for f in frames_of(failure.error)
             if hasattr(f.get("self"), "named_modules") and isinstance(f.get("args"), tuple) and f["args"]]  # fmt: skip
    if not isinstance(called, ast.Name | ast.Attribute | ast.Subscript) or not calls:
        return None
    (module, _), (layer, given) = calls[0], calls[-1]
    for name, part in module.named_modules():
        if part is layer:
            steps = filter(None, name.split("."))
            path = "".join(f"[{step}]" if step.isdigit() else f".{step}" for step in steps)
            return Inside(called, path, layer, given)
    return None


def refitted(failure: Failure, inside: Inside) -> Iterator[tuple[str, Any]]:
    """Yields assignments that put a fitting layer in the place of one, each with what the call then comes to."""
    layer = made_like(inside.layer, failure)
    shape = tuple(getattr(inside.given, "shape", ())) if layer.takes else ()
    for n in dict.fromkeys([*shape[-1:], *shape[1:2]]):
        made = layer.taking(int(n)) if n != layer.takes else None
        if made is None:
            continue
        twins = Twins(ours=False)
        try:
            with aside():
                space, holes = twins.space(failure.readers), failure.anew(twins)
                put = ast.parse(f"{ast.unparse(failure.form.func)}{inside.path} = {ast.unparse(made)}")
                executed(put, space, holes)
                yield f"{inside.name} = {ast.unparse(made)}", evaluated(copied(failure.form), space, holes)
        except Exception:  # the next size may fit
            continue
