"""What PyTorch has and rustyflow leaves out is refused with a reason, by an exception that PyTorch's programs catch."""

from fnmatch import fnmatch
from operator import attrgetter
from pkgutil import iter_modules
from traceback import format_exception_only
from types import ModuleType

import pytest

import rustyflow as rf
from rustyflow.absent import FAMILIES
from rustyflow.errors import AbsentError
from rustyflow.ops import PUBLIC

x = rf.ones(2)
SIZED = [rf.zeros, rf.ones, rf.empty, rf.rand, rf.randn, x.new_zeros, x.new_ones, x.new_empty]
LIKE = [rf.zeros_like, rf.ones_like, rf.empty_like, rf.rand_like, rf.randn_like]
CREATORS = [
    *(lambda f=f, **how: f(2, 3, **how) for f in SIZED),
    *(lambda f=f, **how: f(x, **how) for f in LIKE),
    lambda **how: rf.full((2,), 7, **how),
    lambda **how: x.new_full((2,), 7, **how),
    lambda **how: rf.full_like(x, 7, **how),
    lambda **how: rf.eye(2, **how),
    lambda **how: rf.arange(3, **how),
    lambda **how: rf.linspace(0, 1, 3, **how),
    lambda **how: rf.logspace(0, 1, 3, **how),
    lambda **how: rf.tril_indices(2, 2, **how),
    lambda **how: rf.normal(0.0, 1.0, (2,), **how),
    lambda **how: rf.randint(5, (2,), **how),
    lambda **how: rf.randint_like(x, 5, **how),
    lambda **how: rf.randperm(3, **how),
]


@pytest.mark.parametrize("make", CREATORS)
def test_there_is_one_device_and_one_layout(make):
    for absent in ({"device": "cuda"}, {"device": "mps:0"}, {"layout": "sparse_coo"}):
        with pytest.raises(AbsentError) as caught:
            make(**absent)
        assert isinstance(caught.value, RuntimeError) and caught.value.fix
    with pytest.raises(RuntimeError, match="device string: nowhere"):
        make(device="nowhere")
    assert make(device="cpu", layout=None).is_cpu


def test_pytorchs_word_for_the_only_layout_passes():
    torch = pytest.importorskip("torch")
    assert rf.zeros(2, layout=torch.strided).shape == (2,)
    with pytest.raises(AbsentError):
        rf.zeros(2, layout=torch.sparse_coo)


@pytest.mark.parametrize("make", [rf.empty, rf.rand, rf.tensor, x.new_ones])
def test_memory_cannot_be_pinned(make):
    with pytest.raises(RuntimeError, match="copies to a GPU"):
        make(2, pin_memory=True)


@pytest.mark.parametrize("name", ["complex64", "bfloat16", "sparse_coo", "sparse_coo_tensor", "polar", "qint8"])
def test_a_name_left_out_by_design_says_why(name):
    with pytest.raises(AbsentError, match="by design") as caught:
        getattr(rf, name)
    assert isinstance(caught.value, AttributeError) and not hasattr(rf, name) and name not in dir(rf)


@pytest.mark.parametrize("name", ["cuda", "to_sparse", "cfloat", "conj", "bfloat16", "layout", "pin_memory"])
def test_a_method_left_out_by_design_says_why(name):
    with pytest.raises(AbsentError, match="by design") as caught:
        getattr(x, name)
    assert isinstance(caught.value, AttributeError) and not hasattr(x, name) and name not in dir(rf.Tensor)


@pytest.mark.parametrize("owner, slip, meant", [
    (x, "veiw", "view"), (x, "strides", r"x\.stride\(\), in slots"), (x, "astype", r"x\.to\(dtype\)"),
    (rf, "zero", "zeros"), (rf.show, "stride", "strides"), (rf.nn.functional, "sofmax", "softmax"),
])
def test_a_slip_of_the_pen_is_told_what_may_be_meant_once(owner, slip, meant):
    with pytest.raises(AttributeError, match=f"has no attribute '{slip}'\ntry:  {meant}") as caught:
        getattr(owner, slip)
    assert caught.value.name == slip and not hasattr(owner, slip)
    assert "Did you mean" not in "".join(format_exception_only(caught.value))


def test_a_name_of_three_letters_is_near_to_few():
    with pytest.raises(AttributeError, match=r"try:  len\(x\)"):
        x.len  # noqa: B018
    for owner, name in ((rf, "foo"), (x, "bar")):
        with pytest.raises(AttributeError) as caught:
            getattr(owner, name)
        assert "try:" not in str(caught.value)


@pytest.mark.parametrize("owner", [x, rf, rf.show])
def test_a_name_near_to_none_is_guessed_to_be_none(owner):
    with pytest.raises(AttributeError) as caught:
        getattr(owner, "quux")  # noqa: B009
    assert type(caught.value) is AttributeError and "'quux'" in str(caught.value)


@pytest.mark.parametrize("name", ["cuda.synchronize", "cuda.amp", "backends.mkldnn", "nn.attention", "multiprocessing",
                                  "autograd.forward_ad", "onnx"])
def test_a_name_of_a_part_left_out_by_design_says_why(name):
    with pytest.raises(AbsentError, match="by design"):
        attrgetter(name)(rf)


def test_a_program_that_seeds_and_sets_a_gpu_runs_without_one():
    rf.cuda.manual_seed(0), rf.cuda.manual_seed_all(0), rf.cuda.empty_cache()
    assert not rf.backends.cudnn.is_available() and not rf.backends.mps.is_available()
    rf.backends.cudnn.deterministic, before = True, rf.backends.cudnn.deterministic
    assert rf.backends.cudnn.deterministic and not before
    rf.backends.cudnn.deterministic = before


