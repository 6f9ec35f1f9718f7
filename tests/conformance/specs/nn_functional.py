"""torch.nn.functional, and the activations that are also methods."""

from ..grid import Family

DTYPES = ("float64", "float32", "int64")

ACTIVATIONS = Family("activations", """
relu sigmoid tanh: x; odd; s; c ! 'a'; 3; x, 1, 2; x, foo=1
softmax log_softmax: x, 1; x, 0; c, -1; x, dim=1; x, 1, dtype=torch.float64; odd, 1; s, 0; x * 1000, 1 ! x, 2; x;
    x, 'a'; 3, 0; x, 0.5; x, foo=1
""")  # fmt: skip

FUNCTIONAL = Family("nn.functional", """
relu sigmoid tanh silu logsigmoid: x; odd; s; c ! 'a'; 3; x, foo=1; mask
leaky_relu: x; x, 0.2; c, negative_slope=0.5; odd; x, 0.0 ! 'a'; x, 'a'; 3; x, foo=1
elu: x; x, 0.5; x, alpha=2.0; odd; c ! 'a'; x, 'a'; 3; x, foo=1
gelu: x; x, approximate='tanh'; odd; c; s ! 'a'; x, approximate='a'; 3; x, foo=1
softplus: x; x, 2; x, beta=0.5, threshold=1.0; odd; x * 20; c ! 'a'; x, 'a'; 3; x, foo=1
hardtanh: x; x, -0.5, 0.5; x, min_val=-2, max_val=2; odd; c ! 'a'; x, 'a'; 3; x, 2, 1; x, foo=1
softmax log_softmax: x, 1; x, 0; c, -1; x, dim=1; x, 1, dtype=torch.float64; odd, 1; s, 0; x * 1000, 1 ! x, 2;
    x, 'a'; 3, 0; x, 0.5; x, foo=1
linear: x, t(5, 4); x, t(5, 4), t(5); c, t(5, 4); v, t(5, 4), t(5); v, v; v, v, s; t(2, 2, 3, 4), t(3, 4);
    x, q.new_ones(2, 4) ! x, x.t(); x; x, t(5, 5); x, t(5, 4), v; x, 2; s, t(5, 4);
    x, t(5, 4), t(5).to(torch.float16); 3, x
cross_entropy: x, torch.tensor([0, 3, 1]); x, torch.tensor([0, 3, 1]), reduction='sum';
    x, torch.tensor([0, 3, 1]), reduction='none'; x, torch.tensor([0, -100, 1]);
    x, torch.tensor([0, 2, 1]), ignore_index=2; x, torch.tensor([0, 3, 1]), label_smoothing=0.1;
    x, torch.tensor([0, 3, 1]), weight=torch.tensor([0.5, 1.0, 2.0, 3.0]).to(x); x, p;
    x, p, label_smoothing=0.2, reduction='none'; v, torch.tensor(2);
    t(2, 4, 3), torch.tensor([[0, 1, 2], [3, 0, 1]]);
    x, torch.tensor([0, 3, 1]), torch.ones(4).to(x), label_smoothing=0.1; x, torch.tensor([-100, -100, -100]);
    x, p, weight=torch.ones(4).to(x) * 2;
    x, torch.tensor([0, 3, 1]), torch.tensor([1.0, 2.0, 0.0, 4.0]).to(x), reduction='sum'
    ! x, torch.tensor([0, 4, 1]); x, torch.tensor([0, 1]); x, torch.tensor([0.5, 1.0, 2.0]);
    x, torch.tensor([0, 3, 1]), reduction='a'; x, torch.tensor([0, 3, 1]), weight=t(3); x; x, 2; x, t(3, 5);
    x, torch.tensor([0, 3, 1]), label_smoothing=1.5; x, torch.tensor([0, 3, 1], dtype=torch.int32);
    3, torch.tensor([0])
nll_loss: x, torch.tensor([0, 3, 1]); x, torch.tensor([0, 3, 1]), reduction='sum';
    x, torch.tensor([0, 3, 1]), reduction='none'; x, torch.tensor([0, -100, 1]);
    x, torch.tensor([0, 2, 1]), ignore_index=2;
    x, torch.tensor([0, 3, 1]), torch.tensor([1.0, 2.0, 0.5, 4.0]).to(x);
    t(2, 4, 3), torch.tensor([[0, 1, 2], [3, 0, 1]]); v, torch.tensor(2) ! x, torch.tensor([0, 4, 1]);
    x, torch.tensor([0, 1]); x, torch.tensor([0.5, 1.0, 2.0]); x, torch.tensor([0, 3, 1]), reduction='a';
    x, torch.tensor([0, 3, 1]), weight=t(3); x; x, 2; s, torch.tensor(0)
mse_loss l1_loss: x, y; x, y, reduction='sum'; x, y, reduction='none'; c, c; x, v; x, s; s, s; odd, x ! x, t(5); x;
    x, 2; x, y, reduction='a'; x, 'a'; 3, x
smooth_l1_loss: x, y; x, y, reduction='sum'; x, y, reduction='none'; x, y, beta=0.5; x, y, beta=0.0; x, v; s, s
    ! x, t(5); x; x, 2; x, y, reduction='a'; x, y, beta=-1.0
huber_loss: x, y; x, y, reduction='sum'; x, y, reduction='none'; x, y, delta=0.5; x, v; s, s ! x, t(5); x; x, 2;
    x, y, reduction='a'; x, y, delta=0.0; x, y, delta=-1.0
binary_cross_entropy: abs(u), abs(u) * 0.5; abs(u), abs(u) * 0.5, reduction='sum';
    abs(u), abs(u) * 0.5, reduction='none'; abs(u), abs(u), weight=p.detach(); abs(u), mask.to(u);
    abs(u).round(), mask.to(u) ! abs(u), u; x, y; abs(u), v; abs(u); abs(u), 2; abs(u), abs(u), reduction='a';
    abs(u), mask; abs(u), abs(u), weight=t(5)
binary_cross_entropy_with_logits: x, abs(u); x, abs(u), reduction='sum'; x, abs(u), reduction='none';
    x, abs(u), weight=p.detach(); x, abs(u), pos_weight=p.detach(); x * 100, mask.to(x); c, c; odd, abs(u) ! x, v;
    x; x, 2; x, y, reduction='a'; x, mask; x, y, weight=t(5)
kl_div: x, p; x, p, reduction='sum'; x, p, reduction='batchmean'; x, p, reduction='none'; x, y, log_target=True;
    x, abs(u); x, v ! x, t(5); x; x, 2; x, p, reduction='a'
layer_norm: x, (4,); x, [4], v; x, (4,), v, w; c, (3, 4); c, (4,), v, w, 0.1; x, (3, 4), y, z; c, (2, 3, 4);
    x, (4,), None, w; x, x.shape ! x, (3,); x, 4; x; x, (4,), t(5); x, 'a'; s, (); x, (4,), v, w, 'a'; x, ()
batch_norm: x, torch.zeros(4).to(x), torch.ones(4).to(x); x, None, None, training=True;
    x, torch.zeros(4).to(x), torch.ones(4).to(x), v, w; x, None, None, v, w, True; c, None, None, training=True;
    x, torch.zeros(4).to(x), torch.ones(4).to(x), v, w, True, 0.3, 0.01; t(2, 4, 3, 2), None, None, v, w, True;
    = [r := torch.zeros(4).to(x), h := torch.ones(4).to(x), torch.nn.functional.batch_norm(x, r, h, training=True),
    r, h] ! x; x, None, None; x, t(5), t(5); v, None, None, training=True; x, None, None, t(5), None, True;
    row, None, None, training=True
group_norm: t(2, 4, 3), 2; t(2, 4), 2; t(2, 4, 3, 2), 4, v, w; t(2, 4, 3), 1; t(2, 4, 3), 2, v, w, 0.1;
    t(2, 4, 3), 2, None, w ! x, 3; x; v, 2; x, 2, t(5); x, 0; x, 'a'
conv1d: t(2, 4, 6), t(5, 4, 2); t(2, 4, 6), t(5, 4, 2), t(5); t(2, 4, 6), t(5, 4, 2), stride=2;
    t(2, 4, 6), t(5, 4, 2), padding=1; t(2, 4, 6), t(5, 4, 2), None, 2, 1, 2; t(2, 4, 6), t(6, 2, 2), groups=2;
    t(4, 6), t(5, 4, 2); t(2, 4, 6), t(5, 4, 3), padding='same'; t(2, 4, 6), t(5, 4, 2), padding='valid';
    t(2, 4, 6), t(4, 1, 3), groups=4, padding=2, dilation=2 ! t(2, 3, 6), t(5, 4, 2); v, t(5, 4, 2);
    t(2, 4, 6), t(5, 4, 9); t(2, 4, 6); t(2, 4, 6), t(5, 4, 2), t(4); t(2, 4, 6), t(5, 4, 2), stride=0;
    t(2, 4, 6), t(5, 4, 2), groups=3; t(2, 4, 6), 'a'; t(2, 4, 6), t(5, 4, 2), padding=-1;
    t(2, 4, 6), t(5, 4, 2), padding='a'; t(2, 4, 6), t(5, 4, 2).to(torch.float16)
conv2d: t(2, 4, 5, 6), t(3, 4, 2, 2); t(2, 4, 5, 6), t(2, 4, 2, 2), t(2); t(2, 4, 5, 6), t(2, 4, 2, 2), stride=2;
    t(2, 4, 5, 6), t(2, 4, 2, 2), padding=1; t(2, 4, 5, 6), t(2, 4, 2, 2), None, (2, 1), (0, 1), (1, 2);
    t(2, 4, 5, 6), t(6, 2, 2, 2), groups=2; t(4, 5, 6), t(2, 4, 2, 2); t(2, 4, 5, 6), t(2, 4, 3, 2), padding='same';
    t(2, 4, 5, 6), t(2, 4, 1, 1), padding='valid'; t(2, 4, 5, 6), t(4, 1, 2, 2), groups=4, padding=2, dilation=2;
    t(1, 1, 4, 4), t(1, 1, 4, 4) ! t(2, 5, 5, 6), t(2, 4, 2, 2); x, t(2, 4, 2, 2); t(2, 4, 5, 6), t(2, 4, 9, 9);
    t(2, 4, 5, 6); t(2, 4, 5, 6), t(2, 4, 2, 2), t(4); t(2, 4, 5, 6), t(2, 4, 2, 2), stride=0;
    t(2, 4, 5, 6), t(2, 4, 2, 2), groups=3; t(2, 4, 5, 6), 'a'; t(2, 4, 5, 6), t(2, 4, 2, 2), padding=-1;
    t(2, 4, 5, 6), t(2, 4, 2, 2), stride=2, padding='same'; t(2, 4, 5, 6), t(2, 4, 2, 2), stride=(1, 1, 1)
max_pool2d: t(2, 2, 4, 6), 2; t(2, 2, 5, 6), 2; t(2, 2, 4, 6), (2, 3); t(2, 2, 4, 6), 2, 1; t(2, 2, 4, 6), 3, 2, 1;
    t(2, 4, 6), 2; t(2, 2, 5, 7), 2, ceil_mode=True; t(2, 2, 5, 6), 2, 1, 0, 2;
    t(2, 2, 4, 6), 2, return_indices=True; t(2, 2, 4, 6), (2, 1), (1, 2); t(0, 2, 5, 4), 3, 2, 1;
    t(2, 4, 5), 2, 2, 1, 2 ! x, 2; t(2, 2, 4, 6), 9; t(2, 2, 4, 6);
    t(2, 2, 4, 6), 0; t(2, 2, 4, 6), 2, padding=2; t(2, 2, 4, 6), 'a'; t(2, 2, 4, 6), 2, 0; t(2, 2, 4, 6), (2, 2, 2)
avg_pool2d: t(2, 2, 4, 6), 2; t(2, 2, 5, 6), 2; t(2, 2, 4, 6), (2, 3); t(2, 2, 4, 6), 2, 1; t(2, 2, 4, 6), 3, 2, 1;
    t(2, 4, 6), 2; t(2, 2, 5, 7), 2, ceil_mode=True; t(2, 2, 4, 6), 3, 2, 1, count_include_pad=False;
    t(2, 2, 4, 6), 2, divisor_override=3 ! x, 2; t(2, 2, 4, 6), 9; t(2, 2, 4, 6); t(2, 2, 4, 6), 0;
    t(2, 2, 4, 6), 2, padding=2; t(2, 2, 4, 6), 'a'; t(2, 2, 4, 6), 2, divisor_override=0; t(2, 2, 4, 6), (2, 2, 2)
embedding: torch.tensor([0, 2, 2]), t(5, 4); torch.tensor([[0, 1], [4, 4]]), t(5, 4); i, t(5, 2);
    torch.tensor(1), t(5, 4); torch.tensor([0, 2, 2]), t(5, 4), padding_idx=2;
    torch.tensor([0, 1], dtype=torch.int32), t(5, 4); torch.tensor([], dtype=torch.int64), t(5, 4);
    torch.tensor([0, 4]), t(5, 4), padding_idx=-1 ! torch.tensor([5]), t(5, 4); torch.tensor([-1]), t(5, 4);
    torch.tensor([0.5]), t(5, 4); [0, 1], t(5, 4); torch.tensor([0]); torch.tensor([0]), v;
    torch.tensor([0]), t(5, 4), padding_idx=7; torch.tensor([0]), 2
dropout: x, 0.0; x, 0.5, False; x, p=1.0; c, training=False;
    = torch.nn.functional.dropout(torch.ones(1000), 0.5).count_nonzero() > 300;
    = torch.nn.functional.dropout(x, 0.5).shape ! x, 1.5; x, -0.1; x, 'a'; 'a'; x, foo=1
pad: x, (1, 2); x, (1, 0, 2, 1); c, (0, 1), 'constant', 3.5; x, (-1, 1); c, (1, 1), mode='reflect';
    c, (1, 1), mode='replicate'; c, (2, 1), mode='circular'; v, (1, 1), value=2;
    t(2, 2, 3, 4), (1, 1, 1, 1), 'reflect'; x, (0, 0); x, (-1, -1, -1, -1); c, [1, 2, 0, 1, 1, 0];
    t(2, 2, 3, 4), (2, 0, 0, 1), 'replicate' ! x, (1,); x, (1, 1, 1, 1, 1, 1); x, 'a'; x; c, (5, 5), 'reflect';
    x, (1, 1), 'a'; x, (-5, 0); s, (1, 1); x, 2.5; c, (1, 1), 'reflect', 2
one_hot: torch.tensor([0, 2, 1]); torch.tensor([0, 2, 1]), 5; torch.tensor([[0, 1], [2, 2]]); torch.tensor(1), 3; i;
    i, num_classes=4; torch.tensor([], dtype=torch.int64), 3 ! torch.tensor([3]), 2; torch.tensor([-1]);
    torch.tensor([0.5]); x.to(torch.float64); [0, 1]; torch.tensor([], dtype=torch.int64); torch.tensor([1]), 'a';
    torch.tensor([1]), 0; torch.tensor([1], dtype=torch.int32)
scaled_dot_product_attention: c, t(2, 5, 4), t(2, 5, 4); c, c, c, is_causal=True; c, c, c, t(2, 3, 3);
    c, c, c, attn_mask=torch.tensor([[True, False, True], [True, True, True], [False, True, True]]);
    t(2, 2, 3, 4), t(2, 2, 3, 4), t(2, 2, 3, 5); c, c, c, scale=0.3; x, y, z;
    c, c, t(2, 3, 2), torch.tensor([[0.0, -1.0, 2.0]] * 3).to(c), 0.0 ! c, x; c, t(2, 5, 5), c;
    c, c, c, t(2, 3, 3), 0.0, True; v, v, v; c, c, 2; c, c, c.to(torch.float16); c, c, c, t(5, 5);
    c, t(2, 5, 4), t(2, 3, 4)
normalize: x; x, 1; x, dim=0; x, 2, -1; c, p=3.0, dim=(0, 2); x, eps=10.0; x * 0; v, dim=0; x, float('inf'), 1
    ! x, 2, 2; 'a'; x, 'a'; 3; v; s, foo=1
cosine_similarity: x, y; x, y, 0; c, c, dim=2; x, y, -1; x, y, eps=100.0; x, v; v, w, 0; x * 0, y ! x, t(5); x;
    x, 2; x, y, 2; x, y, 'a'; v, w; 3, x
""", prefix="nn.functional.", dtypes=DTYPES, methods=False)  # fmt: skip

FAMILIES = (ACTIVATIONS, FUNCTIONAL)
