"""A Python that has imported what programs need, and forks for each run of one. A script; ``fork_server.py`` starts it.

``fork_server_main.py ask SOCKET WORDS...`` is what the engine's language host starts in place of ``python WORDS...``.
``fork_server_main.py serve LISTENING FILE`` waits behind that socket. Its fork has words, folder, environment and open
files of the one that asks, and runs what the words name from its first line: nothing but imports is there already.
"""

import atexit
import gc
import json
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

PROGRAM = "pulumi-language-python-exec"
"""By this the language host runs programs. All else that it starts asks Python about itself."""
FILES = 3
COUNT_BYTES = 4
PASSED_ON = (signal.SIGINT, signal.SIGTERM)


class Request(NamedTuple):
    """The command to run, and the process in whose place it runs."""

    words: list[str]
    folder: str
    environment: dict[str, str]
    files: list[int]


def ask(address: str, words: list[str]) -> int:
    """Have words run as by ``python``. Returns how that ended."""
    question = json.dumps([words, os.getcwd(), dict(os.environ)]).encode()
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        socket.send_fds(server, [len(question).to_bytes(COUNT_BYTES, "big")], list(range(FILES)))
        server.sendall(question)
        for number in PASSED_ON:
            signal.signal(number, lambda received, _: server.sendall(bytes([received])))
        return int.from_bytes(server.recv(1), "big")


def serve(listening: socket.socket, learnt: Path) -> None:
    """Answer until standard input ends. Returns only in a fork, which is then to run ``sys.argv``."""
    answers: dict[tuple[str, ...], tuple[bytes, int]] = {}
    while True:
        ready, _, _ = select.select([listening, sys.stdin], [], [])
        if sys.stdin in ready:
            # Here, since whoever started us may have been killed.
            shutil.rmtree(learnt.parent, ignore_errors=True)
            sys.exit()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        connection, _ = listening.accept()
        request = _received(connection)
        if os.path.basename(request.words[0]) == PROGRAM:
            _import(learnt)
            gc.freeze()
            if os.fork() == 0:
                listening.close()
                return _attend(connection, request, learnt)
        else:
            question = (request.folder, *request.words)
            if question not in answers:
                answers[question] = _answer(request)
            text, code = answers[question]
            os.write(request.files[1], text)
            connection.sendall(bytes([code]))
        connection.close()
        for each in request.files:
            os.close(each)


def _received(connection: socket.socket) -> Request:
    head, files, _, _ = socket.recv_fds(connection, COUNT_BYTES, FILES)
    count, text = int.from_bytes(head, "big"), b""
    while len(text) < count:
        text += connection.recv(count - len(text))
    return Request(*json.loads(text), files)


def _answer(request: Request) -> tuple[bytes, int]:
    command = [sys.executable, *request.words]
    errors = request.files[2]
    done = subprocess.run(command, cwd=request.folder, env=request.environment, stdout=subprocess.PIPE, stderr=errors)
    return done.stdout, done.returncode


def _attend(connection: socket.socket, request: Request, learnt: Path) -> None:
    """Run the program in a further fork, where this returns; tell how it ended; pass signals on to it."""
    ended, end = os.pipe()
    program = os.fork()
    if program == 0:
        os.close(ended)
        connection.close()
        return _become(request, learnt)
    os.close(end)
    while True:
        ready, _, _ = select.select([ended, connection], [], [])
        if ended in ready:
            break
        for number in connection.recv(1) or [signal.SIGKILL]:
            os.kill(program, number)
    _, status = os.waitpid(program, 0)
    code = os.waitstatus_to_exitcode(status)
    with suppress(OSError):
        connection.sendall(bytes([code if code >= 0 else 128 - code]))
    os._exit(0)


def _become(request: Request, learnt: Path) -> None:
    for ours, theirs in enumerate(request.files):
        os.dup2(theirs, ours)
        os.close(theirs)
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.environment)
    sys.argv = request.words
    sys.path.insert(0, os.path.dirname(request.words[0]))
    atexit.register(_learn, learnt)


def _learn(learnt: Path) -> None:
    """Note what was imported; SDKs also list what they only might import."""
    loaded = [name for name, module in sys.modules.items() if type(module) is ModuleType]
    learnt.write_text("\n".join(loaded))


def _import(learnt: Path) -> None:
    """What the last program imported. What lies beside a program and not in Python's path stays its own."""
    for name in learnt.read_text().split() if learnt.exists() else []:
        with suppress(Exception):
            # A module that loads itself late does so now: a class of it can have the name of a module in it.
            hasattr(import_module(name), "__all__")


if __name__ == "__main__":
    if sys.argv[1] == "ask":
        sys.exit(ask(sys.argv[2], sys.argv[3:]))
    del sys.path[0]  # neighbours of this file are no modules of a program
    serve(socket.socket(fileno=int(sys.argv[2])), Path(sys.argv[3]))
    runpy.run_path(sys.argv[0], run_name="__main__")
