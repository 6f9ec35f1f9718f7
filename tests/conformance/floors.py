"""python -m tests.conformance.floors: measure as the tests do and raise the floors they hold every family to.

A floor is a percentage in floors.json. It never sinks, and rises no higher than the goal.
"""

import json
from math import floor
from pathlib import Path

from . import docs_examples, fixture, graphs, run

FLOORS = Path(__file__).with_name("floors.json")
FAST = 4  # the tests take every fourth point of the grid
GOALS = {**run.GOALS, "statements": 95, "outputs": 95, "graphs": graphs.GOAL}


def floors(kind):
    """{family: {calls, views, errors, layouts: percent}} of one kind of run: live, fixture, examples or graphs."""
    return json.loads(FLOORS.read_text(encoding="utf-8"))[kind] if FLOORS.exists() else {}


def measured(kind, subject, torch=None):
    """The same as measured now."""
    if kind == "examples":
        return {"docstrings": docs_examples.rates(docs_examples.measure(torch, subject)[0])}
    if kind == "graphs":
        return {"recorded calls": {"graphs": graphs.rate(graphs.measure(torch, subject)[0])}}
    found = fixture.measure(subject) if kind == "fixture" else run.measure(torch, subject, thin=FAST)
    return {title: run.total(names).rates for title, names in found.items()}


def raised(held, rates):
    """Floors lifted to what was measured; what no call was made for has none."""
    lifted = {what: min(GOALS[what], floor(rate * 10) / 10) for what, rate in rates.items() if rate is not None}
    return {what: max(held.get(what, 0), rate) for what, rate in lifted.items()}


def short_of(held, rates):
    """Where the rates fall short of the floors, in words; empty when nowhere."""
    return [f"{what}: {rates[what]:.1f} % (floor {held[what]} %)" for what in held if rates[what] < held[what]]


def main():
    import torch

    import rustyflow

    every = {}
    for kind in ("live", "fixture", "examples", "graphs"):
        held = floors(kind)
        every[kind] = {k: raised(held.get(k, {}), rates) for k, rates in measured(kind, rustyflow, torch).items()}
    FLOORS.write_text(json.dumps(every, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
