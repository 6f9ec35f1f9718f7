"""Schedulers beside PyTorch's: fresh, resumed in each way, one in another, two at once, by hand; every rate of twelve
steps, what each says it was, and what is raised."""

import warnings
from copy import deepcopy

import pytest

import rustyflow as rf

torch = pytest.importorskip("torch")

SINGLE = [
    "StepLR(O, 3, 0.5)",
    "MultiStepLR(O, [2, 5, 5], 0.1)",
    "MultiStepLR(O, [0, 3], 0.5)",
    "ConstantLR(O, 0.5, 3)",
    "LinearLR(O, 0.25, total_iters=4)",
    "LinearLR(O, 1.0, 0.1, total_iters=7)",
    "ExponentialLR(O, 0.9)",
    "PolynomialLR(O, 5, 2.0)",
    "PolynomialLR(O)",
    "CosineAnnealingLR(O, 5, 0.01)",
    "CosineAnnealingLR(O, 1)",
    "CosineAnnealingWarmRestarts(O, 3)",
    "CosineAnnealingWarmRestarts(O, 2, 2, 0.01)",
    "LambdaLR(O, lambda e: 0.9 ** e)",
    "OneCycleLR(O, 0.4, total_steps=20)",
    "OneCycleLR(O, 0.4, epochs=4, steps_per_epoch=5, three_phase=True, anneal_strategy='linear')",
]
NESTED = [
    "SequentialLR(O, [S.ConstantLR(O, 0.1, 3), S.ExponentialLR(O, 0.9)], [3])",
    "SequentialLR(O, [S.ConstantLR(O, 0.5, 2), S.ExponentialLR(O, 0.9)], [0])",
    "SequentialLR(O, [S.ConstantLR(O, 0.5, 2), S.ExponentialLR(O, 0.9), S.StepLR(O, 2)], [2, 2])",
    "SequentialLR(O, [S.LinearLR(O, 0.1, total_iters=4), S.CosineAnnealingLR(O, 6), S.StepLR(O, 2)], [4, 8])",
    "SequentialLR(O, [S.LinearLR(O, 0.1, total_iters=2), S.CosineAnnealingWarmRestarts(O, 2, 2)], [3])",
    "SequentialLR(O, [S.PolynomialLR(O, 3), S.LambdaLR(O, lambda e: 1 / (1 + e))], [2])",
    "SequentialLR(O, [S.ExponentialLR(O, 0.5)], [])",
    "SequentialLR(O, [S.OneCycleLR(O, 0.4, 20), S.ExponentialLR(O, 0.5)], [5])",
    "SequentialLR(O, [S.SequentialLR(O, [S.ConstantLR(O, .5, 2), S.ExponentialLR(O, .9)], [2]), S.StepLR(O, 2)], [4])",
    "SequentialLR(O, [S.SequentialLR(O, [S.ExponentialLR(O, .5), S.LinearLR(O)], [3]), S.PolynomialLR(O)], [5])",
    "SequentialLR(O, [S.ConstantLR(O, .5, 2), S.SequentialLR(O, [S.StepLR(O, 2), S.ExponentialLR(O, .9)], [2])], [3])",
    "SequentialLR(O, [S.ConstantLR(O, .5, 2), S.ReduceLROnPlateau(O)], [3])",
    "SequentialLR(O, [], [])",
    "SequentialLR(O, [S.ConstantLR(O, .5, 2), S.StepLR(O, 2)], [3, 4])",
    "ConstantLR(O, 0.0, 3)",
    "OneCycleLR(O, 0.4, total_steps=10, pct_start=0.1)",
    "OneCycleLR(O, 0.4, total_steps=3)",
    "OneCycleLR(O, [0.4, 0.2], total_steps=20, max_momentum=[0.9, 0.8])",
    "OneCycleLR(O, [0.4], total_steps=20)",
    "CosineAnnealingWarmRestarts(O, 0)",
    "CosineAnnealingWarmRestarts(O, 2, 1.5)",
    "ReduceLROnPlateau(O, 'max', min_lr=[0.1])",
    "ReduceLROnPlateau(O, 'both')",
    "LRScheduler(O)",
]
PLATEAU = "ReduceLROnPlateau(O, factor=0.5, patience=1, cooldown=1, min_lr=[0.02, 0.03])"


