"""Tensors from nothing, from another tensor's shape, and from the generator."""

from ..grid import DTYPES, Family

CREATION = Family("creation", """
tensor: = torch.tensor([[1, 2], [3, 4]], dtype={D}); = torch.tensor(1.5); = torch.tensor(2); = torch.tensor(True);
    = torch.tensor([]); = torch.tensor([1, 2.5]); = torch.tensor([True, 2]); = torch.tensor([[1.0], [2.0]]);
    = torch.tensor(np.arange(3)); = torch.tensor(np.float32(1.5)); = torch.tensor([[], []]);
    = torch.tensor((1, 2, 3)); = torch.tensor([torch.tensor(1), torch.tensor(2)]); = torch.tensor(float('nan'));
    = torch.tensor([1.5], requires_grad=True); = torch.tensor([300], dtype=torch.int32); = torch.tensor(x);
    = torch.tensor(range(3)); = torch.tensor([np.float64(2), np.float64(3)]);
    = torch.tensor([1.7, 2.2], dtype=torch.int64); = torch.tensor([-1, -255], dtype=torch.uint8);
    = torch.tensor([0.1, 2 / 3], dtype=torch.float64); = torch.tensor([16777217.0], dtype=torch.int64);
    = torch.tensor([2**100], dtype=torch.float64) ! = torch.tensor([[1, 2], [3]]); = torch.tensor('a');
    = torch.tensor(None); = torch.tensor(['a']); = torch.tensor(); = torch.tensor([1], foo=1);
    = torch.tensor([1], requires_grad=True); = torch.tensor([300], dtype=torch.uint8); = torch.tensor({1});
    = torch.tensor([1, [2]]); = torch.tensor([1], dtype='a'); = torch.tensor([None]); = torch.tensor(2**70);
    = torch.tensor([1], device='nowhere'); = torch.tensor(object());
    = torch.tensor([300.0], dtype=torch.uint8); = torch.tensor([float('nan')], dtype=torch.int32);
    = torch.tensor([3e10], dtype=torch.int32); = torch.tensor([-256], dtype=torch.uint8); = torch.tensor([[None]]);
    = torch.tensor([1, None]); = torch.tensor([{}])
as_tensor: = torch.as_tensor([1, 2]); = torch.as_tensor(x); = torch.as_tensor(x, dtype=torch.float32);
    = torch.as_tensor(np.arange(3)) ! = torch.as_tensor('a')
zeros ones: = torch.{}(2, 3); = torch.{}((2, 3)); = torch.{}(2, dtype={D}); = torch.{}(0, 3); = torch.{}(());
    = torch.{}([2]); = torch.{}(2, requires_grad=True); = torch.{}(torch.Size([2, 1])); = torch.{}(size=(2,));
    = torch.{}(2, device='cpu') ! = torch.{}(-1); = torch.{}(2.5); = torch.{}('a'); = torch.{}(2, dtype='a');
    = torch.{}(2, foo=1); = torch.{}((2, 'a')); = torch.{}(2, requires_grad=True, dtype=torch.int64);
    = torch.{}(2, device='nowhere')
full: = torch.full((2, 3), 7); = torch.full((2,), 1.5); = torch.full((2,), True); = torch.full((), 3);
    = torch.full((2,), 3, dtype={D}); = torch.full((2, 0), 1); = torch.full([2], float('inf'));
    = torch.full(size=(2,), fill_value=1); = torch.full((2,), -1, dtype=torch.uint8);
    = torch.full((2,), 2.7, dtype=torch.int64) ! = torch.full(2, 3); = torch.full((2,)); = torch.full((-1,), 2);
    = torch.full((2,), 'a'); = torch.full((2,), None); = torch.full((2.5,), 1);
    = torch.full((2,), 300, dtype=torch.uint8); = torch.full((2,), float('inf'), dtype=torch.int32)
empty: = torch.empty(2, 3).shape; = torch.empty((2, 3)).stride(); = torch.empty(2, dtype={D}).dtype;
    = torch.empty(0); = torch.empty(()).shape; = torch.empty(2, requires_grad=True).requires_grad
    ! = torch.empty(-1); = torch.empty(2.5); = torch.empty('a'); = torch.empty(2, dtype='a')
eye: = torch.eye(3); = torch.eye(2, 3); = torch.eye(3, 2, dtype={D}); = torch.eye(0); = torch.eye(n=2, m=4)
    ! = torch.eye(-1); = torch.eye(2.5); = torch.eye('a'); = torch.eye(2, -1); = torch.eye()
arange: = torch.arange(5); = torch.arange(1, 5); = torch.arange(1, 2, 0.25); = torch.arange(5, 0, -2);
    = torch.arange(2.5); = torch.arange(4, dtype={D}) if {D} != torch.bool else 0; = torch.arange(0, 1, 0.1);
    = torch.arange(0); = torch.arange(3, 3); = torch.arange(-2, 2); = torch.arange(start=1, end=4, step=2);
    = torch.arange(1, 4, requires_grad=False); = torch.arange(0, 10, 3.0); = torch.arange(torch.tensor(3))
    ! = torch.arange(start=5); = torch.arange(5, 1); = torch.arange(1, 5, 0); = torch.arange('a'); = torch.arange();
    = torch.arange(0, 5, -1); = torch.arange(float('nan')); = torch.arange(float('inf'));
    = torch.arange(1, 2, 3, 4); = torch.arange(3, dtype='a')
linspace: = torch.linspace(0, 1, 5); = torch.linspace(3, -3, 7); = torch.linspace(0, 1, 1);
    = torch.linspace(0, 1, 0); = torch.linspace(0, 10, 3, dtype={D}) if {D} != torch.bool else 0;
    = torch.linspace(-1, 1, 100); = torch.linspace(0, 10, steps=4); = torch.linspace(start=0, end=1, steps=3)
    ! = torch.linspace(0, 1); = torch.linspace(0, 1, -1); = torch.linspace('a', 1, 2); = torch.linspace(0, 1, 2.5);
    = torch.linspace(0)
logspace: = torch.logspace(0, 2, 3); = torch.logspace(-1, 1, 5); = torch.logspace(0, 3, 4, base=2);
    = torch.logspace(0, 1, 1); = torch.logspace(0, 1, 0); = torch.logspace(0, 3, 4, 2, dtype=torch.float64)
    ! = torch.logspace(0, 1); = torch.logspace(0, 1, -1); = torch.logspace('a', 1, 2); = torch.logspace(0)
tril_indices triu_indices: = torch.{}(3, 3); = torch.{}(2, 4); = torch.{}(4, 2, 1); = torch.{}(3, 3, -1);
    = torch.{}(3, 3, offset=9); = torch.{}(0, 3); = torch.{}(3, 3, dtype=torch.int32) ! = torch.{}(-1, 3);
    = torch.{}(3); = torch.{}('a', 3); = torch.{}(3, 2.5); = torch.{}(3, 3, dtype=torch.float32)
zeros_like ones_like: x; c; s; x.t(); x, dtype=torch.float32; x, dtype=torch.int64; v; row.expand(3, 4);
    x, requires_grad=False ! 'a'; 3; x, 2; x, dtype='a'; x, foo=1
full_like: x, 2; c, 1; s, 3; x, 2.5, dtype=torch.float32; x.t(), 1; v, True ! x; 3, 2; x, 'a'; x, None; x, 2, 3
empty_like: = torch.empty_like(x).shape; = torch.empty_like(x).stride(); = torch.empty_like(c).dtype;
    = torch.empty_like(x, dtype=torch.float32).dtype; = torch.empty_like(s).shape ! = torch.empty_like(2);
    = torch.empty_like(); = torch.empty_like(x, dtype='a')
rand_like randn_like: = torch.{}(x).shape; = torch.{}(x, dtype=torch.float32); = torch.{}(c, dtype=torch.float64);
    = torch.{}(s, dtype=torch.float32) ! = torch.{}(2); = torch.{}(); = torch.{}(x, dtype=torch.int64);
    = torch.{}(x, dtype='a')
randint_like: = torch.randint_like(x, 5); = torch.randint_like(x, 1, 7, dtype=torch.int64);
    = torch.randint_like(s, 5) ! = torch.randint_like(x); = torch.randint_like(x, 0); = torch.randint_like(2, 5)
new_zeros new_ones: = x.{}(2, 3); = x.{}((2, 3)); = x.{}(2, dtype={D}); = x.{}(()); = x.{}(0); = x.{}([2])
    ! = x.{}(-1); = x.{}('a'); = x.{}(2.5); = x.{}(2, dtype='a')
new_full: = x.new_full((2, 3), 7); = x.new_full((2,), 1.5); = x.new_full((2,), 2, dtype={D}); = x.new_full((), 1)
    ! = x.new_full(2, 3); = x.new_full((2,)); = x.new_full((2,), 'a')
new_empty: = x.new_empty(2, 3).shape; = x.new_empty((2, 3)).dtype; = x.new_empty(2, dtype={D}).dtype
    ! = x.new_empty(-1); = x.new_empty('a')
new_tensor: = x.new_tensor([1, 2]); = x.new_tensor(3); = x.new_tensor([[1.5, 2.0]]);
    = x.new_tensor([1, 2], dtype={D}); = x.new_tensor(y) ! = x.new_tensor('a'); = x.new_tensor([[1], [1, 2]]);
    = x.new_tensor()
""", dtypes=DTYPES, layouts=("contiguous", "transposed", "0-d", "empty"), records=False, seeded=True)  # fmt: skip

