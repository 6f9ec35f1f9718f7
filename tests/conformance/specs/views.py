"""Views and shapes: a view is a view with the same stride, a copy is a copy."""

from ..grid import DTYPES, Family

VIEWS = Family("views", """
view: x, -1; x, 4, 3; x, 2, 6; x, (3, 4); c, 6, 4; c, -1, 4; x, (1, 3, 1, 4); x, 3, 2, 2; v, 2, 2; s, 1, 1;
    x, x.dtype; c, (2, 12); = x.view(size=(3, 4)); = x.view(dtype=x.dtype) ! x, 5; x, -1, -1; x, 'a'; x, 2.5; x;
    x, -2; x, 0, -1; x, (3, 'a');
    = x.view(foo=(12,)); = x.view(3, size=(4,))
view_as reshape_as: x, t(4, 3); x, t(12); c, t(6, 4); v, t(2, 2); x, y ! x; x, t(5); x, 2; x, 'a'
reshape: x, (4, 3); x, -1; x, 4, 3; x, (2, 6); c, 6, 4; c, -1, 4; x, (1, 3, 1, 4); x, (3, 2, 2); v, (2, 2);
    s, (1, 1); x, (-1,); c, (4, 3, 2); c, (2, 12);
    = x.reshape(shape=(4, 3)); = torch.reshape(x, shape=(4, 3))
    ! x, 5; x, (5,); x, (-1, -1); x, 'a'; x, 2.5; x; x, (-2,)
transpose: x, 0, 1; x, -1, 0; c, 0, 2; c, 1, -1; x, 0, 0; c, dim0=0, dim1=1; v, 0, -1 ! x; x, 0; x, 0, 2; x, -3, 0;
    x, 'a', 0; x, 0.5, 0; x, 0, 1, 2
swapaxes: x, 0, 1; x, -1, 0; c, 0, 2; c, axis0=0, axis1=1 ! x; x, 0; x, 0, 2; x, 'a', 0
permute: x, (1, 0); c, (2, 0, 1); c, (0, -1, 1); x, (0, 1); v, (0,); s, (); = c.permute(2, 1, 0);
    = c.permute(dims=(1, 0, 2)) ! x; x, (0,); x, (0, 0); x, (0, 2); x, 'a'; x, (0.5, 1); c, (0, 1, 2, 3)
t: x; v; s; q ! c; 'a'; x, 1; 3
T: = x.T; = q.T; = v.T; = s.T; = x.T.T; = x.T[1:] ! = c.T.foo; = x.T()
mT: = x.mT; = c.mT; = q.mT; = t(2, 1, 3, 4).mT; = c.mT.mT ! = v.mT; = s.mT; = x.mT()
movedim: x, 0, 1; c, 0, 2; c, (0, 1), (2, 0); c, -1, 0; x, (0, 1), (1, 0); v, 0, 0 ! x; x, 0; x, 0, 2;
    c, (0, 0), (1, 2); c, (0, 1), (1,); x, 'a', 0
squeeze: row; x; col, 1; row, 0; row, -1; c, 0; t(1, 3, 1, 4); t(1, 3, 1, 4), 2; t(1, 3, 1, 4), (0, 2);
    t(1, 3, 1, 4), (0, 1); s; s, 0; row, dim=0;
    row, np.int64(0); row, axis=0 ! x, 2; row, (0, 0); row, 'a'; row, 0.5; row, -3; 3
unsqueeze: x, 0; x, 1; x, 2; x, -1; x, -3; c, 1; v, 0; s, 0; s, -1; x, dim=1;
    x, axis=1 ! x; x, 3; x, -4; x, 'a'; x, 0.5;
    x, (0, 1); 3, 0
expand: = row.expand(3, 4); = col.expand(3, 4); = x.expand(2, 3, 4); = x.expand(-1, 4); = x.expand((2, -1, -1));
    = s.expand(2, 3); = v.expand(3, 4); = row.expand(3, -1); = col.expand(2, 3, 4); = x.expand(3, 4);
    = s.expand(()); = row.expand(0, 4); = row.expand(size=(3, 4)) ! = x.expand(5, 4); = x.expand(4);
    = x.expand(-1, 3, 4); = x.expand('a');
    = x.expand(2.5, 4); = x.expand(); = x.expand(-2, 4)
expand_as: row, x; col, x; x, c; s, x; v, x ! x; x, t(5); x, row; x, 2; x, 'a'
broadcast_to: = row.broadcast_to(3, 4); row, (3, 4); col, (3, 4); x, (2, 3, 4); x, (-1, 4); s, (2, 3);
    v, (3, 4) ! x, (5, 4); x, (4,); x, 'a';
    x; x, 5; x, (-1, 3, 4)
broadcast_tensors: row, col; x, v; x, s; x, c; x; row, col, c ! x, t(5); x, 2; 'a'; [x, v]
repeat: = x.repeat(2, 1); = x.repeat(1, 3); = x.repeat(2, 1, 1); = v.repeat(3); = s.repeat(2, 3);
    = x.repeat((2, 2)); = c.repeat(1, 2, 1); = x.repeat(0, 1); = v.repeat(2, 1, 2);
    = v.repeat(repeats=(2,)) ! = x.repeat(2);
    = x.repeat(-1, 1); = x.repeat('a'); = x.repeat(); = x.repeat(1, 2.5)
repeat_interleave: x, 2; x, 2, 0; x, 2, dim=1; x, 3, -1; v, torch.tensor([1, 2, 0, 3]);
    x, torch.tensor([1, 0, 2, 1]), 1; s, 3; c, 2, 1; x, 0, 1; torch.tensor([1, 2, 0]) ! x, -1; x, 2, 2; x, 'a';
    x, torch.tensor([1, 2]), 0; x, 2.5; x, torch.tensor([1.0, 2.0, 1.0]), 0; x
tile: x, (2,); x, (2, 1); x, (1, 2, 2); v, (3,); s, (2, 2); c, (2, 1); x, (); x, (0, 1); = x.tile(2, 3) ! x;
    x, (-1,); x, 'a'; x, (2.5,); 3, (2,); x, foo=(1,)
flatten: x; c; c, 1; c, 0, 1; c, -2; s; v; c, start_dim=1, end_dim=2; t(2, 3, 2, 2), 1, 2; x, 1 ! x, 2; c, 2, 1;
    x, 'a'; x, 0, 1, 2; x, 0.5; 3
unflatten: x, 1, (2, 2); x, -1, (2, -1); x, 0, (3, 1); c, 2, (2, 2); v, 0, (2, 2); x, 1, (1, -1, 2); x, 1, [4]
    ! x, 1, (3, 2); x, 2, (2, 2); x, 1; x, 1, (-1, -1); x, 1, (); x, 'a', (2, 2); x, 1, 2
ravel: x; c; s; v; row ! x, 1; 3; 'a'
unfold: = x.unfold(0, 2, 1); = x.unfold(1, 2, 2); = x.unfold(-1, 3, 1); = c.unfold(2, 2, 1); = v.unfold(0, 2, 1);
    = s.unfold(0, 1, 1); = x.unfold(1, 4, 1); = c.unfold(1, 2, 1).unfold(2, 2, 2); = v.unfold(0, 0, 1);
    = v.unfold(dimension=0, size=2, step=2) ! = x.unfold(2, 2, 1); = x.unfold(0, 4, 1); = x.unfold(0, 2, 0);
    = x.unfold(0, -1, 1); = x.unfold('a', 2, 1); = x.unfold(0, 2); = x.unfold(0, 2, -1); = s.unfold(0, 2, 1)
as_strided: x, (2, 2), (1, 2); x, (2, 2), (2, 1), 1; x, (3,), (0,); x, (), (); x, (2, 3), (1, 1); v, (4,), (1,);
    x, (0, 3), (3, 1); c, (2, 2, 2), (4, 1, 2), 0; x, size=(2,), stride=(2,), storage_offset=0; x, (1,), (1,), 0
    ! x, (200,), (1,); x, (2, 2), (1,); x, (2,), (-1,); x, (-1,), (1,); x, (2,), (1,), -1; x, (2,), (1,), 500;
    x, 'a', (1,); x, (2,); x, (2.5,), (1,)
narrow: x, 0, 1, 2; x, 1, 0, 3; x, -1, 1, 2; c, 2, 1, 2; x, 0, -2, 1; x, 1, 0, 0; x, 1, 4, 0; v, 0, 1, 3;
    x, 0, torch.tensor(1), 2; x, dim=1, start=1, length=2 ! x; x, 2, 0, 1; x, 0, 0, 9; x, 0, 9, 1; x, 0, 0, -1;
    x, 'a', 0, 1; x, 0, 0.5, 1; s, 0, 0, 1; x, 0, 1; x, 2, 0, -1
select: x, 0, 1; x, 1, -1; c, 1, 2; c, -1, 0; v, 0, 2; x, 0, -3; x, dim=1, index=2 ! x, 0, 3; x, 0, -4; x, 2, 0;
    s, 0, 0; x, 0; x, 'a', 0; x, 0, 0.5; x, 0, 1, 2
diagonal: x; x, 1; x, -1; c, 0, 1, 2; c, 0, 0, 2; c, offset=1, dim1=0, dim2=1; q; x, 4; x, -9; c, 1, -1, 0 ! v; s;
    x, 0, 0, 0; x, 0, 0, 2; x, 'a'; x, 0.5; 3
unbind: x; x, 1; c, -1; v; c, dim=1;
    x, axis=1 ! s; x, 2; x, 'a'; x, 0.5; 3
split: x, 2; x, 2, 1; x, [1, 2]; x, [1, 3], 1; x, (1, 1, 2), dim=1; c, 2, -1; v, 3; x, 5, 1; v, [4, 0] ! x, 0;
    x, -1; x, [1, 1]; x, 2, 2; s, 1; x, 'a'; x; x, [4, -1], 1; x, 2.5
split_with_sizes: x, [1, 2]; x, [1, 3], 1; c, [2, 2], -1; v, [4, 0] ! x, [1, 1]; x, 2; x, [4, -1], 1; x, [1, 2], 2;
    s, [1]
chunk: x, 2; x, 2, 1; x, 3, -1; c, 5, 2; v, 3; x, 1; x, 9, 1; c, chunks=2, dim=1 ! x, 0; x, -1; x, 2, 2; s, 1;
    x, 'a'; x; x, 2.5
tensor_split: x, 2; x, 3, 1; x, (1, 2); x, (1, 3), 1; c, (2,), -1; v, 3; x, 5, 1; v, (1, 1, 3); x, (-1,), 1;
    x, (9,), 1; x, torch.tensor([1, 2]), 1; x, torch.tensor(2), 0 ! x, 0; x, 2, 2; s, 2; x, 'a'; x; x, 2.5;
    x, torch.tensor([1.0])
contiguous: x; c; v; s; x.t(); = x.t().contiguous() is x; = x.contiguous().is_contiguous(); = x.is_contiguous();
    = x[:, 1:].contiguous() ! x, 1; 3
clone: x; c; v; s; x.t(); row.expand(3, 4) ! x, 1; 3; 'a'; x, foo=1
detach: x; c; s; = x.detach().requires_grad; = (x * 1).detach() ! x, 1; 3
layout: = x.stride(); = x.stride(0); = x.storage_offset(); = c.stride(-1); = x.t().is_contiguous();
    = x[1:].storage_offset(); = x[:, ::2].stride(); = s.stride(); = x.is_leaf; = x.element_size(); = x.nbytes;
    = x.itemsize; = x.t().stride(); = x.data_ptr() == x.view_as(x).data_ptr(); = x.is_set_to(x) if False else 1
    ! = x.stride(2); = x.stride('a'); = s.stride(0)
""", dtypes=DTYPES)  # fmt: skip

