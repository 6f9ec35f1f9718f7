"""Calls with an argument of a kind that PyTorch does not take there: a TypeError, whatever else is wrong."""

REFUSED = {
    TypeError: """
        x.cumsum_(0, dtype=[]); x.cumprod_(0, dtype={}); x.type(i); torch.normal(x, x, None)
        x.transpose(True, False); x.size(True); x.unbind(True); x.permute(True, False); x.squeeze(True)
        torch.cat([x], dim=True); F.softmax(x, dim=True); x.select(True, 0); x.select(0, True); x.narrow(True, 0, 1)
        x.narrow(0, 0, True); x.flip(True); x.view(True, 4); x.reshape((True, 4)); x.sort(True); x.stride(True)
        x.gather(True, i[None]); x.index_select(True, i); x.movedim(True, False); x.movedim((True,), (False,))
        x.swapaxes(True, False); x.flatten(True); x.sum((True,)); torch.stack([x], True); x.unfold(True, 1, 1)
        torch.linalg.vector_norm(x, 2, True); x.index_add(True, i, x); x.tile(True); x.expand(True, 2, 2)
        torch.zeros(True); torch.zeros((True, 2)); torch.full((True,), 2.0); torch.eye(True); torch.rand(True, 2)
        x.unfold(0, 1.0, 1); x.select(0, 1.5)

        x.flip(dims=0); torch.flip(x, dims=0); x.permute(dims=0); x.tile(dims=2); x.repeat(repeats=2)
        x.expand(size=2); x.view(size=4); x.reshape(shape=4); i.broadcast_to(size=2); x.new_zeros(size=2)
        torch.zeros(size=2); torch.rand(size=2); torch.empty(size=2); torch.rot90(x, 1, dims=0)
        torch.zeros(2, size=(3,)); x.new_zeros(2, size=(3,)); torch.rand(2, size=(3,)); torch.randn(); x.new_ones()

        x.sin(3); x.transpose(); x.mul(); x.matmul(); x.t(1); x.item(1); x.size(0, 1); x.relu_(1); x.exp(dim=1)
        x.dim(1); x.detach(1); x.requires_grad_(1, 2); x.mul_(); torch.is_tensor()

        x.sort(descending=np.bool_(True)); torch.topk(x, 1, largest=np.bool_(True)); torch.topk(x, 1, largest=1)
        torch.linalg.vector_norm(x, keepdim=1); F.interpolate(rows, 8, mode='linear', align_corners=1)
        torch.zeros(2, requires_grad=1); torch.eye('a'); x.flip('a')

        torch.tensor(b'ab'); torch.tensor([b'ab']); torch.tensor([1, b'a'])

        x.max(None); x.max(None, True); x.min(dim=None); x.max(keepdim=True); x.max(x, True); x.median(dim=None)
        torch.max(x, other=x, dim=1); x.prod(None); x.squeeze(None); x.squeeze_(dim=None); x.sum(keepdim=True)
        torch.FloatTensor(1.5); torch.LongTensor(x); torch.zeros(2, device=1.5); torch.zeros(10**20)
        torch.tensordot(x, x, [0, 0]); torch.std(x, True, keepdim=True); torch.round(x, decimals=True)
        torch.hsplit(x, i); torch.hsplit(x, torch.tensor(True)); torch.linalg.matrix_rank(x, 5, atol=2.0)
        x.repeat_interleave(None, 1)
        x.view(torch.long, 4)
        torch.prod(input=x, keepdim=True); torch.add(x[0], w[0], x[0]); x.max(dim=(0, 1))
        torch.mean(x, keepdim=False); torch.var_mean(x, 0, None); x.std(True, correction=2); torch.trapezoid(x, None)
        torch.scatter(x, 0, i[None], 1.0, reduce=None); x.scatter_add_(0, 'a', x)

        F.unfold(rows[None], zero + 1); F.interpolate(rows, 1.5); F.interpolate(rows, True); F.interpolate(rows, i + 1)
        F.interpolate(rows, scale_factor=zero + 2); F.adaptive_avg_pool2d(rows, None)
        F.adaptive_avg_pool1d(rows, [1.5, 2])

        F.gaussian_nll_loss(x, x, 7)
        F.group_norm(x, 2, eps=None); F.instance_norm(rows, eps=(1,))
        F.avg_pool2d(rows, 1, divisor_override=1.5); F.pad(x, (1, 1), value=[]); F.pairwise_distance(x, x, 2, x)
        F.triplet_margin_with_distance_loss(x, x, x, distance_function=[])

        torch.scatter(x, 0, i[None], value=x)
        x.scatter_(0, i[None], x, value=2.0)
        torch.norm(x, dim=zero); torch.squeeze(x, 0, 1); x.unsqueeze(1, axis=1); torch.linalg.cross(x, x, dim=None)
        torch.hsplit(x, 1, 2); x.hsplit(); x.hsplit(1, 'a'); x.to(torch.float64, device='cpu'); x.to(x, torch.float64)
        x.to('cpu', device='cpu'); x.to(torch.float64, None); x.to(torch.float64, False, True, copy=True)
        x.split(split_size_or_sections=1); torch.split(x, split_size=1); F.softmax(x, zero == 0)
        torch.float_power(10**20, -2); torch.roll((1, 2), (0, 1))
        torch.linalg.multi_dot((1,)); F.kl_div(x, 2); F.embedding([0, 1], x); F.interpolate(rows, 10**20)
        x.tensor_split((10**20,)); torch.norm(x, 2, 10**20); F.normalize(x, 2, 10**20)
        F.batch_norm(x, None, None, x[0], True); F.batch_norm(x, None, None, training=True, momentum=None)
        F.batch_norm(x, None, None, training=True, eps='a'); torch.count_nonzero(x, 0, 1); torch.broadcast_tensors([])

        torch.tensor(None, dtype=torch.float32); torch.tensor([None], dtype=torch.int64)
        torch.tensor([x], dtype=torch.int64); torch.tensor([zero + 1.5], dtype=torch.int64)
        torch.tensor([1, x.sum()], dtype=torch.bool); torch.LongTensor([x.sum()])
        torch.tensor(np.float32(1), dtype=torch.int64); torch.tensor([np.bool_(True)], dtype=torch.int64)
        x.new_tensor({}); torch.FloatTensor([None]); torch.scalar_tensor(None); torch.scalar_tensor([1])
        torch.tensor(1j, dtype=torch.float32)

        torch.cat([x, x], dim=0, axis=0); x.type(5); torch.as_tensor(x, dtype='float32')
        given(w.sum(), None, inputs=5); torch.autograd.grad(w.sum(), None); given(x.sum(), 1.0)
        w.mul_('a'); F.batch_norm(x[:0], 'a', i, training=True)

        torch.sum(x, out=zero.float()); torch.median(x, out=zero.float()); torch.lerp(x, x.half(), None)
        x.take_along_dim(i[None], (0, 5)); torch.Tensor([None])

        torch.argsort(x, out=x.long())
        torch.det(x, out=zero.float()); torch.linalg.vander(x, out=x)

        w.mul_(None); w.add_('a'); w.atan2_(1.5); x.expand(3, 2, 2).pow_(None); torch.amin('a', 10**20)
        torch.unbind([x], 10**20); torch.slogdet(x, out=x); torch.median(x, 0, out=x)
        torch.promote_types(5, 5); torch.can_cast('a', float)
        torch.lerp(x, 1.5, 0.5)

        torch.arange(3, None); torch.arange(0, 3, None); torch.arange(3, step=None); torch.eye(2, None)
        torch.eye(2, m=None); torch.normal(0.0, size=(2,)); torch.normal(size=(2,)); torch.normal(std=x)
        torch.quantile(i, None); torch.index_put(x, (None, i), zero.float()); x.index_put_((i, None), zero.float())

        torch.diff(x, n=-1, dim=(0, 1)); torch.stack([x, i], (0, 0))
        x.scatter_(1, i[None] + 9, 'a'); x.expand(3, 2, 2).hypot_(1)
        w.gcd_(300)

        x[np.array('a')]

        torch.Tensor([1.0], requires_grad=True); torch.FloatTensor([1.0], dtype=torch.float64)
        torch.LongTensor(foo=1); torch.nn.Parameter(x, requires_grad=1)

        torch.normal(x, None); torch.normal(x, std=None); torch.arange(start=None, end=3)


        torch.cumsum(x, dtype=torch.float64, out=x); torch.cumprod(x, dtype=torch.float64, out=x)
        torch.zeros('a', dtype=torch.float64, out=x); torch.full((2,), dtype=torch.float64, out=x)
        torch.topk(x, 1, out=(x, 3))
        torch.sort(x, -1, False, True); x.argsort(-1, False, True); torch.argsort(x, -1, False, True, out=x.long())

        x.split(np.int64(1)); torch.split(x, np.array(1)); torch.unflatten(x, 'a', ()); torch.einsum(equation='ij->ji')
        torch.device('cpu', 'a'); torch.device('cpu', True); torch.device(True); torch.broadcast_shapes(['a'])
        torch.randint_like(x, 3, None); torch.randint_like(x, None, 3); torch.randint_like(x)

        torch.add(x, np.array(1)); x.mul(np.array(1)); torch.mul(np.array(1), x); x.eq(np.array(1)); x.sub_(np.array(1))
        x.clamp(np.array(1)); x.fill_(np.array(1)); x.copy_(np.array(1)); x.masked_fill(x > 0, np.array(1))
        torch.where(x > 0, x, np.array(1)); torch.full((2,), np.array(1)); torch.pow(np.array(1), x)
        torch.add(x, x, alpha=np.array(1)); F.elu(x, np.array(1)); F.dropout(x, np.array(0)); x.isclose(x, np.array(1))
        F.layer_norm(x, (2,), eps=np.array(1)); torch.arange(np.array(3)); torch.linspace(np.array(0), 1, 3)
        torch.normal(0.0, np.array(1), (2,)); x.uniform_(0, np.array(1)); torch.bucketize(np.array(1), w.detach())
        x.scatter(0, i[None], np.array(1)); torch.lerp(x, x, np.array(1)); torch.result_type(x, np.array(1))
        F.huber_loss(x, x, delta=np.array(1)); torch.dist(x, x, np.array(1)); torch.linalg.matrix_norm(x, np.array(1))

        x.softmax(np.array(1)); x.cumsum(np.array(1))
        torch.cat([x, x], np.array(1)); x.select(np.array(1), 0)
        x.softmax(i[1:], 1); x.prod(i[1:]); x.unbind(i[1:])
        i.repeat_interleave(i, output_size='a'); i.repeat_interleave(i, output_size=1.0); torch.cdist(x, x, w[1])
        F.cross_entropy(x, i, label_smoothing=w[0]); F.scaled_dot_product_attention(x, x, x, scale=w[0])
        F.multi_margin_loss(x, i, np.array(1)); torch.bernoulli(x, None); torch.randint(3, None, (2,))
        torch.normal(w[1], 1.0, (2,)); F.layer_norm(x, (2,), eps=1j)

        x.all(zero > 0); x.any(i[:1]); x.all(np.array(0)); x.diff(0, 'a'); x.diff(0, None)
        torch.where(x > 0, None); torch.normal(x, 1.0, requires_grad=True); torch.normal(x, x, dtype=torch.float64)
        torch.normal(1.0, x, device='cpu'); torch.subtract(x, 2, x); x.subtract(2, x); F.softmin(x, axis=0)
        F.normalize(x, axis=0); F.glu(x, axis=0); x.to(0, 3); x.to(1, x); x.unflatten(9, (1.5,)); x.squeeze(9, ())
        F.unfold(x, 'a'); F.unfold(x, x); F.unfold(rows, (), 'a'); F.fold(x, 2, 'a'); torch.vander(x, x)
        F.adaptive_avg_pool1d(i, 'a'); torch.cartesian_prod(x, 2.0); torch.block_diag(rows, 2.0)
        F.pixel_shuffle(x, 'a')
        x.tensor_split(9, [0])
        i.bincount('a', -1); x.permute((i, zero > 0)); x.view((i, zero > 0))
        x.unique_consecutive(x, False, None, 3); torch.multiply(x); torch.arcsin(x, x)
        (w * 1)[None, i:]; put(x, (slice(1.5, None), 1.5), 1); x[i.float(), 'a':]
        torch.where(x > 0, x, None); torch.normal(0.0, 1.0, 3); torch.multiply(x, x, out=x > 0, alpha=1)
        torch.dtype('float32'); torch.dtype(int); torch.autograd.backward(1.0); torch.autograd.grad(None, w)
        torch.randint(size=(2, 2)); F.adaptive_avg_pool2d(x, np.int64(1))
        torch.bernoulli(x * 9, out=1)

        torch.unravel_index(i, ((2, 2),)); torch.unravel_index(i, [[2, 2]]); torch.unravel_index(i, (zero + 2, 2))
        torch.unravel_index(i, (np.int64(2), 2)); torch.unravel_index(i, ((),)); torch.unravel_index(i, {2: 1})
        F.one_hot(tensor=i)
        x.subtract_(2, x); x.multiply_(2, 3); torch.tensordot(x, x, ([True], [False])); given(w.sum(), 5)
        x.norm(axis=0); torch.norm(x, axis=0); x.norm(dim=0, keepdims=True)
        F.celu(x=x); F.mse_loss(x1=x, target=x); F.cross_entropy(a=x, target=i); F.threshold(x=x, threshold=0, value=1)
        torch.linalg.norm(A=x); torch.linalg.cholesky(A=x); torch.linalg.matrix_power(A=x, n=2)
        torch.device(torch.device('cpu:1'), 0); torch.device(0, 0); torch.tensor([[], ['a']])
        """,
}
