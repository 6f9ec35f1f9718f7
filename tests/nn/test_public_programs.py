"""Programs of the kinds that public courses have, by the layers that they stop at elsewhere: what they print is written
down here, and is what PyTorch prints, where it is installed."""

import contextlib
import io

import pytest

BEGIN = """
import copy, math
import {lib} as torch
from {lib} import nn, optim
import {lib}.nn.functional as F
torch.manual_seed(0)
def say(x):
    print([round(n, 3) + 0.0 for n in x.detach().double().flatten().tolist()])
"""

LENET = """
def init_cnn(module):
    if type(module) == nn.Linear or type(module) == nn.Conv2d:
        nn.init.xavier_uniform_(module.weight)

class LeNet(nn.Module):
    def __init__(self, lr=0.1, num_classes=3):
        super().__init__()
        self.net = nn.Sequential(
            nn.LazyConv2d(2, kernel_size=3, padding=1), nn.LazyBatchNorm2d(), nn.Sigmoid(),
            nn.AvgPool2d(kernel_size=2, stride=2), nn.Flatten(),
            nn.LazyLinear(4), nn.Sigmoid(), nn.LazyLinear(num_classes))
        self.optimizer = optim.SGD(self.parameters(), lr=lr)
    def forward(self, X):
        return self.net(X)
    def apply_init(self, inputs, init):
        self.forward(*inputs)
        self.net.apply(init)
    def layer_summary(self, X):
        for layer in self.net:
            X = layer(X)
            print(layer.__class__.__name__, "output shape:", tuple(X.shape))

model = LeNet()
print(model.net[0], model.net[0].weight, [name for name, _ in model.named_parameters()][-1])
try:
    print(sum(p.numel() for p in model.parameters()))
except ValueError:
    print("no sizes yet")
X, y = torch.randn(6, 1, 8, 8), torch.tensor([0, 1, 2, 0, 1, 2])
model.apply_init([X[:1].expand(2, -1, -1, -1)], init_cnn)
print(sum(p.numel() for p in model.parameters()), model.net[5])
model.layer_summary(X)
for epoch in range(5):
    loss = F.cross_entropy(model(X), y)
    model.optimizer.zero_grad()
    loss.backward()
    model.optimizer.step()
say(loss), say(model(X)[0])
clone = LeNet()
print(clone.load_state_dict(model.state_dict()))
say(clone.eval()(X)[0] - model.eval()(X)[0])
"""

COPYING = """
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=20):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0))
    def forward(self, x):
        return x + self.pe[:, : x.size(1)].requires_grad_(False)

class Seq2Seq(nn.Module):
    def __init__(self, vocab, d_model=16):
        super().__init__()
        self.src_embed, self.tgt_embed = nn.Embedding(vocab, d_model), nn.Embedding(vocab, d_model)
        self.position = PositionalEncoding(d_model)
        self.transformer = nn.Transformer(d_model, nhead=2, num_encoder_layers=1, num_decoder_layers=1,
                                          dim_feedforward=32, dropout=0.0, batch_first=True)
        self.generator = nn.Linear(d_model, vocab)
    def forward(self, src, tgt):
        mask = nn.Transformer.generate_square_subsequent_mask(tgt.size(1))
        pad = torch.zeros(src.shape).masked_fill(src == 0, float("-inf"))
        out = self.transformer(self.position(self.src_embed(src)), self.position(self.tgt_embed(tgt)), tgt_mask=mask,
                               src_key_padding_mask=pad, memory_key_padding_mask=pad, tgt_is_causal=True)
        return self.generator(out)

vocab = 6
model = Seq2Seq(vocab)
say(model.transformer.decoder.layers[0].multihead_attn.in_proj_weight[0, :3])
optimizer = optim.Adam(model.parameters(), lr=0.01)
for step in range(60):
    src = torch.randint(1, vocab, (16, 5))
    src[:, 0] = 1
    loss = F.cross_entropy(model(src, src[:, :-1]).reshape(-1, vocab), src[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(round(loss.item(), 1))
model.eval()
src, ys = torch.tensor([[1, 4, 2, 5, 3]]), torch.tensor([[1]])
with torch.no_grad():
    for _ in range(4):
        ys = torch.cat([ys, model(src, ys)[:, -1].argmax(1, keepdim=True)], dim=1)
print(ys.tolist(), sum(p.numel() for p in model.parameters()))
decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, batch_first=True, norm_first=True), 2).eval()
say(decoder(torch.ones(1, 2, 8), torch.randn(1, 3, 8))[0, 1, :4])
"""

