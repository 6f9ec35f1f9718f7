"""x[...], x[...] = v and the functions that take an index."""

from ..grid import DTYPES, Family

READING = Family("x[...]", """
integers: = x[1]; = x[-1]; = x[1, 2]; = x[0, -1]; = c[1, :, 2]; = v[torch.tensor(2)]; = x[torch.tensor(1)];
    = x[np.int64(1)]; = x[1][2]; = x[torch.tensor(1), 2] ! = x[3]; = x[-4]; = x[0, 4]; = x[0, 0, 0]; = x[1.5];
    = x['a']; = s[0]; = x[{1}]; = x[object]; = x[np.float64(1)]
slices: = x[1:]; = x[:, 1:3]; = x[::2]; = x[:, ::2]; = x[1:1]; = x[-2:, :-1]; = x[5:]; = x[:]; = x[slice(0, 2)];
    = x[torch.tensor(0):torch.tensor(2)]; = c[1:, 1:, 1:]; = c[:, :, ::3]; = x[:, -9:9]; = x[1:][0]; = v[-3:-1]
    ! = x[::-1]; = x[::0]; = x[0:'a']; = x[1.0:2.0]; = s[:]
none_and_ellipsis: = c[..., 0]; = c[0, ...]; = c[..., 1, :]; = x[...]; = x[()]; = x[None]; = x[:, None];
    = x[None, 1, None, :2]; = c[:, 0, None]; = s[None]; = s[()]; = s[...]; = x[True]; = x[False]; = s[True];
    = x[None, True] ! = x[..., ..., 0, 0, 0]; = x[..., 0, 0, 0]; = x[None, 3]
masks: = x[mask]; = x[x > 0]; = x[:, torch.tensor([True, False, True, False])];
    = x[torch.tensor([True, False, True])]; = x[[True, False, True]]; = c[:, mask];
    = c[torch.tensor([True, False])]; = c[mask.expand_as(c)]; = s[mask]; = x[torch.tensor([True, False, True]), 1:];
    = c[0, mask]; = x[torch.tensor([True, False, True]), torch.tensor([0, 1])] ! = x[torch.tensor([True, False])];
    = x[mask, 0]; = x[mask, mask]; = c[x > 0]; = x[[True, False]]
lists: = x[[0, 2]]; = x[[0, 0, 1]]; = x[:, [1, 3]]; = x[[0, 2], [1, 3]]; = x[[2, -1]]; = x[[]]; = x[:, []];
    = x[[[0, 1], [1, 2]]]; = x[[0, 1], 1:]; = x[1:, [0, 0, 3]]; = x[[-1, -2], ::2]; = x[([0, 1], [1, 2])];
    = v[[1, 1, 1]]; = x[range(2)]; = x[[torch.tensor(0), torch.tensor(2)]] ! = x[[0, 5]]; = x[['a']]; = x[[0.5]];
    = s[[0]]; = x[[0, 1], [0, 1, 2]]
tensors: = v[torch.tensor([3, 0])]; = x[torch.tensor([[0, 1], [2, 0]])];
    = x[torch.tensor([0, 1]), torch.tensor([2, 3])]; = x[torch.tensor([[0], [2]]), torch.tensor([1, 3])];
    = c[:, torch.tensor([0, 2])]; = c[..., torch.tensor([0, 0, 3])]; = x[torch.tensor([], dtype=torch.int64)];
    = x[torch.tensor([0, 1], dtype=torch.int32)]; = x[torch.tensor([0, 1, 1], dtype=torch.uint8)];
    = x[np.array([0, 2])]; = x[i] ! = x[torch.tensor([0, 3])]; = x[torch.tensor([-4])]; = x[torch.tensor([0.5])];
    = x[torch.tensor([0, 1]), torch.tensor([0, 1, 2])]; = x[torch.tensor([0]), torch.tensor([0]), torch.tensor([0])];
    = x[torch.tensor([1], dtype=torch.int16)]
mixtures: = c[torch.tensor([0, 1]), :, torch.tensor([1, 3])]; = c[0, :, torch.tensor([1, 3])];
    = c[torch.tensor([0, 1]), 1]; = c[:, torch.tensor([0, 1]), torch.tensor([2, 2])];
    = c[None, torch.tensor([0, 1])]; = c[torch.tensor([1, 0]), None, torch.tensor([2, 2])]; = c[1, [0, 2], 1:3];
    = x[torch.tensor(1), [0, 1]]; = c[0, 1:, [0, 3]]; = c[[1, 0], ..., [2, 3]] ! = c[[0, 1], [0, 1, 2], 0];
    = c[0, [9], 1:]; = c[[0], 3, :]
""", dtypes=DTYPES)  # fmt: skip

