"""Record: the good entries of a progress file, however damaged, and what is wrong with the rest."""

import json
import re
import reprlib
from collections.abc import Iterator
from typing import Any, NamedTuple

Scores = dict[str, dict[str, dict[str, Any]]]
MERGE = re.compile(r"^([<|=>])\1{6}(?!\1)", re.M)
TOKEN = re.compile(r'"(\w+)"\s*:\s*(?:(\{)(?!\s*\})|(true|false|[\d.]+(?:e-?\d+)?)(?=[\s,}]))')
KINDS = {list: "a list", str: "text", bool: "true or false", type(None): "null", int: "a number", float: "a number"}


class Record(NamedTuple):
    """Good entries by lesson and check, each with a score from 0 to 1; and a fault, or ""."""

    scores: Scores
    fault: str = ""


def parse(data: bytes) -> Record:
    """Returns what can be read of a progress file, and in a few words what is wrong with it.

    >>> parse(b'{"stride_zero": {"what_changes": {"done": true, "score": 0.0}}}')
    Record(scores={'stride_zero': {'what_changes': {'done': True, 'score': 0.0}}}, fault='')
    >>> parse(b'{"stride_zero": {"how_many_bytes": 5}}').fault
    'holds what no check has left: stride_zero.how_many_bytes is 5'
    >>> cut = parse(b'{"stride_zero": {"what_changes": {"done": true, "score": 0.0}, "how_')
    >>> list(cut.scores["stride_zero"]), cut.fault
    (['what_changes'], 'is cut short')
    >>> parse(b"[]").fault
    'holds a list in place of lessons'
    """
    text = data.decode(json.detect_encoding(data), "replace").strip("\0\ufeff")
    try:
        found = json.loads(data, object_pairs_hook=_once)
    except (ValueError, RecursionError) as problem:
        return Record(_merged(text) if MERGE.search(text) else _gleaned(text), _why(data, text, problem))
    if not isinstance(found, dict):
        return Record(_gleaned(text), f"holds {KINDS[type(found)]} in place of lessons")
    scores: Scores = {}
    odd: list[tuple[str, Any]] = []
    for lesson, checks in found.items():
        if not isinstance(checks, dict):
            odd.append((lesson, checks))
            continue
        scores[lesson] = {}
        for name, value in checks.items():
            entry = _entry(value)
            if entry is not None:
                scores[lesson][name] = entry
            if entry is None or entry != value:
                odd.append((f"{lesson}.{name}", value))
    return Record(scores, _told(odd))


def better(one: dict[str, Any] | None, other: dict[str, Any]) -> dict[str, Any]:
    """The best of two entries for one check."""
    one = one or {"score": 0.0, "done": False}
    return one | other | {"score": max(one["score"], other["score"]), "done": one["done"] or other["done"]}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which nothing stands twice, as after a merge: one of two would be lost unseen."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _entry(value: Any) -> dict[str, Any] | None:
    """An entry with all that it needs, as far as it can be made out; None where nothing can."""
    if not isinstance(value, dict):
        return None
    done, score = value.get("done"), value.get("score")
    counted = type(score) in (int, float) and 0 <= score <= 1
    if not counted and type(done) is not bool:
        return None
    return value | {"score": score if counted else 0.0, "done": done if type(done) is bool else score == 1}


def _gleaned(text: str) -> Scores:
    """The whole entries of a text that is no object: of several for one check, the best.

    A name before a brace is a check where "done" or "score" follows, and a lesson where another such name does.
    """
    scores: Scores = {}
    lesson = name = ""
    fields: dict[str, Any] = {}
    for key, opens, value in TOKEN.findall(text):
        if opens:
            lesson, name, fields = (lesson if fields else name), key, {}
        elif key in ("done", "score") and (known := _field(key, value)) is not None:
            fields[key] = known
            if lesson and len(fields) == 2:
                checks = scores.setdefault(lesson, {})
                checks[name] = better(checks.get(name), fields)
    return scores


def _merged(text: str) -> Scores:
    """The entries of both texts that met in a merge.

    What stands between its marks is one's, and the rest is both's.

    What was before the two, which some put between marks as well, is in neither.
    """
    sides: dict[str, list[str]] = {"<": [], "=": []}
    inside = ">"
    for line in text.splitlines():
        if mark := MERGE.match(line):
            inside = mark[1]
            continue
        for side, lines in sides.items():
            if inside in (side, ">"):
                lines.append(line)
    scores: Scores = {}
    for lines in sides.values():
        for lesson, checks in parse("\n".join([*lines, ""]).encode()).scores.items():
            mine = scores.setdefault(lesson, {})
            mine.update({name: better(mine.get(name), entry) for name, entry in checks.items()})
    return scores


def _field(key: str, value: str) -> Any:
    """A field of an entry as it is meant; None where it is none."""
    if key == "done":
        return value == "true" if value in ("true", "false") else None
    try:
        return score if 0 <= (score := float(value)) <= 1 else None
    except ValueError:
        return None


def _why(data: bytes, text: str, problem: Exception) -> str:
    """Why a text is no object, in a few words."""
    text = text.strip("\0 \t\r\n")
    if not text:
        return "is empty"
    if MERGE.search(text):
        return "has the marks of a merge in it, such as <<<<<<<"
    if isinstance(problem, UnicodeDecodeError) or b"\0" in data:
        return "is no text"
    said = str(getattr(problem, "msg", problem)).partition("\n")[0]
    if isinstance(problem, RecursionError) or not text.endswith(("}", "]")) and said != "Extra data":
        return "is cut short"
    return f"cannot be read: {said:.60}"


def _told(odd: list[tuple[str, Any]]) -> str:
    """The first of what is no entry, and how many there are."""
    if not odd:
        return ""
    more = f", and {len(odd) - 1} more" if len(odd) > 1 else ""
    name, value = odd[0]
    return f"holds what no check has left: {ascii(name)[1:-1]:.60} is {reprlib.repr(value)}{more}"


def entries(scores: Scores) -> Iterator[tuple[str, str]]:
    """The lesson and the check of each entry."""
    return ((lesson, name) for lesson, checks in scores.items() for name in checks)
