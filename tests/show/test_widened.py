"""Numbers of a dtype that rustyflow has not got: a figure says in which it works them out."""

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show


def test_whole_numbers_are_said_to_be_worked_out_in_a_wider_dtype():
    x = np.array([65535, 1], np.uint16)
    figure = show.broadcast(x, x)
    said = "Worked out in int32: rustyflow has no uint16, where results are rounded or wrapped to fewer digits."
    assert figure.sentences[0].startswith(f"{said} ") and said in figure.scene.about
    assert "65535 + 65535 = 131070" in figure.state(link="r0").sentence
    for own in (x.astype(np.uint8), x.astype(float), rf.ones(2), rf.ones(2).half()):
        assert "Worked out" not in str(show.broadcast(own, own))


@pytest.mark.parametrize("draw", [
    lambda x: show.broadcast(x, x), lambda x: show.matmul(x, x), lambda x: show.reduce(x, "sum"),
    lambda x: show.op("exp", x),
])  # fmt: skip
@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "quint8"])
@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_pytorchs_numbers_of_few_bits_are_said_to_be_worked_out_in_float32(draw, dtype):
    torch = pytest.importorskip("torch")
    x = torch.tensor([256.0, 1.0])
    kind = getattr(torch, dtype)
    figure = draw(torch.quantize_per_tensor(x, 1.0, 0, kind) if dtype == "quint8" else x.to(kind))
    assert figure.sentences[0].startswith(f"Worked out in float32: rustyflow has no {dtype}, ")
    assert len(figure.frames) > 2 and figure.html()
