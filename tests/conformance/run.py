"""python -m tests.conformance.run [--subject rustyflow] [--only NAME] [--json FILE] [--failures N] [--thin N]

Makes every call of the grid under PyTorch and under the subject, and prints one line per name: the calls made, how many
were equal in value, dtype, shape and gradient, how many views in stride and sharing, how many errors in type, how many
calls in the stride of results with memory of their own.
With --only, the failing calls of that name, with both results.
"""

import argparse
import importlib
import json
import time
from collections import Counter
from dataclasses import dataclass, field

from .grid import cases, reach
from .judge import judge
from .observe import observe
from .specs import FAMILIES

FACETS = ("value", "dtype", "shape", "gradient", "sharing", "stride", "error", "layout")
GOALS = {"calls": 99, "views": 100, "errors": 95, "layouts": 99.5}

LAID_APART = {
    **dict.fromkeys(("select_scatter", "slice_scatter", "diagonal_scatter"), "a copy keeps a slice's gaps there"),
    "unravel_index": "all indices are one table there, read column by column",
}
"""The names whose results do not all lie in memory of their own as PyTorch's do, and why."""


@dataclass
class Tally:
    """Counts of one name, one family or everything; `failed` counts by facet."""

    equal: int = 0
    calls: int = 0
    faithful: int = 0
    views: int = 0
    agreed: int = 0
    errors: int = 0
    refused: int = 0
    failed: Counter = field(default_factory=Counter)
    failures: list = field(default_factory=list)

    @property
    def laid(self):
        return self.calls - self.failed["layout"]

    def count(self, case, verdict):
        self.failed.update(verdict.failed)
        if verdict.kind == "raises":
            self.errors += 1
            self.agreed += verdict.equal
        elif verdict.kind == "refused":
            self.refused += 1
        else:
            self.calls += 1
            self.equal += verdict.equal
        if verdict.view:
            self.views += 1
            self.faithful += verdict.faithful
        if verdict.failed:
            self.failures.append((case, verdict))

    def __iadd__(self, other):
        for name in ("equal", "calls", "faithful", "views", "agreed", "errors", "refused"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.failed += other.failed
        self.failures += other.failures
        return self

    @property
    def rates(self):
        """Percent of calls equal, of views faithful, of errors agreed, of calls whose results of their own lie as
        PyTorch's; None where there were none."""
        pairs = [(self.equal, self.calls), (self.faithful, self.views), (self.agreed, self.errors)]
        pairs.append((self.laid, self.calls))
        return {name: 100 * a / b if b else None for name, (a, b) in zip(GOALS, pairs, strict=True)}


def measure(torch, subject, families=FAMILIES, only=None, thin=1):
    """{family title: {name: Tally}} of the whole grid, or of the names in `only`."""
    found = {}
    for family in families:
        names = found.setdefault(family.title, {})
        for case in cases(family, torch, thin):
            if only is None or case.name in only:
                want = observe(torch, case, trusted=True)
                names.setdefault(case.name, Tally()).count(case, judge(want, observe(subject, case)))
    return {title: names for title, names in found.items() if names}


def total(names):
    tally = Tally()
    for one in names.values():
        tally += one
    return tally


def absent(torch, subject, family, names):
    """The names for which the subject has neither PyTorch's function nor its method."""
    prefix = next(f.prefix for f in FAMILIES if f.title == family)

    def has(module, name):
        return reach(module, prefix + name) is not None or reach(module, f"Tensor.{name}") is not None

    return [name for name in names if has(torch, name) and not has(subject, name)]


def line(name, tally):
    def rate(good, of):
        return f"{good:6}/{of:<6}{100 * good / of:6.1f}%" if of else " " * 20

    facets = ", ".join(f"{f} {tally.failed[f]}" for f in FACETS if tally.failed[f])
    facets += f" ({tally.refused} writes refused by design)" if tally.refused else ""
    pairs = [(tally.equal, tally.calls), (tally.faithful, tally.views), (tally.agreed, tally.errors)]
    pairs.append((tally.laid, tally.calls))
    return f"{name:34}" + "  ".join(rate(*pair) for pair in pairs) + "  " + facets


def as_json(found):
    """{family: {name: its counts}} of plain numbers."""

    def counts(tally):
        return {**vars(tally), "failures": [f"{case}: {verdict.note}" for case, verdict in tally.failures[:5]]}

    return {title: {name: counts(tally) for name, tally in names.items()} for title, names in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("--subject", default="rustyflow", help="the module to measure")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="measure these names and print their failing calls")
    parser.add_argument("--json", metavar="FILE", help="write the counts there")
    parser.add_argument("--failures", type=int, metavar="N", help="print up to N failing calls per name")
    parser.add_argument("--thin", type=int, default=1, metavar="N", help="only every N-th point of the grid")
    options = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    start = time.perf_counter()
    subject = importlib.import_module(options.subject)
    found = measure(torch, subject, only=options.only, thin=options.thin)
    if not found:
        parser.error(f"no family of the grid has {' or '.join(options.only)}")
    show = options.failures if options.failures is not None else 20 if options.only else 0
    print(f"{'':34}{'calls equal':20}  {'views faithful':20}  {'errors agreed':20}  {'layouts equal':20}  failed in")
    for title, names in found.items():
        for name, tally in names.items():
            print(line(name, tally))
            for case, verdict in tally.failures[:show]:
                print(f"    {case}\n        {verdict.note[:400]}")
        print(line(f"== {title}", total(names)))
        print("   absent:", " ".join(absent(torch, subject, title, names)) or "none", "\n")
    every = total({title: total(names) for title, names in found.items()})
    print(line("== everything", every), f"\n{time.perf_counter() - start:.0f} s")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(as_json(found), file, indent=1)


if __name__ == "__main__":
    main()
