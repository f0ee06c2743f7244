"""Numbers that remember how they were written."""

from typing import Self


class WrittenNumber(float):
    """A float of a TOML file that knows how many decimals it was written with."""

    decimals: int

    def __new__(cls, text: str) -> Self:
        """Read the number and count its decimals."""
        number = super().__new__(cls, text)
        number.decimals = _decimals(text)
        return number


def decimals_of(value: object) -> int:
    """Return how many decimals a value was written with; 0 for what is no written number."""
    return value.decimals if isinstance(value, WrittenNumber) else 0


def _decimals(text: str) -> int:
    digits, _, exponent = text.replace("_", "").lower().partition("e")
    fraction = digits.partition(".")[2]
    # An exponent too long to matter would be refused by `int`, and its number is 0 or infinite.
    shift = int(exponent) if 0 < len(exponent) < 6 else 0  # noqa: PLR2004
    return max(0, len(fraction) - shift)
