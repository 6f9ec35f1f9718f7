"""Each module beside PyTorch's: the same weights from the same seed, the same outputs, text and state, and the same
weights after 20 steps."""

import copy

import numpy as np
import pytest

import rustyflow as rf
from tests.nn.test_lazy import LAZY

torch = pytest.importorskip("torch")

X = {
    "2": (4, 6),
    "3": (2, 6, 5),
    "seq": (5, 2, 6),
    "4": (2, 4, 6, 6),
    "fold": (2, 8, 25),
    "ids": None,
}
SEVERAL = {
    "qkv": [(3, 2, 6)] * 3,
    "kv": [(3, 2, 6), (5, 2, 4), (5, 2, 3)],
    "pair": [(4, 6), (4, 5)],
    "lines": [(2, 3, 6), (2, 3, 5)],
    "two": [(3, 3, 6), (3, 3, 6)],
}
CASES = [
    ("Linear", "(6, 3)", "2"),
    ("Linear", "(6, 3, bias=False)", "3t"),
    ("Conv1d", "(6, 4, 3, padding=1)", "3"),
    ("Conv1d", "(6, 4, 3, padding='same', padding_mode='reflect')", "skip"),
    ("Conv2d", "(4, 2, (3, 2), stride=2, groups=2)", "4"),
    ("Conv2d", "(4, 3, 3, padding=1, padding_mode='circular', dilation=1)", "4"),
    ("LayerNorm", "(6)", "2"),
    ("LayerNorm", "((6, 6), elementwise_affine=False)", "4"),
    ("RMSNorm", "(6)", "2"),
    ("GroupNorm", "(2, 4)", "4"),
    ("BatchNorm1d", "(6)", "2"),
    ("BatchNorm1d", "(6, momentum=None)", "3"),
    ("BatchNorm2d", "(4, affine=False)", "4"),
    ("Embedding", "(7, 3, padding_idx=1)", "ids"),
    ("PReLU", "(6)", "2"),
    ("RNN", "(6, 4)", "seq"),
    ("RNN", "(6, 4, nonlinearity='relu', batch_first=True)", "seq"),
    ("LSTM", "(6, 4, num_layers=2)", "seq"),
    ("GRU", "(6, 4, bidirectional=True, bias=False)", "seq"),
    ("LSTM", "(6, 3, 2, bidirectional=True)", "seq"),
    ("RNNCell", "(6, 4)", "2"),
    ("LSTMCell", "(6, 4)", "2"),
    ("GRUCell", "(6, 4)", "2"),
    ("TransformerEncoderLayer", "(6, 2, dim_feedforward=8, dropout=0.0)", "seq"),
    ("TransformerEncoderLayer", "(6, 3, 8, 0.0, 'gelu', batch_first=True, norm_first=True)", "seq"),
    ("MultiheadAttention", "(6, 2)", "qkv"),
    ("MultiheadAttention", "(6, 3, batch_first=True, bias=False)", "qkv"),
    ("MultiheadAttention", "(6, 2, kdim=4, vdim=3)", "kv"),
    ("MaxPool2d", "(2)", "4"),
    ("MaxPool1d", "(2, stride=1)", "3"),
    ("AvgPool2d", "(3, padding=1)", "4"),
    ("AvgPool1d", "(2)", "3"),
    ("AdaptiveAvgPool2d", "((2, 3))", "4"),
    ("AdaptiveAvgPool1d", "(2)", "3"),
    ("AdaptiveMaxPool2d", "((2, None))", "4"),
    ("AdaptiveMaxPool1d", "(2)", "3"),
    ("Flatten", "()", "4"),
    ("Unflatten", "(1, (2, 3))", "2"),
    ("Identity", "()", "2"),
    ("Softmax", "(dim=1)", "2"),
    ("LogSoftmax", "(-1)", "2"),
    ("ReLU", "()", "2"),
    ("ReLU", "(inplace=True)", "skip"),
    ("GELU", "('tanh')", "2"),
    ("ELU", "(0.5)", "2"),
    ("LeakyReLU", "(0.2)", "2"),
    ("Softplus", "()", "2"),
    ("Hardtanh", "(-0.5, 0.5)", "2"),
    ("Threshold", "(0.1, 3.0)", "2"),
    ("Softshrink", "()", "2"),
    ("Hardshrink", "(0.7)", "2"),
    ("GLU", "(1)", "2"),
    ("SELU", "()", "2"),
    ("ReLU6", "()", "2"),
    ("CELU", "(2.0)", "2"),
    ("CELU", "(0.3)", "2"),
    ("Dropout", "(0.3)", "eval"),
    ("Mish", "()", "2"),
    ("SiLU", "()", "2"),
    ("Tanhshrink", "()", "2"),
    ("PixelShuffle", "(2)", "4"),
    ("ChannelShuffle", "(2)", "4"),
    ("Unfold", "(2)", "4"),
    ("Fold", "((6, 6), 2)", "fold"),
    ("PixelUnshuffle", "(2)", "4"),
    ("ConvTranspose1d", "(6, 4, 3)", "3"),
    ("ConvTranspose1d", "(6, 4, 3, stride=2, padding=1, output_padding=1, groups=2, dilation=2)", "3"),
    ("ConvTranspose1d", "(6, 3, 2, bias=False)", "3"),
    ("ConvTranspose2d", "(4, 2, (3, 2), stride=2, groups=2)", "4"),
    ("ConvTranspose2d", "(4, 3, 4, 2, 1)", "4"),
    ("ConvTranspose2d", "(4, 3, 3, (2, 3), 1, (1, 0), 1, False, (2, 1))", "4"),
    ("InstanceNorm1d", "(6)", "3"),
    ("InstanceNorm1d", "(6, affine=True, track_running_stats=True)", "3"),
    ("InstanceNorm1d", "(4, affine=True, bias=False)", "2"),
    ("InstanceNorm2d", "(4, momentum=0.3, track_running_stats=True)", "4"),
    ("InstanceNorm2d", "(4, 1e-3, affine=True)", "4"),
    ("ZeroPad2d", "(2)", "4"),
    ("ZeroPad2d", "((1, 0, 2, -1))", "4"),
    ("ReflectionPad2d", "(3)", "4"),
    ("ReflectionPad2d", "((1, 0, 2, 3))", "4"),
    ("Upsample", "(scale_factor=2)", "4"),
    ("Upsample", "((9, 4), mode='bilinear')", "4"),
    ("Upsample", "(scale_factor=(2, 1.5), mode='bilinear', align_corners=True)", "4"),
    ("Upsample", "(scale_factor=2, mode='bicubic')", "4"),
    ("Upsample", "(7, mode='linear')", "3"),
    ("Bilinear", "(6, 5, 3)", "pair"),
    ("Bilinear", "(6, 5, 1, bias=False)", "pair"),
    ("Bilinear", "(6, 5, 2)", "lines"),
    ("MultiheadAttention", "(6, 2, add_bias_kv=False, add_zero_attn=False)", "qkv"),
    ("MultiheadAttention", "(6, 3, 0.0, True, True)", "qkv"),
    ("MultiheadAttention", "(6, 2, add_zero_attn=True, batch_first=True)", "qkv"),
    ("MultiheadAttention", "(6, 2, add_bias_kv=True, add_zero_attn=True, kdim=4, vdim=3)", "kv"),
    ("TransformerDecoderLayer", "(6, 2, dim_feedforward=8, dropout=0.0)", "two"),
    ("TransformerDecoderLayer", "(6, 3, 8, 0.0, 'gelu', batch_first=True, norm_first=True)", "two"),
    ("TransformerDecoderLayer", "(6, 1, 8, 0.0, nn.Tanh(), bias=False)", "two"),
    ("TransformerDecoder", "(nn.TransformerDecoderLayer(6, 2, 8, 0.0), 2)", "two"),
    ("TransformerDecoder", "(nn.TransformerDecoderLayer(6, 2, 8, 0.0, batch_first=True), 2, nn.LayerNorm(6))", "two"),
    ("Transformer", "(6, 2, 2, 1, 8, 0.0)", "two"),
    ("Transformer", "(6, 3, 1, 2, 8, 0.0, 'gelu', batch_first=True, norm_first=True)", "two"),
    ("Transformer", "(6, 1, 1, 1, 8, 0.0, bias=False, layer_norm_eps=1e-3)", "two"),
    ("Tanh", "()", "2"),
    ("Sigmoid", "()", "2"),
    ("LogSigmoid", "()", "2"),
    ("Softmin", "(dim=1)", "2"),
    ("Softsign", "()", "2"),
    ("Hardsigmoid", "()", "2"),
    ("Hardswish", "()", "2"),
    ("Dropout1d", "(0.3)", "eval"),
    ("Dropout2d", "(0.3)", "eval"),
    (
        "TransformerEncoder",
        "(nn.TransformerEncoderLayer(6, 2, 8, 0.0, batch_first=True), 2, nn.LayerNorm(6))",
        "seq",
    ),
]


