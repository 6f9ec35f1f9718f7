"""Every check of every lesson: right answers pass, each misconception is refused under its name, nothing raises."""

import contextlib
import textwrap
from collections import Counter
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache
from random import Random
from typing import NamedTuple

import pytest

import rustyflow
from rustyflow.lessons import Blanks, Exercise, Misconception, Question
from rustyflow.lessons.kit.answers.answer import same, shown
from rustyflow.lessons.kit.questions.question import Unanswered
from rustyflow.scene import Figure, static
from rustyflow.scene.wire import encode
from tests.lessons.catalogue import every, functions, values

QUESTIONS, BLANKS, EXERCISES = every(Question), every(Blanks), every(Exercise)
SEEDS = (None, *range(200))
"""The numbers that are drawn in every run; the long ring draws a thousand times."""


def each(checks):
    return pytest.mark.parametrize("check", [pytest.param(check, id=name) for name, check in checks.items()])


def each_as_key(check):
    """The lesson's own question with each of its choices as the right one: a letter, and the question."""
    choices = check.choices()
    for letter, answer in choices.items():
        beliefs = {k: check.held(k) or Misconception(f"belief in {k}", "Not so.", None) for k in choices}
        others = tuple(beliefs[k]._replace(answer=lambda _it=a, **_: _it) for k, a in choices.items() if k != letter)
        asked = replace(check, key=lambda _it=answer, **_: _it, misconceptions=others)
        yield letter, asked


def function_of(answer, another):
    """What a student writes who holds a misconception: the same answer, from arguments without names."""
    names = list(another(Random(0)))
    return lambda *arguments: answer(**dict(zip(names, arguments, strict=True)))


class Drawn(NamedTuple):
    """A question as it is drawn from a seed: its choices by letter, as values and in words, and the right letter."""

    answers: dict[str, object]
    words: dict[str, str]
    key: str


@cache
def drawn(name, seed):
    """What several tests look at, made once."""
    check = QUESTIONS[name]
    answers, right = check.choices(seed), check.key(**check.numbers(seed))
    key = next(letter for letter, answer in answers.items() if same(answer, right))
    return Drawn(answers, {letter: check.words(answer) for letter, answer in answers.items()}, key)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_choices_of_a_question_differ(name):
    """So no misconception gives the right answer, and no two the same one."""
    for seed in SEEDS:
        words = drawn(name, seed).words.values()
        assert len(set(words)) == len(words) == len(QUESTIONS[name].misconceptions) + 1, f"seed {seed}: {words}"


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_rule_of_thumb_finds_the_right_choice(name):
    """Each letter is right in 15 to 35 % of the cases, the longest choice, where one is, in at most 35 %."""
    letters, longest = Counter(), 0
    for seed in SEEDS[1:]:
        _, said, key = drawn(name, seed)
        words = {letter: len(text) for letter, text in said.items()}
        first, second = sorted(words.values(), reverse=True)[:2]
        letters[key] += 1
        longest += words[key] == first > second
    assert len(letters) == len(QUESTIONS[name].misconceptions) + 1
    many = len(SEEDS[1:])
    assert all(0.15 * many <= right <= 0.35 * many for right in letters.values()), letters
    assert longest <= 0.35 * many


def picks(words, answers):
    """What a rule of thumb picks among the choices, by the rule's name; nothing where it names no one choice."""

    def likeness(k):
        return sum(SequenceMatcher(None, words[k], other, autojunk=False).ratio() for other in words.values())

    measures = {"long": {k: len(words[k]) for k in words}, "much like the others": {k: likeness(k) for k in words}}
    with contextlib.suppress(TypeError):
        in_order = sorted(answers, key=answers.get)
        yield from zip(("least", "second", "third", "fourth"), in_order, strict=False)
        middle = sum(answers.values()) / len(answers)
        measures["far from the mean"] = {k: abs(answer - middle) for k, answer in answers.items()}
    for name, by in measures.items():
        low, next_low, *_, next_high, high = sorted(by, key=by.get)
        if by[low] != by[next_low]:
            yield f"least {name}", low
        if by[high] != by[next_high]:
            yield f"most {name}", high
    yield "first", min(words)
    yield "last", max(words)


def test_no_rule_of_thumb_finds_the_right_choices_of_the_course():
    """The first, the middle one, the odd one out and their like are each right in at most 35 % of all questions."""
    right, many = Counter(), 0
    for name in QUESTIONS:
        for seed in SEEDS[1:31]:
            many, (answers, words, key) = many + 1, drawn(name, seed)
            right.update(rule for rule, picked in picks(words, answers) if picked == key)
    assert len(right) == 12
    assert max(right.values()) <= 0.35 * many, right


