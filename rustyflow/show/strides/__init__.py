"""The strides of tensors: how views, offsets and copies read a storage, drawn as memory."""
