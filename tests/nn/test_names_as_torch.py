"""What public programs ask of transformers, transposed convolutions, norms and dicts of parameters: the values that
PyTorch gives, and the kinds of its errors."""

import numpy as np
import pytest

import rustyflow as rf

torch = pytest.importorskip("torch")

TIME_FIRST = "m, src, tgt = nn.Transformer(8, 2, 2, 2, 16, {}), T(5, 3, 8), T(4, 3, 8)"
BATCH_FIRST = "m, src, tgt = nn.Transformer(8, 2, 2, 2, 16, {}, batch_first=True), T(3, 5, 8), T(3, 4, 8)"
PLAIN, BATCHES = TIME_FIRST.format(0.0), BATCH_FIRST.format(0.0)
CAUSAL = "nn.Transformer.generate_square_subsequent_mask"
PADDED = "torch.tensor([[False] * 5, [False] * 4 + [True], [False] * 3 + [True] * 2])"

VALUES = [
    (PLAIN, "m(src, tgt)"),
    (PLAIN, f"m(src, tgt, tgt_mask={CAUSAL}(4))"),
    (PLAIN, f"m(src, tgt, None, {CAUSAL}(4), tgt_is_causal=True)"),
    (PLAIN, f"m(src, tgt, src_mask={CAUSAL}(5), tgt_mask={CAUSAL}(4), src_is_causal=True)"),
    (PLAIN, "m(src, tgt, memory_mask=torch.ones(4, 5).tril().log())"),
    (PLAIN, f"m(src, tgt, src_key_padding_mask={PADDED}, memory_key_padding_mask={PADDED}, "
            "tgt_key_padding_mask=torch.tensor([[False] * 4] * 2 + [[False] * 3 + [True]]))"),
    (PLAIN, "m(src[:, 0], tgt[:, 0])"),
    (BATCHES, f"m(src, tgt, tgt_mask={CAUSAL}(4), src_key_padding_mask={PADDED})"),
    (BATCHES, f"m(src[0], tgt[0], tgt_mask={CAUSAL}(4))"),
    (BATCHES, "m.eval()(src, tgt, src_mask=torch.ones(5, 5).triu(1).bool(), tgt_mask=torch.ones(4, 4).triu(1).bool())"),
    (BATCHES, f"unrecorded(lambda: m.eval()(src, tgt, tgt_mask={CAUSAL}(4)))"),
    (BATCHES, f"unrecorded(lambda: m.eval()(src, tgt, src_key_padding_mask={PADDED}))"),
    (TIME_FIRST.format(0.4), "m(src, tgt)"),
    (TIME_FIRST.format(0.4), f"m(src, tgt, tgt_mask={CAUSAL}(4))"),
    (BATCH_FIRST.format("0.3, norm_first=True"), "m(src, tgt)"),
    ("", "nn.TransformerDecoderLayer(8, 2, 16, 0.3)(T(4, 3, 8), T(5, 3, 8))"),
    ("layer = nn.TransformerDecoderLayer(8, 2, 16, 0.3, batch_first=True)",
     "nn.TransformerDecoder(layer, 2)(T(4, 3, 8), T(4, 5, 8))"),
    ("", f"[{CAUSAL}(3), {CAUSAL}(2, dtype=torch.float64), {CAUSAL}(0)]"),
    ("m, q = nn.MultiheadAttention(6, 2, add_bias_kv=True, add_zero_attn=True), T(3, 2, 6)",
     "m(q, q, q, torch.tensor([[False, False, True]] * 2), True, torch.ones(3, 3).triu(1).bool(), False)"),
    ("m, q = nn.MultiheadAttention(6, 2, add_bias_kv=True), T(3, 2, 6)", "m(q, q, q, attn_mask=torch.zeros(4, 3, 3))"),
    ("m, q = nn.MultiheadAttention(6, 2, add_zero_attn=True), T(3, 6)", "m(q, q, q)"),
    ("m, q = nn.MultiheadAttention(6, 2, 0.3, True, True, True), T(3, 2, 6)", "m(q, q, q)[0]"),
    ("m = nn.MultiheadAttention(6, 2)", "[m.bias_k, m.bias_v, m.kdim, m.vdim, m.head_dim, m._qkv_same_embed_dim]"),
    ("m = nn.MultiheadAttention(6, 2, add_bias_kv=True, kdim=3)", "[*m.state_dict(), *dict(m.named_parameters())]"),
    ("m, x = nn.ConvTranspose2d(2, 3, 3, stride=2), T(1, 2, 3, 3)",
     "[m(x, output_size=(8, 8)), m(x, [1, 3, 7, 8]), m(x[0], output_size=torch.zeros(7, 8).shape)]"),
    ("m, x = nn.ConvTranspose1d(2, 4, 3, 3, 1, 0, 2, dilation=2), T(2, 2, 5)",
     "[m(x, output_size=[17]), m(x), m(x[0])]"),
    ("m, x = nn.ConvTranspose2d(2, 3, 3, stride=2), T(1, 2, 3, 3)", "twice(m, x)"),
    ("m, x = nn.ConvTranspose2d(4, 2, (3, 2), (2, 1), 1, (1, 0), 2, False, (2, 1)), T(2, 4, 3, 3)", "twice(m, x)"),
    ("m, x = nn.ConvTranspose1d(2, 4, 3, 2, 1, 1, 2, dilation=2), T(2, 2, 5)", "twice(m, x)"),
    ("m, x = nn.InstanceNorm2d(3, affine=True, track_running_stats=True), T(2, 3, 4, 4)",
     "[m(x), m.eval()(x), *m.state_dict().values()]"),
    ("m, x = nn.InstanceNorm1d(3, momentum=None, track_running_stats=True), T(2, 3, 4)",
     "[m(x), m.eval()(x), *m.state_dict().values()]"),
    ("", "[nn.InstanceNorm1d(3).eval()(T(3, 4)), nn.InstanceNorm2d(3, affine=True)(T(3, 4, 4)), "
         "nn.InstanceNorm2d(7)(T(2, 3, 4, 4))]"),
    ("m, x = nn.InstanceNorm2d(3, affine=True), T(2, 3, 4, 4)", "twice(m, x)"),
    ("", "[nn.ZeroPad2d(1)(T(3, 3)), nn.ZeroPad2d((1, 2))(T(3, 3)), nn.ZeroPad2d([1, 0, 0, -1])(T(1, 3, 3))]"),
    ("", "[nn.ReflectionPad2d(1)(T(1, 3, 3)), nn.ReflectionPad2d((0, 2, 1, 1))(T(2, 1, 3, 3)), nn.ZeroPad2d(2).value]"),
    ("", "[nn.Upsample(scale_factor=2, mode='bilinear', align_corners=False)(T(1, 1, 3, 3)), "
         "nn.Upsample(5)(T(1, 2, 3)), nn.Upsample((2, 7))(T(1, 1, 3, 3)), "
         "nn.Upsample(scale_factor=1.5, recompute_scale_factor=True)(T(1, 1, 3))]"),
    ("", "[nn.Bilinear(2, 3, 4)(T(2), T(3)), F.bilinear(T(0, 2), T(0, 3), T(4, 2, 3)), "
         "F.bilinear(T(5, 2, 2), T(5, 2, 3), T(4, 2, 3)).stride()]"),
    ("", "[tail(F.bilinear(T(2, 2), T(2, 3), T(4, 2, 3), T(4).requires_grad_())), "
         "tail(F.bilinear(T(2, 2), T(2, 3), T(4, 2, 3).requires_grad_()))]"),
    ("m, x = nn.Bilinear(2, 3, 4), T(5, 2)", "twice(lambda x: m(x, T(5, 3).double()), x, m)"),
    ("", "[nn.init.dirac_(T(3, 2, 3)), nn.init.dirac_(T(4, 2, 3, 2), 2), nn.init.dirac_(T(2, 5, 1, 2, 3)), "
         "nn.init.dirac_(T(6, 3, 3, 3), groups=3)]"),
    ("p = nn.ParameterDict({'b': T(2), 'a': T(3, 1), 'n': 3}); p['c'] = T(1)",
     "[p, *p, len(p), 'b' in p, 3 in p, *p.keys(), *dict(p.named_parameters()), *p.state_dict(), *reversed(p)]"),
    ("p = nn.ParameterDict([('b', T(2)), ('a', T(3, 1))]); q = p | {'z': T(1)}; p |= {'y': T(2)}",
     "[*q, *p, p.pop('b'), *p, *p.popitem(), *p, p.get('no'), p.get('no', 3), p.setdefault('s', T(2)), *p]"),
    ("p = nn.ParameterDict(); p.clear()", "[p, len(p), *p.fromkeys(['a', 'b'], T(1)), type(p).__name__]"),
    ("p = nn.ParameterDict({'a': 3, 'b': T(1)}); p['a'] = T(1)", "[p, *dict(p.named_parameters())]"),
    ("p = nn.ParameterDict({'a': T(1)}); p.update({'a': T(2)}); del p['a']; p['c'] = T(3)", "[p.c, p['c'], *p]"),
    ("p, q = nn.ParameterDict({'a': T(1)}), nn.ParameterDict({'a': T(1) + 1})",
     "[q.load_state_dict(p.state_dict()), q['a'], p.to(torch.float64)['a'].dtype, p.copy()['a'] is p['a']]"),
    ("m = nn.Linear(2, 2); m.note = 1; del m.note", "[hasattr(m, 'note')]"),
]