def optimizer(lib, lr=0.2, kind="SGD", **more):
    w, slow = (lib.ones(1, requires_grad=True) for _ in range(2))
    more = {"momentum": 0.8} if kind == "SGD" else more
    return getattr(lib.optim, kind)([{"params": [w]}, {"params": [slow], "lr": lr / 3}], lr=lr, **more)


def scheduled(lib, text, made):
    return eval(f"S.{text}", {"S": lib.optim.lr_scheduler, "O": made})


def rates(made):
    """All numbers of each group that a scheduler may change."""
    return [[float(g["lr"]), g.get("momentum"), g.get("betas")] for g in made.param_groups]


def steps(made, scheduler, count=12):
    found = []
    for k in range(count):
        made.step()
        scheduler.step(5.0 - k % 3) if "Plateau" in type(scheduler).__name__ else scheduler.step()
        found += [rates(made), scheduler.get_last_lr(), scheduler.last_epoch]
    return found


def both(program):
    """What a program finds under both imports, with the kind of error that stops it."""
    found = []
    for lib in (rf, torch):
        seen = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                program(lib, seen)
            except Exception as error:
                assert lib is torch or error.was and error.rule and error.fix
                seen.append(next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"))
        found.append((seen, len(caught)))
    return found


def same(program):
    ours, theirs = both(program)
    assert ours == theirs
    return ours[0]


@pytest.mark.parametrize("text", SINGLE + NESTED + [PLATEAU])
@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_twelve_steps_are_the_same_to_the_last_bit(text, kind):
    def program(lib, seen):
        made = optimizer(lib, kind=kind)
        scheduler = scheduled(lib, text, made)
        seen += [rates(made), scheduler.get_last_lr()]
        for _ in range(12):
            seen += steps(made, scheduler, 1)

    assert same(program)


def resumed(lib, text, way, made, kept):
    """A scheduler that goes on after four steps, in one of the ways that programs go on."""
    again = optimizer(lib)
    if way == "both":
        scheduler = scheduled(lib, text, again)
        again.load_state_dict(deepcopy(made))
        scheduler.load_state_dict(deepcopy(kept))
    elif way == "last_epoch":
        again.load_state_dict(deepcopy(made))
        scheduler = scheduled(lib, text.removesuffix(")") + ", last_epoch=3)", again)
    elif way == "last_epoch and state":
        again.load_state_dict(deepcopy(made))
        scheduler = scheduled(lib, text.removesuffix(")") + ", last_epoch=3)", again)
        scheduler.load_state_dict(deepcopy(kept))
    elif way == "last_epoch alone":
        scheduler = scheduled(lib, text.removesuffix(")") + ", last_epoch=3)", again)
    elif way == "initial_lr by hand":
        for group in again.param_groups:
            group["initial_lr"] = group["lr"]
        scheduler = scheduled(lib, text.removesuffix(")") + ", last_epoch=3)", again)
    elif way == "scheduler's state alone":
        scheduler = scheduled(lib, text, again)
        scheduler.load_state_dict(deepcopy(kept))
    else:
        again.load_state_dict(deepcopy(made))
        scheduler = scheduled(lib, text, again)
    return again, scheduler


WAYS = ["both", "last_epoch", "last_epoch and state", "last_epoch alone", "initial_lr by hand",
        "scheduler's state alone", "optimizer's state alone"]


@pytest.mark.parametrize("text", SINGLE + NESTED[:9] + [PLATEAU])
@pytest.mark.parametrize("way", WAYS)
def test_it_goes_on_as_there(text, way):
    def program(lib, seen):
        made = optimizer(lib)
        scheduler = scheduled(lib, text, made)
        steps(made, scheduler, 4)
        again, scheduler = resumed(lib, text, way, made.state_dict(), scheduler.state_dict())
        seen += [rates(again), scheduler.get_last_lr()]
        for _ in range(12):
            seen += steps(again, scheduler, 1)

    assert same(program)


@pytest.mark.filterwarnings("ignore:Detected call of")
@pytest.mark.parametrize("text", SINGLE + NESTED[:9] + [PLATEAU])
def test_a_state_has_their_keys_and_goes_on_there(text):
    kept, found = {}, {}
    for lib in (rf, torch):
        made = optimizer(lib)
        scheduler = scheduled(lib, text, made)
        steps(made, scheduler, 3)
        kept[lib], found[lib] = scheduler.state_dict(), [list(group) for group in made.param_groups]
    assert list(kept[rf]) == list(kept[torch]) and found[rf] == found[torch]
    for lib, other in ((rf, torch), (torch, rf)):
        made = optimizer(lib)
        scheduler = scheduled(lib, text, made)
        steps(made, scheduler, 3)
        scheduler.load_state_dict(deepcopy(kept[other]))
        found[lib] = steps(made, scheduler)
    assert found[rf] == found[torch]


@pytest.mark.parametrize("text", SINGLE + NESTED[:2])
@pytest.mark.parametrize("epochs", [(3,), (0, 1, 7, 2), (4, None, None, 2, None), (2.5, 5)])
def test_a_step_to_an_epoch_is_warned_of_and_taken(text, epochs):
    def program(lib, seen):
        made = optimizer(lib)
        scheduler = scheduled(lib, text, made)
        made.step()
        for epoch in epochs:
            scheduler.step() if epoch is None else scheduler.step(epoch)
            seen += [rates(made), scheduler.last_epoch]

    same(program)


@pytest.mark.parametrize("text", [*SINGLE, *NESTED[:4], PLATEAU, PLATEAU.replace("[0.02, 0.03]", "0.02")])
def test_a_group_that_is_added_later(text):
    def program(lib, seen):
        made = optimizer(lib)
        scheduler = scheduled(lib, text, made)
        steps(made, scheduler, 2)
        made.add_param_group({"params": [lib.ones(1, requires_grad=True)], "lr": 0.7})
        for _ in range(12):
            steps(made, scheduler, 1)
            seen.append(rates(made))

    same(program)


@pytest.mark.parametrize("first", SINGLE[:-2])
@pytest.mark.parametrize("second", ["ExponentialLR(O, 0.9)", "StepLR(O, 2, 0.5)", "CosineAnnealingLR(O, 4)", PLATEAU])
def test_two_on_one_optimizer_and_a_rate_that_is_set_by_hand(first, second):
    def program(lib, seen):
        made = optimizer(lib)
        two = [scheduled(lib, one, made) for one in (first, second)]
        for k in range(12):
            made.step()
            for one in two:
                seen += steps(made, one, 1)
            if k == 4:
                made.param_groups[0]["lr"] = 0.3

    assert same(program)


@pytest.mark.parametrize("text", [*SINGLE, *NESTED[:9], PLATEAU])
def test_a_rate_that_is_a_tensor_is_written_into(text):
    def program(lib, seen):
        made = optimizer(lib, lib.tensor(0.5, dtype=lib.float64))
        held = [group["lr"] for group in made.param_groups]
        scheduler = scheduled(lib, text, made)
        for k in range(12):
            made.step()
            scheduler.step(5.0 - k % 3) if "Plateau" in text else scheduler.step()
            last = scheduler.get_last_lr()
            seen += [[round(float(x), 9) for x in (*held, *last)], all(type(x) is lib.Tensor for x in held + last)]
            seen.append([group["lr"] is x for group, x in zip(made.param_groups, held)])
            last[0].fill_(9.0)  # a copy

    assert same(program)


def test_functions_that_are_objects_are_kept():
    def program(lib, seen):
        class Warm:
            def __init__(self, n):
                self.n = n

            def __call__(self, epoch):
                return min(1.0, (epoch + 1) / self.n)

        made = optimizer(lib)
        scheduler = lib.optim.lr_scheduler.LambdaLR(made, [Warm(4), lambda e: 0.5**e])
        steps(made, scheduler, 2)
        kept = scheduler.state_dict()
        seen.append(kept["lr_lambdas"])
        again = lib.optim.lr_scheduler.LambdaLR(optimizer(lib), [Warm(9), lambda e: 0.5**e])
        again.load_state_dict(kept)
        seen += [kept["lr_lambdas"], again.lr_lambdas[0].n, steps(again.optimizer, again)]

    assert same(program)[0] == [{"n": 4}, None]


OWN = '''
class Own({base}):
    def __init__(self, optimizer, by, last_epoch=-1):
        self.by = by
        super().__init__(optimizer, last_epoch)
    def get_lr(self):
        {get}
    {closed}
'''
EACH = "return [g['lr'] * (1 if self._is_initial else self.by) for g in self.optimizer.param_groups]"
FIRST = "return [b * self.by ** self.last_epoch for b in self.base_lrs]"
CLOSED = "def _get_closed_form_lr(self):\n        return [b * self.by ** self.last_epoch for b in self.base_lrs]"


@pytest.mark.parametrize("base", ["_LRScheduler", "LRScheduler"])
@pytest.mark.parametrize(
    "get",
    [
        EACH,
        FIRST,
        "return (b / (1 + self.last_epoch) for b in self.base_lrs)",
        "return [self.by ** (self._step_count - 1)] * 2 if self._get_lr_called_within_step else []",
        "return self.base_lrs[0] * self.by",
        "return [0.1]",
        "return super().get_lr()",
    ],
)
@pytest.mark.parametrize("closed", ["", CLOSED])
def test_a_scheduler_of_ones_own(base, get, closed):
    def program(lib, seen):
        names = {base: getattr(lib.optim.lr_scheduler, base)}
        exec(OWN.format(base=base, get=get, closed=closed), names)
        made = optimizer(lib)
        scheduler = names["Own"](made, 0.7)
        seen += steps(made, scheduler, 5)
        scheduler.step(3)
        seen += [rates(made), steps(made, scheduler, 2), sorted(scheduler.state_dict())]
        scheduler = names["Own"](made, 0.7, last_epoch=2)
        seen += [rates(made), steps(made, scheduler, 2)]

    same(program)


def noam(lib):
    class Noam(lib.optim.lr_scheduler._LRScheduler):
        def __init__(self, optimizer, size, warm):
            self.size, self.warm = size, warm
            super().__init__(optimizer)

        def get_lr(self):
            n = max(1, self._step_count)
            return [self.size**-0.5 * min(n**-0.5, n * self.warm**-1.5) for _ in self.base_lrs]

    return lambda made: Noam(made, 512, 4)


def warm_up(lib):
    class Warm(lib.optim.lr_scheduler._LRScheduler):
        """Up to twice the rate in three epochs; then another scheduler, from there."""

        def __init__(self, optimizer, after):
            self.after, self.finished = after, False
            super().__init__(optimizer)

        def get_lr(self):
            if self.last_epoch <= 3:
                return [begin * (1 + self.last_epoch / 3) for begin in self.base_lrs]
            if not self.finished:
                self.after.base_lrs, self.finished = [begin * 2 for begin in self.base_lrs], True
            return self.after.get_last_lr()

        def step(self, epoch=None):
            if not self.finished:
                return super().step(epoch)
            self.after.step(None if epoch is None else epoch - 3)
            self._last_lr = self.after.get_last_lr()

    return lambda made: Warm(made, lib.optim.lr_scheduler.CosineAnnealingLR(made, 5))


def patient(lib):
    class Patient(lib.optim.lr_scheduler.ReduceLROnPlateau):
        reduced = ()

        def _reduce_lr(self, epoch):
            self.reduced = (*self.reduced, epoch)
            super()._reduce_lr(epoch)

    return lambda made: Patient(made, patience=1)


def doubled(lib):
    class Doubled(lib.optim.lr_scheduler.StepLR):
        def get_lr(self):
            return [2 * rate for rate in super().get_lr()] if self.last_epoch == 3 else super().get_lr()

    return lambda made: Doubled(made, 2, 0.5)


@pytest.mark.parametrize("make", [noam, warm_up, patient, doubled])
@pytest.mark.parametrize("epochs", [False, True])
def test_schedulers_that_programs_write(make, epochs):
    def program(lib, seen):
        made = optimizer(lib)
        scheduler = make(lib)(made)
        for k in range(12):
            made.step()
            scheduler.step(*([3.0] if make is patient else []), *([k] if epochs else []))
            seen += [rates(made), scheduler.get_last_lr(), scheduler.last_epoch, getattr(scheduler, "reduced", ())]
        seen.append([key for key in scheduler.state_dict() if key != "after"])

    assert same(program)


@pytest.mark.parametrize(
    "use",
    [
        lambda made, s: s.step(),
        lambda made, s: s.get_lr(),
        lambda made, s: (setattr(made, "step", lambda: None), s.step()),
        lambda made, s: (made.step(), s.step(), s.step(2)),
        lambda made, s: (made.step(), s.step(epoch=None)),
    ],
)
@pytest.mark.parametrize("own", [False, True])
def test_what_is_warned_of(use, own):
    def program(lib, seen):
        class Own(lib.optim.SGD):
            def step(self, closure=None):
                return None

        made = (Own if own else lib.optim.SGD)([lib.ones(1, requires_grad=True)], lr=0.1)
        use(made, lib.optim.lr_scheduler.ExponentialLR(made, 0.9))

    same(program)
