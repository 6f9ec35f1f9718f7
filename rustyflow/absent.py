"""What rustyflow leaves out by design, so that a name of PyTorch's that is not here says why.

Loaded when a name is missed.
"""
from __future__ import annotations

from .errors import AbsentName

FAMILIES = {
    """angle cdouble cfloat chalf complex complex128 complex32 complex64 conj conj_physical imag is_conj polar real
    resolve_conj view_as_complex view_as_real""":
        ("there are no complex numbers", "keep real and imaginary parts in two tensors"),
    """coalesce layout sparse sparse_bsc sparse_bsr sparse_compressed_tensor sparse_coo sparse_coo_tensor sparse_csc
    sparse_csr sparse_csr_tensor sparse_dim strided to_dense to_sparse to_sparse_csc to_sparse_csr""":
        ("every tensor is strided: a storage read through a shape, a stride and an offset", "leave the layout out"),
    """cuda get_device hip hpu ipu is_pinned mkldnn mps mtia pin_memory set_default_device to_mkldnn xla xpu""":
        ("every tensor is on the CPU", "leave the device out"),
    """bfloat16 dequantize float8_e4m3fn float8_e5m2 int_repr q_scale q_zero_point qint32 qint8 quantize_per_channel
    quantize_per_tensor quint8""":
        ("numbers are bool, uint8, int8 to int64 and float16 to float64", "use float16 or float32"),
}

WHY = {name: why for names, why in FAMILIES.items() for name in names.split()}


def refuse(owner: str, name: str) -> None:
    """Say of a name that is not there why it is not; let those pass about which there is nothing to say.

    Raises:
        AbsentName (an AttributeError): it is left out by design.

    Example:
        >>> refuse("rustyflow", "zeroes")
        >>> refuse("rustyflow", "complex64")
        Traceback (most recent call last):
        rustyflow.errors.AbsentName: rustyflow.complex64
        rule: rustyflow leaves this out by design: there are no complex numbers
        try:  keep real and imaginary parts in two tensors
    """
    if name in WHY:
        rule, fix = WHY[name]
        raise AbsentName(f"{owner}.{name}", f"rustyflow leaves this out by design: {rule}", fix)