RANDOM = Family("random", """
rand: = torch.rand(3); = torch.rand(2, 3); = torch.rand(20, dtype=torch.float64); = torch.rand(()); = torch.rand(0);
    = torch.rand((2, 2)); = torch.rand(5, 7); = [torch.rand(2), torch.rand(3)]; = torch.rand(2, requires_grad=True);
    = torch.rand(1000).sum(); = torch.rand(3, generator=torch.Generator().manual_seed(5)); = torch.rand(size=(2,));
    = [torch.rand(3), torch.randn(3), torch.randint(9, (3,)), torch.randperm(4), torch.rand(2)] ! = torch.rand(-1);
    = torch.rand('a'); = torch.rand(2.5); = torch.rand(2, dtype=torch.int64); = torch.rand(2, foo=1);
    = torch.rand(2, generator=3)
randn: = torch.randn(3); = torch.randn(2, 3); = torch.randn(20); = torch.randn(40, dtype=torch.float64);
    = torch.randn(()); = torch.randn(0); = torch.randn((4, 4)); = torch.randn(17);
    = [torch.randn(1), torch.randn(1), torch.randn(1)]; = torch.randn(5, dtype=torch.float64); = torch.randn(33);
    = [torch.randn(3), torch.randn(16), torch.randn(1)];
    = torch.randn(3, generator=torch.Generator().manual_seed(5)) ! = torch.randn(-1); = torch.randn('a');
    = torch.randn(2.5); = torch.randn(2, dtype=torch.int64)
randint: = torch.randint(10, (5,)); = torch.randint(-3, 4, (2, 3)); = torch.randint(0, 2, (20,));
    = torch.randint(100, (3,), dtype=torch.int32); = torch.randint(5, (3,), dtype=torch.float32);
    = torch.randint(0, 2**40, (4,)); = torch.randint(3, (0,)); = torch.randint(low=1, high=3, size=(4,));
    = torch.randint(3, (), dtype=torch.uint8);
    = torch.randint(7, (2, 2), generator=torch.Generator().manual_seed(1)); = torch.randint(2**31, (3,));
    = torch.randint(2**32, (3,)) ! = torch.randint(5); = torch.randint(0, (2,)); = torch.randint(3, 1, (2,));
    = torch.randint('a', (2,)); = torch.randint(3, 2); = torch.randint(2.5, (2,)); = torch.randint(3, (-1,));
    = torch.randint(300, (2,), dtype=torch.uint8)
randperm: = torch.randperm(5); = torch.randperm(0); = torch.randperm(1); = torch.randperm(100);
    = torch.randperm(6, dtype=torch.int32); = torch.randperm(4, generator=torch.Generator().manual_seed(1));
    = [torch.randperm(3), torch.randperm(3)]; = torch.randperm(4, dtype=torch.float32) ! = torch.randperm(-1);
    = torch.randperm('a'); = torch.randperm(2.5); = torch.randperm()
normal: = torch.normal(0, 1, (3,)); = torch.normal(torch.zeros(3), torch.ones(3));
    = torch.normal(torch.arange(4.0), 0.5); = torch.normal(2.0, torch.ones(20)); = torch.normal(2.0, 3.0, (20,));
    = torch.zeros(3).normal_(); = torch.zeros(20).normal_(1, 2);
    = torch.zeros(4, 5, dtype=torch.float64).normal_(mean=1.0, std=0.5) ! = torch.normal(0, -1, (3,));
    = torch.normal(0, 1); = torch.normal('a', 1, (3,)); = torch.zeros(3).normal_(0, -1);
    = torch.zeros(3, dtype=torch.int64).normal_()
uniform_: = torch.zeros(3).uniform_(); = torch.zeros(20).uniform_(-1, 2);
    = torch.zeros(2, 3, dtype=torch.float64).uniform_(0, 5); = torch.zeros(0).uniform_();
    = torch.zeros(4, 6)[:, ::2].uniform_(); = torch.zeros(3).uniform_(to=2) ! = torch.zeros(3).uniform_(2, 1);
    = torch.zeros(3).uniform_('a'); = torch.zeros(3, dtype=torch.int64).uniform_()
bernoulli: = torch.bernoulli(torch.full((20,), 0.3)); = torch.bernoulli(torch.tensor([0.0, 1.0, 0.5]));
    = torch.zeros(20).bernoulli_(0.3); = torch.zeros(3, 2).bernoulli_();
    = torch.zeros(5).bernoulli_(torch.full((5,), 0.5)); = torch.zeros(20, dtype=torch.int64).bernoulli_(0.5);
    = torch.bernoulli(torch.full((3, 4), 0.5, dtype=torch.float64)); = torch.zeros(3).bernoulli(0.9)
    ! = torch.bernoulli(torch.tensor([1.5])); = torch.bernoulli(torch.tensor([1, 0]));
    = torch.zeros(3).bernoulli_(1.5); = torch.zeros(3).bernoulli_('a'); = torch.bernoulli(2)
multinomial: = torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 2); = torch.multinomial(torch.ones(2, 5), 3);
    = torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 10, replacement=True);
    = torch.multinomial(torch.ones(2, 5), 6, True);
    = torch.multinomial(torch.tensor([0.0, 1.0, 3.0], dtype=torch.float64), 2);
    = torch.multinomial(torch.tensor([1.0, 2.0, 3.0]), 1); = torch.tensor([1.0, 1.0]).multinomial(2)
    ! = torch.multinomial(torch.tensor([0.5, 0.5]), 3); = torch.multinomial(torch.tensor([-1.0, 2.0]), 1);
    = torch.multinomial(torch.tensor([1, 2]), 1); = torch.multinomial(torch.tensor([0.0, 0.0]), 1);
    = torch.multinomial(torch.tensor([1.0]), 0); = torch.multinomial(torch.ones(2, 2, 2), 1)
dropout_stream: = torch.nn.functional.dropout(torch.ones(20), 0.5);
    = torch.nn.functional.dropout(torch.ones(3, 5), 0.2);
    = torch.nn.functional.dropout(torch.ones(7, dtype=torch.float64), 0.3)
manual_seed: = [torch.manual_seed(3), torch.rand(2)][1]; = [torch.manual_seed(2**40 + 1), torch.rand(2)][1];
    = [torch.manual_seed(-1), torch.rand(2)][1]; = [torch.manual_seed(0), torch.rand(700)[-3:]][1];
    = torch.manual_seed(7).initial_seed(); = torch.initial_seed() ! = torch.manual_seed('a'); = torch.manual_seed();
    = torch.manual_seed(2**70)
Generator: = torch.rand(3, generator=torch.Generator().manual_seed(4));
    = torch.randn(20, generator=torch.Generator().manual_seed(4));
    = torch.Generator().manual_seed(9).initial_seed();
    = [torch.rand(2, generator=(g := torch.Generator().manual_seed(1))), torch.rand(2, generator=g)];
    = [r := torch.get_rng_state(), a := torch.rand(2), torch.set_rng_state(r), torch.rand(2) == a][3];
    = [g := torch.Generator(), h := g.manual_seed(3).get_state(), a := torch.rand(2, generator=g), g.set_state(h),
    torch.rand(2, generator=g) == a][4]; = torch.Generator(device='cpu').manual_seed(2).initial_seed()
    ! = torch.Generator('nowhere'); = torch.Generator().manual_seed('a')
""", dtypes=("float32",), layouts=("contiguous",), records=False, seeded=True)  # fmt: skip

FAMILIES = (CREATION, RANDOM)
