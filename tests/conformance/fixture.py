"""python -m tests.conformance.fixture: store PyTorch's results for a compact part of the grid in fixture.json.

One line per call. The file needs no PyTorch to be read, and no pickle: numbers are written with as many digits
as the comparison asks for.
"""

import json
from collections import Counter
from dataclasses import astuple, fields, replace
from pathlib import Path

import numpy as np

from .grid import Case, cases
from .judge import judge
from .observe import Outcome, Sight, observe
from .run import Tally
from .specs import FAMILIES

FIXTURE = Path(__file__).with_name("fixture.json")
PER_NAME, LONGEST = 5, 700  # calls per name, characters per call


def encoded(thing):
    """A tree of sights, arrays and plain values as JSON can hold it."""
    if isinstance(thing, Sight):
        place = thing.stride, thing.offset, [int(shared) for shared in thing.shares], int(thing.records)
        return {"sight": [encoded(thing.value), thing.dtype, thing.shape, *place]}
    if isinstance(thing, np.ndarray):
        digits = 14 if thing.dtype == np.float64 else 7
        values = [float(f"{v:.{digits}g}") if isinstance(v, float) else int(v) for v in thing.ravel().tolist()]
        return {"array": [thing.dtype.name, thing.shape, values]}
    if isinstance(thing, tuple):
        return {"tuple": [encoded(part) for part in thing]}
    return [encoded(part) for part in thing] if isinstance(thing, list) else thing


def decoded(thing):
    if isinstance(thing, list):
        return [decoded(part) for part in thing]
    if not isinstance(thing, dict):
        return thing
    kind, parts = next(iter(thing.items()))
    if kind == "array":
        return np.array(parts[2], parts[0]).reshape(parts[1])
    if kind == "tuple":
        return tuple(decoded(part) for part in parts)
    value, dtype, shape, stride, offset, shares, records = parts
    return Sight(decoded(value), dtype, tuple(shape), tuple(stride), offset, tuple(map(bool, shares)), bool(records))


def stored():
    """(case, PyTorch's outcome) of every stored call."""
    for text in FIXTURE.read_text(encoding="utf-8").splitlines():
        case, parts = json.loads(text)
        yield Case(*case), Outcome(**{name: decoded(part) for name, part in parts.items()})


def measure(subject):
    """{family title: {name: Tally}} of the stored calls."""
    found = {}
    for case, want in stored():
        tally = found.setdefault(case.family, {}).setdefault(case.name, Tally())
        tally.count(case, judge(want, observe(subject, case)))
    return found


def chosen(torch):
    """A few calls per name, far apart in its part of the grid, with small results that a file can hold."""
    for family in FAMILIES:
        every = list(cases(family, torch))
        counts = Counter(case.name for case in every)
        place = Counter()
        for case in every:
            n, k = counts[case.name], place[case.name]
            place[case.name] += 1
            if k * PER_NAME // n != (k - 1) * PER_NAME // n:
                yield case


def parts(want, writes):
    """What there is to say of an outcome: everything that is not as in a blank one; the inputs only if written to."""
    want = replace(want, message=want.message[:60], memory=want.memory if writes else [])
    blank = Outcome()
    names = [field.name for field in fields(Outcome)]
    return {name: encoded(getattr(want, name)) for name in names if getattr(want, name) != getattr(blank, name)}


def main():
    import torch

    torch.set_num_threads(1)
    with FIXTURE.open("w", encoding="utf-8", newline="\n") as file:
        for case in chosen(torch):
            want = observe(torch, case, trusted=True)
            text = json.dumps([astuple(case), parts(want, case.writes)], separators=(",", ":"))
            if len(text) < LONGEST:
                file.write(text + "\n")


if __name__ == "__main__":
    main()
