"""Short programs that students write with layers, optimizers, schedulers and loaders: each prints what it prints under
PyTorch, which is the same program with another import."""

import contextlib
import io

import pytest

import rustyflow

torch = pytest.importorskip("torch")

BEGIN = """
import {lib} as torch
from {lib} import nn, optim
import {lib}.nn.functional as F
from {lib}.utils.data import DataLoader, Dataset, TensorDataset, random_split
from {lib}.optim import lr_scheduler
torch.manual_seed(0)
def say(*values):
    for v in values:
        if isinstance(v, torch.Tensor):
            v = [round(n, 4) + 0.0 for n in v.detach().double().flatten().tolist()]
        print(round(v, 6) if isinstance(v, float) else v)
def fit(model, x, y, optimizer, loss=nn.MSELoss(), steps=20):
    for _ in range(steps):
        optimizer.zero_grad()
        error = loss(model(x), y)
        error.backward()
        optimizer.step()
    return error
"""

PROGRAMS = {
    "a line": """
x = torch.linspace(-1, 1, 20).unsqueeze(1)
model = nn.Linear(1, 1)
say(fit(model, x, 3 * x + 1, optim.SGD(model.parameters(), lr=0.5)), *model.parameters())
""",
    "logistic regression": """
x = torch.randn(50, 2)
y = (x.sum(1, keepdim=True) > 0).float()
model = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())
say(fit(model, x, y, optim.SGD(model.parameters(), 1.0), nn.BCELoss()), ((model(x) > 0.5) == y).float().mean())
""",
    "logits": """
x, y = torch.randn(30, 3), torch.randint(0, 2, (30,)).float()
model = nn.Linear(3, 1)
for step in range(5):
    loss = F.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.1 * p.grad
say(loss, model.weight)
""",
    "classes": """
x, y = torch.randn(40, 5), torch.randint(0, 3, (40,))
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
say(fit(model, x, y, optim.Adam(model.parameters(), lr=0.01), nn.CrossEntropyLoss()), model(x).argmax(1))
""",
    "a module of one's own": """
class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.fc1 = nn.Linear(4, hidden)
        self.fc2 = nn.Linear(hidden, 2)
        self.drop = nn.Dropout(0.5)
    def forward(self, x):
        return self.fc2(self.drop(torch.tanh(self.fc1(x))))
net = Net(8)
print(net)
say(net(torch.ones(2, 4)), net.eval()(torch.ones(2, 4)))
""",
    "counting parameters": """
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 26 * 26, 10))
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
for name, p in model.named_parameters():
    print(name, tuple(p.shape))
""",
    "a small convnet": """
class CNN(nn.Module):
    def __init__(self):
        super(CNN, self).__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 8, 3)
        self.fc = nn.Linear(8 * 3 * 3, 10)
    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = F.relu(self.conv2(x))
        x = F.adaptive_max_pool2d(x, 3)
        return self.fc(torch.flatten(x, 1))
net = CNN()
x, y = torch.randn(6, 1, 16, 16), torch.arange(6)
say(fit(net, x, y, optim.SGD(net.parameters(), lr=0.05, momentum=0.9), nn.CrossEntropyLoss(), 8))
print(net)
""",
    "batches": """
data = TensorDataset(torch.arange(10).float().view(10, 1), torch.arange(10))
for epoch in range(2):
    for x, y in DataLoader(data, batch_size=4, shuffle=True):
        print(x.view(-1).tolist(), y.tolist())
""",
    "a dataset of one's own": """
class Squares(Dataset):
    def __len__(self):
        return 6
    def __getitem__(self, i):
        return torch.tensor([float(i)]), i ** 2
loader = DataLoader(Squares(), batch_size=4)
print(len(loader), [(x.shape, y) for x, y in loader])
""",
    "train and test": """
data = TensorDataset(torch.randn(20, 2), torch.randn(20, 1))
train, test = random_split(data, [15, 5])
model = nn.Linear(2, 1)
opt = optim.SGD(model.parameters(), lr=0.1)
for x, y in DataLoader(train, 5, shuffle=True):
    opt.zero_grad(); F.mse_loss(model(x), y).backward(); opt.step()
model.eval()
with torch.no_grad():
    say(sum(F.mse_loss(model(x), y, reduction="sum") for x, y in DataLoader(test, 5)) / len(test))
""",
    "steps of the rate": """
model = nn.Linear(1, 1)
opt = optim.SGD(model.parameters(), lr=1.0)
sched = lr_scheduler.StepLR(opt, 2, gamma=0.5)
for epoch in range(6):
    opt.step(); sched.step(); say(sched.get_last_lr()[0])
""",
    "a warm-up, then a cosine": """
w = nn.Parameter(torch.ones(1))
opt = optim.AdamW([w], lr=0.1)
warm = lr_scheduler.LinearLR(opt, 0.1, total_iters=3)
cosine = lr_scheduler.CosineAnnealingLR(opt, 5)
sched = lr_scheduler.SequentialLR(opt, [warm, cosine], [3])
for _ in range(8):
    opt.step(); sched.step(); say(opt.param_groups[0]["lr"])
""",
    "a plateau": """
opt = optim.Adam(nn.Linear(2, 2).parameters(), lr=0.1)
sched = lr_scheduler.ReduceLROnPlateau(opt, patience=1, factor=0.1)
for loss in [1.0, 0.9, 0.9, 0.9, 0.9, 0.8]:
    sched.step(torch.tensor(loss)); say(opt.param_groups[0]["lr"])
""",
    "groups": """
model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
groups = [{"params": model[0].parameters()}, {"params": model[1].parameters(), "lr": 0.5}]
opt = optim.SGD(groups, lr=0.01, momentum=0.9)
say(fit(model, torch.ones(4, 2), torch.zeros(4, 1), opt, steps=5))
print(opt, len(opt.param_groups))
""",
    "frozen layers": """
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for p in model[0].parameters():
    p.requires_grad = False
before = model[0].weight.clone()
fit(model, torch.ones(4, 2), torch.zeros(4, 1), optim.Adam(filter(lambda p: p.requires_grad, model.parameters())))
print(torch.equal(before, model[0].weight), [n for n, p in model.named_parameters() if p.requires_grad])
""",
    "a state dict": """
a, b = nn.Linear(2, 2), nn.Linear(2, 2)
print(b.load_state_dict(a.state_dict()), torch.equal(a.weight, b.weight), list(a.state_dict()))
""",
    "a part of a state dict": """
model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
state = {k: v for k, v in model.state_dict().items() if k.startswith("0")}
print(model.load_state_dict(state, strict=False))
try:
    model.load_state_dict(state)
except RuntimeError as error:
    print("1.weight" in str(error))
""",
    "initial weights": """
def init(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight)
        nn.init.zeros_(m.bias)
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
model.apply(init)
say(*model.parameters())
""",
    "a forward hook": """
seen = {}
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for name, layer in model.named_children():
    layer.register_forward_hook(lambda m, i, o, name=name: seen.update({name: tuple(o.shape)}))
model(torch.ones(5, 2))
print(seen)
""",
    "a backward hook": """
layer = nn.Linear(2, 2)
layer.register_full_backward_hook(lambda m, gi, go: print(type(m).__name__, gi[0].shape, go[0].tolist()))
x = torch.ones(1, 2, requires_grad=True)
layer(x).sum().backward()
""",
    "batch norm": """
bn = nn.BatchNorm1d(3, momentum=0.5)
x = torch.randn(8, 3) * 2 + 1
y = bn(x)
say(y.mean(0).abs().max() < 1e-6, bn.running_mean, bn.running_var, bn.num_batches_tracked, bn.eval()(x)[0])
""",
    "layer norm": """
x = torch.randn(2, 5)
say(nn.LayerNorm(5)(x), nn.GroupNorm(2, 4)(torch.randn(2, 4, 3)).std(), nn.RMSNorm(5)(x))
""",
    "embedding": """
e = nn.Embedding(5, 3, padding_idx=0)
out = e(torch.tensor([[0, 1, 1]]))
out.sum().backward()
say(out, e.weight.grad)
""",
    "bag of words": """
class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.out = nn.Embedding(10, 4), nn.Linear(4, 2)
    def forward(self, words):
        return self.out(self.embed(words).mean(dim=1))
model = Bag()
words, y = torch.randint(0, 10, (8, 5)), torch.randint(0, 2, (8,))
say(fit(model, words, y, optim.Adam(model.parameters(), 0.05), nn.CrossEntropyLoss()))
""",
    "an rnn": """
rnn = nn.RNN(3, 5, num_layers=2, batch_first=True)
out, h = rnn(torch.randn(4, 7, 3))
print(out.shape, h.shape)
say(out[:, -1], h[-1])
""",
    "an lstm learns a sine": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 8, batch_first=True)
        self.fc = nn.Linear(8, 1)
    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return self.fc(out[:, -1, :])
