"""python -m tests.conformance.docs_examples [--subject rustyflow] [--only NAME] [--failures N]

Runs the examples in PyTorch's own docstrings with one import changed. They are read from the PyTorch that is installed;
none is kept here. Each statement runs under PyTorch and under the subject, after the same manual_seed; counted are the
statements that PyTorch itself can run, and the printed outputs that PyTorch itself repeats, but those of a number that
rounding left of 0, which the machine's BLAS decides. Functions of tensors are counted first, then the names that
rustyflow has in `nn`, `optim` and `utils.data`, with the model, the optimizer and the loops that their examples leave
out; of those what does not run is listed by reason.
"""

import argparse
import ast
import contextlib
import importlib
import io
import math
import re
import sys
import warnings
from collections import Counter
from unittest.mock import patch

import numpy as np

from .grid import reach, rows
from .observe import restore, time_limit
from .specs import FAMILIES

ABSENT_BY_DESIGN = re.compile(r"complex|sparse|cuda|\dj\b|cfloat|cdouble|view_as_real|polar|quantize|names=")
LAYERS = ("nn", "nn.init", "nn.utils", "optim", "optim.lr_scheduler", "utils.data")
"""Where the layers, optimizers and loaders stand."""
LEFT_OUT = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2))
input, target, loss_fn = torch.randn(5, 3), torch.randn(5, 2), torch.nn.MSELoss()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
optimizer = torch.optim.SGD([{"params": layer.parameters()} for layer in model], lr=0.05)
train = validate = train_batch = lambda *args: 1.0
"""
"""What their examples take for granted."""
REASONS = {"there are no complex numbers": r"cdouble|linear\.weight", "there is one device": "cuda"}
"""Why a statement of theirs does not run."""
RESIDUE = re.compile(r"tensor\(\d\.\d+e-(0[5-9]|[1-9]\d)(, dtype=torch\.float64)?\)\n")
"""What is printed of a distance that is 0 but for rounding."""
PROMPT = re.compile(r"^\s*(>>>|\.\.\.)( (.*))?$")


def statements(docstring):
    """The statements after `>>>`, with their `...` lines, or lines that are indented further, joined to them."""
    found = []
    for line in (docstring or "").splitlines():
        if match := PROMPT.match(line):
            prompt, text = match[1], match[3] or ""
            if found and (prompt == "..." or text.startswith((" ", "\t"))):
                found[-1] += "\n" + text
            else:
                found.append(text)
    return [text for text in found if is_code(text)]


def is_code(text):
    try:
        return bool(ast.parse(text).body)
    except SyntaxError:
        return False


def docstrings(torch):
    """{name: docstrings with examples}, each docstring once: of the function, the method and the in-place method."""
    seen, found = set(), {}
    for family in FAMILIES:
        for names, _, _ in rows(family.table):
            for name in names:
                for path in (family.prefix + name, name, f"Tensor.{name}", f"Tensor.{name}_"):
                    text = getattr(reach(torch, path), "__doc__", None) or ""
                    if name.isidentifier() and ">>>" in text and text not in seen:
                        seen.add(text)
                        found.setdefault(name, []).append(text)
    return found


def layers(torch, subject):
    """{name: docstrings with examples} of the layers, optimizers and loaders that the subject has, with methods."""
    found = {}
    for place in LAYERS:
        for name in reach(subject, place).__all__:
            theirs = getattr(reach(torch, place), name, None)
            methods = vars(theirs).values() if isinstance(theirs, type) else ()
            texts = [getattr(one, "__doc__", None) or "" for one in (theirs, *methods)]
            found[f"{place}.{name}"] = [text for text in texts if ">>>" in text]
    return found


class Session:
    """A namespace in which `torch` is one library, as after the changed import."""

    def __init__(self, module, place="", trusted=False):
        self.module, self.trusted = module, trusted
        self.names = {"torch": module, "math": math, "np": np, "numpy": np}
        for name, path in (("nn", "nn"), ("F", "nn.functional"), ("Tensor", "Tensor")):
            self.names[name] = reach(module, path)
        if place:
            self.run(LEFT_OUT, 0)
            self.names |= {name: getattr(reach(module, place), name) for name in dir(reach(module, place))}

    def run(self, statement, seed):
        """(what was printed, the error or None). The generator is seeded first, so that random outputs compare."""
        source = re.sub(r"\bimport torch$", "import torch as torch", statement, flags=re.M)
        source = re.sub(r"\b(import|from) torch\b", rf"\1 {self.module.__name__}", source)
        printed = io.StringIO()
        prompt = patch.object(sys, "displayhook", lambda value: None if value is None else print(repr(value)))
        with contextlib.redirect_stdout(printed), warnings.catch_warnings(), prompt:
            warnings.simplefilter("ignore")
            try:
                with contextlib.suppress(AttributeError):
                    self.module.manual_seed(seed)
                with contextlib.nullcontext() if self.trusted else time_limit():
                    exec(compiled(source), self.names)
            except Exception as error:
                return printed.getvalue(), f"{type(error).__name__}: {error}"
        return printed.getvalue().replace(self.module.__name__, "torch"), None


def compiled(source):
    """Compiled as at the prompt, where an expression's value is printed."""
    try:
        return compile(source + "\n", "<example>", "single")
    except SyntaxError:
        return compile(source, "<example>", "exec")


