"""The commands: parse, call, print, exit; nothing else prints or exits."""

import atexit
import gc
import os
import sys
from typing import NoReturn

# A run makes little that only the collector can free: looking for it more often, and once more
# at the end, takes a tenth of the time of a small report, which makes half as many objects.
GC_THRESHOLD = 250_000
INTERRUPTED_EXIT_CODE = 130


def main() -> NoReturn:
    """Run the command line and exit with the code that says how it went."""
    _reopen_closed_streams()
    gc.set_threshold(GC_THRESHOLD)
    atexit.register(gc.freeze)
    # The matrices multiplied here are small, and NumPy's threads for large ones take time to start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Plugins have no say in how a spec is read, and are looked for in all that is installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    if sys.argv[1:2] == ["build"]:
        # Whatever is to be built, a worker builds it, and gets ready while the options are read.
        from reportgen.jobs.worker_pool import prefork_worker

        prefork_worker()
    try:
        from reportgen.cli.app import run_app
    except KeyboardInterrupt:
        # There is nobody yet to say so.
        sys.exit(INTERRUPTED_EXIT_CODE)
    run_app()


def _reopen_closed_streams() -> None:
    """Let nobody who closed a stream find messages in the next file that is opened."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # The lowest number that is free, which is that of the stream.
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w"))


__all__ = ["main"]
