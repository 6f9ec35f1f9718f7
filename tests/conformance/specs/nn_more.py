"""torch.nn.functional: gates and thresholds, losses by a margin or a likelihood, images rearranged and resized."""

from ..grid import Family

DTYPES = ("float64", "float32", "int64")
PREFIX = "nn.functional."

GATES = Family("gates", """
threshold: x, 0.5, 2.0; x, 1, 0; odd, 0.5, 3.0; c, threshold=0.0, value=1.0; s, 0.5, 9.0 ! x; 'a', 1, 2; x, 'a', 2;
    x, 0.5; x, 1, 2, foo=1
hardshrink softshrink: x; x, 1.0; x, lambd=0.25; odd; c; s ! 'a'; x, 'a'; 3; x, foo=1
softsign tanhshrink: x; odd; c; s ! 'a'; x, 1; 3; x, foo=1
prelu: x, s; x, v; c, t(3); v, t(1); x, t(1); t(2, 4, 3, 2), v; odd, s ! x, t(3); x; 'a', s; x, 'a'; x, t(2, 2); x, 0.5;
    x, s.to(torch.float16)
bilinear: t(2, 4), t(2, 3), t(5, 4, 3); t(2, 4), t(2, 3), t(5, 4, 3), t(5); x, y, t(2, 4, 4); v, w, t(2, 4, 4), t(2);
    t(2, 3, 4), t(2, 3, 2), t(1, 4, 2); c, c, t(2, 4, 4); t(0, 4), t(0, 3), t(5, 4, 3)
    ! x, y; x, t(2, 4), t(2, 4, 4); x, y, t(2, 4, 3); x, y, t(2, 3, 4); x, y, t(2, 4); x, y, t(2, 4, 4), t(3);
    x, y, t(2, 4, 4), foo=1; 'a', y, t(2, 4, 4); x, y, t(2, 4, 4).to(torch.float16)
glu: x; x, 1; c; c, dim=-1; c, 0; odd, 1; v ! x, 0; s; 'a'; x, 2; x, 'a'; x, foo=1
relu_ leaky_relu_: x.clone(); odd.clone(); c.clone() ! 'a'; 3; x, foo=1
elu_ celu_ selu_ hardtanh_: x.clone(); odd.masked_fill(odd != odd, 1); c.clone() ! 'a'; 3; x, foo=1
threshold_: x.clone(), 0.5, 2.0 ! 'a', 1, 2; x.clone()
rms_norm: x, (4,); x, [4], v; c, (3, 4); c, (4,), v, 0.1; x, (3, 4), y; v, (4,), None, 0.5;
    x, (4,), v.to(torch.float32); x, (4,), v.to(torch.float16) ! x, (3,); x; x, (4,), t(5); 'a', (4,); x, (); x, 4;
    x, (4.,); x, (4,), 3; x, (4,), eps='a'; s, (); s, (1,)
""", prefix=PREFIX, dtypes=DTYPES, methods=False)  # fmt: skip

