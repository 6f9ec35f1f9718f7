"""A figure that several files ask."""

import pytest

import rustyflow as rf
from rustyflow import show


@pytest.fixture(scope="module")
def line():
    # %1 w, %2 x, %3 expand x, %4 mul, %5 sum
    w, x = rf.tensor([2.0, 3.0], requires_grad=True), rf.tensor([0.5], requires_grad=True)
    loss = (w * x).sum()
    return show.backward(loss)
