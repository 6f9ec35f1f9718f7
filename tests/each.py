"""Hundreds of small cases of one fact as one test: an item of its own costs each more than the case itself."""

import inspect
import traceback
from functools import wraps

import pytest


def each(names, cases):
    """Marks a test that is run for each case, as one test; what failed is told of all of them, each with its case.

    It is written as `pytest.mark.parametrize` is, and may stand below one. It is skipped where every case is.
    """
    names, cases = [name.strip() for name in names.split(",")], list(cases)
    assert cases

    def decorate(test):
        signature = inspect.signature(test)

        @wraps(test)
        def run(**given):
            failed, skipped = [], []
            for case in cases:
                values = dict(zip(names, case if len(names) > 1 else (case,), strict=True))
                try:
                    test(**given, **values)
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except (Exception, pytest.fail.Exception):
                    told = ", ".join(f"{name}={getattr(value, '__name__', value)!r}" for name, value in values.items())
                    failed.append(f"{told}\n{traceback.format_exc()}")
            if failed:
                pytest.fail(f"{len(failed)} of {len(cases)} cases:\n\n" + "\n".join(failed[:10]), pytrace=False)
            if len(skipped) == len(cases):
                raise skipped[0]

        kept = [one for name, one in signature.parameters.items() if name not in names]
        run.__signature__ = signature.replace(parameters=kept)
        return run

    return decorate
