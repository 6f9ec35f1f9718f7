"""A reader's line: the expression in it that is drawn, and the parts of its last operation."""

import ast
from typing import Any, NamedTuple

from ..errors import ArgumentTypeError, ArgumentValueError


class Part(NamedTuple):
    """A part of an operation: its text, its expression, and the name that stands in its place."""

    text: str
    node: ast.expr
    hole: str


class Line(NamedTuple):
    """A line: its text, the expression that is drawn, and the name that the line gives to it, if any.

    `written` is the name of the tensor whose cells a line such as `x[0] = 1` writes.
    """

    text: str
    node: ast.expr
    target: str = ""
    written: str = ""


def read(text: str) -> Line:
    """Returns the line that a text ends with.

    Raises:
        ArgumentTypeError (a TypeError): no text. ArgumentValueError (a ValueError): no Python, or nothing with a value.

    Example:
        >>> ast.unparse(read("y = x.t()[1:]").node), ast.unparse(read("x += 1").node), read("x[0] = 1").written
        ('x.t()[1:]', 'x + 1', 'x')
    """
    if not isinstance(text, str):
        rule = "see takes a line of Python as text"
        raise ArgumentTypeError(f"see({text!r:.60})", rule, 'see("x.t()")', value=text)
    text = text.strip()
    try:
        body = ast.parse(text).body
        line = of_statement(body[-1], text) if body else None
        if line is not None:  # what stands in no function yields and awaits nothing
            compile(ast.fix_missing_locations(ast.Expression(copied(line.node))), "<see>", "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        was = f"see({text[:60]!r})"
        raise ArgumentValueError(was, f"it is no Python: {getattr(error, 'msg', error)}", 'see("x.t()[1:]")') from None
    if line is None:
        rule = "a figure is of a value, and this line has none"
        raise ArgumentValueError(f"see({text[:60]!r})", rule, 'see("x + 1")')
    return line


def of_statement(statement: ast.stmt, text: str) -> Line | None:
    """Returns the line of one statement, None of one without a value; `text` is what its positions are in."""
    match statement:
        case ast.AugAssign(target=target, op=op, value=value) if isinstance(target, ast.Name | ast.Attribute):
            node = ast.copy_location(ast.BinOp(_loaded(target), op, value), statement)
            return Line(text, node, ast.unparse(target))
        case ast.AugAssign(target=ast.Subscript() as target, op=op, value=value):
            written = ast.BinOp(_loaded(target), op, value)
            return Line(text, _write(statement, target, written), written=ast.unparse(target.value))
        case ast.Assign(targets=[ast.Subscript() as target], value=value):
            return Line(text, _write(statement, target, value), written=ast.unparse(target.value))
        case ast.Assign(targets=[*_, target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
            return Line(text, value, ast.unparse(target))
        case ast.Expr(value=value) | ast.Return(value=ast.expr() as value) | ast.Assert(test=value):
            return Line(text, value)
        case ast.For(iter=value) | ast.If(test=value) | ast.While(test=value):
            return Line(text, value)
    return None


def _loaded(target: ast.expr) -> ast.expr:
    """The expression that reads what an assignment writes."""
    read = copied(target)
    read.ctx = ast.Load()
    return read


def _write(statement: ast.stmt, target: ast.Subscript, value: ast.expr) -> ast.expr:
    """The expression whose value is a tensor after a write into it: `x[0] = 1` as `x.index_put(0, 1)` would be."""
    call = ast.Call(ast.Name("__written__", ast.Load()), [target.value, _index(target.slice), value], [])
    return ast.copy_location(call, statement)


def _index(index: ast.expr) -> ast.expr:
    """An index as an expression by itself: `1:, None` as `(slice(1, None, None), None)`."""
    if isinstance(index, ast.Tuple):
        return ast.Tuple([_index(part) for part in index.elts], ast.Load())
    if isinstance(index, ast.Slice):
        ends = [end or ast.Constant(None) for end in (index.lower, index.upper, index.step)]
        return ast.Call(ast.Name("slice", ast.Load()), ends, [])
    return index


def written(x, index, value):
    """Returns a copy of a tensor, or of an array, after a write into it."""
    copy = x.clone() if hasattr(x, "clone") else x.copy()
    copy[index] = value
    return copy


def copied(node: Any) -> Any:
    """Returns a copy of a tree of Python with its places alone.

    Tools of tracebacks write `parent` into the one `ast.Load()` that all trees share: `copy.deepcopy` would follow it
    into theirs.
    """
    if isinstance(node, list):
        return [copied(part) for part in node]
    if not isinstance(node, ast.AST) or not node._fields:
        return node
    return ast.copy_location(type(node)(**{name: copied(part) for name, part in ast.iter_fields(node)}), node)


def source(text: str, node: ast.expr) -> str:
    """Returns the reader's own text of an expression, on one line."""
    segment = ast.get_source_segment(text, node) if hasattr(node, "lineno") else None
    return segment if segment and "\n" not in segment else ast.unparse(node)


def opened(text: str, node: ast.expr) -> tuple[ast.expr, list[Part]]:
    """Returns an operation with a name in the place of each of its operands, and these.

    >>> form, parts = opened("torch.cat([x, x[:1]], dim=0)", ast.parse("torch.cat([x, x[:1]], dim=0)").body[0].value)
    >>> ast.unparse(form), [part.text for part in parts]
    ('__0.cat([__1, __2], dim=__3)', ['torch', 'x', 'x[:1]', '0'])
    """
    form, parts = copied(node), list[Part]()

    def hole(part: ast.expr) -> ast.expr:
        if isinstance(part, ast.List | ast.Tuple):
            part.elts = [hole(inside) for inside in part.elts]
        elif isinstance(part, ast.Starred):
            part.value = hole(part.value)
        elif isinstance(part, ast.Slice):
            for end in ("lower", "upper", "step"):
                setattr(part, end, getattr(part, end) and hole(getattr(part, end)))
        else:
            parts.append(Part(source(text, part), part, f"__{len(parts)}"))
            return ast.copy_location(ast.Name(parts[-1].hole, ast.Load()), part)
        return part

    call = form
    if isinstance(form, ast.Attribute) and form.attr in ("values", "indices") and isinstance(form.value, ast.Call):
        call = form.value  # one of the results of an operation, as of max
    match call:
        case ast.Call(func=func):
            if isinstance(func, ast.Attribute):
                func.value = hole(func.value)
            call.args = [hole(part) for part in call.args]
            for keyword in call.keywords:
                keyword.value = hole(keyword.value)
        case ast.BinOp():
            form.left, form.right = hole(form.left), hole(form.right)
        case ast.UnaryOp():
            form.operand = hole(form.operand)
        case ast.Compare():
            form.left, form.comparators = hole(form.left), [hole(part) for part in form.comparators]
        case ast.Subscript():
            form.value, form.slice = hole(form.value), hole(form.slice)
        case ast.Attribute():
            form.value = hole(form.value)
    return form, parts
