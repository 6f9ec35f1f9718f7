"""LaTeX as MathML, which a browser typesets without a script and without a network."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from xml.etree import ElementTree

from latex2mathml.converter import convert

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
PARTS = frozenset(NAMESPACE + name for name in (
    "math menclose mfenced mfrac mi mlabeledtr mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms "
    "mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics").split())
"""What formulas are made of: text that looks like an element is none."""


@lru_cache(4096)
def typeset(latex: str, block: bool) -> str:
    """The MathML of a formula; of one that cannot be read, its own text.

    >>> typeset("x", False)[-47:]
    'display="inline"><mrow><mi>x</mi></mrow></math>'
    >>> typeset(r"\\frac{", False)
    '<code>\\\\frac{</code>'
    """
    latex = re.sub(r"\\(begin|end)\{(aligned|gathered)\}", r"\\\1{align*}", latex)  # the name that the converter knows
    try:
        formula = ElementTree.fromstring(convert(latex, display="block" if block else "inline"))
        plain = all(part.tag in PARTS for part in formula.iter())
    except Exception:  # a formula that is no LaTeX ends the conversion in many ways
        plain = False
    if not plain:
        return f"<code>{escape(latex)}</code>"
    for part in formula.iter():
        for name in [name for name in part.attrib if not name.islower() or name in ("href", "src", "style")
                     or name.startswith(("on", "{"))]:
            del part.attrib[name]
    ElementTree.register_namespace("", NAMESPACE[1:-1])
    return ElementTree.tostring(formula, "unicode")
