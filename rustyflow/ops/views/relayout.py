"""In-place views: the tensor itself takes another shape over the same memory."""
from __future__ import annotations

from ...arguments.explain import explaining_once, retry_or_explain
from ...dispatch import check_history, renamed
from ...tensor import AccumulateGrad, Tensor, View, enable_grad, history_of, keep_retained, make_node
from .permute import t, transpose
from .slots import as_strided
from .view import squeeze, squeeze_dim, squeeze_dims, unsqueeze

_WRITTEN = {it: renamed(it, name) for it, name in {
    squeeze.op: "SqueezeBackward3",
    squeeze_dim: "SqueezeBackward4",
    squeeze_dims: "SqueezeBackward5",
    unsqueeze.op: "UnsqueezeBackward1",
    transpose.op: "TransposeBackward1",
    as_strided.op: "AsStridedBackward1",
    t.op: "TBackward1",
}.items()}
"""Each view op under PyTorch's name for its in-place form."""


def _inplace(name, call):
    def form(self, *args, **kwargs):
        check_history(self, name)
        leaf, old = type(self._history) is AccumulateGrad, self.detach()
        old._history = None if leaf else history_of(self)
        try:
            with enable_grad():  # under no_grad as well the tensor stays what it was, in another shape
                new = call(old, *args, **kwargs)
        except Exception as error:
            args, kwargs = retry_or_explain(error, form, call, (self, *args), kwargs)
            return form(*args, **kwargs)
        node = history_of(new)
        if node is not None:
            view, node = node, make_node(_WRITTEN[node.op].Node, node.parents, node.saved, node.out, node.attrs)
            node.__dict__.update(view.__dict__)  # where it was called, for `detect_anomaly`
        self._a, self._offset = new._a, new._offset
        self._storage.wrote(name)
        if leaf:
            self._history.out = self._a
        else:
            keep_retained(self, old._history, node)
            if type(self._history) is View:
                self._history.node, self._history.version = node, self._storage.version
            else:
                self._history = node
        return self
    form.__name__, form.__qualname__ = name, f"Tensor.{name}"
    setattr(Tensor, name, form)


_inplace("squeeze_", explaining_once(squeeze))  # which may not be given None
_inplace("unsqueeze_", unsqueeze)
_inplace("transpose_", transpose)
_inplace("swapaxes_", lambda x, axis0, axis1: transpose(x, axis0, axis1))
_inplace("swapdims_", lambda x, dim0, dim1: transpose(x, dim0, dim1))
_inplace("as_strided_", as_strided)
_inplace("t_", t)