@pytest.mark.parametrize("owner, name, instead", [
    (rf, "testing", "allclose"), (rf.nn.utils, "prune", "clip_grad_norm_"), (rf.utils, "dlpack", "from_dlpack"),
    (rf.optim, "LBFGS", "AdamW"), (rf.optim.lr_scheduler, "CyclicLR", "LambdaLR"),
])
def test_what_stands_in_for_a_part_is_about_that_part(owner, name, instead):
    with pytest.raises(AbsentError, match=f"try: .*{instead}"):
        getattr(owner, name)


def test_complex_values_and_dtypes_are_refused():
    for make in (
        lambda: rf.tensor(1j),
        lambda: rf.tensor([1 + 2j]),
        lambda: rf.full((2,), 1j),
        lambda: rf.zeros(2, dtype=complex),
        lambda: rf.add(x, 1j),
        lambda: x.clone().add_(1j),
    ):
        with pytest.raises(AbsentError, match="complex"):
            make()
    with pytest.raises(RuntimeError, match="complex"):
        x.fill_(1j)


OLDER = {"names", "refine_names", "rename", "rename_", "align_to"}
"""Names that PyTorch had up to 2.12."""
UNLOADED = {"onnx"}
"""A part of PyTorch's that is there when it is asked for."""


def test_reasons_are_given_for_names_of_pytorchs_alone():
    torch = pytest.importorskip("torch")
    theirs = {name for owner in (torch, torch.Tensor, torch.nn, torch.nn.functional, torch.linalg, torch.autograd,
                                 torch.autograd.graph, torch.UntypedStorage, torch.backends, torch.cuda, torch.optim,
                                 torch.optim.lr_scheduler, torch.utils.data, torch.nn.utils, torch.nn.init,
                                 torch.distributions)
              for name in dir(owner)} | OLDER | UNLOADED
    theirs |= {module.name for place in (torch.utils, torch.nn.utils) for module in iter_modules(place.__path__)}
    theirs |= {f"distributions.{module.name}" for module in iter_modules(torch.distributions.__path__)}
    patterns = {pattern for group in FAMILIES for pattern in group.split()}
    assert {pattern for pattern in patterns if not any(fnmatch(name, pattern) for name in theirs)} == set()
    mine = "my_window q_proj lu_foo lstm_my_cell pairs_with_indices per_channel_mean batch_norm_1 sym_matrix bits_of"
    assert {name for name in mine.split() for pattern in patterns if fnmatch(name, pattern)} == set()


def test_a_tensor_has_no_method_that_pytorchs_has_not():
    torch = pytest.importorskip("torch")
    assert {name for name in dir(rf.Tensor) if not name.startswith("_")} <= set(dir(torch.Tensor))


PLACES = ["", "Tensor", "nn", "nn.functional", "linalg", "autograd", "autograd.graph"]
THEIR_OWN = """
_* [A-Z]* ops has_* is_tensor_like handle_torch_function boolean_dispatch *_notes *_mm assert_int_or_pair
init_num_threads import_ir_* parse_* merge_type_* typename types version torch_version torch classes cpp ao masked
compiled_with_cxx11_abi get_file_path from_file return_types thread_safe_generator quasirandom unify_type_list windows
dropout_ dsmm empty_quantized fused_moving_avg_* constant_pad_nd alias_copy slice_copy *indices_copy values_copy
view_as_*_copy profiler_allow_* prepare_multiprocessing_environment classproperty factory_kwargs native_channel_shuffle
region_activation_* set_override_* set_warn_on_* kineto_available overload cast
""".split()
"""Machinery of PyTorch's that a program does not name, as patterns."""


@pytest.mark.parametrize("where", PLACES)
def test_every_name_of_pytorchs_is_there_or_says_why_not(where):
    theirs = pytest.importorskip("torch")
    ours = rf
    for part in where.split(".") if where else ():
        theirs, ours = getattr(theirs, part), getattr(ours, part)
    silent = []
    for name in dir(theirs):
        value = getattr(theirs, name, None)
        made = getattr(value, "__module__", None) or ""
        if any(fnmatch(name, pattern) for pattern in THEIR_OWN) or isinstance(value, ModuleType):
            continue
        if made.startswith(("typing", "collections", "enum", "torch.serialization", "torch.utils._python_dispatch")):
            continue
        try:
            getattr(ours if where != "Tensor" else x, name)
        except AbsentError as error:
            assert error.rule and error.fix
        except AttributeError:
            silent.append(name)
        except RuntimeError:
            continue
    assert silent == []


MODULES = {
    "InstanceNorm3d": "instance_norm",
    "LazyConvTranspose2d": "conv_transpose2d",
    "Dropout3d": "dropout3d",
    "EmbeddingBag": "an nn.Module of your own, with nn.Parameter for what is learnt",
}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_names_its_function(name):
    with pytest.raises(AbsentError, match="this one is not here") as caught:
        getattr(rf.nn, name)
    assert caught.value.fix.removeprefix("nn.functional.") == MODULES[name]


def test_no_reason_is_given_for_a_function_that_is_there():
    names = {name for group in FAMILIES for name in group.split()}
    assert not names & set(PUBLIC)


@pytest.mark.parametrize("line", ["from rustyflow import complex64", "import rustyflow.bfloat16",
                                  "from rustyflow.optim import LBFGS, SGD", "from rustyflow.nn import CTCLoss"])
def test_importing_what_is_not_here_says_what_to_write(line):
    with pytest.raises(ModuleNotFoundError, match="rule: .*\ntry: "):
        exec(line)


def test_importing_what_nobody_knows_is_pythons_own_error():
    with pytest.raises(ModuleNotFoundError, match="No module named 'rustyflow.zzz'"):
        exec("import rustyflow.zzz")
