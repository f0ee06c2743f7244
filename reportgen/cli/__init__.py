"""The commands. Only this package prints and exits."""

import atexit
import gc
import os
import sys
from typing import NoReturn

INTERRUPTED_EXIT_CODE = 130


def main() -> NoReturn:
    """Run the command line and exit with the exit code of the command."""
    _reopen_closed_streams()
    # The matrices are small; starting threads for large ones takes time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # No plugin may change how a spec is parsed; looking for plugins takes time.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    # Last of all: the interpreter would look for cycles among all objects before it ends, which
    # takes a seventh of `reportgen check`.
    atexit.register(gc.freeze)
    try:
        from reportgen.cli.app import run_app
    except KeyboardInterrupt:
        # The console that reports it is not imported yet.
        sys.exit(INTERRUPTED_EXIT_CODE)
    run_app()


def _reopen_closed_streams() -> None:
    """Reopen closed standard streams, so that messages do not end in the next file opened."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # The lowest number that is free, which is that of the stream.
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w"))


__all__ = ["main"]
