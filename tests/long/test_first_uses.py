"""What may be the first that a program does: each in an interpreter of its own, which takes a third of a second."""

import pytest

from tests.test_import import fresh


@pytest.mark.parametrize("use", [
    "rf.Tensor.relu", "2 * rf.ones(2)", "rf.ones(2, 3).T", "rf.ones(2, requires_grad=True).sum().backward()",
    "rf.randn(2)", "__import__('copy').deepcopy(rf.ones(2))", "rf.nn.functional.relu(rf.ones(1))", "rf.ones(1) == 1",
    "-rf.ones(1)", "rf.autograd.Function", "rf.linalg.inv(rf.eye(2))", "rf.backends.backend.exp",
])  # fmt: skip
def test_any_first_use_fills_the_table(use):
    assert fresh(f"import rustyflow as rf; rf_ = {use}; print('filled')") == "filled"
