"""The figure of a line, chosen by its last operation, with the reader's own text as title and names."""

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from .. import show
from ..scene import Figure
from ..show.source import storage_of
from ..show.words.caller import Words
from ..tensor import Tensor
from .line import Line, copied, source
from .run import DRAWING, FILE, Run, aside, evaluated, misfit, tensors_in

SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
"""The signs that `show.broadcast` takes."""

CALLED = {"add": "+", "sub": "-", "mul": "*", "div": "/", "maximum": "maximum", "minimum": "minimum"}
"""The calls that are drawn as signs are."""

PRODUCTS = "matmul", "mm", "bmm", "mv"

LANES = "sum mean prod amax amin max min logsumexp var std any all".split()
"""The calls that `show.reduce` draws."""


def figure(line: Line, run: Run, ours: Run | None, follow: bool = True) -> Figure | None:
    """Returns the figure of a line that was run, on copies of what it had and on tensors of ours.

    NumPy's arrays are drawn as they are, in NumPy's words, but where an operation has to be followed. None where it has
    to be, and ours is not there, or `follow` is False.

    Raises:
        What the function of `show` that is chosen raises. LookupError: there is no tensor in the line.
    """
    picture = Picture(line, ours or run)
    theirs = picture if run.space.twins.foreign else Picture(line, run)
    for way in (picture.backward, theirs.product, theirs.sign, theirs.view, theirs.reduction):
        if (drawn := way()) is not None:
            return drawn
    if ours is None or not follow and picture.operands:
        return None if theirs.results else theirs.values()
    return picture.operation() or theirs.values()


