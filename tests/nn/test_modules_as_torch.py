"""Each module beside PyTorch's: the same weights from the same seed, the same outputs, text and state, and the same
weights after 20 steps."""

import copy

import numpy as np
import pytest

import rustyflow as rf

torch = pytest.importorskip("torch")

X = {
    "2": (4, 6),
    "3": (2, 6, 5),
    "seq": (5, 2, 6),
    "4": (2, 4, 6, 6),
    "ids": None,
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
    ("Dropout", "(0.3)", "eval"),
    ("Mish", "()", "2"),
    ("SiLU", "()", "2"),
    ("Tanhshrink", "()", "2"),
    ("PixelShuffle", "(2)", "4"),
    ("ChannelShuffle", "(2)", "4"),
    ("Unfold", "(2)", "4"),
]


def inputs(kind, lib, dtype):
    rng = np.random.default_rng(0)
    if kind == "ids":
        return (lib.tensor([[1, 2, 6], [0, 1, 5]]),)
    if kind == "qkv":
        return tuple(lib.tensor(rng.normal(size=(3, 2, 6)).astype(dtype)) for _ in range(3))
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


@pytest.mark.parametrize("name, arguments, kind", [c for c in CASES if c[2] not in ("skip", "eval")])
def test_twenty_steps_lead_to_the_same_weights(name, arguments, kind):
    ours, theirs = made(rf, name, arguments).double(), made(torch, name, arguments).double()
    ours.load_state_dict({k: rf.tensor(v.numpy()) for k, v in theirs.state_dict().items()})
    if not list(ours.parameters()):
        return
    steps = (
        rf.optim.SGD(ours.parameters(), lr=0.1, momentum=0.9),
        torch.optim.SGD(theirs.parameters(), lr=0.1, momentum=0.9),
    )
    for _ in range(20):
        for lib, model, step in zip((rf, torch), (ours, theirs), steps, strict=True):
            step.zero_grad()
            (first(model(*inputs(kind, lib, "f8"))) ** 2).mean().backward()
            step.step()
    for (key, a), b in zip(ours.state_dict().items(), theirs.state_dict().values(), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=0, atol=1e-9, err_msg=key)


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
            nn.ModuleDict({"a": nn.Dropout(0.1), "b": nn.Sequential(nn.Linear(1, 1, bias=False))}),
        )

    ours, theirs = model(rf), model(torch)
    assert repr(ours) == repr(theirs)
    assert [n for n, _ in ours.named_parameters()] == [n for n, _ in theirs.named_parameters()]
    assert [n for n, _ in ours.named_modules()] == [n for n, _ in theirs.named_modules()]
    assert repr(copy.deepcopy(ours)) == repr(theirs)


def test_dropout_draws_as_theirs():
    for name, shape in (("Dropout", (4, 5)), ("Dropout2d", (2, 3, 2, 2)), ("Dropout1d", (2, 3, 4))):
        a, b = (getattr(lib.nn, name)(0.4) for lib in (rf, torch))
        rf.manual_seed(3), torch.manual_seed(3)
        assert a(rf.ones(shape)).tolist() == b(torch.ones(shape)).tolist()


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
        "trunc_normal_(w, std=2)",
        "orthogonal_(w, gain=2)",
    ],
)
def test_initial_weights_are_theirs(call):
    found = []
    for lib in (rf, torch):
        lib.manual_seed(5)
        w = lib.empty(5, 4)
        eval(f"init.{call}", {"init": lib.nn.init, "w": w})
        found.append(w.numpy())
    tolerance = {"trunc": 1e-5, "ortho": 1e-5}.get(call[:5], 0)
    if tolerance:
        np.testing.assert_allclose(*found, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_max_ulp(*found, 2)


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


def test_losses_are_theirs():
    rng = np.random.default_rng(1)
    p, q = rng.uniform(0.1, 0.9, (4, 3)).astype("f4"), rng.uniform(0.1, 0.9, (4, 3)).astype("f4")
    ids, signs = np.array([0, 2, 1, 1]), np.array([1.0, -1.0, 1.0, -1.0], "f4")
    for name, arguments, given in [
        ("MSELoss", "()", (p, q)),
        ("L1Loss", "(reduction='sum')", (p, q)),
        ("SmoothL1Loss", "(beta=0.2)", (p, q)),
        ("HuberLoss", "(delta=0.1)", (p, q)),
        ("BCELoss", "()", (p, q)),
        ("BCEWithLogitsLoss", "(pos_weight=T([1., 2., 3.]))", (p, q)),
        ("CrossEntropyLoss", "(weight=T([1., 2., 3.]), label_smoothing=0.1)", (p, ids)),
        ("NLLLoss", "()", (np.log(p), ids)),
        ("KLDivLoss", "(reduction='batchmean')", (np.log(p), q)),
        ("PoissonNLLLoss", "()", (p, q)),
        ("GaussianNLLLoss", "()", (p, q, q)),
        ("HingeEmbeddingLoss", "()", (p[:, 0], signs)),
        ("SoftMarginLoss", "()", (p[:, 0], signs)),
        ("MultiMarginLoss", "()", (p, ids)),
        ("MultiLabelSoftMarginLoss", "()", (p, np.round(q))),
        ("MarginRankingLoss", "(0.1)", (p[:, 0], q[:, 0], signs)),
        ("CosineEmbeddingLoss", "()", (p, q, signs)),
        ("TripletMarginLoss", "()", (p, q, p[::-1].copy())),
        ("CosineSimilarity", "()", (p, q)),
        ("PairwiseDistance", "()", (p, q)),
    ]:
        found = []
        for lib in (rf, torch):
            module = eval(f"nn.{name}{arguments}", {"nn": lib.nn, "T": lib.tensor})
            found.append(module(*(lib.tensor(x) for x in given)).numpy())
            text = repr(module)
        np.testing.assert_allclose(*found, rtol=1e-5, err_msg=name)
        assert text == repr(eval(f"nn.{name}{arguments}", {"nn": rf.nn, "T": rf.tensor}))
