"""Calls whose arguments are of the right kinds and do not fit, by the type of PyTorch's error."""

REFUSED = {
    ValueError: """
        torch.device(2**70); torch.zeros(1, device=2**70); torch.unravel_index(i, (2, 2**70))

        x.unflatten(10**20, (2, 2)); torch.unflatten(x, 10**20, (2, 1))
        torch.tensordot(x, x, (1,))
        torch.einsum(x, x[0] - 2); torch.einsum('ij->ji')
        put(i, 0, 2**63); put(x, 0, 2**64); put(x, x > 0, -2**63 - 1); put(x.half(), [0], 10**400)
        torch.autograd.grad([w * w, w.sum()], w, [torch.eye(3), torch.ones(2)], is_grads_batched=True)
        torch.autograd.grad([w * w, w.sum()], w, [torch.eye(3), None], is_grads_batched=True)
        F.adaptive_avg_pool2d(rows, (1, 1, 1)); F.adaptive_avg_pool2d(x, (1, 2)); F.interpolate(rows, [1.5, 'q'])
        F.interpolate(x, scale_factor=(2, 2), mode='bilinear'); F.interpolate(rows, 8, recompute_scale_factor=True)
        F.multi_margin_loss(x, i, 'a'); F.multi_margin_loss(x, i, weight=x); F.group_norm(x, 3)
        F.gaussian_nll_loss(x, x, zero - 1.0); F.gaussian_nll_loss(x, x, zero + 1.0); F.rms_norm(x[0], (2, 2))

        F.adaptive_avg_pool2d(rows, 10**20); x.roll(1, 10**20); x.to(10**20); torch.linalg.norm(x, 2, 10**20)
        torch.einsum([x]); F.hardtanh(x, 10**20, 0.5); F.cross_entropy(x, zero + 1.5)
        F.cross_entropy(x[:0].long(), i)

        torch.tensor([i], dtype=torch.float32); torch.tensor(np.arange(4)[::-1])
        torch.as_tensor(np.arange(4)[::-1], dtype=torch.float32); torch.tensor(np.array([1], dtype='>f4'))
        x.new_tensor(np.arange(4)[::-1]); torch.tensor(10**20, dtype=torch.uint8)

        x[10**20]; x.type(int); F.margin_ranking_loss(w, x, x, reduction='max')
        F.cosine_embedding_loss(w, x, x, reduction='max'); F.hinge_embedding_loss(w, i, reduction='max')
        F.instance_norm(rows, x[0])

        x.index_select(10**20, rows); F.cross_entropy('a', i, reduction=True)

        x.type('torch.Tensors')

        x[[10**20]]; x.random_(10**20)

        torch.einsum(); x[np.array([1, 0])[::-1]]; put(x, np.array([1, 0])[::-1], 1); x[0, np.array([1, 0])[::-1]]
        x[np.array([1, 0], '>i8')]; x[[np.array([1, 0])[::-1]]]

        F.dropout(x, 2.0, 'a'); F.dropout1d('a', 2.0); F.instance_norm(x, 1); F.multi_margin_loss('a', x, 0)
        torch.cdist('a', x, 2.0, 'b'); F.huber_loss(x > 0, x, 'max', x); F.binary_cross_entropy(x, i, 'a')
        F.hardtanh('a', 'b', 'a'); x[i, [[0, 1], [1]]]; x[([[0, 1], [1]],)]; x[::-1, 'a']; x[w, ::-1]; zero[10**20]
        torch.tensordot('a', x, [0]); F.triplet_margin_loss(x, x, x, 0, 'a')
        """,
    OverflowError: """
        (x > 0) | 2**64; (x > 0) == 2**64; -2**63 - 1 & (x > 0)

        torch.linalg.norm(x, 10**20); torch.add(x, x, alpha=10**20); x.float_power(10**20); i + 2**64; i - 10**5000
        x * -2**63 * (-2**63 - 1); i.clamp(max=2**64)

        torch.result_type(10**20, 1.5); torch.result_type(x, 10**20); x.where(x, 10**20)

        torch.scalar_tensor(10**20); torch.tensor(10**400, dtype=torch.float32)

        w.add_(10**20)
        """,
    IndexError: """
        torch.autograd.grad(w * w, w, torch.ones(0, 3), is_grads_batched=True); F.embedding(i, zero, 1)
        x.index_add_(-9, i, x); F.batch_norm(x[0], None, None, training=True)

        zero.float().addmv(x, w.detach()); torch.index_select(w[:0], 0, i); torch.index_add(w[:0], 0, i, x[0])
        torch.index_add(w.detach(), 0, i, zero.float()); F.unfold(x[0], 1)

        torch.Tensor.unflatten(x, 5, (1, 2)); w.detach()[::-1, 0]

        torch.linalg.cross(torch.ones(3, 3), torch.ones(2, 3), dim=5)

        x[np.array([1, 0, 1], 'uint8')]; x[np.array(2.0)]

        torch.sum(x, 9, dtype=torch.float64, out=x); torch.cumsum(x, 9, dtype=torch.float64, out=x)

        zero['a']; zero[b'a']; x[0, 0, 'a']; put(zero, 'a', 1); zero[np.array(True)]; zero[np.array(1, 'uint8')]
        zero[None, np.array(True)]; zero[np.bool_(True)]; x[0, 0, np.array(True)]; put(zero, np.array(True), 3)
        x[..., (x > 0).numpy()]; x[:0].amax((0, 0)); x[:0].amin((1, 1, 0)); x[:0].amax((-2, 0)); w.data.cumsum_(7)
        """,
    AssertionError: """
        F.embedding(i, x[0], 2); F.embedding(i, x, padding_idx=10**20); torch.tensordot(x, x, torch.ones(3))

        torch.broadcast_shapes([i[1]]); torch.broadcast_shapes((1,), (i,)); torch.broadcast_shapes([np.int64(3)])

        torch.autograd.backward([1.0]); torch.autograd.grad('a', w); torch.autograd.backward([w.sum(), None])
        F.embedding('a', x, 2); torch.tensordot('a', x, torch.ones(3))
        """,
    AttributeError: """
        F.group_norm(2, None); torch.nn.Parameter([1.0]); F.mse_loss(None, x, reduction='max')

        torch.load(5); torch.load(None); torch.load(b'no'); torch.save(x, 5); torch.save(np.bool_, None)
        torch.save(x, b'no')
        """,
    BufferError: """
        torch.from_dlpack(np.array(['a'])); torch.from_dlpack(np.array([None])); torch.from_dlpack(np.array([1], '>i4'))
        """,
    NotImplementedError: """
        (x > 0).clamp(True); (x > 0).clamp(False, True); (x > 0).clamp_min(True); (x > 0).clamp(max=False)
        F.max_pool1d(rows.long(), 2); F.max_pool1d(rows.byte(), 2); F.unfold(rows[None].long(), 1)
        F.fold(torch.ones(1, 4, 9).long(), (4, 4), 2); torch.linspace(0, 1, 3, dtype=torch.bool)
        torch.logspace(0, 1, 3, dtype=torch.bool); torch.linspace(0, 1, 3, out=torch.zeros(3).bool())
        torch.round(i, decimals=0); i.round_(decimals=0); torch.round(i > 0, decimals=1)
        F.huber_loss(i, i); torch.normal(i, 1.0)
        F.batch_norm(x.long(), None, None, x[0], x[0], True); F.cross_entropy(x.long(), i[:1]); F.threshold(x > 0, 0, 1)
        F.cross_entropy(x > 0, i, x[0]); F.nll_loss(x > 0, i, x[0]); F.pad(x > 0, (1, 1), 'reflect')
        F.conv_transpose1d(x > 0, torch.ones(2, 1, 1))

        torch.cross(w > 0, w, dim=0); torch.searchsorted(i > 0, True); F.avg_pool2d(rows.int(), 1)
        torch.cdist(x.half(), x.half()); F.multi_margin_loss(x.half(), i)
        F.batch_norm(x.long(), None, None, x[0], training=True)

        torch.linalg.det(x.half()); torch.linalg.cholesky(x.half())

        torch.linalg.eigh(torch.eye(2).long()); torch.linalg.eigvalsh(torch.eye(2) > 0)

        torch.triu_indices(2, 2, dtype=torch.uint8); torch.tril_indices(2, 2, dtype=torch.int16)
        (x > 0).cumsum_(0); (x > 0).cumprod_(0)
        torch.dot(i[:0].bool(), i[:0].bool()); torch.inner(i[:0].bool(), i[:0].bool())
        """,
    RuntimeError: """
        x.hsplit(torch.tensor(3)); torch.combinations(torch.arange(100), 50)
        x.repeat_interleave(torch.tensor([1.0, 2.0, 3.0]), 0); x.repeat_interleave(x); F.group_norm(i, 0)
        put(x, byte, 4); put(x, byte, torch.tensor([4.0])); put(x, (0, byte), 4); put(x, (byte, slice(1)), 4)
        put(x, byte.numpy(), 4); x.index_put((byte,), torch.tensor(4.0)); x.index_put_((byte,), torch.tensor(4.0))
        x[0].index_put((torch.tensor(1),), torch.ones(1)); i.index_put((i[:1],), i[:1][None])
        torch.nanmean(x, dtype=torch.long); F.huber_loss(i, torch.ones(2)); F.huber_loss(x > 0, x)
        torch.normal(i[:0], torch.ones(0)); put(x, 0, 1j); torch.tensor([[1], None])
        torch.autograd.grad(w * w, w, torch.ones(3), is_grads_batched=True)
        F.conv2d(rows[None], torch.ones(3, 5, 1, 1), stride=(zero + 1, zero + 1)); x.sum((zero, zero))
        F.embedding(i, x[0, 0], 0); torch.zeros(2, device=np.int64(0)); F.linear(x, x[0], x[0, 0])
        x.logsumexp([]); torch.addr(x, x[0], x[0], alpha=True); torch.index_select(x, 1, i + 5); x.to(7)
        torch.linalg.vander(x > 0); torch.repeat_interleave(zero); torch.linalg.norm(x, dim=[])
        torch.einsum(x, x); F.hardtanh(x, x, x)
        F.fold(torch.ones(1, 4, 9), (4, 4), 0); torch.triu(x, 1).addbmm(rows, rows)
        F.unfold(rows[None], (1,)); F.unfold(rows[None], {}); F.unfold(rows[None], i); F.adaptive_avg_pool2d(rows, (1,))
        F.fold(torch.ones(1, 4, 9), (4,), 2); F.interpolate(rows, scale_factor=float('nan'))
        F.gaussian_nll_loss(x, x, x, eps=None); F.embedding(i, zero); F.normalize(x, 'a'); F.normalize(x, eps=rows)
        F.batch_norm(w.detach(), None, None, w.detach(), None, True); F.nll_loss(x[0], torch.ones(3))
        F.dropout(x, float('nan')); torch.dropout(x, 2.0, True); F.scaled_dot_product_attention(x, x, x, None, 2.0)
        F.gumbel_softmax(x, rows); F.pad(w, (-4, 2)); F.soft_margin_loss(x[0], x); F.linear(x, x[0], zero + 1.0)
        F.binary_cross_entropy_with_logits(x, x, pos_weight=x > 0); F.linear(x[0], x[0], x[0])
        x[0, 0].unflatten(0, (1, 1))

        x.narrow(0, zero > 0, 1); x.unflatten(1, None); x.unflatten(1, {}); x.unflatten(1, x)
        torch.trapezoid(x, dx=True); torch.cumulative_trapezoid(x > 0); torch.index_add(zero, 0, i, x)
        torch.index_copy(zero, 0, i, x[0]); torch.index_put(x, (i + 5,), w)
        torch.index_put(x, (i + 5,), i); put(x, i + 5, w); x.index_put_((i + 5,), x); torch.dist(x[:0], x[:0], -1)
        torch.searchsorted(zero > 0, x > 0); F.cross_entropy(x, x.long())
        F.batch_norm(x, i, i); F.batch_norm(x, x[0].double(), x[0].double())
        F.instance_norm(rows, use_input_stats=False); torch.cdist(x, x.double()); torch.cov(x, fweights=x[0])
        torch.cov(x, fweights=-i); torch.cov(x, aweights=i); torch.cov(x, aweights=-x[0])
        torch.unique_consecutive(x[:, :0], dim=0); torch.take_along_dim(x, x[:0], 0); F.fold(x[:0], 2, 1)
        F.unfold(rows[:0], 1); F.avg_pool1d(x[:0], 1); F.max_pool2d(rows[:0], 1)
        F.conv_transpose1d(x[:, :0], x[:, None]); torch.linalg.vander(x.half()); F.embedding(i, x[:0])
        torch.empty(10**16); x.expand(10**16, 2, 2) + 1; torch.eye(10**8); F.pad(x, (10**16, 0))
        torch.diag_embed(w, 10**10); torch.zeros(10**8, 10**8); F.one_hot(i + 10**16)

        torch.LongTensor([float('nan')]); torch.LongTensor([1e20]); torch.ByteTensor([300])

        F.pad(x, (-5, 1), mode='reflect'); F.instance_norm(rows, w.detach(), w.detach())
        F.cross_entropy(x[0], i[1:], label_smoothing=0.1)
        torch.linalg.matrix_norm(x.half(), 'nuc', dtype=torch.float64); torch.index_add(x, 1, i, zero.float())
        torch.save(x, 'no/such/folder/x.pt'); w.__setattr__('requires_grad', 'a')

        torch.kron(torch.ones(3, 4).t(), w.detach()); torch.take_along_dim(torch.ones(3, 4).t(), i)
        torch.take_along_dim(torch.ones(3, 4).t(), i[None], 0)

        torch.linalg.cholesky(torch.eye(2), out=x.double()); torch.linalg.eigvalsh(x, out=x[0].double())
        torch.linalg.eigh(x, out=(x[0].clone(), x.double())); torch.linalg.vector_norm(x, out=zero.double())
        torch.linalg.matrix_norm(x, out=zero.double()); torch.linalg.multi_dot([x, x], out=x.double())
        torch.sum(x, 0, dtype=torch.float64, out=x[0].clone()); torch.mean(x, dtype=torch.float64, out=zero.float())
        torch.nansum(x, 0, dtype=torch.float64, out=x[0].clone()); torch.clamp_min(x, 0, out=x.double())

        F.smooth_l1_loss(x, x[0, :1].expand(3), reduction='max')

        byte.pow(300); byte ** 256; x.half() ** 70000; x.half().pow_(1e5); i ** (2**63); i.char().pow_(128)

        torch.linspace(x[0], 1, 5); torch.logspace(0, torch.ones(0), 5)
        x.index_fill(5, i, x); x.index_fill(0, i + 9, x); x.index_fill(0, i.int(), x)

        F.binary_cross_entropy_with_logits(x, x, rows[0].expand(2, 2, 4)[..., :2])
        F.binary_cross_entropy_with_logits(x[0], x[0], x)
        F.binary_cross_entropy_with_logits(x[0], x[0], pos_weight=x)

        put(x, np.array([0, 1], 'uint8'), 5.0)

        torch.tensor([3.7, -1.0], dtype=torch.uint8); torch.tensor([300, 1.5], dtype=torch.uint8)
        torch.tensor(np.int64(300), dtype=torch.uint8); torch.tensor(np.uint8(200), dtype=torch.int8)

        torch.multinomial(x, 1, out=x); F.cross_entropy(zero.float(), zero); torch.tensordot(x, x, np.int64(1))

        torch.Tensor([1.0], device='cuda')

        F.binary_cross_entropy(x, x, weight=torch.ones(5, 2, 2)); torch.zeros(2).expand(3, 2).copy_(torch.tensor(1.0))
        torch.zeros(2).expand(3, 2).fill_(torch.tensor(1.0)); put(torch.zeros(2).expand(3, 2), slice(None), 1)

        torch.nanmean(x, dtype=torch.float64, out=zero.float()); torch.zeros(-2, dtype=torch.float64, out=x)

        put(i, 77, float('nan')); put(i, (77, 0), 1e20); put(byte, 77, 300); put(x, 77, 1e60); put(i, 'a', float('inf'))
        w.cumsum_(7); w.cumprod_(7); x.unflatten('a', ()); x[:0].amax((1, 1)); F.hardtanh(byte, -1, 1)
        F.hardtanh_(byte, -1, 1); F.hardtanh_(x > 0, 3, 1); F.hardtanh_(w, 3, 1); F.hardtanh_(x.half(), 1e6, 1)
        torch.broadcast_shapes(zero); torch.broadcast_shapes(np.int64(3)); torch.broadcast_shapes(1.5, (2,))
        torch.device(5); torch.device(np.int64(0)); torch.device('cpu', -1); torch.device('cpu:01'); torch.save(x, '.')
        torch.device('cpu:'); F.linear(x[None], x, x[:1].double()); F.linear(x.repeat(2, 1, 1), x, x[:, :1] * 1)
        torch.zeros(zero > 0); torch.zeros((zero > 0,)); torch.rand(2, zero > 0); torch.full((zero > 0,), 1)
        x.reshape(zero > 0, 4); x.view((4, zero > 0)); x.expand(zero > 0, 2, 2); x.repeat(2, zero > 0)
        x.as_strided((zero > 0,), (1,)); F.pad(x, (1, zero > 0)); x.new_zeros(zero > 0); x.roll((1, zero > 0), (0, 1))
        torch.randint_like(x, i); torch.randint_like(x, high=x[:0]); torch.isin(x, torch.ones(2, 3).t())
        torch.topk(x, zero > 0); x.tril(zero > 0); torch.eye(zero > 0); x.select(0, zero > 0)
        torch.isin(x, x[:, :1].expand(2, 2)); F.conv_transpose1d(x[None].long(), torch.ones(2, 1, 1).long(), x[0, :1])

        F.relu('a', x); F.group_norm(i, ())
        F.glu(zero, 'a')
        F.unfold(x, (0, 1)); F.unfold(x, ()); F.softmin(x > 0, 'a'); torch.tensordot('a', x, 1.5)
        put(w, w.detach(), 1); put(w, i > 0, 1); put(x, (True,), i[0]); put(x, (None, True), i); x[w, [None]]
        torch.linalg.matrix_rank(none); F.gelu(x, out=x.double()); F.linear(x, x, out=x.double()); F.hardtanh(x, x, 2)
        F.conv1d(rows, torch.ones(1, 2, 1), None, (torch.tensor(True),)); F.softplus(x, out=x.half())
        F.hardtanh('a', i, i); x.chunk(0, 9); x.split(-1, 9)

        (x > 0) | 2**63; 2**63 & (x > 0); (x > 0) ^ 2**63; (x > 0) + 2**63; (x > 0) == 2**63; zero.bool() * 2**63
        torch.result_type(x > 0, 2**63); torch.linalg.cholesky(torch.eye(3) * float('inf'))
        torch.linalg.cholesky(torch.eye(3) * float('nan')); torch.linalg.cholesky(torch.eye(300) * float('inf'))
        torch.device('cpu:99999999999999999999'); torch.device('cpu:' + '9' * 5000); torch.device(' cpu')
        torch.device(''); torch.device('cpu:2147483648'); torch.device('cuda:abc'); torch.device('cpu:0', 0)
        torch.zeros(1, device='cpu:'); x.to('cpu:-1'); x.to(device='cpu:99999999999999999999'); F.celu(x, 1e-40)
        F.celu(x, -1e-40); torch.zeros(0, 2).index_fill(0, i, 1); torch.zeros(0, 2).index_copy(0, i, x)
        torch.tensor(1.0).index_add_(0, i, x[0])
        F.scaled_dot_product_attention(x, x, x, attn_mask=x, is_causal=True)

        put(x, (None, 0), x[0]); x[None].add_(x); x[:1].copy_(x[0]); x.view(1, 2, 2).mul_(x); x.unfold(0, 1, 2**62)
        torch.autograd.grad([w.sum(), w.sum()], w, [zero + 1.0]); torch.autograd.grad(w.sum(), w, [])
        torch.add(x > 0, x > 0, alpha=np.bool_(True))

        torch.cat([x], out=x); torch.hstack([x], out=x); torch.gather(x, 0, i[None], out=x[:1]); torch.take(i, i, out=i)
        torch.index_select(i + 1, 0, i, out=i); torch.masked_select(x[0], x[0] > 0, out=x[0]); torch.cross(w, w, out=w)
        torch.scatter(i, 0, i, 5, out=i); torch.index_add(x, 0, i, x, out=x); torch.index_copy(x, 0, i, x, out=x)
        torch.quantile(w, 0.5, out=zero.double()); torch.tensordot(x, x, 1, out=w); torch.quantile(x, 0.5, out=w[0])
        """,
    ZeroDivisionError: """
        F.group_norm(rows, 0, 'a')
        """,
}
