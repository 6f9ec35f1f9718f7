"""Answers of students in lessons 01 to 03: right ones, and wrong ones with what is said."""

import functools
import itertools

import numpy as np

import rustyflow as torch


def stride(index, steps):  # a helper of one's own, with the name of a method
    return sum(i * s for i, s in zip(index, steps, strict=True))


def with_a_helper(index, steps, offset):
    return offset + stride(index, steps)


def by_counting(index, stride, offset):
    for d in range(len(index)):
        offset = offset + index[d] * stride[d]
    return offset


def backwards(index, stride, offset):
    total = 0
    while index:
        *index, i = index
        *stride, s = stride
        total += i * s
    return total + offset


def recursive(index, stride, offset):
    return offset if not index else recursive(index[1:], stride[1:], offset + index[0] * stride[0])


def with_tensors(index, stride, offset):
    both = torch.tensor(index, dtype=torch.int64) * torch.tensor(stride, dtype=torch.int64)
    return offset + int(both.sum())


def as_a_tensor(index, stride, offset):
    return torch.tensor(by_counting(index, stride, offset))


def chatty(index, stride, offset):
    print("offset", offset, "\n" * 1000)
    return by_counting(index, stride, offset)


def slow_to_begin(index, stride, offset, seen=[]):  # noqa: B006
    seen.append(index)
    return by_counting(index, stride, offset)


def never_ends(*arguments):
    while True:
        arguments = arguments + ()


def raises(*arguments):
    raise ValueError("I give up")


def gives_nothing(*arguments):
    print(*arguments)


def stride_by_products(shape):
    return tuple(int(np.prod(shape[d + 1 :])) for d in range(len(shape)))


def stride_from_behind(shape):
    result = []
    for size in shape[:0:-1]:
        result.append(result[-1] * size if result else size)
    return [*result[::-1], 1][: len(shape)]


def stride_by_accumulate(shape):
    return [*itertools.accumulate((1, *shape[:0:-1]), lambda a, b: a * b)][::-1] if shape else []


def stride_by_reduce(shape):
    return [functools.reduce(lambda a, b: a * b, shape[d + 1 :], 1) for d in range(len(shape))]


def stride_by_recursion(shape):
    if not shape:
        return ()
    rest = stride_by_recursion(shape[1:])
    return (max(shape[1], 1) * rest[0] if rest else 1, *rest)


def strides(shape):  # the name of NumPy's attribute
    result, step = [0] * len(shape), 1
    for d in range(len(shape) - 1, -1, -1):
        result[d] = step
        step *= max(1, shape[d])
    return result


def stride_by_a_helper(shape):
    return strides(shape)


def stride_as_a_tensor(shape):
    return torch.tensor(strides(shape), dtype=torch.int64)


def stride_one_by_one(shape):
    yield from strides(shape)


def stride_of_a_power(shape):
    return tuple(shape[-1] ** (len(shape) - 1 - d) for d in range(len(shape)))


def expanded_by_hand(shape, stride, size):
    new = len(size) - len(shape)
    result = []
    for d in range(len(size)):
        if d < new:
            result.append(0)
        elif shape[d - new] == size[d]:
            result.append(stride[d - new])
        else:
            result.append(0)
    return result


def expanded_by_zip(shape, stride, size):
    new = len(size) - len(shape)
    return (0,) * new + tuple(s * (n == m) for n, m, s in zip(shape, size[new:], stride))


def expanded_backwards(shape, stride, size):
    result = ()
    for d in range(1, len(size) + 1):
        same = d <= len(shape) and shape[-d] == size[-d]
        result = (stride[-d] if same else 0, *result)
    return result


def expand(shape, size):  # a helper of one's own, with the name of a method
    return (1,) * (len(size) - len(shape)) + tuple(shape)


def expanded_by_a_helper(shape, stride, size):
    padded, steps = expand(shape, size), (0,) * (len(size) - len(shape)) + tuple(stride)
    return [0 if old != new else s for old, new, s in zip(padded, size, steps)]


def expanded_as_an_array(shape, stride, size):
    return np.array(expanded_by_hand(shape, stride, size), dtype=int)


def expanded_as_a_generator(shape, stride, size):
    return (s for s in expanded_by_zip(shape, stride, size))


def unscrambled_by_strides(line, rows, columns):
    return torch.as_strided(line, (rows, columns), (1, rows))


def unscrambled_by_transpose(line, rows, columns):
    return line.reshape(columns, rows).transpose(0, 1)


def unscrambled_by_permute(line, rows, columns):
    return torch.permute(line.view(columns, rows), (1, 0))


def unscrambled_by_unflatten(line, rows, columns):
    return line.unflatten(0, (columns, rows)).mT


def unscrambled_in_two_steps(line, rows, columns):
    by_columns = line.view(-1, rows) if rows else line.view(columns, rows)
    return by_columns.swapaxes(0, 1)


