"""The lessons are run as they are committed: with figures as still pictures, whose text is the same every time."""

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    # the first cell of a notebook starts its kernel, which inherits the environment of this moment
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUSTYFLOW_DISPLAY", "static")
        return (yield)
