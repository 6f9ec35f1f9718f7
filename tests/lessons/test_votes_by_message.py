"""Votes by click or key: messages to a kernel in which no cell runs, as JupyterLab sends them."""

import json
import os

import pytest

from rustyflow.cli import course, main
from rustyflow.data.sets import course_folder
from rustyflow.lessons import a_program_is_a_graph, one_line_of_memory, stride_zero
from rustyflow.lessons.kit.answers import progress

pytest.importorskip("anywidget")
manager = pytest.importorskip("jupyter_client.manager")


class Kernel:
    """A kernel in a folder, and what a page says to it."""

    def __init__(self, folder):
        program = {"CI", "NBGRADER_EXECUTION", "RUSTYFLOW_DISPLAY", "PYTEST_CURRENT_TEST"}
        env = {name: value for name, value in os.environ.items() if name not in program}
        self.manager, self.client = manager.start_new_kernel(kernel_name="python3", cwd=str(folder), env=env)

    def run(self, code):
        """Run a cell; the messages that it sends, until it is done."""
        heard = []
        reply = self.client.execute_interactive(code, timeout=60, output_hook=heard.append)
        return reply["content"], heard

    def ask(self, lesson, name):
        """Show a question as a cell does; the comm of its figure."""
        reply, heard = self.run(f"from rustyflow.lessons import {lesson} as check\ncheck.{name}")
        assert reply["status"] == "ok", reply
        opened = [message["content"] for message in heard if message["msg_type"] == "comm_open"]
        return next(one["comm_id"] for one in opened if "_scene" in json.dumps(one["data"]))

    def press(self, comm, letter):
        """A choice is taken in the page; returns when Python has carried it out."""
        data = {"method": "custom", "content": {"press": letter}}
        self.client.shell_channel.send(self.client.session.msg("comm_msg", {"comm_id": comm, "data": data}))
        while True:
            content = self.client.get_iopub_msg(timeout=60)["content"]
            if content.get("data", {}).get("content", {}).get("pong") == 1:
                return

    def restart(self):
        self.manager.restart_kernel(now=True)
        self.client.wait_for_ready(timeout=60)

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def copy(tmp_path):
    course.deliver(course_folder(), tmp_path, "0.1.0")
    return tmp_path


@pytest.fixture
def kernel(request):
    made = []

    def start(folder):
        made.append(Kernel(folder))
        return made[-1]

    yield start
    for one in made:
        one.stop()


def wrong(question):
    return next(letter for letter in question.choices() if letter != question.right())


def test_votes_given_by_message_are_remembered_as_typed_answers_are(copy, kernel, capsys):
    """In three lessons: right at once; wrong and then right; wrong once; and what the same answers typed leave."""
    votes = {
        ("one_line_of_memory", "which_slot"): [one_line_of_memory.which_slot.right()],
        ("stride_zero", "what_changes"): [wrong(stride_zero.what_changes), stride_zero.what_changes.right()],
        ("a_program_is_a_graph", "written_twice"): [wrong(a_program_is_a_graph.written_twice)],
    }
    page = kernel(copy)
    for (lesson, name), letters in votes.items():
        comm = page.ask(lesson, name)
        for letter in letters:
            page.press(comm, letter)
    seen = {"score": 0.0, "done": True}
    assert progress.read(copy) == {
        "one_line_of_memory": {"which_slot": {"score": 1.0, "done": True}},
        "stride_zero": {"what_changes": seen},
        "a_program_is_a_graph": {"written_twice": seen},
    }
    assert main(["progress", str(copy)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.strip()]
    counted = {line[0]: line[1] for line in lines if len(line) > 1}
    assert {counted[name] for name in ("01-one-line-of-memory", "03-stride-zero", "08-a-program-is-a-graph")} == {"1"}

    page.restart()
    for lesson, name in votes:
        reply, _ = page.run(f"from rustyflow.lessons import {lesson} as check\ncheck.{name}.after()")
        assert reply["status"] == "ok", "nothing answered is locked again"
    reply, _ = page.run("check.what_of_an_if.after()")
    assert reply["ename"] == "Unanswered", "and what is open is"

    by_message = (copy / progress.PROGRESS).read_text(encoding="utf-8")
    (copy / progress.PROGRESS).unlink()
    page.restart()
    for (lesson, name), letters in votes.items():
        calls = [f"check.{name}({letter!r})" for letter in letters]
        page.run("\n".join([f"from rustyflow.lessons import {lesson} as check", *calls]))
    assert (copy / progress.PROGRESS).read_text(encoding="utf-8") == by_message


@pytest.mark.parametrize("where", ["week 1", "mine/older", "."])
def test_a_vote_in_a_folder_of_the_copy_is_remembered_in_the_copy(copy, kernel, where):
    (copy / where).mkdir(parents=True, exist_ok=True)
    page = kernel(copy / where)
    page.run("import os; os.chdir(os.path.dirname(os.getcwd()))")  # as `%cd ..` does
    page.press(page.ask("one_line_of_memory", "which_slot"), "A")
    assert progress.read(copy)["one_line_of_memory"]["which_slot"]["done"]
    assert {path for path in copy.rglob("progress*")} == {copy / progress.PROGRESS}


def test_where_no_copy_is_around_nothing_is_written(tmp_path, kernel):
    page = kernel(tmp_path)
    page.press(page.ask("one_line_of_memory", "which_slot"), "A")
    assert list(tmp_path.rglob("*")) == []


def test_a_vote_says_under_its_figure_what_was_set_aside(copy, kernel):
    (copy / progress.PROGRESS).write_text("<<<<<<< mine\n", encoding="utf-8")
    page = kernel(copy)
    page.press(page.ask("one_line_of_memory", "which_slot"), "A")
    heard = page.run("print(check.which_slot.widget._note)")[1]
    said = "".join(message["content"].get("text", "") for message in heard)
    assert said.startswith(".rustyflow/progress.json has the marks of a merge in it")
    assert "It is set aside as progress-" in said and said.count("\n") == 1
