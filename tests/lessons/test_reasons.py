"""Nothing that stands before a vote states a key's reason: no text, label, factor or formula, and no glossary entry."""

import re
from pathlib import Path

from rustyflow.lessons import Question
from rustyflow.lessons.kit.questions import stages
from tests.lessons.catalogue import checks_of
from tests.lessons.test_notebooks import USED, every_notebook, module_of, read

GLOSSARY = Path(__file__).parents[2] / "notebooks" / "glossary.md"
LINK = re.compile(r"glossary\.md#([\w-]+)")
SUM = re.compile(r"\(?-?\d[\d.]*\)?(?: ?[·*/+-] ?\(?-?\d[\d.]*\)?)+ [=≈] -?\d[\d.]*\d|\d+[·*]\d+ = \d+")
AFTER = re.compile(r"^check\.(\w+)\.after\(\)", re.M)
EMPTY = set(
    "a an the of in is are it its to and or for with by on as at that this which be not no one two each all from what "
    "has have so than then they them their there where when who how many other more only own same was were will would "
    "can may goes come comes into out but here also number numbers tensor".split()
)
SHARE, LEAST = 0.8, 3
"""The part of a reason's words, and so many of them, with which one sentence states it."""

TITLES = {"06-rows-meet-columns": "# 06 · Rows meet columns"}
"""Names of lessons that say the rule of their first question; a lesson keeps the name by which it is known."""

TAUGHT = {"column_times_row": "what goes was taught before two other votes; here it is met where the size is 1"}
"""Questions at the end of a lesson that ask for a rule of its own in a case that looks different, with the reason."""


def entries():
    """The text of each word of the glossary, by its anchor."""
    parts = re.split(r"^## (.+)$", GLOSSARY.read_text(encoding="utf-8"), flags=re.M)[1:]
    return {name.strip().lower().replace(" ", "-"): text for name, text in zip(parts[::2], parts[1::2], strict=True)}


def words(text):
    """What a sentence is about: its words without those that any sentence has, and without their last s."""
    return {word.rstrip("s") for word in re.findall(r"[a-z]{2,}", text.lower())} - EMPTY


def sentences(text):
    return [part for part in re.split(r"(?<=[.:?!;])\s+|\n\s*\n|\n[-|#]", text) if part.strip()]


def stated(question, text):
    """The parts of a question's reason that a text states: a sum, or a sentence with most of its words."""
    why, asked = question.why(**question.case), words(question.ask(**question.case))
    yield from (found for found in SUM.findall(why) if found in text and found not in question.ask(**question.case))
    for reason in sentences(why):
        about = words(reason) - asked
        for said in sentences(text):
            common = about & words(said)
            if len(common) >= LEAST and len(common) >= SHARE * len(about):
                yield f"{reason.strip()} | {said.strip()}"


def drawn(question):
    """The labels of a locked picture, and whatever else it could say."""
    scene = stages.locked(question)
    assert not scene.toggles and not scene.about and len(scene.frames) == 1
    return "\n".join(shape.text for top in scene.shapes for shape in top.walk() if shape.text)


@every_notebook
def test_nothing_before_a_vote_states_its_reason(path):
    checks, known = checks_of(module_of(path)), entries()
    before, open_ones = "", []
    for cell in read(path).cells:
        if cell.cell_type != "code":
            text = cell.source.replace(TITLES.get(path.stem, "\n\n\n"), "")
            before += f"\n\n{text}\n\n" + "\n\n".join(known.get(anchor, "") for anchor in LINK.findall(text))
            for question in open_ones:
                assert not [*stated(question, text)], question.name
            continue
        open_ones = [question for question in open_ones if question.name not in AFTER.findall(cell.source)]
        if (used := USED.search(cell.source)) and isinstance(question := checks.get(used[1]), Question):
            assert used[1] in TAUGHT or not [*stated(question, before)], used[1]
            assert not [*stated(question, drawn(question))], used[1]
            open_ones.append(question)
        else:
            comments = re.findall(r"#(.*)", cell.source)
            before += "\n\n" + "\n\n".join(comments)


def test_a_reason_that_is_stated_is_found():
    class Asked:
        case = {}
        ask = staticmethod(lambda: "What is the gradient of b?")
        why = staticmethod(lambda: "What comes back from its readers adds up: 2 + 7 + 6 = 15.")

    assert [*stated(Asked, "So 2 + 7 + 6 = 15.")] == ["2 + 7 + 6 = 15"]
    assert len([*stated(Asked, "Everything that comes back from all readers adds up.")]) == 1
    assert not [*stated(Asked, "It has readers."), *stated(Asked, "2 + 7 + 6")]
