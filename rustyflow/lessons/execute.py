"""For authors: bring lessons into the state in which they are committed.

    python -m rustyflow.lessons.execute notebooks/01-one-line-of-memory.ipynb ...

Committed lessons are executed from top to bottom, with figures as still pictures and no widget state, and are the same
to the byte whoever executes them: cells keep no timings, notebooks no version of Python. Where a lesson first writes a
word of the glossary in **bold**, a link to it is put there.
"""

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbformat import NotebookNode

KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
LANGUAGE = {"language_info": {"name": "python"}}
GLOSSARY = Path(__file__).parents[2] / "notebooks" / "glossary.md"


def execute(path: Path) -> None:
    """Run a notebook in its folder and write it back as it is committed.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell failed that is not tagged `raises-exception`.
    """
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.read(path, as_version=4)
    os.environ["RUSTYFLOW_DISPLAY"] = "static"  # the kernel inherits it
    NotebookClient(
        book, kernel_name="python3", coalesce_streams=True, resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    path.write_text(committed(book), encoding="utf-8", newline="\n")


def committed(book: "NotebookNode") -> str:
    """The text of an executed notebook as it is committed; the same again for one in that state.

    Cells are named after their place, so that a diff shows what changed and no more.
    """
    import nbformat

    book = nbformat.from_dict(book)
    book.metadata = nbformat.from_dict(KERNEL | LANGUAGE)
    book.nbformat, book.nbformat_minor = 4, 5
    link(book)
    for place, cell in enumerate(book.cells):
        tags = sorted(cell.metadata.get("tags", ()))
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        cell.id = f"cell-{place:02d}"
        cell.source = cell.source.strip()
        for output in cell.get("outputs", ()):
            output.pop("metadata", None)
            if output.output_type in ("execute_result", "display_data"):
                output.metadata = {}
    return nbformat.writes(book) + "\n"


def words_of(glossary: str) -> dict[str, str]:
    """The words that a glossary explains, with their places in it.

    >>> words_of("## upstream gradient")
    {'upstream gradient': 'glossary.md#upstream-gradient'}
    """
    return {word: f"{GLOSSARY.name}#{word.replace(' ', '-')}" for word in re.findall(r"^## (.+)$", glossary, re.M)}


def link(book: "NotebookNode") -> None:
    """Link each word of the glossary where a notebook first has it in bold, unless it is linked somewhere already."""
    texts = [cell for cell in book.cells if cell.cell_type == "markdown"]
    left = words_of(GLOSSARY.read_text(encoding="utf-8"))
    for linked in re.findall(rf"\(({GLOSSARY.name}#[\w-]+)\)", "\n".join(cell.source for cell in texts)):
        left = {word: place for word, place in left.items() if place != linked}

    def first(bold: re.Match[str]) -> str:
        forms = (bold[1], bold[1].removesuffix("s"), bold[1].removesuffix("ing"))
        place = next((left.pop(form) for form in forms if form in left), None)
        return f"**[{bold[1]}]({place})**" if place else bold[0]

    for cell in texts:
        cell.source = re.sub(r"\*\*([a-z_ ]+)\*\*", first, cell.source)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        execute(Path(name))
        print(f"{name}: {Path(name).stat().st_size / 1024:.0f} KB")
