"""The steps of a program in sentences."""

import ast
from collections.abc import Iterator

from ..claims.claim import equation
from ..show.words.sentences import listed, many
from .program import Statement
from .record import Record, Step
from .watch import Memory, Seen

FEW = 3
"""The most tensors whose shapes a sentence says."""


def lines_told(record: Record) -> str:
    """Says what ran: `5 lines of PyTorch, run once`."""
    program, steps = record.program, record.steps
    kinds = sorted({x.library for step in steps for x in step.tensors}, key=str.lower)
    code = sum(bool(line.strip()) and not line.strip().startswith("#") for line in program.lines)
    return f"{many(code, 'line')}{' of ' + listed(kinds) if kinds else ''}, run once{left(record)}"


def left(record: Record) -> str:
    """Says that steps were left out, "" where none were."""
    if record.ran <= len(record.steps):
        return ""
    return f": the last {len(record.steps):,} of {record.ran:,} steps"


def sentence(record: Record, step: Step) -> str:
    """Returns the sentence of a step."""
    statement = record.program.statements[step.number]
    parts = [*_parts(record, step, statement)]
    before = f"{many(step.unseen, 'step')} before it ran on unseen, so as to hold nobody up: told here together. "
    return (before if step.unseen else "") + " ".join(parts)


def _parts(record: Record, step: Step, statement: Statement) -> Iterator[str]:
    """Yields the sentences of a step."""
    where, node = _where(record, step, statement), statement.node
    if step.error:
        yield f"{where} raises {step.error.rstrip('.')}."
        return
    said = [*filter(None, (_made(step), _written(step, statement), _otherwise(step), _gone(step)))]
    control = _control(record, step, statement)
    plain = listed([f"{name} = {text}" for name, text in step.plain.items()])
    if control:
        yield f"{control}{': ' + plain if step.plain and step.next in statement.inner else ''}."
    elif step.plain:
        said.insert(0, f"sets {plain}")
    if not said and not control:
        others = sorted(statement.binds) if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) else []
        said = [f"sets {listed(others)}, in which no tensor is shown" if others else _does(node, step)]
    if said:
        first, *rest = said
        yield f"{where if not control else 'It'} {first}."
        yield from (f"It {one}." for one in rest)


def _where(record: Record, step: Step, statement: Statement) -> str:
    """Names the line of a step, and the rounds in which it runs."""
    inside = [r for r in step.rounds if r.loop != step.number]
    rounds = [f"round {r.round} of {record.totals.get((r.loop, r.run), r.round)}" for r in inside]
    return f"Line {statement.first}" + (f", {' in '.join(reversed(rounds))}," if rounds else "")


def _control(record: Record, step: Step, statement: Statement) -> str:
    """Says where the program goes on from a statement that decides it, "" of any other."""
    program, where, enters = record.program, _where(record, step, statement), step.next in statement.inner
    if statement.is_loop:
        this = next((r for r in step.rounds if r.loop == step.number), None)
        total = record.totals.get((this.loop, this.run), 0) if this else 0
        if enters:
            return f"{where} begins round {this.round} of {total}"
        return f"{where} has nothing more: the loop ends after {many(total, 'round')}"
    if isinstance(statement.node, ast.If | ast.Match):
        what = "holds" if isinstance(statement.node, ast.If) else "finds its case"
        inside = step.next is not None and step.number < step.next < statement.end
        if step.unseen or step.next is None and isinstance(statement.node, ast.Match):
            return f"{where} is asked"
        if inside and (enters or isinstance(statement.node, ast.Match)):
            return f"{where} {what}: on to line {program.statements[step.next].first}"
        to = f"on to line {program.statements[step.next].first}" if inside else "its lines are left out"
        return f"{where} does not hold: {to}" if what == "holds" else f"{where} finds no case"
    return ""


def _does(node: ast.stmt, step: Step) -> str:
    """Says what a statement does that makes and changes no tensor."""
    match node:
        case ast.ImportFrom(names=[ast.alias(name="*")]):
            return f"brings in the names of {'.' * node.level}{node.module or ''}"
        case ast.Import() | ast.ImportFrom():
            return f"brings in {listed([alias.asname or alias.name for alias in node.names])}"
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return f"defines {name}, whose lines are not shown: a call of it is one step"
        case ast.Break():
            return "leaves the loop"
        case ast.Continue():
            return "goes on with the next round"
        case ast.Pass():
            return "does nothing"
        case ast.Try() | ast.With() | ast.AsyncWith():
            return "begins what stands under it"
        case ast.Delete():
            return "lets go of what it names"
    unread = any(not x.key for x in (*step.tensors, *step.old.values()))
    return f"gives no tensor a name, and changes none{' whose numbers are read here' * unread}"