def compare(torch, subject, docstring, place=""):
    """(statement, ran, printed, same, note) of each statement that PyTorch can run."""
    sessions = Session(torch, place, trusted=True), Session(torch, place, trusted=True), Session(subject, place)
    for seed, statement in enumerate(statements(docstring)):
        (want, error), (again, _), (got, problem) = (session.run(statement, seed) for session in sessions)
        if error is None:
            residue = RESIDUE.fullmatch(want) and RESIDUE.fullmatch(got)
            printed = bool(want) and want == again and not residue
            note = problem or ("" if want == got else f"printed {got!r}\n        expected {want!r}")
            yield statement, problem is None, printed, problem is None and want == got, note
    for session in sessions:
        restore(session.module)
        session.names.clear()  # functions in it hold it, and with it models of a gigabyte


def measure(torch, subject, only=None):
    """Counts over all names, and over the statements free of what is absent by design; and every failure."""
    counts, failures = Counter(), []
    for name, texts in docstrings(torch).items():
        for text in texts if only is None or name in only else ():
            for statement, ran, printed, same, note in compare(torch, subject, text):
                kinds = ("all",) if ABSENT_BY_DESIGN.search(statement) else ("all", "meant")
                for kind in kinds:
                    counts.update({(kind, "statements"): 1, (kind, "ran"): ran})
                    counts.update({(kind, "outputs"): printed, (kind, "identical"): printed and same})
                if not ran or printed and not same:
                    failures.append((name, statement, note))
    return counts, failures


def measure_layers(torch, subject, only=None):
    """Counts over the statements of layers, optimizers and loaders, and those that do not run, by reason."""
    counts, left = Counter(), {}
    for name, texts in layers(torch, subject).items():
        for text in texts if only is None or name in only else ():
            for statement, ran, printed, same, note in compare(torch, subject, text, name.rpartition(".")[0]):
                counts.update({("all", "statements"): 1, ("all", "ran"): ran})
                counts.update({("all", "outputs"): printed, ("all", "identical"): printed and same})
                if not ran:
                    reason = next((why for why, said in REASONS.items() if re.search(said, statement)), "no reason")
                    left.setdefault(reason, []).append((name, statement, note))
    return counts, left


def rates(counts, kind="all"):
    """Percent of statements that run, and of printed outputs that are identical."""
    pairs = {"statements": "ran", "outputs": "identical"}
    return {of: 100 * counts[kind, good] / max(counts[kind, of], 1) for of, good in pairs.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("--subject", default="rustyflow", help="the module to measure")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these names' docstrings")
    parser.add_argument("--failures", type=int, default=0, metavar="N", help="print the first N failing statements")
    options = parser.parse_args()
    import torch

    counts, failures = measure(torch, importlib.import_module(options.subject), options.only)
    for name, statement, note in failures[: options.failures]:
        print(f"{name}: {statement}\n        {note[:600]}")
    for kind, title in (("all", "everything"), ("meant", "without complex, sparse and other devices")):
        for of, rate in rates(counts, kind).items():
            print(f"{title}: {rate:.1f} % of {counts[kind, of]} {of}")
    counts, left = measure_layers(torch, importlib.import_module(options.subject), options.only)
    for of, rate in rates(counts).items():
        print(f"layers, optimizers, schedulers and data: {rate:.1f} % of {counts['all', of]} {of}")
    for reason, cases in left.items():
        print(f"    {reason}:", *(f"\n        {name}: {statement}" for name, statement, _ in cases))


if __name__ == "__main__":
    main()
