"""Claims: what is said of numbers is a tree that was evaluated, and the text is that tree's.

- `rule.py` reads the rules in an op's docstring as Python's trees, and the form in which the op works one out;
  `letters.py` finds and replaces names in trees.
- `bind.py` gives the rules of one call: `fold.py` puts its arguments in, `forms.py` writes calls as a program does for
  these shapes, and `cells.py` gives rules of single cells the indices of the call.
- `meaning.py` is the table of functions of rules, each with its meaning in NumPy and its phrase; `places.py`,
  `windows.py`, `properties.py` and `context.py` add to it.
- `work.py` evaluates a rule, and `rules.py` all rules of a call, forward and backward; `say.py` writes a rule as text.
- `tree.py` has trees of numbers, as text, exact and in floats, and `digits.py` spells numbers.
- `cell.py` tells one cell of a rule as such a tree, on the arrays of `lazy.py`: `stops.py` gives its sums letters,
  `cellwise.py` and `adding.py` have the functions of rules for single cells, and `reasons.py` says why a cell is so.
- `claim.py` has the claim: its subject, a tree and a value, told with the digits and the sign with which it holds.
"""

from . import context, places, properties, windows  # noqa: F401 - they give functions of rules their meanings
