"""Writes: the in-place methods that are no op's twin, versions, views, leaves and overlapping memory."""

from ..grid import DTYPES, Family

INPLACE = Family("in place", """
zero_: x; c; s; v ! x, 1; 3
fill_: x, 2; x, 1.5; x, s; c, -1; s, 3; x, True; v, torch.tensor(2);
    x, np.int64(2); x, np.float32(1.5) ! x; x, 'a'; x, v; x, None; x, 2j
copy_: x, y; x, v; x, s; c, x; x, y.to(torch.float32); x, mask; s, s; x, y.t().reshape(3, 4) ! x; x, 2; x, t(5);
    x, c; x, 'a'; x, None
requires_grad_: = x.detach().clone().requires_grad_().requires_grad;
    = x.detach().clone().requires_grad_(False).requires_grad; = (x * 1).requires_grad_().requires_grad
    ! = x.to(torch.int64).requires_grad_(); = x.detach().requires_grad_('a'); = (x * 1).requires_grad_(False)
squeeze_ unsqueeze_: row, 0; c, 0 ! row, 5; row, 'a'
transpose_ swapaxes_: x, 0, 1; c, 0, -1 ! x, 0, 2; x
t_: x; v ! c
detach_: = (x * 1).detach_().requires_grad; = (x * 1).detach_().is_leaf
    ! = (x * 1)[0].detach_() if x.requires_grad else 1 / 0
""", dtypes=DTYPES)  # fmt: skip

PROGRAMS = Family("in-place programs", """
versions: = x._version; = x.zero_()._version if not x.requires_grad else 0;
    = [b := x.clone(), b.add_(1), b._version][2]; = [b := x.clone(), b[0:1].zero_(), b._version][2];
    = [b := x.clone(), r := b.detach(), r.mul_(2), b._version][3];
    = [b := x.clone(), r := b.view(-1), b.fill_(1), r._version][3];
    = [b := x.clone(), b.data.add_(1), b._version][2]; = [b := x.clone(), b.t().add_(1), b.t()._version][2]
base_then_view: = [b := x.clone(), r := b[1:], r.mul_(2), b][3]; = [b := x.clone(), r := b[1:], b.mul_(2), r][3];
    = [b := x.clone(), r := b[:, 0], r.add_(1), b.mul_(3), b + 0, r + 0][4:];
    = [b := x.clone(), r := b.t(), r.mul_(y.t()), b][3]; = [b := x.clone(), b[0].mul_(2), b[0].add_(y[0]), b][3];
    = [b := x.clone(), r := b[1:][:, 1:], r.exp_(), b][3]; = [b := x.clone(), b.diagonal().zero_(), b][2];
    = [b := x.clone(), b[:, 1].copy_(y[:, 1]), b][2];
    = [b := x.clone(), r, h := b.unbind(), 0][2] if False else x * 1;
    = [b := x.clone(), r := b.view(-1), r[2:5].fill_(7), b, r][3:]
legal_programs: = [b := x * 2, r := b + 1, b.add_(1), r][3]; = [b := x.exp(), r := b * 1, r.add_(1), r][3];
    = [b := x * y, b.add_(1), b.mul_(2), b][3]; = [b := x.sigmoid(), r := b.clone(), r.mul_(r), r][3];
    = [b := x.relu(), b.add_(1), b][2] if False else x + 1; = [b := (x * 1), b.sub_(b.mean()), b][2];
    = [b := x.clone(), b.masked_fill_(mask, 0), b.mul_(y), b][3]; = [b := x.clone(), b.mul_(b), b][2];
    = x.relu().sqrt(); = x.clamp(0).sqrt(); = x.clamp(max=0).abs().sqrt()
illegal_programs: = [b := x * 2, r := b * b, b.add_(1), r][3]; = [b := x.exp(), b.add_(1), b][2];
    = [b := x.sigmoid(), b.mul_(2), b][2]; = [b := x * 1, r := b.sin(), b[0].zero_(), r][3];
    = [b := y * 1, r := x * b, b.zero_(), r][3]; = [b := x.tanh(), b.detach().add_(1), b][2];
    = [b := x.sqrt(), b.zero_(), b][2]
leaves: = x.add_(1); = x.zero_() is x; = x.detach().add_(1); = [x.data.mul_(2), x][1]; = x[0].add_(1);
    = x.view(-1).mul_(2)
overlap: = row.expand(3, 4).add_(1); = row.expand(3, 4).clone().add_(1);
    = [b := row.clone(), b.expand(3, 4)[0].fill_(5), b][2]; = row.expand(3, 4).mul_(y);
    = [b := v.clone(), b.unfold(0, 2, 1).fill_(1)]; = [b := v.clone(), b[1:].copy_(b[:-1].clone()), b][2];
    = row.expand(3, 4).zero_(); = [b := v.clone(), b.as_strided((2, 2), (1, 1)).add_(1)];
    = [b := x.clone(), b.masked_fill_(mask, b[0, 0] if b.dim() else b)][1]; = [b := x.clone(), b.scatter_(0, i * 0, b)];
    = [b := x.clone(), b.index_add_(0, torch.arange(len(b)), b)]; = [b := q.clone(), b.addmm_(b, y[:, :3])];
    = [b := x.clone(), b.index_copy_(0, torch.arange(len(b)), b)]; = [b := x.clone(), b.add_(b.flip(0))][1];
    = [b := x.clone(), b.index_fill_(0, torch.tensor(0), b[0, 0] if b.numel() > 1 else 2)][1]
""", dtypes=("float64", "float32", "int64"))  # fmt: skip

OUT = Family("out=", """
written: = [o := torch.empty(2, 0).to(x), torch.add(x, y, out=o), o][1:]; = torch.add(x, y, out=t(3, 4));
    = torch.mul(x, 2, out=x); = torch.sum(x, 0, out=t(4)); = torch.matmul(q, x, out=t(3, 4));
    = torch.cat([x, y], out=torch.empty(0).to(x)); = torch.exp(x.to(torch.float32), out=torch.empty(0));
    = torch.eq(x, y, out=torch.empty(0, dtype=torch.bool)); = torch.stack([x, y], out=torch.empty(0).to(x));
    = torch.max(x, 1, out=(torch.empty(0).to(x), torch.empty(0, dtype=torch.int64)));
    = torch.sort(x, 0, out=(torch.empty(0).to(x), torch.empty(0, dtype=torch.int64))).values;
    = torch.arange(3, out=torch.empty(3)); = torch.zeros(2, out=torch.ones(2));
    = torch.add(x, y, out=x.t().clone().t());
    = torch.eye(2, out=torch.empty(0)); = torch.clamp(x, 0, 1, out=torch.empty(0).to(x));
    = torch.tril(x, out=x) if x.dim() else 0
    ! = torch.add(x, y, out=[x]); = torch.add(x, y, out='a');
    = torch.add(x, 0.5, out=torch.empty(0, dtype=torch.int64));
    = torch.add(row, y, out=row.expand(3, 4)); = torch.max(x, 1, out=x); = x.add(y, out=x);
    = torch.add(x[1:], 1, out=x[:-1]);
    = torch.zeros(2, out=torch.ones(2), dtype=torch.int64)
""", dtypes=("float64", "float32", "int64"), records=False)  # fmt: skip

FAMILIES = (INPLACE, PROGRAMS, OUT)
