"""Rules as a reader sees them: a tree becomes text here, with no more brackets than it needs.

A function that has a phrase is said by it; `a if c else b` is "a where c, else b".
"""

import ast
from collections.abc import Callable, Container, Mapping
from functools import cache
from typing import Any

from ..ir.formula import BETWEEN, formula
from .bind import bound
from .fold import NOTHING
from .forms import Kept
from .letters import function_of, letters_of, names_in, rule_renamed
from .meaning import MEANINGS, Meaning, holes
from .rule import UNREADABLE, Rule

WORDS, CHOICE, OR, AND, NOT, COMPARE, SUM, PRODUCT, SIGN, POWER, ATOM = range(11)
"""How tightly the parts of a text hold together; one that holds less tightly than what is around it gets brackets."""

SIGNS = {
    ast.Add: ("+", SUM), ast.Sub: ("-", SUM), ast.LShift: ("<<", SUM), ast.RShift: (">>", SUM),
    ast.BitAnd: ("&", SUM), ast.BitOr: ("|", SUM), ast.BitXor: ("^", SUM), ast.Mult: ("*", PRODUCT),
    ast.Div: ("/", PRODUCT), ast.MatMult: ("@", PRODUCT), ast.FloorDiv: ("//", PRODUCT), ast.Mod: ("%", PRODUCT),
    ast.Pow: ("**", POWER),
}  # fmt: skip

COMPARED = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip

BEGIN, END = "\ue000", "\ue001"
"""What stands around a letter, before the words that take its place, and after them: see `pieces`."""

GRADIENTS = {"g", "dy", "gw", "gv", "gs", "gm"}
"""The names of upstream gradients in rules."""


def say(tree: ast.expr) -> str:
    """The text of a tree.

    Example:
        >>> from rustyflow.claims.rule import parse
        >>> say(parse("g * b * a ** (b - 1) if not b == 0 else 0")), say(parse("2 * (g if x > 0 else 0)"))
        ('g * b * a ** (b - 1), 0 where b is 0', '2 * (g where x > 0, else 0)')
        >>> say(parse("swapaxes(x, dim0, dim1)")), say(parse("swapaxes(g, dim0, dim1)"))
        ('x with two axes swapped', 'g with them swapped back')
    """
    return _say(tree)[0]


def say_rule(rule: Rule) -> str:
    """The text of a rule, its left side first.

    Example:
        >>> from rustyflow.claims.rule import rules_in
        >>> say_rule(rules_in("y = x if x > 0 else 0        dx = g * s with s = x > 0")[1])
        'dx = g * s with s = (x > 0)'
    """
    return f"{rule.left} = {say_right(rule)}"


def say_right(rule: Rule) -> str:
    """The text of a rule's right side, with its letters."""
    known = ", ".join(f"{name} = {_in(tree, COMPARE + 1)}" for name, tree in rule.known)
    return say(rule.tree) + (f" with {known}" if known else "")


def spoken(doc: str, given: Mapping[str, Any] = NOTHING, absent: Container[str] = ()) -> str:
    """The rules of an op's docstring, for one call, as a reader sees them.

    A docstring that is no Python stays as it is. It may be that of a reader's own op: nothing of it is ever evaluated.
    `given` and `absent` are the arguments of the call, and the operands that it went without.

    Example:
        >>> import rustyflow as rf
        >>> spoken(rf.relu.__doc__)
        'y = maximum(x, 0)        dx = 0 where y <= 0, else g'
        >>> spoken(rf.floor_divide.__doc__)
        'y = floor(a / b)        no gradient is defined'
    """
    return _of_call(doc, given, absent) if given or absent else _of_any_call(doc)


@cache
def _of_any_call(doc: str) -> str:
    return _of_call(doc, NOTHING, ())


def _of_call(doc: str, given: Mapping[str, Any], absent: Container[str]) -> str:
    last = formula(doc).split(BETWEEN)[-1].strip()
    rest = [last] if last and " = " not in last else []  # "no gradient is defined"
    try:
        return BETWEEN.join([*map(say_rule, bound(doc, given, absent)), *rest])
    except UNREADABLE:
        return formula(doc)


