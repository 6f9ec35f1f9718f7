"""What type checkers and editors see; a test holds that these are the names."""
from .base import (
    LRScheduler as LRScheduler,
)
from .combined import (
    SequentialLR as SequentialLR,
)
from .cycles import (
    CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts,
    OneCycleLR as OneCycleLR,
)
from .factors import (
    ConstantLR as ConstantLR,
    CosineAnnealingLR as CosineAnnealingLR,
    ExponentialLR as ExponentialLR,
    LambdaLR as LambdaLR,
    LinearLR as LinearLR,
    MultiStepLR as MultiStepLR,
    PolynomialLR as PolynomialLR,
    StepLR as StepLR,
)
from .plateau import (
    ReduceLROnPlateau as ReduceLROnPlateau,
)

_LRScheduler = LRScheduler
