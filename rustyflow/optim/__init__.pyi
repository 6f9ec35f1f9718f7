"""What type checkers and editors see; a test holds that these are the names."""
from . import lr_scheduler as lr_scheduler
from .adagrad import (
    Adagrad as Adagrad,
)
from .adam import (
    Adam as Adam,
)
from .adamw import (
    AdamW as AdamW,
)
from .optimizer import (
    Optimizer as Optimizer,
)
from .rmsprop import (
    RMSprop as RMSprop,
)
from .sgd import (
    SGD as SGD,
)