def _say(tree: ast.expr) -> tuple[str, int]:
    """The text, and how tightly it holds together."""
    return SAYERS[type(tree)](tree) if type(tree) in SAYERS else (ast.unparse(tree), ATOM)


def _in(tree: ast.expr, least: int) -> str:
    """The text as a part of one that holds so tightly."""
    text, held = _say(tree)
    return f"({text})" if held < least else text


def _binary(tree: ast.BinOp) -> tuple[str, int]:
    sign, held = SIGNS[type(tree.op)]
    power = held == POWER  # of which the right side holds
    parted = isinstance(tree.op, ast.MatMult) and isinstance(getattr(tree.left, "op", None), ast.Mult | ast.Div)
    left, right = _in(tree.left, held + (power or parted)), _in(tree.right, SIGN if power else held + 1)
    return f"{left} {sign} {right if power else _unsigned(right)}", held


def _unsigned(text: str) -> str:
    """A text behind a sign: one that has a sign of its own gets brackets."""
    number = text.split(BEGIN, 2)[2] if text.startswith(BEGIN) else text
    return f"({text})" if number.startswith("-") else text


def _unary(tree: ast.UnaryOp) -> tuple[str, int]:
    if isinstance(tree.op, ast.Not):
        return f"not {_in(tree.operand, NOT)}", NOT
    sign = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}[type(tree.op)]
    return f"{sign}{_unsigned(_in(tree.operand, PRODUCT))}", SIGN  # -a * b is -(a * b)


def _compared(tree: ast.Compare) -> tuple[str, int]:
    sides = [_in(side, COMPARE + 1) for side in (tree.left, *tree.comparators)]
    return sides[0] + "".join(f" {COMPARED[type(op)]} {side}" for op, side in zip(tree.ops, sides[1:])), COMPARE


def _joined(tree: ast.BoolOp) -> tuple[str, int]:
    word, held = (" and ", AND) if isinstance(tree.op, ast.And) else (" or ", OR)
    return word.join(_in(value, held + 1) for value in tree.values), held


def _chosen(tree: ast.IfExp) -> tuple[str, int]:
    """A choice of each cell; `a if not c else 0` is a rule with an exception."""
    if isinstance(tree.test, ast.UnaryOp) and isinstance(tree.test.op, ast.Not):
        return f"{_in(tree.body, OR)}, {say(tree.orelse)} where {say(tree.test.operand).replace(' == ', ' is ')}", WORDS
    parts, rest = [], tree
    while isinstance(rest, ast.IfExp):
        parts.append(f"{_in(rest.body, OR)} where {say(rest.test)}")
        rest = rest.orelse
    return f"{', '.join(parts)}, else {_in(rest, CHOICE)}", CHOICE


def _called(tree: ast.Call) -> tuple[str, int]:
    name = function_of(tree)
    if name == "sum" and (sum_ := _sum_over(tree)):
        return sum_
    phrase, fillings = _phrased(tree, MEANINGS.get(name))
    if not fillings or not holes(phrase) <= fillings.keys():  # or a reader's own function is called so
        named = (f"{word.arg}=" if word.arg else "**" for word in tree.keywords)
        given = [_in(arg, CHOICE if len(tree.args) > 1 else WORDS) for arg in tree.args]
        given += [f"{name}{say(word.value)}" for name, word in zip(named, tree.keywords)]
        return f"{_in(tree.func, ATOM)}({', '.join(given)})", ATOM
    return phrase.format(**fillings), ATOM if MEANINGS[name].noun else WORDS


def _phrased(tree: ast.Call, meaning: Meaning | None) -> tuple[str, dict[str, str]]:
    """The phrase for a call, and what stands in its holes; nothing of a function without one."""
    if not meaning or not meaning.phrase or not tree.args:
        return "", {}
    run, phrase = meaning.run, meaning.phrase
    parameters = run.__code__.co_varnames[: run.__code__.co_argcount]
    given = [*zip(parameters, tree.args), *((word.arg, word.value) for word in tree.keywords)]
    told = {name: Told(_in(arg, OR), arg) for name, arg in given if name}
    if run.__defaults__:  # words for what a call has not said
        defaults = zip(reversed(parameters), reversed(run.__defaults__))
        told = {name: default for name, default in defaults if isinstance(default, str)} | told
    if meaning.like and len(tree.args) > 1 and _is_shape(tree.args[1]):
        phrase, told[parameters[1]] = meaning.like, say(tree.args[1].value)
    elif meaning.gradient and {*map(_letter, names_in(tree.args[0]))} & GRADIENTS:
        phrase = meaning.gradient
    return phrase, told


