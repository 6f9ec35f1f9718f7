"""repr and print to the character, and the neighbours: NumPy, DLPack."""

from ..grid import DTYPES, Family

TEXT = Family("text", """
repr: = repr(x); = repr(s); = repr(c); = repr(odd); = repr(mask); = repr(x * 1000); = repr(x / 1000); = repr(x[:0]);
    = repr(v); = repr(odd * odd); = repr(x * 1e5 + 0.5); = repr(p); = repr(t(2, 0)); = repr(row.expand(3, 4));
    = repr(t(2, 2, 2, 2))
repr_values: = repr(torch.tensor([1e-5, 1.0])); = repr(torch.tensor([1e8, 1.0]));
    = repr(torch.tensor([1.0, 2.0, 3.0])); = repr(torch.tensor([0.1, 123456.0]));
    = repr(torch.tensor([float('nan'), 1.0])); = repr(torch.tensor([float('inf'), -1.5]));
    = repr(torch.tensor(3.14159)); = repr(torch.tensor(7)); = repr(torch.tensor(True)); = repr(torch.tensor([]));
    = repr(torch.tensor([], dtype=torch.int32)); = repr(torch.zeros(0, 3)); = repr(torch.arange(2000));
    = repr(torch.zeros(40, 40)); = repr(torch.zeros(1001)); = repr(torch.arange(30.0));
    = repr(torch.tensor([1e-10, 1e10])); = repr(torch.tensor([0.00001])); = repr(torch.tensor([100000.0, 0.5]));
    = repr(torch.tensor([1.5], dtype=torch.float64)); = repr(torch.tensor([-0.0, 0.0]));
    = repr(torch.arange(12).reshape(3, 4) * 1000); = repr(torch.tensor([1.23456789])); = repr(torch.zeros(3, 1100));
    = repr(torch.zeros(11, 11, 11)); = repr(torch.tensor([2**40, 1])); = repr(torch.tensor([1e38, 1e-38]));
    = repr(torch.linspace(0, 1, 50)); = repr(torch.tensor([999999.5, 0.001])); = repr(torch.tensor([float('nan')]));
    = repr(torch.tensor([1.0, float('inf'), 2.5])); = repr(torch.randn(4, 30));
    = repr(torch.ones(2, dtype=torch.uint8)); = str(torch.tensor([1.0])); = repr(torch.tensor([True, False]));
    = repr(torch.tensor([0.5], requires_grad=True)); = repr(torch.tensor([0.5], requires_grad=True) * 2);
    = repr(torch.tensor(2.0, requires_grad=True).exp()); = repr(torch.ones(2, 2, requires_grad=True).sum(0));
    = repr(torch.ones(2, dtype=torch.float64, requires_grad=True).view(1, 2));
    = repr(torch.ones(2, 2, requires_grad=True)[0]); = repr(torch.tensor([1e-7, 0.1]));
    = repr(torch.full((3, 3), 1 / 3)); = repr(torch.rand(2, 3, 2)); = repr(torch.tensor([12345.678, 0.1]));
    = repr(torch.tensor([-1.5, 10.25])); = repr(torch.tensor([-3.0, -2.0, 2.0]) % 2);
    = repr(torch.remainder(torch.tensor([1, 3]), -1.5))
format: = f'{s}'; = f'{torch.tensor(1.5):.3f}'; = f'{torch.tensor(3):d}'; = format(torch.tensor(2.5), '6.2f');
    = f'{x}'; = str(x); = f'{torch.tensor(True)}'; = f'{torch.tensor(1.5)}' ! = f'{x:.3f}';
    = f'{torch.tensor([1.5, 2.5]):.2f}'; = f'{torch.tensor(1.5):d}'
named_results: = repr(torch.tensor([[1.0, 3.0], [2.0, 0.0]]).max(0)); = repr(torch.sort(torch.tensor([3, 1, 2])));
    = str(torch.topk(torch.tensor([1.0, 5.0, 3.0]), 2)); = repr(torch.tensor([1.0, 2.0]).median(0))
set_printoptions: = [torch.set_printoptions(precision=2), repr(x), torch.set_printoptions(profile='default')][1];
    = [torch.set_printoptions(threshold=4, edgeitems=1), repr(x), torch.set_printoptions(profile='default')][1];
    = [torch.set_printoptions(linewidth=20), repr(x), torch.set_printoptions(profile='default')][1];
    = [torch.set_printoptions(sci_mode=True), repr(x), torch.set_printoptions(profile='default')][1];
    = [torch.set_printoptions(sci_mode=False), repr(x * 1e-6), torch.set_printoptions(profile='default')][1];
    = [torch.set_printoptions(profile='short'), repr(x), torch.set_printoptions(profile='default')][1];
    = [torch.set_printoptions(profile='full'), repr(torch.zeros(1100)),
    torch.set_printoptions(profile='default')][1] ! = torch.set_printoptions(foo=1)
""", dtypes=DTYPES, seeded=True)  # fmt: skip