def inputs(kind, lib, dtype):
    rng = np.random.default_rng(0)
    if kind == "ids":
        return (lib.tensor([[1, 2, 6], [0, 1, 5]]),)
    if kind in SEVERAL:
        return tuple(lib.tensor(rng.normal(size=shape).astype(dtype)) for shape in SEVERAL[kind])
    shape = {"eval": (4, 6), "skip": (4, 6), "3t": (2, 5, 6)}.get(kind) or X[kind]
    return (lib.tensor(rng.normal(size=shape).astype(dtype)),)


def made(lib, name, arguments):
    lib.manual_seed(7)
    return eval(f"nn.{name}{arguments}", {"nn": lib.nn})


def first(out):
    while isinstance(out, tuple):
        out = out[0]
    return out


@pytest.mark.parametrize("name, arguments, kind", CASES)
def test_text_weights_state_and_output(name, arguments, kind):
    ours, theirs = made(rf, name, arguments), made(torch, name, arguments)
    assert repr(ours) == repr(theirs).replace("NonDynamicallyQuantizableLinear", "Linear")
    state = theirs.state_dict()
    assert list(ours.state_dict()) == list(state)
    for key, value in ours.state_dict().items():
        np.testing.assert_array_max_ulp(value.numpy(), state[key].numpy(), 2)
    if kind == "skip":
        return
    if kind == "eval":
        ours.eval(), theirs.eval()
    a, b = first(ours(*inputs(kind, rf, "f4"))), first(theirs(*inputs(kind, torch, "f4")))
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=2e-5, atol=2e-6)


