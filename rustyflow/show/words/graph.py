"""The words of a graph's nodes: what each reads, gives and keeps, its rules, and what is shared."""

from collections import Counter
from collections.abc import Sequence
from textwrap import wrap

from ...claims.digits import short
from ...claims.say import told_letters
from ...dispatch.operation import OPS
from ...ir import Graph, Node
from ...ir.builder import ABSENT
from ...ir.node import owner
from ...ir.text import clean
from ...scene import draw
from ...scene.measure import width
from ..kit.dag import repeats
from .nodes import called
from .rule import (
    UNTRACKED,
    behind,
    below,
    gradients_too,
    in_prose,
    is_number,
    names_in,
    names_of,
    of_result,
    put,
    rule_of,
    ruled,
    rules_of,
    wrt,
)
from .sentences import listed, many

FONT = draw.LABEL
"""The size of type in which rules are broken into lines."""


class Words:
    """The sentences and rules of the nodes of one graph."""

    def __init__(self, graph: Graph):
        self.graph, self.taken = graph, names_in(graph)
        self.readers = Counter(ref for node in graph for ref in {*node.operands} if ref[:1] == "%")

    def read_by(self, node: Node) -> list[str]:
        """Returns the names of all that a node reads."""
        names = []
        for ref in (ref for ref in node.operands if ref != ABSENT):
            if ref[:1] != "%":
                names.append("something untracked" if ref == "?" else short(ref))
                continue
            again = self.graph[ref].kind == "expand" and repeats(self.graph, self.graph[ref])
            names.append(self.result(below(self.graph, ref)) + (" (repeated)" if again else ""))
        return names

    def name(self, node: Node) -> str:
        """Returns the name of a node in sentences: the program's, else its id."""
        return clean(node.name) if node.name and not node.labels else node.id

    def sentence(self, node: Node) -> str:
        """The sentence for a node."""
        many_ = len(node.labels) if node.labels[:1] != ("y",) else 1  # the others are for its gradient alone
        gives = f"gives {listed([str(result) for result in node.results[: many_ or 1]], 4)}"
        if node.kind in ("leaf", "parameter"):
            return f"{self.name(node)} is a {node.kind}: backward ends here and adds to {self.name(node)}.grad."
        if node.kind == "constant":
            since = f" {writer} has written over it since." if (writer := node.results[0].overwritten) else ""
            return f"{self.name(node)} is a constant: nothing tracks it, and no gradient flows to it.{since}"
        if node.kind == "expand":
            sentence = f"{self.result(node.operands[0])} is read as {list(node.shape)}"
            if not repeats(self.graph, node):
                return f"{sentence}, with axes of size 1 in front: nothing is repeated."
            return f"{sentence} with stride 0, by broadcasting{': backward sums over it' * node.requires_grad}."
        if node.kind != "op":
            return f"{node.id} = {node.op} {gives}."
        reads = listed(self.read_by(node)) if node.operands else "nothing"
        views, whose = ("views", "their") if len(node.labels) > 1 else ("a view", "its")
        view = f", {views} of {self.result(node.base)} without numbers of {whose} own" if node.is_view else ""
        kept = list(dict.fromkeys(self._kept(s.ref) for s in node.saved))
        keeps = f", and keeps {listed(kept)} for backward" if kept and not node.saved[0].freed else ""
        keeps = ", and has let go of what it kept" if node.saved and node.saved[0].freed else keeps
        if by := [*filter(None, (s.overwritten for s in node.saved))]:
            keeps += f": {by[0]} has written over that since, so that no backward passes here"
        if put(rule_of(node, "y"), {}) in ("value", "value, repeated", "0"):  # of what is written over nothing is read
            over, *value = self.read_by(node)
            return f"{node.id} = {node.op} writes {listed(value or ['0'])} over {over} and {gives}{view}{keeps}."
        return f"{node.id} = {node.op} reads {reads} and {gives}{view}{keeps}."

    def result(self, ref: str) -> str:
        """Returns the name of a result in sentences: the program's, else an id such as `%2.values`."""
        node = self.graph[ref]
        return of_result(node.id if node.labels else self.name(node), node, ref)

    def _kept(self, ref: str) -> str:
        """Returns the name of something that a node kept: the program's for one result of several, else words."""
        if ref[:1] != "%":
            return "something untracked" if ref == "?" else f"the number {short(ref)}"
        node, label = self.graph[ref], ref.partition(".")[2]
        name = node.names[node.labels.index(label)] if label and node.names else None
        own_names = sum(map(bool, node.names))
        if name or label in ("", "y") or label.isdigit():
            return self.result(ref)
        if label == "indices" and node.op.startswith(("max", "min")):  # max_pool2d too
            return f"the places of the {node.op[:3]}ima"
        if node.rule == "standardize":  # of what it reads: its result has mean 0
            return f"the {label}s of {self.read_by(node)[0]}"
        return f"the {label} of {node.id if own_names > 1 or not node.name else clean(node.name)}"

    def rules(self, node: Node) -> list[str]:
        """Returns the rules of a node in the program's names, without those for numbers, which have no gradient."""
        names = names_of(self.graph, node, self.name)
        if node.kind == "expand" and not repeats(self.graph, node):
            of = names["x"]
            sign = "+=" if self.readers[node.operands[0]] > 1 else "="
            both = [f"{names['y']} = {of} with axes of size 1 in front", f"{wrt(of, self.taken)} {sign} g without them"]
            return both if node.requires_grad else both[:1]
        op = OPS.get(node.rule)
        operands = dict(zip(getattr(op, "operands", ()), node.operands, strict=False))
        sources = {letter: behind(self.graph, ref) for letter, ref in operands.items()}
        # what is repeated gets its sum from the expand, by a rule of its own
        wide = {letter: ref for letter, ref in operands.items() if ref != below(self.graph, ref)}
        asked = node.kind == "expand" or any(other.requires_grad for other in self.graph)
        idle = [f"d{letter}" for letter, name in names.items() if sources.get(letter, node) is None or name == UNTRACKED
                or asked and not (node.requires_grad and sources.get(letter, node).requires_grad)]  # fmt: skip
        lines = ruled([rule for rule in rules_of(node) if not {*rule.names} & {*idle}], names, wide, self.taken)
        twice = [letter for letter, ref in operands.items() if letter not in wide and self.readers[ref] > 1]
        shared, texts = {wrt(names[letter], self.taken) for letter in twice}, []
        for left, right in lines:
            head, sign = left.partition("[")[0] or left, "="
            if head in shared:  # others may add to it, too
                sign = "+="
            shared |= {head}
            if getattr(op, "variadic", False) and left == "dx":  # of any of them
                left, sign = "each gets", ""
            if len(node.labels) > 1 and ", a tuple of" in right:  # a name is one of them
                left, sign = "gives", ""
            texts.append(" ".join(filter(None, (left, sign if left else "", right))))
        return texts

    @staticmethod
    def _wrapped(rules: Sequence[str], wide: float) -> list[str]:
        most = int((wide - 30) / width("0", FONT, mono=True))
        return [line for rule in rules for line in wrap(rule, most, subsequent_indent="  ")]

    def begins(self) -> str:
        """Says how many operations made the results, and from which leaves."""
        leaves = [self.name(node) for node in self.graph if node.kind in ("leaf", "parameter")]
        refs = [ref for ref in self.graph.results if self.graph[ref].kind in ("op", "expand")] or self.graph.results
        results = listed([self.result(ref) for ref in refs])
        ops = sum(node.kind == "op" for node in self.graph)
        untold = all(node.kind == "constant" for node in self.graph)
        begin = f"Nothing is recorded of how {results} came about, for no gradient is asked for" if untold else (
            f"{many(ops, 'operation')} made {results}" if ops else f"No operation made {results}")  # fmt: skip
        begin += f" from {listed(leaves, 4)}" if ops and leaves else ""
        return begin

    def shared(self, shared: list[Node]) -> str:
        """Says which nodes are read more than once, and how many boxes a tree would need."""
        if not shared:
            return "From no box leads more than one arrow: here the graph is a tree."
        size: dict[str, int] = {}
        for node in self.graph:
            size[node.id] = 1 + sum(size[owner(ref)] for ref in node.operands if ref[:1] == "%")
        tree = sum(size[owner(ref)] for ref in self.graph.results)
        names = [node.id if sum(map(bool, node.names)) > 1 else self.name(node) for node in shared]
        are = f"{listed(names, 4)} {'is' if len(shared) == 1 else 'are'}"
        return f"{are} read more than once: a tree would need {tree:,} boxes, the graph needs {len(self.graph)}."

    def facts(self, node: Node, card: float, wide: float) -> tuple[list[str], list[str]]:
        """Returns the lines of a node's small card, if that is wide enough, and of the wide one.

        They are a heading, PyTorch's name, what is kept or where the kinks are, and the rules.
        """
        kinks = getattr(OPS.get(node.rule), "kinks", "")
        kinks = in_prose(kinks, gradients_too(names_of(self.graph, node, self.name))) if kinks else ""
        saved = dict.fromkeys(
            (s.ref, self._kept(s.ref), f"version {s.version}{f', since {s.overwritten}' * bool(s.overwritten)}")
            for s in node.saved if s.version is not None)  # fmt: skip
        versions: dict[str, list[str]] = {}
        for _, name, version in saved:
            versions.setdefault(version, []).append(name)
        versioned = listed([f"{listed(names)} ({version})" for version, names in versions.items()]) if saved else ""
        said_rules = self.rules(node)
        refs = dict(zip(getattr(OPS.get(node.rule), "operands", ()), node.operands, strict=False))
        back = [rule for rule in rules_of(node) if rule.left[:1] == "d" and not is_number(refs.get(rule.left[1:], "?"))]
        letters = {letter for rule in back for letter in told_letters(rule)}
        read = [ref for letter, ref in refs.items() if is_number(ref) and letter in letters]
        nothing = f"keeps the number {listed(read)}" if read else "keeps nothing"
        nothing = "keeps the index" if _holds_index(node) else nothing
        nothing = "changes a part, PyTorch hides how" if node.op == "copy_slices" and not node.rule else nothing
        kept = kinks or (f"keeps {versioned}" if saved else nothing if node.kind == "op" else "")
        two = "LogSoftmaxBackward0 and " * (node.rule == "cross_entropy")
        words_, few = f"in PyTorch: {two}{node.torch}" if node.torch else str(node.results[0]), kept
        if not kinks and saved and width(kept, FONT) > card - 30:  # the sentence below says which
            few = f"keeps {many(len(saved), 'tensor' if all(ref[:1] in '%?' for ref, _, _ in saved) else 'value')}"
        head, fits = f"{node.id}  {called(node)}", all(width(line, FONT) <= card - 30 for line in (words_, few))
        small = [head, words_, few, *self._wrapped(said_rules, card)] if fits else []
        return small, [head, words_, kept, *self._wrapped(said_rules, wide)]


def counts(program: Graph) -> str:
    """Says how many nodes of each kind there are, which add up: a broadcast's expand is none of the program's."""
    kinds = Counter("leaf" if node.kind == "parameter" else node.kind for node in program)
    words = {"op": "operation"}
    counts = [many(n, words.get(kind, kind)) for kind, n in sorted(kinds.items(), key=lambda one: one[0] != "op")]
    return ", ".join(counts).replace("leafs", "leaves")


def _holds_index(node: Node) -> bool:
    """True if a node keeps an index; one that a backward has freed does not."""
    try:
        return bool(getattr(node.history, "_saved_indices", ()))
    except RuntimeError:
        return False
