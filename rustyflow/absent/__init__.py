"""Names of PyTorch's that rustyflow leaves out by design: each says why, and what to write instead.

Loaded when a name is missed.
"""
from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.machinery import ModuleSpec
from operator import attrgetter
from types import MappingProxyType

from ..errors import AbsentModule, AbsentName, UnknownName
from .modules import LEFT_OUT, OF_DISTRIBUTIONS, left_out

FAMILIES = {
    """angle cdouble cfloat chalf complex complex128 complex32 complex64 conj conj_physical conj_physical_ eig eigvals
    imag is_conj is_neg polar real resolve_conj resolve_neg view_as_complex view_as_real""":
        ("there are no complex numbers", "keep real and imaginary parts in two tensors"),
    """ccol_indices coalesce col_indices crow_indices dense_dim hsmm hspmm is_coalesced is_sparse_csr jagged layout
    nested is_nested row_indices saddmm smm sparse* spmm sspaddmm strided to_dense to_padded_tensor to_sparse*""":
        ("every tensor is strided: a storage read through a shape, a stride and an offset", "leave the layout out"),
    "indices values":
        ("of a tensor they are parts of a sparse one; of max, min, sort and topk they are results",
         "x.max(1).values; x.tolist() or x.numpy() for all numbers"),
    """Event Stream cpu cuda cudnn_* get_device get_device_module hpu ipu is_ipu is_maia is_mkldnn
    is_mps is_mtia is_pinned is_vulkan is_vulkan_available is_xla is_xpu miopen miopen_* mkldnn mkldnn_* mps mtia
    pin_memory record_stream save_on_cpu set_default_tensor_type to_mkldnn
    xpu current_device current_stream get_device_capability get_device_name get_device_properties
    is_bf16_supported max_memory_allocated mem_get_info memory_allocated memory_reserved memory_summary
    reset_peak_memory_stats set_device synchronize""":
        ("every tensor is on the CPU", "leave the device out"),
    """BFloat16Tensor ao bfloat16 bit bits16 bits1x8 bits2x4 bits4x2 bits8 choose_qparams_optimized dequantize
    fake_quantize_* fbgemm_* float4_* float8_* int1 int2 int3 int4 int5 int6 int7 int_repr per_channel_affine
    per_channel_affine_float_qparams per_channel_symmetric per_tensor_affine per_tensor_symmetric q_per_channel_axis
    q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qint32 qint8 qscheme quantization
    intrinsic qat quantizable quantize_per_* quantized quantized_*
    quint2x4 quint4x2 quint8 uint1 uint16 uint2 uint3 uint32 uint4 uint5 uint6 uint64
    uint7""":
        ("numbers are bool, uint8, int8 to int64 and float16 to float64", "use float16 or float32"),
    "GradScaler amp autocast autocast_* clear_autocast_cache *_autocast_*":
        ("every op computes in the dtype of its operands",
         "leave it out, and step the optimizer itself; x.half() or x.float(), where it is to be so"),
    """compile compiler export func fx jit onnx ScriptFunction ScriptModule ScriptObject vmap while_loop fork futures
    wait overrides library""":
        ("every line runs when it is reached, and its history is the graph",
         "call the function itself; rustyflow.ir shows its graph"),
    "distributed parallel is_distributed DataParallel SyncBatchNorm DistributedSampler":
        ("a program is one process", "model(x) itself, and a DataLoader that shuffles"),
    "multiprocessing is_shared share_memory_":
        ("a program is one process", "Python's own multiprocessing, and x.numpy() for what is sent"),
    """get_num_threads set_num_threads
    get_num_interop_threads set_num_interop_threads set_multithreading_enabled is_multithreading_enabled""":
        ("a program is one process, and threads are NumPy's own", "set OMP_NUM_THREADS before Python starts"),
    """are_deterministic_algorithms_enabled use_deterministic_algorithms *_deterministic_debug_mode
    is_deterministic_algorithms_warn_only_enabled""":
        ("every op gives the same numbers each time", "leave the line out; manual_seed seeds what is random"),
    "LBFGS ASGD Rprop SparseAdam Adafactor Muon":
        ("of the optimizers SGD, RMSprop, Adagrad, Adadelta, Adam and its kin are here",
         "optim.AdamW(model.parameters())"),
    "CyclicLR MultiplicativeLR ChainedScheduler":
        ("a scheduler is a function of the epoch", "optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: ...)"),
    "swa_utils": ("an average of weights is a line", "average.lerp_(p, 0.1) for each parameter p, under no_grad()"),
    "tensorboard": ("what is logged is a list of numbers", "losses.append(loss.item()), then plt.plot(losses)"),
    "checkpoint": ("what backward needs is kept", "the function itself: model(x)"),
    "cpp_extension dlpack model_zoo mobile_optimizer benchmark":
        ("of utils the data is here", "from_dlpack(x) for dlpack; utils.data"),
    "rnn weight_norm spectral_norm parametrize parametrizations prune stateless fusion remove_weight_norm":
        ("of nn.utils what clips and joins parameters is here", "nn.utils.clip_grad_norm_"),
    "ChainDataset StackDataset": ("it is a Dataset of a few lines", "a Dataset whose __getitem__ asks the others"),
    "sparse_": ("of the initial weights the dense ones are here", "nn.init.eye_, nn.init.kaiming_uniform_"),
    "testing": ("what two tensors share is asked of them", "assert allclose(a, b), or numpy.testing on x.numpy()"),
    "hub profiler monitor package":
        ("profilers, downloads and their like are another library's business", "%timeit, or cProfile"),
    "fft stft istft bartlett_window blackman_window hamming_window hann_window kaiser_window":
        ("there are no Fourier transforms", "numpy.fft, on x.numpy()"),
    """special digamma erfinv i0 i0_ igamma igammac lgamma mvlgamma polygamma digamma_ erfinv_ igamma_ igammac_ lgamma_
    mvlgamma_ polygamma_ nextafter nextafter_ frexp""":
        ("of the special functions only erf and erfc are here", "scipy.special, on x.numpy()"),
    "lstsq pinv pinverse":
        ("least squares are two lines", "linalg.solve(A.mT @ A, A.mT @ b), where the columns are independent"),
    """qr lu lu_factor lu_factor_ex lu_solve lu_unpack geqrf orgqr ormqr householder_product ldl_factor ldl_factor_ex
    ldl_solve cholesky_inverse cholesky_solve triangular_solve solve_triangular symeig lobpcg pca_lowrank
    svd_lowrank matrix_exp tensorinv tensorsolve cholesky_ex inv_ex solve_ex""":
        ("of the factorizations cholesky, svd and eigh are here", "linalg.svd, linalg.cholesky or linalg.solve"),
    "lstm gru rnn_relu rnn_tanh lstm_cell gru_cell rnn_relu_cell rnn_tanh_cell multi_head_attention_forward ctc_loss":
        ("a recurrent or attention layer is written out, so that its steps can be seen",
         "a loop over time, or nn.functional.scaled_dot_product_attention"),
    """conv3d conv_transpose3d conv_tbc convolution avg_pool3d max_pool3d* adaptive_*_pool3d* fractional_max_pool*
    max_unpool* max_pool1d_with_indices max_pool2d_with_indices lp_pool* local_response_norm""":
        ("convolutions and pooling are of lines and images, by the usual ways", "conv2d, max_pool2d, avg_pool2d"),
    "adaptive_max_pool1d adaptive_max_pool*_with_indices":
        ("pooling by size is a layer's function", "nn.functional.adaptive_max_pool1d, with return_indices=True"),
    "grid_sample* affine_grid* upsample*": ("images are resized, not warped", "nn.functional.interpolate"),
    "embedding_bag embedding_renorm_ renorm renorm_":
        ("sums of embeddings are two ops", "nn.functional.embedding(...).sum(1)"),
    """alpha_dropout alpha_dropout_ feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_ rrelu
    rrelu_""":
        ("of the random layers dropout is here", "nn.functional.dropout"),
    "pdist multilabel_margin_loss linear_cross_entropy":
        ("it is another op or two", "cdist(x, x); cross_entropy(linear(x, w), target)"),
    """resize resize_ resize_as resize_as_ resize_as_sparse_ set_ new new_empty_strided empty_strided empty_permuted""":
        ("a tensor keeps its memory and its size", "reshape, as_strided, or a new tensor: x.new_empty(...)"),
    "apply_ map_ map2_": ("a loop over Python functions has no gradient", "ops on the whole tensor, or where(...)"),
    "index_reduce index_reduce_ segment_reduce":
        ("scatter_reduce joins what an index sends to one cell", "scatter_reduce(dim, index.expand(...), src, 'prod')"),
    "put put_": ("an index of all cells is one of x.view(-1)", "x.view(-1)[index] = values"),
    "cauchy_ geometric_ log_normal_ binomial poisson":
        ("of the distributions uniform, normal, bernoulli, exponential and multinomial are here",
         "uniform_() and the inverse of the distribution"),
    f"""{OF_DISTRIBUTIONS}
    Beta Binomial Cauchy Chi2 ContinuousBernoulli Dirichlet Exponential ExponentialFamily FisherSnedecor Gamma
    GeneralizedPareto Geometric Gumbel HalfCauchy HalfNormal Independent InverseGamma Kumaraswamy LKJCholesky Laplace
    LogNormal LogisticNormal LowRankMultivariateNormal MixtureSameFamily MultivariateNormal NegativeBinomial
    OneHotCategorical OneHotCategoricalStraightThrough Pareto Poisson RelaxedBernoulli RelaxedOneHotCategorical StudentT
    TransformedDistribution VonMises Weibull Wishart""":
        ("of the distributions Normal, Bernoulli, Categorical, Multinomial and Uniform are here",
         "a Distribution of your own, with sample and log_prob"),
    "biject_to transform_to *Transform identity_transform transforms":
        ("distributions are not transformed here", "what is drawn: base.rsample().exp()"),
    "attention": ("there is one way to write it", "nn.functional.scaled_dot_product_attention"),
    "forward_ad": ("gradients flow backward, through what was recorded", "autograd.functional.jvp(f, x, v)"),
    "histogramdd": ("counts are along one axis", "histogram of each column; bucketize, then bincount, for pairs"),
    "gradient": ("slopes are differences over steps", "diff(y) / diff(x)"),
    "chain_matmul": ("it has a newer name", "linalg.multi_dot([a, b, c])"),
    "matrix_rank": ("it has a newer name", "linalg.matrix_rank(A)"),
    "solve": ("it has a newer name", "linalg.solve(A, b)"),
    "range": ("it is arange with its end, and PyTorch drops it too", "arange(start, end + 1)"),
    "asarray": ("it is as_tensor", "as_tensor(data)"),
    "vdot": ("without complex numbers it is dot", "dot(a, b)"),
    "logit logit_": ("it is one line", "(x / (1 - x)).log()"),
    "logaddexp2 ldexp ldexp_": ("it is one line", "logaddexp(a * ln2, b * ln2) / ln2; x * 2 ** other"),
    "nuclear_norm frobenius_norm norm_except_dim":
        ("norms are in linalg", "linalg.matrix_norm(A, 'nuc'), linalg.norm(A)"),
    "is_same_size is_set_to is_signed": ("it is a comparison", "a.shape == b.shape; x.dtype.is_signed"),
    "is_storage": ("it is a question of type", "isinstance(s, (UntypedStorage, TypedStorage))"),
    "nonzero_static as_strided_scatter slice_inverse hash_tensor": ("it serves compilers", "nonzero(), as_strided()"),
    "index": ("it is what square brackets do", "x[rows, columns]"),
    "functional": ("layers and losses are in nn", "rustyflow.nn.functional"),
    "unsafe_chunk unsafe_split unsafe_split_with_sizes": ("what is unsafe is left out", "chunk, split"),
    "channels_last channels_last_3d dim_order legacy_contiguous_format":
        ("tensors are row-major, or lie as their operand does",
         "x.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2), which lies so"),
    """Storage BFloat16Storage BoolStorage ByteStorage CharStorage DoubleStorage FloatStorage HalfStorage IntStorage
    LongStorage ShortStorage storage_type""":
        ("a typed storage knows its dtype", "x.storage(), or TypedStorage([1, 2], dtype=int64)"),
    "const_data_ptr": ("memory has one address", "x.data_ptr()"),
    "as_subclass": ("what an op makes of a subclass is a Tensor", "the subclass itself: MyTensor(x)"),
    "module_load": ("it serves modules of PyTorch's", "x.copy_(other), under no_grad()"),
    "name names refine_names rename rename_ align_to":
        ("axes have numbers, and tensors no names", "dims by number, einsum for letters"),
    "is_inference": ("inference_mode leaves recording out, and marks no tensor", "x.requires_grad"),
    "grad_dtype": ("a gradient has its tensor's dtype", "x.grad.to(dtype)"),
    "volatile Variable variable":
        ("a tensor has its own history since PyTorch 0.4", "tensor(..., requires_grad=True)"),
    "saved_tensors_hooks disable_saved_tensors_hooks allow_mutation_on_saved_tensors SavedTensor":
        ("a node keeps the tensors themselves, where `_saved_self` and its kin show them",
         "del y frees what y saved"),
    "GradientEdge get_gradient_edge": ("an edge is a node and a number", "y.grad_fn and y.output_nr"),
    "register_multi_grad_hook increment_version": ("a hook is on one tensor or node", "x.register_hook(f) for each"),
    """batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
    batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats native_batch_norm
    native_channel_shuffle native_dropout native_group_norm native_layer_norm native_norm sym_constrain_range
    sym_constrain_range_for_size sym_float sym_fresh_size sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum
    enforce_grad_layout_policy is_view_replay_enabled""":
        ("it serves PyTorch's own machinery", "the function without the prefix"),
    """reinforce is_warn_always_enabled set_warn_always set_flush_denormal set_anomaly_enabled
    is_anomaly_check_nan_enabled""":
        ("it changes how PyTorch itself runs", "leave the line out; autograd.set_detect_anomaly finds NaN"),
}
"""PyTorch's names, or patterns that fit no other word: why they are not here, and what to write instead."""

