"""python -m tests.conformance.spoiled [--only NAME] [--failures N] [--thin N]

Every call of the grid with one argument spoiled, left out or added, under PyTorch and under rustyflow: whether what
PyTorch refuses is refused with its type of error, in three parts, and what it takes is taken.
"""
from __future__ import annotations

import argparse
import ast
import builtins
import importlib
import warnings
from collections import Counter
from collections.abc import Iterator

from .grid import Case, Inputs, forms, rows
from .specs import FAMILIES

WRONG = (
    "'a'", "None", "[1.5, 'q']", "{}", "True", "1.5", "-1", "7", "10**20", "[]", "[0, 0]", "x", "x.long()", "x > 0",
    "torch.ones(7)", "torch.tensor(1)", "torch.ones(0)", "object()", "(1,)", "torch.ones(2, 2, 2, 2)",
    "torch.tensor([0, 1])", "float('nan')", "-9", "torch.int64", "'mean'",
)
"""What stands in the place of each argument; no complex number, for there are none here by design."""

APART = ("backward", "empty", "seed", "set_")
"""In the names of functions whose calls do not stand alone, or whose results are not promised."""


def calls(module) -> set[tuple[str, str]]:
    """The names of the grid, and their calls as text, in every form that the module has."""
    return {
        (family.prefix + name, text)
        for family in FAMILIES
        for names, right, _ in rows(family.table)
        for name in names
        for arguments in right
        if not arguments.startswith("=")
        for _, text in forms(family, module, name, arguments)
    }


def spoiled(text: str, wrong=WRONG) -> Iterator[str]:
    """The call once for each of its arguments and each wrong value in that argument's place."""
    whole = ast.parse(text, mode="eval").body
    for value in wrong:
        for k in range(len(whole.args) + len(whole.keywords)):
            call = ast.parse(text, mode="eval").body
            if k < len(call.args):
                call.args[k] = ast.parse(value, mode="eval").body
            else:
                call.keywords[k - len(call.args)].value = ast.parse(value, mode="eval").body
            yield ast.unparse(call)


def short_or_long(text: str) -> Iterator[str]:
    """The call without each of its arguments, and with one more."""
    for k in range(len(ast.parse(text, mode="eval").body.args)):
        call = ast.parse(text, mode="eval").body
        del call.args[k]
        yield ast.unparse(call)
    call = ast.parse(text, mode="eval").body
    call.args.append(ast.Constant(5))
    yield ast.unparse(call)


def outcome(module, name: str, call: str) -> Exception | None:
    """The error of a call; None where there is none."""
    module.manual_seed(0)
    try:
        eval(call, Inputs(module, Case("", name, call, "float32", "contiguous", False, False)))
    except Exception as error:
        return error
    return None


def verdict(want: Exception | None, got: Exception | None) -> str:
    """equal, or in which way two outcomes differ."""
    if want is None or got is None:
        return "equal" if want is got else "accepted" if got is None else "refused"
    kind = next(k for k in type(want).__mro__ if k.__module__ == builtins.__name__)
    if not isinstance(got, kind):
        return "another type"
    return "equal" if getattr(got, "fix", "") else "in fewer parts"


def measure(torch, subject, only: str = "", thin: int = 1) -> tuple[Counter, list[tuple[str, str, object, object]]]:
    """How many outcomes are equal, and those that differ in some way; with `thin` of every so many calls."""
    tally, differing = Counter(), []
    names = {(name, text) for name, text in calls(subject) if only in ("", name) and not any(a in name for a in APART)}
    every = sorted({(name, call) for name, text in names for call in (*spoiled(text), *short_or_long(text))})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in every[::thin]:
            want, got = outcome(torch, name, call), outcome(subject, name, call)
            found = verdict(want, got)
            tally[found] += 1
            if found != "equal":
                differing.append((found, call, want, got))
    return tally, differing


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--failures", type=int, default=0)
    parser.add_argument("--thin", type=int, default=1)
    asked = parser.parse_args()
    torch, subject = importlib.import_module("torch"), importlib.import_module("rustyflow")
    tally, differing = measure(torch, subject, asked.only, asked.thin)
    for found, call, want, got in differing[:asked.failures]:
        print(f"{found}: {call}\n    PyTorch: {want!r:.150}\n    here: {got!r:.150}")
    total = sum(tally.values())
    if not total:
        parser.error(f"no call of the grid is named {asked.only!r}")
    print(f"{tally['equal']}/{total} equal, {tally['equal'] / total:.2%};",
          ", ".join(f"{n} {found}" for found, n in tally.most_common() if found != "equal"))


if __name__ == "__main__":
    main()