WRITING = Family("x[...] = v", """
set_integers: = x[1] = 2; = x[1, 2] = 1; = x[0] = v; = x[-1, -1] = 2.5; = x[0] = x[1]; = x[0, 0] = torch.tensor(2);
    = c[1] = x; = x[0] = row; = x[1] = True; = x[0, 1] = s; = x[2] = v.to(torch.float32); = x[2] = np.int64(3);
    = x[1] *= 2; = x[0] -= v
    ! = x[3] = 1; = x[0] = t(5); = x[0] = 'a'; = x[0] = None; = x[0, 0, 0] = 1; = x[1.5] = 1; = x['a'] = 1;
    = s[0] = 1; = x[0, 0] = v; = x[0] = [1, 2, 3, 4]; = x[0] = np.array(2.0)
set_slices: = x[1:] = 0; = x[::2] = v; = x[:, ::2] = 3; = x[:] = y; = x[1:1] = 5; = x[:, 0] += 1;
    = x[:, 1:3] = y[:, 1:3]; = c[:, 1] = v; = x[:, 1] = 4 ! = x[::-1] = 1; = x[:, 0] = v; = x[1:] = t(5); = x[:2] = y
set_none_and_ellipsis: = x[...] = 1; = x[None] = y; = x[1:, None] = v; = x[()] = 3; = x[True] = 1; = x[False] = 1;
    = x[True] = y.to(torch.float64); = x[False] = t(5);
    = c[..., 0] = 7; = s[...] = 2; = s[()] = 2 ! = x[..., 0, 0, 0] = 1; = x[...] = t(5)
set_masks: = x[mask] = 0; = x[x > 0] = 1; = x[mask] = y[mask]; = x[torch.tensor([True, False, True])] = v;
    = x[mask] += 1; = x[mask] *= 2; = x[mask] = s; = x[mask] = torch.tensor(2);
    = x[torch.tensor([True, False, True])] = torch.tensor([2.75]);
    = x[[True, False, True]] = torch.tensor(3); = x[mask] = x.view(-1)[0] if x.dim() and x.is_contiguous() else 1;
    = c[mask.expand_as(c)] = 0;
    = x[:, torch.tensor([True, False, False, True])] = 8 ! = x[mask] = t(5); = x[torch.tensor([True, False])] = 1;
    = x[mask] = np.float32(2);
    = x[mask] = 'a'; = x[mask, 0] = 1
set_lists: = x[[0, 2]] = 1; = x[[0, 2]] = v; = x[:, [1, 3]] = 2; = x[[1, 1]] += 1; = x[[]] = 1; = x[1:, [0, 3]] = 9;
    = x[[-1]] = v; = x[[0, 1]] = y[[1, 2]] ! = x[[0, 5]] = 1; = x[[0, 1]] = t(3, 4); = x[['a']] = 1
set_tensors: = x[torch.tensor([0, 1]), torch.tensor([2, 3])] = 5; = x[torch.tensor([[0, 1], [1, 2]])] = 3;
    = c[:, torch.tensor([0, 2])] = 1; = c[0, :, torch.tensor([1, 3])] = 4; = c[torch.tensor([1, 0]), 1] = v;
    = x[torch.tensor([0, 1])] = torch.tensor(2) ! = x[torch.tensor([0.5])] = 1; = x[torch.tensor([4])] = v;
    = x[torch.tensor([0])] = t(5); = x[torch.arange(3)] = x
""", dtypes=DTYPES)  # fmt: skip