MODULE = "of PyTorch's modules this one is not here"
MODULES = """*3d *Pad1d CircularPad2d ConstantPad2d ReplicationPad2d AdaptiveLogSoftmaxWithLoss AlphaDropout Buffer
CTCLoss Container CrossMapLRN2d DataParallel EmbeddingBag FeatureAlphaDropout FractionalMaxPool2d LPPool*
LazyConvTranspose* LazyInstanceNorm* LinearCrossEntropy* LocalResponseNorm MaxUnpool* MultiLabelMarginLoss NLLLoss2d
RNNBase RNNCellBase RReLU Softmax2d SyncBatchNorm Upsampling*""".split()
"""Those, as names and patterns; another name is a slip of the pen."""
PARTS = ("", "nn.functional.", "linalg.")
ATTRIBUTES = {"strides": "x.stride(), in slots where NumPy counts bytes", "astype": "x.to(dtype)", "copy": "x.clone()",
              "len": "len(x)", "expand_dims": "x.unsqueeze(dim)", "to_numpy": "x.numpy()", "float64": "x.double()",
              "float32": "x.float()", "float16": "x.half()", "int64": "x.long()", "int32": "x.int()",
              "int16": "x.short()"}
"""Attributes of NumPy's arrays, and of no array, that PyTorch's tensors have by another name."""

