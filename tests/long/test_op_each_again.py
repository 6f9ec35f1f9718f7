"""Every op of drawn on its other input, strided where it can be: who is lit, what comes back, formulas."""

import pytest

from tests.show import test_op_each as first
from tests.show.test_op_each import *  # noqa: F403


@pytest.fixture
def second():
    return True


def test_the_tests_are_those_of_the_first_input():
    assert {name for name in vars(first) if name.startswith("test_")} <= set(globals())
