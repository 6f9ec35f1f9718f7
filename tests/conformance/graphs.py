"""python -m tests.conformance.graphs [--subject rustyflow] [--only NAME] [--failures N] [--thin N]

Makes every recorded call of the grid under PyTorch and under the subject, and walks the whole graph below each result:
every node's name, its edges in order, the gaps where an operand is not tracked, the leaf at every end, and which edges
meet in one node. Prints the names whose graphs differ, and how many calls are equal.
"""

import argparse
import importlib
import re
import warnings
from collections import Counter

from .grid import Family, Inputs, cases
from .observe import compiled, restore, tensors
from .specs import FAMILIES

ONCE = {"dtypes": ("float64",), "layouts": ("contiguous", "transposed")}
MORE = (Family("names beside the grid", """
absolute arccos arcsin arcsinh arctan arctanh negative sgn fix: u
arccosh: p
arctan2 subtract multiply divide: x, y; x, 2
greater less_equal not_equal: x, y; x, 2
clip: x, 0, 1; x, y
aminmax: x; x, dim=1
addr: x, t(3), v
column_stack dstack: [x, y]; [v, w]
hsplit vsplit: t(4, 4), 2; t(4, 4), [1]
dsplit: t(2, 2, 4), 2
cross: q, t(3, 3); q, row[:, :3]
diagonal_scatter: x, t(3)
select_scatter: x, v, 0, 1
slice_scatter: x, v[None], 0, 1, 2
fill: x, 2; x, s
fliplr flipud msort positive adjoint nanmean nansum logdet slogdet: q
nansum nanmean: odd, 1
ger: v, w
kthvalue: x, 2; x, 1, 0, True
logcumsumexp: x, 1
masked_scatter: x, mask, y
moveaxis swapdims: x, 0, 1
rsub: x, y; x, 2
std_mean: x; x, 1
unique_consecutive: x; x, dim=0
sort: x; x, 0, True
mv: x, v
relu: x
exponential_ random_ normal_ uniform_ bernoulli_ geometric_ cauchy_ log_normal_: x
normal: x, p; x, 2.0; 0.5, p
poisson bernoulli: u.abs()
programs: = x ** y; = x.sum() / 2; = -x @ v; = x[0] @ x[1]; = 2 ** x
""", **ONCE), Family("layers beside the grid", """
adaptive_avg_pool2d: t(1, 2, 4, 4), 2; t(1, 2, 4, 4), 1
avg_pool1d max_pool1d: t(1, 2, 4), 2
celu hardsigmoid hardswish mish relu6 selu: x
softmin: x, 1
conv_transpose1d: t(1, 2, 4), t(2, 3, 2)
conv_transpose2d: t(1, 2, 4, 4), t(2, 3, 2, 2), t(3)
instance_norm: c; c, weight=t(3), bias=t(3)
pairwise_distance: x, y; x, v, 1.0, keepdim=True
dropout: x
scaled_dot_product_attention: t(2, 2, 3, 4), t(2, 2, 3, 4), t(2, 2, 3, 4)
""", prefix="nn.functional.", methods=False, seeded=True, **ONCE), Family("matrices beside the grid", """
cross: q, t(3, 3)
vecdot: x, y; c, c, dim=0
matrix_norm: x; x, 'nuc'; x, 2; x, 1; x, float('-inf'), keepdim=True
slogdet: well
""", prefix="linalg.", methods=False, **ONCE))  # fmt: skip
"""A call or two of the names that have a gradient and are not in the grid."""

GOAL = 99
"""Percent of the calls whose graphs are equal; those of `APART` count as different."""

APART = {
    r"combinations\(": "a mask for each column there, one reading by index here",
    r"cross_entropy\(": "log_softmax and nll_loss are one node, which makes no array of the gradient between them",
    r"attention\(.*, empty": "of no cells PyTorch sums nothing, to join the graph; here it is a product like any other",
    r"7 % p": "PyTorch has no derivative there",
    r"sum\(x, None\)": "dim=None says no more than leaving it out",
    r"mode='circular'": "one read of the cells; PyTorch copies slice after slice into a new tensor, a node for each",
    r"instance_norm\(.*, empty": "of no channels PyTorch copies the input; here they are normalized like any other",
    r"linalg\.svd\(": "a step that gives the right vectors as rows, a transpose of their columns here",
}
"""What is not to be equalled, by a pattern of the call, and why."""


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


def measure(torch, subject, families=(*FAMILIES, *MORE), only=None, thin=1):
    """What was counted, of (name, what) with what "equal", "different" or "apart"; and of the two last kinds a list of
    (case, our graph, PyTorch's, the pattern of `APART` or None).
    """
    counts, unequal = Counter(), []
    for family in families:
        for case in cases(family, torch, thin):
            if case.records and (only is None or case.name in only):
                want = graph(torch, case)
                got = want and graph(subject, case)
                if got is None or want == got == ["return none"]:
                    continue
                pattern = next((p for p in APART if re.search(p, str(case))), None)
                what = "equal" if want == got else "apart" if pattern else "different"
                counts[case.name, what] += 1
                if what != "equal":
                    unequal.append((case, got, want, pattern))
    return counts, unequal


def rate(counts):
    """Percent of calls with PyTorch's graph."""
    return 100 * sum(n for (_, what), n in counts.items() if what == "equal") / max(sum(counts.values()), 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("--subject", default="rustyflow", help="the module to measure")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these names")
    parser.add_argument("--failures", type=int, default=0, metavar="N", help="print up to N differing calls per name")
    parser.add_argument("--thin", type=int, default=1, metavar="N", help="only every N-th point of the grid")
    options = parser.parse_args()
    import torch

    counts, unequal = measure(torch, importlib.import_module(options.subject), only=options.only, thin=options.thin)
    for name in dict.fromkeys(name for name, what in counts if what != "equal"):
        print(f"{name:34}" + ", ".join(f"{w} {counts[name, w]}" for w in ("equal", "different", "apart")))
        for case, got, want, _ in [u for u in unequal if u[0].name == name and not u[3]][: options.failures]:
            print(f"    {case}\n        ours:    {'; '.join(got)}\n        PyTorch: {'; '.join(want)}")
    total = Counter(what for (_, what), n in counts.items() for _ in range(n))
    for pattern, why in APART.items():
        print(f"apart: {sum(u[3] == pattern for u in unequal)} of {pattern}: {why}")
    print(f"{dict(total)}: {rate(counts):.2f} % equal")


if __name__ == "__main__":
    main()
