"""Ops declared and run: `registry` makes functions of classes, `run` computes, `saved` keeps for gradients."""

from .guard import need_float, need_tensors, need_tuple
from .inplace import apply_inplace, check_cast, check_shape, inplace_form, is_recorded
from .operation import OPS, Op, Operation, notify, renamed, watchers, watching
from .out import need_dtype, resize, tensors_in
from .promotion import constant, not_a_tensor, promoted, unfit
from .rebase import layout_of
from .registry import PUBLIC, also_called, collect, direct, expose, function, function_of, op, recording
from .results import pair
from .run import apply, apply_view, binary, fresh, record
from .saved import checked, overtaken, recorded
from .write_check import check_history, check_write, of_one_storage
from .writing import attach, writes
