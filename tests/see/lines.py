"""Lines that students write, and lines that fail, each with the names that it needs; `torch` is either library."""

SETUP = """
torch.manual_seed(0)
x = torch.arange(12.).view(3, 4)
w = torch.randn(4, 2, requires_grad=True)
b = torch.randn(2)
q, k, v = torch.randn(2, 3, 4), torch.randn(2, 3, 4), torch.randn(2, 3, 4)
scores = torch.randn(4, 4)
mask = torch.ones(4, 4).tril()
i = torch.tensor([[0, 2], [1, 1], [3, 0]])
y = torch.tensor([0, 1, 1])
img = torch.randn(1, 2, 4, 4)
ker = torch.randn(2, 2, 3, 3)
lin = nn.Linear(4, 3)
loss = (x @ w).tanh().mean()
big = torch.randn(2, 4, 6, 6)
pad = torch.ones(2, 6)
leaf = torch.ones(3, requires_grad=True)
conv = nn.Conv2d(1, 2, 3)
emb = nn.Embedding(3, 2)
labels = torch.tensor([1, 2, 3])
"""

LINES = """
x.t()[1:, :2]
x[:, ::2]
x[None, ..., 1]
x.view(2, 6)
x.permute(1, 0)
x.unsqueeze(0).expand(2, 3, 4)
x.reshape(-1)
x.T.contiguous()
x[x > 5]
x[[0, 2]]
x[y]
x @ w
x @ w + b
q @ k.transpose(-2, -1)
torch.bmm(q, k.mT)
x * 2 + 1
x + x[0]
x - x.mean(0)
(x - x.mean(0)) / torch.sqrt(x.var(0, unbiased=False) + 1e-5)
x.sum(1, keepdim=True)
x.mean(dim=0)
x.max(1)
x.argmax(dim=1)
torch.softmax(scores, dim=-1)
scores.masked_fill(mask == 0, float("-inf"))
F.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
F.softmax(q @ k.transpose(-2, -1) / 4 ** 0.5, dim=-1) @ v
torch.tril(torch.ones(4, 4))
torch.where(x > 5, x, 0)
x.gather(1, i)
torch.zeros(3, 5).scatter_(1, i, 1.0)
F.one_hot(y, 3)
F.cross_entropy(x @ w, y)
F.mse_loss(x[:, :2], x[:, 2:])
F.nll_loss(F.log_softmax(x[:, :2], 1), y)
F.binary_cross_entropy_with_logits(x[0], torch.ones(4))
F.conv2d(img, ker, padding=1)
F.max_pool2d(img, 2)
F.unfold(img, 3)
x.unfold(1, 2, 1)
torch.einsum("ij,jk->ik", x, w)
torch.einsum("bqd,bkd->bqk", q, k)
torch.cat([x, x[:1]])
torch.stack([x[0], x[1]], dim=1)
x.cumsum(dim=1)
x.sort(descending=True)
x.topk(2)
x.chunk(2, dim=1)
x[0] = 5
x[:, 1] += 1
x.mul_(2)
lin(x)
F.relu(lin(x))
F.layer_norm(x, (4,))
F.embedding(y, x)
F.dropout(x, 0.5)
x.repeat(2, 1)
x.norm(dim=1)
loss
~(x > 3)
""".strip().splitlines()

FAILING = """
attn = (big + pad).softmax(-1)
h = torch.relu(w @ x)
x - x.mean(1)
x.t().view(12)
x.view(5, -1)
x.reshape(3, 5)
torch.cat([x, w])
torch.stack([x, x[:2]])
F.linear(x, w)
q @ k
torch.bmm(x, x)
lin(x.t())
conv(torch.randn(5, 6))
x[3]
x[:, 4]
x[0, 1, 2]
x.gather(1, i + 2)
emb(labels)
F.cross_entropy(x[:, :3], labels)
x.sum(2)
x.transpose(0, 2)
y @ x
x[torch.tensor([0.0, 1.0])]
F.one_hot(x[0], 4)
(x > 3) - (x > 5)
x += torch.ones(2, 3, 4)
x[:, 0] = torch.ones(4)
leaf.add_(1)
s = leaf.sigmoid(); s.mul_(2); s.sum().backward()
(leaf * 2).backward()
""".strip().splitlines()


def names(torch, nn, functional):
    """The names of `SETUP`, in one of the libraries."""
    space = {"torch": torch, "nn": nn, "F": functional, "__name__": "__main__"}
    exec(SETUP, space)
    return space


def failed(line, space):
    """The error of a line that is run as a cell of a notebook is."""
    import linecache

    file = f"<cell of {line}>"
    linecache.cache[file] = len(line), None, [f"{line}\n"], file
    try:
        exec(compile(line, file, "exec"), space)
    except Exception as error:
        return error
    raise AssertionError(f"{line} did not fail")