RIGHT = {
    "slot_of": [
        with_a_helper, by_counting, backwards, recursive, with_tensors, as_a_tensor, chatty, slow_to_begin,
        lambda index, stride, offset: np.dot(index, stride) + offset,
        lambda index, stride, offset: sum(map(lambda i, s: i * s, index, stride), offset),
    ],
    "stride_of_new": [
        stride_by_products, stride_from_behind, stride_by_accumulate, stride_by_reduce, stride_by_recursion, strides,
        stride_by_a_helper, stride_as_a_tensor, stride_one_by_one,
    ],
    "expanded_stride": [
        expanded_by_hand, expanded_by_zip, expanded_backwards, expanded_by_a_helper, expanded_as_an_array,
        expanded_as_a_generator,
    ],
    "unscramble": [
        unscrambled_by_strides, unscrambled_by_transpose, unscrambled_by_permute, unscrambled_by_unflatten,
        unscrambled_in_two_steps, lambda line, rows, columns: line.view(columns, rows).t(),
    ],
}  # fmt: skip

NEVER, RAISES, NOTHING = "A loop in it seems never to end", "ValueError: I give up", "is a return missing?"

WRONG = {
    "slot_of": [
        (lambda index, stride, offset: stride(index, stride), "'tuple' object is not callable"),
        (lambda index, stride, offset: sum(i * s for i, s in zip(index, stride)), "every tensor starts at slot 0"),
        (lambda index, stride, offset: offset + sum(index), "every step is one slot"),
        (lambda index, stride, offset: offset + sum(i * s for i, s in zip(index, stride[::-1])),
         "last axis comes first"),
        (lambda index, stride, offset: offset + sum(i * s for i, s in zip(index[:2], stride[:2])), "has two axes"),
        (lambda index, stride, offset: by_counting(index, stride, offset) + 1, "too large"),
        (lambda index, stride, offset: [by_counting(index, stride, offset)], "one number is asked for, not a list"),
        (lambda index, stride, offset: torch.tensor([by_counting(index, stride, offset)]), "a tensor of shape (1,)"),
        (lambda index, stride, offset: float(by_counting(index, stride, offset)), "it is counted, so write 6 and not"),
        (lambda index, stride, offset:
         torch.zeros(9999).as_strided((9,) * len(index), stride, offset)[index].storage_offset(),
         "it leaves the work to storage_offset,"),
        (lambda index, stride, offset: str(by_counting(index, stride, offset)), "without quotes"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "stride_of_new": [
        (lambda shape: torch.empty(shape).stride(), "it leaves the work to stride,"),
        (lambda shape: [s // 8 for s in np.zeros(shape).strides], "it leaves the work to strides,"),
        (lambda shape: tuple(strides(shape[::-1]))[::-1], "columns are laid down first"),
        (lambda shape: tuple(s * n for s, n in zip(strides(shape), shape)), "a step is as long as its own axis"),
        (lambda shape: (*shape[1:], 1)[: len(shape)], "the stride is the size of the next axis"),
        (lambda shape: tuple(shape), "none of its 2 numbers is right"),
        (lambda shape: (shape[1], 1), "tuple index out of range"),
        (lambda shape: (4, 1), "where 1 value is asked for"),
        (lambda shape: 4, "one number is not enough"),
        (lambda shape: [float(s) for s in strides(shape)], "so write 4 and not 4.0"),
        (lambda shape: "(4, 1)", "write it without quotes"),
        (stride_of_a_power, "result[0] is not, result[1] is right, result[2] is right"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "expanded_stride": [
        (lambda shape, stride, size: torch.as_strided(torch.zeros(1000), shape, stride).expand(size).stride(),
         "it leaves the work to as_strided,"),
        (lambda shape, stride, size: tuple(strides(size)), "broadcasting copies"),
        (lambda shape, stride, size: (0,) * (len(size) - len(shape)) + tuple(stride), "only new axes have stride 0"),
        (lambda shape, stride, size: [0] * (len(size) - len(shape))
         + [0 if n == 1 else s for n, s in zip(shape, stride)],
         "every axis of size 1 has stride 0"),
        (lambda shape, stride, size: [s * (n == m) for n, m, s in zip(shape, size[len(size) - len(shape):], stride)],
         "an expanded tensor has the axes it had before"),
        (lambda shape, stride, size: [s * (n == m) for n, m, s in zip(shape, size, stride)]
         + [0] * (len(size) - len(shape)), "shapes are aligned from the left"),
        (lambda shape, stride, size: tuple(size), "none of its 2 numbers is right"),
        (lambda shape, stride, size: 0, "one number is not enough"),
        (lambda shape, stride, size: [float(s) for s in expanded_by_hand(shape, stride, size)],
         "so write 1 and not 1.0"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "unscramble": [
        (lambda line, rows, columns: line.view(rows, columns), "view turns rows into columns"),
        (lambda line, rows, columns: line.view(rows, columns).T, "the transpose repairs whatever was cut"),
        (lambda line, rows, columns: line.view(columns, rows), "with the right stretches it is done"),
        (lambda line, rows, columns: line.view(rows, columns).T.reshape(rows, columns), "without harm"),
        (lambda line, rows, columns: line.view(columns, rows).T.clone(), "a view is enough"),
        (lambda line, rows, columns: line.view(columns, rows).T.tolist(), "a tensor is asked for, not a list"),
        (lambda line, rows, columns: line.view(columns, rows).T.float(), "where rustyflow.int64 is asked for"),
        (lambda line, rows, columns: line.view(columns, rows).T.flip(1), "not what should come out"),
        (lambda line, rows, columns: line.T, "shape (6,), where (2, 3)"),
        (lambda line, rows, columns: line.view(columns, columns), "is invalid for input of size"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
}  # fmt: skip