ERRORS = [
    (PLAIN, "m(src, T(4, 2, 8))"),
    (PLAIN, "m(src, T(4, 3, 6))"),
    (PLAIN, "m(src, T(4, 8))"),
    (PLAIN, "m(src)"),
    (PLAIN, "m(src, tgt, tgt_mask=torch.zeros(5, 5))"),
    (PLAIN, "m(src, tgt, tgt_is_causal=True)"),
    (PLAIN, "m(src, tgt, memory_key_padding_mask=torch.zeros(3, 4).bool())"),
    (BATCHES, "m(src, T(2, 4, 8))"),
    ("", "nn.Transformer(9, 2)"),
    ("", "nn.Transformer(8, 2, activation='foo')"),
    ("", "nn.TransformerDecoder(3, 2)"),
    ("", f"{CAUSAL}(-1)"),
    ("", "nn.MultiheadAttention(0, 2)"),
    ("", "nn.MultiheadAttention(4, 0)"),
    ("", "nn.MultiheadAttention(6, 4)"),
    ("", "nn.MultiheadAttention(6, 2, add_bias=True)"),
    ("", "nn.ConvTranspose2d(2, 3, 3, stride=2)(T(1, 2, 3, 3), output_size=(9, 9))"),
    ("", "nn.ConvTranspose2d(2, 3, 3, stride=2)(T(1, 2, 3, 3), output_size=(9,))"),
    ("", "nn.ConvTranspose2d(2, 3, 3, stride=2)(T(1, 2, 3, 3), output_size=7)"),
    ("", "nn.ConvTranspose2d(2, 3, 3)(T(1, 3, 3, 3))"),
    ("", "nn.ConvTranspose2d(2, 3, 3)(T(3, 3))"),
    ("", "nn.ConvTranspose2d(2, 3, 3, stride=2, output_padding=2)(T(1, 2, 3, 3))"),
    ("", "nn.ConvTranspose2d(2, 3, 3, groups=2)"),
    ("", "nn.ConvTranspose1d(2, 3, 3, padding_mode='reflect')"),
    ("", "nn.ConvTranspose2d(2, 3)"),
    ("", "nn.InstanceNorm2d(3)(T(2, 3))"),
    ("", "nn.InstanceNorm1d(3)(T(2, 3, 3, 3))"),
    ("", "nn.InstanceNorm2d(3, affine=True)(T(2, 2, 3, 3))"),
    ("", "nn.InstanceNorm2d(3)(T(2, 3, 1, 1))"),
    ("", "nn.ReflectionPad2d(3)(T(1, 1, 3, 3))"),
    ("", "nn.ReflectionPad2d(1)(T(3, 3))"),
    ("", "nn.ZeroPad2d(1.5)(T(3, 3))"),
    ("", "nn.ZeroPad2d(-2)(T(1, 1, 3, 3))"),
    ("", "nn.Upsample()(T(1, 1, 3, 3))"),
    ("", "nn.Upsample(2, 3)(T(1, 1, 3, 3))"),
    ("", "nn.Upsample(scale_factor=[2, 2])"),
    ("", "nn.Upsample(scale_factor='a')"),
    ("", "nn.Upsample(scale_factor=2, mode='linear')(T(1, 1, 3, 3))"),
    ("", "nn.Bilinear(0, 2, 3)"),
    ("", "nn.Bilinear(2, 3, 4)(T(2, 2))"),
    ("", "F.bilinear(T(2, 2), T(2, 2), T(4, 2, 3))"),
    ("", "F.bilinear(T(2, 2), T(3, 3), T(4, 2, 3))"),
    ("", "F.bilinear(T(2, 2), T(2, 2, 3), T(4, 2, 3))"),
    ("", "F.bilinear(T(2, 2), T(2, 3), T(4, 2))"),
    ("", "F.bilinear(T(2, 2), T(2, 3), T(4, 2, 3).double())"),
    ("", "F.bilinear(T(2, 2), T(2, 3), T(4, 2, 3), T(3))"),
    ("", "F.bilinear(T(2, 2), T(2, 3), 3)"),
    ("", "nn.init.dirac_(T(3, 2))"),
    ("", "nn.init.dirac_(T(3, 2, 3), 2)"),
    ("p = nn.ParameterDict({'a': T(1)})", "p['no']"),
    ("p = nn.ParameterDict({'a': T(1)})", "p[3]"),
    ("p = nn.ParameterDict({'a': T(1)})", "p.__setitem__(3, T(1))"),
    ("p = nn.ParameterDict({'a': T(1)})", "p.__setitem__('a.b', T(1))"),
    ("p = nn.ParameterDict({'a': T(1)})", "p.__setitem__('keys', T(1))"),
    ("p = nn.ParameterDict({'a': T(1)})", "p.__setitem__('a', 3)"),
    ("p = nn.ParameterDict({'a': T(1)})", "p.__delitem__('b')"),
    ("p = nn.ParameterDict({'a': T(1)})", "p.pop('b')"),
    ("p = nn.ParameterDict({'a': T(1)})", "p(T(1))"),
    ("", "nn.ParameterDict(3)"),
    ("", "nn.ParameterDict([('a',)])"),
    ("", "nn.ParameterDict([3])"),
    ("", "nn.ParameterDict().popitem()"),
]


