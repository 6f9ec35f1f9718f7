"""Every rule of every op is worked out on every call of the grid that is compared with PyTorch; each of those apart is
met there.
"""

from tests.formulas import calls
from tests.formulas.exceptions import APART
from tests.formulas.trial import equations


def test_rules_hold_in_every_call_of_the_grid():
    forward = backward = 0
    failures, met = [], set()
    for op, operands, attrs, text in calls.of_grid():
        try:
            more, back, falls = equations(op, operands, attrs)
        except Exception as error:
            failures.append(f"{op.name} in {text}: {type(error).__name__}: {' '.join(str(error).split())[:200]}")
            continue
        forward, backward = forward + more, backward + back
        met |= {*falls}
    assert not failures, "\n".join([str(len(failures)), *failures[:30]])
    assert forward > 11_000 and backward > 7_000, (forward, backward)
    assert not [one[:2] for one in APART if one.when and one not in met]