LOSSES = Family("losses by margin and likelihood", """
margin_ranking_loss: x, y, z; x, y, (z > 0) * 2.0 - 1; x, y, z, 0.5; x, y, z, reduction='sum';
    x, y, z, reduction='none'; c, c, c, margin=0.25; v, w, v
    ! x, v, z; x, y; 'a', y, z; x, y, z, reduction='a'; x, y, z, 'a'; x, y, t(5)
hinge_embedding_loss: x, (y > 0) * 2 - 1; x, y; x, (y > 0) * 2 - 1, 0.5; x, (y > 0) * 2 - 1, reduction='sum';
    x, (y > 0) * 2 - 1, reduction='none'; c, (c > 0) * 2 - 1 ! x, t(5); x; 'a', y; x, y, reduction='a'; x, y, 'a'
cosine_embedding_loss: x, y, torch.tensor([1, -1, 1]); x, y, torch.tensor([1, -1, 1]), 0.3; v, w, torch.tensor(-1);
    x, y, torch.tensor([1, -1, 1]), reduction='none'; x, y, torch.tensor([-1, -1, -1]), reduction='sum'
    ! x, y, z; x, y; 'a', y, s; x, y, torch.tensor(1); x, y, torch.tensor([1, 1, 1]), reduction='a'
soft_margin_loss: x, y; x, (y > 0) * 2.0 - 1; x, y, reduction='sum'; x, y, reduction='none'; c, c; v, v ! x, t(5); x;
    x, y, reduction='a'
multilabel_soft_margin_loss: x, abs(u); x, mask.to(x); x, abs(u), v; x, abs(u), reduction='sum';
    x, abs(u), reduction='none'; v, w ! x, t(5); x; x, y, reduction='a'
multi_margin_loss: x, torch.tensor([0, 3, 1]); x, torch.tensor([0, 3, 1]), 2; x, torch.tensor([0, 3, 1]), margin=0.5;
    x, torch.tensor([0, 3, 1]), reduction='none'; x, torch.tensor([0, 3, 1]), reduction='sum'; v, torch.tensor(2);
    x, torch.tensor([0, 3, 1]), weight=p.detach()[0] ! x, torch.tensor([0, 1]); x; x, torch.tensor([0, 3, 1]), 3;
    x, torch.tensor([0, 3, 1]), reduction='a'
triplet_margin_loss: x, y, z; x, y, z, 0.5; x, y, z, p=1; x, y, z, swap=True; x, y, z, reduction='none';
    x, y, z, reduction='sum'; v, w, v + 1; c, c + 1, c - 2
    ! x, y; 'a', y, z; x, v, z; x, y, z, reduction='a'; x, y, t(5)
triplet_margin_with_distance_loss: x, y, z; x, y, z, margin=0.5; x, y, z, swap=True; x, y, z, reduction='none';
    x, y, z, distance_function=lambda a, b: (a - b).abs().sum(1) ! x, y; x, y, z, margin=-1.0; x, y, z, reduction='a'
poisson_nll_loss: x, p; x, p, reduction='none'; p, p, log_input=False; x, p, full=True; x, p * 4, full=True;
    x, p, reduction='sum'; x, v ! x, t(5); x; 'a', p; x, p, reduction='a'
gaussian_nll_loss: x, y, p; x, y, p, full=True; x, y, p, reduction='none'; x, y, p, reduction='sum'; x, y, t(3, 1)**2;
    x, y, 0.5; x, y, p[:, 0]; x, y, p, eps=1.0 ! x, y; x, y, t(5); x, y, -p; x, y, p, reduction='a'
""", prefix=PREFIX, dtypes=DTYPES[:2], layouts=("contiguous", "transposed", "sliced"), methods=False)  # fmt: skip

