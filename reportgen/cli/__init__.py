"""The commands: parse, call, print, exit; nothing else prints or exits."""

from reportgen.cli.app import main

__all__ = ["main"]
