"""Dtypes: casts, promotion, limits."""

from ..grid import DTYPES, Family

CASTS = Family("dtypes", """
to: x, torch.int32; x, torch.float32; x, torch.float16; x, torch.int64; p, torch.uint8; x, torch.bool;
    x, torch.float64, copy=True; x, y; x, 'cpu'; x, device='cpu', dtype=torch.float32; x, y, copy=True;
    x, dtype=torch.int8 ! x, 'a'; x, None, None, None, None, None; x, foo=1; x, 'nowhere'; x, [1]
dtype: = x.dtype; = x.to({D}).dtype; = torch.zeros(2, dtype={D}).dtype; = {D}.is_floating_point; = {D}.itemsize;
    = {D} == torch.float32; = str({D}); = torch.zeros(1, dtype={D}).element_size(); = {D}.is_complex;
    = {D}.is_signed; = repr({D}); = isinstance({D}, torch.dtype)
cast: = mask.to({D}); = p.to({D}); = s.to({D}); = (v * v).to(dtype={D}); = p.type({D})
type_as: x, y; x, mask; x, p.to(torch.float32); mask, x; x, x.to(torch.int32) ! x; x, 2; x, torch.float32; x, 'a'
float double half long int short char bool: x; p; c; s; v; mask ! x, 1; x, foo=1; x, torch.float32
byte: p; v * 0 + 3; s * 0 + 2; mask ! x, 1; x, foo=1
promotion: = x + t(3, 4, dtype={D}); = x * t(dtype={D}); = t(dtype={D}) * t();
    = torch.where(mask, x, t(3, 4, dtype={D})); = x / t(3, 4, kind='positive', dtype={D});
    = torch.cat([x, t(3, 4, dtype={D})]); = torch.maximum(x, t(3, 4, dtype={D}));
    = torch.stack([x, t(3, 4, dtype={D})]); = x == t(3, 4, dtype={D}); = (x + 1).dtype; = (x + 1.5).dtype;
    = (x + True).dtype; = (s + 1.5).dtype; = (x * s).dtype; = (x // 2).dtype;
    = torch.add(t(3, 4, dtype={D}), 2.5).dtype; = x.add(t(2, 3, 4, dtype={D})).shape
result_type: x, y; x, 2; x, 2.5; x, s; s, x; x, mask; 2, x; 2.5, 3; s, 1.5; mask, 2; mask, 2.5 ! x, 'a'; x; x, None;
    x, y, x
promote_types: torch.int8, torch.uint8; torch.int64, torch.float16; torch.float16, torch.float32;
    torch.bool, torch.uint8; torch.int16, torch.uint8; torch.float64, torch.float32; x.dtype, torch.int32;
    x.dtype, torch.float32; x.dtype, torch.bool; x.dtype, torch.uint8 ! 'a', torch.int8; torch.int8; 1, 2
can_cast: torch.float32, torch.int32; torch.int32, torch.float16; torch.bool, torch.uint8; torch.uint8, torch.bool;
    x.dtype, torch.int64; x.dtype, torch.float32; x.dtype, torch.bool ! 'a', torch.int8; torch.int8; 1, 2
default_dtype: = torch.get_default_dtype();
    = [torch.set_default_dtype(torch.float64), torch.zeros(2), torch.tensor(1.5), torch.tensor(2), x + 1.5,
    torch.set_default_dtype(torch.float32)];
    = [torch.set_default_dtype(torch.float64), torch.arange(3), torch.arange(3.0), torch.tensor(2) / 3,
    torch.set_default_dtype(torch.float32)] ! = torch.set_default_dtype(torch.int64);
    = torch.set_default_dtype('a'); = torch.set_default_dtype()
""", dtypes=DTYPES)  # fmt: skip

PLACES = Family("constants and devices", """
constants: = torch.pi; = torch.e; = torch.nan; = torch.inf; = torch.newaxis; = x[torch.newaxis].shape
device: = repr(x.device); = str(x.device); = x.device == torch.device('cpu'); = x.device == 'cpu'; = x.device.type;
    = x.device.index; = repr(torch.device('cpu', 0)); = torch.device('cpu:1').index; = f"{torch.device('cpu:0')}";
    = hash(torch.device('cpu')) == hash(x.device); = x.to(torch.device('cpu')) is x; = x.cpu() is x; = x.is_cpu;
    = torch.zeros(2, device=torch.device('cpu')); = torch.device(torch.device('cpu')) == x.device
    ! = torch.device('nowhere'); = torch.device(None); = torch.device('cpu:a'); = torch.device('cpu:0', 1);
    = torch.device(); = x.to(torch.device); = torch.device('')
""", layouts=("contiguous",), dtypes=("float32",))  # fmt: skip

LIMITS = Family("limits", """
finfo: = torch.finfo({F}).eps; = torch.finfo({F}).max; = torch.finfo({F}).min; = torch.finfo({F}).tiny;
    = torch.finfo({F}).bits; = torch.finfo({F}).resolution; = torch.finfo({F}).dtype;
    = torch.finfo({F}).smallest_normal; = torch.finfo().eps; = repr(torch.finfo({F}));
    = torch.finfo({F}) == torch.finfo(torch.float32); = torch.finfo(float).bits; = torch.finfo(type=torch.float32).max
    ! = torch.finfo(torch.int32); = torch.finfo('a'); = torch.finfo(2); = torch.finfo(torch.int8).tiny;
    = torch.finfo(None); = hash(torch.finfo(torch.float32))
iinfo: = torch.iinfo({I}).max; = torch.iinfo({I}).min; = torch.iinfo({I}).bits; = torch.iinfo({I}).dtype;
    = repr(torch.iinfo({I})); = torch.iinfo(int).max; = torch.iinfo({I}) == torch.iinfo(torch.int8)
    ! = torch.iinfo(torch.float32); = torch.iinfo(torch.bool); = torch.iinfo('a');
    = torch.iinfo(2); = torch.iinfo(); = torch.iinfo(torch.int8).eps
Size: = x.shape; = x.size(); = x.size(0); = x.size(-1); = torch.Size([2, 3]); = torch.Size((2, 3)).numel();
    = x.shape[0]; = x.shape[1:]; = x.shape + (5,); = x.shape == (3, 4); = list(x.shape); = repr(x.shape);
    = str(torch.Size([])); = torch.Size([2]) + torch.Size([3]); = torch.Size([2, 3]) * 2; = c.size()[-2:];
    = x.dim(); = x.ndim; = c.nelement(); = len(x.shape); = torch.zeros(x.shape).shape;
    = hash(torch.Size([2])) == hash((2,)); = torch.Size([1, 2]).count(1); = isinstance(x.shape, tuple);
    = x.size(dim=0); = 2 * torch.Size([2, 3]); = (1,) + x.shape; = x.shape[::-1]; = torch.Size([True, 3]);
    = torch.Size([torch.tensor(2)]); = torch.Size(range(3)); = torch.Size([2, -1]).numel() ! = x.size(2);
    = x.size(-3); = x.size('a'); = torch.Size(['a']); = torch.Size([1.5]);
    = torch.Size(2); = x.shape[5]; = s.size(0); = x.shape + [1]; = x.shape * 2.5; = torch.Size('12')
""", dtypes=("float64", "float32"), layouts=("contiguous", "0-d", "empty"))  # fmt: skip

FAMILIES = (CASTS, PLACES, LIMITS)