def run(lib, before, question):
    """What a question is answered, after a line of preparation."""

    def grad_twice(f, x, module=None):
        (module or f).double()
        x = x.double().requires_grad_()
        once, = lib.autograd.grad((f(x) ** 3).sum(), x, create_graph=True)
        return lib.autograd.grad((once**2).sum(), [x, *(module or f).parameters()], allow_unused=True)

    def unrecorded(f):
        with lib.no_grad():
            return f()

    names = {
        "torch": lib, "nn": lib.nn, "F": lib.nn.functional, "twice": grad_twice, "unrecorded": unrecorded,
        "T": lambda *shape: lib.tensor(np.random.default_rng(sum(shape)).normal(size=shape).astype("f4")),
        "tail": lambda x: repr(x).split("grad_fn=")[1],
    }
    lib.manual_seed(3)
    exec(before, names)
    return eval(question, names)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("before, question", VALUES, ids=[" ".join(case)[-80:] for case in VALUES])
def test_the_answer_is_pytorchs(before, question):
    ours, theirs = (run(lib, before, question) for lib in (rf, torch))
    ours, theirs = ([x] if isinstance(x, (rf.Tensor, torch.Tensor)) else list(x) for x in (ours, theirs))
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(b, torch.Tensor):
            assert repr(a.dtype).replace("rustyflow", "torch") == repr(b.dtype)
            np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=2e-5, atol=2e-5)
        else:
            assert repr(a).replace("rustyflow.", "torch.") == repr(b)


@pytest.mark.parametrize("before, question", ERRORS, ids=[" ".join(case)[-80:] for case in ERRORS])
@pytest.mark.filterwarnings("ignore")
def test_the_error_is_of_pytorchs_kind_and_teaches(before, question):
    with pytest.raises(Exception) as theirs:
        run(torch, before, question)
    with pytest.raises(theirs.type) as ours:
        run(rf, before, question)
    assert "rule: " in str(ours.value) and "try:  " in str(ours.value)


def test_what_pytorch_warns_of():
    q = rf.ones(3, 2, 6)
    with pytest.warns(UserWarning, match="mismatched key_padding_mask and attn_mask"):
        rf.nn.MultiheadAttention(6, 2)(q, q, q, rf.zeros(2, 3).bool(), attn_mask=rf.zeros(3, 3))
    with pytest.warns(UserWarning, match="does not match num_features"):
        rf.nn.InstanceNorm2d(5)(rf.ones(2, 3, 4, 4))
