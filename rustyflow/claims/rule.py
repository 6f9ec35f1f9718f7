"""An op's rules as trees, as Python's parser reads them in the first paragraph of its docstring."""

import ast
import re
from functools import cache
from typing import NamedTuple

from ..ir.formula import BETWEEN, formula

KNOWN = " with "
"""What stands before a rule's own letters: `dx = g * s with s = 1 / (1 + exp(-x))`."""


UNREADABLE = (
    SyntaxError, ValueError, TypeError, NameError, AttributeError, LookupError, ArithmeticError, MemoryError,
    RecursionError,
)  # fmt: skip
"""The errors of a rule that is none, as in the docstring of a reader's own op: in words, or in endless brackets."""


class Rule(NamedTuple):
    """One rule: what it is of, its tree, and the trees of the letters that it defines, in order.

    Attributes:
        left: as it is written: `y`, `dx`, a cell `y[i]`, or several results, `values, indices`.
        tree: the right side.
        known: the letters of its own, each with its tree.
    """

    left: str
    tree: ast.expr
    known: tuple[tuple[str, ast.expr], ...] = ()

    @property
    def names(self) -> list[str]:
        """The results or gradients that it is of, without an index.

        >>> rules_in("values, indices = largest(x, dim)        dx[i] = g[i]")[1].names
        ['dx']
        """
        return [self.left.partition("[")[0]] if "[" in self.left else self.left.split(", ")


class Form(NamedTuple):
    """The form in which an op works out a rule that it says in another one, and the reason.

    Attributes:
        doc: the rule, as the first paragraph of a docstring has it.
        why: `so that exp cannot overflow`.
    """

    doc: str
    why: str


WORKED_OUT = re.compile(r"\bWorked out as ((\w+)\S* = .+?), (so that .+?)\.(?= |$)")
"""The sentence of a docstring that says such a form."""


def in_words(left: str, text: str) -> Rule:
    """A rule of a reader's own op that is a text: it is said as it is, and never evaluated."""
    return Rule(left, ast.Name(text, ast.Load()))


def parse(text: str) -> ast.expr:
    """The tree of one expression.

    Raises:
        SyntaxError: the text is no Python.

    Example:
        >>> ast.unparse(parse("g if x > 0 else 0"))
        'g if x > 0 else 0'
    """
    return ast.parse(text.strip(), mode="eval").body


@cache
def rules_in(doc: str) -> tuple[Rule, ...]:
    """The rules of an op's docstring, in order; what is no rule, as "no gradient is defined", is left out.

    Raises:
        SyntaxError: a rule is no Python.

    Example:
        >>> import rustyflow as rf
        >>> [(rule.left, ast.unparse(rule.tree)) for rule in rules_in(rf.mul.__doc__)]
        [('y', 'a * b'), ('da', 'g * b'), ('db', 'g * a')]
    """
    rules = []
    for part in formula(doc).split(BETWEEN):
        left, sign, right = part.strip().partition(" = ")
        if sign:
            text, _, known = right.partition(KNOWN)
            call = ast.parse(f"_({known})", mode="eval").body  # to Python, definitions are the arguments of a call
            rules.append(Rule(left, parse(text), tuple((word.arg, word.value) for word in call.keywords)))
    return tuple(rules)


@cache
def forms_in(doc: str) -> dict[str, Form]:
    """The forms in which an op works out its rules, by what these are of; most are worked out as they are said.

    Example:
        >>> import rustyflow as rf
        >>> forms_in(rf.softmax.__doc__)["y"].why, forms_in(rf.tanh.__doc__)
        ('so that exp cannot overflow', {})
    """
    return {left: Form(rule, why) for rule, left, why in WORKED_OUT.findall(" ".join(doc.split()))}
