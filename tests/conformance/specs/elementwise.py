"""Arithmetic, comparison and logic, element by element."""

from ..grid import Family

ARITHMETIC = Family("arithmetic", """
add sub: x, y; x, v; x, 2; x, 2.5; x, y, alpha=2; s, x; x, s; col, row; x, torch.tensor(3);
    x, y, alpha=torch.tensor(2) ! x, 'a'; x; x, None; x, y, alpha=torch.ones(1);
    x, t(5); x, y, foo=1; x, y, alpha='b'; [1], x; x, y, alpha=True
mul: x, y; x, v; x, 2; x, 2.5; s, x; x, s; col, row; x, True ! x, 'a'; x; x, None; x, t(5); x, y, foo=1; x, [1, 2]
div: x, p; x, y; x, v; x, 2; x, 2.5; p, x; s, p; x, p, rounding_mode='floor'; x, p, rounding_mode='trunc';
    x, 2, rounding_mode='floor'; x, -2.5, rounding_mode='trunc'; x, 0 ! x, p, rounding_mode='up'; x, 'a'; x;
    x, t(5); x, None
true_divide: x, p; x, y; x, 2; s, p; x, 2.5 ! x, 'a'; x; x, t(5); x, None; x, p, foo=1
floor_divide remainder: x, p; x, v + 20; x, 2; x, -2; x, 2.5; s, p; x, y; x, 0 ! x, 'a'; x; x, t(5); x, None;
    x, p, foo=1
fmod: x, p; x, 2; x, -2; x, 2.5; s, p; x, y; x, 0 ! x, 'a'; x; x, t(5); x, None; x, p, foo=1
pow: p, u; x, 2; x, 3; p, 0.5; x, -1; x, 0; 2, u; 2.5, u; p, s; x, 2.0; x, t(3, 4, kind='positive'); odd, 2;
    odd, -0.5 ! x, 'a'; x; x, t(5); x, None; 'a', x; x, 2, foo=1
float_power: p, u; x, 2; p, 0.5; 2, u; x, -2;
    x, np.int64(2) ! x, 'a'; x; x, t(5); x, None
neg: x; c; s; odd ! 'a'; x, 1; x, y; 3; x, foo=1
abs square: x; c; s; odd ! 'a'; x, 1; x, y; 3; x, foo=1
sign: x; c; s; odd ! 'a'; x, 1; x, y; 3; x, foo=1
sqrt rsqrt reciprocal log log2 log10: p; x; odd; s ! 'a'; p, 1; p, p; 3; p, foo=1
log1p: p; u; x; odd; s ! 'a'; p, 1; p, p; 3; p, foo=1
exp exp2 expm1 sin cos tan sinh cosh tanh sigmoid erf erfc asinh atan: x; odd; u; s ! 'a'; x, 1; x, y; 3; x, foo=1
asin acos atanh: u; x; odd; s ! 'a'; x, 1; x, y; 3; x, foo=1
acosh: p; x; odd; s ! 'a'; x, 1; x, y; 3; x, foo=1
atan2: x, y; x, p; x, v; odd, x; s, x; y, s ! x, 'a'; x; x, t(5); x, None; x, 2; 2, x
floor ceil trunc: x; odd; u; s; c ! 'a'; x, 1; x, y; 3; x, foo=1
frac: x; u; s; c ! 'a'; x, 1; x, y; 3; x, foo=1
round: x; odd; u; s; x * 1.37, decimals=1; x * 100, decimals=-1 ! 'a'; x, y; 3; x, foo=1; x, decimals='a'
lerp: x, y, 0.25; x, y, u; x, y, 1; x, v, 0.5; s, x, 0.5; x, y, s;
    x, y, np.float32(0.25) ! x, y; x; x, 2, 0.5; x, t(5), 0.5; x, y, 'a';
    x, y, None
clamp: x, -1, 1; x, 0; x, max=1; x, y, z; x, y; x, max=y; x, -0.5, 0.5; x, 2, 1; x, min=v, max=w; odd, -1, 1;
    x, min=-2.75, max=2.75; x, torch.tensor(-1), 1; x, 0, torch.tensor(2) ! x; x, None, None; x, 'a'; x, 1, y;
    x, t(5); x, foo=1
clamp_min clamp_max: x, 0; x, 0.5; x, y; x, v; odd, 1; x, -11 ! x; x, 'a'; x, None; x, t(5); x, foo=1
where: mask, x, y; mask, x, 0; mask, 1.5, x; mask, x, v; mask, s, y; mask; x > y, x, y; mask, 1, 0; mask, x, 2.5
    ! x, x, y; mask, x; mask, x, t(5); mask, 'a', y; torch.tensor([1, 0, 1, 0]), x, y; mask, x, None
maximum minimum: x, y; x, v; x, x; x, s; odd, x; col, row; x, y.to(torch.float32) ! x, 2; x; x, t(5); x, 'a';
    x, None; x, y, foo=1
nan_to_num: odd; x; odd, 1.0; odd, 1.0, 2.0, 3.0; odd, nan=0.5, posinf=9.0; s;
    odd, np.float32(1.0); odd, 1.0, torch.tensor(2.0) ! 'a'; odd, 'a'; odd, foo=1; 3;
    odd, 1, 2, 3, 4
addcmul: x, y, z; x, y, z, value=0.5; x, v, z; s, x, y; x, y, z, value=2;
    x, y, z, value=torch.tensor(2) ! x, y; x; x, y, t(5); x, y, 'a';
    x, y, z, 2, 3; x, 2, y, 3; x.to(torch.int64), y.to(torch.int64), z.to(torch.int64), value=float('inf')
addcdiv: x, y, p; x, y, p, value=0.5; x, v, p; s, x, p; x, y, p, value=2 ! x, y; x; x, y, t(5); x, y, 'a'; x, 2, y
logaddexp: x, y; x, v; odd, x; s, x; col, row ! x, 2; x; x, t(5); x, 'a'; x, None
hypot: x, y; x, v; odd, x; s, x; col, row ! x, 2; x; x, t(5); x, 'a'; x, None
xlogy: x, p; x, y; x, 2; 2, p; odd, p; s, p; x, 0.5 ! x, 'a'; x; x, t(5); x, None; 2, 3
gt lt ge le eq ne: x, y; x, v; x, 0; x, 0.5; x, s; x, x; odd, odd; col, row ! x, 'a'; x; x, t(5); x, None; x, y, foo=1
isnan isinf isfinite: odd; x; c; s ! 'a'; x, 1; 3; x, foo=1
isclose: x, y; x, x; odd, odd; odd, odd, equal_nan=True; x, x + 1, atol=1; x, x * 2, rtol=0.5; x, v;
    x, x + 1, atol=torch.tensor(1) ! x, 2; x;
    x, t(5); x, x, rtol=-1; x, 'a'; x, x.to(torch.int32) + 0.5
allclose: x, y; x, x; odd, odd; odd, odd, equal_nan=True; x, x + 1, atol=1; x, x, 0.0, 0.0 ! x, 2; x; x, t(5);
    x, x, rtol=-1; x, 'a'
equal: x, y; x, x; x, x + 0; x, v; odd, odd; c, x; s, s ! x, 2; x; x, 'a'; x, None
logical_and logical_or logical_xor: x, y; mask, x; x, v; odd, x; s, x; mask, mask ! x, 2; x; x, t(5); x, 'a'; x, None
logical_not: x; mask; odd; s ! 'a'; 3; x, 1; x, foo=1
bitwise_and bitwise_or bitwise_xor: x, y; x, v; x, 3; s, x; mask, x; x, True ! x, 'a'; x; x, t(5); x, 2.5; x, None;
    x.to(torch.float32), x
bitwise_not: x; s; c; mask ! 'a'; 3; x, 1; x.to(torch.float32)
bitwise_left_shift bitwise_right_shift: x, p % 4; x, 2; s, i; x, v % 3; 2, p % 4 ! x, 'a'; x; x, t(5);
    x.to(torch.float32), 2; x, None
""")  # fmt: skip

