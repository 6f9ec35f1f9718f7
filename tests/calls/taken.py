"""Calls at the edges of what PyTorch takes: they give the same."""

TAKEN = """
    torch.tensordot(x, x * 3, torch.tensor([[0], [1]])); torch.allclose(x, x, atol=10**20) * x; torch.addr(x, x[0], i)
    torch.linalg.matrix_rank(x, atol=torch.ones(3)); torch.add(x, zero + 2, x); x.max(zero, True)[0]
    F.layer_norm(x, (2,), eps=10**20); torch.add(zero, 3, x); torch.add(zero + 1, zero + 2, zero + 3)
    zero.clone().add_(zero + 3, zero + 2); F.linear(torch.ones(2, 2, 3), torch.ones(3), torch.tensor(1.0))
    torch.FloatTensor(torch.Size([0, 3])); torch.LongTensor(np.int64(0)); torch.FloatTensor(x)
    torch.zeros(3).scatter_add(0, torch.zeros(0, 2).long(), torch.zeros(0)); torch.zeros(0).scatter(0, none, x[:0, 0])
    torch.zeros(3).scatter(0, torch.zeros(0, 2).long(), 1.0); torch.normal(i[:0], 1.0); torch.normal(1.0, i[:0])
    F.avg_pool1d(rows, [torch.tensor(1)]); F.avg_pool1d(rows, torch.tensor(2)); F.max_pool1d(rows.long(), 2, 1, 0, 1, \
False, True)[0]
    F.threshold(i - 1, -1.5, 9); F.threshold(i - 1, 0.9, 9.7); F.threshold(i - 1, -0.9, -9.7)
    put(x, byte, torch.tensor([4.0, 5.0])); put(x, (byte, byte), 4); put(x, torch.tensor(1).byte(), 4)
    x.index_put((byte,), torch.tensor(4.0), True); put(x, 0, torch.ones(1, 1, 2)); put(x.half(), [0], 70000)
    torch.nanmean(x, dtype=torch.double); F.huber_loss(x, x.double() * 3); F.huber_loss(x.half(), x * 3)
    F.huber_loss(x, i.expand(2, 2)); torch.linspace(0, 1, 1, dtype=torch.bool); F.unfold(rows[None] > 0, 1)
    i + 2**63; i == 2**63; i * (2**64 - 1); i // 2**63; i > 2**63; 2**63 - i; i.byte() + 2**63; i.int() + 2**63
    torch.addmm(2, x, x, x); torch.addmm(2, x, 3, x, x); torch.addmv(2, x[0], x, x[0]); torch.addr(2, x, 3, x[0], x[0])
    torch.baddbmm(2, x[None], x[None], x[None]); torch.addbmm(2, x, 3, x[None], x[None])
    torch.tensor([range(2), range(2)]); torch.tensor(deque([1, 2])); torch.tensor([deque([1.5])]); torch.tensor(array)
    torch.tensor(bytearray(b'ab')); torch.tensor([[1, 2], range(2)])
    given(w * 2, torch.tensor([1, 2, 3])); given(w * 2, torch.tensor([True, False, True])); given(w, i.new_ones(3))
    given(w.exp(), torch.ones(3).double())
    torch.autograd.grad(w * w, w, torch.eye(3), is_grads_batched=True)[0]
    torch.autograd.grad([w * w, w.sum()], w, [torch.eye(3), torch.ones(3)], is_grads_batched=True)[0]
    torch.zeros(2, requires_grad=None); torch.rand(2, pin_memory=None) * 0; x.sum((zero, 1))
    torch.autograd.grad(w.sum(), w, None, True, 1)[0].detach(); given(w * 2, w.detach(), create_graph=0)
    F.interpolate(rows, scale_factor=2, antialias=0); torch.tensor([Colour.RED, 2]); torch.tensor(Colour.RED)
    torch.tensor(UserDict({0: 1, 1: 2})); torch.gather(x, 0, torch.tensor([])); x.index_put((x > 0,), i[1])
    torch.autograd.grad(w.prod(), w, torch.tensor([2, 3]), is_grads_batched=True)[0]
    F.unfold(rows[None], i + 1); F.adaptive_avg_pool2d(rows, i + 1); F.adaptive_avg_pool2d(x, 1)
    F.interpolate(rows, zero + 2)
    F.multilabel_soft_margin_loss(x, 1); F.gaussian_nll_loss(zero + 1, x, 0.5); F.pad(x, (1, 1), 'replicate', 0)
    F.cross_entropy(x, i, label_smoothing=-1); F.cross_entropy(x, x, label_smoothing=float('nan'))
    F.gaussian_nll_loss(x, x, x[:, :1]); F.linear(w.detach(), w.detach(), zero + 1.0)
    F.cosine_embedding_loss(x, x, i + 1, True)

    x.view(2, 2, True); x.sum((1, False)); torch.zeros(2, True); x.permute(1, False); F.pad(x, (1, True))
    torch.tensordot(x, x, dims=([1, False], [1, False])); F.max_pool2d(rows, (1, True)); x.roll((1, True), (0, 1))
    x.count_nonzero(0, 1); x.to(1.5); x.to(True); torch.addr(zero, x[0], x[1]); torch.addr(x > 0, x[0], i)
    torch.addr(x, x[0].double(), x[1]); x.addr_(i, x[0].double()); torch.trapezoid(i, x)
    torch.trapezoid(x[:, :0]); torch.trapz(x, dx=10**20); torch.trapezoid(x[0, :0], x[0])
    torch.addmm(zero + 2.0, x, x, x); x.addmm(zero + 2.0, x, x); torch.addcmul(x, zero + 2.0, x, x)
    F.cross_entropy(x[0], i[1:]); F.nll_loss(x[0], i[1:]); F.batch_norm(x[:0], None, None, training=True)
    F.batch_norm(x.half(), x[0], x[0]); F.batch_norm(x.half(), None, None, x[0], training=True)
    F.instance_norm(rows, x[0].double(), x[0] * 2, use_input_stats=False); torch.norm(x, 'nuc')
    torch.norm(x, None, 0); torch.diff(x, 0, 5); torch.cummax(x[:0], 5).values; torch.roll(x[:0], 1, 5)
    F.linear(x[0], x, zero); torch.round(x, decimals=400)
    torch.nn.functional.fold(x[:0, None].expand(0, 4, 2), (2, 3), 2); x.scatter(0, i[None], value=zero + 1.0)
    F.cosine_similarity(x, x, eps=10**20); x.to('cpu', torch.float64, False, True)
    torch.result_type(i, x) == torch.float32 and x
    x.split((1, True))[1]; x.hsplit(1, 2)[1]; x.vsplit(1, 2)[1]; x.split(split_size=1)[1]

    torch.tensor([zero], dtype=torch.float32); torch.tensor([np.float64(1.5)], dtype=torch.int64)
    torch.LongTensor([1.5]); torch.tensor([np.int64(2)], dtype=torch.int8)
    torch.tensor(np.float16(1.5), dtype=torch.float32)

    torch.addr(zero + 300, i.byte(), i.byte()); torch.addr(zero.double(), x[0], x[1]); torch.cat([x, x], axis=1)
    x.byte().addr_(i, i); F.multilabel_soft_margin_loss(w.detach(), torch.ones(2, 3))
    torch.autograd.grad(w.sum(), {w})[0]; torch.autograd.grad(w.sum(), w, only_inputs=True)[0]
    given(w * 2, [torch.ones(3)])

    torch.Tensor([10**20]); torch.sum(x, 0, out=x[1].clone())

    torch.kron(torch.ones(3, 4).t().contiguous(), w.detach())

    torch.clamp(x, x, out=x.double()); torch.max(x, out=zero.double()); torch.max(x, x, out=x.double())
    torch.argsort(x, stable=True, out=x.long()); torch.std(x, 0, True, out=x[0].clone())

    torch.tensor(torch.can_cast(torch.float32, int)); torch.tensor(torch.can_cast(int, float))
    torch.ones(1, dtype=torch.promote_types(int, torch.float32))

    byte ** 255; x ** 1e39; x.half() ** float('inf'); torch.sort(x, stable=True, dim=0).values
    torch.trapezoid(x, dx=1); torch.take_along_dim(x, i.int()); x[:0].repeat(-1, 1); x[:0].tile(-1, 2)
    F.scaled_dot_product_attention(x, x, x, dropout_p=-1.0)
    F.scaled_dot_product_attention(x, x, x, dropout_p=float('nan'))

    x.type('torch.DoubleTensor')

    F.binary_cross_entropy_with_logits(x, x.double()); F.binary_cross_entropy_with_logits(x.double(), x)
    F.binary_cross_entropy_with_logits(x, x.half(), x, reduction='none')
    F.binary_cross_entropy_with_logits(x, x, x.double())
    F.binary_cross_entropy_with_logits(x, x, pos_weight=x.double()); F.soft_margin_loss(x.half(), x)
    F.soft_margin_loss(x, x.double(), reduction='none'); torch.var(x[:0], correction=-1)
    torch.var_mean(x[:0], 0, correction=-1)[0]; torch.std(x[:0], correction=-2)
    torch.slogdet(x * float('nan')).sign

    x[np.array(1.5)]; x[np.array(True)]; x[0, np.array(False)]; x[np.array(1, 'uint8')]
    x[np.array([1, 0], 'uint8')]; x[[np.array(1), 0]]; x[np.array(1, 'uint16')]; put(x, np.array(0.0), 5.0)

    torch.tensor([3.7, -1], dtype=torch.uint8); torch.tensor([[-255, 2.5]], dtype=torch.uint8)
    torch.tensor(np.bool_(True), dtype=torch.bool); torch.tensor(np.int64(-1), dtype=torch.uint8)
    torch.tensor(np.float64(3.7), dtype=torch.int32)

    torch.std(x, 0, unbiased=False, out=x[0].clone()); torch.var(x, None, unbiased=False, out=zero.float())
    torch.multinomial(x[:, :1], 1, out=i[:, None])

    torch.Tensor([1.0], device='cpu'); torch.FloatTensor(1, device='cpu') * 0

    F.binary_cross_entropy(x, x, weight=x.double()); torch.multinomial(torch.ones(0, 3), 2)
    x[0].expand(3, 2).clone()[0].expand(3, 2).index_fill_(1, value=2.0, index=i)
    torch.zeros(2).expand(3, 2).masked_fill_(value=2.0, mask=torch.ones(3, 2) > 0)
    put(torch.zeros(8).unfold(0, 4, 2), slice(2), 1); torch.zeros(8).unfold(0, 4, 2).fill_(torch.tensor(1.0))
    torch.zeros(8).unfold(0, 4, 2).copy_(torch.tensor(1.0))

    torch.sum(x * 1.5, 0, dtype=None, out=i); torch.nanmean(x, dtype=torch.float64, out=zero.double())
    torch.remainder(other=2, input=x, out=x); torch.bitwise_and(other=2, input=i, out=i)
    torch.where(x > 1, other=x, input=x * 2, out=x); torch.argsort(stable=False, input=x, out=x.long())

    x[..., np.array(True)]; x[np.array([True, False])]; zero[True]; zero[torch.tensor(True)]
    F.hardtanh_(x * 2, 3, 1); F.hardtanh_(i, 3, 1); F.hardtanh_(w * 1, 3, 1).detach(); F.hardtanh(byte, -0.5, 1)
    F.conv_transpose1d(x[None], torch.ones(2, 1, 1), x[0, :1].double() * 0.5)
    F.linear(x[None], x, zero); F.linear(x[None], x, zero.double() + 2); F.linear(x[None], x, x.long())
    F.linear(x.repeat(2, 1, 1), x, x * 3); F.linear(x[None], x, x.double() * 3)
    F.linear(x.repeat(2, 1, 1), x, x[:, :1]); F.linear(x[None], x, x.double()[:, 0])
    F.linear(x[None].long(), x.long(), zero.int() + 1); F.linear(x[None], x[0], zero + 2)
    torch.randint_like(x, high=1); torch.randint_like(x, high=zero + 1); torch.randint_like(x, zero + 1.7)
    torch.randint_like(x, torch.tensor(True)); x.split(torch.tensor(True))[1]; x.split(torch.tensor(1.5))[1]
    torch.tensor(torch.broadcast_shapes(True, (3, 1))); torch.tensor(torch.broadcast_shapes(range(1, 3)))
    torch.isin(x, torch.ones(8, 8).t()); x.clone(memory_format=None); x.sum(torch.tensor(True)); x.sum((0, i[1:]))
    x.var((0, torch.tensor(True))); x.topk(i[1:]).values; x.select(0, np.array(1)); x.tril(np.array(1))
    torch.zeros(np.array(2)); x.view(np.array(4)); x + np.array(1); x == np.array(1)
    F.cross_entropy(x, i, label_smoothing=torch.tensor(True)); torch.normal(zero, zero + 0.0, (2,))
    torch.normal(x, x * 0, out=torch.zeros(0)); torch.normal(1.5, x * 0, out=torch.zeros(3, 2, 2))
    F.scaled_dot_product_attention(x, x, x, scale=torch.tensor(True)); i.repeat_interleave(i, output_size=np.int64(1))
    x.scatter(0, i[None], 3, reduce='add'); x.add(np.float64(2)); torch.full((2,), np.float32(2))
    x - np.bool_(True); np.bool_(True) - x; i + np.bool_(True)

    x.permute(zero > 0, 1); x.flip(1, zero > 0); x.roll(1, zero > 0); x.rot90(1, (zero > 0, 1))
    x.movedim((zero > 0,), (1,)); F.avg_pool1d(rows, torch.tensor(True)); F.avg_pool2d(rows, torch.tensor(True))
    F.conv1d(rows, torch.ones(1, 2, 1), None, torch.tensor(True)); torch.isin(np.float32(1), x)
    torch.isin(x, np.int64(1))
    torch.add(x, 2, other=x); x.clone().sub_(3, other=x); torch.rsub(x, 2, 3); torch.rsub(x, zero + 2, 3)
    x.subtract(2, 3)
    torch.linalg.norm(input=x); torch.linalg.matrix_rank(input=x); torch.linalg.vector_norm(input=x)
    torch.isin(element=1, test_elements=i); torch.isin(i, test_element=1)
    torch.linalg.matrix_rank(x[:0], atol=torch.ones(3)); x.to(0, True); x.hsplit(1, np.int64(2))[1]
    F.softplus(x, out=torch.zeros(2, 2)); F.linear(x, x * 3, out=torch.zeros(0)); F.gelu(x, out=torch.zeros(2, 2))
    F.hardshrink(x, 0.5, out=torch.zeros(2, 2)); F.avg_pool2d(rows, 1, out=torch.zeros(0)); F.logsigmoid(x, out=x * 1)
    torch.linalg.cond(x[:0, :0]); torch.zeros(0, 3).logsumexp([])
    put(x, (x[0] > 0, torch.tensor(1)), i[0]); put(x, ([True, False], np.array(1)), i[1])
    torch.zeros_like(x, pin_memory=False); torch.full_like(x, 2, pin_memory=None); torch.arange(3, pin_memory=False)
    torch.eye(2, pin_memory=False); torch.linspace(0, 1, 3, pin_memory=False); torch.full((2,), 1, pin_memory=False)
    torch.rand_like(x, pin_memory=False) * 0; torch.randint(1, (2,), pin_memory=False); torch.tril_indices(2, 2, \
pin_memory=False)
    torch.scalar_tensor(2, layout=None, pin_memory=False); torch.Tensor(data=[1.0]); torch.Tensor(other=x)
    given(torch.FloatTensor(w * 2), x.new_ones(3))
    F.elu(x - i, float('inf')); F.celu(x * i - 1, float('nan')); F.elu_(x - 2 * i, float('nan'))
    x.max(dim=zero).indices; torch.min(x, dim=i[1]).values; torch.sum(a=x); torch.add(x1=x, x2=x)
    torch.linalg.norm(x=x)
    torch.layer_norm(x, (2,), cudnn_enable=True); x.hsplit(1, True)[0]; x.count_nonzero(0, True)
    F.max_pool2d(rows, (torch.tensor(True), 1)); put(torch.from_dlpack(torch.to_dlpack(x * 1)), 0, 5)
    torch.zero_(input=x * 1); torch.fill_(input=x * 1, value=3); x.exponential_(10**20) * 0
    torch.from_dlpack(torch.to_dlpack(w))
    (x > 0).clamp(0, 1); (x > 0).clamp(torch.tensor(True)); x.normal_(10**20, 0); x.uniform_(10**20, 10**20)

    i + 2**63; x + 2**63; i == 2**63; (x > 0).float() + 2**63; torch.tensor([[1., 1.], [1., 2.]]).cholesky()
    torch.linalg.cholesky(torch.tensor([[1., 1.], [1., float('inf')]]))
    torch.tensor(torch.device('cpu:300').index); torch.tensor(torch.device('cpu', 200).index)
    torch.unravel_index(i, (True, 2))[1]; torch.unravel_index(i, range(1, 3))[1]; torch.unravel_index(i, 4)[0]
    x.cpu(memory_format=None); x.type('torch.DoubleTensor', memory_format=None); F.one_hot(input=i)
    F.celu(x, 1e-320); F.celu(x - 2, 1e-320); F.celu(x * 0, 1e-320)
    F.scaled_dot_product_attention(rows[None], rows[None], rows[None] * 3, attn_mask=x * w[:2].detach(), is_causal=True)
    F.scaled_dot_product_attention(rows[None], rows[None], rows[None], attn_mask=x - i[:, None] > 0, is_causal=True)
    F.scaled_dot_product_attention(x[:0], x, x, attn_mask=x[:0], is_causal=True)
    given(torch.atan2(byte, w[:2]), x[0]); given(torch.atan2(i - 1, w[:2]), x[0]); given(torch.atan2(w[:2], i), x[0])
    torch.tensor([[], [1]]); torch.tensor([[], 1, x]); torch.tensor([[[]], [[], []]]); torch.tensor([[], [[1], [2, 3]]])
    torch.tensor([(), range(1)], dtype=torch.int64); torch.LongTensor([[], [1]]); torch.tensor([[], np.zeros(1)])
    x[:, :0].index_add(0, i + 5, x[:, :0]); x[:, :0].index_copy_(0, i + 5, x[:, :0]); x[:0].index_fill_(1, i + 5, 3)
    x[:0].index_add(0, i + 5, x)
    x[:, :0].index_put((i + 5,), zero.float()); x[:, :0].take_along_dim(i[:, None] + 5, 0)
    torch.tensor(1.0).index_copy_(0, i * 0, x[0] * 5); torch.tensor(1.0).index_copy(0, none[:, 0], x[:0, 0])
    put(x * 3, None, x); put(x * 3, slice(1), x[0]); x[0].add_(x[:1].squeeze(0)); x[0].unfold(0, 1, 2**62)
    F.conv_transpose1d(rows, torch.ones(2, 1, 1), i[1:] * 3)
    F.conv_transpose2d(rows, torch.ones(1, 1, 1, 1), i[:1] > 3)
    torch.tensor(torch.broadcast_shapes(None, (3, 1), None)); torch.tensordot(x, x, ([zero > 0], [zero == 0]))
    torch.autograd.grad(w.sum(), w, [zero + 1.0, 'a'])[0]; torch.autograd.grad(w * 2, w, {torch.ones(3)})[0]
    torch.autograd.grad(w * 2, w, [torch.eye(3), None], is_grads_batched=True)[0]
    torch.add(x, x, alpha=np.bool_(True)); x.add_(2, alpha=np.bool_(True)); torch.full((2,), np.bool_(True))
    torch.arange(np.bool_(True)); i.fill_(np.bool_(True)); torch.scatter(i, 0, i, np.bool_(True))
    torch.linalg.norm(x=x); torch.linalg.cholesky(input=x + torch.eye(2)); torch.cholesky(x=x + torch.eye(2))
    torch.linalg.matrix_power(a=x, n=2); torch.unflatten(x, axis=0, sizes=(1, 2)); torch.layer_norm(x=x, \
normalized_shape=(2,)); torch.matrix_power(x1=x, n=2); torch.sin(x, out=x); torch.cumsum(x, 0, out=x)
    torch.scatter(i, 0, i * 1, 5, out=i); torch.index_add(x, 0, i, x * 2, out=x); torch.gather(i + 1, 0, i, out=i)
    given(torch.tensordot(w, w, 1, out=zero.float()), None); given(torch.linalg.norm(w, out=x.new_empty(0)), None)
    given(torch.quantile(w, 0.5, out=zero.float()), None)
    given(torch.linalg.matrix_norm(w[None], out=zero.float()), None)
    given(torch.linalg.cond(torch.diag(w), 2, out=zero.float()), None)
    torch.ones((1,) * 64).sort(0).indices.view(-1); (torch.ones((1,) * 63 + (3,)) - 2).max(63).indices.view(-1)
    torch.ones((1,) * 64).roll(1, 0).view(1); torch.ones((1,) * 64).median().view(1)
    torch.ones((1,) * 63)[None].view(1); torch.stack([torch.ones((1,) * 63)]).kthvalue(1).values.view(1)
    rows[0].take_along_dim(i[None] + 5, 1); rows[0].take_along_dim(i[None] - 11, 1)
    """
