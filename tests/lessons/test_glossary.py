"""The glossary: two sentences on each word, the lesson that teaches it, and links that lead there."""

import re
from pathlib import Path

import nbformat
import pytest

from rustyflow.lessons.execute import words_of

FOLDER = Path(__file__).parents[2] / "notebooks"
TEXT = (FOLDER / "glossary.md").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"^## (.+)\n(.+)$", TEXT, re.M))
PATHS = sorted(FOLDER.glob("*.ipynb"))
NOTEBOOK = {"cell", "cells"}  # those of a notebook, too


def markdown(path):
    return "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown")


def test_the_words_stand_in_the_order_of_the_alphabet():
    assert list(ENTRIES) == sorted(words_of(TEXT)) == list(words_of(TEXT))


@pytest.mark.parametrize("word", ENTRIES)
def test_a_word_has_two_sentences_and_its_lesson(word):
    said, number = re.fullmatch(r"(.+[.)]) \*\((\d\d)\)\*", ENTRIES[word]).groups()
    assert len(re.findall(r"[.](?= [A-Z(]|\)?$)", said)) in (2, 3) and int(number) <= 20


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_lesson_links_words_that_are_there_and_each_once(path):
    links = re.findall(r"\(glossary\.md#([^)]*)\)", markdown(path))
    places = {place.partition("#")[2] for place in words_of(TEXT).values()}
    assert links and set(links) <= places and len(set(links)) == len(links)


def test_a_lesson_that_teaches_a_word_links_it():
    taught = {word: re.search(r"\((\d\d)\)\*$", said)[1] for word, said in ENTRIES.items()}
    for path in PATHS:
        for word, number in taught.items():
            if path.name.startswith(number) and word in re.findall(r"\*\*\[?([a-z_ ]+)\]?", markdown(path)):
                assert words_of(TEXT)[word] in markdown(path), f"{word} in {path.name}"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_word_is_linked_where_a_lesson_uses_it_first(path):
    """Code, headings, tables and titles of lessons apart."""
    text = re.sub(r"(?ms)```.*?```|`[^`\n]*`|^[#|].*?$|\*\*\d\d · .*?\*\*", "", markdown(path))
    for word, place in re.findall(r"\[([^\]]*)\]\(glossary\.md#([^)]*)\)", text):
        before = text.partition(f"[{word}](glossary.md#{place})")[0]
        before = re.sub(r"\]\([^)]*\)", "]", before)
        assert not re.search(rf"(?<![\w.\[*]){re.escape(word)}(?!\w)", before) or word in NOTEBOOK, (word, place)