NEAR = {"f8": 1e-9, "f4": 1e-4}


def led(ours, theirs, lr, near):
    """20 steps of SGD lead to the same parameters and inputs in both libraries."""
    found = []
    for lib, (parameters, loss) in ((rf, ours), (torch, theirs)):
        step = lib.optim.SGD(parameters, lr=lr, momentum=0.9)
        for _ in range(20):
            step.zero_grad()
            loss().backward()
            step.step()
        found.append([p.detach().numpy() for p in parameters])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=near)


@pytest.mark.parametrize("name, arguments, kind", [c for c in CASES if c[2] != "skip"])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_twenty_steps_lead_to_the_same_weights_and_inputs(name, arguments, kind, dtype):
    made_of, sides = [], []
    for lib in (rf, torch):
        model = made(lib, name, arguments).to(lib.float64 if dtype == "f8" else lib.float32)
        if lib is torch:
            made_of[0].load_state_dict({k: rf.tensor(v.numpy()) for k, v in model.state_dict().items()})
        model.eval() if kind == "eval" else None
        given = inputs(kind, lib, dtype)
        leaves = [x.requires_grad_() for x in given if x.is_floating_point()]
        made_of.append(model)
        sides.append(([*model.parameters(), *leaves], lambda m=model, x=given: (first(m(*x)) ** 2).mean()))
    led(*sides, 0.1, NEAR[dtype])
    ours, theirs = made_of
    for (key, a), b in zip(ours.state_dict().items(), theirs.state_dict().values(), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=0, atol=NEAR[dtype], err_msg=key)


