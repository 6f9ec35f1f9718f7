"""Calls at the edges of what PyTorch takes: what it refuses is refused with its type of error, in three parts, and what
it takes gives the same.
"""
import warnings

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.errors import TensorError

REFUSED = {
    TypeError: """
        x.cumsum_(0, dtype=[]); x.cumprod_(0, dtype={})
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
        torch.zeros(2, requires_grad=1); torch.tensor([1.0], requires_grad=None); torch.eye('a'); x.flip('a')

        torch.tensor(b'ab'); torch.tensor([b'ab']); torch.tensor([1, b'a'])

        x.max(None); x.max(None, True); x.min(dim=None); x.max(keepdim=True); x.max(x, True); x.median(dim=None)
        torch.max(x, other=x, dim=1); x.prod(None); x.squeeze(None); x.squeeze_(dim=None); x.sum(keepdim=True)
        torch.FloatTensor(1.5); torch.LongTensor(x); torch.zeros(2, device=1.5); torch.zeros(10**20); x.view(10**20)
        torch.tensordot(x, x, [0, 0]); torch.std(x, True, keepdim=True); torch.round(x, decimals=True)
        torch.hsplit(x, i); torch.linalg.matrix_rank(x, 5, atol=2.0); x.repeat_interleave(None, 1)
        x.view(torch.long, 4)
        torch.prod(input=x, keepdim=True); torch.add(x[0], w[0], x[0]); x.max(dim=(0, 1))
        torch.mean(x, keepdim=False); torch.var_mean(x, 0, None); x.std(True, correction=2); torch.trapezoid(x, None)
        torch.scatter(x, 0, i[None], 1.0, reduce=None); x.scatter_add_(0, 'a', x)

        F.unfold(rows[None], zero + 1); F.interpolate(rows, 1.5); F.interpolate(rows, True); F.interpolate(rows, i + 1)
        F.interpolate(rows, scale_factor=zero + 2); F.adaptive_avg_pool2d(rows, None)
        F.adaptive_avg_pool1d(rows, [1.5, 2])

        F.gaussian_nll_loss(x, x, 7); F.gaussian_nll_loss(x, x, x, reduction=1); F.poisson_nll_loss(x, x, reduction=1)
        F.multilabel_soft_margin_loss(x, x, reduction=1); F.group_norm(x, 2, eps=None); F.instance_norm(rows, eps=(1,))
        F.avg_pool2d(rows, 1, divisor_override=1.5); F.pad(x, (1, 1), value=[]); F.pairwise_distance(x, x, 2, x)
        F.triplet_margin_with_distance_loss(x, x, x, distance_function=[])

        torch.scatter(x, 0, i[None], src=-1.0); torch.scatter(x, 0, i[None], value=x)
        x.scatter_(0, i[None], x, value=2.0); torch.std(x, dim=True); torch.var(x, unbiased=True, keepdim=True)
        torch.norm(x, dim=zero); torch.squeeze(x, 0, 1); x.unsqueeze(1, axis=1); torch.linalg.cross(x, x, dim=None)
        torch.hsplit(x, 1, 2); x.hsplit(); x.hsplit(1, 'a'); x.to(torch.float64, device='cpu'); x.to(x, torch.float64)
        x.to('cpu', device='cpu'); x.to(torch.float64, None); x.to(torch.float64, False, True, copy=True)
        x.split(split_size_or_sections=1); torch.split(x, split_size=1); F.softmax(x, zero == 0)
        x.transpose(0, zero == 0); x.chunk(zero == 0); torch.float_power(10**20, -2); torch.roll((1, 2), (0, 1))
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
        torch.zeros(-1, dtype='float32'); torch.sum(x, 5, dtype='float'); F.softmax(x, 5, dtype='float')
        torch.add(x, w.detach(), out=[x]); w.mul_('a'); F.batch_norm(x[:0], 'a', i, training=True)

        torch.sum(x, out=zero.float()); torch.median(x, out=zero.float()); torch.lerp(x, x.half(), None)
        x.take_along_dim(i[None], (0, 5)); torch.Tensor([None])

        torch.where(x > 0, x, 1.5, out=x); torch.where(x > 0, out=x); torch.argsort(x, out=x.long())
        torch.std(x, True, out=zero.float()); torch.var(x, unbiased=True, out=zero.float())
        torch.det(x, out=zero.float()); torch.linalg.vander(x, out=x); torch.bucketize(2.5, w.detach(), out=zero)
        torch.remainder(2, x, out=x)

        w.mul_(None); w.add_('a'); w.atan2_(1.5); x.expand(3, 2, 2).pow_(None); torch.amin('a', 10**20)
        torch.unbind([x], 10**20); x.swapaxes(10**20, True); torch.sort(x, 5, out=x); torch.topk(x, 9, out=x)
        torch.slogdet(x, out=x); torch.sum(x, 7, out=(x, x)); torch.max(x, 7, out=x); torch.median(x, 0, out=x)
        torch.linalg.det(x[0], out=(x, x)); torch.promote_types(5, 5); torch.can_cast('a', float)
        torch.lerp(x, 1.5, 0.5)

        torch.sort(x, 1, stable=True); x.argsort(0, stable=False); torch.trapezoid(x, x[0], dx=1)
        torch.arange(3, None); torch.arange(0, 3, None); torch.arange(3, step=None); torch.eye(2, None)
        torch.eye(2, m=None); torch.normal(0.0, size=(2,)); torch.normal(size=(2,)); torch.normal(std=x)
        torch.quantile(i, None); torch.index_put(x, (None, i), zero.float()); x.index_put_((i, None), zero.float())

        torch.diff(x, n=-1, dim=(0, 1)); torch.cat([zero, zero], (0, 1)); torch.stack([x, i], (0, 0))
        x.scatter_(1, i[None] + 9, 'a'); x.expand(3, 2, 2).hypot_(1); x.expand(3, 2, 2).scatter_add_(2, zero, 1)
        w.gcd_(300); x.index_put((x,), None); torch.cross(x, x[0], dim=(0,))

        x[np.array('a')]

        torch.Tensor([1.0], requires_grad=True); torch.FloatTensor([1.0], dtype=torch.float64)
        torch.LongTensor(foo=1); torch.nn.Parameter(x, requires_grad=1)

        torch.normal(x, None); torch.normal(x, std=None); torch.arange(start=None, end=3)
        torch.trapezoid(x, x=x, dx=1); w.scatter_(0, i, 'a')

        F.conv2d(rows[None].long(), torch.ones(1, 1, 1, 1), [1, 2]); F.layer_norm(x, (4, 4), x, 'a')
        F.avg_pool2d(rows, -1, divisor_override=1.5); F.cosine_similarity(x, w, dim=(0, 1))

        torch.cumsum(x, dtype=torch.float64, out=x); torch.cumprod(x, dtype=torch.float64, out=x)
        torch.zeros('a', dtype=torch.float64, out=x); torch.full((2,), dtype=torch.float64, out=x)
        torch.max(x, 7, out=(x,)); torch.median(x, axis=7, out=(x,)); torch.sort(x, 7, out=(x,))
        torch.cummax(x, 7, out=(x, x, x)); torch.topk(x, 9, out=(x,)); torch.kthvalue(x, 9, out=(x, 3))
        torch.svd(x[0], out=(x, x)); torch.topk(x, 1, out=(x, 3)); torch.remainder(input=2, other=x, out=x)
        torch.where(x > 0, input=x, other=1.5, out=x); torch.where(x > 0, input=2, other=x, out=x)
        torch.bitwise_and(input=2, other=i, out=i); torch.bucketize(input=2.5, boundaries=w.detach(), out=zero)
        torch.nonzero(x, as_tuple=True, out=(i, i))
        torch.sort(x, -1, False, True); x.argsort(-1, False, True); torch.argsort(x, -1, False, True, out=x.long())

        x.clone(memory_format=1); torch.zeros(1).expand(2, 2).clone(memory_format=1); x.contiguous(memory_format='a')
        x.double(memory_format=1); torch.zeros_like(x, memory_format=1); torch.randint_like(x, 3, memory_format=1)
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

        x.transpose(0, np.array(1)); x.softmax(np.array(1)); x.cumsum(np.array(1)); x.unsqueeze(np.array(1))
        torch.cat([x, x], np.array(1)); x.select(np.array(1), 0); x.chunk(np.array(1)); x.diagonal(np.array(1))
        torch.diff(x, np.array(1)); x.rot90(np.array(1)); x.unfold(0, np.array(1), 1); torch.histc(x, np.array(1))
        torch.linspace(0, 1, np.array(1)); torch.tril_indices(np.array(1), 2); torch.round(x, decimals=np.array(1))
        x.transpose(0, i[1:]); x.softmax(i[1:], 1); x.prod(i[1:]); x.unbind(i[1:]); x.chunk(i[1:]); x.diag(i[1:])
        torch.linspace(0, 1, i[1:]); torch.diff(x, i[1:]); x.unfold(0, i[1:], 1); x.random_(i[1:])
        i.repeat_interleave(i, output_size='a'); i.repeat_interleave(i, output_size=1.0); torch.cdist(x, x, w[1])
        F.cross_entropy(x, i, label_smoothing=w[0]); F.scaled_dot_product_attention(x, x, x, scale=w[0])
        F.multi_margin_loss(x, i, np.array(1)); torch.bernoulli(x, None); torch.randint(3, None, (2,))
        torch.normal(w[1], 1.0, (2,)); F.layer_norm(x, (2,), eps=1j); torch.cdist(x, x, 1j); F.dropout(x, 1j)
        """,
    ValueError: """
        x.unflatten(10**20, (2, 2)); torch.unflatten(x, 10**20, (2, 1))
        torch.tensordot(x, x, (1,)); x.narrow(0, 10**20, 1)
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

        x.index_select(10**20, rows); F.kl_div(1.5, x, reduction='max'); F.cross_entropy('a', i, reduction=True)
        F.triplet_margin_loss(x, None, x, reduction=None)

        x.type('torch.Tensors')

        x[[10**20]]; x.random_(10**20)

        torch.einsum(); x[np.array([1, 0])[::-1]]; put(x, np.array([1, 0])[::-1], 1); x[0, np.array([1, 0])[::-1]]
        x[np.array([1, 0], '>i8')]; x[[np.array([1, 0])[::-1]]]
        """,
    OverflowError: """
        torch.linalg.norm(x, 10**20); torch.add(x, x, alpha=10**20); x.float_power(10**20); i + 2**64; i - 10**5000
        x * -2**63 * (-2**63 - 1); i.clamp(max=2**64)

        torch.result_type(10**20, 1.5); torch.result_type(x, 10**20); x.where(x, 10**20)
        torch.trapezoid(x, dx=10**20)

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
        torch.unique(x, True, x); F.dropout(x, x); torch.einsum(x, x); F.hardtanh(x, x, x)
        F.fold(torch.ones(1, 4, 9), (4, 4), 0); torch.triu(x, 1).addbmm(rows, rows)
        F.unfold(rows[None], (1,)); F.unfold(rows[None], {}); F.unfold(rows[None], i); F.adaptive_avg_pool2d(rows, (1,))
        F.fold(torch.ones(1, 4, 9), (4,), 2); F.interpolate(rows, scale_factor=float('nan'))
        F.gaussian_nll_loss(x, x, x, eps=None); F.embedding(i, zero); F.normalize(x, 'a'); F.normalize(x, eps=rows)
        F.batch_norm(w.detach(), None, None, w.detach(), None, True); F.nll_loss(x[0], torch.ones(3))
        F.dropout(x, float('nan')); torch.dropout(x, 2.0, True); F.scaled_dot_product_attention(x, x, x, None, 2.0)
        F.gumbel_softmax(x, rows); F.pad(w, (-4, 2)); F.soft_margin_loss(x[0], x); F.linear(x, x[0], zero + 1.0)
        F.binary_cross_entropy_with_logits(x, x, pos_weight=x > 0); F.linear(x[0], x[0], x[0])

        x.narrow(0, zero > 0, 1); x.unflatten(1, None); x.unflatten(1, {}); x.unflatten(1, x)
        torch.trapezoid(x, dx=True); torch.cumulative_trapezoid(x > 0); torch.index_add(zero, 0, i, x)
        torch.index_copy(zero, 0, i, x[0]); x.index_copy_(0, i[:1, None], x); torch.index_put(x, (i + 5,), w)
        torch.index_put(x, (i + 5,), i); put(x, i + 5, w); x.index_put_((i + 5,), x); torch.dist(x[:0], x[:0], -1)
        torch.searchsorted(zero > 0, x > 0); F.cross_entropy(x, x.long()); F.batch_norm(x, None, None, eps=x)
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
        torch.nonzero(x, as_tuple=True, out=i)

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
        """,
}
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
    F.conv_transpose1d(x[None].half(), torch.ones(2, 1, 1).half(), x[0, :1])
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
    """


def listed(text):
    return [call.strip() for line in text.splitlines() for call in line.split("; ") if call.strip()]


def put(x, key, value):
    x[key] = value
    return x


def given(y, upstream, **how):
    """Walk back from y with an upstream gradient: what arrives at the leaf w is the outcome."""
    y.backward(upstream, **how)


def outcome(module, call):
    """The type of Python's own error, or the dtype and the values."""
    from array import array
    from collections import UserDict, deque
    from enum import IntEnum
    w = module.tensor([1.0, 2.0, 3.0], requires_grad=True)
    names = {
        "torch": module, "F": module.nn.functional, "put": put, "given": given, "deque": deque, "w": w, "np": np,
        "zero": module.tensor(0), "UserDict": UserDict, "Colour": IntEnum("Colour", ["RED", "BLUE"]),
        "x": module.ones(2, 2), "i": module.tensor([0, 1]), "byte": module.tensor([1, 0]).byte(),
        "rows": module.arange(8.0).view(1, 2, 4), "none": module.zeros(0, 2).long(), "array": array("i", [1, 2]),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = eval(call, names)
    y = w.grad if call.startswith("given") else y
    return str(y.dtype).split(".")[1], y.tolist()


@pytest.mark.parametrize("error, call", [(error, call) for error, text in REFUSED.items() for call in listed(text)])
def test_what_pytorch_refuses(error, call):
    with pytest.raises(error) as caught:
        outcome(rf, call)
    assert isinstance(caught.value, TensorError) and caught.value.was and caught.value.rule and caught.value.fix
    torch = pytest.importorskip("torch")
    with pytest.raises(error):
        outcome(torch, call)


@pytest.mark.parametrize("call", listed(TAKEN))
def test_what_pytorch_takes(call):
    dtype, values = outcome(rf, call)
    torch = pytest.importorskip("torch")
    wanted, its = outcome(torch, call)
    assert dtype == wanted and np.allclose(values, its, equal_nan=True)