@each(QUESTIONS)
def test_the_order_of_the_choices_is_the_same_whichever_is_right(check):
    for key, asked in each_as_key(check):
        assert asked.choices() == check.choices() and asked.key(**asked.case) == check.choices()[key]


@each(QUESTIONS)
def test_each_choice_of_a_question_is_told_from_its_own_reason(check):
    for seed in (None, 0, 1):
        case, choices = check.numbers(seed), check.choices(seed)
        for letter, answer in choices.items():
            said = replace(check)(letter, seed=seed)
            if same(answer, check.key(**case)):
                assert said.score == 1 and "Right." in said.text
                continue
            held = next(m for m in check.misconceptions if same(answer, m.answer(**case)))
            assert said.score == 0 and f'"{held.belief}"' in said.text.replace("\n", " ")
            forms = f" {letter.lower()}. ", f"({letter})", answer, check.words(answer)
            for form in forms if seed is None else ():
                assert replace(check)(form, seed=seed).text == said.text


@each(QUESTIONS)
def test_before_a_guess_nothing_tells_the_key(check):
    """With each choice as key in turn all that is seen, hinted or hidden is the same, and none of it is lit."""
    locked = {encode(asked.scene()) + repr(asked) for _, asked in each_as_key(check)}
    assert len(locked) == 1 and "lit" not in {cls for shape in check_scene(check) for cls in shape.cls}
    for tried in check.choices():
        hints = set()
        for key, asked in each_as_key(check):
            if key != tried:
                asked.commit(tried)
                hints.add(encode(asked.scene()))
                assert asked.words(asked.key(**asked.case)) not in asked.scene().frames[0].sentence
        assert len(hints) == 1


def check_scene(check):
    return [shape for top in replace(check).scene().shapes for shape in top.walk()]


@each(QUESTIONS)
def test_each_guess_is_played_out_and_ends_on_what_is_so(check):
    key = check.right()
    for letter in check.choices():
        asked = replace(check)
        asked.commit(letter)
        if letter != key:
            asked.commit(letter)
            assert not asked.told
            asked.commit(next(other for other in asked.choices() if other not in (letter, key)))
        figure = Figure(asked.scene())
        why = check.why(**check.case)
        assert float(asked) == (letter == key) and asked.told and figure.state().sentence.endswith(why)
        if letter != key:
            held = asked.held(asked.guesses[-1])
            first, *supposed = figure.sentences[: next(k for k, s in enumerate(figure.sentences) if held.truth in s)]
            assert held.belief in first and all(said.startswith("If this were so") for said in supposed)
            assert bool(supposed) == bool(check.played)
        if check.points:
            points = replace(check).scene().asks.points
            assert set(points.values()) <= set(check.choices())
            assert all(id in replace(check).scene().index for id in points)


def test_a_cell_that_gives_the_answer_away_waits_for_a_guess(monkeypatch):
    asked = replace(QUESTIONS["one_line_of_memory.which_slot"])
    line = "First answer the question above (which_slot). Cannot wait? check.which_slot.skip()"
    with pytest.raises(Unanswered) as caught:
        asked.after()
    assert str(caught.value) == line and caught.value._render_traceback_() == [line]
    for open_it in (lambda q: q("B"), lambda q: q.commit(5), lambda q: q.skip()):
        free = replace(asked)
        open_it(free)
        free.after()
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    asked.after()
    assert repr(asked) == "0.0"
    monkeypatch.delenv("NBGRADER_EXECUTION")
    static()
    try:
        asked.after()
    finally:
        static(False)


def test_a_guess_that_is_none_of_the_choices_is_refused_and_does_not_count():
    asked = replace(QUESTIONS["one_line_of_memory.which_slot"])
    for guess in ("E", "", "no", 99, None, [6], "slot", "<b>A</b>"):
        with pytest.raises(ValueError, match="the choices are A, B, C, D"):
            asked.commit(guess)
        assert asked(guess).score == 0
    assert asked.guesses == () and asked("slot 6").score == 1.0 == float(asked)


@each(BLANKS)
def test_no_misconception_fills_a_blank(check):
    for seed in SEEDS:
        case = check.numbers(seed)
        for name, blank in check.blanks.items():
            key = blank.key(**case)
            for m in blank.misconceptions:
                given = m.answer(**case)
                wrong = blank.judge(given, **case) if blank.judge else not same(given, key)
                assert wrong, f"{name}, seed {seed}: {m.belief}"


