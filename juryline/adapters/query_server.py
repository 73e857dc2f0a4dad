"""The one child process that queries of this process are sent to: started by the first, ended with us.

It is isolated from the environment and the current folder, keeps no open file of ours, and is
killed with all it runs when a query takes too long; the next query starts another.
"""

import atexit
import json
import os
import selectors
import signal
import subprocess
import sys
from threading import Lock
from typing import Any

_PASSED_ON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # without it some Pythons find no libraries

_lock = Lock()
_server: "tuple[int, subprocess.Popen[str]] | None" = None  # with the process it serves, which may have been forked


def ask(request: dict[str, Any], *, seconds: float) -> dict[str, str]:
    """The answer of the child to a request; `kind` is `time` if none came in time."""
    with _lock:
        server = _running()
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            print(json.dumps(request), file=server.stdin, flush=True)
            with selectors.DefaultSelector() as selector:
                selector.register(server.stdout, selectors.EVENT_READ)
                in_time = selector.select(seconds)
            if not in_time:
                _end()
                return {"kind": "time", "message": f"it ran for more than {seconds:.0f} s and was stopped"}
            return json.loads(server.stdout.readline())
        except BaseException:
            _end()  # or the next query would read this one's answer
            raise


def _running() -> "subprocess.Popen[str]":
    global _server
    if _server is None or _server[0] != os.getpid() or _server[1].poll() is not None:
        # The module is run by name: isolated mode keeps the current folder and PYTHONPATH out.
        process = subprocess.Popen(
            [sys.executable, "-I", "-m", "juryline.adapters.query_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={name: os.environ[name] for name in _PASSED_ON if name in os.environ} | {"LC_ALL": "C.UTF-8"},
            cwd="/",
            start_new_session=True,
        )
        _server = (os.getpid(), process)
    return _server[1]


@atexit.register
def _end() -> None:
    global _server
    if _server is None or _server[0] != os.getpid():
        return
    process, _server = _server[1], None
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    with process:  # closes the pipes and waits
        pass