class Told(str):
    """An argument in a phrase: `{dims:along}` says its value in words, or its name where it is open."""

    tree: ast.expr

    def __new__(cls, text: str, tree: ast.expr):
        self = super().__new__(cls, text)
        self.tree = tree
        return self

    def __format__(self, how: str) -> str:
        if how == "of":  # the tensor that is read there
            return say(self.tree.value) if isinstance(self.tree, ast.Subscript) else str(self)
        if how in ("", "bare", "value"):
            return say(self.tree) if how else str(self)
        open_, told = WAYS[how]
        try:
            value = ast.literal_eval(self.tree)  # of a number or a tuple of numbers; it calls nothing
        except ValueError:
            return open_.format(self)
        return told(value)


def _row(numbers: int | tuple[int, ...]) -> tuple[int, ...]:
    return numbers if isinstance(numbers, tuple) else (numbers,)


def _listed(numbers: int | tuple[int, ...]) -> str:
    """`2, 1 and 3`; of a long row its beginning and its length."""
    names = [*map(str, _row(numbers))]
    if len(names) > 4:
        return f"{', '.join(names[:4])} and {len(names) - 4} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _dims(dims: int | tuple[int, ...]) -> str:
    """`dim 1`, `dims 0 and 1`."""
    return f"dim{'s' * (len(_row(dims)) > 1)} {_listed(dims)}"


def _border(sign: str, by: int) -> str:
    """The border of a triangle that is not the diagonal."""
    return f"where column {sign} row {'+' if by > 0 else '-'} {abs(by)}, else 0"


def _around(pad: tuple[int, ...]) -> str:
    """The cells that are put around a tensor, or cut off, counted from the last axis on."""
    sides = [f"{abs(many)} {'cut off ' * (many < 0)}{'after' if k % 2 else 'before'} along dim {-1 - k // 2}"
             for k, many in enumerate(pad) if many]  # fmt: skip
    return f"cells of one value: {', '.join(sides)}"


WAYS: dict[str, tuple[str, Callable]] = {
    "above": ("on and above the diagonal, 0 below",
              lambda by: _border(">=", by) if by else "on and above the diagonal, 0 below"),
    "below": ("on and below the diagonal, 0 above",
              lambda by: _border("<=", by) if by else "on and below the diagonal, 0 above"),
    "along": (" along {}", lambda dims: f" along {_dims(dims)}" if dims not in (None, ()) else ""),
    "axis": ("axis", _dims),
    "differ": ("differ by {}", lambda by: f"differ by {by}" if by else "are equal"),
    "dims": ("{}", lambda dim: f"dims {dim}"),
    "around": ("`pad` cells of one value around it, or as many cut off", lambda pad: _around(pad)),
    "cut": ("", lambda back: " and 0 where it was cut" if max(back) > 0 else ""),
    "end": ("largest or smallest", lambda largest: "largest" if largest else "smallest"),
    "falling": ("", lambda descending: "falling " if descending else ""),
    "lengths": ("the given lengths", _listed),
    "on": ("dim", lambda dim: f"dim {dim}"),
    "ones": ("axes of size 1", _dims),
    "rank": ("", lambda k: f" (k = {k})"),
    "sizes": ("`{}`", lambda sizes: "×".join(map(str, _row(sizes)))),
    "own": ("", lambda causal: " under the causal mask" if causal else ""),
    "these": ("these axes", _dims),
    "this axis": ("this axis", _dims),
    "triangle": ("lower triangle L with L @ L.mT",
                 lambda upper: "upper triangle U with U.mT @ U" if upper else "lower triangle L with L @ L.mT"),
    "under": (" under {}", lambda mask: ""),
    "times": ("{}[d] times along each axis",
              lambda times: f"{_listed(times)} times along its ax{'e' if len(_row(times)) > 1 else 'i'}s"),
}  # fmt: skip
"""How an argument is told in a phrase: where it is open, and where its value is known."""


