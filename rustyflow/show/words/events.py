"""The events of a backward pass in words: sentences, rules in symbols and in numbers, growing gradients."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ...autograd import Step, no_grad
from ...autograd.contributions import contributions
from ...backends import backend
from ...claims.claim import Claim
from ...claims.digits import EQUAL, NEAR
from ...claims.letters import given_back_to, inlined, reads_by_index, usual
from ...claims.rule import Rule
from ...claims.say import say_right, told_letters
from ...claims.tree import Filled, called
from ...ir import Node
from ...ir.node import owner
from ...tensor.history import KEEP
from .nodes import Voice, certain, changed, counted
from .rule import arrays_of, arrived, behind, below, computed, holds, names_of, put, rule_of, sums
from .sentences import listed, many

LONGEST, BOXED, SENTENCE = 28, 130, 190
"""The characters that an array may have in a formula, a rule in its box, and a sentence on all that a node sends."""

WORDS = {"seed": "seed", "vjp": "hands on", "sum_to": "sums", "accumulate": "arrives", "hook": "hook", "free": "frees"}
"""What each kind of event is called, where there is room for a word."""

Piece = tuple[str, str]
"""Words of a formula, and their ink."""


class Sided(NamedTuple):
    """A sentence on an event, with what stands beside it.

    An inspector says a heading, a rule in symbols, formulas in coloured pieces, and last words; a ledger has its own.
    `seen` leaves out of the sentence what the inspector says.
    """

    sentence: str
    head: str = ""
    symbols: str = ""
    formulas: tuple[Sequence[Piece], ...] = ()
    last: str = ""
    ledger: tuple[str, ...] = ()
    seen: str = ""


class Sent(NamedTuple):
    """A gradient that a node has sent to one operand.

    It has the node or result and its name, the rule in symbols and in numbers, and what that gives.
    """

    ref: str
    to: str
    by: str
    gives: str
    shown: Sequence[Piece]


class Events:
    """The sentences of all events, told one after the other.

    Args:
        awaited: how many gradients come to each node, or to each of its results. made_up: whether the first one is.
        line: how many characters a formula may have.

    Attributes:
        come: how many gradients have come to each of these so far.
    """

    def __init__(self, voice: Voice, awaited: Mapping[str, int], made_up: bool, line: int):
        self.voice, self.graph, self.awaited, self.made_up = voice, voice.graph, awaited, made_up
        self.line = line
        self.sent: list[Sent] = []
        self.come = dict.fromkeys(awaited, 0)

    def tell(self, step: Step, ref: str) -> Sided:
        """Returns the words for an event of backward at a node, or at one of its results."""
        node = self.graph[ref]
        if step.kind in ("seed", "accumulate"):
            self.come[ref] += 1
        told = getattr(self, f"_{step.kind}")
        which = (ref,) if step.kind in ("seed", "accumulate") else ()
        return told(step, node, self.voice.called(node, ref), *which)

    def heard(self, node: Node) -> int:
        """Returns how many gradients have come to a node, to whichever of its results."""
        return sum(self.come.get(ref, 0) for ref in node.refs)

    def _waits(self, node: Node, ref: str, to: str) -> str:
        """Says for how many more gradients a node or one of its results waits.

        A result waits for its own, and if it has these, the node for those of the others.
        """
        more, all_ = (sum(self.awaited.get(r, 0) - self.come.get(r, 0) for r in refs) for refs in ([ref], node.refs))
        who = to if more else self.voice.called(node)
        return f"{who} waits for {more or all_} more" if all_ else ""

    def computed(self, node: Node) -> Sided:
        """Returns the words for what an operation computes."""
        rule, arrays = computed(node), arrays_of(self.graph, node)
        names = names_of(self.graph, node, self.voice.name)
        rule = rule if holds(rule, arrays, node.out) or node.labels else None
        alone = rule is not None and isinstance(rule.tree, ast.Subscript)  # an index is of a name
        hard = rule is None or reads_by_index(rule) and not alone or "'s " in say_right(rule)
        copied = isinstance(getattr(rule, "tree", None), ast.Name) and rule.tree.id in arrays  # in a shape of its own
        told = None if hard or copied else inlined(rule)
        shown, equals, result = self._in_numbers(told, arrays, node.out, names if alone else {})
        filled = "".join(text for text, _ in shown)
        value = self.voice.in_full([*node.outs], LONGEST)  # also where the rule before it has no room
        result = result if result and not node.labels else self.voice.written([*node.outs], LONGEST)
        if filled not in ("", result) and not node.labels and (alone or filled != say_right(rule)):
            shown, gives = [*shown, (f" {equals} ", ""), (result, "value-ink strong")], f": {filled} {equals} {result}."
        else:
            gone = node.out is None and 0 < prod(node.shape or ()) <= KEEP and not node.labels
            many_ = bool(node.shape)
            it, its = (many(prod(node.shape or ()), "number"), "their") if many_ else ("a number", "its")
            lost = f"{it}, which nothing kept before {its} storage was written to in place" if gone else ""
            if gone and (into := next((other for other in self.graph if other.rule == "copy_slices"
                                       and other.operands[1:] == (node.id,)), None)):  # fmt: skip
                whole = behind(self.graph, into.operands[0])
                of = self.voice.called(whole) if whole is not None else "something untracked"
                lost = f"{it}, which {'were' if many_ else 'was'} written into a part of {of}"
            result = value or lost or (counted(node) if node.labels else f"shape {tuple(node.shape or ())}")
            shown, gives = [(result, "value-ink")], f" gives {result}."
        symbols = f"{self.voice.name(node)} = {put(rule, names)}" if rule else ""
        sources = {source.id: source for ref in node.operands if (source := behind(self.graph, ref)) is not None}
        late = [source for source in sources.values() if changed(source)]
        have = ("has" if len(late) == 1 else "have") if all(map(certain, late)) else "may have"
        gives += f" {listed(list(map(self.voice.name, late)))} {have} changed since." if late else ""
        return Sided(f"{self.voice.called(node)}{gives}", node.op, symbols, (shown,))

    def _in_numbers(
        self, rule: Rule | None, arrays: Mapping[str, Any], result: Any,
        named: Mapping[str, str] = MappingProxyType({}), about: str = "",
    ) -> tuple[list[Piece], str, str]:  # fmt: skip
        """Returns a rule with its numbers, cut by colour, then `=` or `≈`, then what it comes to.

        The numbers have as many digits as that takes; there is nothing if there is no room for these. What is `named`
        stands there by its name.
        """
        came = self.voice.written(result, LONGEST) if rule and result is not None else ""
        if not came:
            return [], "", ""
        tree = Filled(rule, arrays, named)
        told = {name: array for name, array in tree.known.items() if name in told_letters(rule) and name not in named}
        if not all(self.voice.written(array, LONGEST) for array in told.values()):
            return [], "", ""
        claim = Claim(about, tree, result, digits=self.voice.digits)
        digits, sign = claim.told if claim.holds else (0, "")
        if not sign or not all(self.voice.written(array, LONGEST, digits) for array in told.values()):
            return [], "", ""
        inks = {name: "grad-ink" if name == "g" else "value-ink" for name in tree.known}
        return [(text, inks.get(name, "")) for name, text in tree.pieces(digits)], sign, came

    def _seed(self, step: Step, node: Node, name: str, ref: str) -> Sided:
        size = f"{'of shape ' * (not node.labels)}{counted(node)}"
        shown = self.voice.in_full(step.contribution, 30) or size
        one = step.contribution.size == 1 and float(step.contribution.reshape(-1)[0]) == 1
        outside = "numbers made up here, unless you give yours with" if self.made_up else "given with"
        why = "that of anything by itself" if one and not self.made_up else f"{outside} upstream="
        left = self.voice.arriving(node, ref)
        sentence = f"Backward begins: {left}, the gradient that reaches {name}, is {shown}: {why}."
        about, _, _, value = self.voice.claim(left, step.contribution).pieces
        line = [(about, ""), (value if shown != size else shown, "grad-ink")]
        return Sided(sentence, f"{left}, where backward begins", "", (line,), why)

    def _target(self, node: Node, operand: int) -> tuple[Node, str, str]:
        """Returns the node that an operand is, the reference to it, and its name."""
        ref = below(self.graph, node.operands[operand])
        target = self.graph[ref]
        return target, ref, self.voice.called(target, ref)

    def _vjp(self, step: Step, node: Node, name: str) -> Sided:
        target, ref, to = self._target(node, step.operand)
        operands = getattr(node.history.op, "operands", ())
        letter = operands[step.operand] if step.operand < len(operands) else "x"
        rule = (rule := rule_of(node, f"d{letter}")) and usual(rule)
        left = self.voice.arriving(target, ref)
        upstream = arrived(step)
        names = names_of(self.graph, node, self.voice.name)
        arrays = {**arrays_of(self.graph, node), "g": upstream}
        if not node.history.posthooks and not holds(rule, arrays, step.contribution):
            rule = None
        symbols = f"{left} = {put(rule, names)}" if rule else left
        if len(symbols) > BOXED:
            rule, symbols = None, left
        read = given_back_to(rule) if rule else ""  # not all of its numbers were
        named = {read: names[read]} if read in names else {}
        shown, equals, came = self._in_numbers(rule, arrays, step.contribution, named, left)
        whole = self.voice.claim(left, step.contribution)  # also where the rule before it has no room
        alone = self.voice.written(step.contribution, self.line - len(left) - 3)
        result = self.voice.in_full(step.contribution, LONGEST)
        if shown and "".join(text for text, _ in shown) != came:
            shown = [(f"{left} = ", ""), *shown, (f" {equals} ", ""), (came, "grad-ink strong")]
        elif alone:
            shown = [(whole.pieces[0], ""), (whole.pieces[3], "grad-ink strong")]
        else:
            shown = [(f"{left}: shape {tuple(step.contribution.shape)}", "grad-ink")]
        shape, whose = tuple(step.contribution.shape), name if self.graph.expansion(node.id, step.operand) else to
        last = f"its shape is {shape}, like the value of {whose}" if shape and len(shown) > 1 else ""
        if (unhooked := self._before_hooks(step, node)) is not None:
            was, whole = self.voice.in_full(unhooked, LONGEST), self.voice.written(step.contribution, LONGEST)
            result = f"{was}, which a hook on {name} makes {result}" if was and result else ""
            about = self.voice.claim(left, step.contribution).pieces[0] if whole else f"{left} {EQUAL} "
            shown = [(about, ""), (whole or "another", "grad-ink strong"),
                     (", by a hook on the node", "muted")]  # fmt: skip
        self.sent.append(Sent(ref, to, symbols if rule else "", result, shown))
        by = f", by {symbols}" if len(symbols) <= self.line else ", by its rule"
        gives = f", which gives {result}" if result else ""
        brief = f"hands on: {name} turns its gradient into one for {to}"
        sentence = f"{brief}{by if rule else ''}{gives}."
        return Sided(sentence, f"from {name} to {to}", symbols, (shown,), last, seen=f"{brief}.")

    def _before_hooks(self, step: Step, node: Node) -> Any:
        """Returns what a node's rule came to, if a hook on the node has sent another gradient in its place."""
        if not node.history.posthooks:
            return None
        with no_grad(), backend.silent():
            came = contributions(node.history, step.upstream, backend)
        sent = next((g for _, g, operand in came if operand == step.operand), None)
        same = sent is None or sent.shape == step.contribution.shape and not (sent != step.contribution).any()
        return None if same else sent

    def _sum_to(self, step: Step, node: Node, name: str) -> Sided:
        _, _, to = self._target(node, step.operand)
        before, after = np.asarray(step.upstream), np.asarray(step.contribution)
        lines = list(sums(before, after, self.voice.digits)) if before.size != after.size else []
        shown = [
            piece for head, terms, equals, total in lines[:1]
            for piece in ((head, ""), (terms, "grad-ink"), (f" {equals} ", ""), (total, "grad-ink strong"))
        ]  # fmt: skip
        also = [[(f"{head}{terms} {equals} {total}", "muted")] for head, terms, equals, total in lines[1:2]]
        comes = f": {' '.join(lines[0][1:])}" if len(lines) == 1 else f" into {after.size}"
        read, how = f"{to} was read as {many(before.size, 'number')}", "summed to"
        head = f"{to} was read {before.size // max(1, after.size)} times"
        symbols = f"from shape {tuple(before.shape)} to {tuple(after.shape)}, {to}'s own"
        sentence = f"sums: {read}, so its {before.size} gradients are added up{comes}."
        if before.size == after.size:  # only its shape was another, as that of a bias for one row
            head, how = f"{to} has shape {tuple(after.shape)}", "without the axes in front"
            sentence = f"sums: the gradient has shape {tuple(before.shape)} and {to} has {tuple(after.shape)}: "
            sentence += "there is nothing to add up."
        total = self.voice.in_full(after, LONGEST)
        ref, to, by, gives, line = self.sent.pop()
        by = by if gives and total else f"{by}, {how.removesuffix(' to')}" if by else ""
        if gives and total:
            line = [*line, (f", {how.removesuffix(' to')} ", ""), (total, "grad-ink strong")]
        elif before.size != after.size:  # what was sent is not yet what it gets
            left = line[0][0].partition(" = ")[0].partition(" ≈ ")[0].partition(": ")[0]
            line = [(f"{left}: summed to ", ""), (total or f"shape {tuple(after.shape)}", "grad-ink strong")]
        gives = f"{gives}, {how} {total}" if gives and total else ""
        self.sent.append(Sent(ref, to, by, gives, line))
        return Sided(sentence, head, symbols, (shown, *also))

    def _accumulate(self, step: Step, node: Node, name: str, ref: str) -> Sided:
        come, all_, leaf = self.come[ref], self.awaited[ref], node.kind != "op"
        arrays = step.before, step.contribution, step.after
        equals, more = self._sign_of_sum(*arrays) if step.before is not None else ("=", 0)
        digits, size = (more, more, 0), many(step.after.size, "number") if node.labels else counted(node)
        before, came, after = (self.voice.tight([x], 18, n) or size for x, n in zip(arrays, digits, strict=True))
        before = "nothing" if step.before is None else before
        after = after if equals == "=" or after == size else f"{equals} {after}"
        head = self.voice.grad(node) if leaf else self.voice.arriving(node, ref)
        when = "now" if come == all_ else "so far"
        ledger = head, before, came, after, when
        one = f"one of shape {tuple(step.after.shape)}"
        before, came, after = (self.voice.in_full(x, 28, n) or one for x, n in zip(arrays, digits, strict=True))
        if step.before is not None and one in (before, came):
            before = came = one
        if step.before is None:
            sentence = f"arrives: {name} now has {after}"
        else:
            near = f"{NEAR} " * (equals == NEAR and after[0] != NEAR)
            is_ = "" if after.startswith("one of") else f": {near}{after}"
            sentence = f"arrives: {name} had {before}, and {came} comes to it{is_}"
        sentence += f"; {come} of {all_} {'has' if come == 1 else 'have'} reported." if all_ > 1 else "."
        if come < all_:
            sentence += f" It waits for {'the other' if all_ - come == 1 else 'the others'}."
        if not leaf and come == all_:
            waits = self._waits(node, ref, name)
            ready = f"{self.voice.called(node)} is ready" if node.labels else "It is ready"
            sentence += f" {waits or ready}."
        return Sided(sentence, ledger=ledger)

    def _sign_of_sum(self, before: Any, came: Any, after: Any) -> tuple[str, int]:
        """Returns the sign before the sum of what was there and what comes, and the digits it needs.

        It is `=` where these, as they are written, add up to what is there now.
        """
        claim = Claim("", called("+", [before, came]), after, digits=self.voice.digits)
        digits, sign = claim.told
        return sign, digits or self.voice.digits

    def _hook(self, step: Step, node: Node, name: str) -> Sided:
        grads = (g[0] if type(g) is list and not node.labels else g for g in (step.upstream, step.contribution))
        before, after = ("" if type(g) is list else self.voice.in_full(g, 26) for g in grads)
        shown, does = [("another one takes its place", "grad-ink")], "replaces"
        if before and before == after:
            shown, does = [(f"it stays {after}", "grad-ink")], "gives back"
        elif before and after:
            shown = [(before, "grad-ink"), (" becomes ", ""), (after, "grad-ink")]
        sentence = f"hook: a hook {does} the gradient of {name}: {''.join(text for text, _ in shown)}."
        return Sided(sentence, f"a hook on {name}", "register_hook", (shown,), "a function of the program's")

    def _free(self, step: Step, node: Node, name: str) -> Sided:
        sent, self.sent = self.sent, []
        phrases = ["".join((f"to {one.to}", one.by and f" by {one.by}", one.gives and f", which gives {one.gives}"))
                for one in sent]  # fmt: skip
        times = [{1: "", 2: "twice "}.get(n, f"{n} times ") + one for one, n in Counter(phrases).items()]
        to = list(dict.fromkeys(part.to for part in sent))
        sentence = f"{name} hands its gradient on {'; '.join(times)}."
        if len(sentence) > SENTENCE:
            sentence = f"{name} hands its gradient on to {listed(to)}."
        targets = {part.ref: part.to for part in sent}.items()
        brief = f"{name} hands its gradient on to {listed(to)}."
        waiting = list(dict.fromkeys(filter(None, (self._waits(self.graph[ref], ref, to) for ref, to in targets))))
        then = f" {listed(waiting)}." if waiting else ""
        kept = listed(list(dict.fromkeys(self._kept(node))))
        then += f" Then {name if waiting else 'it'} lets go of {kept}." if node.saved else ""
        by = ",  ".join(dict.fromkeys(part.by for part in sent if part.by))
        return Sided(sentence + then, f"{name} hands on to {listed(to, 3)}", by if len(by) <= self.line else "",
                    tuple(part.shown for part in sent), seen=brief + then)  # fmt: skip

    def _kept(self, node: Node) -> Iterator[str]:
        """Yields the names of what a node has kept for backward."""
        for ref in (saved.ref for saved in node.saved):
            source = behind(self.graph, ref)
            if owner(ref) == node.id:
                yield f"its {ref.partition('.')[2] or 'own result'}"
            else:
                lost = "something untracked" if ref == "?" else f"the number {ref}"
                yield self.voice.called(source, below(self.graph, ref)) if source is not None else lost