OPERATORS = Family("operators", """
+ - * /: = x {} p; = x {} 2; = 7 {} p; = x {} 2.5; = v {} p; = 0.5 {} p; = x {} s; = x {} True ! = x {} 'a';
    = x {} t(5); = None {} x; = x {} None; = [1] {} x
// %: = x {} p; = x {} 2; = 7 {} p; = x {} 2.5; = v {} p; = x {} -3; = x {} s ! = x {} 'a'; = x {} t(5);
    = None {} x; = x {} None
**: = p ** u; = x ** 2; = 2 ** u; = x ** 0.5; = x ** 3; = x ** -1; = x ** 0; = 2.5 ** u; = p ** s; = mask ** True;
    = mask ** False
    ! = x ** 'a'; = x ** t(5); = None ** x; = x ** None
& ^: = x {} y; = x {} 3; = 3 {} x; = mask {} mask; = x {} True; = x {} v; = True {} mask ! = x {} 'a'; = x {} t(5);
    = x {} 2.5; = x {} None
or: = x | y; = x | 3; = 3 | x; = mask | mask; = x | True; = x | v ! = x | 'a'; = x | t(5); = x | 2.5; = x | None
<< >>: = x {} 2; = x {} (p % 4); = 2 {} (p % 4); = x {} (v % 3) ! = x {} 'a'; = x {} t(5); = x {} None
< <= > >= == !=: = x {} y; = x {} 0; = 0.5 {} x; = x {} v; = x {} x; = x {} s; = x {} True ! = x {} t(5);
    = x {} 'a'; = x {} None; = x {} [1]
@: = x @ t(4, 5); = x @ v; = v @ v; = q @ x; = c @ t(4, 2); = c @ t(2, 4, 3); = t(2, 1, 3, 4) @ t(5, 4, 2)
    ! = x @ x; = x @ 2; = x @ 'a'; = 2 @ x; = x @ s; = x @ None
unary: = -x; = +x; = abs(x); = ~x; = ~mask; = -s; = -c; = abs(odd); = round(s); = -mask
conversion: = float(s); = int(s); = bool(s); = bool(x > y); = len(x); = len(c); = list(v); = [r.sum() for r in x];
    = s.item(); = x.tolist(); = 2.5 in x; = s in x; = x.item(); = hash(x) == hash(x); = reversed(x);
    = range(9)[p.sum().to(torch.int64) % 9]; = complex(s) == complex(s.item()) ! = float(x); = int(x); = complex(x);
    = 'a' in x; = None in x; = [1] in x; = range(9)[x]; = len(s); = list(s); = float(None)
augmented: = x += y; = x -= y; = x *= y; = x /= p; = x += 2; = x -= 2; = x *= 2.5; = x /= 2; = x //= p; = x %= p;
    = x **= 2; = x += v; = x *= s; = x += 1.5; = x &= 3; = x |= 1; = x ^= 1; = x <<= 1; = x >>= 1; = x += x;
    = x *= x; = x **= 0.5 ! = v += x; = x += t(5); = x += 'a'; = x += None; = x -= t(2, 3, 4)
""")  # fmt: skip

FAMILIES = (ARITHMETIC, OPERATORS)
