"""A notebook read with goodwill: what JupyterLab opens is put into the form that nbformat describes, and nothing else.

Only what a page shows is carried over, each field with its own type, so that no later step meets a surprise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def read(text: str) -> tuple[list[dict], str]:
    """The cells of a notebook, and the language of its code.

    Raises:
        ValueError: no notebook; says what is wrong and, where it is one cell, which.

    >>> cells, language = read('{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": null}]}')
    >>> cells[0]["source"], language
    ('', 'python')
    """
    try:
        book = json.loads(text)
    except RecursionError:
        raise ValueError("its brackets are nested without end") from None
    if not isinstance(book, dict):
        raise ValueError(f"it holds {_called(book)}, where an object with cells belongs")
    if isinstance(book.get("nbformat"), int) and book["nbformat"] < 4:
        book = _upgraded(book)
    cells = book.get("cells")
    if not isinstance(cells, list):
        raise ValueError("it has no list of cells")
    metadata = book["metadata"] if isinstance(book.get("metadata"), dict) else {}
    info = metadata.get("language_info")
    language = info.get("name") if isinstance(info, dict) else None
    return [_cell(number, cell) for number, cell in enumerate(cells, 1)], language if _word(language) else "python"


def _upgraded(book: dict) -> dict:
    import nbformat

    try:
        return nbformat.convert(nbformat.from_dict(book), 4)
    except Exception as problem:  # an old notebook ends its conversion in many ways
        raise ValueError(f"an old notebook, of format {book['nbformat']}, that cannot be brought up to date "
                         f"({type(problem).__name__})") from problem


def _cell(number: int, cell: Any) -> dict:
    if not isinstance(cell, dict):
        raise ValueError(f"cell {number} is {_called(cell)}, and no object")
    kind = cell.get("cell_type")
    if kind not in ("code", "markdown", "raw"):
        kind = "raw"  # its text is shown as it is
    made = {"cell_type": kind, "id": f"cell-{number}", "source": _text(number, "source", cell.get("source")),
            "metadata": {"number": number}}
    if kind == "markdown":
        made["attachments"] = _attachments(cell.get("attachments"))
    if kind == "code":
        count = cell.get("execution_count")
        made["execution_count"] = count if type(count) is int else None
        outputs = cell.get("outputs")
        made["outputs"] = _joined(_outputs(number, outputs)) if isinstance(outputs, list) else []
    return made


def _outputs(number: int, outputs: list) -> Iterator[dict]:
    for output in outputs:
        kind = output.get("output_type") if isinstance(output, dict) else None
        if kind == "stream":
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            yield {"output_type": kind, "name": name, "text": _text(number, "text", output.get("text"))}
        elif kind == "error":
            lines = output.get("traceback")
            told = [_text(number, "traceback", line) for line in lines] if isinstance(lines, list) else []
            words = [_text(number, key, output.get(key)) for key in ("ename", "evalue")]
            yield {"output_type": kind, "ename": words[0], "evalue": words[1], "traceback": told or [": ".join(words)]}
        elif kind in ("display_data", "execute_result", "pyout", "update_display_data"):
            data = output.get("data")
            form = {"output_type": "display_data"}
            if kind in ("execute_result", "pyout"):
                form = {"output_type": "execute_result", "execution_count": None}
            yield {**form, "metadata": {},
                   "data": {str(mime): value for mime, value in data.items()} if isinstance(data, dict) else {}}
        else:
            yield {"output_type": "display_data", "metadata": {}, "data": {}, "unknown": str(kind)[:40]}


def _joined(outputs: Iterator[dict]) -> list[dict]:
    """Outputs in which a stream that goes on is one."""
    made: list[dict] = []
    for output in outputs:
        if made and output["output_type"] == "stream" == made[-1]["output_type"] and output["name"] == made[-1]["name"]:
            made[-1]["text"] += output["text"]
        else:
            made.append(output)
    return made


def _attachments(found: Any) -> dict[str, dict[str, str]]:
    if not isinstance(found, dict):
        return {}
    return {name: {str(mime): "".join(text) if isinstance(text, list) else text for mime, text in kinds.items()
                   if isinstance(text, str) or isinstance(text, list) and all(isinstance(t, str) for t in text)}
            for name, kinds in found.items() if isinstance(kinds, dict)}


def _text(number: int, key: str, value: Any) -> str:
    """A text that may be written as a list of lines, be missing, or be a number.

    Raises:
        ValueError: anything else.
    """
    if value is None:
        return ""
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, list) and all(isinstance(line, (str, int, float)) or line is None for line in value):
        return "".join(str(line) for line in value if line is not None)
    raise ValueError(f"cell {number}: its {key} is {_called(value)}, and no text")


def _word(value: Any) -> bool:
    return isinstance(value, str) and value.replace("+", "").replace("#", "").isalnum() and len(value) < 40


def _called(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "nothing"}
    return kinds.get(type(value), "a number")
