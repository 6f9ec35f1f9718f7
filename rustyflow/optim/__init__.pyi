"""What type checkers and editors see; a test holds that these are the names."""
from . import lr_scheduler as lr_scheduler
from .adadelta import (
    Adadelta as Adadelta,
)
from .adagrad import (
    Adagrad as Adagrad,
)
from .adam import (
    Adam as Adam,
)
from .adamax import (
    Adamax as Adamax,
)
from .adamw import (
    AdamW as AdamW,
)
from .nadam import (
    NAdam as NAdam,
)
from .optimizer import (
    Optimizer as Optimizer,
)
from .radam import (
    RAdam as RAdam,
)
from .rmsprop import (
    RMSprop as RMSprop,
)
from .sgd import (
    SGD as SGD,
)