wave = torch.sin(torch.arange(40) * 0.3)
x = torch.stack([wave[i:i + 5] for i in range(30)]).unsqueeze(-1)
model = Net()
say(fit(model, x, wave[5:35].unsqueeze(1), optim.Adam(model.parameters(), 0.02), steps=15))
""",
    "gru cells": """
cell = nn.GRUCell(2, 3)
h = torch.zeros(1, 3)
for t in range(4):
    h = cell(torch.ones(1, 2) * t, h)
say(h)
""",
    "attention": """
mha = nn.MultiheadAttention(8, 2, batch_first=True)
x = torch.randn(2, 4, 8)
mask = torch.triu(torch.ones(4, 4), diagonal=1).bool()
out, weights = mha(x, x, x, attn_mask=mask)
say(out[0, 0], weights[0])
""",
    "an encoder": """
layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0)
enc = nn.TransformerEncoder(layer, 2)
x, pad = torch.randn(2, 4, 8), torch.tensor([[False] * 4, [False, False, True, True]])
say(enc(x, src_key_padding_mask=pad)[1, :2].sum(-1))
enc.eval()
with torch.no_grad():
    say(enc(x, src_key_padding_mask=pad))
""",
    "an autoencoder": """
encoder = nn.Sequential(nn.Linear(6, 3), nn.ReLU())
decoder = nn.Sequential(nn.Linear(3, 6), nn.Sigmoid())
x = torch.rand(10, 6)
model = nn.Sequential(encoder, decoder)
say(fit(model, x, x, optim.RMSprop(model.parameters(), lr=0.01)))
print(model)
""",
    "a list of layers": """