FUNCTIONS = Family("indexing", """
index_select: x, 0, torch.tensor([0, 2, 0]); x, 1, torch.tensor([3, 1]); c, -1, torch.tensor([0, 0]);
    v, 0, torch.tensor([2]); x, 0, torch.tensor([], dtype=torch.int64); x, 0, torch.tensor(1);
    x, 1, torch.tensor([1, 2], dtype=torch.int32); s, 0, torch.tensor([0]) ! x, 0, torch.tensor([3]);
    x, 0, torch.tensor([-1]); x, 2, torch.tensor([0]); x, 0, torch.tensor([0.5]); x, 0, [0, 1];
    x, 0, torch.tensor([[0, 1]]); x, 0; x, 'a', torch.tensor([0]); x, 0, torch.tensor([True])
gather: x, 0, i; x, 1, i; x, 1, torch.tensor([[0, 0], [3, 1]]); c, 2, torch.tensor([[[0, 1], [2, 3]]]);
    v, 0, torch.tensor([3, 3, 0]); x, -1, torch.tensor([[1]]); s, 0, torch.tensor(0); x, dim=0, index=i;
    x, 1, torch.tensor([[0, 1]], dtype=torch.int32);
    x, axis=0, index=i ! x, 0, torch.tensor([[3]]); x, 0, torch.tensor([[-1]]);
    x, 2, i; x, 0, torch.tensor([0]); x, 0, torch.tensor([[0.5]]); x, 0, torch.tensor([[0] * 5]); x, 0; x, 0, [[0]];
    x, 'a', i
scatter: x, 0, i, y; x, 1, i, 2; x, 1, torch.tensor([[0, 1], [3, 2]]), y; v, 0, torch.tensor([3, 0]), w;
    x, 0, i, 1.5; c, 1, torch.tensor([[[0, 2, 1]]]), 5; x, 1, torch.tensor([[0, 1]]), 3, reduce='add';
    x, 1, torch.tensor([[0, 1]]), 3, reduce='multiply'; x, dim=1, index=i, src=y ! x, 0, torch.tensor([[3]]), y;
    x, 0, torch.tensor([[-1]]), 1; x, 2, i, y; x, 0, torch.tensor([0]), y; x, 0, torch.tensor([[0.5]]), y; x, 0, i;
    x, 0, i, 'a'; x, 0, i, row; x, 0, i, y.to(torch.float16); x, 1, i, 3, reduce='a'; v, 0, torch.tensor([0, 1]), s
scatter_reduce: x, 0, i, y, 'sum'; x, 0, i, y, 'mean', include_self=False;
  x, 0, i, y, reduce='prod'; x, 0, i, y, 'amax'; x, 0, i, y, 'amin'
  ! x, 0, i, y, 'foo'; x, 0, i, y; x, 0, i, 2., 'sum'; x, 5, i, y, 'sum'; x, 0, y, y, 'sum'
scatter_add: x, 0, i, y; x, 1, torch.tensor([[0, 1, 1], [3, 2, 2]]), y; v, 0, torch.tensor([3, 0, 3]), w;
    c, 1, torch.tensor([[[0, 2, 1]]]), c; x, -1, i, y; s, 0, torch.tensor(0), s ! x, 0, torch.tensor([[3]]), y;
    x, 2, i, y; x, 0, torch.tensor([0]), y; x, 0, torch.tensor([[0.5]]), y; x, 0, i; x, 0, i, 2; x, 0, i, row;
    x, 0, i, y.to(torch.float16); x, 0, torch.tensor([[-1]]), y
take: x, torch.tensor([0, 5, 5]); x, torch.tensor([[0, -1], [2, 11]]); c, torch.tensor([23, 0]); v, torch.tensor(2);
    x, i; s, torch.tensor([0, 0]) ! x, torch.tensor([12]); x, torch.tensor([-13]); x, torch.tensor([0.5]); x, [0];
    x; x, 2
take_along_dim: x, i, 0; x, i, 1; x, torch.tensor([0, 5]); x, torch.tensor([[1], [0], [3]]), 1; x, x.argsort(1), 1;
    c, torch.tensor([[[0], [1], [2]]]), 2; x, i, dim=-1 ! x, i, 2; x, torch.tensor([0]), 0;
    x, torch.tensor([[0.5]]), 0; x, 2; x
masked_fill: x, mask, 0; x, mask, 2.5; x, mask[0], 1; x, mask, s; x, x > 0, -1; c, mask, 3; s, mask, 1;
    x, mask, True; x, mask, float('-inf'); x, mask, value=1;
    x, mask, np.float32(-1.5); x, mask, np.int64(2) ! x, mask, v; x, x, 0;
    x, torch.tensor([True, False]), 1; x, mask; x, mask, 'a'; x, 2, 0; x, i, 1; x, mask, None
masked_select: x, mask; x, x > 0; x, mask[0]; c, mask; s, mask; row, mask;
    v, torch.tensor([True, False, True, False]) ! x, x; x, i; x, torch.tensor([True, False]); x; x, 2; x, [True]
index_add: x, 0, torch.tensor([0, 2, 0]), y; x, 1, torch.tensor([3, 3]), t(3, 2); v, 0, torch.tensor([1, 1]), t(2);
    c, 1, torch.tensor([0]), t(2, 1, 4); x, 0, torch.tensor([0, 2, 0]), y, alpha=2;
    x, -1, torch.tensor([1, 2, 3, 1]), y ! x, 0, torch.tensor([3, 0, 0]), y; x, 0, torch.tensor([0, 1]), y;
    x, 2, torch.tensor([0]), y; c, 2, torch.arange(4), v; x, 0, torch.tensor([0.5, 1.0, 1.0]), y; x, 0, [0, 1, 2], y;
    x, 0, torch.tensor([0, 1, 2]); x, 0, torch.tensor([0, 1, 2]), t(3, 5);
    x, 0, torch.tensor([0, 1, 2]), y.to(torch.float16)
index_copy: x, 0, torch.tensor([2, 0, 1]), y; x, 1, torch.tensor([3, 0]), t(3, 2); v, 0, torch.tensor([1, 2]), t(2);
    c, 1, torch.tensor([0]), t(2, 1, 4); x, -1, torch.tensor([1, 2, 3, 0]), y ! x, 0, torch.tensor([3, 0, 0]), y;
    x, 0, torch.tensor([0, 1]), y; x, 2, torch.tensor([0]), y; x, 0, torch.tensor([0.5, 1.0, 1.0]), y;
    x, 0, [0, 1, 2], y; x, 0, torch.tensor([0, 1, 2])
index_fill: x, 0, torch.tensor([2, 0]), 1; x, 1, torch.tensor([3, 0, 3]), 2.5; v, 0, torch.tensor([1, 2]), s;
    c, 1, torch.tensor([0]), -1; x, -1, torch.tensor([-1]), 3;
    x, 0, torch.tensor([2, 0]), np.int64(1) ! x, 0, torch.tensor([3]), 1;
    x, 2, torch.tensor([0]), 1; x, 0, torch.tensor([0.5]), 1; x, 0, [0], 1; x, 0, torch.tensor([0]), v;
    x, 0, torch.tensor([0]), 'a'; x, 0
index_put: x, (torch.tensor([0, 2]),), v; x, (torch.tensor([0, 2]), torch.tensor([1, 1])), torch.tensor(5).to(x);
    x, (torch.tensor([0, 0]), torch.tensor([1, 1])), t(2), accumulate=True; x, (mask,), s;
    x, [torch.tensor([1])], y[:1] if y.dim() else y; v, (torch.tensor([3, 3]),), t(2), True
    ! x, (torch.tensor([3]),), v; x, (torch.tensor([0.5]),), v; x, torch.tensor([0]), v;
    x, (torch.tensor([0, 1]),), t(5); x, (torch.tensor([0]),), 2; x, (torch.tensor([0]),);
    x, (torch.tensor([0]),), v.to(torch.float16)
tril triu: x; x, 1; x, -1; c; q, 1; x, diagonal=2; x, 9; x, -9 ! v; s; x, 'a'; x, 0.5; 3; x, foo=1; x, True
diag: x; v; x, 1; v, 1; v, -2; x, -1; q; x, diagonal=2; x, 9 ! c; s; x, 'a'; x, 0.5; 3
diag_embed: v; x; v, 1; x, -1; x, 0, 0, 2; x, offset=1, dim1=0, dim2=1; c ! s; v, 0, 0, 0; v, 0, 0, 3; v, 'a'; 3
nonzero: x; mask; v; s; c; = torch.nonzero(x, as_tuple=True); = c.nonzero(as_tuple=True);
    = torch.nonzero(s, as_tuple=True) ! 3; x, 'a'; x, as_tuple=2, foo=1
argwhere: x; mask; v; s; c; x > 0 ! 3; x, 1; 'a'
sort: x; x, 0; x, 1, True; x, -1, descending=True; c, 1; v; odd, 1; x, stable=True, dim=0; x % 3, 1; s; i, 1;
    = torch.sort(x, stable=True, descending=True); = x.sort(0).indices;
    x, axis=0 ! x, 2; x, 'a'; x, 0.5; 3; x, foo=1;
    x, (0, 1); x, 0, 'a', 2
argsort: x; x, 0; x, 1, True; x, -1, descending=True; c, 1; v; x, dim=0, stable=True; s; odd, 1;
    x, axis=0 ! x, 2; x, 'a';
    x, 0.5; 3; x, foo=1
searchsorted: v.sort().values, x; v.sort().values, x, right=True; v.sort().values, 2;
    v.sort().values, -3; torch.tensor([1, 3, 5]).to(x), x; x.sort().values, y; v.sort().values, x, side='right';
    v.sort().values, x, out_int32=True; v.sort().values, s;
    v.sort().values, np.int64(2) ! x.sort().values, v; v, x, side='a'; v, 'a'; v; 3, x;
    v.sort().values, x, right=True, side='left'
unique: x; i; v; x, return_inverse=True; i, return_counts=True; i, True, True, True; i, dim=0; x, sorted=True;
    x, dim=1, return_inverse=True; mask; s; odd[:, 5:] if False else x ! 3; i, dim=2; i, 'a', foo=1; i, dim='a'
bincount: i.reshape(-1); torch.tensor([0, 2, 2, 5]); i.reshape(-1), minlength=6;
    torch.tensor([0, 1, 1]), torch.tensor([0.5, 1.0, 2.0]); torch.tensor([], dtype=torch.int64);
    torch.tensor([1, 2], dtype=torch.uint8) ! i; v.to(torch.float32); torch.tensor([-1]);
    torch.tensor([1, 2]), torch.tensor([1.0]); torch.tensor([1]), minlength=-1; 3; torch.tensor([0.5]); v, 2
""", dtypes=DTYPES)  # fmt: skip

FAMILIES = (READING, WRITING, FUNCTIONS)
