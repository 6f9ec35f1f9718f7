"""Truth and bits: logical ops see only whether a value is 0, bitwise ops see every bit.

They have no gradient; written in place they leave the history as it was, as in PyTorch: gradients pass as if nothing
had been written.
"""
from __future__ import annotations

from ...dispatch import op


def _pair(name, formula, text, forward, left, right, answer, takes):
    tensors = ("a", "b") if name.startswith("logical") else "some"
    doc = f"""y = {formula}

    {text}
    Source: https://pytorch.org/docs/stable/generated/torch.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> rf.{name}(rf.tensor({left}), rf.tensor({right}))
        tensor({answer})
    """
    return op(type(name, (), {"__doc__": doc, "forward": forward, "takes": takes, "tensors": tensors, "unseen": True,
                              "__module__": __name__}), inplace=True)


_BOOLS = "A tensor of bools; 0 is false, anything else true, NaN too. Shapes broadcast."
_BITS = """Of whole numbers bit by bit, of bools their truth; shapes broadcast.
    Raises: UnsupportedDTypeError (a NotImplementedError): floats."""
_SHIFT = """Of whole numbers; shifts of the width of the dtype or more push every bit out.
    Raises: UnsupportedDTypeError (a NotImplementedError): floats, bools."""

logical_and = _pair("logical_and", "a and b", _BOOLS, lambda F, a, b: F.logical_and(a, b), "[0, 2]", "[1, 1]",
                    "[False,  True]", "biuf")
logical_or = _pair("logical_or", "a or b", _BOOLS, lambda F, a, b: F.logical_or(a, b), "[0, 2]", "[0, 1]",
                   "[False,  True]", "biuf")
logical_xor = _pair("logical_xor", "xor(a, b)", _BOOLS, lambda F, a, b: F.logical_xor(a, b), "[0, 2]", "[1, 1]",
                    "[ True, False]", "biuf")
bitwise_and = _pair("bitwise_and", "a & b", _BITS, lambda F, a, b: a & b, "[6, 5]", "[3, 4]", "[2, 4]", "biu")
bitwise_or = _pair("bitwise_or", "a | b", _BITS, lambda F, a, b: a | b, "[6, 5]", "[3, 4]", "[7, 5]", "biu")
bitwise_xor = _pair("bitwise_xor", "a ^ b", _BITS, lambda F, a, b: a ^ b, "[6, 5]", "[3, 4]", "[5, 1]", "biu")
bitwise_left_shift = _pair("bitwise_left_shift", "a << b", _SHIFT, lambda F, a, b: a << b, "[1, 3]", "[4, 1]",
                           "[16,  6]", "iu")
bitwise_right_shift = _pair("bitwise_right_shift", "a >> b", _SHIFT, lambda F, a, b: a >> b, "[16, -3]", "[4, 1]",
                            "[ 1, -2]", "iu")


@op(inplace=True)
class logical_not:
    """y = not x

    A tensor of bools: whether x is 0.
    Source: https://pytorch.org/docs/stable/generated/torch.logical_not.html

    Example:
        >>> import rustyflow as rf
        >>> rf.logical_not(rf.tensor([0, 3]))
        tensor([ True, False])
    """
    unseen = True


@op(inplace=True)
class bitwise_not:
    """y = ~x

    Of whole numbers every bit turned over, which is -x - 1; of bools their opposite.
    Raises: UnsupportedDTypeError (a NotImplementedError): floats.
    Source: https://pytorch.org/docs/stable/generated/torch.bitwise_not.html

    Example:
        >>> import rustyflow as rf
        >>> rf.bitwise_not(rf.tensor([0, 5])), ~rf.tensor([True, False])
        (tensor([-1, -6]), tensor([False,  True]))
    """
    takes = "biu"
    def forward(F, x): return ~x
