"""Small pieces of messages."""


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: 1 case, 2 cases."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