NEIGHBOURS = Family("neighbours", """
item: = s.item(); = v[:1].item(); = row[0, 0].item() if x.dim() else 0; = type(s.item()).__name__
    ! = v.item() if x.dim() else 1 / 0; = s.item(1)
tolist: = x.tolist(); = s.tolist(); = c.tolist(); = mask.tolist(); = row.expand(3, 4).tolist() ! = x.tolist(1)
deepcopy: = __import__('copy').deepcopy(x.detach()); = __import__('copy').deepcopy(x.detach().t()).stride();
    = __import__('copy').copy(x.detach()); = __import__('copy').deepcopy([b := x.detach(), b])[0].shape
    ! = __import__('copy').deepcopy(x * 1) if x.requires_grad else [].deepcopy
numpy: = x.detach().numpy(); = x.detach().numpy().strides; = s.detach().numpy();
    = [b := x.detach().clone(), h := b.numpy(), h.fill(1), b][3]; = x.numpy(); = x.numpy(force=True);
    = c.detach().numpy().shape; = type(s.detach().numpy()).__name__ ! = x.numpy(1, 2);
    = torch.ones(2, requires_grad=True).numpy()
from_numpy: = torch.from_numpy(np.arange(6).reshape(2, 3));
    = torch.from_numpy(np.arange(6).reshape(2, 3).T).stride(); = torch.from_numpy(np.arange(6)[::2]);
    = [h := np.zeros(3), b := torch.from_numpy(h), b.add_(1), h][3];
    = torch.from_numpy(np.ones(2, dtype=np.float16)); = torch.from_numpy(np.array(1.5));
    = torch.from_numpy(np.zeros((0, 2))) ! = torch.from_numpy([1, 2]); = torch.from_numpy(np.array(['a']));
    = torch.from_numpy(np.arange(3)[::-1]); = torch.from_numpy(x); = torch.from_numpy(np.array([None]));
    = torch.from_numpy(2)
array: = np.asarray(x.detach()); = np.array(x.detach()); = np.asarray(x.detach(), dtype='float32');
    = np.asarray(s.detach()); = np.shares_memory(np.asarray(b := x.detach()), b.numpy()) if x.numel() else 1
    ! = np.asarray(torch.ones(2, requires_grad=True))
dlpack: = torch.from_dlpack(x.detach()); = np.from_dlpack(x.detach()) if x.dtype != torch.bool else 1;
    = torch.from_dlpack(np.arange(4.0)); = x.detach().__dlpack_device__()[1];
    = torch.from_dlpack(x.detach()).stride() ! = torch.from_dlpack(2);
    = torch.ones(2, requires_grad=True).__dlpack__()
mixed: = np.ones((3, 4)) * x.detach(); = x.detach() * np.ones((3, 4)); = np.sum(x.detach());
    = np.add(x.detach(), 1); = type(np.add(x.detach(), 1)).__name__; = np.float64(2) * x.detach();
    = x.detach() + np.float64(2); = np.exp(x.detach().to(torch.float64)); = x.detach() + np.int64(1);
    = np.mean(x.detach().to(torch.float64)); = np.concatenate([np.asarray(v.detach()), np.asarray(w.detach())]);
    = np.allclose(x.detach(), x.detach()); = np.array_equal(x.detach(), x.detach()); = np.maximum(x.detach(), 0);
    = torch.add(x, np.float32(1.5)) ! = np.ones(2) + t(5).detach(); = np.sin(torch.ones(2, requires_grad=True))
quiet: = torch.ones(2) / 0; = torch.zeros(2).log(); = torch.full((2,), 1e38) * 10; = torch.tensor([-1.0]).sqrt();
    = torch.zeros(2) / 0; = torch.tensor([1000.0]).exp(); = torch.tensor([100], dtype=torch.int8) * 100;
    = torch.tensor([1e300]).to(torch.float32); = torch.zeros(0).mean();
    = torch.tensor([float('inf')]) - float('inf'); = torch.zeros(1).var(); = torch.tensor([0.0]) ** -1;
    = torch.tensor([1e5]).to(torch.float16); = torch.tensor([2.0]).acos(); = torch.zeros(2).fmod(0.0);
    = torch.zeros(2) // 0; = torch.zeros(2) % 0; = torch.tensor([float('nan')]) > 0
""", dtypes=DTYPES)  # fmt: skip

FAMILIES = (TEXT, NEIGHBOURS)
