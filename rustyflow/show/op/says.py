"""The words with which show.op says how a result comes about, before the equation that says it in numbers.

They are found in the steps that made it, and count the cells that light with it: nothing here knows any op.
"""

from collections.abc import Collection, Mapping, Sequence

from ...claims.digits import spell
from ..words.sentences import listed, many
from .reads import Index, Read
from .trees import BITWISE, CALLED, READ, Node, terms

NAMED = 3
"""So many kinds of steps are named."""

EXTREMES = {"max": "greatest", "min": "least"}


class Says:
    """The words for the results of one run, by the steps that made them.

    >>> a, b = Node("", (), 2.0, (0, (0,))), Node("", (), 3.0, (0, (1,)))
    >>> says = Says(["x"], {(): Node("+", (a, b), 5.0)}, {(): [(0, (0,)), (0, (1,))]}, {(): []})
    >>> says.of(())
    ' adds up 2 numbers of x'
    """

    def __init__(self, names: Sequence[str], nodes: Mapping[Index, Node], lit: Mapping[Index, Sequence[Read]],
                 compared: Mapping[Index, Collection[Read]]):  # fmt: skip
        self.names, self.nodes, self.lit, self.compared = names, nodes, lit, compared

    def of(self, cell: Index) -> str:
        """The words after the name of a result."""
        node, lit = self.nodes[cell], dict.fromkeys(self.lit[cell])
        if not lit:
            return " reads nothing"
        if node.read:
            k = node.read[0]
            among = [read for read in lit if read[0] == k]
            one = f" takes one of {len(among)} numbers of {self.names[k]}" if len(among) > 1 else \
                f" takes a number of {self.names[k]}"  # fmt: skip
            return one + self._as(cell, [k])
        if node.fixed:
            return f" is decided by {self._numbers(lit)}"
        return self._made(node, lit) or f" is made of {self._numbers(lit)}{self._through(node)}"

    def _made(self, node: Node, lit: Collection[Read]) -> str:
        """The words for sums, products and what else has a word of its own; nothing for other steps."""
        products = terms(node)
        if products is not None and sum(map(len, products)) == len({read for term in products for read in term}):
            return self._summed(products) + self._rest(lit, products)
        if node.sign == "/" and node.parts[1].fixed and (sum_of := self._made(node.parts[0], lit)):
            return f"{sum_of}, and divides by {spell(node.parts[1].value)}"
        whose = [part.read and part.read[0] for part in node.parts]
        if None in whose or len({part.read for part in node.parts}) < len(lit):
            return ""
        if node.sign in EXTREMES:
            return f" is the {EXTREMES[node.sign]} of {self._numbers(lit)}"
        if len(whose) == 2 and node.sign in ("-", "/"):
            a, b = (f"a number of {self.names[k]}" for k in whose)
            return f" takes {b} from {a}" if node.sign == "-" else f" divides {a} by {b}"
        return ""

    def _summed(self, products: Sequence[Sequence[Read]]) -> str:
        """The words for a sum of products, or for one of either."""
        if len(products) == 1:
            return f" multiplies {self._numbers(products[0])}"
        long = [term for term in products if len(term) > 1]
        short = [term[0] for term in products if len(term) == 1]
        parts = [f"{many(len(long), 'product')} of {self._whose(read for term in long for read in term)}"] * bool(long)
        parts += [self._numbers(short)] * bool(short)
        return f" adds up {', and '.join(parts)}"

    def _rest(self, lit: Collection[Read], products: Sequence[Sequence[Read]]) -> str:
        """The operands that light as well, and only say which numbers count."""
        used = {read for term in products for read in term}
        others = [read for read in lit if read not in used]
        return f", as {self._whose(others)} {'say' if len({k for k, _ in others}) > 1 else 'says'}" if others else ""

    def _as(self, cell: Index, but: Collection[int]) -> str:
        others = [read for read in self.compared[cell] if read[0] not in but]
        return f", as {self._whose(others)} {'say' if len({k for k, _ in others}) > 1 else 'says'}" if others else ""

    def _numbers(self, reads: Collection[Read]) -> str:
        """The count of some numbers, and the operands that they are of."""
        return f"{many(len(reads), 'number') if len(reads) > 1 else 'a number'} of {self._whose(reads)}"

    def _whose(self, reads: Collection[Read]) -> str:
        return listed([self.names[k] for k in sorted({k for k, _ in reads})])

    def _through(self, node: Node) -> str:
        """The kinds of steps in a formula, of many the first ones."""
        found: dict[str, None] = {}
        todo, seen = [node], set()
        while todo and len(found) <= NAMED and len(seen) < READ:
            step = todo.pop()
            if id(step) not in seen and step.sign:
                seen.add(id(step))
                names = CALLED if isinstance(step.value, bool) else {**CALLED, **BITWISE}
                found["·" if step.sign == "*" else names.get(step.sign, step.sign)] = None
                todo += step.parts[::-1]
        return f" through {listed([*found][:NAMED] + ['more'] * bool(todo or len(found) > NAMED))}"