FUNCTIONS = {"array": "rustyflow.tensor(data)", "expand_dims": "rustyflow.unsqueeze(x, dim)"}
"""NumPy's functions that PyTorch has by another name, which none of its names is near to."""


def refuse(owner: str, name: str) -> None:
    """Says of a name that is not there why it is not; lets those pass that have no reason.

    Raises:
        AbsentName (an AttributeError): it is left out by design.

    Example:
        >>> refuse("rustyflow", "zeroes")
        >>> refuse("rustyflow", "complex64")
        Traceback (most recent call last):
        rustyflow.errors.AbsentName: rustyflow.complex64
        rule: rustyflow leaves this out by design: there are no complex numbers
        try:  keep real and imaginary parts in two tensors
        >>> refuse("rustyflow.nn", "InstanceNorm3d")
        Traceback (most recent call last):
        rustyflow.errors.AbsentName: rustyflow.nn.InstanceNorm3d
        rule: of PyTorch's modules this one is not here
        try:  nn.functional.instance_norm
    """
    if owner == "rustyflow.nn" and any(fnmatchcase(name, pattern) for pattern in MODULES):
        raise AbsentName(f"{owner}.{name}", MODULE, as_function(name))
    if family := _family(f"{owner}.{name}".removeprefix("rustyflow.")) or _family(name):
        raise AbsentName(f"{owner}.{name}", f"rustyflow leaves this out by design: {family[0]}", family[1])
    if fix := elsewhere(owner, name):
        raise AbsentName(f"{owner}.{name}", "rustyflow has one place for each function", fix)