SHAPES = Family("shapes", """
flip: x, (0,); x, (0, 1); x, [1]; c, (0, 2); v, (0,); x, (-1,); x, (); = x.flip(0, 1); = x.flip(1) ! x, (2,);
    x, (0, 0); x, 'a'; x; 3, (0,); x, (0,), foo=1; x, foo=(1,)
roll: x, 1; x, 1, 0; x, (1, 2), (0, 1); x, -1, 1; c, 2, -1; v, 7; x, 0, 0; s, 1; x, shifts=1, dims=1 ! x; x, 1, 2;
    x, True;
    x, (1, 2), 0; x, 'a'; x, 2.5; 3, 1
rot90: x; x, 1, (0, 1); x, 2; c, 1, (1, 2); x, -1; x, 4; x, 3, [1, 0] ! v; x, 1, (0, 0); x, 1, (0, 2); x, 'a';
    x, 1, (0,)
atleast_1d atleast_2d atleast_3d: x; s; v; c; = torch.{}(s, v); = torch.{}((x, s)) ! 'a'; 3; x, 2
cat: [x, y]; [x, y], 1; (x, y), -1; [c, t(1, 3, 4)]; [c, c], dim=2; [x]; [x, torch.tensor([]).to(x)]; [v, w];
    [x, x.t().reshape(3, 4)], 1; [x, mask]; [x.to(torch.float16), y] ! []; [x, v]; [x, t(2, 5)]; [x, y], 2; x;
    [x, 2]; [s, s]; [x, y], 'a'; 3; [x, y], foo=1
stack: [x, y]; [x, y], 1; (x, y), -1; [c, c], dim=3; [s, s]; [x]; [v, w], 1; [x, mask];
    [x, y], axis=1 ! []; [x, v]; [x, y], 3;
    [x, y], -4; x if False else 3; [x, 2]; [x, y], 'a'
hstack vstack: [x, y]; [v, w]; [s, s]; (c, c); [x, y, z]; [x] ! []; [x, c]; 3; [x, 2]; [v, t(2, 5)]
meshgrid: v, w; v, w, indexing='ij'; v, w, indexing='xy'; [v, w], indexing='ij'; v, s, indexing='ij';
    v, w, v, indexing='xy'; v, indexing='ij' ! x, v; v, w, indexing='a'; v, 2; v, mask.reshape(-1)
""", dtypes=DTYPES)  # fmt: skip

FAMILIES = (VIEWS, SHAPES)
