#!/usr/bin/python3
"""Runs every command of README.md and docs/ as it is written, on what the commands before it left.

    run_commands.py SOURCE BUILD MACHINE [FILE...]

SOURCE is the clone, BUILD its build directory (of any preset), MACHINE a model file of four ranks; the
environment variables MPIEXEC and MPICC name the launcher and the compiler of the MPI library. FILEs default to README.md, docs/running.md,
docs/python.md and then all others of docs/, in one scratch directory that looks like a clone, with the
programs in PATH and the package in PYTHONPATH, as after an installation.

An indented block holds commands, for bash; so does a fenced one marked `sh`. Blocks marked `python`
are run, too (docs/python.md's by tests/python). A comment above a block, in a line of its own, says
otherwise:

    <!-- not run: REASON -->    a cluster is missing, it is part of a file, ...
    <!-- output -->             what the block before prints, to the letter
    <!-- output's shape -->     the same with any digits

Only how long and where things are measured differs: `mpiexec` is the script beside this one, which
takes four ranks at most, and lets what measures do so on the emulated MACHINE, with few repetitions.
A command must end with 0; with --check 1 is an answer, too. None of README.md's predicts beyond what was measured.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
FIRST = ["README.md", "docs/running.md", "docs/python.md"]
LIMIT_S = 120
MARK = re.compile(r"<!-- (not run: .+|output|output's shape) -->")
ANSWERS = """
trap 'code=$?; [[ $code = 1 && $BASH_COMMAND = *--check* ]] || { echo "exit code $code: $BASH_COMMAND" >&2; exit 99; }' ERR
"""


class Block(NamedTuple):
    line: int
    kind: str
    mark: str
    text: str


def blocks(text):
    """Indented and fenced blocks, with what a comment says of each."""
    lines = text.splitlines()
    found, mark, k = [], "", 0
    while k < len(lines):
        fence = re.fullmatch(r"```(\w*)", lines[k])
        said = MARK.fullmatch(lines[k].strip())
        if fence:
            end = lines.index("```", k + 1)
            found.append(Block(k + 1, fence[1], mark, "\n".join(lines[k + 1 : end])))
            mark, k = "", end
        elif said:
            mark = said[1]
        elif lines[k].startswith("    ") and (k == 0 or not lines[k - 1].strip()):
            end = k
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            part = "\n".join(line[4:] for line in lines[k:end]).rstrip()
            found.append(Block(k + 1, "sh", mark, part))
            mark, k = "", end - 1
        elif lines[k].strip():
            mark = ""
        k += 1
    return found


def shape(text):
    return re.sub(r"[0-9]+(\.[0-9]+)?", "0", text)


def clone(source, build, scratch):
    """A directory that looks like a clone after its release preset was built."""
    (scratch / "build").mkdir()
    (scratch / "build" / "release").symlink_to(build)
    for name in ("data", "docs", "examples", "scripts"):
        (scratch / name).symlink_to(source / name)


class Shell:
    """Runs blocks one after the other, each with the variables that the last one exported."""

    def __init__(self, scratch, environment):
        self.scratch, self.environment = scratch, environment

    def run(self, block):
        kept = self.scratch / ".environment"
        if block.kind == "python":
            command = ["python3", "-c", block.text]
        else:
            command = ["bash", "-c", f"{ANSWERS}\n{block.text}\ntrap - ERR\nenv -0 > {kept}"]
        done = subprocess.run(command, cwd=self.scratch, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False)  # fmt: skip
        if block.kind != "python" and done.returncode == 0:
            pairs = (one.partition("=") for one in kept.read_text().split("\0") if one)
            self.environment = {name: value for name, _, value in pairs}
        return done.returncode, done.stdout


def check(name, block, shell, before):
    """What a block printed, or a fault in words."""
    if block.mark.startswith("not run"):
        return before, ""
    if block.mark.startswith("output"):
        expected, printed = block.text.rstrip(), before.rstrip()
        if block.mark != "output":
            expected, printed = shape(expected), shape(printed)
        if expected != printed:
            return before, f"prints something else:\n{before}"
        return before, ""
    if block.kind not in ("sh", "python") or (block.kind, name) == ("python", "docs/python.md"):
        return before, ""
    try:
        code, printed = shell.run(block)
    except subprocess.TimeoutExpired as late:
        return before, f"takes longer than {LIMIT_S} s:\n{(late.stdout or b'').decode()}"
    if name == "README.md" and "extrapolated beyond" in printed:
        return printed, f"a newcomer's example is beyond what was measured:\n{printed}"
    return printed, f"failed:\n{printed}" if code else ""


def run_file(name, text, shell):
    """How many blocks have a fault."""
    wrong, printed = 0, ""
    for block in blocks(text):
        started = time.monotonic()
        printed, fault = check(name, block, shell, printed)
        if fault:
            wrong += 1
            print(f"{name}:{block.line}: {fault}\n{block.text}\n", flush=True)
        elif time.monotonic() - started > 0.01:
            print(f"{name}:{block.line}: {time.monotonic() - started:.1f} s", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for argument in ("source", "build", "machine"):
        parser.add_argument(argument, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    others = sorted(str(one.relative_to(args.source)) for one in args.source.glob("docs/*.md"))
    names = args.files or FIRST + [name for name in others if name not in FIRST]
    with tempfile.TemporaryDirectory(prefix="commgauge-docs-") as directory:
        scratch = pathlib.Path(directory)
        clone(args.source, args.build, scratch)
        path = [HERE / "bin", args.build / "bin", "/usr/bin", os.environ["PATH"]]
        environment = {
            **os.environ, "PATH": ":".join(map(str, path)), "MACHINE": str(args.machine),
            "PYTHONPATH": str(args.build / "python"), "HOME": str(scratch), "MANPAGER": "cat",
            "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        shell = Shell(scratch, environment)
        wrong = sum(run_file(name, (args.source / name).read_text(), shell) for name in names)
    if wrong:
        sys.exit(f"{wrong} blocks don't do what is written")


if __name__ == "__main__":
    main()