@lru_cache
def _family(name: str) -> tuple[str, str] | None:
    """The words of FAMILIES for a name.

    It is asked often, for `hasattr` of plotting libraries raises an error as well.
    """
    return next((said for names, said in FAMILIES.items()
                 if any([fnmatchcase(name, pattern) for pattern in names.split()])), None)


def module_spec(name: str) -> ModuleSpec | None:
    """Returns the spec of a module of PyTorch's that is not here; None where nothing is to be said.

    Raises:
        AbsentModule (a ModuleNotFoundError): no module of PyTorch's, but a name that is left out by design.

    Example:
        >>> import rustyflow.onnx
        >>> rustyflow.onnx.export("model", (), "file")
        Traceback (most recent call last):
        rustyflow.errors.AbsentError: rustyflow.onnx.export(...)
        rule: rustyflow leaves this out by design: every line runs when it is reached, and its history is the graph
        try:  call the function itself; rustyflow.ir shows its graph
        >>> from rustyflow import complex64
        Traceback (most recent call last):
        rustyflow.errors.AbsentModule: rustyflow.complex64
        rule: rustyflow leaves this out by design: there are no complex numbers
        try:  keep real and imaginary parts in two tensors
    """
    known = next((f"rustyflow.{each}" for each in LEFT_OUT if f"{name}.".startswith(f"rustyflow.{each}.")), None)
    parts = (known or name).split(".")
    for end in range(len(parts), 1 if known else len(parts) - 1, -1):  # of cuda.nvtx there is to say what is of cuda
        try:
            refuse(".".join(parts[:end - 1]), parts[end - 1])
        except AbsentName as absent:
            if known is None:
                raise AbsentModule(absent.was, absent.rule, absent.fix) from None
            return left_out(name, absent)
    return None


