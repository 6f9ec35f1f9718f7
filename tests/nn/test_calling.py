"""A call that a module's forward cannot take says what was given, the rule, and how to write it; what fails within the
forward is told as it is."""

import pytest

import rustyflow as rf
from rustyflow.errors import CallError

nn = rf.nn
X = rf.ones(2, 3)


class Net(nn.Module):
    """One of a student's own."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x, mask=None, *, scale=1.0):
        if mask == "length":
            return len(3)
        if mask == "inner":
            return self.fc()
        if mask == "own":
            raise TypeError("a mask of another kind")
        return self.fc(x) * scale


class Wide(nn.Module):
    def forward(self, *inputs, **named):
        return sum(inputs[0])


class NoSelf(nn.Module):
    def forward(x):
        return x


class Nothing(nn.Module):
    def forward():
        return None


class Renamed(nn.Module):
    def forward(this, x):
        return x


def hooked():
    layer = nn.Linear(3, 2)
    layer.register_forward_hook(lambda module, args, out: None)
    layer.register_forward_pre_hook(lambda module, args: None)
    return layer


MISFITS = {
    "nn.Linear(3, 2)()": ("Linear(...)()", "Linear.forward(): missing a required argument: 'input'",
                          "Linear(...)(input)"),
    "nn.Linear(3, 2)(X, X)": ("Linear(...)(Tensor(2, 3), Tensor(2, 3))", "too many positional arguments",
                              "Linear(...)(input)"),
    "nn.Linear(3, 2)(X, bias=True)": ("bias=True", "unexpected keyword argument 'bias'", "Linear(...)(input)"),
    "nn.ReLU()()": ("ReLU(...)()", "ReLU.forward(): missing a required argument: 'input'", "ReLU(...)(input)"),
    "nn.ReLU()(X, True)": ("ReLU(...)(Tensor(2, 3), True)", "too many positional arguments", "ReLU(...)(input)"),
    "nn.MSELoss()(X)": ("MSELoss(...)(Tensor(2, 3))", "'target'", "MSELoss(...)(input, target)"),
    "nn.Dropout(0.5)()": ("Dropout(...)()", "'input'", "Dropout(...)(input)"),
    "nn.LSTM(3, 2)()": ("LSTM(...)()", "'input'", "LSTM(...)(input, hx=None)"),
    "nn.Sequential(nn.Linear(3, 2))(X, X)": ("Sequential(...)", "too many", "Sequential(...)(input)"),
    "nn.LazyLinear(2)()": ("LazyLinear(...)()", "'input'", "LazyLinear(...)(input)"),
    "nn.Bilinear(3, 3, 2)(X)": ("Bilinear(...)", "'input2'", "Bilinear(...)(input1, input2)"),
    "nn.Transformer(4, 2, 1, 1, 8)(X)": ("Transformer(...)", "'tgt'", "Transformer(...)(src, tgt, src_mask=None"),
    "hooked()()": ("Linear(...)()", "'input'", "Linear(...)(input)"),
    "Net()()": ("Net(...)()", "Net.forward(): missing a required argument: 'x'",
                "Net(...)(x, mask=None, *, scale=1.0)"),
    "Net()(X, maks=1)": ("Net(...)(Tensor(2, 3), maks=1)", "'maks'", "mask=1; Net(...)(x"),
    "Net()(X, None, 2.0)": ("Net(...)(Tensor(2, 3), None, 2.0)", "too many positional arguments", "*, scale=1.0)"),
    "nn.Sequential(Net())()": ("Sequential(...)()", "'input'", "Sequential(...)(input)"),
    "Net()(X, 'inner')": ("Linear(...)()", "'input'", "Linear(...)(input)"),
    "NoSelf()(X)": ("NoSelf.forward(x)", "the module itself first", "def forward(self, x):"),
    "Nothing()()": ("Nothing.forward()", "the module itself first", "def forward(self):"),
    "Renamed()()": ("Renamed(...)()", "'x'", "Renamed(...)(x)"),
}


@pytest.mark.parametrize("call", MISFITS)
def test_a_call_that_does_not_fit(call):
    with pytest.raises(TypeError) as caught:
        eval(call)
    was, rule, fix = MISFITS[call]
    assert type(caught.value) is CallError
    assert was in caught.value.was and rule in caught.value.rule and fix in caught.value.fix


@pytest.mark.parametrize("call, words", [
    ("Net()(X, 'length')", "object of type 'int' has no len()"),
    ("Net()(X, 'own')", "a mask of another kind"),
    ("Wide()([1, 'a'])", "unsupported operand"),
    ("Net()(x=X, mask='length', scale=2.0)", "has no len()"),
])
def test_a_type_error_of_the_forward_itself_is_told_as_it_is(call, words):
    with pytest.raises(TypeError, match=words.replace("(", r"\(").replace(")", r"\)")) as caught:
        eval(call)
    assert type(caught.value) is TypeError


@pytest.mark.parametrize("call, kind", [("nn.Linear(3, 2)(3)", AttributeError), ("nn.Linear(3, 2)([1.0])", TypeError),
                                        ("nn.Module()(X)", NotImplementedError), ("Net()(rf.ones(2))", RuntimeError)])
def test_other_errors_keep_their_kind(call, kind):
    with pytest.raises(kind):
        eval(call)


def test_signatures_of_modules_of_functions_are_those_of_their_inputs():
    from inspect import signature
    assert [str(signature(module.forward)) for module in (nn.ReLU(), nn.MSELoss(), nn.GaussianNLLLoss())] == [
        "(input)", "(input, target)", "(input, target, var)"]
    assert nn.ReLU()(input=X).equal(X) and nn.MSELoss()(target=X, input=X + 1).item() == 1.0


@pytest.mark.parametrize("made, said, fix", [
    (lambda: nn.LSTM(2, 3)(rf.ones(4, 2)), r"\(Tensor\(4, 3\), \(Tensor\(1, 3\), Tensor\(1, 3\)\)\)", r"input\[0\]"),
    (lambda: nn.GRU(2, 3)(rf.ones(4, 2)), r"\(Tensor\(4, 3\), Tensor\(1, 3\)\)", r"input\[0\]"),
    (lambda: rf.ones(2, 3).max(0), r"\(Tensor\(3,\), Tensor\(3,\)\)", r"input\[0\]"),
    (lambda: [rf.ones(3), rf.ones(3)], r"\[Tensor\(3,\), Tensor\(3,\)\]", r"rustyflow\.stack\(input\)"),
])
def test_a_layer_that_is_given_all_that_another_returned_says_which_part_to_take(made, said, fix):
    with pytest.raises(TypeError, match=rf"^linear\(input={said}\) got \w+\nrule: .*\ntry:  .*{fix}"):
        nn.Linear(3, 1)(made())
