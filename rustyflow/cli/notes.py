"""The page of a teacher's notes on a lesson, to print: black on white, without a network."""

from __future__ import annotations

from html import escape
from pathlib import Path

MARK = '<meta name="generator" content="rustyflow notes">'
STYLE = """\
@page{margin:16mm}
body{max-width:44rem;margin:2rem auto;padding:0 1rem;color:#000;background:#fff;font:11pt/1.45 system-ui,sans-serif}
h1{font-size:1.5em}
h2{margin:1.4em 0 .4em;font-size:1.15em;break-after:avoid}
table{border-collapse:collapse;margin:.6em 0;break-inside:avoid}
th,td{padding:.25em .6em;border:1px solid #888;text-align:left;vertical-align:top}
code,pre{font-family:ui-monospace,monospace;font-size:.95em}
pre{padding:.5em;border:1px solid #ccc;white-space:pre-wrap;break-inside:avoid}
p,li{orphans:3;widows:3}
@media print{body{max-width:none;margin:0;padding:0}}
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(note: str, name: str) -> str:
    """Returns the HTML page of a note in Markdown; what is HTML in the note is shown as text.

    >>> made = page("# 04 · Notes\\n\\n| letter | choice |\\n|---|---|\\n| A | 0 |\\n", "04")
    >>> "<td>A</td>" in made, "<script" in page("<script>alert(1)</script>", "x")
    (True, False)
    """
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    body = MarkdownWithMath(renderer=IPythonRenderer(escape=True, exclude_anchor_links=True)).render(note)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">{MARK}'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><title>{escape(name)}</title>'
        f"<style>{STYLE}</style></head><body>{body}</body></html>\n"
    )


def is_page(file: Path) -> bool:
    """True for a file that was made here, which the next one may take the place of."""
    return file.is_file() and MARK in file.read_text(encoding="utf-8", errors="replace")[:2000]