DEEP = {"TransformerDecoderLayer": 10, "Transformer": 10}
"""Sums of sums of sums: with weights some four times as large as at first, the rounding of float32 adds up to more."""
STATEFUL = [c for c in CASES if c[2] != "skip" and made(rf, *c[:2]).state_dict()]


@pytest.mark.parametrize("name, arguments, kind", STATEFUL, ids=[c[0] + c[1] for c in STATEFUL])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_states_travel_both_ways_through_safetensors(name, arguments, kind, dtype, tmp_path):
    """A state made here gives the same output there; one made there, the same here; and each is read back whole."""
    files, path = pytest.importorskip("safetensors.torch"), str(tmp_path / "state.safetensors")
    sides = [(lib, made(lib, name, arguments).to(getattr(lib, {"f8": "float64", "f4": "float32"}[dtype])).eval())
             for lib in (rf, torch)]
    for maker, ours_first in ((0, True), (1, False)):
        lib, model = sides[maker]
        model.train()(*inputs(kind, lib, dtype))  # running statistics that are not the first ones
        model.eval()
        with lib.no_grad():
            for x in model.parameters():
                x.mul_(1.5 + maker)
        rf.save(model.state_dict(), path) if ours_first else files.save_file(model.state_dict(), path)
        other = sides[1 - maker][1]
        other.load_state_dict(files.load_file(path) if ours_first else rf.load(path))
        kept = [(key, x.numpy()) for key, x in model.state_dict().items()]
        for (key, x), (other_key, y) in zip(kept, other.state_dict().items(), strict=True):
            assert key == other_key and x.dtype == y.numpy().dtype
            np.testing.assert_array_equal(x, y.numpy())
        a, b = (first(one(*inputs(kind, lib, dtype))).detach().numpy() for lib, one in sides)
        near = {"f8": 1e-12, "f4": 1e-5 * DEEP.get(name, 1)}[dtype]
        np.testing.assert_allclose(a, b, rtol=0, atol=near)


@pytest.mark.parametrize("name, arguments", [("CrossEntropyLoss", "(weight=T([1., 2., 3.]))"), (
    "BCEWithLogitsLoss", "(pos_weight=T([1., 2., 3.]))"), ("NLLLoss", "(T([1., 2., 3.]))")])
def test_the_weights_of_a_loss_travel_too(name, arguments, tmp_path):
    files, path = pytest.importorskip("safetensors.torch"), str(tmp_path / "state.safetensors")
    ours, theirs = losses(rf, name, arguments), losses(torch, name, arguments.replace("3.", "5."))
    rf.save(ours.state_dict(), path)
    theirs.load_state_dict(files.load_file(path))
    assert {k: v.tolist() for k, v in ours.state_dict().items()} == {
        k: v.tolist() for k, v in theirs.state_dict().items()} != {}


