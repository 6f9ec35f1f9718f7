"""Programs as tutorials write them, where `torch` is either library, and whose memory each of their tensors reads."""

ATTENTION = """
torch.manual_seed(0)
B, T, C, H = 2, 4, 6, 2
x = torch.randn(B, T, C)
w_qkv = torch.randn(C, 3 * C, requires_grad=True)
qkv = x @ w_qkv
q, k, v = qkv.chunk(3, dim=-1)
q = q.view(B, T, H, C // H).transpose(1, 2)
k = k.view(B, T, H, C // H).transpose(1, 2)
v = v.view(B, T, H, C // H).transpose(1, 2)
scores = q @ k.transpose(-2, -1) / (C // H) ** 0.5
mask = torch.tril(torch.ones(T, T))
scores = scores.masked_fill(mask == 0, float("-inf"))
weights = torch.softmax(scores, dim=-1)
out = (weights @ v).transpose(1, 2)
joined = out.contiguous().view(B, T, C)
row = mask[1]
""".strip()

BATCH_NORM = """
torch.manual_seed(0)
x = torch.randn(8, 3)
gamma, beta = torch.ones(3), torch.zeros(3)
running = torch.zeros(2, 3)
running_mean, running_var = running[0], running[1]
for step in range(5):
    mean = x.mean(0)
    var = x.var(0, unbiased=False)
    hat = (x - mean) / torch.sqrt(var + 1e-5)
    y = gamma * hat + beta
    running_mean.mul_(0.9).add_(mean, alpha=0.1)
    running_var.mul_(0.9).add_(var, alpha=0.1)
if running_mean.sum() > 100:
    training = True
else:
    training = False
flat = y.flatten()
""".strip()

TRAINING = """
torch.manual_seed(1)
x = torch.linspace(-1, 1, 8).unsqueeze(1)
y = 3 * x + 2
model = nn.Linear(1, 1)
optimizer = optim.SGD(model.parameters(), lr=0.1)
losses = []
for epoch in range(4):
    prediction = model(x)
    loss = ((prediction - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
w = model.weight
frozen = w.detach()
line = frozen[0]
""".strip()

PIPELINE = """
data = torch.arange(48.).reshape(8, 6)
inputs, targets = data[:, :5], data[:, 5]
train, test = inputs[:6], inputs[6:]
batches = train.split(2)
for batch in batches:
    last = batch
    total = batch.sum()
    if total > 200:
        break
shuffled = train[[2, 0, 1, 5, 4, 3]]
centred = train - train.mean(0)
train -= 1
wide = data.unfold(1, 3, 1)
pairs = data.T[::2]
same = data
window = wide[0, 0]
copy = window.clone()
copy[0] = 100
""".strip()

KMEANS = """
torch.manual_seed(0)
points = torch.cat([torch.randn(5, 2), torch.randn(5, 2) + 4])
centres = points[:2].clone()
first = points[0]
moved = 1.0
rounds = 0
while moved > 1e-4 and rounds < 10:
    gaps = points[:, None] - centres
    far = (gaps ** 2).sum(-1)
    near = far.argmin(1)
    old = centres.clone()
    for c in range(2):
        centres[c] = points[near == c].mean(0) if (near == c).any() else centres[c]
    moved = (centres - old).abs().max().item()
    rounds += 1
best = centres[0]
""".strip()

KIN = {
    "attention": (ATTENTION, {
        "x": "", "w_qkv": "", "qkv": "", "q": "qkv", "k": "qkv", "v": "qkv", "scores": "", "mask": "", "weights": "",
        "out": "", "joined": "", "row": "mask",
    }),
    "batch norm": (BATCH_NORM, {
        "x": "", "gamma": "", "beta": "", "running": "", "running_mean": "running", "running_var": "running",
        "mean": "", "var": "", "hat": "", "y": "", "flat": "y",
    }),
    "training": (TRAINING, {
        "x": "", "y": "", "model.weight": "", "model.weight.grad": "", "model.bias": "", "model.bias.grad": "",
        "prediction": "", "loss": "", "w": "model.weight", "frozen": "model.weight",
        "line": "frozen",
    }),
    "pipeline": (PIPELINE, {
        "data": "", "inputs": "data", "targets": "data", "train": "data", "test": "data", "batches[0]": "data",
        "batches[1]": "data", "batches[2]": "data", "batch": "batches[2]", "last": "batches[2]", "total": "",
        "shuffled": "",
        "centred": "", "wide": "data", "pairs": "data", "same": "data", "window": "data", "copy": "",  # "" is its own
    }),
    "k-means": (KMEANS, {
        "points": "", "centres": "", "first": "points", "gaps": "", "far": "", "near": "", "old": "",
        "best": "centres",
    }),
}  # fmt: skip


def storages(record):
    """The tensors of the last step by name, with the names whose memory they share, by what the record says."""
    last = record.steps[-1].tensors
    return {x.name: {y.name for y in last if y.key == x.key} for x in last}


def really(names, labels):
    """The same by the identity of the storages themselves."""
    tensors = {label: eval(label, dict(names)) for label in labels}
    address = {label: x.untyped_storage().data_ptr() for label, x in tensors.items()}
    return {label: {other for other in labels if address[other] == address[label]} for label in labels}
