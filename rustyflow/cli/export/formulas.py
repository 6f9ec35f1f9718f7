"""LaTeX as MathML, which a browser typesets without a script and without a network.

latex2mathml sets what it does not know as letters; MathML Core, which browsers speak, has no styled letters and no
limits but by their elements. Both are put right here, or it is said what could not be set.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from html import escape
from typing import NamedTuple
from xml.etree import ElementTree

from latex2mathml.commands import MATRICES
from latex2mathml.converter import convert

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
PARTS = frozenset(NAMESPACE + name for name in (
    "math menclose mfenced mfrac mi mlabeledtr mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms "
    "mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics").split())
"""What formulas are made of: text that looks like an element is none."""

STYLE = """\
mtd[columnalign=left]{text-align:left}mtd[columnalign=right]{text-align:right;text-align:-webkit-right}
mtext[mathvariant=bold]{font-weight:bold}mtext[mathvariant=italic]{font-style:italic}
mtext[mathvariant=monospace]{font-family:monospace}
menclose[notation=box]{border:1px solid;padding:.2em}
menclose[notation~=downdiagonalstrike]{--strike:to top right}
menclose[notation*=strike]{background:linear-gradient(var(--strike,to bottom right),transparent calc(50% - .6px),\
currentcolor calc(50% - .5px),currentcolor calc(50% + .5px),transparent calc(50% + .6px))}
"""
"""What MathML has attributes for, and browsers that speak its core have not."""

GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
DEFINITION = re.compile(
    rf"\\(?:re)?newcommand\*?\s*\{{?\\[A-Za-z]+\}}?\s*(?:\[\d\])?\s*{GROUP}|\\def\s*\\[A-Za-z]+(?:#\d)*\s*{GROUP}"
    rf"|\\DeclareMathOperator\*?\s*\{{?\\[A-Za-z]+\}}?\s*{GROUP}")
ENVIRONMENTS = {
    "aligned": "align*", "align": "align*", "alignedat": "align*", "alignat": "align*", "flalign": "align*",
    "gathered": "array", "gather": "array", "multline": "array", "eqnarray": "array", "dcases": "cases",
}  # fmt: skip
"""Environments of rows, and those that the converter knows; a star only leaves numbers out, which pages have not."""

LIMITS = frozenset("max min lim sup inf det gcd Pr".split())
"""Operators with limits, which stand under them where a formula has a line of its own."""

VARIANTS = {
    "bold": "BOLD", "italic": "ITALIC", "bold-italic": "BOLD ITALIC", "double-struck": "DOUBLE-STRUCK",
    "script": "SCRIPT", "bold-script": "BOLD SCRIPT", "fraktur": "FRAKTUR", "bold-fraktur": "BOLD FRAKTUR",
    "sans-serif": "SANS-SERIF", "bold-sans-serif": "SANS-SERIF BOLD", "monospace": "MONOSPACE",
}  # fmt: skip


class Formula(NamedTuple):
    """The HTML of a formula, and what of it could not be set: then the HTML is its source."""

    html: str
    unknown: str = ""


class UnsetError(Exception):
    """The part of a formula that cannot be set."""


@lru_cache(4096)
def typeset(latex: str, block: bool, macros: str = "") -> Formula:
    """A formula as MathML; of one that cannot be set, its own text. `macros` are definitions that stand before it.

    >>> typeset("x", False).html[-47:]
    'display="inline"><mrow><mi>x</mi></mrow></math>'
    >>> typeset(r"\\what x", False)
    Formula(html='<code>\\\\what x</code>', unknown='\\\\what')
    """
    if not latex.strip():
        return Formula("")
    try:
        formula = _converted(_known(macros + latex), block)
    except UnsetError as unknown:
        return Formula(f"<code>{escape(latex)}</code>", str(unknown))
    for part in formula.iter():
        for name in [name for name in part.attrib if not name.islower() or name in ("href", "src", "style")
                     or name.startswith(("on", "{"))]:
            del part.attrib[name]
    ElementTree.register_namespace("", NAMESPACE[1:-1])
    return Formula(ElementTree.tostring(formula, "unicode"))


def definitions(latex: str) -> str:
    """The macros that a formula defines, which hold in all that follow it.

    >>> definitions(r"a \\newcommand{\\R}{\\mathbb{R}} \\R")
    '\\\\newcommand{\\\\R}{\\\\mathbb{R}}'
    """
    return "".join(found[0] for found in DEFINITION.finditer(latex))


def _known(latex: str) -> str:
    """A formula in those words for what it says that the converter knows."""
    latex = re.sub(r"\\label\s*\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])", "", latex)
    latex = re.sub(r"\\DeclareMathOperator(\*?)\s*\{?(\\[A-Za-z]+)\}?\s*" + GROUP,
                   lambda found: rf"\newcommand{{{found[2]}}}{{\operatorname{found[1]}{{{found[3]}}}}}", latex)
    latex = re.sub(r"\\arg(?![A-Za-z])", r"\\operatorname{arg}", latex)
    latex = re.sub(rf"\\operatorname(\*?)\s*(?:{GROUP}|([A-Za-z]))", _operator, latex)
    latex = re.sub(r"\\hspace\*", r"\\hspace", latex)
    latex = re.sub(r"\\mathrm\s*\{(\w)\}", r"{\\mathrm \1}", latex)  # of one letter in braces the style is lost
    latex = re.sub(r"\\(begin|end)\s*\{(\w+)(\*?)\}(?:\[[tbc]\])?", _environment, latex)
    latex = re.sub(r"(\\begin\{align\*\})\{\d\}", r"\1", latex)  # how many columns
    while (split := re.sub(r"\\(text|textrm|mbox|hbox)\{([^{}$]*)\$([^$]*)\$([^{}]*)\}",
                           r"\\text{\2}{\3}\\text{\4}", latex)) != latex:
        latex = split
    return latex.replace(r"\text{}", "")


def _operator(found: re.Match[str]) -> str:
    """The name of an operator as letters and thin spaces, or as text."""
    body = found[2] if found[3] is None else found[3]
    name = re.sub(r"\\(?:mathrm|text|textrm|mathop|rm)\s*(?:\{([^{}]*)\}|(?![A-Za-z]))", r"\1", body)
    name = re.sub(r"\\[,;: ]|\\quad|~", "\u2009", name.replace(r"\!", "").replace("{}", ""))
    if re.fullmatch(r"[A-Za-z\s]+", name):
        return rf"\operatorname{'withlimits' * bool(found[1])}{{{re.sub(' +', '', name)}}}"
    plain = re.fullmatch(r"[\w\s'-]+", name, re.ASCII)
    within = rf"\text{{{name}}}" if plain else rf"\mathrm{{{body}}}"
    return rf"\mathop{{{within}}}" if found[1] else f"{{{within}}}"


def _environment(found: re.Match[str]) -> str:
    which, name, star = found.groups()
    if name in ENVIRONMENTS:
        columns = ("{rcl}" if name == "eqnarray" else "{c}") if ENVIRONMENTS[name] == "array" else ""
        return rf"\{which}{{{ENVIRONMENTS[name]}}}" + columns * (which == "begin")
    if name != "equation" and "\\" + name + star not in MATRICES:
        raise UnsetError(rf"\begin{{{name}{star}}}")
    return found[0].partition("[")[0] if name != "array" else found[0]


def _converted(latex: str, block: bool) -> ElementTree.Element:
    """The elements of a formula.

    Raises:
        UnsetError: it is no formula, or there are words in it that the converter has set as letters.
    """
    try:
        formula = ElementTree.fromstring(convert(latex, display="block" if block else "inline"))
    except Exception as error:  # a formula that is no LaTeX ends the conversion in many ways
        raise UnsetError(f"it is no formula ({type(error).__name__.removesuffix('Error')})") from None
    for part in formula.iter():
        text, name = part.text or "", part.tag.removeprefix(NAMESPACE)
        if part.tag not in PARTS:
            raise UnsetError(f"<{name[:20]}>")
        if name == "mtext":
            part.text = text = re.sub(r"\\([%$&#_{} ])", r"\1", text)
        if found := re.search(r"\\[A-Za-z@]+\*?", text):
            raise UnsetError(found[0])
        if name == "mi" and text in ("&", "{", "}") and f"\\{text}" not in latex:
            raise UnsetError(text)
        if name == "mspace" and "linebreak" in part.attrib or name == "mo" and not (text or len(part) or part.attrib):
            raise UnsetError(r"\\" if name == "mspace" else r"\operatorname")
        if len(part) and name in ("mo", "mi", "mn"):  # an operator of several parts
            part.tag, part.text = NAMESPACE + "mrow", None
            part.attrib = {"operator": ""} if name == "mo" else {}
        if name == "mi" and (text == "~" or text and "\u2190" <= text <= "\u21ff" or "\u27f0" <= text <= "\u27ff"):
            part.tag, part.text = NAMESPACE + "mo", text.replace("~", "\u223c")
        if name in ("mi", "mn"):
            _style(part)
    _set_limits(formula, block and r"\nolimits" not in latex)
    return formula


def _style(part: ElementTree.Element) -> None:
    """Letters of a style as the letters that Unicode has of it."""
    variant = VARIANTS.get(part.get("mathvariant", ""))
    if variant and part.text:
        part.text = "".join(styled(letter, variant) for letter in part.text)
        del part.attrib["mathvariant"]


def styled(letter: str, variant: str) -> str:
    """A letter of a style, such as bold; the letter itself where there is none.

    >>> styled("x", "BOLD"), styled("1", "DOUBLE-STRUCK"), styled("L", "SCRIPT"), styled("+", "BOLD")
    ('\\U0001d431', '\\U0001d7d9', '\\u2112', '+')
    """
    plain = re.sub(r"^(LATIN|GREEK)( LUNATE)?|LETTER ", "", unicodedata.name(letter, "")).strip()
    for name in (f"MATHEMATICAL {variant} {plain}", f"{variant.replace('FRAKTUR', 'BLACK-LETTER')} {plain}"):
        try:
            return unicodedata.lookup(name)
        except KeyError:
            pass
    return letter


def _set_limits(formula: ElementTree.Element, under: bool) -> None:
    """Puts the limits of an operator `under` and over it, in a formula with a line of its own."""
    names = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
    for part in formula.iter():
        name = part.tag.removeprefix(NAMESPACE)
        if under and name in names and len(part):
            base = part[0]
            if base.text in LIMITS or base.get("movablelimits") == "true" or "operator" in base.attrib:
                part.tag = NAMESPACE + names[name]
    for part in formula.iter():
        part.attrib.pop("operator", None)