class Picture:
    """The ways to draw a line; each gives None where it does not fit."""

    def __init__(self, line: Line, run: Run):
        self.line, self.run, self.form = line, run, run.form
        self.operands = [(part.text, x) for part, x in zip(run.parts, run.values) if _is_tensor(x)]
        self.results = tensors_in(run.result)
        self.known = {key: x for key, x in run.space.items() if not key.startswith("__")}
        self.title = _titled(line)

    def draw(self, f: Callable, *given: Any, texts: list[str], result: str = "", **more: Any) -> Figure:
        """Draws values that the line calls by some texts: those that read as names are their names.

        `result` is the text of one that is what the line makes. The function is called where the reader's names are, so
        that it finds what else shares a storage.
        """
        naming = Words(tuple(texts), (None,) * len(texts), self.known)
        free = (letter for letter in "abcdekmnpq" if letter not in self.known)
        written = naming.names([None] * len(texts), "?")
        names = [text if _is_number(text) else name for text, name in zip(texts, written)]
        names = [name if name in (text, f"({text})") else next(free) for text, name in zip(texts, names)]
        while twice := next((k for k, name in enumerate(names) if name in names[:k]), 0):
            names[twice] = next(free)
        title = self.title
        if result and result == title and names[texts.index(result)] != result:  # its letter stands in the title
            names[texts.index(result)] = next(letter for letter in "yzruvw" if letter not in (*self.known, *names))
            title = f"{names[texts.index(result)]} = {title}"
        pairs = [(name, text) for name, text in zip(names, texts) if text != result]
        stands = [f"{name} = {text}" for name, text in pairs if name not in (text, f"({text})")]
        call = ast.parse("__draw(*__given, **__more)", mode="eval").body
        more |= {"names": names, "title": ",  ".join([title, *stands])}
        with aside():
            return evaluated(call, self.run.space, {"__draw": f, "__given": given, "__more": more}, DRAWING)

    @property
    def call(self) -> str:
        """The name of the function or the method that is called last, if one is."""
        func = self.form.func if isinstance(self.form, ast.Call) else None
        return getattr(func, "attr", getattr(func, "id", ""))

    def backward(self) -> Figure | None:
        """A number that asks for gradients, with its way back."""
        y = self.run.result
        if not (isinstance(y, Tensor) and y.requires_grad and y.grad_fn is not None and y.numel() == 1 and not y.dim()):
            return None
        call = ast.parse("__draw(__y, **__more)", mode="eval").body
        more = {"names": self._in_graph(y), "title": self.title}
        with aside():  # where the reader's names are, as in `draw`
            return evaluated(call, self.run.space, {"__draw": show.backward, "__y": y, "__more": more}, DRAWING)

    def _in_graph(self, y: Tensor) -> dict[str, Tensor]:
        """The reader's names of tensors in the graph of a result."""
        there, todo = set(), [y.grad_fn]
        while todo:
            node = todo.pop()
            if node is not None and id(node) not in there:
                there.add(id(node))
                there.add(id(getattr(node, "variable", None)))
                todo += [before for before, _ in node.next_functions]
        named = {key: x for key, x in self.known.items() if isinstance(x, Tensor)}
        return {key: x for key, x in named.items() if {id(x), id(x.grad_fn)} & there - {id(None)}}

    def product(self) -> Figure | None:
        """A product of two matrices."""
        sign = isinstance(self.form, ast.BinOp) and isinstance(self.form.op, ast.MatMult)
        if not (sign or self.call in PRODUCTS) or len(self.operands) != 2 or any(not x.ndim for _, x in self.operands):
            return None
        (a, x), (b, y) = self.operands
        return self.draw(show.matmul, x, y, texts=[a, b])

    def sign(self) -> Figure | None:
        """An operation between two tensors, or a tensor and a number, cell by cell."""
        match self.form:
            case ast.BinOp(op=op) | ast.Compare(ops=[op]):
                sign = SIGNS.get(type(op))
            case _:
                sign = CALLED.get(self.call)
        values = [x for x in self.run.values if _is_tensor(x) or type(x) in (int, float, bool)]
        if sign is None or len(values) != 2 or not self.operands or len(self.results) != 1:
            return None
        texts = [part.text for part, x in zip(self.run.parts, self.run.values) if any(x is y for y in values)]
        if isinstance(self.form, ast.Call) and len(self.run.values) > 3:
            return None
        return self.draw(show.broadcast, *values, texts=texts[-2:], op=sign)

    def view(self) -> Figure | None:
        """A view, beside the tensor whose storage it reads; or what has a name already."""
        if isinstance(self.form, ast.Name) and self.results:
            return self.values()
        shared = [(text, x) for text, x in self.operands for y in self.results[:1]
                  if storage_of(x) is not None and storage_of(x) == storage_of(y)]
        if not shared or self.call.endswith("_"):
            return None
        (text, x), views = shared[0], self.results[:4]
        name = self.line.target if self.line.target.isidentifier() else ""
        if len(self.results) > 1:
            texts = [f"{name or 'y'}[{k}]" for k in range(len(views))]
            return self.draw(show.strides, x, *views, texts=[text, *texts])
        return self.draw(show.strides, x, *views, texts=[text, name or self.title], result=name or self.title)

    def reduction(self) -> Figure | None:
        """A reduction along some axes."""
        if self.call not in LANES or len(self.operands) != 1 or not isinstance(self.form, ast.Call):
            return None
        held = {part.hole: x for part, x in zip(self.run.parts, self.run.values)}
        dims = [y for arg in self.form.args if not _is_tensor(y := evaluated(arg, self.run.space, held))]
        more = {word.arg: evaluated(word.value, self.run.space, held) for word in self.form.keywords}
        more = dict(zip(("dim", "keepdim"), dims)) | more
        if len(dims) > 2 or {*more} - {"dim", "axis", "keepdim"}:
            return None
        (text, x), = self.operands
        return self.draw(show.reduce, x, self.call, texts=[text], **more)

    def operation(self) -> Figure | None:
        """Any other operation, cell by cell."""
        tensors = [(part, x) for part, x in zip(self.run.parts, self.run.values) if tensors_in(x)]
        if not tensors or not self.results or isinstance(self.form, ast.Name):
            return None
        if isinstance(self.form, ast.Attribute) and not any(_is_tensor(x) for _, x in tensors):  # a part of a value
            return None
        fixed = {part.hole: x for part, x in zip(self.run.parts, self.run.values)}
        holes, names = [part.hole for part, _ in tensors], {**self.run.space, **fixed}
        form = self._without_write(names)
        f = _function(form, holes, names)
        if self.run.wrote and form is self.form:
            f = partial(_on_clones, f)
        texts: dict[int, str] = {}
        for part, x in tensors:
            inside = tensors_in(x)
            for k, one in enumerate(inside):
                texts.setdefault(id(one), part.text if _is_tensor(x) else f"{part.text}[{k}]")
        return self.draw(show.op, f, *(x for _, x in tensors), texts=[*texts.values()])

    def _without_write(self, names: dict[str, Any]) -> ast.expr:
        """The operation as the one that makes a new tensor of that dtype, where there is one: `mul` for `mul_`."""
        if not self.run.wrote or not self.call.endswith("_") or not isinstance(self.form.func, ast.Attribute):
            return self.form
        form = copied(self.form)
        form.func.attr = self.call.rstrip("_")
        try:
            made = _function(form, [], names)()
        except Exception:  # fill_ and zero_ write alone
            return self.form
        fits = _is_tensor(made) and (made.dtype, made.shape) == (self.results[0].dtype, self.results[0].shape)
        return form if fits and not misfit(self.run.result, made) else self.form

    def values(self) -> Figure:
        """The result itself, or where that is no tensor, what it was made of."""
        tensors = self.results[:4] or [x for _, x in self.operands[:2]]
        if not tensors and hasattr(self.run.result, "named_parameters"):  # a module: its weights
            weights = dict([*self.run.result.named_parameters()][:4])
            return self.draw(show.strides, *weights.values(), texts=[f"{self.line.text}.{name}" for name in weights])
        if not tensors:
            raise LookupError
        if not self.results:
            texts = [text for text, _ in self.operands[:2]]
            self.title = f"{self.title} is {self.run.result!r:.60}"
            return self.draw(show.strides, *tensors, texts=texts[: len(tensors)])
        name = self.line.target if self.line.target.isidentifier() else ""
        if len(tensors) > 1:
            return self.draw(show.strides, *tensors, texts=[f"{name or 'y'}[{k}]" for k in range(len(tensors))])
        return self.draw(show.strides, *tensors, texts=[name or self.title], result=name or self.title)