class Deep(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])
    def forward(self, x):
        for layer in self.layers[:-1]:
            x = F.gelu(layer(x))
        return self.layers[-1](x)
net = Deep([2, 4, 4, 1])
print(net, len(net.layers))
say(net(torch.ones(1, 2)))
""",
    "a dict of layers": """
acts = nn.ModuleDict({"relu": nn.ReLU(), "tanh": nn.Tanh(), "silu": nn.SiLU()})
for name, act in acts.items():
    print(name); say(act(torch.tensor([-1.0, 0.5])))
""",
    "a residual block": """
class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c), nn.ReLU())
    def forward(self, x):
        return x + self.body(x)
net = nn.Sequential(Block(2), Block(2), nn.AdaptiveAvgPool2d(1), nn.Flatten())
say(net(torch.randn(3, 2, 6, 6)))
""",
    "tied weights": """
class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.out = nn.Embedding(6, 4), nn.Linear(4, 6, bias=False)
        self.out.weight = self.embed.weight
    def forward(self, x):
        return self.out(self.embed(x))
m = LM()
print(len(list(m.parameters())), list(m.state_dict()))
say(fit(m, torch.arange(6), torch.arange(6), optim.SGD(m.parameters(), 0.1), nn.CrossEntropyLoss()))
""",
    "clipping": """
model = nn.Linear(3, 1)
(model(torch.ones(4, 3)) * 100).sum().backward()
say(nn.utils.clip_grad_norm_(model.parameters(), 1.0), model.weight.grad)
nn.utils.clip_grad_value_(model.parameters(), 0.1)
say(model.weight.grad)
""",
    "gradients that add up": """
model = nn.Linear(2, 1)
opt = optim.SGD(model.parameters(), lr=0.1)
for i, x in enumerate(torch.randn(4, 3, 2)):
    (model(x).pow(2).mean() / 2).backward()
    if (i + 1) % 2 == 0:
        opt.step(); opt.zero_grad()
say(model.weight)
""",
    "a closure": """
w = torch.tensor([3.0], requires_grad=True)
opt = optim.SGD([w], lr=0.1)
def closure():
    opt.zero_grad()
    loss = (w - 1) ** 2
    loss.backward()
    return loss
for _ in range(3):
    say(opt.step(closure))
""",
    "copying a model": """
import copy
a = nn.Linear(2, 1)
b = copy.deepcopy(a)
fit(a, torch.ones(3, 2), torch.zeros(3, 1), optim.SGD(a.parameters(), 0.1))
print(torch.equal(a.weight, b.weight))
with torch.no_grad():
    for p, q in zip(a.parameters(), b.parameters()):
        q.mul_(0.9).add_(p, alpha=0.1)
say(b.weight)
""",
    "float64": """
model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).double()
print({p.dtype == torch.float64 for p in model.state_dict().values()}, model.to(torch.float32)[0].weight.dtype)
""",
    "saving": """
