"""The command `rustyflow`: open the course, start a lesson afresh, make a page of a notebook, look the machine over."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import sysconfig
import threading
import urllib.request
import webbrowser
from datetime import datetime
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path

from ..data.sets import course_folder
from ..errors.spelling import spelling
from . import course, doctor, notes, teach
from .pages import FOLDER as PAGES, absent, export_pages

START = "00-start-here.ipynb"


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code: 0, or 1 when something stood in the way (2 for usage)."""
    try:
        with spelling():
            code = run(list(sys.argv[1:] if argv is None else argv))
            sys.stdout.flush()
            return code
    except BrokenPipeError:  # nobody reads on, as after `| head -1`: what Python still holds goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def run(words: list[str]) -> int:
    """The same, of words, with an output that can hold all that is said."""
    cut = words.index("--") if "--" in words else len(words)
    options = parser().parse_args(words[:cut])
    options.jupyter = words[cut + 1 :]
    if options.jupyter and options.run is not open_lab:
        parser().error("what follows -- goes to JupyterLab, and this command opens none")
    try:
        return options.run(options)
    except course.CourseError as problem:
        print(f"rustyflow: {problem}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        raise
    except (OSError, RuntimeError) as problem:  # the last: links that lead to each other, or no end of folders
        name, why = getattr(problem, "filename", None), getattr(problem, "strerror", None)
        print(f"rustyflow: {f'{name!s:.80}: ' if name else ''}{str(why or problem).rstrip('.'):.200}.\n"
              "What was there is still there. Look at the name, the rights and the free space, and run this again.",
              file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def version() -> str:
    return sys.modules["rustyflow"].__version__


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="rustyflow", description=__doc__.partition(": ")[2].capitalize())
    top.add_argument("--version", action="version", version=f"rustyflow {version()}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def command(run, name, summary):
        made = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        made.set_defaults(run=run)
        return made

    lab = command(open_lab, "lab", "open the course in JupyterLab, on a copy of your own")
    lab.add_argument("folder", nargs="?", type=path, help=f"your copy (default: {course.FOLDER})")
    lab.add_argument("--port", type=port, help="where to serve; if it is taken, the next free one")
    lab.add_argument("--no-browser", action="store_true", help="only print the address")
    lab.add_argument("--teach", action="store_true", help="for teachers: with notes, lessons prepared, large letters")
    lab.add_argument("--in-place", action="store_true", help="for authors: open the lessons of this checkout")
    lab.epilog = "What follows -- goes to JupyterLab as it is: rustyflow lab -- --ip=0.0.0.0"

    copy = command(bring_course, "course", "bring your copy of the course up to date, without opening it")
    copy.add_argument("folder", nargs="?", type=path, help=f"your copy (default: {course.FOLDER})")

    reset = command(reset_lesson, "reset", "set your work on a lesson aside, dated, and start it afresh")
    reset.add_argument("lesson", type=path, help="a number (1, 01), a full name (one-line-of-memory) or the file")
    reset.add_argument("--folder", type=path, help=f"your copy (default: {course.FOLDER})")

    where = command(show_progress, "progress", "say where you are in the course")
    where.add_argument("folder", nargs="?", type=path, help=f"your copy (default: {course.FOLDER})")

    page = command(export_pages, "export", "make an HTML page of a notebook, with its figures alive, for use offline")
    page.set_defaults(course=lessons)
    page.add_argument("notebook", nargs="?", type=path)
    page.add_argument("--all", action="store_true", help="run the course, or a folder, and make pages linked to others")
    page.add_argument("-o", "--output", type=path,
                      help=f"the page (default: beside the notebook), or with --all the folder (default: {PAGES})")
    page.add_argument("--run", dest="run_first", action="store_true", help="run a copy of the notebook first")
    page.add_argument("--force", action="store_true", help="write over a file that is not a page of this notebook")
    page.add_argument("--trust", action="store_true", help="keep the notebook's own scripts, and what they fetch")

    notes_of = command(print_notes, "notes", "make a page that prints of a teacher's notes on a lesson")
    notes_of.add_argument("lesson", type=path, help="a number (1, 01), a full name (one-line-of-memory) or the file")
    notes_of.add_argument("-o", "--output", type=path, help="the page (default: its name and -notes.html, here)")
    notes_of.add_argument("--open", action="store_true", help="open it in a window of its own, beside the lesson")

    command(look_over, "doctor", "say what this machine lacks for the course, and how to get it")
    return top


def path(text: str) -> Path:
    """A name that a file can have.

    Whether it is there, and may be written, is found out where it is used.
    """
    if not text.strip() or "\0" in text:
        raise argparse.ArgumentTypeError(f"{text!r} is no name of a file or folder; the folder you are in is .")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(f"{text!r} has letters that cannot be printed") from None
    return Path(text)


def port(text: str) -> int:
    if text.isdecimal() and 0 <= int(text) < 65536:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no port: a number from 0 to 65535, for example 8888")


def copy_in(folder: Path | None) -> Path:
    """The student's copy: the folder named, or the one we stand in, or the default one."""
    if folder is not None:
        return folder.expanduser()
    return Path() if course.MANIFEST.exists() else Path(course.FOLDER)


def lessons() -> Path:
    """The course as it came; raises CourseError where it did not."""
    if source := course_folder():
        return source
    raise course.CourseError("the lessons are not here.\nInstall rustyflow again, or run this in a checkout of it.")


def for_teachers(source: Path) -> dict[Path, bytes]:
    """The files that `--teach` lays beside the lessons; raises CourseError where the notes did not come."""
    if notes := teach.notes_folder():
        return teach.parcels(source, notes)
    raise course.CourseError("the teacher's notes are not here.\nInstall rustyflow again, or run this in a checkout.")


def bring_course(options) -> int:
    source, folder = lessons(), copy_in(options.folder)
    new = not any(course.lessons_in(source, folder))
    more = for_teachers(source) if getattr(options, "teach", False) else {}
    for line in course.deliver(source, folder, version(), more):
        print(line)
    if not new:
        count, worked_on = course.lessons_in(source, folder)
        did = "Opened" if options.run is open_lab else "Found"
        print(f"{did} your course in {folder.resolve()} ({count} lessons, {worked_on} of them worked on)")
        return 0
    print(f"Made a new course in {folder.resolve()}")
    for other in course.courses_here(folder):
        print(f'There is another one here, left as it is. If you meant that: rustyflow lab "{other}"')
    return 0


def open_lab(options) -> int:
    if find_spec("jupyterlab") is None:
        raise course.CourseError(f"the course opens in JupyterLab, and {absent()}")
    if options.in_place and options.teach:
        raise course.CourseError("--teach lays notes into a copy, and --in-place makes none.\nLeave one of them out.")
    if options.in_place:
        folder = lessons()
        if folder.name != "notebooks":
            raise course.CourseError("--in-place edits the lessons of a checkout, and this is an installed rustyflow.")
        start = ""
    else:
        bring_course(options)
        folder = copy_in(options.folder)
        first = (teach.FOLDER / "guide.md").as_posix() if options.teach else START
        visited = any(workspaces(folder, options).glob("*"))
        start = "" if visited or not (folder / first).exists() else f"/tree/{first}"
    if address := already_open(folder, options.port):
        print(f"It is already open at {address}")
        print("Two servers would save over each other: this one goes on. To start afresh, press Ctrl-C in its window.")
        if not options.no_browser:
            webbrowser.open(address)
        return 0
    if (front := doctor.widgets()).fix:
        less = "Until that is mended, a question may take no key and no click, and a widget may stand still."
        print(doctor.line(front), less, f"To mend this: {front.fix}\n", sep="\n")
    print("Ctrl-C in this window stops JupyterLab; what you saved stays.", flush=True)
    os.environ.update(quiet() | {"PATH": path_with(scripts())})
    return serve(lab_arguments(folder.resolve(), start, options) + encryption() + options.jupyter)


def serve(arguments: list[str]) -> int:
    """Run JupyterLab until it is stopped, and do not outlive it.

    When Ctrl-C comes just after a request, the server's worker threads are left waiting for work, and Python would
    wait for them.
    """
    from jupyterlab.labapp import LabApp

    before = threading.enumerate()
    status = LabApp.launch_instance(arguments) or 0
    left = [thread for thread in threading.enumerate() if thread not in before and not thread.daemon]
    for thread in left:
        thread.join(0.5)
    if any(thread.is_alive() for thread in left):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return status


def already_open(folder: Path, port: int | None) -> str | None:
    """The address of the JupyterLab that serves `folder`, at `port` if one is asked for; None where there is none."""
    from jupyter_server.serverapp import list_running_servers

    for server in list_running_servers():
        address = f"{server['url']}lab" + (f"?token={server['token']}" if server["token"] else "")
        there = Path(server["root_dir"]).resolve() == folder.resolve()
        if there and port in (None, server["port"]) and answers(address):
            return address
    return None


def answers(address: str) -> bool:
    """True if JupyterLab is at an address.

    A server that was killed leaves its entry, and its number may be reused.
    """
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a proxy would look on its own machine
    try:
        with direct.open(address, timeout=3) as answer:
            return "token=" not in address or "/login" not in answer.url  # a token that is not its own: another server
    except (OSError, ValueError, HTTPException):  # the last: what has the number now does not speak HTTP
        return False


def quiet() -> dict[str, str]:
    """An environment in which JupyterLab asks for no news; the user's own settings still come first."""
    paths = [str(Path(__file__).resolve().parent), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    return {"JUPYTER_CONFIG_PATH": os.pathsep.join(paths)}


def scripts() -> str:
    """The folder in which pip put the command `rustyflow`: this Python's own or, where it is not there, the user's."""
    schemes = sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")
    folders = [sysconfig.get_path("scripts", scheme) for scheme in schemes]
    return next((folder for folder in folders if shutil.which("rustyflow", path=folder)), folders[0])


def path_with(folder: str) -> str:
    """PATH with `folder` first: in JupyterLab's terminals and cells, `rustyflow` is then the one that opened them."""
    others = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join([folder, *(other for other in others if other != folder)])


def workspaces(folder: Path, options) -> Path:
    """The place of the layout of the tabs: in the copy, a teacher's apart from a student's."""
    return folder / ".rustyflow" / (teach.FOLDER if options.teach else "") / "workspaces"


def lab_arguments(folder: Path, start: str, options) -> list[str]:
    """JupyterLab's arguments: `folder` as its root, opened at `start`; the layout of the tabs is kept in the copy."""
    arguments = [f"--ServerApp.root_dir={folder}", f"--LabApp.default_url=/lab{start}"]
    arguments += ["--ServerApp.answer_yes=True", "--log-level=ERROR", "--LabApp.expose_app_in_browser=True"]
    if not options.in_place:
        arguments.append(f"--LabApp.workspaces_dir={workspaces(folder, options)}")
    if options.teach:
        arguments.append(f"--LabApp.user_settings_dir={teach.settings(folder)}")
    if options.port is not None:
        arguments.append(f"--port={options.port}")
    if options.no_browser:
        arguments.append("--no-browser")
    if getattr(os, "geteuid", lambda: 1)() == 0:  # in a container JupyterLab would refuse; it serves this machine only
        arguments.append("--allow-root")
    return arguments


def encryption() -> list[str]:
    """Encrypt what JupyterLab and its kernels say, where both can: else a kernel warns the student that nobody does."""
    import zmq
    from jupyter_client.manager import KernelManager

    able = "transport_encryption" in KernelManager.class_trait_names() and zmq.has("curve")
    return ["--KernelManager.transport_encryption=auto"] if able else []


def reset_lesson(options) -> int:
    folder = options.folder
    if folder is None and len(options.lesson.parts) > 1:  # the file itself, as the shell completes it
        folder = options.lesson.parent
    print(course.reset(lessons(), copy_in(folder), options.lesson.name, datetime.now()))
    return 0


def show_progress(options) -> int:
    for line in course.progress(lessons(), copy_in(options.folder)):
        print(line)
    return 0


def print_notes(options) -> int:
    if find_spec("nbconvert") is None:
        raise course.CourseError(f"a page is made by nbconvert, and {absent()}")
    found, name = teach.notes_folder(), course.find_lesson(lessons(), options.lesson.name)
    if found is None or not (note := found / f"{name.stem}.md").is_file():
        again = "Install rustyflow again, or run this in a checkout."
        raise course.CourseError(f"there are no notes on {name.stem} here.\n{again}")
    wanted = options.output or Path(f"{name.stem}-notes.html")
    if wanted.exists() and not notes.is_page(wanted):
        kept = f"{wanted} is there, and no page of notes: it stays."
        raise course.CourseError(f"{kept}\nGive the page its own name: -o NAME")
    course.write(wanted, notes.page(note.read_text(encoding="utf-8"), f"{name.stem}: notes").encode())
    if options.open and webbrowser.open_new(wanted.resolve().as_uri()):
        print(f"{wanted}: opened in a window of its own")
    else:
        print(f"{wanted}: open it in a browser, and print it from there")
    return 0


def look_over(options) -> int:
    findings = list(doctor.examine(course_folder()))
    for finding in findings:
        print(doctor.line(finding))
    fixes = dict.fromkeys(finding.fix for finding in findings if finding.fix and finding.needed)
    if fixes:
        print("\nTo mend this:", *fixes, sep="\n  ")
    return 1 if fixes else 0


if __name__ == "__main__":
    sys.exit(main())