def _function(form: ast.expr, holes: list[str], names: dict[str, Any]) -> Callable:
    """An operation as a function of some of its holes, which finds all else among its globals."""
    args = ast.arguments([], [ast.arg(hole) for hole in holes], None, [], [], None, [])
    whole = ast.fix_missing_locations(ast.Expression(ast.Lambda(args, form)))
    return eval(compile(whole, FILE, "eval"), names)


def _on_clones(f: Callable, *given: Any) -> Any:
    """A function that writes into its operands, on copies of them."""
    return f(*(x.clone() if isinstance(x, Tensor) else x for x in given))


def _is_number(text: str) -> bool:
    """True for the text of a number that is as good as a name."""
    return text.replace(".", "", 1).lstrip("-").isdigit() and len(text) < 8


def _is_tensor(x: Any) -> bool:
    return not isinstance(x, list | tuple | dict) and bool(tensors_in(x))


def _titled(line: Line) -> str:
    """The line as it is written, of several statements the one that is drawn: `y = x.t()`, `x += 1`."""
    text = _text(line)
    try:
        ast.parse(f"({text})", mode="eval")
    except SyntaxError:  # `x += 1`, which is drawn as x + 1 and has the place of the statement
        return text
    return f"{line.target} = {text}" if line.target else text


def _text(line: Line) -> str:
    """The text of what is drawn of a line, without the name that it gets."""
    return source(line.text, line.node)