def test_containers_share_their_state_with_theirs(tmp_path):
    """Nested lists, dicts and parameters of one's own have the paths that PyTorch gives them."""
    files, path = pytest.importorskip("safetensors.torch"), str(tmp_path / "state.safetensors")

    def model(lib):
        nn = lib.nn
        whole = nn.Module()
        whole.parts = nn.ModuleDict({"a": nn.Linear(2, 3), "b": nn.ModuleList([nn.BatchNorm1d(3), nn.GRU(3, 2)])})
        whole.line = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1, bias=False))
        whole.free = nn.ParameterList([lib.ones(2), lib.zeros(1, 3)])
        whole.own = nn.Parameter(lib.tensor(2.5))
        whole.register_buffer("seen", lib.tensor([1, 2]))
        whole.register_buffer("scratch", lib.tensor([3]), persistent=False)
        return whole

    ours, theirs = model(rf), model(torch)
    rf.save(ours.state_dict(), path)
    assert repr(theirs.load_state_dict(files.load_file(path))) == "<All keys matched successfully>"
    files.save_file(theirs.state_dict(), path)
    assert repr(model(rf).load_state_dict(rf.load(path))) == "<All keys matched successfully>"
    assert list(ours.state_dict()) == list(theirs.state_dict())
    assert all(a.tolist() == b.tolist() for a, b in zip(ours.state_dict().values(), theirs.state_dict().values()))


def test_lists_of_activations_and_losses_are_whole():
    ours = set(rf.nn.__all__)
    theirs = {n for n in torch.nn.modules.activation.__all__ + torch.nn.modules.loss.__all__ if hasattr(torch.nn, n)}
    functions = {n.replace("_", "") for n in rf.nn.functional.__all__}
    missing = {n for n in theirs - ours if n.lower() in functions or n.lower().replace("loss", "") in functions}
    assert missing == set()


def test_a_nested_model_reads_and_counts_as_theirs():
    def model(lib):
        lib.manual_seed(1)
        nn = lib.nn
        return nn.Sequential(
            nn.Linear(4, 8),
            nn.ReLU(),
            nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.Tanh()]),
            nn.ParameterList([lib.ones(2), lib.ones(2, 3)]),
            nn.ModuleDict({"a": nn.Dropout(0.1), "b": nn.Sequential(nn.Linear(1, 1, bias=False))}),
        )

    ours, theirs = model(rf), model(torch)
    assert repr(ours) == repr(theirs).replace("torch.", "rustyflow.")
    assert [n for n, _ in ours.named_parameters()] == [n for n, _ in theirs.named_parameters()]
    assert [n for n, _ in ours.named_modules()] == [n for n, _ in theirs.named_modules()]
    assert repr(copy.deepcopy(ours)) == repr(ours)


def test_dropout_draws_as_theirs():
    for name, shape in (("Dropout", (4, 5)), ("Dropout2d", (2, 3, 2, 2)), ("Dropout1d", (2, 3, 4))):
        a, b = (getattr(lib.nn, name)(0.4) for lib in (rf, torch))
        rf.manual_seed(3), torch.manual_seed(3)
        assert a(rf.ones(shape)).tolist() == b(torch.ones(shape)).tolist()


@pytest.mark.parametrize("settings", ["", ", batch_first=True", ", batch_first=True, norm_first=True"])
def test_an_encoder_in_training_draws_as_theirs(settings):
    """In memory order, which is that of the steps, whatever the order of the axes is."""
    found = []
    for lib in (rf, torch):
        model = made(lib, "TransformerEncoder", f"(nn.TransformerEncoderLayer(6, 2, 8, 0.3{settings}), 2)")
        lib.manual_seed(3)
        out = model(*inputs("seq", lib, "f4"))
        attended = model.layers[0].self_attn(*inputs("seq", lib, "f4") * 3)[0]
        found.append((out.detach().numpy(), attended.detach().numpy(), attended.stride()))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-5)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-5)
    assert found[0][2] == found[1][2]


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_a_recurrent_dropout_draws_as_theirs(name):
    found = []
    for lib in (rf, torch):
        model = made(lib, name, "(6, 4, 3, dropout=0.4, bidirectional=True)")
        lib.manual_seed(3)
        found.append(first(model(*inputs("seq", lib, "f4"))).detach().numpy())
    np.testing.assert_allclose(*found, atol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        "uniform_(w, -1, 2)",
        "normal_(w, 1, 2)",
        "constant_(w, 3)",
        "ones_(w)",
        "zeros_(w)",
        "eye_(w)",
        "xavier_uniform_(w, 2)",
        "xavier_normal_(w)",
        "kaiming_uniform_(w, nonlinearity='relu')",
        "kaiming_normal_(w, mode='fan_out')",
        "trunc_normal_(w)",
        "trunc_normal_(w, std=2)",
        "trunc_normal_(w, 1, 0.5, 1.5, 3)",
        "trunc_normal_(w, 0, 1, 2, 2.5)",
        "trunc_normal_(w, 5, 1, -2, 2)",
    ],
)
def test_initial_weights_are_theirs(call):
    found = []
    for lib in (rf, torch):
        lib.manual_seed(5)
        w = lib.empty(5, 4)
        eval(f"init.{call}", {"init": lib.nn.init, "w": w})
        found.append((w.numpy(), lib.rand(1).item()))
    np.testing.assert_array_max_ulp(found[0][0], found[1][0], 2)
    assert found[0][1] == found[1][1]