import os, tempfile
model = nn.Linear(2, 2)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.safetensors" if torch.__name__ == "rustyflow" else "model.pt")
    torch.save(model.state_dict(), path)
    other = nn.Linear(2, 2)
    other.load_state_dict(torch.load(path))
print(torch.equal(model.weight, other.weight))
""",
    "an early stop": """
model = nn.Linear(1, 1)
opt = optim.Adagrad(model.parameters(), lr=0.5)
x = torch.linspace(0, 1, 10).view(-1, 1)
best, patience = float("inf"), 0
for epoch in range(200):
    loss = fit(model, x, 2 * x, opt, steps=1).item()
    if loss < best - 1e-3:
        best, patience = loss, 0
    else:
        patience += 1
    if patience == 5:
        break
print(epoch)
""",
    "a polynomial": """
class Poly(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.randn(())), nn.Parameter(torch.randn(()))
    def forward(self, x):
        return self.a + self.b * x ** 2
    def string(self):
        return f"y = {self.a.item():.3f} + {self.b.item():.3f} x^2"
m = Poly()
x = torch.linspace(-1, 1, 30)
fit(m, x, 1 + 2 * x ** 2, optim.SGD(m.parameters(), lr=0.3), nn.MSELoss(reduction="mean"), 100)
print(m.string())
""",
    "a gan's two optimizers": """
G, D = nn.Linear(2, 1), nn.Sequential(nn.Linear(1, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1))
og, od = optim.Adam(G.parameters(), betas=(0.5, 0.999)), optim.Adam(D.parameters(), betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
for _ in range(3):
    real, fake = torch.randn(8, 1), G(torch.randn(8, 2))
    od.zero_grad()
    (bce(D(real), torch.ones(8, 1)) + bce(D(fake.detach()), torch.zeros(8, 1))).backward()
    od.step()
    og.zero_grad()
    bce(D(fake), torch.ones(8, 1)).backward()
    og.step()
say(G.weight, D[0].weight)
""",
    "a policy gradient": """
policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2), nn.Softmax(dim=-1))
states, actions = torch.randn(6, 4), torch.tensor([0, 1, 1, 0, 1, 0])
returns = torch.tensor([1.0, -1.0, 0.5, 0.2, 0.0, 1.5])
chosen = policy(states).gather(1, actions.unsqueeze(1)).squeeze(1)
loss = -(chosen.log() * returns).mean()
loss.backward()
say(loss, policy[0].weight.grad.norm())
""",
    "losses by hand": """
x, y = torch.randn(4, 3), torch.tensor([0, 2, 1, 1])
say(nn.CrossEntropyLoss()(x, y), nn.NLLLoss()(F.log_softmax(x, dim=1), y), -F.log_softmax(x, 1)[range(4), y].mean())
say(nn.L1Loss()(x, x * 0), nn.SmoothL1Loss()(x, x * 0))
say(nn.KLDivLoss(reduction="batchmean")(x.log_softmax(1), x.softmax(1)))
""",
    "one cycle": """
model = nn.Linear(1, 1)
opt = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
sched = lr_scheduler.OneCycleLR(opt, max_lr=1.0, epochs=2, steps_per_epoch=3)
for _ in range(6):
    opt.step(); say(opt.param_groups[0]["lr"], opt.param_groups[0]["momentum"])
    if _ < 5:
        sched.step()
""",
    "a mistake with shapes": """
try:
    nn.Sequential(nn.Linear(4, 3), nn.Linear(2, 1))(torch.ones(1, 4))
except RuntimeError as error:
    print(type(error).__mro__[-4].__name__, "RuntimeError")
try:
    F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 3]))
except (IndexError, RuntimeError) as error:
    print("index")
""",
    "what is in a module": """
model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Dropout(0.1)))
print([type(m).__name__ for m in model.modules()], [n for n, _ in model.named_modules()])
print(model[1][1].p, len(model), isinstance(model[0], nn.Module), model.training, next(model.parameters()).shape)
model.add_module("last", nn.Linear(2, 1))
del model[0]
print(model, list(model.buffers()))
""",
}


def printed(lib, program):
    out, names = io.StringIO(), {}
    with contextlib.redirect_stdout(out):
        exec(BEGIN.format(lib=lib) + program, names)
    return out.getvalue().replace("rustyflow.", "torch.").replace("NonDynamicallyQuantizableLinear", "Linear")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_it_prints_what_it_prints_under_pytorch(program):
    assert printed(rustyflow.__name__, program) == printed("torch", program)
