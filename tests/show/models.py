"""Three models of the usual kinds, small: a transformer of four layers, an LSTM, a ResNet of 18 layers."""

import rustyflow as rf
from rustyflow import nn

F = nn.functional


class Attention(nn.Module):
    def __init__(self, wide, heads):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(wide, 3 * wide), nn.Linear(wide, wide)

    def forward(self, x):
        many, long, wide = x.shape
        q, k, v = (part.view(many, long, self.heads, -1).transpose(1, 2) for part in self.qkv(x).split(wide, dim=2))
        weights = (q @ k.transpose(-2, -1)) / (wide // self.heads) ** 0.5
        weights = weights.masked_fill(rf.triu(rf.ones(long, long), 1) == 1, float("-inf")).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(many, long, wide))


class Block(nn.Module):
    def __init__(self, wide, heads):
        super().__init__()
        self.ln1, self.attn, self.ln2 = nn.LayerNorm(wide), Attention(wide, heads), nn.LayerNorm(wide)
        self.mlp = nn.Sequential(nn.Linear(wide, 4 * wide), nn.GELU(), nn.Linear(4 * wide, wide))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, letters=11, wide=8, heads=2, layers=4, long=4):
        super().__init__()
        self.tok, self.pos = nn.Embedding(letters, wide), nn.Embedding(long, wide)
        self.blocks = nn.ModuleList([Block(wide, heads) for _ in range(layers)])
        self.ln, self.head = nn.LayerNorm(wide), nn.Linear(wide, letters)

    def forward(self, i):
        x = self.tok(i) + self.pos(rf.arange(i.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.ln(x))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.lstm, self.out = nn.Embedding(9, 4), nn.LSTM(4, 4, batch_first=True), nn.Linear(4, 9)

    def forward(self, i):
        return self.out(self.lstm(self.emb(i))[0])


class Basic(nn.Module):
    def __init__(self, come, go, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(come, go, 3, stride, 1, bias=False), nn.BatchNorm2d(go)
        self.conv2, self.bn2 = nn.Conv2d(go, go, 3, 1, 1, bias=False), nn.BatchNorm2d(go)
        self.relu, self.down = nn.ReLU(), None
        if come != go:
            self.down = nn.Sequential(nn.Conv2d(come, go, 1, stride, bias=False), nn.BatchNorm2d(go))

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + (x if self.down is None else self.down(x)))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1, self.fc = nn.Conv2d(1, 2, 3, 1, 1, bias=False), nn.BatchNorm2d(2), nn.Linear(6, 3)
        wide = 2
        for k, next_ in enumerate((2, 3, 4, 6), 1):
            layers = Basic(wide, next_, 1 if k == 1 else 2), Basic(next_, next_, 1)
            setattr(self, f"layer{k}", nn.Sequential(*layers))
            wide = next_

    def forward(self, x):
        x = self.bn1(self.conv1(x)).relu()
        for layer in (self.layer1, self.layer2, self.layer3, self.layer4):
            x = layer(x)
        return self.fc(x.mean((2, 3)))


def loss_of(model):
    """The loss of a model in a few examples, and the model, which is then kept."""
    rf.manual_seed(0)
    if model is ResNet:
        net, x, y = ResNet(), rf.randn(2, 1, 8, 8), rf.tensor([0, 2])
        return net, F.cross_entropy(net(x), y)
    net, i = model(), rf.randint(0, 9, (2, 4))
    said = net(i)
    return net, F.cross_entropy(said.view(-1, said.shape[-1]), i.view(-1))
