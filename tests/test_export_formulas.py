"""Formulas in an exported page: set rightly, or their source is kept and one line says which could not be set."""
import json
import re
from html import escape
from pathlib import Path

import pytest

pytest.importorskip("nbconvert")

from rustyflow import cli
from rustyflow.cli.export import offline_page
from rustyflow.cli.export.formulas import typeset


def notebook(*cells):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


def said(text):
    return {"cell_type": "markdown", "id": "a", "metadata": {}, "source": text}


def main_of(page):
    return page.html[page.html.index("<main>"):]


SET = {  # what the converter would set as letters, or in the wrong place, and what it has to be
    r"\arg\max_x f": "<mo>arg</mo><munder><mo>max</mo><mi>x</mi></munder><mi>f</mi>",
    r"\argmax_x f": "<munder><mo>arg\u2009max</mo><mi>x</mi></munder><mi>f</mi>",
    r"\operatorname*{arg\,min}_x f": "<munder><mo>arg\u2009min</mo><mi>x</mi></munder><mi>f</mi>",
    r"\operatorname*{\mathrm{argmin}}_x f": "<munder><mo>argmin</mo><mi>x</mi></munder><mi>f</mi>",
    r"\operatorname{arg\,max}_x": "<msub><mo>arg\u2009max</mo><mi>x</mi></msub>",
    r"\operatorname{log1p}(x)": "<mrow><mtext>log1p</mtext></mrow><mo>(</mo><mi>x</mi><mo>)</mo>",
    r"\operatorname T": "<mo>T</mo>",
    r"\DeclareMathOperator*{\am}{arg\,max} \am_x": "<munder><mo>arg\u2009max</mo><mi>x</mi></munder>",
    r"\lim_{n} a": "<munder><mo>lim</mo><mrow><mi>n</mi></mrow></munder><mi>a</mi>",
    r"\max_x^y": "<munderover><mo>max</mo><mi>x</mi><mi>y</mi></munderover>",
    r"\boldsymbol{\theta}": "<mrow><mi>\U0001d73d</mi></mrow>", r"\mathscr{L}": "<mrow><mi>\u2112</mi></mrow>",
    r"\mathbb{1}": "<mrow><mn>\U0001d7d9</mn></mrow>", r"\mathfrak{C}": "<mi>\u212d</mi>",
    r"\mathrm{d}x": '<mrow><mi mathvariant="normal">d</mi></mrow><mi>x</mi>',
    r"x \sim y": "<mi>x</mi><mo>\u223c</mo><mi>y</mi>", r"a \implies b": "<mi>a</mi><mo>\u27f9</mo><mi>b</mi>",
    r"\text{50\% if $x$ is}": "<mtext>50%\xa0if\xa0</mtext><mrow><mi>x</mi></mrow><mtext>\xa0is</mtext>",
    r"x \label{eq} \nonumber \notag": "<mi>x</mi>", r"a\hspace*{1em}b": '<mi>a</mi><mspace width="1em" /><mi>b</mi>',
    r"\begin{gather} a \\ b \end{gather}":
        "<mtable><mtr><mtd><mi>a</mi></mtd></mtr><mtr><mtd><mi>b</mi></mtd></mtr></mtable>",
    r"\begin{eqnarray} a &=& b \end{eqnarray}":
        "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mo>=</mo></mtd><mtd><mi>b</mi></mtd></mtr></mtable>",
    r"\begin{align} a &= b \end{align}":
        "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi /><mo>=</mo><mi>b</mi></mtd></mtr></mtable>",
}


@pytest.mark.parametrize("latex", SET)
def test_what_a_formula_says_is_what_is_set(latex):
    made = typeset(latex, True)
    inner = made.html.partition("<mrow>")[2].removesuffix("</mrow></math>")
    plain = re.sub(r' (?!mathvariant|width)[a-z]+="[^"]*"', "", inner)
    assert (made.unknown, plain) == ("", SET[latex])


@pytest.mark.parametrize("latex, unknown", [
    (r"\foo x", r"\foo"), (r"a + \ce{H2O}", r"\ce"), (r"\ref{a}", r"\ref"), (r"\softmax(x)", r"\softmax"),
    (r"\text{\bf x}", r"\bf"), (r"\begin{foo} a \end{foo}", r"\begin{foo}"), (r"a \\ b", "\\\\"), ("\\frac{", ""),
    (r"\begin{tikzcd} a & b \end{tikzcd}", r"\begin{tikzcd}"), (r"\operatorname*", r"\operatorname"),
    ("x}", "}"), (r"\begin{align} a", ""),
])
def test_a_formula_that_cannot_be_set_is_its_source_and_named(tmp_path, monkeypatch, capsys, latex, unknown):
    monkeypatch.chdir(tmp_path)
    Path("mine.ipynb").write_text(notebook(said("x"), said(f"so $${latex}$$ then")), encoding="utf-8")
    assert cli.main(["export", "mine.ipynb"]) == 0
    (told,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("not in the page")]
    assert told.startswith("not in the page: cell 2: a formula, whose source is shown: " + unknown) and latex in told
    html = Path("mine.html").read_text(encoding="utf-8")
    assert f"<code>{escape(latex)}</code>" in html and "<math" not in html.partition("<main>")[2]


def test_a_macro_holds_in_the_formulas_after_it():
    cells = said(r"$$\newcommand{\R}{\mathbb{R}}$$"), said(r"$x \in \R$, $\def\E{E} \E$, $\E$")
    page = offline_page(notebook(*cells), "t")
    assert page.left_out == () and main_of(page).count("\u211d") == 1 and main_of(page).count("<mi>E</mi>") == 2
    assert offline_page(notebook(said(r"$\E$"), said(r"$\def\E{E} \E$")), "t").left_out != ()


@pytest.mark.parametrize("name", ["aligned", "gathered", "align*"])
def test_rows_of_formulas_are_a_table(name):
    page = offline_page(notebook(said(f"$$\\begin{{{name}}}a&=b\\\\ c&=d\\end{{{name}}}$$")), "t")
    assert "<mtr>" in main_of(page)