PICTURES = """
class Generator(nn.Module):
    def __init__(self, nz=4, ngf=2, nc=1):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False), nn.BatchNorm2d(ngf * 2), nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False), nn.InstanceNorm2d(ngf, affine=True), nn.ReLU(True),
            nn.Upsample(scale_factor=2, mode="bilinear"), nn.ReflectionPad2d(1), nn.Conv2d(ngf, nc, 3), nn.Tanh())
    def forward(self, input):
        return self.main(input)

class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.ZeroPad2d((1, 0, 1, 0)), nn.Conv2d(1, 2, 3, 4), nn.LeakyReLU(0.2), nn.Flatten())
        self.compare = nn.Bilinear(32, 32, 1)
        self.scale = nn.ParameterDict({"gain": torch.ones(1), "shift": torch.zeros(1)})
    def forward(self, a, b):
        return self.compare(self.body(a), self.body(b)) * self.scale["gain"] + self.scale["shift"]

def weights_init(m):
    if m.__class__.__name__.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif m.__class__.__name__.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)

netG, netD = Generator(), Critic()
netG.apply(weights_init)
print(netG.main[3], netG.main[6], netG.main[7], netD.scale, sep="\\n")
real, noise = torch.rand(3, 1, 16, 16), torch.randn(3, 4, 1, 1)
optimizerG, optimizerD = optim.Adam(netG.parameters(), 0.01), optim.Adam(netD.parameters(), 0.01)
for step in range(3):
    fake = netG(noise)
    optimizerD.zero_grad()
    errD = F.softplus(netD(fake.detach(), real)).mean() + F.softplus(-netD(real, real.flip(0))).mean()
    errD.backward()
    optimizerD.step()
    optimizerG.zero_grad()
    F.softplus(-netD(fake, real)).mean().backward()
    optimizerG.step()
say(errD), say(netG(noise)[0, 0, 3, :4]), say(netD.scale["gain"])
same = nn.Conv2d(2, 2, 3, padding=1, bias=False)
nn.init.dirac_(same.weight)
x = torch.arange(18.0).view(1, 2, 3, 3)
print(torch.equal(same(x), x))
"""

LENET_PRINTS = """
LazyConv2d(0, 2, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1)) <UninitializedParameter> net.7.bias
no sizes yet
171 Linear(in_features=32, out_features=4, bias=True)
Conv2d output shape: (6, 2, 8, 8)
BatchNorm2d output shape: (6, 2, 8, 8)
Sigmoid output shape: (6, 2, 8, 8)
AvgPool2d output shape: (6, 2, 4, 4)
Flatten output shape: (6, 32)
Linear output shape: (6, 4)
Sigmoid output shape: (6, 4)
Linear output shape: (6, 3)
[1.122]
[-0.673, -0.228, -0.5]
<All keys matched successfully>
[0.0, 0.0, 0.0]
"""

COPYING_PRINTS = """
[0.127, 0.262, 0.019]
0.8
[[1, 4, 2, 5, 3]] 5926
[-0.141, 0.719, 0.306, 1.036]
"""

PICTURES_PRINTS = """
ConvTranspose2d(4, 2, kernel_size=(4, 4), stride=(2, 2), padding=(1, 1), bias=False)
Upsample(scale_factor=2.0, mode='bilinear')
ReflectionPad2d((1, 1, 1, 1))
ParameterDict(
    (gain): Parameter containing: [torch.FloatTensor of size 1]
    (shift): Parameter containing: [torch.FloatTensor of size 1]
)
[1.275]
[-0.022, -0.153, -0.013, 0.232]
[1.005]
True
"""

PROGRAMS = {
    "d2l's LeNet, lazily": (LENET, LENET_PRINTS),
    "a transformer that copies": (COPYING, COPYING_PRINTS),
    "a network that draws": (PICTURES, PICTURES_PRINTS),
}


def printed(lib, program):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(BEGIN.format(lib=lib) + program, {})
    return out.getvalue().replace("rustyflow.", "torch.").strip().splitlines()


@pytest.mark.parametrize("program, lines", PROGRAMS.values(), ids=PROGRAMS)
def test_it_prints_what_is_written_down(program, lines):
    assert printed("rustyflow", program) == lines.strip().splitlines()


@pytest.mark.parametrize("program, lines", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_pytorch_prints_the_same(program, lines):
    pytest.importorskip("torch")
    assert printed("torch", program) == lines.strip().splitlines()