def _is_shape(tree: ast.expr) -> bool:
    """True for a tensor's shape, or its last sizes."""
    tree = tree.value if isinstance(tree, ast.Subscript) else tree
    return isinstance(tree, ast.Attribute) and tree.attr == "shape"


def _sum_over(tree: ast.Call) -> tuple[str, int] | None:
    """A sum over the places from one on, `sum(g[k] for k in range(i, len(x)))`; None of another sum."""
    match tree.args:
        case [ast.GeneratorExp(elt=cell, generators=[ast.comprehension(
            target=place, iter=ast.Call(func=ast.Name("range"), args=[first, _]), ifs=[])])]:  # fmt: skip
            return f"sum over {say(place)} >= {say(first)} of {say(cell)}", WORDS
    return None


def _name(tree: ast.Name) -> tuple[str, int]:
    """A name, or what is put in its place: a number with its sign, or anything else."""
    return tree.id, SIGN if tree.id.rpartition(BEGIN)[2].startswith("-") else ATOM


def _letter(name: str) -> str:
    """The letter of a rule for which a name stands."""
    return name.split(BEGIN)[1] if BEGIN in name else name


def pieces(rule: Rule, texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """The text of a rule's right side in pieces: letters with their words, and the text between.

    Example:
        >>> from rustyflow.claims.rule import rules_in
        >>> pieces(rules_in("dx = g * -x")[0], {"x": "-3"})
        [('', 'g * (-('), ('x', '-3'), ('', '))')]
        >>> "".join(text for _, text in pieces(rules_in("y = -x")[0], {"x": "-3"}))
        '-(-3)'
    """
    marked = {name: f"{BEGIN}{name}{BEGIN}{text}{END}" for name, text in texts.items()}
    parts = say_right(rule_renamed(rule, marked)).split(END)
    split = (part.partition(BEGIN) for part in parts)
    both = [(("", before), (letter.partition(BEGIN)[0], letter.partition(BEGIN)[2])) for before, _, letter in split]
    return [piece for pair in both for piece in pair if piece[1]]


def told_letters(rule: Rule) -> set[str]:
    """The letters that the text of a rule has: not those of which it only reads the shape.

    Example:
        >>> from rustyflow.claims.rule import rules_in
        >>> sorted(told_letters(rules_in("y = expand(value, x.shape)")[0]))
        ['value']
    """
    return {name for name, _ in pieces(rule, {name: name for name in letters_of(rule)}) if name}


def put_in(rule: Rule, texts: Mapping[str, str]) -> str:
    """The text of a rule's right side with words in place of letters."""
    return "".join(text for _, text in pieces(rule, texts))


def _lambda(tree: ast.Lambda) -> tuple[str, int]:
    return _say(tree.body)


def _kept(tree: Kept) -> tuple[str, int]:
    return _say(tree.value)


def _attribute(tree: ast.Attribute) -> tuple[str, int]:
    return f"{_in(tree.value, ATOM)}.{tree.attr}", ATOM


def _subscript(tree: ast.Subscript) -> tuple[str, int]:
    inside = tree.slice
    within = ", ".join(map(say, inside.elts)) if isinstance(inside, ast.Tuple) else say(inside)
    return f"{_in(tree.value, ATOM)}[{within}]", ATOM


def _slice(tree: ast.Slice) -> tuple[str, int]:
    lower, upper = (say(side) if side else "" for side in (tree.lower, tree.upper))
    return f"{lower}:{upper}" + (f":{say(tree.step)}" if tree.step else ""), WORDS


def _tuple(tree: ast.Tuple) -> tuple[str, int]:
    return ", ".join(map(say, tree.elts)), WORDS


def _constant(tree: ast.Constant) -> tuple[str, int]:
    return ("..." if tree.value is ... else repr(tree.value)), ATOM


SAYERS = {
    ast.BinOp: _binary, ast.UnaryOp: _unary, ast.Compare: _compared, ast.BoolOp: _joined, ast.IfExp: _chosen,
    ast.Call: _called, ast.Attribute: _attribute, ast.Subscript: _subscript, ast.Slice: _slice, ast.Tuple: _tuple,
    ast.Constant: _constant, ast.Name: _name, ast.Lambda: _lambda, Kept: _kept,
}  # fmt: skip