@pytest.mark.skipif(torch.backends.cpu.get_cpu_capability() not in ("AVX2", "AVX512"), reason="rounds otherwise there")
@pytest.mark.parametrize(
    "draw",
    [
        "nn.Embedding(1000, 300).weight",
        "nn.init.normal_(lib.empty(1000, 300), std=0.02)",
        "nn.init.normal_(lib.empty(1000, 300), 1, 2)",
        "nn.init.trunc_normal_(lib.empty(1000, 300), std=0.02)",
        "nn.init.xavier_normal_(lib.empty(1000, 300))",
        "nn.init.kaiming_normal_(lib.empty(1000, 301))",
        "nn.init.normal_(lib.empty(1000, 100, dtype=lib.float16), std=0.02)",
    ],
)
def test_every_normal_weight_of_a_large_table_is_theirs(draw):
    for seed in range(3):
        found = []
        for lib in (rf, torch):
            lib.manual_seed(seed)
            found.append(eval(draw, {"nn": lib.nn, "lib": lib}).detach().numpy())
        np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("shape", [(5, 4), (4, 5), (8, 8), (128, 32), (6, 4, 3, 3)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_orthogonal_weights_are_as_near_to_theirs_as_theirs_to_the_right_ones(shape, dtype):
    """The last bits of a QR factorization are its library's own: both answers lie within two rounding errors, times
    the condition of the matrix that is factored, of the exact one."""
    unit = np.finfo(dtype).eps
    for seed in range(20):
        found = []
        for lib in (rf, torch):
            lib.manual_seed(seed)
            found.append(lib.nn.init.orthogonal_(lib.empty(shape, dtype=getattr(lib, dtype)), gain=2).numpy())
        torch.manual_seed(seed)
        drawn = torch.empty(shape, dtype=getattr(torch, dtype)).normal_().numpy().reshape(shape[0], -1)
        allowed = 2 * 2 * unit * np.linalg.cond(drawn.astype("f8"))
        np.testing.assert_allclose(*found, rtol=0, atol=allowed)
        flat = found[0].reshape(shape[0], -1).astype("f8") / 2
        small = flat @ flat.T if len(flat) <= flat.shape[1] else flat.T @ flat
        np.testing.assert_allclose(small, np.eye(len(small)), atol=4 * unit)


def test_masks_and_heads():
    ours, theirs = made(rf, "MultiheadAttention", "(6, 2)"), made(torch, "MultiheadAttention", "(6, 2)")
    padding, causal = [[False, False, True], [False, True, True]], np.triu(np.ones((3, 3)), 1) > 0
    for options in ({"need_weights": False}, {"average_attn_weights": False}):
        a = ours(*inputs("qkv", rf, "f4"), key_padding_mask=rf.tensor(padding), attn_mask=rf.tensor(causal), **options)
        b = theirs(
            *inputs("qkv", torch, "f4"),
            key_padding_mask=torch.tensor(padding),
            attn_mask=torch.tensor(causal),
            **options,
        )
        for x, y in zip(a, b, strict=True):
            assert (x is None) == (y is None)
            if x is not None:
                np.testing.assert_allclose(x.detach().numpy(), y.detach().numpy(), atol=1e-5)


RNG = np.random.default_rng(1)
P, Q = RNG.uniform(0.1, 0.9, (4, 3)).astype("f4"), RNG.uniform(0.1, 0.9, (4, 3)).astype("f4")
IDS, SIGNS = np.array([0, 2, 1, 1]), np.array([1.0, -1.0, 1.0, -1.0], "f4")
LOSSES = [
    ("MSELoss", "()", (P, Q)),
    ("L1Loss", "(reduction='sum')", (P, Q)),
    ("SmoothL1Loss", "(beta=0.2)", (P, Q)),
    ("HuberLoss", "(delta=0.1)", (P, Q)),
    ("BCELoss", "()", (P, Q)),
    ("BCEWithLogitsLoss", "(pos_weight=T([1., 2., 3.]))", (P, Q)),
    ("CrossEntropyLoss", "(weight=T([1., 2., 3.]), label_smoothing=0.1)", (P, IDS)),
    ("NLLLoss", "()", (np.log(P), IDS)),
    ("KLDivLoss", "(reduction='batchmean')", (np.log(P), Q)),
    ("PoissonNLLLoss", "()", (P, Q)),
    ("GaussianNLLLoss", "()", (P, Q, Q)),
    ("HingeEmbeddingLoss", "()", (P[:, 0], SIGNS)),
    ("SoftMarginLoss", "()", (P[:, 0], SIGNS)),
    ("MultiMarginLoss", "()", (P, IDS)),
    ("MultiLabelSoftMarginLoss", "()", (P, np.round(Q))),
    ("MarginRankingLoss", "(0.1)", (P[:, 0], Q[:, 0], SIGNS)),
    ("CosineEmbeddingLoss", "()", (P, Q, SIGNS)),
    ("TripletMarginLoss", "()", (P, Q, P[::-1].copy())),
    ("TripletMarginWithDistanceLoss", "()", (P, Q, P[::-1].copy())),
    ("CosineSimilarity", "()", (P, Q)),
    ("PairwiseDistance", "()", (P, Q)),
]


def losses(lib, name, arguments):
    return eval(f"nn.{name}{arguments}", {"nn": lib.nn, "T": lib.tensor})


@pytest.mark.parametrize("name, arguments, given", LOSSES, ids=[case[0] for case in LOSSES])
def test_losses_are_theirs_and_lead_as_far(name, arguments, given):
    found = [losses(lib, name, arguments)(*(lib.tensor(x) for x in given)).numpy() for lib in (rf, torch)]
    np.testing.assert_allclose(*found, rtol=1e-5)
    assert repr(losses(rf, name, arguments)) == repr(losses(torch, name, arguments))
    for dtype in ("f8", "f4"):
        sides = []
        for lib in (rf, torch):
            module = losses(lib, name, arguments).to(lib.float64 if dtype == "f8" else lib.float32)
            x, *others = (lib.tensor(x.astype(dtype) if x.dtype.kind == "f" else x) for x in given)
            x.requires_grad_()
            sides.append(([x], lambda m=module, x=x, o=others: m(x, *o).mean()))
        led(*sides, 0.01, NEAR[dtype])


def test_every_module_is_among_the_cases():
    elsewhere = {"Module", "ModuleDict", "ModuleList", "Parameter", "ParameterDict", "ParameterList", "Sequential",
                 "UninitializedBuffer", "UninitializedParameter", "functional", "init", "modules", "utils"}
    lazy = {case[0].partition("(")[0] for case in LAZY}
    assert set(rf.nn.__all__) - elsewhere == {case[0] for case in [*CASES, *LOSSES]} | lazy