def _made(step: Step) -> str:
    """Says which tensors a step made."""
    made = [x for x in step.tensors if x.name in step.made]
    if not made:
        return ""
    if len(made) == 1:
        return f"makes {_alone(made[0])}"
    few = [f"{x.name} of shape {x.shape}{_origin(x)}" for x in made[:FEW]]
    more = f"; and {listed([x.name for x in made[FEW:]])}" if len(made) > FEW else ""
    return f"makes {'; '.join(few)}{more}"


def _origin(x: Seen) -> str:
    return f", {x.of} itself" if x.same else f", a view of {x.of}" if x.of else ", new"


def _alone(x: Seen) -> str:
    """Tells of a tensor that a step made alone."""
    if x.same:
        return f"{x.name} another name of {x.of}: what is written to it is seen through both"
    shape = f"{x.name}: shape {x.shape}"
    if not x.of:
        kept = f"new memory for {many(x.size, 'number')}" if x.key else "whose numbers are not read here"
        return f"{shape}, {kept}{_unread(x)}"
    return f"{shape}, a view of {x.of}: nothing is copied{_unread(x)}"


def _unread(x: Seen) -> str:
    """Says how many numbers of its memory a tensor does not read."""
    if not x.numel or not x.key:
        return ""
    left = x.size - len(x.slots()) if x.numel <= 1 << 16 else 0
    return f", and {left:,} of {x.size:,} are never read" if left and x.numel else ""


def _written(step: Step, statement: Statement) -> str:
    """Says into which tensors a step wrote, and who else sees it."""
    told = []
    for memory in step.memories:
        names = [x.name for x in step.tensors if x.name in step.changed and x.key == memory.key]
        if names:
            told.append((memory, names))
    if not told:
        return ""
    if len(told) > 1:
        return f"writes into {listed([name for _, names in told for name in names])}, in place"
    (memory, names), = told
    many_slots = _slots(memory)
    through = statement.via if statement.via in names else ""
    others = [name for name in names if name != through]
    if through and others:
        one = len(others) == 1
        return f"writes {many_slots} through {through}: {listed(others)} read{'s' * one} it too, and " \
               f"change{'s' * one} with it"  # fmt: skip
    if len(names) == 1:
        return f"writes {many_slots} of {names[0]}, in place"
    return f"writes {many_slots} of the memory that {listed(names)} read: all of them change"


def _slots(memory: Memory) -> str:
    if memory.written is None:
        return "some numbers"
    count = len(memory.written)
    return f"slot {memory.written[0]}" if count == 1 else f"{count:,} of {many(memory.size, 'number')}"


def _otherwise(step: Step) -> str:
    """Says what changed of tensors but their numbers."""
    told = []
    for x in step.tensors:
        if (old := step.old.get(x.name)) and old.asks != x.asks:
            told.append(f"has {x.name} ask for a gradient" if x.asks else f"has {x.name} ask for no gradient")
        alike = old and bool(old.key) == bool(x.key)  # of one that is not read the stride is not known
        if alike and (old.shape, old.stride, old.offset) != (x.shape, x.stride, x.offset):
            told.append(f"gives {x.name} shape {x.shape} and stride {x.stride}")
    return "; ".join(told)


def _gone(step: Step) -> str:
    return f"lets go of {listed(step.gone)}" if step.gone else ""


def about(x: Seen) -> str:
    """Returns the sentence of a tensor: layout, memory, numbers."""
    asks = ", asks for a gradient" if x.asks else ""
    if not x.key:
        return f"{x.name}: shape {x.shape}, {x.dtype}{asks}; its numbers are not read here."
    shares = f"it is {x.of} itself" if x.same else f"it reads the memory of {x.of}" if x.of else "memory of its own"
    ends = ""
    if x.least is not None:
        least, most = (equation("", end, 4) for end in (x.least, x.most))
        ends = f" Its numbers go from {least} to {most}." if x.numel > 1 else f" Its number is {least}."
    nans = f" {many(x.nans, 'cell')} of it {'is' if x.nans == 1 else 'are'} nan." if x.nans else ""
    return f"{x.name}: shape {x.shape}, stride {x.stride}, offset {x.offset}{asks}; {shares}{_unread(x)}.{ends}{nans}"