IMAGES = Family("images", """
pixel_shuffle: t(1, 4, 2, 3), 2; t(2, 9, 1, 1), 3; t(4, 2, 2), 2; t(1, 4, 2, 2), 1
    ! t(1, 3, 2, 2), 2; x, 2; t(4, 2, 2), 0; 'a', 2; t(4, 2, 2), 'a'
pixel_unshuffle: t(1, 1, 4, 6), 2; t(2, 2, 3, 3), 3; t(1, 4, 2), 2 ! t(1, 1, 3, 4), 2; x, 2; t(1, 2, 2), 0; 'a', 2
channel_shuffle: t(1, 4, 2), 2; t(2, 6, 2, 2), 3; t(1, 4, 2, 2), 1 ! t(1, 4, 2), 3; x, 2; t(1, 4, 2), 0; 'a', 2
unfold: t(1, 2, 4, 5), 2; t(2, 2, 4, 5), (2, 3); t(1, 2, 4, 5), 2, stride=2; t(1, 2, 4, 5), 2, padding=1;
    t(1, 2, 5, 5), 2, dilation=2; t(2, 4, 5), 2; t(1, 1, 4, 4), 4; t(1, 2, 5, 6), (2, 3), (2, 1), (1, 0), (1, 2)
    ! x, 2; t(1, 2, 4, 5), 6; t(1, 2, 4, 5); t(1, 2, 4, 5), 0; t(1, 2, 4, 5), 'a'; t(1, 2, 4, 5), 2, stride=0
fold: t(1, 8, 12), (4, 5), 2; t(2, 4, 4), (4, 4), 2, stride=2; t(1, 4, 9), (2, 2), 2, padding=1; t(8, 12), (4, 5), 2;
    t(1, 4, 9), (5, 5), 2, 2 ! t(1, 8, 5), (4, 5), 2; t(1, 7, 12), (4, 5), 2; t(1, 8, 12); v, (4, 5), 2;
    t(1, 8, 12), 'a', 2
interpolate: t(1, 2, 4, 5), scale_factor=2; t(1, 2, 4, 5), (7, 3); t(1, 2, 4, 5), 6, mode='bilinear';
    t(1, 2, 4, 5), scale_factor=1.5, mode='bilinear'; t(1, 2, 4, 5), (6, 7), mode='bilinear', align_corners=True;
    t(1, 2, 4, 5), (6, 7), mode='bicubic'; t(1, 2, 4, 5), (3, 9), mode='bicubic', align_corners=True;
    t(1, 2, 4, 5), (2, 3), mode='area'; t(1, 2, 6), 9, mode='linear'; t(1, 2, 6), scale_factor=0.5, mode='linear';
    t(1, 2, 6), 4; t(1, 2, 3, 4, 5), scale_factor=2; t(1, 1, 2, 3, 2), (3, 4, 3), mode='trilinear';
    t(1, 2, 4, 5), (7, 3), mode='nearest-exact'; t(1, 2, 4, 5), (1, 1), mode='bilinear', align_corners=True;
    t(1, 2, 5, 5), scale_factor=(0.7, 1.3), mode='bilinear';
    t(1, 2, 5, 5), scale_factor=1.3, mode='bilinear', recompute_scale_factor=True
    ! x, 2; t(1, 2, 4, 5); t(1, 2, 4, 5), 2, 2; t(1, 2, 4, 5), 2, mode='linear'; t(1, 2, 4, 5), (2, 2, 2);
    t(1, 2, 4, 5), 2, mode='nearest', align_corners=True; t(1, 2, 4, 5), 2, mode='a'
adaptive_avg_pool1d: t(2, 3, 6), 2; t(3, 5), 3; t(2, 3, 6), (4,); t(2, 3, 6), 1 ! v, 2; t(2, 3, 6), 'a'; 'a', 2;
    t(1, 2, 3, 4), 2
adaptive_max_pool1d: t(2, 3, 6), 2; t(3, 5), 3; t(2, 3, 6), (4,); t(2, 3, 6), 1, True ! v, 2; t(2, 3, 6), 'a'
adaptive_max_pool2d: t(2, 3, 4, 6), 2; t(3, 4, 5), (2, 3), True; t(2, 3, 4, 6), (None, 2); t(1, 1, 5, 5), 1
    ! t(4, 5), 2; t(2, 3, 4, 6), 'a'; t(1, 2, 3, 4), -1; t(1, 2, 3, 4), (1, 2, 3)
""", prefix=PREFIX, dtypes=DTYPES[:2], layouts=("contiguous", "transposed", "sliced"), methods=False)  # fmt: skip

DISTANCES = Family("distances", """
cdist: x, y; x, t(2, 4); c, x; x, y, 1; x, y, 3.5; t(2, 1, 3, 4), t(5, 2, 4); t(2, 3), t(27, 3);
    x, y, compute_mode='use_mm_for_euclid_dist'; t(26, 2), y[:, :2], 2, 'donot_use_mm_for_euclid_dist'
    ! x, y, 2.0, 'a'; x, y, 2.0, None; v, w; x, t(3, 5);
    x; 'a', y; x, y, -1; x.to(torch.int64), y; x, 'a'
""", dtypes=DTYPES[:2], layouts=("contiguous", "transposed", "sliced"))  # fmt: skip

VALUES = Family("distances without gradients", """
cdist: x, y, 0; x, y, float('inf'); c, x, 0; x, t(2, 4), float('inf')
""", dtypes=DTYPES[:2], layouts=("contiguous", "transposed", "sliced"), records=False)  # fmt: skip

SEEDED = Family("seeded layers", """
gumbel_softmax: x; x, 0.5; x, hard=True; c, dim=1; x, 1, True, dim=0 ! 'a'; x, dim=2; x, foo=1
dropout1d: c; c, 0.3; x, 0.5; c, 0.5, False ! c, 1.5; 'a'; c, 'a'
dropout2d: t(2, 3, 2, 2); t(2, 3, 2, 2), 0.3; t(2, 3, 2, 2), 0.5, False; t(2, 3, 2, 2), 0.5, True, False ! c, 1.5; 'a'
dropout3d: t(2, 3, 2, 2, 2); t(2, 3, 2, 2, 2), 0.3; t(2, 3, 2, 2, 2), 0.5, False ! c, 1.5; 'a'
""", prefix=PREFIX, dtypes=DTYPES[:2], layouts=("contiguous", "transposed"), methods=False, seeded=True)  # fmt: skip

FAMILIES = (GATES, LOSSES, IMAGES, DISTANCES, VALUES, SEEDED)
