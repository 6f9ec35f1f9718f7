"""A copy of a notebook, run from top to bottom where the notebook lies; its file stays as it is."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import nbformat
import zmq
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError

from .notebook import read


class NoKernelError(Exception):
    """Why a notebook cannot be run here."""


def executed(text: str, folder: Path) -> tuple[str, tuple[str, ...]]:
    """Returns the text of a notebook after its run, and what went wrong in which cell.

    The cells after one that fails run too.

    An error that the cell's tag `raises-exception` says beforehand is none.

    Raises:
        ValueError: no notebook. NoKernelError: its language has no kernel here. KeyboardInterrupt: it was stopped.
    """
    cells, language = read(text)
    book = nbformat.from_dict({"nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": language}},
                               "cells": [{**cell, **_fresh(cell)} for cell in cells]})
    kernel = "python3" if language in ("python", "ipython") else _kernel(text)
    # figures are for a page, in which they live
    environment = {**os.environ, "RUSTYFLOW_DISPLAY": "page"}
    client = NotebookClient(book, kernel_name=kernel, allow_errors=True, timeout=None, coalesce_streams=True,
                            resources={"metadata": {"path": str(folder)}})
    wrong, begun = [], []
    client.on_cell_execute = lambda cell, cell_index: begun.append(cell_index)
    try:
        manager = client.create_kernel_manager()
        if "transport_encryption" in manager.trait_names() and zmq.has("curve"):
            manager.transport_encryption = "auto"  # else the kernel warns that nobody encrypts
        client.execute(env=environment, stderr=subprocess.DEVNULL)  # what the kernel says of itself
    except NoSuchKernel:
        raise NoKernelError(f"It is written in {language}, and no kernel {kernel!r} is here to run it.") from None
    except AssertionError:
        if client.km is not None:
            raise
        raise KeyboardInterrupt from None  # the client has stopped the kernel at Ctrl-C, and then missed it
    except DeadKernelError:
        if hasattr(client, "_async_cleanup_kernel_future"):
            raise KeyboardInterrupt from None  # the client has stopped the kernel at Ctrl-C, and then found it dead
        last = begun[-1]
        book["cells"][last]["execution_count"] = len(begun)  # whether its kernel could still say so is chance
        wrong.append(f"cell {last + 1}: Python ended in it, and the cells after it have not been run")
    expected = _expected(text)
    for number, cell in enumerate(book["cells"], 1):
        for output in cell.get("outputs", ()):
            if output["output_type"] == "error" and number not in expected:
                said = " ".join(output["evalue"].split())
                wrong.append(f"cell {number}: {output['ename']}: {said:.160}".rstrip(": "))
    return nbformat.writes(book), tuple(wrong)


def _fresh(cell: dict) -> dict:
    return {"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {}


def _metadata(text: str) -> tuple[dict, list]:
    book = json.loads(text)
    metadata = book["metadata"] if isinstance(book.get("metadata"), dict) else {}
    return metadata, book["cells"] if isinstance(book.get("cells"), list) else []


def _kernel(text: str) -> str:
    told = _metadata(text)[0].get("kernelspec")
    name = told.get("name") if isinstance(told, dict) else None
    return name if isinstance(name, str) and name else "python3"


def _expected(text: str) -> set[int]:
    """The numbers of the cells that are meant to fail."""
    found = set()
    for number, cell in enumerate(_metadata(text)[1], 1):
        own = cell.get("metadata") if isinstance(cell, dict) else None
        tags = own.get("tags") if isinstance(own, dict) else None
        if isinstance(tags, list) and "raises-exception" in tags:
            found.add(number)
    return found
