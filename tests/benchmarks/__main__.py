"""`python -m tests.benchmarks [WORD ...] [--seconds S] [--rounds N] [--json FILE]`: cases with a WORD in their name.

What the columns are is said in `peers`.
"""
from __future__ import annotations

import argparse
import json
import platform

from .cases import CASES
from .harness import compare, libraries, measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time per program and shape")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    args = parser.parse_args()
    chosen = [case for case in CASES if not args.words or any(word in case.name for word in args.words)]
    if not chosen:
        names = "; ".join(case.name for case in CASES)
        parser.error(f"no case has any of {args.words} in its name; there are: {names}")
    installed = libraries()
    columns = ["rustyflow", "torch", "numpy", "mygrad", "autograd", "tinygrad", "tinyjit"]
    rows = []
    print(f"{'case':<46}{'goal':>6}{'ratio':>7}  " + "".join(f"{c:>12}" for c in columns))
    for case in chosen:
        for shape in case.shapes:
            times = measure(compare(case, shape, installed), args.seconds, args.rounds)
            ratio = times["rustyflow"] / times["torch"] if "torch" in times else None
            label = case.name + ("" if shape is None else f" {shape}")
            rows.append({"case": case.name, "shape": shape, "goal": case.goal, "ratio": ratio, "seconds": times})
            print(f"{label:<46}{case.goal or '':>6}{'' if ratio is None else f'{ratio:.2f}':>7}  "
                  + "".join(f"{times[c] * 1e6:>10.1f}us" if c in times else f"{'-':>12}" for c in columns), flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            versions = {name: getattr(module, "__version__", "?") for name, module in installed.items()}
            about = {"python": platform.python_version(), "machine": platform.machine(), "versions": versions}
            json.dump(about | {"rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
