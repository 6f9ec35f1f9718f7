"""python -m tests.conformance.graphs [--subject rustyflow] [--only NAME] [--failures N] [--thin N]

Makes every recorded call of the grid under PyTorch and under the subject, and walks the whole graph below each result:
every node's name, its edges in order, the gaps where an operand is not tracked, the leaf at every end, and which edges
meet in one node. Prints the names whose graphs differ, and how many calls are equal.
"""

import argparse
import importlib
import warnings
from collections import Counter
from fnmatch import fnmatchcase

from .grid import Inputs, cases
from .observe import compiled, restore, tensors
from .specs import FAMILIES

GOAL = 99
"""Percent of the calls whose graphs are to be equal; those of `APART` are not among them."""

APART = {
    "*quantile": "of views and in-place squeezes there, whose names say nothing of quantiles",
    "nanmedian": "one step there, a choice of cells and their median here",
    "combinations": "a mask for each column there, one reading by index here",
    "block_diag": "one step there, rows that are padded and joined here",
    "soft_margin_loss": "one step there, a logarithm of an exponential here",
    "multi_margin_loss": "one step there, scores that are gathered and compared here",
    "triplet_margin*": "distances there by a norm that Python programs never see in a graph",
    "p*_*shuffle": "one step there, a permutation here",
    "channel_shuffle": "one step there, a permutation here",
    "*fold": "one step there, windows and columns here",
    "interpolate": "one step there, each axis by itself here",
    "adaptive_avg_pool*": "one step there, products with a matrix of shares here",
    "cdist": "one step there, a norm of differences here",
}
"""What is not to be equalled, and why: of each name, or pattern of the call, one reason."""


def graph(module, case):
    """The graph below a call's results as a list of lines, one per node and root; None where the call is refused."""
    inputs = Inputs(module, case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = eval(compiled(case.text), {}, inputs)
        except Exception:
            return None
        finally:
            if "torch.set_" in case.text:
                restore(module)
        roots = [*tensors(module, result), *(inputs.bases if case.writes else ())]
        return lines([(t.grad_fn, t.output_nr) if t.grad_fn else None for t in roots], inputs.leaves)


def lines(roots, leaves):
    """`roots`, pairs of a node and an output's number, and all below them, in the order in which a walk meets them."""
    places, said, waiting = {}, [], []

    def place(edge):
        node, output = edge or (None, 0)
        if node is None:
            return "none"
        if type(node).__name__ == "AccumulateGrad":
            return f"leaf {next((k for k, leaf in enumerate(leaves) if leaf is node.variable), '?')}"
        if node not in places:
            places[node] = len(places)
            waiting.append(node)
        return f"%{places[node]}" + (f".{output}" if output else "")

    said.append("return " + ", ".join(map(place, roots)))
    for node in waiting:
        said.append(f"%{places[node]} {type(node).__name__} " + ", ".join(map(place, node.next_functions)))
    return said


def apart(case):
    """The reason why a call's graph is not to be equalled, or None."""
    return next((why for pattern, why in APART.items() if fnmatchcase(case.name, pattern)), None)


def measure(torch, subject, families=FAMILIES, only=None, thin=1):
    """(Counter of (name, what) with what "equal", "different" or "apart"; [(case, ours, theirs)] of the different)."""
    counts, different = Counter(), []
    for family in families:
        for case in cases(family, torch, thin):
            if case.records and (only is None or case.name in only):
                want = graph(torch, case)
                got = want and graph(subject, case)
                if got is None or want == got == ["return none"]:
                    continue
                what = "equal" if want == got else "apart" if apart(case) else "different"
                counts[case.name, what] += 1
                if what == "different":
                    different.append((case, got, want))
    return counts, different


def rate(counts):
    """Percent of calls with PyTorch's graph, of those that are to have it."""
    equal, different = (sum(n for (_, w), n in counts.items() if w == what) for what in ("equal", "different"))
    return 100 * equal / max(equal + different, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("--subject", default="rustyflow", help="the module to measure")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these names")
    parser.add_argument("--failures", type=int, default=0, metavar="N", help="print up to N differing calls per name")
    parser.add_argument("--thin", type=int, default=1, metavar="N", help="only every N-th point of the grid")
    options = parser.parse_args()
    import torch

    counts, different = measure(torch, importlib.import_module(options.subject), only=options.only, thin=options.thin)
    for name in dict.fromkeys(name for name, what in counts if what != "equal"):
        print(f"{name:34}" + ", ".join(f"{w} {counts[name, w]}" for w in ("equal", "different", "apart")))
        for case, got, want in [d for d in different if d[0].name == name][: options.failures]:
            print(f"    {case}\n        ours:    {'; '.join(got)}\n        PyTorch: {'; '.join(want)}")
    total = Counter(what for (_, what), n in counts.items() for _ in range(n))
    print(f"{dict(total)}: {rate(counts):.2f} % equal")


if __name__ == "__main__":
    main()