def explain(owner: str, name: str, names: Iterable[str]) -> None:
    """The words on a name that a module, or a Tensor, of these names has not; none if unknown.

    Raises:
        AbsentName (an AttributeError): it is left out by design. UnknownName (an AttributeError): it is near to one
        that is there.

    Example:
        >>> explain("rustyflow.nn", "zeroes", [])
    """
    if owner != "Tensor":
        refuse(owner, name)
        guess(f"module {owner!r}", name, names, FUNCTIONS if owner == "rustyflow" else {})
        return
    if name not in ATTRIBUTES:
        refuse(owner, name)
    guess("'Tensor' object", name, names, ATTRIBUTES)


def guess(owner: str, name: str, names: Iterable[str], known: Mapping[str, str] = MappingProxyType({})) -> None:
    """Says which of its names may be meant by one that an owner has not; lets others pass.

    Raises:
        UnknownName (an AttributeError): one is near, or what to write is known.

    Example:
        >>> guess("'Tensor' object", "zzz", ["view", "stride"])
        >>> guess("'Tensor' object", "veiw", ["view", "stride"])
        Traceback (most recent call last):
        rustyflow.errors.UnknownName: 'Tensor' object has no attribute 'veiw'
        try:  view
    """
    if fix := known.get(name) or _near(name, tuple(names)):
        raise UnknownName(f"{owner} has no attribute {name!r}", fix, name)


@lru_cache
def _near(name: str, names: tuple[str, ...]) -> str:
    """The one of the names that is the same but for capitals, or near; empty where none is."""
    same = [one for one in names if one.lower() == name.lower()]
    return next(iter(same or get_close_matches(name, names, 1, 0.7 if len(name) > 3 else 0.81)), "")


def as_function(module: str) -> str:
    """The fix for a module: the function of the same name, if there is one.

    Example:
        >>> as_function("LazyConvTranspose2d"), as_function("InstanceNorm3d")
        ('nn.functional.conv_transpose2d', 'nn.functional.instance_norm')
    """
    words = re.sub("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", module.replace("ReLU", "Relu")).lower()
    words = words.removeprefix("lazy_").replace("bce", "binary_cross_entropy")
    for name in (words, words.removesuffix("_loss"), words.replace("_", ""), re.sub("[123]d$", "", words)):
        if name in _root().nn.functional.__all__:
            return f"nn.functional.{name}"
    return "an nn.Module of your own, with nn.Parameter for what is learnt"


def elsewhere(owner: str, name: str) -> str:
    """The home of a function that PyTorch has in two places.

    That is a method that writes, a view's copy, a function of a part.

    Example:
        >>> elsewhere("rustyflow", "sinc_"), elsewhere("rustyflow", "kl_div"), elsewhere("rustyflow", "zeroes")
        ('x.sinc_(...)', 'rustyflow.nn.functional.kl_div', '')
    """
    root = _root()
    if name.endswith("_") and hasattr(root.Tensor, name):
        return f"x.{name}(...)"
    if name.endswith("_copy") and hasattr(root.Tensor, name.removesuffix("_copy")):
        return f"x.{name.removesuffix('_copy')}(...).clone()"
    for part in PARTS:
        place = attrgetter(part.rstrip("."))(root) if part else root
        if f"rustyflow.{part}".rstrip(".") != owner and name in dir(place):
            return f"rustyflow.{part}{name}"
    return ""


def _root():
    """The package: what it has, and where."""
    return sys.modules["rustyflow"]
