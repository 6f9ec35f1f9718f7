"""Every check of every lesson: right answers pass, each misconception is refused under its name, nothing raises."""

from random import Random

import pytest

from rustyflow.lessons import Blanks, Exercise, Question
from rustyflow.lessons.answer import same, shown
from tests.lessons.catalogue import every, functions, values

QUESTIONS, BLANKS, EXERCISES = every(Question), every(Blanks), every(Exercise)
SEEDS = (None, *range(1000))


def each(checks):
    return pytest.mark.parametrize("check", [pytest.param(check, id=name) for name, check in checks.items()])


def function_of(answer, another):
    """What a student writes who holds a misconception: the same answer, from arguments without names."""
    names = list(another(Random(0)))
    return lambda *arguments: answer(**dict(zip(names, arguments, strict=True)))


@each(QUESTIONS)
def test_the_choices_of_a_question_differ(check):
    """So no misconception gives the right answer, and no two the same one."""
    for seed in SEEDS:
        words = [check.words(answer) for answer in check.choices(seed).values()]
        assert len(set(words)) == len(words) == len(check.misconceptions) + 1, f"seed {seed}: {words}"


@each(QUESTIONS)
def test_the_place_of_a_choice_does_not_tell_the_right_one(check):
    """Numbers stand by size. Other answers stand in an order in which the right one is not always in the same place."""
    places = set()
    for seed in range(30):
        choices = list(check.choices(seed).values())
        if all(isinstance(answer, int | float) for answer in choices):
            assert choices == sorted(choices)
            return
        key = check.key(**check.numbers(seed))
        places.add(next(place for place, answer in enumerate(choices) if same(answer, key)))
    assert len(places) > 1


@each(QUESTIONS)
def test_each_choice_of_a_question_is_told_from_its_own_reason(check):
    for seed in (None, 0, 1):
        case, choices = check.numbers(seed), check.choices(seed)
        for letter, answer in choices.items():
            said = check(letter, seed=seed)
            if same(answer, check.key(**case)):
                assert said.score == 1 and "Right." in said.text
                continue
            held = next(m for m in check.misconceptions if same(answer, m.answer(**case)))
            assert said.score == 0 and f'"{held.belief}"' in said.text.replace("\n", " ")
            assert check(f" {letter.lower()}. ", seed=seed).text == said.text


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


@each(EXERCISES)
def test_the_right_function_passes(check):
    assert check(function_of(check.key, check.another)).score == 1


@each(EXERCISES)
def test_the_function_that_is_shown_passes(check):
    assert check.model.__name__ == check.name
    assert check(check.model).score == 1


@each(EXERCISES)
def test_each_wrong_function_is_refused_under_its_misconception(check):
    for m in check.misconceptions:
        said = check(function_of(m.answer, check.another))
        assert said.score == 0 and f'"{m.belief}"' in " ".join(said.text.split())


@each(EXERCISES)
def test_a_misconception_shows_in_many_cases(check):
    for m in check.misconceptions:
        wrong = sum(bool(check.fault(m.answer(**check.another(Random(seed))), seed)) for seed in range(200))
        assert wrong > 20, f"{m.belief}: wrong in {wrong} of 200 cases only"


@each(QUESTIONS | BLANKS | EXERCISES)
def test_an_untouched_stub_is_not_attempted(check):
    def stub(*arguments):
        """What it should do."""
        ...

    for untouched in (..., stub) if isinstance(check, Exercise) else (...,):
        said = check(untouched)
        assert said.score == 0 and ("Not a" in said.text or "not attempted" in said.text)
    assert check().text == check(...).text == repr(check)


@each(BLANKS)
def test_an_exercise_does_not_hold_its_answers(check):
    for seed in (None, 0, 1, 2):
        case = check.numbers(seed)
        for name, blank in check.blanks.items():
            key = blank.key(**case)
            if isinstance(key, tuple) or key > 12:  # a small number may well stand in a text
                assert shown(key) not in check(seed=seed).text.replace(check.ask(**case), ""), name


@each(QUESTIONS | BLANKS)
def test_no_value_whatever_makes_a_check_raise(check):
    for value in values():
        said = check(value)
        assert said.score == 0 and said.text and len(said.text) < 4000


@each(EXERCISES)
def test_no_function_whatever_makes_a_check_raise(check):
    for function in (*functions(), *values()):
        said = check(function)
        assert said.score == 0 and said.text and len(said.text) < 4000


@each(QUESTIONS | BLANKS | EXERCISES)
def test_a_check_says_the_same_twice(check):
    for answer in (..., "A", 3, lambda *arguments: 3):
        assert check(answer).text == check(answer).text