@each(BLANKS)
def test_each_wrong_value_is_refused_under_its_misconception(check):
    for seed in (None, 0, 1):
        case = check.numbers(seed)
        keys = [blank.key(**case) for blank in check.blanks.values()]
        assert check(*keys, seed=seed).score == 1
        for place, blank in enumerate(check.blanks.values()):
            for m in blank.misconceptions:
                given = [*keys[:place], m.answer(**case), *keys[place + 1 :]]
                said = check(*given, seed=seed)
                assert said.score == pytest.approx(1 - 1 / len(keys))
                assert f'"{m.belief}"' in " ".join(said.text.split())
                assert "expected" not in said.text, "what is right is told on request only"
                assert f"expected {shown(keys[place])}" in check(*given, seed=seed, show=True).text


@each(BLANKS | EXERCISES)
def test_a_check_knows_the_name_it_is_called_by(check, request):
    assert request.node.callspec.id.endswith(f".{check.name}")


EXACT = "nudge_it.sensitivities"
"""The exercise whose key is exact, where a nudge is asked for: its key is sent back."""


@each({name: check for name, check in EXERCISES.items() if name != EXACT})
def test_the_right_function_passes(check):
    assert check(function_of(check.key, check.another)).score == 1


def test_what_is_exact_is_no_nudge():
    check = EXERCISES[EXACT]
    said = check(function_of(check.key, check.another))
    assert said.score == 0 and "it nudges by something else than h" in " ".join(said.text.split())


@each(EXERCISES)
def test_the_function_that_is_shown_passes(check):
    assert check.model.__name__ == check.name
    assert check(check.model).score == 1


@each(EXERCISES)
def test_the_function_that_is_shown_runs_in_a_cell(check):
    """It calls the library by torch, as the lesson does, and what the lesson gives by its name."""
    code = check(lambda *arguments: None, show=True).text.partition("One way to write it:")[2]
    known = check.model.__globals__
    names = {name: value for name, value in known.items() if getattr(rustyflow, name, None) is not value}
    names["torch"] = rustyflow
    exec(textwrap.dedent(code), names)
    assert check(names[check.name]).score == 1


@each(EXERCISES)
def test_each_wrong_function_is_refused_under_its_misconception(check):
    for m in check.misconceptions:
        if m.seen:
            continue  # no value tells it: a function of the catalogue does
        said = check(function_of(m.answer, check.another))
        assert said.score == 0 and f'"{m.belief}"' in " ".join(said.text.split())


@each(EXERCISES)
def test_a_misconception_shows_in_many_cases(check):
    for m in check.misconceptions:
        wrong = sum(bool(check.fault(m.answer(**check.another(Random(seed))), seed)) for seed in range(60))
        assert wrong > 6, f"{m.belief}: wrong in {wrong} of 60 cases only"


@each(QUESTIONS | BLANKS | EXERCISES)
def test_an_untouched_stub_is_not_attempted(check):
    def stub(*arguments):
        """What it should do."""
        ...

    for untouched in (..., stub) if isinstance(check, Exercise) else (...,):
        said = check(untouched)
        assert said.score == 0 and ("Not a" in said.text or "not attempted" in said.text)
    assert check().text == check(...).text
    if isinstance(check, Question):
        check = replace(check)
        assert check(...).text.partition("Not answered yet.")[0] == repr(check).partition("Not answered yet.")[0]
    else:
        assert check().text == repr(check)


@each(BLANKS)
def test_an_exercise_does_not_hold_its_answers(check):
    for seed in (None, 0, 1, 2):
        case = check.numbers(seed)
        for name, blank in check.blanks.items():
            key = blank.key(**case)
            if isinstance(key, tuple | str) or key > 12:  # a small number may well stand in a text
                assert shown(key) not in repr(check(seed=seed)).replace(check.ask(**case), ""), name


@each(QUESTIONS | BLANKS)
def test_no_value_whatever_makes_a_check_raise(check):
    for value in values():
        said = check(value)
        assert said.score == 0 and said.text and len(said.text) < 4000


@each(EXERCISES)
def test_no_function_whatever_makes_a_check_raise(check, monkeypatch):
    monkeypatch.setattr("rustyflow.lessons.kit.answers.call.PATIENCE", 0.05)
    check = replace(check, many=6)  # whatever is given back is looked at in each case in the same way
    for function in (*functions(), *values()):
        said = check(function)
        assert said.score == 0 and said.text and len(said.text) < 4000


@each(QUESTIONS | BLANKS | EXERCISES)
def test_a_check_says_the_same_twice(check):
    for answer in (..., "A", 3, lambda *arguments: 3):
        assert check(answer).text == check(answer).text
