"""A test of many cases fails for each that fails, by its name, and is skipped where all are."""

import inspect

import pytest

from tests.each import each


def test_every_case_is_run_and_each_that_fails_is_told():
    run = []

    @each("a, b", [(1, 1), (1, 2), (2, 3), (2, 2)])
    def equal(a, b):
        run.append(a)
        assert a == b

    with pytest.raises(pytest.fail.Exception) as failed:
        equal()
    said = str(failed.value)
    assert run == [1, 1, 2, 2] and said.startswith("2 of 4 cases:")
    assert "a=1, b=2" in said and "a=2, b=3" in said and "a=1, b=1" not in said


def test_what_is_no_case_is_given_by_pytest():
    @each("name", "ab")
    def at_home(tmp_path, name):
        assert tmp_path == "home" and name in "ab"

    assert [*inspect.signature(at_home).parameters] == ["tmp_path"]
    at_home(tmp_path="home")


def test_it_is_skipped_where_every_case_is():
    def odd(number):
        if number % 2:
            pytest.skip("odd")

    each("number", [1, 2])(odd)()
    with pytest.raises(pytest.skip.Exception, match="odd"):
        each("number", [1, 3])(odd)()
