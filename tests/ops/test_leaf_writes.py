"""What a form with an underscore says of a leaf that requires grad: PyTorch reads the arguments first."""
import pytest

import rustyflow as rf

MISFITS = "addmm_() mul_() mul_(x, x) index_add_(0, x) t_(1) transpose_(0) unsqueeze_() exp_(1) cumsum_() tril_('a')"
FITS = "mul_(2) cumsum_(axis=0) addcmul_(0.5,x,x) transpose_(0,1) unsqueeze_(0) fill_(0) exp_()"


@pytest.mark.filterwarnings("ignore:This overload of")
@pytest.mark.parametrize("kind", ["a leaf", "a view of one", "memory that overlaps"])
@pytest.mark.parametrize("call", [*MISFITS.replace(", ", ",").split(), *FITS.split()])
def test_arguments_that_do_not_fit_come_first(kind, call):
    def outcome(m):
        w = m.ones(3, 3, requires_grad=True)
        w = {"a leaf": w, "a view of one": w[:2], "memory that overlaps": m.zeros(3).expand(3, 3)}[kind]
        try:
            eval(f"w.{call}", {"w": w, "x": m.ones(3, 3)})
        except (TypeError, RuntimeError) as error:
            return TypeError if isinstance(error, TypeError) else RuntimeError
        return None
    here = outcome(rf)
    if kind != "memory that overlaps":
        assert here is (TypeError if call in MISFITS.replace(", ", ",").split() else RuntimeError)
    assert here is outcome(pytest.importorskip("torch"))


def test_what_no_gradient_knows_of_writes_a_leaf():
    w = rf.tensor([0.0, 2.0], requires_grad=True)
    assert w.logical_not_() is w and w.tolist() == [1, 0] and w.is_leaf and w.requires_grad
    part = w[1:]
    part.logical_or_(rf.tensor(True))
    (w * part).sum().backward()
    assert w.tolist() == [1, 1] and w.grad.tolist() == [1, 3]
