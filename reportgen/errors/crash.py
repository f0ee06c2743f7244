"""What is kept of an error that nobody foresaw."""

from __future__ import annotations


def crash_file() -> str:
    """Write the traceback to a file of its own: a job's log may be gone tomorrow."""
    import tempfile
    import traceback

    from reportgen import __version__

    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="reportgen-crash-", suffix=".txt", delete=False
    ) as file:
        file.write(f"reportgen {__version__}\n{traceback.format_exc()}")
    return file.name
